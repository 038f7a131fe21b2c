// Every type of record is produced for real: here those that no run of a command produces.

import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { type AuditRecord, auditObserver, tailAudit } from '../../src/api/audit.ts';
import { callbackSurface, createBroker, createShell, learn, openRecording, type ShellOptions } from '../../src/host.ts';
import { hasProgram, makePlace, whyNoKeeper } from '../sandboxed/place.ts';
import { createPlace, openAt } from './subject.ts';

vi.setConfig({ testTimeout: 60_000, hookTimeout: 90_000 });

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const BIN = join(ROOT, 'bin/hardshell.js');

test('operation: each host that a command reached through the proxy, once', async (context) => {
  if (whyNoKeeper !== null) return context.skip(whyNoKeeper);
  if (!hasProgram('curl')) return context.skip('curl is not installed');
  const server = createServer((_, response) => response.end('served')).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as AddressInfo;
  const log = createPlace();
  const audit = openAt(log);
  const place = makePlace({
    settings: {
      domains: { allow: [`127.0.0.1:${port}`] },
      sandbox: { network: { allowAddresses: [`127.0.0.1:${port}`] } },
    },
    shell: { observers: [auditObserver(audit)] },
  });
  try {
    const { tier } = await place.shell.enforcement({ cwd: place.project });
    if (tier !== 'namespaces') return context.skip(`this machine confines by ${tier}`);
    const get = (url: string) => `curl -sS --noproxy '' ${url}`;
    const reached = get(`http://127.0.0.1:${port}/`);
    const { output } = await place.run(`${reached}; ${reached}; ${get(`http://127.0.0.1:${port + 1}/`)}`);
    expect(output).toContain('servedserved');
    const { task } = tailAudit({ folder: log.folder, types: ['verdict'] })[0] as AuditRecord & {
      task: string;
    };
    const seen = tailAudit({ folder: log.folder, types: ['operation', 'violation'] });
    expect(seen).toMatchObject([
      { type: 'operation', operation: 'connect', target: `127.0.0.1:${port}`, address: '127.0.0.1', task },
      { type: 'violation', operation: 'connect', target: `127.0.0.1:${port + 1}`, task },
    ]);
  } finally {
    await place.close();
    await audit.close();
    log.remove();
    server.close();
  }
});

describe('permit: what is only asked about is recorded as it was decided', () => {
  const open = (onAsk: () => { verdict: 'allow' | 'deny' }) => {
    const log = createPlace();
    const broker = createBroker();
    broker.attach(callbackSurface(onAsk));
    const audit = openAt(log);
    const shell = createShell({ broker, observers: [auditObserver(audit)], tasksFolder: join(log.root, 'tasks') });
    const close = async () => {
      await shell.close();
      broker.close();
      await audit.close();
      log.remove();
    };
    return { log, shell, close };
  };

  test('with the answer of the user', async () => {
    const { log, shell, close } = open(() => ({ verdict: 'allow' }));
    expect(await shell.permit('touch x', { cwd: log.root, session: 's1' })).toMatchObject({ isAllowed: true });
    const records = tailAudit({ folder: log.folder });
    expect(records).toMatchObject([
      { type: 'verdict', verdict: 'ask', command: 'touch x', session: 's1', task: expect.stringMatching(/^permit-/) },
      { type: 'answer', verdict: 'allow', command: 'touch x' },
    ]);
    await close();
  });

  test('what cannot be recorded is not permitted', async () => {
    const { log, shell, close } = open(() => ({ verdict: 'allow' }));
    writeFileSync(log.folder, 'not a folder');
    await expect(shell.permit('touch x', { cwd: log.root })).rejects.toMatchObject({ code: 'unwritable-audit' });
    await close();
  });
});

test('createShell records as the settings say, and closes what it was given', async () => {
  const top = realpathSync(mkdtempSync(join(tmpdir(), 'hs-produced-')));
  const before = { ...process.env };
  Object.assign(process.env, { HARDSHELL_STATE_DIR: join(top, 'state'), XDG_CONFIG_HOME: join(top, 'config') });
  try {
    const told: string[] = [];
    const recording = openRecording({ cwd: top, onAlert: ({ kind }) => void told.push(kind) });
    const shell = createShell({ recording });
    await shell.run('rm -rf /', { cwd: top });
    await shell.close();
    expect(told).toEqual(['refused']);
    expect(tailAudit({ folder: join(top, 'state/audit') }).map(({ type }) => type)).toEqual(['verdict', 'end']);
  } finally {
    for (const name of ['HARDSHELL_STATE_DIR', 'XDG_CONFIG_HOME']) delete process.env[name];
    Object.assign(process.env, before);
    rmSync(top, { recursive: true });
  }
});

describe('a shell records by default', () => {
  let top: string;
  beforeEach(() => {
    top = realpathSync(mkdtempSync(join(tmpdir(), 'hs-produced-')));
    vi.stubEnv('HARDSHELL_STATE_DIR', join(top, 'state'));
    vi.stubEnv('XDG_CONFIG_HOME', join(top, 'config'));
    mkdirSync(join(top, 'config/hardshell'), { recursive: true });
  });
  afterEach(() => {
    vi.unstubAllEnvs();
    rmSync(top, { recursive: true });
  });
  const folder = () => join(top, 'state/audit');
  const typesOf = () => (existsSync(folder()) ? tailAudit({ folder: folder() }).map(({ type }) => type) : null);

  async function use(options: ShellOptions): Promise<void> {
    const shell = createShell({ cwd: top, ...options });
    await shell.run('rm -rf /');
    await shell.close();
  }

  test('in the audit log of the user, once', async () => {
    await use({});
    expect(typesOf()).toEqual(['verdict', 'end']);
  });

  test('and notifies observers in addition', async () => {
    const seen: string[] = [];
    await use({ observers: [{ onEnd: (_, { status }) => void seen.push(status) }] });
    expect([seen, typesOf()]).toEqual([['denied'], ['verdict', 'end']]);
  });

  test('not if the caller says so, or the settings', async () => {
    await use({ recording: false });
    expect(typesOf()).toBe(null);
    writeFileSync(join(top, 'config/hardshell/settings.json'), '{"audit": {"enabled": false}}');
    await use({});
    expect(typesOf()).toBe(null);
  });

  test('nothing is opened before the first request', async () => {
    const shell = createShell({ cwd: top });
    shell.check('ls');
    await shell.tasks();
    await shell.close();
    expect(typesOf()).toBe(null);
  });

  test('a permission and a lesson are recorded as well', async () => {
    const shell = createShell({ cwd: top });
    await shell.permit('ls');
    await shell.close();
    expect(typesOf()).toEqual(['verdict']);
    await learn('rm -rf /', { cwd: top, tasksFolder: join(top, 'tasks') });
    expect(typesOf()).toEqual(['verdict', 'verdict']);
  });

  test('a command that cannot be recorded does not run', async () => {
    mkdirSync(join(top, 'state'), { mode: 0o700 });
    writeFileSync(folder(), 'not a folder');
    const shell = createShell({ cwd: top, tasksFolder: join(top, 'tasks') });
    const { status, failure } = await shell.run('true');
    await shell.close();
    expect([status, failure?.message]).toEqual(['failed', expect.stringContaining('could not be recorded')]);
  });
});

describe('settings: every change is recorded', () => {
  let top: string;
  const children = new Set<ChildProcess>();
  beforeEach(() => {
    top = realpathSync(mkdtempSync(join(tmpdir(), 'hs-produced-')));
    for (const folder of ['home/.claude', 'work']) mkdirSync(join(top, folder), { recursive: true });
    writeFileSync(join(top, 'home/.claude/settings.json'), '{"permissions": {"deny": ["Bash(rm:*)"]}}');
  });
  afterEach(() => {
    for (const child of children) child.kill('SIGKILL');
    children.clear();
    rmSync(top, { recursive: true, force: true, maxRetries: 5 });
  });

  const env = (more: Record<string, string> = {}) => ({
    PATH: process.env.PATH ?? '',
    HOME: join(top, 'home'),
    HARDSHELL_STATE_DIR: join(top, 'state'),
    HARDSHELL_RUNTIME_DIR: join(top, 'runtime'),
    ...more,
  });
  const cli = (args: readonly string[], more?: Record<string, string>) =>
    execFileSync(process.execPath, [BIN, ...args], { cwd: join(top, 'work'), env: env(more), encoding: 'utf8' });
  const changes = () =>
    existsSync(join(top, 'state/audit')) ? tailAudit({ folder: join(top, 'state/audit'), types: ['settings'] }) : [];
  const USER = () => join(top, 'home/.config/hardshell/settings.json');

  test.each<[readonly string[], string, string | null]>([
    [['config', 'add', 'deny', 'Bash(make deploy)'], 'added Bash(make deploy) to deny', 'user'],
    [['config', 'add', 'ask', 'Bash(make)', '--to', 'project'], 'added Bash(make) to ask', 'project'],
    [['config', 'trust', '.'], 'trusted TOP/work', 'user'],
    [
      ['config', 'import', 'claude-code', '--write', 'user'],
      'imported TOP/home/.claude/settings.json of Claude Code',
      'user',
    ],
    [['install', 'claude-code', '--yes'], "added hardshell's hook to Claude Code", null],
  ])('%j', (args, change, layer) => {
    cli(args);
    const [only, ...more] = changes();
    expect(more).toEqual([]);
    expect(only).toMatchObject({ type: 'settings', layer, file: expect.stringContaining(top) });
    expect((only as { change: string }).change).toBe(change.replaceAll('TOP', top));
    // What was there already is no change.
    cli(args);
    expect(changes()).toHaveLength(1);
  });

  test('what is taken back, too', () => {
    for (const args of [
      ['config', 'trust', '.'],
      ['config', 'untrust', '.'],
      ['install', 'claude-code', '--yes'],
      ['install', 'claude-code', '--yes', '--undo'],
    ])
      cli(args);
    expect(changes().map((record) => (record as { change: string }).change)).toEqual([
      `trusted ${top}/work`,
      `no longer trusted ${top}/work`,
      "added hardshell's hook to Claude Code",
      "removed hardshell's hook from Claude Code",
    ]);
  });

  test('a rule that an answer saved', async () => {
    const child = spawn(process.execPath, [BIN, 'run', '--ask', 'touch x'], {
      cwd: join(top, 'work'),
      env: env(),
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    children.add(child);
    const ended = new Promise((resolve) => child.on('close', resolve));
    const code = await new Promise<string>((resolve) => {
      let text = '';
      child.stderr?.on('data', (chunk) => {
        text += chunk;
        const found = /hardshell approve (\S+)/.exec(text)?.[1];
        if (found !== undefined) resolve(found);
      });
    });
    cli(['approve', code, '--scope', 'user', '--rule', 'Bash(touch x)']);
    expect(await ended).toBe(0);
    expect(changes()).toMatchObject([
      { layer: 'user', file: USER(), change: 'added Bash(touch x) to allow, by an answer' },
    ]);
  });

  test('where the log cannot be written the change is made, and it is said', () => {
    writeFileSync(join(top, 'state'), 'not a folder');
    const script = `"$@" 2>&1`;
    const argv = ['-c', script, 'bash', process.execPath, BIN, 'config', 'add', 'deny', 'Bash(make)'];
    const said = execFileSync('bash', argv, { cwd: join(top, 'work'), env: env(), encoding: 'utf8' });
    expect(said).toMatch(/The change was made, but could not be recorded: /);
    expect(said).toMatch(/^Added: deny Bash\(make\)/m);
  });

  test('and nothing where it is switched off', () => {
    mkdirSync(join(top, 'home/.config/hardshell'), { recursive: true });
    writeFileSync(USER(), '{"audit": {"enabled": false}}');
    cli(['config', 'add', 'deny', 'Bash(make)']);
    expect(existsSync(join(top, 'state'))).toBe(false);
  });
});
