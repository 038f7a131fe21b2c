// Shells that wait for their command: who gets them, who does not, and that none outlives the processes that keep it.
// What a command can see of it is in pool-observables.test.ts.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, renameSync, rmdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { KeeperRunner } from '../../src/run/keeper/runner.ts';
import type { RunRequest } from '../../src/run/port.ts';
import { keeperUnderTest as found, keeperStderr } from '../contract/keeper-under-test.ts';
import { type Mark, makeMark, until } from '../contract/marks.ts';
import { BASH, canWait, findWaiting, outcomeOf, untilNoneIsLeft, untilWaiting } from './waiting-shells.ts';

const HOST = fileURLToPath(new URL('../fixtures/host.js', import.meta.url));
const keeper = found.isAvailable ? found.path : '';
const reason = await canWait(found);

if (reason !== null) test('shells that wait', (context) => context.skip(reason));

describe.skipIf(reason !== null)('shells that wait', () => {
  let folder = '';
  let runner: KeeperRunner;
  const open = (pool?: number) => {
    runner = new KeeperRunner(keeper, { stderr: keeperStderr, ...(pool === undefined ? {} : { pool }) });
  };
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'hardshell-pool-'));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  afterEach(() => runner.close());

  // Every test has its own environment, and so a mark by which its processes are found.
  const request = (command: string, mark: { env: Record<string, string> }, more: Partial<RunRequest> = {}) => ({
    program: BASH,
    argv: ['bash', '-c', command],
    cwd: folder,
    ...more,
    env: { PATH: '/usr/bin:/bin', ...mark.env, ...more.env },
  });
  const waitingAfter = async (first: RunRequest, mark: Mark) => {
    await runner.start(first).done;
    return untilWaiting(mark);
  };

  test('each serves one command and is followed by another', async () => {
    open(1);
    const mark = makeMark();
    const pids: number[] = [];
    for (let count = 0; count < 5; count += 1) {
      const waiting = await waitingAfter(request('true', mark), mark);
      const { pid, text } = await outcomeOf(runner.start(request('echo $$', mark)));
      expect([pid, text]).toEqual([waiting, `${waiting}\n`]);
      pids.push(pid);
    }
    expect(new Set(pids).size).toBe(5);
  });

  test('with `pool: 0` none waits, and a number that cannot be is refused', async () => {
    open(0);
    const mark = makeMark();
    for (let count = 0; count < 5; count += 1) await runner.start(request('true', mark)).done;
    expect(await until(() => findWaiting(mark).length > 0, 300)).toBe(false);
    for (const pool of [-1, 5, 1.5, Number.NaN])
      expect(() => new KeeperRunner(keeper, { pool })).toThrow(/from 0 to 4/);
  });

  test.each([1, 2, 4])('no more than %d wait, however many commands there were', async (pool) => {
    open(pool);
    const mark = makeMark();
    const round = () => Promise.all(Array.from({ length: 12 }, () => runner.start(request('sleep 0.1', mark)).done));
    await round();
    await round();
    expect(await until(() => findWaiting(mark).length === pool, 15_000)).toBe(true);
    expect(await until(() => findWaiting(mark).length > pool, 200)).toBe(false);
  });

  const others: Record<string, (mark: Mark) => RunRequest> = {
    'another folder': (mark) => request('echo $$', mark, { cwd: '/' }),
    'another variable': (mark) => request('echo $$', mark, { env: { A: '1' } }),
    'other streams': (mark) => request('echo $$', mark, { streams: 'split' }),
    'another limit': (mark) => request('echo $$', mark, { limits: { openFiles: 50 } }),
    'another umask': (mark) => request('echo $$', mark, { umask: 0o77 }),
    input: (mark) => request('echo $$', mark, { stdin: Buffer.from('x') }),
    'a cgroup': (mark) => request('echo $$', mark, { useCgroup: true }),
    'other options': (mark) => request('', mark, { argv: ['bash', '-p', '-c', 'echo $$'] }),
    'another name': (mark) => request('', mark, { argv: ['sh', '-c', 'echo $$'] }),
    'another program': (mark) => request('', mark, { program: '/bin/sh', argv: ['bash', '-c', 'echo $$'] }),
    'no shell': (mark) => request('', mark, { program: '/bin/echo', argv: ['echo', '-c', 'x', '1'] }),
    'a longer text than there is room for': (mark) => request(`echo $$ #${'x'.repeat(8183)}`, mark),
  };
  for (const [name, make] of Object.entries(others))
    test(`${name}: another process, and the one that waited is gone`, async () => {
      open();
      const mark = makeMark();
      const waiting = await waitingAfter(request('true', mark), mark);
      const { pid } = await outcomeOf(runner.start(make(mark)));
      expect(pid).not.toBe(waiting);
      expect(findWaiting(mark)).not.toContain(waiting);
    });

  test('the longest text that there is room for arrives whole', async () => {
    open();
    const mark = makeMark();
    const waiting = await waitingAfter(request('true', mark), mark);
    const { pid, text } = await outcomeOf(runner.start(request(`printf %s '${'é'.repeat(4089)}'`.padEnd(4102), mark)));
    expect([pid, text]).toEqual([waiting, 'é'.repeat(4089)]);
  });

  test('two alternating kinds of commands keep no useless shell waiting', async () => {
    open(1);
    const mark = makeMark();
    await waitingAfter(request('true', mark), mark);
    for (const cwd of ['/', folder, '/']) await runner.start(request('true', mark, { cwd })).done;
    expect(await until(() => findWaiting(mark).length > 0, 300)).toBe(false);
    await waitingAfter(request('true', mark, { cwd: '/' }), mark);
  });

  test('a loader that is spoken to is not run ahead', async () => {
    open();
    const mark = makeMark();
    for (const env of [{ LD_PRELOAD: '/nothing.so' }, { GLIBC_TUNABLES: 'glibc.malloc.check=1' }])
      for (let count = 0; count < 2; count += 1) await runner.start(request('true', mark, { env })).done;
    expect(await until(() => findWaiting(mark).length > 0, 300)).toBe(false);
  });

  test('a folder that was replaced in the meantime is the new one', async () => {
    open();
    const mark = makeMark();
    const cwd = join(folder, 'replaced');
    mkdirSync(cwd);
    const waiting = await waitingAfter(request('true', mark, { cwd }), mark);
    mkdirSync(`${cwd}.new`);
    rmdirSync(cwd);
    renameSync(`${cwd}.new`, cwd);
    const { pid, text } = await outcomeOf(runner.start(request('touch x && ls', mark, { cwd })));
    expect([pid === waiting, text]).toEqual([false, 'x\n']);
  });

  test('a program that was replaced in the meantime is the new one', async () => {
    open();
    const mark = makeMark();
    const program = join(folder, 'shell');
    copyFileSync(BASH, program);
    await waitingAfter(request('true', mark, { program }), mark);
    copyFileSync('/bin/echo', `${program}.new`);
    chmodSync(`${program}.new`, 0o755);
    renameSync(`${program}.new`, program);
    expect((await outcomeOf(runner.start(request('x', mark, { program })))).text).toBe('-c x\n');
  });

  test.each(['SIGKILL', 'SIGTERM', 'SIGSTOP', 'SIGCONT', 'SIGTRAP', 'SIGUSR1'] as const)(
    '%s for the one that waits is not for the command',
    async (signal) => {
      open();
      const mark = makeMark();
      const waiting = await waitingAfter(request('true', mark), mark);
      process.kill(waiting, signal);
      const { pid, text, exit } = await outcomeOf(runner.start(request('echo fine', mark)));
      expect([pid === waiting, text, exit.exitCode]).toEqual([false, 'fine\n', 0]);
    },
  );

  test('the keeper is killed: none is left, and the next keeper has its own', async () => {
    open();
    const mark = makeMark();
    const { pid } = await runner.warmUp();
    await waitingAfter(request('true', mark), mark);
    process.kill(pid, 'SIGKILL');
    expect(await untilNoneIsLeft(mark)).toBe(true);
    await until(
      () =>
        runner.start(request('true', mark)).done.then(
          () => true,
          () => false,
        ),
      2000,
    );
    await untilWaiting(mark);
  });

  test('the supervisor is killed: none is left', async () => {
    open();
    const mark = makeMark();
    const { supervisorPid } = (await outcomeOf(runner.start(request('true', mark)))).started;
    await untilWaiting(mark);
    process.kill(supervisorPid as number, 'SIGKILL');
    expect(await untilNoneIsLeft(mark)).toBe(true);
    // The keeper may hear of it only when it hands the next command over, which fails then, and says why.
    const next = () => outcomeOf(runner.start(request('echo fine', mark)));
    expect((await next().catch(next)).text).toBe('fine\n');
  });

  test('the runner is closed: none is left', async () => {
    open();
    const mark = makeMark();
    await waitingAfter(request('true', mark), mark);
    await runner.close();
    expect(mark.pids()).toEqual([]);
  });

  test('the host is killed: none is left', async () => {
    open();
    const mark = makeMark();
    const host = spawn(process.execPath, [HOST, keeper, JSON.stringify(request('true', mark))], { stdio: 'ignore' });
    await untilWaiting(mark);
    host.kill('SIGKILL');
    await once(host, 'exit');
    expect(await untilNoneIsLeft(mark)).toBe(true);
  });
});
