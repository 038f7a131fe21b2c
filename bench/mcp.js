// `npm run bench -- mcp [--json] [--quick]`: what the MCP server adds to a command, how many commands per second it runs for
// one client, and how fast it starts; compared with a direct run, Node's own spawn and `node -e 0`, interleaved.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { createShell, profileOf } from '../dist/host.js';
import { ratioRow, report, timeRow } from './lib/measure.js';
import { loadRow, speedRow, takeTurns } from './lib/turns.js';

const MAX_ROUND_TRIP = 1.3;
const MIN_SPEED = 1.2;
const MAX_READY = 3;
const CONCURRENT = 16;
const CALLS = 128;
const IN_A_ROW = 10;

const BIN = fileURLToPath(new URL('../bin/hardshell.js', import.meta.url));
const GREETING = {
  protocolVersion: '2025-11-25',
  capabilities: {},
  clientInfo: { name: 'bench', version: '1' },
};

/** A client that only writes and reads lines, so that the server is measured. */
class BareClient {
  #rest = '';
  #waiting = new Map();
  #count = 0;

  constructor(place, args = []) {
    const argv = [BIN, 'mcp', '--cwd', place.cwd, ...args];
    this.child = spawn(process.execPath, argv, { env: place.env, stdio: ['pipe', 'pipe', 'ignore'] });
    this.child.stdout.setEncoding('utf8').on('data', (text) => this.#read(text));
  }

  request(method, params) {
    this.#count += 1;
    const id = this.#count;
    this.child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`);
    return new Promise((resolve) => {
      this.#waiting.set(id, resolve);
    });
  }

  async greet() {
    await this.request('initialize', GREETING);
    this.child.stdin.write('{"jsonrpc":"2.0","method":"notifications/initialized"}\n');
    return this;
  }

  async run(command) {
    const { result } = await this.request('tools/call', { name: 'bash', arguments: { command } });
    if (result.structuredContent?.exit_code !== 0) throw new Error(`a call failed: ${JSON.stringify(result)}`);
  }

  async close() {
    this.child.stdin.end();
    await once(this.child, 'exit');
  }

  #read(text) {
    const lines = (this.#rest + text).split('\n');
    this.#rest = lines.pop();
    for (const line of lines) {
      const message = JSON.parse(line);
      this.#waiting.get(message.id)?.(message);
      this.#waiting.delete(message.id);
    }
  }
}

async function connectClient(place) {
  const client = new Client({ name: 'bench', version: '1' });
  const args = [BIN, 'mcp', '--cwd', place.cwd];
  await client.connect(new StdioClientTransport({ command: process.execPath, args, env: place.env, stderr: 'ignore' }));
  await client.listTools();
  return client;
}

async function benchRoundTrip(place, rounds) {
  const shell = createShell({ ...profileOf(null).engine, recording: false, hostEnvironment: place.env });
  const session = shell.session({ cwd: place.cwd });
  const bare = await new BareClient(place).greet();
  const client = await connectClient(place);
  try {
    const contenders = {
      direct: () => session.run('true'),
      mcp: () => bare.run('true'),
      sdk: () => client.callTool({ name: 'bash', arguments: { command: 'true' } }),
    };
    const rowsOf = (title, { direct, mcp, sdk }) => [
      timeRow(`${title}: direct run`, direct),
      timeRow(`${title}: MCP round trip`, mcp),
      timeRow(`${title}: MCP round trip with the SDK's client`, sdk),
      ratioRow(`${title}: MCP / direct run`, mcp, direct, MAX_ROUND_TRIP),
      ratioRow(`${title}: MCP with the SDK's client / direct run`, sdk, direct, MAX_ROUND_TRIP),
    ];
    const single = await takeTurns(contenders, rounds, { warmUpRounds: 50 });
    // While the others have their turn a server sleeps, and its caches are cold afterwards: ten at a time show it at work.
    const inTen = Object.entries(contenders).map(([name, work]) => [name, () => repeat(work, IN_A_ROW)]);
    const many = await takeTurns(Object.fromEntries(inTen), Math.ceil(rounds / IN_A_ROW));
    const each = Object.entries(many).map(([name, values]) => [name, values.map((value) => value / IN_A_ROW)]);
    return [...rowsOf('true', single), ...rowsOf(`true, ${IN_A_ROW} in a row`, Object.fromEntries(each))];
  } finally {
    await bare.close();
    await client.close();
    await shell.close();
  }
}

async function repeat(work, count) {
  for (let left = count; left > 0; left -= 1) await work();
}

/** This many at once, until all have run. */
async function runMany(work) {
  let left = CALLS;
  const worker = async () => {
    while (left > 0) {
      left -= 1;
      await work();
    }
  };
  await Promise.all(Array.from({ length: CONCURRENT }, worker));
}

async function benchConcurrent(place, rounds) {
  const confined = await new BareClient(place).greet();
  const free = await new BareClient(place, ['--sandbox', 'unrestricted']).greet();
  const plain = async () => {
    const child = spawn('bash', ['-c', 'true'], { cwd: place.cwd, env: place.env });
    await once(child, 'close');
  };
  try {
    const samples = await takeTurns(
      {
        spawn: () => runMany(plain),
        confined: () => runMany(() => confined.run('true')),
        free: () => runMany(() => free.run('true')),
      },
      rounds,
    );
    const title = `${CALLS} x true, ${CONCURRENT} at once`;
    return [
      timeRow(`${title}: spawn`, samples.spawn),
      timeRow(`${title}: MCP in the sandbox`, samples.confined),
      timeRow(`${title}: MCP without a sandbox`, samples.free),
      speedRow(`${title}: calls per second, MCP in the sandbox / spawn`, samples.confined, samples.spawn),
      speedRow(`${title}: calls per second, MCP without a sandbox / spawn`, samples.free, samples.spawn, MIN_SPEED),
    ];
  } finally {
    await confined.close();
    await free.close();
  }
}

async function benchReady(place, rounds) {
  const closing = [];
  const { node, greeted, listed } = await takeTurns(
    {
      node: () => once(spawn(process.execPath, ['-e', '0'], { env: place.env, stdio: 'ignore' }), 'exit'),
      async greeted() {
        const client = await new BareClient(place).greet();
        return () => closing.push(client.close());
      },
      async listed() {
        const client = await new BareClient(place).greet();
        await client.request('tools/list', {});
        return () => closing.push(client.close());
      },
    },
    rounds,
  );
  await Promise.all(closing);
  return [
    timeRow('node -e 0', node),
    timeRow('hardshell mcp, until it is greeted', greeted),
    timeRow('hardshell mcp, until its tools are listed', listed),
    ratioRow('hardshell mcp ready / node -e 0', greeted, node, MAX_READY),
    speedRow('node -e 0 / hardshell mcp with its tools listed', listed, node),
  ];
}

export async function run(argv) {
  const [json, quick] = [argv.includes('--json'), argv.includes('--quick')];
  const load = loadRow();
  const folder = mkdtempSync(join(tmpdir(), 'hardshell-bench-'));
  const cwd = join(folder, 'work');
  mkdirSync(cwd);
  const env = { PATH: process.env.PATH, HOME: folder, HARDSHELL_STATE_DIR: join(folder, 'state') };
  const place = { cwd, env };
  // The direct run has the same home, with the same hidden files and tasks.
  Object.assign(process.env, env);
  try {
    const rows = [
      ...(await benchReady(place, quick ? 10 : 40)),
      ...(await benchRoundTrip(place, quick ? 60 : 400)),
      ...(await benchConcurrent(place, quick ? 5 : 20)),
    ];
    report('mcp', [load, ...rows], { json });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
