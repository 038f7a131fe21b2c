// Contenders that start processes, side by side: in every round each of them runs once, a different one first, so that
// noise and heat affect all equally. Also what they share: the keeper, the environment, rows of a report.

import { mkdtempSync, rmSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { locateKeeper } from '../../dist/run/keeper/binary.js';
import { KeeperRunner } from '../../dist/run/keeper/runner.js';
import { quantile } from './measure.js';

/** What every command of the library has: without these, bash looks up the user, and asks a name service in the sandbox. */
export const ENV = { PATH: '/usr/bin:/bin', HOME: process.env.HOME ?? '/', SHELL: '/bin/bash' };
/** Options with which execa does as little as spawn: no search in node_modules, no thrown errors. */
export const EXECA = { env: ENV, extendEnv: false, preferLocal: false, reject: false };

/** Microseconds until the work has settled. If it returns a function, that cleans up after the clock has stopped. */
async function timeOf(work) {
  const start = process.hrtime.bigint();
  const cleanUp = await work();
  const time = Number(process.hrtime.bigint() - start) / 1e3;
  if (typeof cleanUp === 'function') await cleanUp();
  return time;
}

/** `contenders`: name → asynchronous function. Returns name → µs, one value per round; the first rounds are not counted. */
export async function takeTurns(contenders, rounds, { warmUpRounds = 3 } = {}) {
  const names = Object.keys(contenders);
  const samples = Object.fromEntries(names.map((name) => [name, []]));
  for (let round = 0; round < warmUpRounds + rounds; round += 1) {
    for (let i = 0; i < names.length; i += 1) {
      const name = names[(i + round) % names.length];
      const value = await timeOf(contenders[name]);
      if (round >= warmUpRounds) samples[name].push(value);
    }
  }
  return samples;
}

/** Calls `work` with a running keeper and a folder that is removed afterwards. */
export async function withKeeper(work) {
  const keeper = locateKeeper();
  if (!keeper.isAvailable) throw new Error(keeper.reason);
  const runner = new KeeperRunner(keeper.program);
  const folder = mkdtempSync(join(tmpdir(), 'hardshell-bench-'));
  try {
    await runner.warmUp();
    return await work({ runner, folder });
  } finally {
    await runner.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** One line of bash through the keeper. */
export function startBash(runner, command, more = {}, listener = undefined) {
  return runner.start({ program: 'bash', argv: ['bash', '-c', command], cwd: '/', env: ENV, ...more }, listener);
}

/** Other programs may use the machine at the same time: a ratio is only as good as the quiet it was taken in. */
export function loadRow() {
  const [load] = loadavg();
  return { case: 'load average of the machine at the start', median: load, p95: load, unit: '' };
}

/** A value that must not be exceeded. */
export function boundRow(name, values, unit, target) {
  const median = quantile(values, 0.5);
  return { case: name, median, p95: quantile(values, 0.95), ratio: median, unit, target, reached: median <= target };
}

/** How many times faster the samples are than the reference, round by round; `target` is the minimum. */
export function speedRow(name, samples, reference, target) {
  const speeds = samples.map((value, round) => reference[round] / value);
  const median = quantile(speeds, 0.5);
  return {
    case: name,
    median,
    p95: quantile(speeds, 0.95),
    ratio: median,
    unit: 'x',
    ...(target === undefined ? {} : { target, bound: '>=', reached: median >= target }),
  };
}
