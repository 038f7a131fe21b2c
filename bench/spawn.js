// `npm run bench -- spawn [--json] [--quick]`: the cost of starting a command through the keeper, as ratios to Node's own
// spawn and to execa measured in the same run, interleaved.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { execa } from 'execa';
import { ratioRow, report, timeRow } from './lib/measure.js';
import { ENV, EXECA, loadRow, speedRow, takeTurns, withKeeper } from './lib/turns.js';

const MAX_RATIO = 0.8;
const MAX_POOL_RATIO = 0.35;
const MAX_BUFFERS_RATIO = 0.1;
const MIN_CONCURRENT_SPEED = 1.5;
const CONCURRENT = 64;

/** Name → the program and its arguments. */
const COMMANDS = { true: ['true'], 'bash -c true': ['bash', '-c', 'true'] };

function contendersFor(runner, [program, ...args]) {
  const request = { program, argv: [program, ...args], cwd: '/', env: ENV };
  return {
    spawn: () => once(spawn(program, args, { env: ENV }), 'close'),
    execa: () => execa(program, args, EXECA),
    keeper: () => runner.start(request).done,
  };
}

function rowsOf(name, { spawn, execa, keeper }, target) {
  return [
    timeRow(`${name}: spawn`, spawn),
    timeRow(`${name}: execa`, execa),
    timeRow(`${name}: keeper`, keeper),
    ratioRow(`${name}: keeper / spawn`, keeper, spawn, target),
    ratioRow(`${name}: keeper / execa`, keeper, execa, target),
  ];
}

async function benchOne(runner, rounds) {
  const rows = [];
  for (const [name, words] of Object.entries(COMMANDS))
    rows.push(...rowsOf(name, await takeTurns(contendersFor(runner, words), rounds), MAX_RATIO));
  return rows;
}

// Only a shell that is named by its path waits for its command; it is prepared while the others have their turn, as
// between two commands of an agent.
async function benchPool(runner, rounds) {
  const [words, name] = [COMMANDS['bash -c true'], 'bash -c true, a shell waits'];
  const request = { program: '/bin/bash', argv: words, cwd: '/', env: ENV };
  const contenders = { ...contendersFor(runner, words), keeper: () => runner.start(request).done };
  return rowsOf(name, await takeTurns(contenders, rounds), MAX_POOL_RATIO);
}

async function benchConcurrent(runner, rounds) {
  const rows = [];
  for (const [name, words] of Object.entries(COMMANDS)) {
    const many = Object.entries(contendersFor(runner, words)).map(([contender, work]) => [
      contender,
      () => Promise.all(Array.from({ length: CONCURRENT }, work)),
    ]);
    const { spawn, execa, keeper } = await takeTurns(Object.fromEntries(many), rounds);
    const title = `${CONCURRENT} x ${name} at once`;
    rows.push(
      timeRow(`${title}: spawn`, spawn),
      timeRow(`${title}: execa`, execa),
      timeRow(`${title}: keeper`, keeper),
      speedRow(`${title}: commands per second, keeper / spawn`, keeper, spawn, MIN_CONCURRENT_SPEED),
      speedRow(`${title}: commands per second, keeper / execa`, keeper, execa, MIN_CONCURRENT_SPEED),
    );
  }
  return rows;
}

// Node forks, and a fork copies the tables of every page that the process has touched.
async function benchBuffers(runner, rounds) {
  const buffers = Array.from({ length: 64 }, () => Buffer.alloc(16 << 20, 1));
  const rows = [];
  for (const [name, words] of Object.entries(COMMANDS)) {
    const samples = await takeTurns(contendersFor(runner, words), rounds);
    rows.push(...rowsOf(`${name}, 1 GB of buffers`, samples, MAX_BUFFERS_RATIO));
  }
  if (buffers.some((buffer) => buffer[0] !== 1)) throw new Error('the buffers are gone');
  return rows;
}

export async function run(argv) {
  const [json, quick] = [argv.includes('--json'), argv.includes('--quick')];
  const load = loadRow();
  const rows = await withKeeper(async ({ runner }) => [
    ...(await benchOne(runner, quick ? 60 : 400)),
    ...(await benchPool(runner, quick ? 60 : 400)),
    ...(await benchConcurrent(runner, quick ? 5 : 20)),
    ...(await benchBuffers(runner, quick ? 5 : 20)),
  ]);
  report('spawn', [load, ...rows], { json });
}
