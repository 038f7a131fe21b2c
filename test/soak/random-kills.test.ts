// Random processes of hardshell and its commands are killed, ended or stopped at random moments: host, keeper, supervisor,
// first processes, rooms, worlds, proxies, the command itself. Nothing hangs or stays, no output is lost, the result is
// true, and the next command works. HARDSHELL_STRESS=N: N rounds; HARDSHELL_SEED=N: the same choices as in a run before.

import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { listChildren, readStatus, sendSignal } from '../../src/run/keeper/processes.ts';
import { BIN } from '../approving/process.ts';
import { keeperUnderTest } from '../contract/keeper-under-test.ts';
import { pause, until } from '../contract/marks.ts';
import { Random } from '../fuzz/generate/random.js';

const ROUNDS = Number(process.env.HARDSHELL_STRESS ?? 6);
const SEED = Number(process.env.HARDSHELL_SEED ?? Date.now() % 1_000_000);
/** At the same time; each with its own project, home and session. */
const BACKENDS = ['auto', 'auto', 'landlock'] as const;
/** Far more than is promised: a machine with other work is slow, a hang is longer. */
const HANG_MS = 40_000;
const GONE_MS = 60_000;
/** What has been printed for this long must be in the result. */
const PRINTED_MS = 1500;
const FORMS = ['foreground', 'background', 'input'] as const;
const SIGNALS = ['SIGKILL', 'SIGKILL', 'SIGSTOP', 'SIGSTOP', 'SIGTERM'] as const;

/** Adopts whatever its program leaves behind, so that everything is found below it; ends with the last process. */
const ADOPTER = `
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
int main(int argc, char **argv) {
  (void)argc;
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  if (fork() == 0) return execv(argv[1], argv + 1);
  for (int fd = 0; fd < 3; fd++) close(fd);
  while (wait(NULL) > 0) {}
}`;

let base = '';
const lanes: Lane[] = [];
beforeAll(() => {
  base = mkdtempSync(join(tmpdir(), 'hs-kills-'));
  execFileSync('cc', ['-x', 'c', '-o', join(base, 'adopter'), '-'], { input: ADOPTER });
});
afterAll(() => {
  for (const lane of lanes) for (const pid of lane.processes()) sendSignal(pid, 'SIGKILL');
  rmSync(base, { recursive: true, force: true, maxRetries: 5 });
});

interface Said {
  stdout: string;
  stderr: string;
}

class Lane {
  readonly backend: string;
  readonly work: string;
  readonly #env: Record<string, string>;
  readonly #adopters = new Set<number>();

  constructor(name: string, backend: string) {
    this.backend = backend;
    const folder = join(base, name);
    this.work = join(folder, 'work');
    for (const each of ['work', 'home/.config/hardshell', 'tmp']) mkdirSync(join(folder, each), { recursive: true });
    writeFileSync(join(folder, 'home/.config/hardshell/settings.json'), JSON.stringify({ sandbox: { backend } }));
    this.#env = {
      PATH: process.env.PATH ?? '',
      HOME: join(folder, 'home'),
      TMPDIR: join(folder, 'tmp'),
      HARDSHELL_RUNTIME_DIR: join(folder, 'run'),
      HARDSHELL_STATE_DIR: join(folder, 'state'),
    };
  }

  start(args: readonly string[], input: string | null = null) {
    const child = spawn(join(base, 'adopter'), [process.execPath, BIN, ...args], {
      cwd: this.work,
      env: this.#env,
      stdio: [input === null ? 'ignore' : 'pipe', 'pipe', 'pipe'],
    });
    const adopter = child.pid ?? 0;
    this.#adopters.add(adopter);
    // Another process may get its number, and must not be struck.
    child.once('exit', () => this.#adopters.delete(adopter));
    const text: Said = { stdout: '', stderr: '' };
    child.stdout?.on('data', (chunk) => (text.stdout += chunk));
    child.stderr?.on('data', (chunk) => (text.stderr += chunk));
    child.stdin?.on('error', () => {});
    child.stdin?.end(input);
    const isOpen = { stdout: true, stderr: true };
    // The adopter lives longer than the program: its end is that of both streams.
    const ended = new Promise<Said>((resolve) => {
      for (const name of ['stdout', 'stderr'] as const)
        child[name]?.once('end', () => {
          isOpen[name] = false;
          if (!isOpen.stdout && !isOpen.stderr) resolve(text);
        });
    });
    return { ended };
  }

  /** All that lives, without the adopters. */
  processes(): number[] {
    const below = (pid: number): number[] => listChildren(pid).flatMap((child) => [child, ...below(child)]);
    return [...this.#adopters].flatMap(below).filter(isAlive);
  }

  describe(): string {
    return this.processes().map(kindOf).join(', ');
  }
}

function isAlive(pid: number): boolean {
  return !/^[ZX]?$/.test(readStatus(pid)?.state ?? '');
}

function isProgram(pid: number, name: string): boolean {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'latin1').includes(name);
  } catch {
    return false;
  }
}

/** Processes of hardshell keep the name of the keeper until they have another task. */
function kindOf(pid: number): string {
  if (isProgram(pid, 'background-proxy')) return 'proxy';
  if (isProgram(pid, BIN)) return 'host';
  const name = readStatus(pid)?.name ?? '';
  if (name !== 'hs-keeper') return name.startsWith('hs-') ? name : 'command';
  const parent = readStatus(pid)?.parent ?? 0;
  if (readStatus(parent)?.name !== 'hs-keeper') return 'keeper';
  return readStatus(readStatus(parent)?.parent ?? 0)?.name === 'hs-keeper' ? 'init' : 'supervisor';
}

function choose(random: Random, pids: readonly number[]): { pid: number; kind: string } | null {
  const kinds = new Map<string, number[]>();
  for (const pid of pids) kinds.set(kindOf(pid), [...(kinds.get(kindOf(pid)) ?? []), pid]);
  if (kinds.size === 0) return null;
  const kind = random.pick([...kinds.keys()].sort());
  const found = kinds.get(kind) ?? [];
  return found.length === 0 ? null : { kind, pid: random.pick(found) };
}

async function inTime<T>(work: Promise<T>): Promise<T | null> {
  return Promise.race([work, pause(HANG_MS).then(() => null)]);
}

const parse = (text: string) => {
  try {
    return JSON.parse(text.trim().split('\n').at(-1) ?? '');
  } catch {
    return null;
  }
};

interface Strike {
  readonly pid: number;
  readonly kind: string;
  readonly signal: NodeJS.Signals;
}

/** One command and what happens to it. Returns what is wrong, or null. */
async function playRound(lane: Lane, random: Random, round: number): Promise<string | null> {
  const form = random.pick(FORMS);
  const middle = form === 'input' ? 'cat' : 'curl -s -m 5 -o /dev/null -w "%{http_code}\\n" http://not-allowed.test/';
  const command = `echo begin; touch begun-${round}; sleep 0.${random.int(9)}; ${middle}; sleep 1.${random.int(9)}; echo end`;
  const options = ['--yes', '--json', '--timeout', '8', ...(form === 'background' ? ['--background'] : [])];
  const { ended } = lane.start(['run', ...options, command], form === 'input' ? 'given\n' : null);
  const hasBegun = () => existsSync(join(lane.work, `begun-${round}`));
  const waitsForStart = random.chance(0.7);
  await until(() => (waitsForStart ? hasBegun() : lane.processes().length > 2), 10_000);
  const begunAt = hasBegun() ? Date.now() : Number.POSITIVE_INFINITY;
  await pause(random.int(2500));

  const seen = new Map<number, string | undefined>();
  const strikes: Strike[] = [];
  for (let count = random.chance(0.2) ? 2 : 1; count > 0; count -= 1) {
    const now = lane.processes();
    for (const pid of now) seen.set(pid, readStatus(pid)?.start);
    const victim = choose(random, now);
    if (victim === null) continue;
    strikes.push({ ...victim, signal: random.pick(SIGNALS) });
    sendSignal(victim.pid, strikes.at(-1)?.signal ?? 'SIGKILL');
  }
  const isPrinted = Date.now() - begunAt > PRINTED_MS;
  const hosts = strikes.filter(({ kind }) => kind === 'host');
  // No one can answer for a program that is stopped.
  setTimeout(() => hosts.forEach(({ pid }) => void sendSignal(pid, 'SIGCONT')), random.int(3000));
  const problem =
    (await judgeEnd(lane, ended, {
      isHostGone: hosts.some(({ signal }) => signal !== 'SIGSTOP'),
      isTouched: strikes.some(({ kind }) => kind === 'command'),
      isPrinted,
    })) ?? (await judgeAfterwards(lane, strikes, seen));
  for (const { pid } of strikes) sendSignal(pid, 'SIGCONT');
  const told = strikes.map(({ kind, signal }) => `${kind} ${signal}`).join(', ');
  return problem === null ? null : `round ${round} of seed ${SEED}, ${lane.backend}, ${form}, ${told}: ${problem}`;
}

interface Circumstances {
  isHostGone: boolean;
  /** A process of the command itself was struck. */
  isTouched: boolean;
  isPrinted: boolean;
}

async function judgeEnd(lane: Lane, ended: Promise<Said>, how: Circumstances): Promise<string | null> {
  const end = await inTime(ended);
  if (end === null) return `hangs, with ${lane.describe()}`;
  if (how.isHostGone) return null;
  let report = parse(end.stdout);
  let output = String(report?.stdout ?? report?.output ?? '');
  if (report?.status === 'running') {
    const waited = await inTime(lane.start(['tasks', 'wait', '--json', report.task]).ended);
    if (waited === null) return `the task never ends, with ${lane.describe()}`;
    output = (await inTime(lane.start(['tasks', 'logs', report.task]).ended))?.stdout ?? '';
    report = parse(waited.stdout)?.task ?? null;
  }
  if (report === null) return `no report: ${JSON.stringify(end).slice(0, 1500)}`;
  const told = JSON.stringify({ output, status: report.status, failure: report.failure, notes: report.notes });
  // Of a command whose own programs are killed, the shell reports that in between.
  const isWhole = (how.isTouched ? /^begin\n[\s\S]*end\n$/ : /^begin\n(\d{3}|given)\nend\n$/).test(output);
  if (report.status === 'exited' && report.exitCode === 0 && !isWhole) return `a success with cut output: ${told}`;
  return how.isPrinted && !output.startsWith('begin\n') ? `lost output: ${told}` : null;
}

async function judgeAfterwards(
  lane: Lane,
  strikes: readonly Strike[],
  seen: ReadonlyMap<number, string | undefined>,
): Promise<string | null> {
  // With those that are stopped still in the way.
  const next = await inTime(lane.start(['run', '--yes', '--json', '--timeout', '20', 'echo next']).ended);
  const report = parse(next?.stdout ?? '');
  if (report?.status !== 'exited' || report.output !== 'next\n')
    return `the next command fails, with ${lane.describe()}: ${JSON.stringify(next).slice(0, 1500)}`;
  for (const { pid } of strikes) sendSignal(pid, 'SIGCONT');
  const stays = () =>
    [...seen].filter(([pid, start]) => isAlive(pid) && readStatus(pid)?.start === start && !isSpare(pid));
  if (await until(() => stays().length === 0, GONE_MS)) return null;
  return `processes stay: ${stays().map(([pid]) => kindOf(pid))}`;
}

/** A world or a room, which stay for a while, or what waits in them for the next command. */
function isSpare(pid: number): boolean {
  return (
    /^hs-(room|world)$/.test(kindOf(pid)) ||
    isProgram(pid, 'a shell that waits') ||
    readStatus(readStatus(pid)?.parent ?? 0)?.name === 'hs-room'
  );
}

test.runIf(process.platform === 'linux' && keeperUnderTest.isAvailable)(
  `random processes that are killed, ended or stopped (seed ${SEED})`,
  { timeout: 120_000 + ROUNDS * 60_000 },
  async () => {
    const problems: string[] = [];
    let next = 0;
    const playLane = async (backend: string, index: number) => {
      const lane = new Lane(`lane-${index}`, backend);
      lanes.push(lane);
      const first = parse((await lane.start(['run', '--yes', '--json', 'echo first']).ended).stdout);
      // A kernel without Landlock.
      if (backend === 'landlock' && first?.status !== 'exited') return;
      while (next < ROUNDS) {
        const round = next;
        next += 1;
        const problem = await playRound(lane, new Random(SEED + round), round);
        if (problem === null) continue;
        problems.push(problem);
        if (ROUNDS > 20) process.stderr.write(`${problem}\n`);
      }
      const isEmpty = await until(() => lane.processes().length === 0, GONE_MS);
      if (!isEmpty) problems.push(`left at the end: ${lane.describe()}`);
    };
    await Promise.all(BACKENDS.map(playLane));
    expect(problems).toEqual([]);
  },
);
