// System calls of one `run('true')` in the workspace sandbox, after a warm-up: a hundred needless ones cost more than the
// command. The bounds are about 1.3 times what is needed; what is counted is printed when one is exceeded.

import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, test } from 'vitest';

const RUNS = 10;
const MAX_HOST = 235;
const MAX_KEEPER = 600;

const RUNNING = fileURLToPath(new URL('./counted-runs.js', import.meta.url));
const base = realpathSync(mkdtempSync(join(tmpdir(), 'hardshell-counted-')));
afterAll(() => rmSync(base, { recursive: true, force: true }));
const [cwd, home, traces] = ['work', 'home', 'traces'].map((name) => join(base, name)) as [string, string, string];
for (const folder of [cwd, home, traces]) mkdirSync(folder);
const env = { PATH: process.env.PATH, HOME: home };

/** Of the engine's memory and threads: they depend on the garbage collector. */
const ENGINE = new Set(['futex', 'madvise', 'mprotect', 'mmap', 'munmap', 'brk', 'getpid', 'sched_yield']);
const CALL = /^(\d+\.\d+) (\w+)\(/;

interface Call {
  readonly atMs: number;
  readonly name: string;
}

/** The calls of one process, up to the start of the shell. */
function callsIn(trace: string): Call[] {
  const lines = trace.split('\n');
  const shell = lines.findIndex((line) => /execve\("[^"]*bash"/.test(line));
  return lines.slice(0, shell === -1 ? lines.length : shell).flatMap((line) => {
    const [, at, name] = CALL.exec(line) ?? [];
    return at === undefined || name === undefined || ENGINE.has(name) ? [] : [{ atMs: Number(at) * 1000, name }];
  });
}

function perRun(calls: readonly Call[]): {
  readonly total: number /** In all runs. */;
  readonly names: Record<string, number>;
} {
  const names: Record<string, number> = {};
  for (const { name } of calls) names[name] = (names[name] ?? 0) + 1;
  return { total: calls.length / RUNS, names };
}

function whyNotTraced(): string | null {
  const { status, error } = spawnSync('strace', ['-o', join(base, 'tried'), 'true']);
  if (error !== undefined) return 'strace is not installed';
  if (status !== 0) return 'strace cannot trace a process here';
  const tried = spawnSync(process.execPath, [RUNNING, cwd, '1'], { env, encoding: 'utf8' });
  return tried.status === 0 ? null : `no namespaces here: ${tried.stderr.slice(-300)}`;
}

test('a run makes no more system calls than it needs', (context) => {
  const why = whyNotTraced();
  if (why !== null) context.skip(why);
  const argv = ['-ff', '-ttt', '-o', join(traces, 'of'), process.execPath, RUNNING, cwd, String(RUNS)];
  expect(spawnSync('strace', argv, { env, encoding: 'utf8' })).toMatchObject({ status: 0 });
  const all = readdirSync(traces).map((name) => readFileSync(join(traces, name), 'utf8'));
  const own = all.find((trace) => trace.includes('counted-runs-begin')) ?? '';
  const atMs = (mark: string) =>
    Number(
      own
        .split('\n')
        .find((line) => line.includes(mark))
        ?.split(' ')[0],
    ) * 1000;
  const [beginMs, endMs] = [atMs('counted-runs-begin'), atMs('counted-runs-end')];
  const counted = (trace: string) => callsIn(trace).filter((call) => call.atMs > beginMs && call.atMs < endMs);
  const host = perRun(counted(own));
  const keeper = perRun(all.filter((trace) => trace !== own).flatMap(counted));
  // If the marks were not found, nothing was counted.
  expect(host.total).toBeGreaterThan(10);
  expect(keeper.total).toBeGreaterThan(10);
  expect(host.total, JSON.stringify(host.names)).toBeLessThan(MAX_HOST);
  expect(keeper.total, JSON.stringify(keeper.names)).toBeLessThan(MAX_KEEPER);
});
