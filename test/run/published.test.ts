// Ports between a private network and this machine: they belong to the task, not to the host that started it.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { ConfinementSpec } from '../../src/confine/port.ts';
import { KeeperRunner } from '../../src/run/keeper/runner.ts';
import type { RunRequest } from '../../src/run/port.ts';
import { readRecord, stopTask } from '../../src/run/record.ts';
import { keeperUnderTest as keeper } from '../contract/keeper-under-test.ts';
import { pause, until } from '../contract/marks.ts';
import { ownNetwork as own } from './own-network.ts';

const HOST = fileURLToPath(new URL('../fixtures/host.js', import.meta.url));
const WAIT_MS = 15_000;
let folder = '';
let count = 0;
const ends: (() => unknown)[] = [];
beforeAll(() => {
  folder = realpathSync(mkdtempSync(join(homedir(), 'hardshell-published-')));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

function request(script: string, confinement: ConfinementSpec): RunRequest {
  return {
    program: '/bin/bash',
    argv: ['bash', '-c', script],
    cwd: folder,
    env: { PATH: process.env.PATH ?? '/usr/bin:/bin' },
    confinement,
  };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

/** A server in the sandbox. `handle` is the code for each connection `c`. */
const serve = (port: number, handle: string, address = '127.0.0.1') =>
  `exec node -e 'require("net").createServer({allowHalfOpen:true},(c)=>{c.on("error",()=>{});${handle}}).listen(${port},"${address}",()=>console.log("up"))'`;
const ECHO = 'c.pipe(c)';

interface Background {
  readonly host: ChildProcess;
  readonly record: string;
  lines(): readonly string[];
}

/** A background task whose host is another process. */
async function background(script: string, confinement: ConfinementSpec): Promise<Background> {
  count += 1;
  const log = join(folder, `task-${count}.log`);
  const record = join(folder, `task-${count}.json`);
  const text = JSON.stringify({
    ...request(script, confinement),
    background: true,
    spool: { path: log },
    record: { path: record, fields: {} },
  });
  const host = spawn(process.execPath, [HOST, keeper.isAvailable ? keeper.path : '', text], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  ends.push(() => {
    host.kill('SIGKILL');
    if (existsSync(record)) stopTask(readRecord(record));
  });
  await once(host.stdout as NodeJS.ReadableStream, 'data');
  return { host, record, lines: () => (existsSync(log) ? readFileSync(log, 'latin1').split('\n') : []) };
}

/** Sends text, ends its half, and collects the answer; `null` if it was refused or reset. */
function exchange(port: number, text: string | Buffer, host = '127.0.0.1'): Promise<string | null> {
  return new Promise((resolve) => {
    const socket = connect({ port, host, allowHalfOpen: true });
    const pieces: Buffer[] = [];
    socket.on('error', () => resolve(null));
    socket.on('data', (bytes) => pieces.push(bytes));
    socket.on('end', () => resolve(Buffer.concat(pieces).toString()));
    socket.end(text);
  });
}

const answers = async (port: number) => (await exchange(port, 'ping')) === 'ping';
const waitFor = async (probe: () => Promise<boolean>) => {
  for (const limit = Date.now() + WAIT_MS; Date.now() < limit; await pause(50)) if (await probe()) return true;
  return false;
};

function start(script: string, confinement: ConfinementSpec, more: Partial<RunRequest> = {}) {
  const runner = new KeeperRunner(keeper.isAvailable ? keeper.path : '');
  let isUp = false;
  const handle = runner.start({ ...request(script, confinement), ...more }, (event) => {
    if (event.type === 'output') isUp = true;
  });
  handle.done.catch(() => {});
  ends.push(() => runner.close());
  return { handle, runner, up: () => until(() => isUp, WAIT_MS) };
}

test('a published port and a port of this machine stay open when the host of a background task is killed', async (context) => {
  if (!keeper.isAvailable) return context.skip(keeper.reason);
  const [published, service] = [
    await freePort(),
    createServer((socket) => socket.end('served')).listen(0, '127.0.0.1'),
  ];
  ends.push(() => service.close());
  await once(service, 'listening');
  const { port } = service.address() as AddressInfo;
  const client = `require("net").connect(${port},"127.0.0.1").on("data",(t)=>c.end(t)).on("error",(e)=>c.end(e.code))`;
  const spec = { ...own, publishPorts: [published], hostPorts: [port] };
  const { host, record, lines } = await background(serve(published, client), spec);
  expect(await until(() => lines().includes('up'), WAIT_MS)).toBe(true);
  expect(await exchange(published, '')).toBe('served');
  host.kill('SIGKILL');
  await once(host, 'exit');
  await pause(200);
  expect(await exchange(published, '')).toBe('served');
  stopTask(readRecord(record));
  expect(await waitFor(async () => (await exchange(published, '')) === null)).toBe(true);
});

test('when the supervisor is killed, its task and the published port are gone', async (context) => {
  if (!keeper.isAvailable) return context.skip(keeper.reason);
  const port = await freePort();
  const { host, record, lines } = await background(serve(port, ECHO), { ...own, publishPorts: [port] });
  expect(await until(() => lines().includes('up'), WAIT_MS)).toBe(true);
  expect(await answers(port)).toBe(true);
  host.kill('SIGKILL');
  await once(host, 'exit');
  const supervisor = readRecord(record)?.supervisorPid as number;
  process.kill(supervisor, 'SIGKILL');
  expect(await waitFor(async () => !(await answers(port)))).toBe(true);
  // The port is free again: no process of the task holds it.
  const server = createServer().listen(port, '127.0.0.1');
  await once(server, 'listening');
  server.close();
});

test('each half of a connection ends separately, and nothing is lost', async (context) => {
  if (!keeper.isAvailable) return context.skip(keeper.reason);
  const port = await freePort();
  const { up } = start(serve(port, ECHO), { ...own, publishPorts: [port] });
  expect(await up()).toBe(true);
  const text = 'x'.repeat(3_000_000);
  expect((await exchange(port, text))?.length).toBe(text.length);
  const all = await Promise.all(Array.from({ length: 50 }, (_, i) => exchange(port, `${i}`.repeat(10_000))));
  expect(all.every((answer, i) => answer === `${i}`.repeat(10_000))).toBe(true);
});

test('a server on ::1 is reached; without a server the connection ends', async (context) => {
  if (!keeper.isAvailable) return context.skip(keeper.reason);
  const [port, empty] = [await freePort(), await freePort()];
  const { up } = start(serve(port, ECHO, '::1'), { ...own, publishPorts: [port, empty] });
  expect(await up()).toBe(true);
  expect(await exchange(port, 'ping')).toBe('ping');
  expect(['', null]).toContain(await exchange(empty, 'ping'));
});

test('connections that neither side reads exhaust nothing: the next one is served', async (context) => {
  if (!keeper.isAvailable) return context.skip(keeper.reason);
  const port = await freePort();
  // The first byte says what the server does: after `h` it neither reads nor answers, after `f` it sends more than anyone reads,
  // and anything else is returned.
  const handle =
    'c.once("data",(b)=>{if(b[0]===104)return c.pause();if(b[0]===102)return c.write(Buffer.alloc(2e6));c.write(b);c.pipe(c)})';
  const { handle: task, up } = start(serve(port, handle), { ...own, publishPorts: [port] });
  expect(await up()).toBe(true);
  const silent: Socket[] = [];
  ends.push(() => silent.map((socket) => socket.destroy()));
  const open = (number: number, kind: string) => {
    for (let i = 0; i < number; i += 1) {
      const socket = connect(port, '127.0.0.1')
        .on('error', () => {})
        .pause();
      socket.write(Buffer.alloc(kind === 'h' ? 200_000 : 1, kind));
      silent.push(socket);
    }
  };
  open(200, 'h');
  expect(await exchange(port, 'ping')).toBe('ping');
  const { supervisorPid } = await task.started;
  const pumps = readdirSync('/proc').filter((pid) => parentOf(pid) === supervisorPid && /keeper/.test(nameOf(pid)));
  // The init of the namespaces, and the process that serves the port.
  expect(pumps).toHaveLength(2);
  const before = pumps.map(ticksOf);
  await pause(1000);
  // A process that asks again and again would need all of them.
  for (const [i, pid] of pumps.entries()) expect(ticksOf(pid) - (before[i] ?? 0)).toBeLessThan(50);
  for (const pid of pumps) expect(residentBytes(pid)).toBeLessThan(16 << 20);
  // More than are served at once: the rest wait, and are served when others have ended.
  open(600, 'f');
  const last = exchange(port, 'last');
  await pause(200);
  for (const socket of silent) socket.destroy();
  expect(await last).toBe('last');
});

test('the command neither sees nor counts what serves its ports, and ends as without them', async (context) => {
  if (!keeper.isAvailable) return context.skip(keeper.reason);
  const [port, other] = [await freePort(), await freePort()];
  const spec = { ...own, publishPorts: [port], hostPorts: [other] };
  const seen = start('ls -d /proc/[0-9]*; true', spec, { limits: { processes: 4 } });
  const exit = await seen.handle.done;
  expect([exit.exitCode, exit.cause, exit.leftoversKilled]).toEqual([0, 'none', 0]);
  // The shell, its init and `ls`.
  expect((await exit.output.read(0, 4096)).toString().split('\n').filter(Boolean).length).toBeLessThanOrEqual(3);
  const late = start('trap "" TERM; sleep 60 & echo up; wait; sleep 60', spec);
  expect(await late.up()).toBe(true);
  late.handle.kill({ graceMs: 100 });
  expect((await late.handle.done).cause).toBe('cancelled');
  // The same supervisor takes the next command, with the same ports.
  for (let i = 0; i < 3; i += 1) expect((await late.runner.start(request('true', spec)).done).exitCode).toBe(0);
});

test('one command cannot publish the port of another, and reaches no port that another publishes', async (context) => {
  if (!keeper.isAvailable) return context.skip(keeper.reason);
  const port = await freePort();
  const { up } = start(serve(port, ECHO), { ...own, publishPorts: [port] });
  expect(await up()).toBe(true);
  const second = start('echo ran', { ...own, publishPorts: [port] });
  await expect(second.handle.done).rejects.toThrow(`cannot listen on 127.0.0.1:${port}: EADDRINUSE`);
  const third = start(`exec 3<>/dev/tcp/127.0.0.1/${port}`, own);
  expect((await third.handle.done).exitCode).not.toBe(0);
});

const statusOf = (pid: string) => {
  try {
    return readFileSync(`/proc/${pid}/status`, 'latin1');
  } catch {
    return '';
  }
};
const parentOf = (pid: string) => Number(/^PPid:\s+(\d+)/m.exec(statusOf(pid))?.[1] ?? 0);
const nameOf = (pid: string) => /^Name:\s+(.*)$/m.exec(statusOf(pid))?.[1] ?? '';
const residentBytes = (pid: string) => Number(/^VmRSS:\s+(\d+)/m.exec(statusOf(pid))?.[1] ?? 0) * 1024;
const ticksOf = (pid: string) => {
  const fields = readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ')[1]?.split(' ') ?? [];
  return Number(fields[11]) + Number(fields[12]);
};
