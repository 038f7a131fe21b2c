// A keeper or a supervisor that is killed, stopped or blocked, as the caller of `hardshell run` meets it: the true result,
// or a reported failure; never a false success, and never an endless wait.
// HARDSHELL_STRESS=N repeats the random kills N times.

import { execFileSync, spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { KeeperConnection } from '../../src/run/keeper/connection.ts';
import { listChildren, readStatus, sendSignal } from '../../src/run/keeper/processes.ts';
import { KeeperRunner } from '../../src/run/keeper/runner.ts';
import { readRecord } from '../../src/run/record.ts';
import { BIN, createPlace, type Place, runCli } from '../approving/process.ts';
import { keeperUnderTest } from '../contract/keeper-under-test.ts';
import { makeMark, pause, until } from '../contract/marks.ts';

const ROUNDS = Number(process.env.HARDSHELL_STRESS ?? 2);
const COMMAND = 'echo begin; sleep 0.5; echo end';
const FORMS = { plain: [], json: ['--json'], stream: ['--stream'], background: ['--background'] } as const;
type Form = keyof typeof FORMS;
/** Far more than is promised: a machine with other work is slow, a hang is longer. */
const HANG_MS = 15_000;
/** For a time limit of 1.5 s. */
const START_HANG_MS = 9_000;

let place: Place;
let env: Record<string, string>;
beforeEach(() => {
  place = createPlace();
  for (const name of ['home', 'work']) mkdirSync(join(place.folder, name));
  env = { ...place.env, HOME: join(place.folder, 'home'), HARDSHELL_STATE_DIR: join(place.folder, 'state') };
});
afterEach(() => place.remove());

function startRun(args: readonly string[], options: readonly string[] = []) {
  const cwd = join(place.folder, 'work');
  const argv = [...options, BIN, 'run', '--yes', '--cwd', cwd, ...args];
  const child = spawn(process.execPath, argv, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  const text = { stdout: '', stderr: '' };
  child.stdout.on('data', (chunk) => (text.stdout += chunk));
  child.stderr.on('data', (chunk) => (text.stderr += chunk));
  const ended = new Promise<{ status: number | null; stdout: string; stderr: string }>((resolve) => {
    child.on('close', (status) => resolve({ status, ...text }));
  });
  return { pid: child.pid ?? 0, text, ended };
}

function processesOf(pid: number): { keepers: number[]; supervisors: number[] } {
  const keepers = listChildren(pid);
  return { keepers, supervisors: keepers.flatMap(listChildren) };
}

/** Whether the report is either the whole truth or a failure. */
function isHonest(form: Form, { status, stdout, stderr }: { status: number | null; stdout: string; stderr: string }) {
  if (form === 'plain') {
    if (status === 0) return stdout === 'begin\nend\n';
    return status === 125 && /^hardshell: \S/.test(stderr);
  }
  if (form === 'background') return status === 0 ? /bash-\w+/.test(stdout) : status === 125 && stderr !== '';
  const last = JSON.parse(stdout.trim().split('\n').at(-1) ?? '');
  const result = last.result ?? last;
  if (status === 0) return result.status === 'exited' && result.output === 'begin\nend\n';
  return status === 125 && result.status === 'failed' && result.failure.message !== '';
}

describe.skipIf(!keeperUnderTest.isAvailable)('hardshell processes that are killed', () => {
  const victims = ['keeper', 'supervisor', 'both'] as const;
  test.each(victims)(
    '%s, at any moment: the result is true, or the failure is reported',
    async (victim) => {
      for (let round = 0; round < ROUNDS; round += 1) {
        const one = async (form: Form) => {
          const run = startRun([...FORMS[form], COMMAND]);
          await until(() => processesOf(run.pid).supervisors.length > 0, 10_000);
          await pause(randomInt(700));
          const { keepers, supervisors } = processesOf(run.pid);
          if (victim !== 'keeper') for (const pid of supervisors) sendSignal(pid, 'SIGKILL');
          if (victim !== 'supervisor') for (const pid of keepers) sendSignal(pid, 'SIGKILL');
          const end = await run.ended;
          expect({ form, end, isHonest: isHonest(form, end) }).toMatchObject({ isHonest: true });
        };
        await Promise.all((Object.keys(FORMS) as Form[]).map(one));
      }
    },
    30_000 + ROUNDS * 10_000,
  );

  /** Everything below the host: the keeper, supervisors, worlds, inits, the command. */
  function treeOf(pid: number): number[] {
    const children = listChildren(pid);
    return [...children, ...children.flatMap(treeOf)];
  }

  test(
    'any one process, killed or stopped at any moment: an answer comes in time, and no cut output is a success',
    async () => {
      for (let round = 0; round < 2 * ROUNDS; round += 1) {
        const one = async (signal: NodeJS.Signals) => {
          const run = startRun(['--json', '--timeout', '2', COMMAND]);
          await until(() => treeOf(run.pid).length > 1, 10_000);
          await pause(randomInt(700));
          const tree = treeOf(run.pid);
          const victim = tree[randomInt(Math.max(1, tree.length))];
          const name = victim === undefined ? '' : readStatus(victim)?.name;
          if (victim !== undefined) sendSignal(victim, signal);
          const end = await Promise.race([run.ended, pause(HANG_MS).then(() => null)]);
          if (victim !== undefined) sendSignal(victim, 'SIGCONT');
          if (end === null) sendSignal(run.pid, 'SIGKILL');
          const { status, stdout } = JSON.parse(end?.stdout.trim().split('\n').at(-1) ?? '{}');
          // On stderr the shell itself reports a program that was killed.
          const isCut = end?.status === 0 && (status !== 'exited' || stdout !== 'begin\nend\n');
          expect({ name, signal, hangs: end === null, isCut, end }).toMatchObject({ hangs: false, isCut: false });
          const left = tree.filter((pid) => !/^[ZX]?$/.test(readStatus(pid)?.state ?? ''));
          expect(await until(() => left.every((pid) => /^[ZX]?$/.test(readStatus(pid)?.state ?? '')), 15_000)).toBe(
            true,
          );
        };
        await Promise.all([one('SIGKILL'), one('SIGSTOP')]);
      }
    },
    30_000 + ROUNDS * 40_000,
  );

  test('supervisor: what the command has left by then, and would run outside, is removed nevertheless', async () => {
    const work = join(place.folder, 'work');
    const left = ['d/sub/.git/config', 'd/e/.vscode', '.mcp.json'].map((name) => join(work, name));
    writeFileSync(
      join(work, 'evil.sh'),
      `git init -q d/sub; git -C d/sub config core.fsmonitor 'touch x'; mkdir -p d/e/.vscode; echo x > d/e/.vscode/tasks.json
touch begun; echo x > .mcp.json; sleep 60`,
    );
    const run = startRun(['--json', 'sh evil.sh']);
    expect(await until(() => existsSync(join(work, 'begun')) && left.slice(0, 2).every(existsSync), 15_000)).toBe(true);
    for (const pid of processesOf(run.pid).supervisors) sendSignal(pid, 'SIGKILL');
    expect((await run.ended).status).toBe(125);
    expect(await until(() => !left.some(existsSync), 10_000)).toBe(true);
  }, 60_000);

  test('keeper: what the command has written until then is in the result, and a long output is named', async () => {
    const short = startRun(['--json', 'echo begin; touch short; sleep 60']);
    const long = startRun(['--json', 'seq 40000; touch long; sleep 60']);
    const plain = startRun(['seq 40000; touch plain; sleep 60']);
    const isThere = (name: string) => existsSync(join(place.folder, 'work', name));
    expect(await until(() => ['short', 'long', 'plain'].every(isThere), 30_000)).toBe(true);
    // What was written is read at once, but not by the command.
    await pause(1000);
    for (const run of [short, long, plain]) for (const pid of processesOf(run.pid).keepers) sendSignal(pid, 'SIGKILL');
    const ends = await Promise.all([short, long, plain].map((run) => run.ended));
    expect(ends.map(({ status }) => status)).toEqual([125, 125, 125]);
    expect(JSON.parse(ends[0]?.stdout ?? '')).toMatchObject({ status: 'failed', output: 'begin\n', outputBytes: 6 });
    const { outputFile, output } = JSON.parse(ends[1]?.stdout ?? '');
    // The view of long outputs: what it is, and the beginning.
    expect(output).toMatch(/^The output is .*\n(?:.*\n)*1\n2\n3\n/);
    expect(readFileSync(outputFile, 'utf8')).toMatch(/^1\n2\n3\n/);
    const [, file] = /^hardshell: The result of the command is not known: .*\n.*\n {2}Its output so far: (.*)\n$/.exec(
      ends[2]?.stderr ?? '',
    ) ?? [null, ''];
    expect(existsSync(file ?? '')).toBe(true);
  }, 60_000);
});

// Holds processes as a debugger does: SIGCONT does not help them. Says "held" when all of them are.
const HOLDER = `
#include <stdio.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <unistd.h>
int main(int argc, char **argv) {
  for (int i = 1; i < argc; i++) {
    int pid = atoi(argv[i]);
    if (ptrace(PTRACE_SEIZE, pid, 0, 0) < 0 || ptrace(PTRACE_INTERRUPT, pid, 0, 0) < 0) return 1;
  }
  puts("held");
  fflush(stdout);
  sleep(60);
}`;

describe.skipIf(!keeperUnderTest.isAvailable)('hardshell processes that are stopped', () => {
  // Before anything that has a time limit: a compiler takes long on a busy machine.
  const folder = mkdtempSync(join(tmpdir(), 'hs-holder-'));
  const holderProgram = join(folder, 'holder');
  beforeAll(() => void execFileSync('cc', ['-x', 'c', '-o', holderProgram, '-'], { input: HOLDER }));
  afterAll(() => rmSync(folder, { recursive: true }));

  async function runStopped(victim: 'keeper' | 'supervisor', stop: (pids: number[]) => Promise<() => void>) {
    const run = startRun(['--json', '--timeout', '3', 'echo begin; touch begun; sleep 60; echo end']);
    expect(await until(() => existsSync(join(place.folder, 'work/begun')), 15_000)).toBe(true);
    const { keepers, supervisors } = processesOf(run.pid);
    const release = await stop(victim === 'keeper' ? keepers : supervisors);
    const end = await Promise.race([run.ended, pause(HANG_MS).then(() => null)]);
    release();
    for (const pid of [...keepers, ...supervisors]) if (end === null) sendSignal(pid, 'SIGKILL');
    return end;
  }

  const bySignal = async (pids: number[]) => {
    for (const pid of pids) sendSignal(pid, 'SIGSTOP');
    return () => {};
  };

  async function byDebugger(pids: number[]): Promise<() => void> {
    const holder = spawn(holderProgram, pids.map(String), { stdio: ['ignore', 'pipe', 'inherit'] });
    const [said] = await Promise.race([once(holder.stdout, 'data'), once(holder, 'exit').then(() => [''])]);
    expect(String(said), 'needs the right to trace').toBe('held\n');
    return () => void holder.kill('SIGKILL');
  }

  /** Stops every process of a kind as soon as it is there, until the run has ended. */
  async function runStoppedFromTheStart(
    victim: 'keeper' | 'supervisor' | 'child' | 'all',
    stop: (pids: number[]) => unknown,
  ) {
    const run = startRun(['--json', '--timeout', '1.5', 'echo begin; sleep 60; echo end']);
    const seen = new Set<number>();
    const stopped = new Set<number>();
    let firstStopAt = 0;
    const timer = setInterval(() => {
      const { keepers: spawned, supervisors } = processesOf(run.pid);
      // Node waits inside spawn() for a child that has not called exec yet: none of our code runs then.
      const keepers = spawned.filter((pid) => readStatus(pid)?.name === 'hs-keeper');
      const children = supervisors.flatMap(listChildren);
      const all = [...keepers, ...supervisors, ...children];
      for (const pid of [...all, ...children.flatMap(listChildren)]) seen.add(pid);
      const victims = { keeper: keepers, supervisor: supervisors, child: children, all }[victim];
      const fresh = victims.filter((pid) => !stopped.has(pid));
      for (const pid of fresh) stopped.add(pid);
      if (fresh.length > 0) stop(fresh);
      if (fresh.length > 0 && firstStopAt === 0) firstStopAt = performance.now();
    }, 1);
    const end = await Promise.race([run.ended, pause(30_000).then(() => null)]);
    const tookMs = performance.now() - firstStopAt;
    clearInterval(timer);
    const isGone = (pid: number) => /^[ZX]?$/.test(readStatus(pid)?.state ?? '');
    const areGone = await until(() => [...seen].every(isGone), 5000);
    for (const pid of [run.pid, ...seen]) if (end === null || !areGone) sendSignal(pid, 'SIGKILL');
    return { end, tookMs, areGone };
  }

  test.each(['keeper', 'supervisor', 'child', 'all'] as const)(
    '%s, from its start: it is continued, and nothing is left',
    async (victim) => {
      const { end, tookMs, areGone } = await runStoppedFromTheStart(victim, bySignal);
      expect([124, 125]).toContain(end?.status);
      expect({ areGone, isQuick: tookMs < START_HANG_MS }).toEqual({ areGone: true, isQuick: true });
    },
    60_000,
  );

  test.each(['keeper', 'supervisor'] as const)('%s: continued when the time limit is over', async (victim) => {
    const end = await runStopped(victim, bySignal);
    expect(end?.status).toBe(124);
    expect(JSON.parse(end?.stdout ?? '')).toMatchObject({ status: 'timed-out', output: 'begin\n' });
  });

  test.each(['wait', 'stop'] as const)(
    'the supervisor of a background task whose host is gone: continued by `tasks %s`',
    async (verb) => {
      const command = verb === 'wait' ? 'echo begin; sleep 1; echo end' : 'echo begin; sleep 60';
      const { task } = JSON.parse((await startRun(['--background', '--json', command]).ended).stdout);
      const path = join(env.HARDSHELL_STATE_DIR ?? '', 'tasks', `${task}.json`);
      const { supervisorPid } = readRecord(path);
      sendSignal(supervisorPid, 'SIGSTOP');
      const { stdout } = await runCli(['tasks', verb, '--json', task], env);
      const isOver = await until(() => readRecord(path).state === 'finished', HANG_MS);
      sendSignal(supervisorPid, 'SIGCONT');
      expect({ isOver, stdout }).toMatchObject({ isOver: true, stdout: expect.stringContaining(task) });
    },
    60_000,
  );

  describe.skipIf(!canTrace())('for good', () => {
    test('a supervisor that does not answer is killed with its command, and that is reported', async () => {
      const end = await runStopped('supervisor', byDebugger);
      expect(end?.status).toBe(125);
      const result = JSON.parse(end?.stdout ?? '');
      expect(result).toMatchObject({ status: 'failed', output: 'begin\n' });
      expect(result.failure.message).toMatch(/its supervisor \(process \d+\) stopped answering and was killed/);
      expect(await until(() => readStatus(result.pid) === null, 15_000)).toBe(true);
    });

    // Not the child: what a debugger holds stays a zombie until the debugger ends, and is waited for until it is given up.
    test.each(['keeper', 'supervisor'] as const)(
      '%s, stopped from its start: the failure is reported, and nothing is left',
      async (victim) => {
        const holders: ReturnType<typeof spawn>[] = [];
        const hold = (pids: number[]) => holders.push(spawn(holderProgram, pids.map(String), { stdio: 'ignore' }));
        const { end, tookMs, areGone } = await runStoppedFromTheStart(victim, hold);
        for (const holder of holders) holder.kill('SIGKILL');
        expect([124, 125]).toContain(end?.status);
        expect({ areGone, isQuick: tookMs < START_HANG_MS }).toEqual({ areGone: true, isQuick: true });
      },
      60_000,
    );

    test('a keeper that does not answer blocks no one', async () => {
      const end = await runStopped('keeper', byDebugger);
      expect([124, 125]).toContain(end?.status);
      expect(JSON.parse(end?.stdout ?? '').status).toMatch(/^(timed-out|failed)$/);
    });
  });
});

/** Others than one's own children: with Yama only root may. */
function canTrace(): boolean {
  if (process.getuid?.() === 0) return true;
  try {
    return readFileSync('/proc/sys/kernel/yama/ptrace_scope', 'utf8').trim() === '0';
  } catch {
    return true;
  }
}

// Node exits with code 0 when nothing keeps it alive. Here everything that would keep it is removed.
test.skipIf(!keeperUnderTest.isAvailable)('an event loop that runs empty is a failure, not a success', async () => {
  const preload = join(place.folder, 'preload.cjs');
  writeFileSync(
    preload,
    `const { setTimeout: wait } = globalThis;
    globalThis.setTimeout = (...args) => wait(...args).unref();
    const childProcess = require('node:child_process');
    const { spawn } = childProcess;
    childProcess.spawn = (...args) => {
      const child = spawn(...args);
      for (const each of [child, ...child.stdio]) {
        if (!each) continue;
        each.unref();
        each.ref = () => each;
        each.on = each.once = () => each;
      }
      return child;
    };
    require('node:module').syncBuiltinESMExports();`,
  );
  const { status, stdout, stderr } = await startRun(['--json', 'echo begin'], ['--require', preload]).ended;
  expect({ status, stderr }).toEqual({ status: 125, stderr: expect.stringMatching(/^hardshell: Internal error: /) });
  expect(JSON.parse(stdout)).toMatchObject({ schemaVersion: 1, error: { code: 'internal' } });
});

test.skipIf(!keeperUnderTest.isAvailable)(
  'keeper and supervisor killed together: nothing of a confined command is left',
  async () => {
    const runner = new KeeperRunner(keeperUnderTest.isAvailable ? keeperUnderTest.path : '');
    const paths = [
      { kind: 'read', path: '/' },
      { kind: 'device', path: '/dev/null' },
    ] as const;
    for (let round = 0; round < ROUNDS; round += 1) {
      const mark = makeMark();
      const handle = runner.start({
        program: 'bash',
        argv: ['bash', '-c', 'for i in 1 2 3; do sleep 60 & (sleep 60 & sleep 60) & done; wait'],
        cwd: '/',
        env: { ...mark.env, PATH: process.env.PATH ?? '' },
        confinement: { tier: 'landlock', paths, reads: 'listed', network: 'none', unixSockets: 'pairs', optional: [] },
      });
      const { supervisorPid } = await handle.started;
      const { pid } = await runner.warmUp();
      expect(await until(() => mark.count() >= 10, 15_000)).toBe(true);
      sendSignal(pid, 'SIGKILL');
      sendSignal(supervisorPid ?? 0, 'SIGKILL');
      await expect(handle.done).rejects.toMatchObject({ code: 'runner-lost' });
      expect(await mark.untilGone(15_000)).toBe(0);
    }
    await runner.close();
  },
);

test.skipIf(!keeperUnderTest.isAvailable)(
  'the first process of a sandbox, killed: a failure of hardshell, not the end of the command',
  async () => {
    const run = startRun(['--json', 'echo begin; touch begun; sleep 60']);
    expect(await until(() => existsSync(join(place.folder, 'work/begun')), 30_000)).toBe(true);
    const inits = processesOf(run.pid)
      .supervisors.flatMap(listChildren)
      .filter((pid) => readStatus(pid)?.name === 'hs-keeper');
    if (inits.length === 0) return sendSignal(run.pid, 'SIGKILL');
    for (const pid of inits) sendSignal(pid, 'SIGKILL');
    const { status, stdout } = await run.ended;
    expect(status).toBe(125);
    const result = JSON.parse(stdout);
    expect(result).toMatchObject({ status: 'failed', output: 'begin\n' });
    expect(result.failure.message).toMatch(/the first process of the sandbox was killed/);
    // The supervisor has looked at what is left.
    expect(result.enforcement.missing.map(({ why }: { why: string }) => why).join()).not.toMatch(
      /the search for new repositories/,
    );
  },
  60_000,
);

test.skipIf(!keeperUnderTest.isAvailable).each(['keeper', 'supervisor', 'both'] as const)(
  '%s killed: the result says whether anything was searched for what the command left',
  async (victim) => {
    const run = startRun(['--json', 'echo begin; touch begun; sleep 60']);
    expect(await until(() => existsSync(join(place.folder, 'work/begun')), 30_000)).toBe(true);
    const { keepers, supervisors } = processesOf(run.pid);
    if (victim !== 'keeper') for (const pid of supervisors) sendSignal(pid, 'SIGKILL');
    if (victim !== 'supervisor') for (const pid of keepers) sendSignal(pid, 'SIGKILL');
    const { stdout } = await run.ended;
    const { status, enforcement } = JSON.parse(stdout);
    expect([status, enforcement.held.includes('protected-absent')]).toEqual(['failed', false]);
    expect(enforcement.missing.map(({ why }: { why: string }) => why).join('\n')).toMatch(
      /the search for new repositories and settings stopped at .*work: the searching process was killed/,
    );
  },
  60_000,
);

test('a keeper that never says a word, as one that is stopped at its start, is given up', async () => {
  const silent = join(place.folder, 'silent');
  writeFileSync(silent, '#!/bin/sh\nexec sleep 120\n', { mode: 0o755 });
  const connection = new KeeperConnection(silent, { stderr: 'ignore', pool: 0 });
  await expect(connection.hello).rejects.toThrow('the keeper did not start');
  expect(connection.isLost).toBe(true);
  const isGone = () => connection.pid === undefined || ['Z', undefined].includes(readStatus(connection.pid)?.state);
  expect(await until(isGone, HANG_MS)).toBe(true);
});
