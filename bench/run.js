// `npm run bench -- run [--json] [--quick]`: what running a command costs through the keeper, as ratios to Node's own spawn
// measured in the same run, the contenders taking turns.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { locateKeeper } from '../dist/run/keeper/binary.js';
import { KeeperRunner } from '../dist/run/keeper/runner.js';
import { quantile, ratioRow, report, timeRow } from './lib/measure.js';

const MAX_SPAWN_RATIO = 0.8;
const MAX_POOL_RATIO = 0.35;
const MAX_BUFFERS_RATIO = 0.1;
const MAX_CONCURRENT_RATIO = 1 / 1.5;
const MAX_OUTPUT_RATIO = 1 / 0.9;
const MAX_LATENCY_US = 100;
const MAX_MEMORY_MB = 45;
const CONCURRENT = 64;
const ENV = { PATH: '/usr/bin:/bin' };

async function spawnTrue() {
  await once(spawn('bash', ['-c', 'true'], { env: ENV }), 'close');
}

async function timeOf(work) {
  const start = process.hrtime.bigint();
  await work();
  return Number(process.hrtime.bigint() - start) / 1e3;
}

/** `contenders`: name → asynchronous function. A different one starts each round; the first rounds warm up. */
async function takeTurns(contenders, rounds) {
  const names = Object.keys(contenders);
  const samples = Object.fromEntries(names.map((name) => [name, []]));
  for (let round = -5; round < rounds; round += 1) {
    for (let i = 0; i < names.length; i += 1) {
      const name = names[(i + round + names.length * 5) % names.length];
      const time = await timeOf(contenders[name]);
      if (round >= 0) samples[name].push(time);
    }
  }
  return samples;
}

// While the others have their turn, the shell for the next round gets ready: as between two commands of an agent.
async function benchSpawn(start, startPooled, rounds) {
  const contenders = { spawn: spawnTrue, keeper: () => start('true').done, pooled: () => startPooled('true').done };
  const { spawn: spawned, keeper, pooled } = await takeTurns(contenders, rounds);
  return [
    timeRow('bash -c true: spawn', spawned),
    timeRow('bash -c true: keeper', keeper),
    timeRow('bash -c true: keeper with a shell that waits', pooled),
    ratioRow('bash -c true: keeper / spawn', keeper, spawned, MAX_SPAWN_RATIO),
    ratioRow('bash -c true: keeper with a shell that waits / spawn', pooled, spawned, MAX_POOL_RATIO),
  ];
}

// Node forks, and a fork copies the tables of every page that the process has touched.
async function benchBuffers(start, rounds) {
  const buffers = Array.from({ length: 64 }, () => Buffer.alloc(16 << 20, 1));
  const samples = await takeTurns({ spawn: spawnTrue, keeper: () => start('true').done }, rounds);
  if (buffers.some((buffer) => buffer[0] !== 1)) throw new Error('the buffers are gone');
  return [
    timeRow('1 GB of buffers: spawn', samples.spawn),
    ratioRow('1 GB of buffers: keeper / spawn', samples.keeper, samples.spawn, MAX_BUFFERS_RATIO),
  ];
}

async function benchConcurrent(how, start, rounds) {
  const many = (work) => () => Promise.all(Array.from({ length: CONCURRENT }, work));
  const samples = await takeTurns({ spawn: many(spawnTrue), keeper: many(() => start('true').done) }, rounds);
  return [
    timeRow(`${CONCURRENT} at once: spawn`, samples.spawn),
    ratioRow(`${CONCURRENT} at once: keeper${how} / spawn`, samples.keeper, samples.spawn, MAX_CONCURRENT_RATIO),
  ];
}

async function benchOutput(start, folder, megabytes, rounds) {
  const flood = `head -c ${megabytes}M /dev/zero`;
  let count = 0;
  let grown = 0;
  const spooled = async () => {
    count += 1;
    const before = process.memoryUsage.rss();
    const path = join(folder, `flood-${count}`);
    const { output } = await start(flood, { spool: { path } }).done;
    if (output.totalBytes !== megabytes * 2 ** 20) throw new Error(`${output.totalBytes} bytes arrived`);
    grown = Math.max(grown, process.memoryUsage.rss() - before);
    for (const file of [path, `${path}.map`]) rmSync(file);
  };
  const piped = () => once(spawn('bash', ['-c', `${flood} | cat > /dev/null`], { env: ENV, stdio: 'ignore' }), 'close');
  const samples = await takeTurns({ piped, spooled }, rounds);
  const memory = grown / 2 ** 20;
  return [
    timeRow(`${megabytes} MB: command | cat > /dev/null`, samples.piped),
    ratioRow(`${megabytes} MB: keeper / cat`, samples.spooled, samples.piped, MAX_OUTPUT_RATIO),
    {
      case: `${megabytes} MB: growth of Node`,
      median: memory,
      p95: memory,
      unit: 'MB',
      target: MAX_MEMORY_MB,
      reached: memory <= MAX_MEMORY_MB,
    },
  ];
}

// The command says when it wrote; both clocks are the same one.
async function benchLatency(start, lines) {
  const script = `let n=${lines};const t=setInterval(()=>{process.stdout.write(process.hrtime.bigint()+'\\n');if(--n===0)clearInterval(t)},2)`;
  const delays = [];
  const listener = (event) => {
    if (event.type !== 'output') return;
    const now = process.hrtime.bigint();
    for (const line of event.bytes.toString().trim().split('\n')) delays.push(Number(now - BigInt(line)) / 1e3);
  };
  await start(`exec ${process.execPath} -e "${script}"`, {}, listener).done;
  const median = quantile(delays, 0.5);
  return [{ ...timeRow('write to callback', delays), target: MAX_LATENCY_US, reached: median <= MAX_LATENCY_US }];
}

export async function run(argv) {
  const [json, quick] = [argv.includes('--json'), argv.includes('--quick')];
  const keeper = locateKeeper();
  if (!keeper.isAvailable) throw new Error(keeper.reason);
  const runner = new KeeperRunner(keeper.path, { pool: 0 });
  const pooled = new KeeperRunner(keeper.path);
  const folder = mkdtempSync(join(tmpdir(), 'hardshell-bench-'));
  const starter =
    (which) =>
    (command, more = {}, listener = undefined) =>
      which.start({ program: '/bin/bash', argv: ['bash', '-c', command], cwd: '/', env: ENV, ...more }, listener);
  const start = starter(runner);
  const startPooled = starter(pooled);
  try {
    await Promise.all([runner.warmUp(), pooled.warmUp()]);
    const rows = [
      ...(await benchSpawn(start, startPooled, quick ? 60 : 400)),
      ...(await benchConcurrent('', start, quick ? 3 : 15)),
      ...(await benchConcurrent(' with shells that wait', startPooled, quick ? 3 : 15)),
      ...(await benchLatency(start, quick ? 200 : 1000)),
      ...(await benchOutput(start, folder, quick ? 256 : 2048, quick ? 3 : 5)),
      ...(await benchBuffers(start, quick ? 5 : 20)),
    ];
    report('run', rows, { json });
  } finally {
    await Promise.all([runner.close(), pooled.close()]);
    rmSync(folder, { recursive: true, force: true });
  }
}
