// What dies when a process is killed: host, keeper, supervisor, each in the middle of a command.
// HARDSHELL_STRESS=N repeats each N times.

import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { KeeperRunner } from '../../src/run/keeper/runner.ts';
import type { RunRequest } from '../../src/run/port.ts';
import { readRecord, stopTask } from '../../src/run/record.ts';
import { openSpool } from '../../src/run/spool.ts';
import { keeperUnderTest as found } from '../contract/keeper-under-test.ts';
import { makeMark, pause, until } from '../contract/marks.ts';
import { BIN } from '../contract/runner-contract.ts';

const HOST = fileURLToPath(new URL('../fixtures/host.js', import.meta.url));
const ROUNDS = Number(process.env.HARDSHELL_STRESS ?? 2);
const TIMEOUT_MS = 20_000 + ROUNDS * 5000;
const keeper = found.isAvailable ? found.path : '';

describe.skipIf(!found.isAvailable)('survival', () => {
  let folder = '';
  let count = 0;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'hardshell-survival-'));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  function request(command: string, more: Partial<RunRequest> = {}): RunRequest {
    const env = { PATH: `${BIN}:${process.env.PATH}`, ...more.env };
    return { program: 'bash', argv: ['bash', '--norc', '-c', command], cwd: folder, ...more, env };
  }

  function background(): Pick<Required<RunRequest>, 'background' | 'spool' | 'record'> {
    count += 1;
    return {
      background: true,
      spool: { path: join(folder, `task-${count}.log`) },
      record: { path: join(folder, `task-${count}.json`), fields: { id: `task-${count}`, command: 'a "b"' } },
    };
  }

  async function startHost(...requests: RunRequest[]): Promise<ChildProcess> {
    const host = spawn(process.execPath, [HOST, keeper, ...requests.map((each) => JSON.stringify(each))], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let lines = 0;
    host.stdout?.on('data', (bytes: Buffer) => {
      lines += bytes.toString().split('\n').length - 1;
    });
    expect(await until(() => lines === requests.length, 15_000)).toBe(true);
    return host;
  }

  async function killHost(host: ChildProcess): Promise<void> {
    host.kill('SIGKILL');
    await once(host, 'exit');
  }

  const repeated = (name: string, work: () => Promise<void>) =>
    test(
      name,
      async () => {
        for (let round = 0; round < ROUNDS; round += 1) await work();
      },
      TIMEOUT_MS,
    );

  repeated('a host that is killed takes its foreground commands with it', async () => {
    const mark = makeMark();
    const commands = ['sleep-with-children', 'ignore-sigterm', 'double-fork stay', 'flood-stdout 100000000000'];
    const host = await startHost(...commands.map((command) => request(command, { env: mark.env })));
    expect(await until(() => mark.count() >= 12, 15_000)).toBe(true);
    await killHost(host);
    // Two seconds are promised; the rest is for a machine that has other work.
    expect(await mark.untilGone(15_000)).toBe(0);
  });

  repeated('a background task continues without its host, and its file and record say how it ended', async () => {
    const mark = makeMark();
    const task = background();
    const host = await startHost(request('echo begin; sleep 0.5; echo end; exit 3', { env: mark.env, ...task }));
    await killHost(host);
    expect(readRecord(task.record.path)).toMatchObject({
      state: 'running',
      fields: { id: task.record.fields.id, command: 'a "b"' },
    });
    expect(mark.count()).toBeGreaterThan(0);
    expect(await until(() => readRecord(task.record.path).state === 'finished', 15_000)).toBe(true);
    expect(readRecord(task.record.path)).toMatchObject({ exitCode: 3, cause: 'none', fields: { stdoutBytes: 10 } });
    const text = readFileSync(task.spool.path, 'utf8');
    expect(text).toMatch(/^begin\nend\n\[hardshell\] finished: exit code 3 after \d+\.\d s\n$/);
    const output = await openSpool(task.spool.path);
    expect((await output.read(0, output.totalBytes)).toString()).toBe('begin\nend\n');
    expect(await mark.untilGone(15_000)).toBe(0);
  });

  repeated('a background task without a host is stopped by a signal to its supervisor', async () => {
    const mark = makeMark();
    const task = background();
    const host = await startHost(request('sleep-with-children', { env: mark.env, ...task }));
    await killHost(host);
    expect(await until(() => mark.count() === 7, 15_000)).toBe(true);
    expect(stopTask(readRecord(task.record.path))).toBe(true);
    expect(await until(() => readRecord(task.record.path).state === 'finished', 15_000)).toBe(true);
    expect(readRecord(task.record.path)).toMatchObject({ signal: 15, cause: 'stopped' });
    expect(stopTask(readRecord(task.record.path))).toBe(false);
    expect(await mark.untilGone(15_000)).toBe(0);
  });

  repeated('a keeper that is killed is replaced; its commands end, its background tasks do not', async () => {
    const mark = makeMark();
    const quiet = makeMark();
    const task = background();
    const runner = new KeeperRunner(keeper);
    try {
      const { pid } = await runner.warmUp();
      const lost = runner.start(request('sleep-with-children', { env: mark.env }));
      const daemon = runner.start(request('double-fork stay', { env: mark.env }));
      const kept = runner.start(request('sleep 0.6; echo kept', { env: quiet.env, ...task }));
      await Promise.all([lost.started, daemon.started, kept.started]);
      expect(await until(() => mark.count() === 10, 15_000)).toBe(true);
      process.kill(pid, 'SIGKILL');
      const errors = await Promise.allSettled([lost.done, daemon.done, kept.done]);
      expect(errors.map((each) => each.status === 'rejected' && each.reason.code)).toEqual(
        Array.from({ length: 3 }, () => 'runner-lost'),
      );
      expect((await runner.start(request('exit 5')).done).exitCode).toBe(5);
      expect(await mark.untilGone(15_000)).toBe(0);
      expect(await until(() => readRecord(task.record.path).state === 'finished', 15_000)).toBe(true);
      expect(readFileSync(task.spool.path, 'utf8')).toMatch(/^kept\n\[hardshell\] finished: exit code 0 /);
      expect(await quiet.untilGone(15_000)).toBe(0);
    } finally {
      await runner.close();
    }
  });

  repeated('a supervisor that is killed takes only its own command with it', async () => {
    const mark = makeMark();
    const runner = new KeeperRunner(keeper);
    try {
      const lost = runner.start(request('double-fork stay', { env: mark.env }));
      const other = runner.start(request('sleep 0.5; echo fine'));
      const { supervisorPid } = await lost.started;
      await other.started;
      expect(await until(() => mark.count() === 3, 15_000)).toBe(true);
      process.kill(supervisorPid as number, 'SIGKILL');
      await expect(lost.done).rejects.toMatchObject({ code: 'runner-lost' });
      expect(await mark.untilGone(15_000)).toBe(0);
      expect((await (await other.done).output.read(0, 10)).toString()).toBe('fine\n');
    } finally {
      await runner.close();
    }
  });

  test('a background task whose supervisor was killed is lost, never running, and its output stays', async () => {
    const mark = makeMark();
    const task = background();
    const runner = new KeeperRunner(keeper);
    const handle = runner.start(request('echo so far; double-fork stay', { env: mark.env, ...task }));
    const { supervisorPid } = await handle.started;
    expect(await until(() => mark.count() === 3 && statSync(task.spool.path).size === 15, 15_000)).toBe(true);
    expect(readRecord(task.record.path).state).toBe('running');
    process.kill(supervisorPid as number, 'SIGKILL');
    await expect(handle.done).rejects.toMatchObject({ code: 'runner-lost' });
    // Its descriptors are closed, which we heard, a moment before it is gone.
    expect(await until(() => readRecord(task.record.path).state !== 'running', 15_000)).toBe(true);
    expect(readRecord(task.record.path)).toMatchObject({ state: 'lost', exitCode: null });
    const output = await openSpool(task.spool.path);
    expect(String(await output.read(0, output.totalBytes))).toBe('so far\nstarted\n');
    expect(await mark.untilGone(15_000)).toBe(0);
    await runner.close();
  });

  test('a task of another boot, or with a reused pid, is lost', () => {
    const path = join(folder, 'old.json');
    const record = {
      state: 'running',
      pid: 1,
      pgid: 1,
      supervisor: process.pid,
      supervisorStart: 1,
      bootId: 'x',
      startedAt: 1,
    };
    const bootId = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    for (const each of [record, { ...record, bootId }, { ...record, bootId, supervisor: 1 << 22 }]) {
      writeFileSync(path, JSON.stringify(each));
      expect(readRecord(path).state).toBe('lost');
      expect(stopTask(readRecord(path))).toBe(false);
    }
    writeFileSync(path, JSON.stringify(record).slice(0, 30));
    expect(() => readRecord(path)).toThrow(expect.objectContaining({ code: 'no-output' }));
  });

  test('a foreground command that is detached outlives its host', async () => {
    const { background: _, ...task } = background();
    const runner = new KeeperRunner(keeper);
    const handle = runner.start(request('echo one; sleep 0.5; echo two', task));
    handle.done.catch(() => {});
    await handle.started;
    handle.detach();
    expect(await until(() => existsSync(task.record.path), 15_000)).toBe(true);
    await runner.close();
    expect(await until(() => readRecord(task.record.path).state === 'finished', 15_000)).toBe(true);
    expect(readFileSync(task.spool.path, 'utf8')).toMatch(/^one\ntwo\n\[hardshell\] finished: exit code 0 /);
  });

  test('the file of a background task with too much output reads from top to bottom', async () => {
    const task = background();
    const runner = new KeeperRunner(keeper);
    const spool = { ...task.spool, headBytes: 160, tailBytes: 800 };
    const { output } = await runner.start(request('flood-stdout 16000', { ...task, spool, streams: 'split' })).done;
    const line = (i: number) => String(i).padStart(15, '0');
    const kept = [
      ...Array.from({ length: 10 }, (_, i) => line(i)),
      ...Array.from({ length: 50 }, (_, i) => line(950 + i)),
    ];
    const lines = readFileSync(spool.path, 'utf8').split('\n');
    expect(lines.slice(0, 60)).toEqual(kept);
    expect(lines[60]).toMatch(/kept the first 160 and the last 800 of 16000 bytes$/);
    expect((await output.read(0, 16_000)).toString()).toBe(`${kept.join('\n')}\n`);
    expect((await output.read(15_990, 16_000)).toString()).toBe(`${line(999).slice(6)}\n`);
    await runner.close();
  });

  test('a wrapped spool still tells the streams apart after it was put in order', async () => {
    const task = background();
    const runner = new KeeperRunner(keeper);
    const spool = { ...task.spool, headBytes: 80, tailBytes: 400 };
    const { output } = await runner.start(request('alternate 1000', { ...task, spool, streams: 'split' })).done;
    const all = (await output.read(0, output.totalBytes)).length;
    const out = (await output.read(0, output.totalBytes, 'stdout')).toString();
    const err = (await output.read(0, output.totalBytes, 'stderr')).toString();
    expect(all).toBe(480);
    expect(out.length + err.length).toBe(480);
    expect(out.replace(/out \d+\n|^[\w ]*\n|out[ \d]*$/gm, '')).not.toMatch(/err/);
    expect(err).toMatch(/err 999\n$/);
    await runner.close();
  });

  test(
    'a spool or record that was cut off anywhere loses nothing else',
    async () => {
      const runner = new KeeperRunner(keeper);
      const whole = background();
      await runner.start(request('flood-stdout 200000', whole)).done;
      for (let round = 0; round < ROUNDS; round += 1) {
        const task = background();
        await runner.start(request('flood-stdout 200000', task)).done;
        const length = randomInt(200_000);
        truncateSync(task.spool.path, length);
        expect((await (await openSpool(task.spool.path)).read(0, 200_000)).length).toBe(length);
        const map = `${task.spool.path}.map`;
        truncateSync(map, randomInt(statSync(map).size));
        await openSpool(task.spool.path).then(
          async (output) => expect((await output.read(0, 200_000)).length).toBeLessThanOrEqual(length),
          (error) => expect(error).toMatchObject({ code: 'no-output' }),
        );
        expect((await (await openSpool(whole.spool.path)).read(0, 200_000)).length).toBe(200_000);
        expect((await runner.start(request('exit 6')).done).exitCode).toBe(6);
      }
      await runner.close();
    },
    TIMEOUT_MS,
  );

  test('a disk that is full ends the command and nothing else', async () => {
    const wrapper = join(folder, 'small-files');
    // Files of at most 100 KB: the same failing write as on a full disk, without a disk.
    writeFileSync(wrapper, `#!/bin/bash\nulimit -f 100\nexec ${keeper}\n`);
    chmodSync(wrapper, 0o755);
    const runner = new KeeperRunner(wrapper);
    const violations: string[] = [];
    const spool = { path: join(folder, 'full.log') };
    const exit = await runner.start(request('yes', { spool, graceMs: 1000 }), (event) => {
      if (event.type === 'violation') violations.push(event.cause);
    }).done;
    expect(exit).toMatchObject({ cause: 'disk', spoolError: 'EFBIG' });
    expect(violations).toEqual(['disk']);
    expect(statSync(spool.path).size).toBe(102_400);
    expect((await runner.start(request('echo fine')).done).exitCode).toBe(0);
    await runner.close();
  });

  test('a full device is distinguished from other failures', async (context) => {
    const space = join(folder, 'tiny');
    const wrapper = join(folder, 'tiny-disk');
    const setUp = `mkdir -p ${space} && mount -t tmpfs -o size=256k tmpfs ${space}`;
    const probe = spawnSync('unshare', ['-m', 'bash', '-c', setUp]);
    if (probe.status !== 0) return context.skip('a small disk can be mounted only by root');
    // In a private mount namespace: the rest of the machine does not see it.
    writeFileSync(wrapper, `#!/bin/bash\nexec unshare -m bash -c '${setUp} && exec ${keeper}'\n`);
    chmodSync(wrapper, 0o755);
    const runner = new KeeperRunner(wrapper);
    for (const streams of ['merged', 'split'] as const) {
      const spool = { path: join(space, streams) };
      const exit = await runner.start(request('yes', { spool, streams, graceMs: 1000 })).done;
      expect(exit).toMatchObject({ cause: 'disk', spoolError: 'ENOSPC' });
    }
    const small = { path: join(space, 'ring'), headBytes: 0, tailBytes: 1 << 20 };
    const exit = await runner.start(request('yes', { spool: small, graceMs: 1000 })).done;
    expect(exit).toMatchObject({ cause: 'disk', spoolError: 'ENOSPC' });
    expect((await runner.start(request('echo fine')).done).exitCode).toBe(0);
    await runner.close();
  });

  test('closing the runner ends its commands and its keeper', async () => {
    const mark = makeMark();
    const runner = new KeeperRunner(keeper);
    const { pid } = await runner.warmUp();
    const handle = runner.start(request('sleep-with-children', { env: mark.env }));
    handle.done.catch(() => {});
    await handle.started;
    await runner.close();
    expect(existsSync(`/proc/${pid}`)).toBe(false);
    expect(await mark.untilGone(15_000)).toBe(0);
    await pause(10);
  });
});
