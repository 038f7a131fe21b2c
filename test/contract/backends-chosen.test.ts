// Which backend is chosen on which machine, and the system call filter as a program that is walked here.

import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import type { TryLaunch } from '../../src/confine/backends/backend.ts';
import { type BackendChoice, chooseBackend, planWithoutBackend } from '../../src/confine/backends/choose.ts';
import { type FilterChoice, makeFilter } from '../../src/confine/backends/seccomp-filter.ts';
import { diskFolders } from '../../src/confine/folders.ts';
import type { AttemptConfinement } from '../../src/confine/port.ts';

const privateFolder = mkdtempSync(join(tmpdir(), 'hardshell-chosen-'));
afterAll(() => rmSync(privateFolder, { recursive: true, force: true }));

const full: AttemptConfinement = async () => ({ held: [], missing: [] });
const landlockOnly: AttemptConfinement = async ({ tier }) =>
  tier === 'landlock' ? { held: [], missing: [] } : { failed: 'namespaces', error: 'EPERM' };
const nothing: AttemptConfinement = async () => ({ failed: 'namespaces', error: 'ENOSYS' });
const works: TryLaunch = async ({ argv }) => ({
  exitCode: argv.join(' ').includes('hardshell-probe') ? 1 : 0,
  text: '',
});
const fails: TryLaunch = async () => ({ exitCode: 1, text: 'refused\n' });

function choose(more: Partial<BackendChoice>) {
  const base = { platform: 'linux', wanted: 'auto', folders: diskFolders, privateFolder, endsTree: true } as const;
  return chooseBackend({ ...base, attemptByKeeper: full, tryLaunch: works, ...more });
}

type Row = readonly [machine: string, choice: Partial<BackendChoice>, backend: string | null, why?: string];
const ROWS: readonly Row[] = [
  ['Linux with everything', {}, 'keeper'],
  ['Linux with everything, and bubblewrap wanted', { wanted: 'bubblewrap' }, 'bubblewrap'],
  ['Linux where bwrap alone may make namespaces', { attemptByKeeper: landlockOnly }, 'bubblewrap'],
  ['the same, and the keeper wanted', { attemptByKeeper: landlockOnly, wanted: 'keeper' }, 'keeper'],
  ['Linux where nobody may', { attemptByKeeper: landlockOnly, tryLaunch: fails }, 'keeper'],
  ['Linux without a keeper', { attemptByKeeper: { why: 'no compiler' } }, 'bubblewrap'],
  ['Linux without anything', { attemptByKeeper: nothing, tryLaunch: fails }, null, 'refused'],
  [
    'Linux without a keeper, which is wanted',
    { attemptByKeeper: { why: 'no compiler' }, wanted: 'keeper' },
    null,
    'no compiler',
  ],
  [
    'Linux with a bwrap that does not work, which is wanted',
    { wanted: 'bubblewrap', tryLaunch: fails },
    null,
    'refused',
  ],
  ['Linux with Seatbelt wanted', { wanted: 'seatbelt' }, null, 'Seatbelt needs macOS'],
  ['a Mac', { platform: 'darwin' }, 'seatbelt'],
  ['a Mac inside another sandbox', { platform: 'darwin', tryLaunch: fails }, null, 'refused'],
  ['a Mac with bubblewrap wanted', { platform: 'darwin', wanted: 'bubblewrap' }, null, 'bubblewrap needs Linux'],
  ['a Mac with the keeper wanted', { platform: 'darwin', wanted: 'keeper' }, null, 'need Linux'],
  ['Windows', { platform: 'win32' }, null, 'Commands cannot be confined on Windows: use WSL or a container'],
  ['another system', { platform: 'freebsd' }, null, 'cannot be confined on freebsd'],
];

test.for(ROWS)('%s', async ([, choice, backend, why], context) => {
  const { found, tried } = await choose(choice);
  const absent = tried.find((one) => one.why?.includes('not installed'));
  if (absent !== undefined && (backend === 'bubblewrap' || choice.tryLaunch === fails)) context.skip(absent.why ?? '');
  expect([found.isAvailable ? found.backend.name : null, found.isAvailable ? undefined : found.why]).toEqual([
    backend,
    why === undefined ? undefined : expect.stringContaining(why),
  ]);
});

test('where both serve, a policy with ports goes to the one that knows them', async (context) => {
  const { found } = await choose({ attemptByKeeper: landlockOnly });
  if (!found.isAvailable || found.backend.name !== 'bubblewrap') return context.skip('bubblewrap is not installed');
  expect(found.backend.plan({ name: 'restricted' })).toMatchObject({ kind: 'confined', backend: 'bubblewrap' });
  for (const more of [{ network: 'host', connectPorts: [443] }, { proxyPort: 3128 }, { unixPaths: ['/s'] }] as const)
    expect(found.backend.plan({ name: 'restricted', ...more })).toMatchObject({ kind: 'confined', backend: 'keeper' });
  expect(found.backend.proxy).toBe('port');
  expect(found.backend.plan({ name: 'unrestricted' })).toMatchObject({ kind: 'unconfined', backend: 'none' });
});

test('without a backend nothing runs but what asks for none', () => {
  const none = { backend: 'none', enforcement: { tier: 'none', held: [] } };
  expect(planWithoutBackend({ name: 'workspace' }, 'why')).toMatchObject({ kind: 'impossible', why: 'why', ...none });
  expect(planWithoutBackend({ name: 'unrestricted' }, 'why')).toMatchObject({ kind: 'unconfined', ...none });
});

describe('the system call filter', () => {
  const MACHINES = { x64: 0xc000003e, arm64: 0xc00000b7 } as const;
  const CALLS = {
    x64: { read: 0, ioctl: 16, socket: 41, socketpair: 53, clone: 56, ptrace: 101, mount: 165, unshare: 272, bpf: 321 },
    arm64: {
      read: 63,
      ioctl: 29,
      socket: 198,
      socketpair: 199,
      clone: 220,
      ptrace: 117,
      mount: 40,
      unshare: 97,
      bpf: 280,
    },
  } as const;
  const ANSWERS: Readonly<Record<number, string>> = {
    2147418112: 'allow',
    2147483648: 'kill',
    327681: 'EPERM',
    327718: 'ENOSYS',
  };

  /** As the kernel walks it: 32 bits, forward only. */
  function answer(filter: Uint8Array, machine: number, number: number, args: readonly bigint[] = []): string {
    const data = Buffer.alloc(64);
    data.writeUInt32LE(number, 0);
    data.writeUInt32LE(machine, 4);
    for (const [index, value] of args.entries()) data.writeBigUInt64LE(value, 16 + 8 * index);
    const code = Buffer.from(filter);
    let value = 0;
    for (let at = 0; at < code.length / 8; at++) {
      const operand = code.readUInt32LE(8 * at + 4);
      const [when, otherwise] = [code.readUInt8(8 * at + 2), code.readUInt8(8 * at + 3)];
      switch (code.readUInt16LE(8 * at)) {
        case 0x20:
          value = data.readUInt32LE(operand);
          break;
        case 0x54:
          value = (value & operand) >>> 0;
          break;
        case 0x15:
          at += value === operand ? when : otherwise;
          break;
        case 0x35:
          at += value >= operand ? when : otherwise;
          break;
        case 0x45:
          at += (value & operand) !== 0 ? when : otherwise;
          break;
        case 0x06:
          return ANSWERS[operand] ?? String(operand);
        default:
          throw new Error('no such instruction');
      }
    }
    throw new Error('the program has no end');
  }

  const pairs: FilterChoice = { unixSockets: 'pairs', hasInternet: true };
  const anySocket: FilterChoice = { unixSockets: 'any', hasInternet: true };
  const noInternet: FilterChoice = { unixSockets: 'pairs', hasInternet: false };
  type Call = readonly [
    name: keyof (typeof CALLS)['x64'] | number,
    args: readonly bigint[],
    expected: string,
    choice?: FilterChoice,
  ];
  const ROWS_OF_CALLS: readonly Call[] = [
    ['read', [], 'allow'],
    ['ptrace', [], 'EPERM'],
    ['mount', [], 'EPERM'],
    ['bpf', [], 'EPERM'],
    [425, [], 'EPERM'],
    [435, [], 'ENOSYS'],
    ['clone', [17n], 'allow'],
    ['clone', [0x10000011n], 'EPERM'],
    ['clone', [0x20011n], 'EPERM'],
    ['unshare', [0x80n], 'EPERM'],
    ['unshare', [0x400n], 'allow'],
    ['unshare', [0x110000000n], 'EPERM'],
    ['ioctl', [0n, 0x5412n], 'EPERM'],
    ['ioctl', [0n, 0x100005412n], 'EPERM'],
    ['ioctl', [0n, 0x541cn], 'EPERM'],
    ['ioctl', [0n, 0x5413n], 'allow'],
    ['socket', [1n], 'EPERM'],
    ['socket', [0x100000001n], 'EPERM'],
    ['socket', [1n], 'allow', anySocket],
    ['socket', [2n], 'allow'],
    ['socket', [10n], 'allow'],
    ['socket', [2n], 'EPERM', noInternet],
    ['socket', [10n], 'EPERM', noInternet],
    ['socket', [16n], 'EPERM', anySocket],
    ['socket', [40n], 'EPERM', anySocket],
    ['socketpair', [1n, 1n], 'allow'],
    ['socketpair', [1n, 5n], 'allow'],
    ['socketpair', [1n, 2n], 'EPERM'],
    ['socketpair', [1n, 0x80002n], 'EPERM'],
    ['socketpair', [1n, 3n], 'EPERM'],
    ['socketpair', [1n, 2n], 'allow', anySocket],
    ['socketpair', [2n, 1n], 'EPERM', anySocket],
  ];

  for (const architecture of ['x64', 'arm64'] as const) {
    test.for(ROWS_OF_CALLS)(`${architecture}: %s %s is answered with %s`, ([name, args, expected, choice = pairs]) => {
      const filter = makeFilter(choice, architecture) as Uint8Array;
      const number = typeof name === 'number' ? name : CALLS[architecture][name];
      expect(answer(filter, MACHINES[architecture], number, args)).toBe(expected);
    });

    test(`${architecture}: another machine ends the process`, () => {
      const filter = makeFilter(pairs, architecture) as Uint8Array;
      expect(answer(filter, 0x40000003, 0)).toBe('kill');
      expect(answer(filter, architecture === 'x64' ? MACHINES.arm64 : MACHINES.x64, 0)).toBe('kill');
    });
  }

  test('numbers of x32 are refused', () => {
    expect(answer(makeFilter(pairs, 'x64') as Uint8Array, MACHINES.x64, 0x40000000)).toBe('EPERM');
  });

  test('there is none for machines that it does not know', () => expect(makeFilter(pairs, 'riscv64')).toBeNull());

  test('the keeper refuses no call that it allows', (context) => {
    const source = readFileSync(new URL('../../native/confine-seccomp.c', import.meta.url), 'utf8');
    const list = /static const int REFUSED\[\] = \{([\s\S]*?)-1,\s*\};/.exec(source)?.[1] ?? '';
    if (!(process.arch in MACHINES)) return context.skip(`there is no filter for ${process.arch}`);
    let text = '';
    try {
      const input = `#define _GNU_SOURCE\n#include "${new URL('../../native/confine-calls.h', import.meta.url).pathname}"\nBEGIN\n${list}`;
      text = execFileSync('cc', ['-E', '-P', '-'], { input, encoding: 'utf8' }).split('BEGIN')[1] ?? '';
    } catch {
      return context.skip('needs a C compiler');
    }
    const numbers = text.split(/[\s,]+/).filter((word) => word !== '');
    expect(numbers.length).toBeGreaterThan(50);
    expect(numbers.filter((word) => !/^\d+$/.test(word))).toEqual([]);
    const architecture = process.arch as keyof typeof MACHINES;
    const filter = makeFilter(pairs, architecture) as Uint8Array;
    const allowed = numbers.filter((word) => answer(filter, MACHINES[architecture], Number(word)) === 'allow');
    expect(allowed).toEqual([]);
  });
});
