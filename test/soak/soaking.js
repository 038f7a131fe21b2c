// Servers over stdio and HTTP, with both eras of the protocol, that run thousands of mixed commands; sessions are opened,
// cancelled and abandoned. Counts what they hold when they are idle: heap, descriptors, processes, files.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';

const BIN = fileURLToPath(new URL('../../bin/hardshell.js', import.meta.url));
const AT_ONCE = 8;
/** Calls of one HTTP session. */
const PER_SESSION = 25;
const IDLE_MINUTES = '0.05';
const MARK = 'HARDSHELL_SOAK';
const ERAS = { legacy: 'legacy', modern: { pin: '2026-07-28' } };

/**
 * Prints the heap that is left after garbage collections, with what finalizers release between them. Without compiled code: V8
 * compiles more of a program for tens of thousands of calls (2 MB in 2,000 commands), and that is no leak.
 */
const PROBE = `const v8 = require('node:v8');
const gc = (v8.setFlagsFromString('--expose-gc'), require('node:vm').runInNewContext('gc'));
process.on('SIGUSR2', () => {
  gc();
  setTimeout(() => {
    gc();
    const { code_and_metadata_size: code, bytecode_and_metadata_size: bytecode } = v8.getHeapCodeStatistics();
    process.stderr.write('heap: ' + (process.memoryUsage().heapUsed - code - bytecode) + ';\\n');
  }, 200);
});\n`;

const COMMANDS = [
  { command: 'true' },
  { command: 'echo hello' },
  { command: 'cat file | sort | uniq -c' },
  { command: 'touch made && rm made' },
  { command: 'seq 1 3000' },
  { command: 'echo problem >&2; exit 3' },
  { command: 'refused now' },
  { command: 'ls -la /tmp /nowhere' },
  { command: 'sleep 0.05', run_in_background: true },
  // Not in the project: a command that ends at this moment would judge a repository that is half deleted.
  { command: 'made=$(mktemp -d) && git init -q "$made" && rm -rf "$made"' },
];

class Place {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'hs-soak-')));
  work = join(this.folder, 'work');
  mark = `${process.pid}-${Date.now()}`;

  constructor() {
    for (const name of ['work', 'home', 'tmp']) mkdirSync(join(this.folder, name));
    writeFileSync(join(this.work, 'file'), 'b\na\nb\n');
    writeFileSync(join(this.folder, 'probe.cjs'), PROBE);
    writeFileSync(
      join(this.folder, 'settings.json'),
      '{ "mode": "bypass", "permissions": { "deny": ["Bash(refused *)"] } }',
    );
    this.env = {
      PATH: process.env.PATH,
      HOME: join(this.folder, 'home'),
      TMPDIR: join(this.folder, 'tmp'),
      HARDSHELL_RUNTIME_DIR: join(this.folder, 'run'),
      HARDSHELL_STATE_DIR: join(this.folder, 'state'),
      NODE_OPTIONS: `--require ${join(this.folder, 'probe.cjs')}`,
      [MARK]: this.mark,
    };
  }

  args(more = []) {
    return [BIN, 'mcp', '--settings', join(this.folder, 'settings.json'), '--cwd', this.work, ...more];
  }

  /** Outputs are kept up to a limit of their own; audit records and logs are meant to grow. */
  countFiles() {
    const names = ['tmp', 'run', 'home'].flatMap((name) => listBelow(join(this.folder, name)));
    return names.filter((path) => !path.endsWith('.log')).length;
  }

  /** Of all servers together: what they started, and what has their mark. */
  countProcesses(servers) {
    const all = listProcesses();
    const ours = new Set(servers.map(({ server }) => server.pid));
    // A parent may have a higher number than its child.
    for (let size = -1; size !== ours.size; ) {
      size = ours.size;
      for (const { pid, parent } of all) if (ours.has(parent)) ours.add(pid);
    }
    return all.filter(({ pid }) => ours.has(pid) || isMarked(pid, `${MARK}=${this.mark}`)).length;
  }
}

function listProcesses() {
  return readdirSync('/proc').flatMap((pid) => {
    try {
      const [, parent] = /.*\) \S (\d+)/s.exec(readFileSync(`/proc/${pid}/stat`, 'utf8')) ?? [];
      return /^\d+$/.test(pid) ? [{ pid: Number(pid), parent: Number(parent) }] : [];
    } catch {
      return [];
    }
  });
}

function isMarked(pid, text) {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'latin1').split('\0').includes(text);
  } catch {
    return false;
  }
}

function listBelow(folder) {
  try {
    return readdirSync(folder, { recursive: true });
  } catch {
    return [];
  }
}

class ServerProcess {
  stderr = '';

  constructor(name, child, stderr = child.stderr) {
    this.name = name;
    this.pid = child.pid;
    stderr.on('data', (chunk) => {
      this.stderr = (this.stderr + chunk).slice(-10_000);
    });
  }

  async measure() {
    this.stderr = '';
    process.kill(this.pid, 'SIGUSR2');
    await until(() => /heap: \d+;/.test(this.stderr), 'the heap is printed');
    const heap = Number(/heap: (\d+);/.exec(this.stderr)[1]);
    const rss = Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${this.pid}/status`, 'utf8'))[1]) * 1024;
    return { heap, rss, descriptors: readdirSync(`/proc/${this.pid}/fd`).length };
  }
}

async function until(look, what, limitMs = 60_000) {
  for (const deadline = Date.now() + limitMs; Date.now() < deadline; ) {
    if (await look()) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`never happened: ${what}`);
}

function newClient(era) {
  return new Client({ name: `soak-${era}`, version: '1' }, { versionNegotiation: { mode: ERAS[era] } });
}

async function openStdio(place, era) {
  const client = newClient(era);
  const launch = { command: process.execPath, args: place.args(), env: place.env, stderr: 'pipe' };
  const transport = new StdioClientTransport(launch);
  await client.connect(transport);
  return {
    server: new ServerProcess(`stdio, ${era}`, { pid: transport.pid }, transport.stderr),
    call: (input, options) => callOnce(client, input, options),
    close: () => client.close(),
  };
}

/** Sessions come and go: one is closed as it should be, the next one is left behind. */
async function openHttp(place) {
  const child = spawn(process.execPath, place.args(['--http', '--idle-minutes', IDLE_MINUTES]), {
    env: place.env,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const server = new ServerProcess('http, both', child);
  await until(() => /token: \S+/.test(server.stderr), 'the server listens');
  const [, url] = /listening on (\S+)/.exec(server.stderr);
  const requestInit = { headers: { authorization: `Bearer ${/token: (\S+)/.exec(server.stderr)[1]}` } };
  const kinds = Object.keys(ERAS);
  let opened = 0;
  const idle = [];
  const open = async () => {
    opened += 1;
    const client = newClient(kinds[opened % 2]);
    const transport = new StreamableHTTPClientTransport(new URL(url), { requestInit });
    await client.connect(transport);
    return { client, transport, left: PER_SESSION, isAbandoned: opened % 4 < 2 };
  };
  return {
    server,
    async call(input, options) {
      const session = idle.pop() ?? (await open());
      try {
        await callOnce(session.client, input, options);
      } finally {
        session.left -= 1;
        if (session.left > 0) idle.push(session);
        else {
          if (!session.isAbandoned) await session.transport.terminateSession?.().catch(() => {});
          await session.client.close();
        }
      }
    },
    async close() {
      for (const { client } of idle) await client.close();
      child.kill('SIGTERM');
      await once(child, 'exit');
    },
  };
}

async function callOnce(client, input, { signal } = {}) {
  try {
    await client.callTool({ name: 'bash', arguments: input }, { timeout: 120_000, ...(signal && { signal }) });
  } catch (error) {
    if (signal?.aborted !== true) throw error;
  }
}

async function runMany(channels, from, to) {
  let next = from;
  const work = async () => {
    while (next < to) {
      const number = next;
      next += 1;
      const channel = channels[number % channels.length];
      // One in twenty is cancelled while it runs.
      if (number % 20 === 7) {
        const controller = new AbortController();
        setTimeout(() => controller.abort(), 30 + (number % 5) * 10);
        await channel.call({ command: 'sleep 60' }, { signal: controller.signal });
      } else await channel.call(COMMANDS[Math.floor(number / channels.length) % COMMANDS.length]);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
}

/** When background tasks have ended, idle sessions have expired and waiting shells have been released. */
async function measure(place, channels) {
  let before = -1;
  let steady = 0;
  const settled = () => {
    const now = place.countProcesses(channels);
    steady = now === before ? steady + 1 : 0;
    before = now;
    return steady >= 60;
  };
  await until(settled, 'the number of processes stays the same', 120_000);
  const servers = {};
  for (const { server } of channels) servers[server.name] = await server.measure();
  return { processes: before, files: place.countFiles(), servers };
}

/**
 * @param {{ count: number, onProgress?: (text: string) => void }} options
 * @returns what was held after the first tenth and at the end, and what was left when everything was closed
 */
export async function soak({ count, onProgress = () => {} }) {
  const place = new Place();
  const channels = [];
  try {
    channels.push(await openStdio(place, 'legacy'), await openStdio(place, 'modern'), await openHttp(place));
    const early = Math.ceil(count / 10);
    await runMany(channels, 0, early);
    const first = await measure(place, channels);
    onProgress(`${early}: ${JSON.stringify(first)}`);
    await runMany(channels, early, count);
    const last = await measure(place, channels);
    onProgress(`${count}: ${JSON.stringify(last)}`);
    const closed = channels.splice(0);
    await Promise.all(closed.map((channel) => channel.close()));
    await until(() => place.countProcesses([]) === 0, 'all processes have ended').catch(() => {});
    return {
      first,
      last,
      left: { processes: place.countProcesses([]), sockets: listBelow(join(place.folder, 'run')) },
    };
  } finally {
    await Promise.all(channels.map((channel) => channel.close().catch(() => {})));
    rmSync(place.folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

const SHARE = 1.1;

/** What grew by more than a tenth, and by more than a few: sentences, none if all is well. */
export function findGrowth({ first, last, left }) {
  const grown = [];
  const check = (what, before, after, few) => {
    if (after > Math.max(before * SHARE, before + few)) grown.push(`${what}: ${before} → ${after}`);
  };
  // Each keeper has up to four supervisors that wait for the next command, and each world some rooms without commands.
  check('processes', first.processes, last.processes, 12 * Object.keys(first.servers).length);
  check('files', first.files, last.files, 10);
  for (const [name, before] of Object.entries(first.servers)) {
    const after = last.servers[name];
    check(`${name}: descriptors`, before.descriptors, after.descriptors, 3);
    check(`${name}: heap`, before.heap, after.heap, 3 << 20);
  }
  if (left.processes > 0) grown.push(`processes after closing: ${left.processes}`);
  return grown;
}
