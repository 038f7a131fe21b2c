// What only the keeper's own client can show: requests that it refuses, and what a refused one leaves behind.

import { execFileSync } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { KeeperRunner } from '../../src/run/keeper/runner.ts';
import type { RunRequest } from '../../src/run/port.ts';
import { keeperUnderTest as found, keeperStderr } from '../contract/keeper-under-test.ts';

const BASE = { program: 'bash', argv: ['bash', '-c', 'cat; echo "$?"'], cwd: '/', env: { PATH: '/usr/bin:/bin' } };

describe.skipIf(!found.isAvailable)('the keeper', () => {
  let runner: KeeperRunner;
  beforeAll(() => {
    runner = new KeeperRunner(found.isAvailable ? found.path : '', { stderr: keeperStderr });
  });
  afterAll(() => runner.close());

  const refused: Record<string, Partial<RunRequest>> = {
    'a relative folder': { cwd: 'here' },
    'no words': { argv: [] },
    'an empty program': { program: '' },
    'a NUL in a word': { argv: ['a\0b'] },
    'a variable without a name': { env: { '': 'x' } },
    'a NUL in a variable': { env: { A: 'x\0y' } },
    'a word beyond what the kernel takes': { argv: ['bash', 'x'.repeat(131_072)] },
    'a relative spool': { spool: { path: 'spool' } },
    'a head that is no multiple of eight': { spool: { path: '/x', headBytes: 7 } },
    'a background task without a file': { background: true },
  };
  for (const [name, more] of Object.entries(refused))
    test(`${name} is refused, and the next command is as any other`, async () => {
      await expect(runner.start({ ...BASE, ...more }).done).rejects.toMatchObject({ code: 'invalid-argument' });
      const { exitCode, output } = await runner.start(BASE).done;
      expect([exitCode, String(await output.read(0, 10))]).toEqual([0, '0\n']);
    });

  test('a spool is never written over a file or through a link', async () => {
    const request = { ...BASE, spool: { path: '/dev/null' }, limits: { outputBytes: 1 << 20 } };
    const exit = await runner.start({ ...request, argv: ['bash', '-c', 'head -c 200000 /dev/zero'] }).done;
    expect(exit).toMatchObject({ cause: 'disk', spoolError: 'EEXIST' });
  });

  test('the umask is that of the host or the given one, and no core file is written', async () => {
    const argv = ['bash', '-c', 'umask; ulimit -c'];
    const text = async (more: Partial<RunRequest>) => {
      const { output } = await runner.start({ ...BASE, argv, ...more }).done;
      return String(await output.read(0, 100));
    };
    const own = execFileSync('bash', ['-c', 'umask'], { encoding: 'utf8' });
    expect(await text({})).toBe(`${own}0\n`);
    expect(await text({ umask: 0o077 })).toBe('0077\n0\n');
  });

  test('input of any size arrives', async () => {
    const stdin = Buffer.alloc(20 << 20, 'x');
    const { output } = await runner.start({ ...BASE, argv: ['bash', '-c', 'wc -c'], stdin }).done;
    expect(String(await output.read(0, 20))).toBe(`${stdin.length}\n`);
  });

  test('a supervisor that served a command serves the next one, without a trace of the first', async () => {
    const supervisors = new Set<number | null>();
    for (let i = 0; i < 20; i += 1) {
      const handle = runner.start({ ...BASE, argv: ['bash', '-c', 'echo 12345; ls /proc/self/fd | wc -l'] });
      supervisors.add((await handle.started).supervisorPid);
      expect(String(await (await handle.done).output.read(0, 100))).toBe('12345\n4\n');
    }
    expect(supervisors.size).toBeLessThan(4);
  });
});

test('a keeper that cannot be started is a clear error, every time', async () => {
  for (const path of ['/no/such/keeper', '/dev/null', '/bin/true']) {
    const runner = new KeeperRunner(path);
    await expect(runner.start(BASE).done).rejects.toMatchObject({ code: 'runner-lost' });
    await expect(runner.warmUp()).rejects.toMatchObject({ code: 'runner-lost' });
    await runner.close();
  }
});

test('with `wait` a timeout counts as long as anything is left', async (context) => {
  if (!found.isAvailable) return context.skip(found.reason);
  const runner = new KeeperRunner(found.path);
  const argv = ['bash', '-c', 'sleep 300 & exit 4'];
  const exit = await runner.start({ ...BASE, argv, leftovers: 'wait', timeoutMs: 200 }).done;
  expect(exit).toMatchObject({ exitCode: 4, cause: 'timeout', leftoversKilled: 1 });
  await runner.close();
});
