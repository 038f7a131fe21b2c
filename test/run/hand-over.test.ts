// Listeners that were handed to a host do not keep it from ending.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ConfinementSpec } from '../../src/confine/port.ts';
import type { RunRequest } from '../../src/run/port.ts';
import { keeperUnderTest as keeper } from '../contract/keeper-under-test.ts';
import { ownNetwork as own } from './own-network.ts';

const RUNNER = new URL('../../dist/run/keeper/runner.js', import.meta.url).href;
let folder = '';
beforeAll(() => {
  folder = realpathSync(mkdtempSync(join(homedir(), 'hardshell-hand-over-')));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function request(script: string, confinement: ConfinementSpec): RunRequest {
  return { program: 'bash', argv: ['bash', '-c', script], cwd: folder, env: { PATH: '/usr/bin:/bin' }, confinement };
}

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
