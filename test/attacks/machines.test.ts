// Machines that can do less, made on the spot: the probe finds out by doing, and the enforcement says what follows.

import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, type TestContext, test } from 'vitest';
import { nativeSources } from '../../scripts/build-native.js';
import { diskFolders } from '../../src/confine/folders.ts';
import { findKernelSupport, type KernelSupport } from '../../src/confine/kernel-support.ts';
import { plan } from '../../src/confine/plan.ts';
import { attemptConfinement } from '../../src/run/confinement-attempt.ts';
import { KeeperRunner } from '../../src/run/keeper/runner.ts';
import { keeperStderr, keeperUnderTest } from '../contract/keeper-under-test.ts';

const keeper = keeperUnderTest;
let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'hardshell-machines-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Runs `work` with a keeper that `before` has been done to; skips where that cannot be done. */
async function onMachine(
  context: TestContext,
  name: string,
  [program, ...argv]: [string, ...string[]],
  before: string,
  work: (runner: KeeperRunner, probe: KernelSupport) => Promise<void>,
): Promise<void> {
  if (!keeper.isAvailable) return context.skip(keeper.reason);
  const tried = spawnSync(program, [...argv, 'sh', '-c', before], { encoding: 'utf8' });
  if (tried.status !== 0) return context.skip(`such a machine cannot be made here: ${tried.stderr.trim()}`);
  const path = join(folder, name);
  writeFileSync(
    path,
    `#!/bin/sh\nexec ${[program, ...argv].join(' ')} sh -c '${before}; exec ${keeper.path} "$@"' keeper "$@"\n`,
    {
      mode: 0o755,
    },
  );
  const runner = new KeeperRunner(path, { stderr: keeperStderr });
  try {
    await work(runner, await findKernelSupport(attemptConfinement(runner)));
  } finally {
    await runner.close();
  }
}

async function run(runner: KeeperRunner, probe: KernelSupport, script: string): Promise<[number | null, string]> {
  const planned = plan({ name: 'restricted' }, probe, diskFolders);
  if (planned.kind !== 'confined') throw new Error(planned.kind);
  const handle = runner.start({
    program: 'bash',
    argv: ['bash', '-c', script],
    cwd: '/',
    env: { PATH: '/usr/bin:/bin' },
    timeoutMs: 10_000,
    confinement: planned.spec,
  });
  const { exitCode, output } = await handle.done;
  return [exitCode, (await output.read(0, 1000)).toString()];
}

test('without user namespaces Landlock and the filter serve', (context) =>
  onMachine(
    context,
    'no-namespaces',
    ['unshare', '-Ur'],
    'echo 0 > /proc/sys/user/max_user_namespaces',
    async (runner, probe) => {
      expect(probe).toMatchObject({ tier: 'landlock', why: 'the kernel refused namespaces (namespaces: ENOSPC)' });
      const [exitCode] = await run(runner, probe, 'echo x > /tmp/hardshell-machines && exit 0; exit 3');
      expect(exitCode).toBe(3);
    },
  ));

test('with parts of /proc masked, as in containers, the rest is enforced and the report says so', (context) =>
  onMachine(context, 'covered-proc', ['unshare', '-m'], 'mount --bind /proc/sys /proc/sys', async (runner, probe) => {
    expect(probe).toMatchObject({
      tier: 'namespaces',
      missing: [{ step: 'proc', error: 'EPERM' }],
      why: null,
      hasOwnSockets: true,
    });
    const { enforcement } = plan({ name: 'restricted' }, probe, diskFolders);
    expect(enforcement.missing.map(({ guarantee }) => guarantee)).toEqual(['processes-unseen']);
    const script = `echo ok > /dev/stdout; cat < /dev/null; cat /proc/${process.pid}/environ && echo read`;
    const [, text] = await run(runner, probe, script);
    expect(text).toMatch(/^ok\ncat: .*Permission denied\n$/);
  }));

test('with parts of /proc masked, commands share a network and no processes, and change their own threads', (context) =>
  onMachine(context, 'no-rooms', ['unshare', '-m'], 'mount --bind /proc/sys /proc/sys', async (runner, probe) => {
    const planned = plan({ name: 'workspace', writable: [] }, probe, diskFolders);
    if (planned.kind !== 'confined') throw new Error(planned.kind);
    const handle = runner.start({
      program: 'bash',
      argv: ['bash', '-c', "sh -c 'exec chrt -b -p 0 $$' && echo own; chrt -b -p 0 1 2>/dev/null || echo refused"],
      cwd: '/',
      env: { PATH: '/usr/bin:/bin', LC_ALL: 'C' },
      timeoutMs: 10_000,
      confinement: { ...planned.spec, network: 'own', isShared: true },
      world: join(folder, 'world.sock'),
      room: 'one',
    });
    const { output } = await handle.done;
    expect((await output.read(0, 1000)).toString()).toBe('own\nrefused\n');
    expect((await handle.started).shares).toBe('network');
  }));

/** What each newer one brought: the versions of Landlock before it lack the step. */
const BROUGHT = [
  [2, 'refer'],
  [3, 'truncate'],
  [5, 'device-ioctl'],
  [6, 'scope'],
] as const;

test.for([0, 1, 2, 3, 4, 5, 6])('with Landlock %i exactly what came later is missing', async (abi, context) => {
  if (!keeper.isAvailable || spawnSync('cc', ['--version']).status !== 0)
    return context.skip('needs a keeper and a compiler');
  const path = join(folder, `keeper-${abi}`);
  const sources = nativeSources().filter((source) => source.endsWith('.c'));
  execFileSync('cc', ['-std=c11', '-O0', `-DCONFINE_NEWEST_ABI=${abi}`, '-o', path, ...sources]);
  const runner = new KeeperRunner(path, { stderr: keeperStderr });
  try {
    const attempt = attemptConfinement(runner);
    const plain = await findKernelSupport(attempt, { allowNamespaces: false });
    const full = await findKernelSupport(attempt);
    const later = BROUGHT.filter(([since]) => since > abi).map(([, step]) => step);
    expect([plain.tier, plain.missing.map(({ step }) => step)]).toEqual(abi === 0 ? ['none', []] : ['landlock', later]);
    expect([full.tier, full.missing.map(({ step }) => step)]).toEqual([
      'namespaces',
      abi === 0 ? ['files', ...later] : later,
    ]);
    expect((await run(runner, full, 'echo x > /etc/hardshell-machines'))[0]).not.toBe(0);
    if (abi > 0) expect((await run(runner, plain, 'echo x > /etc/hardshell-machines'))[0]).not.toBe(0);
  } finally {
    await runner.close();
  }
});
