// A confined command against the sockets of the processes that ask: it may connect, and still it gets no word in.
// With `allowAllUnixSockets`, and with its own client: what the command line refuses is not a protection.

import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createBroker } from '../../src/approve/broker.ts';
import { openApprovalSocket } from '../../src/approve/socket/socket-server.ts';
import { createShell } from '../../src/pipeline/shell.ts';
import { listForeground } from '../../src/tasks/foreground/watching.ts';
import { makeRequest } from '../approving/subject.ts';
import { writeTree } from './place.ts';
import { useProjects } from './project.ts';

/** Says what it can read beside each socket, and sends its requests with all of that and without. */
const ATTACKER = `
import { readdirSync, readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
const { folder, requests, wait } = JSON.parse(readFileSync('attack.json', 'utf8'));
const names = () => { try { return readdirSync(folder); } catch { return []; } };
for (const end = Date.now() + wait; names().length === 0 && Date.now() < end; ) await new Promise((r) => setTimeout(r, 50));
const secrets = [undefined, ''];
for (const name of names()) {
  try { secrets.push(readFileSync(join(folder, name), 'utf8').trim()); console.log('read', name); } catch {}
}
const send = (path, request) => new Promise((resolve) => {
  const socket = connect(path);
  let said = '';
  socket.on('data', (chunk) => { said += chunk; });
  socket.on('error', (error) => resolve(error.code));
  socket.on('close', () => resolve(said));
  socket.on('connect', () => socket.write(JSON.stringify(request) + '\\n'));
  setTimeout(() => socket.destroy(), 3000);
});
for (const name of names().filter((each) => each.endsWith('.sock')))
  for (const key of new Set(secrets))
    for (const request of requests) console.log(name, await send(join(folder, name), { v: 1, ...request, key }));
`;

let runtime = '';
let before: string | undefined;
beforeEach(() => {
  before = process.env.HARDSHELL_RUNTIME_DIR;
  // Not in a temporary folder: a command has a private one.
  const parent = ['/srv', '/opt', tmpdir()].find((folder) => {
    try {
      runtime = mkdtempSync(join(folder, 'hs-'));
      return true;
    } catch {
      return false;
    }
  });
  if (parent === undefined) throw new Error('no folder can be made');
  chmodSync(runtime, 0o700);
  process.env.HARDSHELL_RUNTIME_DIR = join(runtime, 'run');
});
afterEach(() => {
  if (before === undefined) delete process.env.HARDSHELL_RUNTIME_DIR;
  else process.env.HARDSHELL_RUNTIME_DIR = before;
  rmSync(runtime, { recursive: true, force: true });
});

const SETTINGS = { sandbox: { network: { allowAllUnixSockets: true } } };
const ANSWERS = (code: string) => [
  { do: 'list' },
  { do: 'find', code },
  { do: 'answer', code, by: 'cli', reply: { verdict: 'allow' } },
  { do: 'answer', code, by: 'cli', reply: { verdict: 'deny' } },
];

describe.skipIf(process.platform !== 'linux').each(['namespaces', 'landlock'] as const)('by %s', (tier) => {
  const { bare } = useProjects(tier);

  test('a command cannot answer its own question, nor see it, with its own client', async (context) => {
    const place = await bare(context, { settings: SETTINGS });
    const broker = createBroker();
    const socket = await openApprovalSocket(broker);
    const asked = broker.ask(makeRequest());
    const [{ code } = { code: '' }] = broker.pending();
    const attack = { folder: join(runtime, 'run/approvals'), requests: ANSWERS(code), wait: 0 };
    writeTree(place.project, { 'attack.mjs': ATTACKER, 'attack.json': JSON.stringify(attack) });
    const { output, exitCode } = await place.run('node attack.mjs');
    expect(exitCode).toBe(0);
    expect(output).not.toMatch(/^read|git push|"receipt"/m);
    if (tier === 'landlock') expect(output).toContain('Permission denied');
    expect(broker.pending()).toHaveLength(1);
    broker.close();
    expect(await asked).toMatchObject({ verdict: 'deny', by: 'closed' });
    await socket.close();
  });

  test('nor when the folder of the sockets is made after it has started', async (context) => {
    const place = await bare(context, { settings: SETTINGS });
    const broker = createBroker();
    const asked = broker.ask(makeRequest());
    broker.attach({ name: 'other', present() {}, withdraw() {} });
    const waiting = broker.ask(makeRequest());
    const [{ code } = { code: '' }] = broker.pending();
    const attack = { folder: join(runtime, 'run/approvals'), requests: ANSWERS(code), wait: 3_000 };
    writeTree(place.project, {
      'attack.mjs': `console.log('begun');${ATTACKER}`,
      'attack.json': JSON.stringify(attack),
    });
    const running = place.run('node attack.mjs');
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    const socket = await openApprovalSocket(broker);
    const { output } = await running;
    expect(output).toContain('begun');
    expect(output).not.toMatch(/^read|git push|"receipt"/m);
    expect(broker.pending()).toHaveLength(1);
    broker.close();
    expect(await waiting).toMatchObject({ verdict: 'deny', by: 'closed' });
    expect(await asked).toMatchObject({ verdict: 'deny' });
    await socket.close();
  });

  test('a command cannot end another, nor read its output', async (context) => {
    const place = await bare(context, { settings: SETTINGS });
    // Commands of one shell that change something take turns.
    const shell = createShell({ settingsFile: place.settingsFile, tasksFolder: join(place.base, 'other') });
    const other = shell.run('echo private; sleep 6; echo done', { cwd: place.project });
    const find = async () => (await listForeground()).commands[0];
    let listed = await find();
    for (let tries = 0; listed === undefined && tries < 40; tries += 1) {
      await new Promise((resolve) => setTimeout(resolve, 50));
      listed = await find();
    }
    const requests = ['list', 'follow', 'stop'].map((verb) => ({ do: verb, id: listed?.id }));
    const attack = { folder: join(runtime, 'run/running'), requests, wait: 0 };
    writeTree(place.project, { 'attack.mjs': ATTACKER, 'attack.json': JSON.stringify(attack) });
    const { output } = await place.run('node attack.mjs');
    expect(listed).toBeDefined();
    if (tier === 'landlock') expect(output).toContain('Permission denied');
    expect(output).not.toMatch(/^read|private|"stopped"|"command"/m);
    expect((await other).output).toBe('private\ndone\n');
    await shell.close();
  });

  test('the command line says why it is refused inside, regardless of the environment', async (context) => {
    const place = await bare(context, { settings: SETTINGS });
    if (!existsSync('dist/index.js')) context.skip('not built');
    mkdirSync(join(runtime, 'run'), { recursive: true, mode: 0o700 });
    const broker = createBroker();
    const socket = await openApprovalSocket(broker);
    const asked = broker.ask(makeRequest());
    const [{ code } = { code: '' }] = broker.pending();
    const program = `${process.execPath} ${join(process.cwd(), 'bin/hardshell.js')}`;
    const line = `env -i HOME="$HOME" PATH="$PATH" HARDSHELL_RUNTIME_DIR=${join(runtime, 'run')} ${program} approve ${code}`;
    writeTree(place.project, { 'cli.sh': `${line}; echo "exit $?"\n` });
    const { output } = await place.run('sh cli.sh');
    expect(output).toMatch(/exit [12]\n/);
    broker.close();
    expect(await asked).toMatchObject({ verdict: 'deny', by: 'closed' });
    await socket.close();
  });
});
