// Whether the supervisor can make connections for a command: to its proxy without namespaces, and to listed socket files.
// Tested with a real connection: each call that it needs may be refused separately, and only when it is used.

import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CheckFinding } from '../confine/doctor/diagnosis.ts';
import type { MachineFacts } from '../confine/doctor/machine.ts';
import { brokerRemedies } from '../confine/doctor/remedies.ts';
import type { KernelSupport } from '../confine/kernel-support.ts';
import type { ConfinementSpec } from '../confine/port.ts';
import type { Runner } from '../run/port.ts';

const PATIENCE_MS = 10_000;
const CONNECT = `require('net').connect(JSON.parse(process.argv[1]))
  .on('connect', () => process.exit(0)).on('error', ({ code }) => { console.log(code); process.exit(1); });`;

export async function checkBroker(machine: MachineFacts, runner: Runner, probe: KernelSupport): Promise<CheckFinding> {
  const base = { name: 'broker', details: [] } as const;
  if (probe.tier === 'none') return { ...base, state: 'note', says: 'not tested: no confinement here', fixes: [] };
  const error = await tryConnection(runner, probe.tier, probe);
  if (error === null && probe.tier === 'namespaces' && probe.hasOwnSockets !== true)
    return {
      ...base,
      state: 'note',
      says: 'connects commands to listed addresses; programs have no unix sockets of their own',
      details: ['the kernel cannot tell sockets of a command from those of the host'],
      fixes: ['Load the kernel module unix_diag: sudo modprobe unix_diag'],
    };
  if (error === null)
    return { ...base, state: 'good', says: 'connects commands to the addresses that their settings list', fixes: [] };
  const lost =
    probe.tier === 'landlock'
      ? 'commands have no network: no proxy, no allowPorts, no publishPorts, no allowUnixSockets'
      : 'programs have no unix sockets of their own, and allowUnixSockets cannot be used';
  return { ...base, state: 'weaker', says: `does not work here (${error}): ${lost}`, fixes: brokerRemedies(machine) };
}

/** Null if it works, otherwise the error. */
async function tryConnection(
  runner: Runner,
  tier: 'namespaces' | 'landlock',
  probe: KernelSupport,
): Promise<string | null> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'hardshell-doctor-')));
  const server = createServer((socket) => socket.on('error', () => {}).end());
  try {
    const path = join(folder, 'socket');
    const port = tier === 'landlock' ? await listen(server, { host: '127.0.0.1', port: 0 }) : null;
    if (port === null) await listen(server, { path });
    const confinement: ConfinementSpec = {
      tier,
      paths: [],
      reads: 'all',
      unixSockets: probe.hasOwnSockets === true && port === null ? 'own' : 'pairs',
      optional: probe.missing.map(({ step }) => step),
      ...(port === null ? { network: 'own', unixPaths: [path] } : { network: 'listed', proxyPort: port }),
    };
    const place = JSON.stringify(port === null ? { path } : { host: '127.0.0.1', port });
    const argv = ['node', '-e', CONNECT, place];
    const request = { program: process.execPath, argv, cwd: '/', env: {}, timeoutMs: PATIENCE_MS, confinement };
    const { exitCode, output } = await runner.start(request).done;
    if (exitCode === 0) return null;
    return (await output.read(0, 100)).toString().trim() || 'no connection';
  } catch (error) {
    const cause = (error as Error).cause as { failed?: string; error?: string } | undefined;
    return cause?.failed === undefined ? (error as Error).message : `${cause.failed}: ${cause.error}`;
  } finally {
    server.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

function listen(server: Server, place: { host: string; port: number } | { path: string }): Promise<number | null> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(place, () => {
      const address = server.address();
      resolve(typeof address === 'object' && address !== null ? address.port : null);
    });
  });
}
