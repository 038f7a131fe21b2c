// Endings that are rare with real commands: simulated by a fake runner.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DEFAULT_POLICY } from '../core/default-policy.ts';
import { HardshellError } from '../core/errors.ts';
import { MemoryOutput } from '../run/output.ts';
import type { RunEvent, RunExit, Runner } from '../run/port.ts';
import { createShell } from './shell.ts';

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'hardshell-failures-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const EXIT: RunExit = {
  exitCode: null,
  signal: 15,
  cause: 'none',
  wallMs: 5,
  userMs: 1,
  systemMs: 1,
  peakMemoryBytes: 4096,
  memoryMeasure: 'largest-process',
  readBytes: 0,
  writeBytes: 0,
  startedProcesses: null,
  peakProcesses: null,
  uncheckedMs: 0,
  leftoversKilled: 2,
  hasLeftovers: false,
  output: new MemoryOutput(10).finish(0, 0),
  spoolError: null,
};

function runnerThat(exit: Partial<RunExit> | Error, event?: RunEvent): Runner {
  return {
    start(_, listener) {
      if (event !== undefined) listener?.(event);
      const done = exit instanceof Error ? Promise.reject(exit) : Promise.resolve({ ...EXIT, ...exit });
      const started = Promise.resolve({
        pid: 7,
        firstPid: 7,
        supervisorPid: null,
        startedAtMs: 1,
        cgroup: [],
        hasProcessLimit: false,
      });
      const nothing = () => {};
      return {
        started,
        done,
        kill: nothing,
        signal: nothing,
        write: async () => false,
        endInput: nothing,
        detach: nothing,
        noteProxy: nothing,
        peek: async () => EXIT.output,
      };
    },
    guarantees: async () => [],
    close: async () => {},
  };
}

async function run(runner: Runner, limits = {}) {
  const shell = createShell({ runner, tasksFolder: join(folder, 'tasks') });
  try {
    return await shell.run('ls', { cwd: folder, policy: DEFAULT_POLICY, limits, sandbox: { name: 'unrestricted' } });
  } finally {
    await shell.close();
  }
}

describe('an ending', () => {
  test.each<[string, Partial<RunExit>, object]>([
    ['by a full disk', { cause: 'disk', spoolError: 'ENOSPC' }, { status: 'failed', failure: { type: 'io_error' } }],
    ['with a full disk', { exitCode: 0, signal: null, spoolError: 'ENOSPC' }, { status: 'exited', isError: true }],
    ['from outside', { cause: 'stopped' }, { status: 'cancelled', failure: { type: 'process_terminated' } }],
    ['of the host', { cause: 'host-gone' }, { status: 'failed', failure: { type: 'system_error' } }],
    ['by itself', {}, { status: 'signalled', signal: 'SIGTERM', failure: null, leftoversKilled: 2, pid: 7 }],
    ['by the time', { cause: 'timeout' }, { status: 'timed-out', failure: { type: 'execution_timeout' } }],
  ])('%s', async (_, exit, expected) => {
    expect(await run(runnerThat(exit))).toMatchObject(expected);
  });

  test('processes that could not be ended are named', async () => {
    const unended = { count: 1, pids: [4711] };
    expect(await run(runnerThat({ cause: 'timeout', signal: 9, unended }))).toMatchObject({
      status: 'timed-out',
      exitCode: null,
      meaning: expect.stringMatching(/timeout.* 1 process could not be ended: 4711\.$/),
    });
    expect(await run(runnerThat({ exitCode: 0, signal: null, unended }))).toMatchObject({
      status: 'exited',
      isError: true,
      meaning: '1 process could not be ended: 4711.',
    });
  });

  test('the message names the full disk', async () => {
    const { failure } = await run(runnerThat({ cause: 'disk', spoolError: 'ENOSPC' }));
    expect(failure?.message).toMatch(/^The output could not be kept in .*\.out: the disk is full\.$/);
  });

  test('a limit is reported with its numbers', async () => {
    const violation: RunEvent = { type: 'violation', cause: 'memory-limit', limit: 1000, seen: 1500 };
    const result = await run(runnerThat({ cause: 'memory-limit', signal: 9 }, violation), { memoryBytes: 1000 });
    expect(result).toMatchObject({ status: 'limited', meaning: expect.stringMatching(/more memory than allowed/) });
    expect(result.failure?.message).toBe(
      'The command used more memory than allowed: 1.5 KB, with a limit of 1000 bytes (limits.memoryBytes).',
    );
  });

  test('the limit of the kernel is one of processes and threads', async () => {
    const violation: RunEvent = { type: 'violation', cause: 'process-limit', limit: 320, seen: 321 };
    const { failure } = await run(runnerThat({ cause: 'process-limit', signal: 9 }, violation), { processes: 5 });
    expect(failure?.message).toBe(
      'The command used more processes and threads than allowed: 321, with a limit of 320 (limits.processes).',
    );
  });

  test('processor time is that of the whole run', async () => {
    const time: RunEvent = { type: 'violation', cause: 'cpu-time-limit', limit: 1, seen: 2 };
    const spent = await run(runnerThat({ cause: 'cpu-time-limit', userMs: 2700, systemMs: 140 }, time), {
      cpuSeconds: 1,
    });
    expect(spent.failure?.message).toContain(
      'processor time than allowed: 2.8 s, with a limit of 1 s (limits.cpuSeconds)',
    );
  });
});

test('a command that ended by itself after a refused fork keeps its status', async () => {
  const violation: RunEvent = { type: 'violation', cause: 'process-limit', limit: 320, seen: 321 };
  const result = await run(runnerThat({ cause: 'none', exitCode: 0, signal: null }, violation), { processes: 5 });
  expect(result).toMatchObject({
    status: 'exited',
    exitCode: 0,
    failure: null,
    isError: false,
    meaning: expect.stringContaining('The kernel refused more than 320 processes and threads (limits.processes).'),
  });
});

describe('a runner that fails', () => {
  test('for want of memory: the limit is named', async () => {
    const error = new HardshellError('cannot-start', 'cannot start bash: ENOBUFS');
    const { failure } = await run(runnerThat(error), { memoryBytes: 20_480 });
    expect(failure).toMatchObject({
      type: 'insufficient_resources',
      message: 'The command could not start with 20 KB of memory (limits.memoryBytes).',
    });
  });

  test.each<[string, Error, string]>([
    ['lost', new HardshellError('runner-lost', 'the keeper ended'), 'system_error'],
    ['no room', new HardshellError('cannot-start', 'cannot start bash: EAGAIN'), 'insufficient_resources'],
    ['no sandbox', new HardshellError('no-sandbox', 'No sandbox on this machine: x.'), 'sandbox_creation_failed'],
    ['no shell', new HardshellError('missing-dependency', 'No zsh was found.'), 'missing_dependencies'],
    ['no start', new HardshellError('cannot-start', 'cannot start bash: ELOOP'), 'environment_setup_failed'],
    ['something else', new TypeError('of ours'), 'system_error'],
  ])('%s', async (_, error, type) => {
    expect(await run(runnerThat(error))).toMatchObject({ status: 'failed', isError: true, failure: { type } });
  });

  test('an impossible request is thrown', async () => {
    const error = new HardshellError('too-long', 'longer than 4 MB');
    await expect(run(runnerThat(error))).rejects.toBe(error);
  });
});
