// Listeners that were handed to a host: they are gone with it, and do not keep it from ending.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ConfinementSpec } from '../../src/confine/port.ts';
import type { RunRequest } from '../../src/run/port.ts';
import { readRecord, stopTask } from '../../src/run/record.ts';
import { keeperUnderTest as keeper } from '../contract/keeper-under-test.ts';
import { until } from '../contract/marks.ts';

const HOST = fileURLToPath(new URL('../fixtures/host.js', import.meta.url));
const RUNNER = new URL('../../dist/run/keeper/runner.js', import.meta.url).href;
let folder = '';
beforeAll(() => {
  folder = realpathSync(mkdtempSync(join(homedir(), 'hardshell-hand-over-')));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const own: ConfinementSpec = {
  tier: 'namespaces',
  paths: [
    { kind: 'device', path: '/dev/null' },
    { kind: 'write', path: realpathSync(homedir()) },
  ],
  reads: 'all',
  network: 'own',
  unixSockets: 'pairs',
  optional: [],
};

function request(script: string, confinement: ConfinementSpec): RunRequest {
  return { program: 'bash', argv: ['bash', '-c', script], cwd: folder, env: { PATH: '/usr/bin:/bin' }, confinement };
}

test('when the host is killed, a background task is refused where it was served', async (context) => {
  if (!keeper.isAvailable) return context.skip(keeper.reason);
  const server = createServer((socket) => socket.end()).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const log = join(folder, 'task.log');
  const record = join(folder, 'task.json');
  const script = `while :; do if (exec 3<>/dev/tcp/127.0.0.1/${port}) 2>/dev/null; then echo open; else echo closed; fi; sleep 0.05; done`;
  const host = spawn(
    process.execPath,
    [
      HOST,
      keeper.path,
      JSON.stringify({
        ...request(script, { ...own, hostPorts: [port] }),
        background: true,
        spool: { path: log },
        record: { path: record, fields: {} },
      }),
    ],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  const lines = () => readFileSync(log, 'latin1').split('\n');
  await once(host.stdout as NodeJS.ReadableStream, 'data');
  try {
    expect(await until(() => lines().includes('open'), 15_000)).toBe(true);
    expect(lines()).not.toContain('closed');
    host.kill('SIGKILL');
    await once(host, 'exit');
    expect(await until(() => lines().includes('closed'), 15_000)).toBe(true);
  } finally {
    host.kill('SIGKILL');
    stopTask(readRecord(record));
    server.close();
  }
});

test('a host with nothing left to do exits', async (context) => {
  if (!keeper.isAvailable) return context.skip(keeper.reason);
  const started = request('true', { ...own, proxyPort: 3128, hostPorts: [3129] });
  const script = `
    const { KeeperRunner } = await import(${JSON.stringify(RUNNER)});
    const runner = new KeeperRunner(${JSON.stringify(keeper.path)});
    const onListener = (server) => void server.on('connection', (socket) => socket.destroy());
    const { exitCode } = await runner.start({ ...${JSON.stringify(started)}, onListener }).done;
    console.log(exitCode);`;
  const host = spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: ['ignore', 'pipe', 'inherit'] });
  let text = '';
  host.stdout.on('data', (bytes: Buffer) => {
    text += bytes;
  });
  const timer = setTimeout(() => host.kill('SIGKILL'), 15_000);
  const [code, signal] = await once(host, 'exit');
  clearTimeout(timer);
  expect([code, signal, text]).toEqual([0, null, '0\n']);
});
