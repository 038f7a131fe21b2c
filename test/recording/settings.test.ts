// What the settings say about alerts and telemetry, as a person meets it: real processes, a real receiver on this machine.

import { type ChildProcess, spawn } from 'node:child_process';
import { createHmac } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { type Reaction, type Received, Receiver } from './readers/receiver.ts';

vi.setConfig({ testTimeout: 60_000, hookTimeout: 90_000 });

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const BIN = join(ROOT, 'bin/hardshell.js');
const SDK = pathToFileURL(fileURLToPath(new URL('readers/telemetry-sdk.mjs', import.meta.url))).href;
const KEY = 'an example of 32 bytes of secret';
const SECRET = `whsec_${Buffer.from(KEY).toString('base64')}`;

let top: string;
let receiver: Receiver;
const children = new Set<ChildProcess>();
beforeEach(async () => {
  top = realpathSync(mkdtempSync(join(tmpdir(), 'hs-told-')));
  for (const folder of ['home', 'work']) mkdirSync(join(top, folder));
  receiver = await Receiver.open();
});
afterEach(async () => {
  for (const child of children) child.kill('SIGKILL');
  children.clear();
  await receiver.close();
  rmSync(top, { recursive: true, force: true, maxRetries: 5 });
});

function write(name: string, content: object | string, mode = 0o600): string {
  const file = join(top, name);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
  chmodSync(file, mode);
  return file;
}

const USER = 'home/.config/hardshell/settings.json';
const webhook = (more: object = {}) => ({ url: receiver.url, secretVariable: 'HOOK_SECRET', ...more });

interface Ended {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Not spawnSync: the receiver lives in this process. */
function cli(args: readonly string[], env: Record<string, string> = {}): Promise<Ended> {
  const child = spawn(process.execPath, [BIN, ...args], {
    cwd: join(top, 'work'),
    env: {
      PATH: process.env.PATH ?? '',
      HOME: join(top, 'home'),
      HARDSHELL_STATE_DIR: join(top, 'state'),
      HARDSHELL_RUNTIME_DIR: join(top, 'runtime'),
      LANG: 'C.UTF-8',
      HOOK_SECRET: SECRET,
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  children.add(child);
  let [stdout, stderr] = ['', ''];
  child.stdout?.on('data', (chunk) => {
    stdout += chunk;
  });
  child.stderr?.on('data', (chunk) => {
    stderr += chunk;
  });
  return new Promise((resolve) => {
    child.on('close', (status) => {
      children.delete(child);
      resolve({ status, stdout, stderr });
    });
  });
}

function react(...reactions: Reaction[]): void {
  receiver.reactions = reactions;
}

function isSigned({ headers, body }: Received): boolean {
  const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`;
  return headers['webhook-signature'] === `v1,${createHmac('sha256', KEY).update(signed).digest('base64')}`;
}

const REFUSED = ['run', 'rm -rf /'];
const NOT_SENT = /hardshell: Alerts are not sent: /;

describe('a webhook of the user', () => {
  beforeEach(() => write(USER, { alerts: { webhook: webhook() } }));

  test('gets what was refused, signed, and nothing of what ran', async () => {
    expect(await cli(['run', 'echo hello'])).toMatchObject({ status: 0, stdout: 'hello\n', stderr: '' });
    const { status, stderr } = await cli(REFUSED);
    expect(status).toBe(126);
    expect(stderr).not.toMatch(/alert/i);
    expect(receiver.received).toHaveLength(1);
    const [told] = receiver.received as [Received];
    expect(isSigned(told)).toBe(true);
    expect(JSON.parse(told.body)).toMatchObject({ type: 'hardshell.refused', data: { command: 'rm -rf /' } });
  });

  test('that fails and then works gets the same alert again', async () => {
    react(500, 204);
    const { status, stderr } = await cli(REFUSED);
    expect(status).toBe(126);
    expect(stderr).not.toMatch(/alert/i);
    const ids = receiver.received.map(({ headers }) => headers['webhook-id']);
    expect(ids).toEqual([ids[0], ids[0]]);
    expect(receiver.received.every(isSigned)).toBe(true);
  });

  test.each<[string, () => Promise<void>]>([
    ['that only fails', async () => react(500)],
    ['that never answers', async () => react(() => {})],
    [
      'that is down',
      async () => {
        const server = createServer().listen(0, '127.0.0.1');
        const { port } = await new Promise<AddressInfo>((resolve) =>
          server.once('listening', () => resolve(server.address() as AddressInfo)),
        );
        await new Promise((resolve) => server.close(resolve));
        write(USER, { alerts: { webhook: webhook({ url: `http://127.0.0.1:${port}/` }) } });
      },
    ],
  ])('%s changes nothing about the command, and is said at the end', async (_name, prepare) => {
    await prepare();
    const { status, stderr } = await cli(REFUSED);
    expect(status).toBe(126);
    expect(stderr).toMatch(/hardshell: 1 alert was not delivered to the webhook/);
    expect(await cli(['run', 'echo hello'])).toMatchObject({ status: 0, stdout: 'hello\n', stderr: '' });
  });

  test('that does not want it is said with its address, not with its path', async () => {
    react(410);
    const { status, stderr } = await cli(REFUSED);
    expect(status).toBe(126);
    expect(stderr).toMatch(/An alert could not be delivered to http:\/\/127\.0\.0\.1:\d+: answered with 410\./);
    expect(stderr).not.toMatch(/s3cret-path/);
  });

  test('of `mcp` gets what its clients were refused', async () => {
    const child = spawn(process.execPath, [BIN, 'mcp'], {
      cwd: join(top, 'work'),
      env: {
        PATH: process.env.PATH ?? '',
        HOME: join(top, 'home'),
        HARDSHELL_STATE_DIR: join(top, 'state'),
        HARDSHELL_RUNTIME_DIR: join(top, 'runtime'),
        HOOK_SECRET: SECRET,
      },
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    children.add(child);
    const send = (message: object) => child.stdin?.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
    const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'bare', version: '1' } };
    send({ id: 1, method: 'initialize', params });
    send({ method: 'notifications/initialized' });
    send({ id: 2, method: 'tools/call', params: { name: 'bash', arguments: { command: 'rm -rf /' } } });
    await receiver.until(1);
    expect(JSON.parse((receiver.received[0] as Received).body)).toMatchObject({ type: 'hardshell.refused' });
    const ended = new Promise((resolve) => child.on('close', resolve));
    child.stdin?.end();
    expect(await ended).toBe(0);
  });
});

describe('the attack: a project says where alerts go', () => {
  test.each([
    ['a folder that is not trusted', {}],
    ['a folder that is trusted', { trustedFolders: ['~/../work'] }],
  ])('%s: nothing goes there, and a notice says why', async (_name, user) => {
    write(USER, user);
    write('work/.hardshell/settings.json', { alerts: { kinds: ['denied'], webhook: webhook() } });
    expect((await cli(REFUSED)).status).toBe(126);
    const { stdout, stderr } = await cli(['config', 'show']);
    expect(receiver.received).toEqual([]);
    expect(JSON.parse(stdout).alerts).toEqual({});
    expect(stderr).toMatch(
      /alerts\.webhook\.url: This counts in user settings, a --settings file and managed settings/,
    );
  });

  test('nor can it take the telling away', async () => {
    write(USER, { alerts: { webhook: webhook() } });
    write('work/.hardshell/settings.json', {
      alerts: { kinds: [], minSeverity: 'critical', webhook: webhook({ url: 'https://evil.example/' }) },
    });
    await cli(REFUSED);
    expect(receiver.received).toHaveLength(1);
  });
});

describe('the secret', () => {
  test("from a file of one's own", async () => {
    write('home/secret', `${SECRET}\n`);
    write(USER, { alerts: { webhook: { url: receiver.url, secretFile: '~/secret' } } });
    await cli(REFUSED);
    expect(receiver.received.map(isSigned)).toEqual([true]);
    const { stdout } = await cli(['config', 'show']);
    expect(JSON.parse(stdout).secretPaths).toContain(`/${join(top, 'home/secret')}`);
    expect(stdout).not.toContain(SECRET);
  });

  test('from a variable that commands do not get, even when they are given everything', async () => {
    write(USER, { alerts: { webhook: webhook() }, environment: { keep: ['HOOK_SECRET', 'OTHER'] } });
    const { stdout } = await cli(['run', '--yes', 'echo "<$HOOK_SECRET><$OTHER>"'], { OTHER: 'x' });
    expect(stdout).toBe('<><x>\n');
  });

  test.each<[string, () => object, RegExp]>([
    ['a file that others can read', () => fileOf(0o644), /Other users can read the secret/],
    ['a file that is not there', () => ({ url: receiver.url, secretFile: '~/none' }), /cannot be read/],
    ['a folder', () => ({ url: receiver.url, secretFile: '~/.config' }), /not a small regular file/],
    ['a variable that is not set', () => webhook({ secretVariable: 'NOT_SET' }), /NOT_SET.*is not set/],
    ['two of them', () => ({ ...fileOf(0o600), ...webhook() }), /Remove one of them/],
    ['none', () => ({ url: receiver.url }), /has no secret/],
    ['one that is too short', () => webhook({ secretVariable: 'SHORT' }), /shorter than 24 bytes/],
    ['one without an address', () => ({ secretVariable: 'HOOK_SECRET' }), /no alerts\.webhook\.url/],
  ])('%s: it is said, nothing is sent, and commands run', async (_name, settings, message) => {
    write(USER, { alerts: { webhook: settings() } });
    const { status, stdout, stderr } = await cli(['run', 'echo hello'], { SHORT: 'short' });
    expect({ status, stdout }).toEqual({ status: 0, stdout: 'hello\n' });
    expect(stderr).toMatch(NOT_SENT);
    expect(stderr).toMatch(message);
    expect(stderr).not.toMatch(/^\s+at /m);
  });

  const fileOf = (mode: number) => {
    write('home/secret', SECRET, mode);
    return { url: receiver.url, secretFile: '~/secret' };
  };

  test.each([
    ['http://example.com/hook'],
    ['https://user:password@example.com/'],
    ['http://127.0.0.1.evil.example/'],
    ['ftp://example.com'],
    ['example.com'],
  ])('the address %s is refused with its place', async (url) => {
    write(USER, { alerts: { webhook: webhook({ url }) } });
    const { status, stderr } = await cli(['run', 'echo hello']);
    expect(status).toBe(2);
    expect(stderr).toMatch(/settings\.json:1:\d+: alerts\.webhook\.url cannot be .*Write https:\/\/host\/path/s);
  });
});

describe('which alerts', () => {
  const rows: [string, object, readonly string[], readonly string[]][] = [
    ['a rule that denies is no alert', {}, ['run', 'make deploy'], []],
    ['unless it is asked for', { kinds: ['denied'] }, ['run', 'make deploy'], ['hardshell.denied']],
    ['other kinds are not told then', { kinds: ['denied'] }, REFUSED, []],
    ['a limit', { kinds: ['limited'] }, ['run', 'head -c 300000 /dev/zero'], ['hardshell.limited']],
    [
      'what is not serious enough',
      { kinds: ['limited'], minSeverity: 'high' },
      ['run', 'head -c 300000 /dev/zero'],
      [],
    ],
  ];
  test.each(rows)('%s', async (_name, alerts, args, told) => {
    write(USER, {
      permissions: { deny: ['Bash(make deploy)'] },
      limits: { outputBytes: 100_000 },
      alerts: { ...alerts, webhook: webhook() },
    });
    await cli(args);
    expect(receiver.received.map(({ body }) => JSON.parse(body).type)).toEqual(told);
  });
});

describe('telemetry', () => {
  const run = async (settings: object) => {
    write(USER, { telemetry: settings });
    const spans = join(top, 'spans');
    const { status, stderr } = await cli(['run', 'echo hello'], { NODE_OPTIONS: `--import ${SDK}`, SPANS: spans });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    return existsSync(spans)
      ? readFileSync(spans, 'utf8')
          .trim()
          .split('\n')
          .map((line) => JSON.parse(line))
      : [];
  };

  test('an SDK that is registered gets a span of each command, without the command', async () => {
    const spans = await run({});
    expect(spans).toMatchObject([{ name: 'hardshell.request', attributes: { 'process.exit.code': 0 } }]);
    expect(JSON.stringify(spans)).not.toContain('hello');
  });

  test('with the command where the settings say so', async () => {
    expect(await run({ withCommand: true })).toMatchObject([{ attributes: { 'process.command_line': 'echo hello' } }]);
  });

  test('nothing where they switch it off', async () => {
    expect(await run({ enabled: false })).toEqual([]);
  });
});
