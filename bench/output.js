// `npm run bench -- output [--json] [--quick] [--gigabytes N]`: much output, fast output and many lines through the keeper,
// compared with `command | cat`, Node's own spawn, readline and execa, interleaved in one run.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { execa } from 'execa';
import { LineSplitter } from '../dist/run/lines.js';
import { report, timeRow } from './lib/measure.js';
import { boundRow, ENV, EXECA, loadRow, speedRow, startBash, takeTurns, withKeeper } from './lib/turns.js';

const MIN_THROUGHPUT = 0.9;
const MAX_LATENCY_US = 100;
const MAX_MEMORY_MB = 45;
const MIN_LINES_SPEED = 2;
const MB = 2 ** 20;

/** Runs the work and returns the maximum growth of this process in megabytes. */
async function growthOf(work) {
  const before = process.memoryUsage.rss();
  let peak = before;
  const look = () => {
    peak = Math.max(peak, process.memoryUsage.rss());
  };
  const timer = setInterval(look, 10);
  const cleanUp = await work();
  clearInterval(timer);
  look();
  cleanUp();
  return (peak - before) / MB;
}

function removeSpool(path) {
  for (const file of [path, `${path}.map`]) rmSync(file);
}

function expectBytes(seen, expected) {
  if (seen !== expected) throw new Error(`${seen} of ${expected} bytes arrived`);
}

function floodContenders({ runner, folder }, megabytes) {
  const flood = `head -c ${megabytes}M /dev/zero`;
  const bytes = megabytes * MB;
  let count = 0;
  const keep = async (more, listener) => {
    count += 1;
    const path = join(folder, `flood-${count}`);
    const { output } = await startBash(runner, flood, { spool: { path }, ...more }, listener).done;
    expectBytes(output.totalBytes, bytes);
    return () => removeSpool(path);
  };
  return {
    cat: () => once(spawn('bash', ['-c', `${flood} | cat > /dev/null`], { env: ENV, stdio: 'ignore' }), 'close'),
    kept: () => keep({}),
    streamed: async () => {
      let seen = 0;
      const cleanUp = await keep({ isPaced: true }, (event) => {
        if (event.type === 'output') seen += event.bytes.length;
      });
      expectBytes(seen, bytes);
      return cleanUp;
    },
    spawn: async () => {
      let seen = 0;
      const child = spawn('bash', ['-c', flood], { env: ENV, stdio: ['ignore', 'pipe', 'inherit'] });
      child.stdout.on('data', (chunk) => {
        seen += chunk.length;
      });
      await once(child, 'close');
      expectBytes(seen, bytes);
    },
    execa: async () => {
      let seen = 0;
      const child = execa('bash', ['-c', flood], { ...EXECA, buffer: false });
      child.stdout.on('data', (chunk) => {
        seen += chunk.length;
      });
      await child;
      expectBytes(seen, bytes);
    },
  };
}

async function benchFlood(context, megabytes, rounds) {
  const contenders = floodContenders(context, megabytes);
  // Before the others, whose garbage would leave memory into which ours could grow unseen.
  const kept = await growthOf(contenders.kept);
  const streamed = await growthOf(contenders.streamed);
  const samples = await takeTurns(contenders, rounds, { warmUpRounds: 1 });
  const name = `${megabytes} MB`;
  return [
    timeRow(`${name}: command | cat > /dev/null`, samples.cat),
    timeRow(`${name}: spawn, bytes counted`, samples.spawn),
    timeRow(`${name}: execa, bytes counted`, samples.execa),
    timeRow(`${name}: keeper, kept on disk`, samples.kept),
    timeRow(`${name}: keeper, kept on disk and bytes counted`, samples.streamed),
    speedRow(`${name}: throughput, keeper / cat`, samples.kept, samples.cat, MIN_THROUGHPUT),
    speedRow(`${name}: throughput, keeper / spawn`, samples.kept, samples.spawn),
    speedRow(`${name}: throughput, keeper / execa`, samples.kept, samples.execa),
    speedRow(`${name}: throughput, keeper counted / spawn`, samples.streamed, samples.spawn),
    boundRow(`${name}: growth of Node`, [kept], 'MB', MAX_MEMORY_MB),
    boundRow(`${name}: growth of Node, bytes counted`, [streamed], 'MB', MAX_MEMORY_MB),
  ];
}

// The command says when it wrote; both clocks are the same.
async function benchLatency({ runner }, lines, rounds) {
  const script = `let n=${lines};const t=setInterval(()=>{process.stdout.write(process.hrtime.bigint()+'\\n');if(--n===0)clearInterval(t)},2)`;
  const command = `exec ${process.execPath} -e "${script}"`;
  const delays = { spawn: [], execa: [], keeper: [] };
  const hear = (name) => (bytes) => {
    const now = process.hrtime.bigint();
    for (const line of bytes.toString().trim().split('\n')) delays[name].push(Number(now - BigInt(line)) / 1e3);
  };
  const hearKeeper = hear('keeper');
  const contenders = {
    spawn: async () => {
      const child = spawn('bash', ['-c', command], { env: ENV });
      child.stdout.on('data', hear('spawn'));
      await once(child, 'close');
    },
    execa: async () => {
      const child = execa('bash', ['-c', command], { ...EXECA, buffer: false });
      child.stdout.on('data', hear('execa'));
      await child;
    },
    keeper: () =>
      startBash(runner, command, {}, (event) => {
        if (event.type === 'output') hearKeeper(event.bytes);
      }).done,
  };
  await takeTurns(contenders, rounds, { warmUpRounds: 0 });
  return [
    timeRow('write to callback: spawn', delays.spawn),
    timeRow('write to callback: execa', delays.execa),
    boundRow('write to callback: keeper', delays.keeper, 'us', MAX_LATENCY_US),
  ];
}

async function benchLines({ runner, folder }, lines, rounds) {
  const command = `seq ${lines}`;
  let [count, seen] = [0, 0];
  // Every contender passes each line to the same consumer, as a string.
  const onLine = (line) => {
    if (line.length > 0) seen += 1;
  };
  const counted = (work) => async () => {
    seen = 0;
    const cleanUp = await work();
    if (seen !== lines) throw new Error(`${seen} of ${lines} lines arrived`);
    return cleanUp;
  };
  const contenders = {
    readline: counted(async () => {
      const child = spawn('bash', ['-c', command], { env: ENV, stdio: ['ignore', 'pipe', 'inherit'] });
      await once(createInterface({ input: child.stdout }).on('line', onLine), 'close');
    }),
    execa: counted(async () => {
      for await (const line of execa('bash', ['-c', command], { ...EXECA, buffer: false })) onLine(line);
    }),
    keeper: counted(async () => {
      count += 1;
      const path = join(folder, `lines-${count}`);
      const splitter = new LineSplitter(onLine);
      const listener = (event) => {
        if (event.type === 'output') splitter.push(event.bytes);
      };
      await startBash(runner, command, { spool: { path }, isPaced: true }, listener).done;
      splitter.end();
      return () => removeSpool(path);
    }),
  };
  const samples = await takeTurns(contenders, rounds, { warmUpRounds: 1 });
  const name = `${lines.toLocaleString('en')} lines`;
  return [
    timeRow(`${name}: spawn and readline`, samples.readline),
    timeRow(`${name}: execa, iterated`, samples.execa),
    timeRow(`${name}: keeper, streamed and kept`, samples.keeper),
    speedRow(`${name}: keeper / readline`, samples.keeper, samples.readline, MIN_LINES_SPEED),
    speedRow(`${name}: keeper / execa`, samples.keeper, samples.execa, MIN_LINES_SPEED),
  ];
}

function readGigabytes(argv) {
  const at = argv.indexOf('--gigabytes');
  if (at === -1) return null;
  const value = Number(argv[at + 1]);
  if (!(value > 0)) throw new Error('--gigabytes needs a number, for example --gigabytes 10');
  return value;
}

export async function run(argv) {
  const [json, quick] = [argv.includes('--json'), argv.includes('--quick')];
  const megabytes = Math.round((readGigabytes(argv) ?? (quick ? 0.25 : 2)) * 1024);
  const load = loadRow();
  const rows = await withKeeper(async (context) => [
    ...(await benchFlood(context, megabytes, quick ? 4 : megabytes > 4096 ? 3 : 7)),
    ...(await benchLatency(context, quick ? 200 : 500, quick ? 1 : 4)),
    ...(await benchLines(context, quick ? 200_000 : 10_000_000, 3)),
  ]);
  report('output', [load, ...rows], { json });
}
