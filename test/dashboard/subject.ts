// `hardshell dashboard` under test: real processes in separate folders, and a scripted client.

import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { vi } from 'vitest';
import { type AuditEntry, openAudit } from '../../src/host.ts';

/** Each test starts several processes, and the machine may have other things to do. */
vi.setConfig({ testTimeout: 90_000, hookTimeout: 120_000 });

export const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const BIN = join(ROOT, 'bin/hardshell.js');

export interface Dashboard {
  readonly child: ChildProcess;
  readonly url: string;
  readonly port: number;
  readonly token: string;
  end(): Promise<void>;
}

export class Surroundings {
  readonly folder = realpathSync(mkdtempSync(join(tmpdir(), 'hs-dash-')));
  readonly work = join(this.folder, 'work');
  readonly env: Record<string, string> = {
    PATH: process.env.PATH ?? '',
    LANG: 'C.UTF-8',
    HOME: join(this.folder, 'home'),
    HARDSHELL_RUNTIME_DIR: join(this.folder, 'run'),
    HARDSHELL_STATE_DIR: join(this.folder, 'state'),
  };
  readonly #closers: (() => unknown)[] = [];

  constructor() {
    for (const folder of ['work', 'home', 'state', 'run']) mkdirSync(join(this.folder, folder), { mode: 0o700 });
  }

  onClose(close: () => unknown): void {
    this.#closers.push(close);
  }

  async dashboard(more: readonly string[] = ['--port', '0'], env: Record<string, string> = {}): Promise<Dashboard> {
    const child = this.spawn(['dashboard', '--json', '--cwd', this.work, ...more], env);
    const said = await firstLine(child);
    const { url, port } = JSON.parse(said) as { url: string; port: number };
    const end = async (): Promise<void> => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const exited = once(child, 'exit');
      child.kill('SIGTERM');
      await exited;
    };
    return { child, url, port, token: url.slice(url.indexOf('=') + 1), end };
  }

  /** Another verb of the command line. */
  spawn(args: readonly string[], env: Record<string, string> = {}): ChildProcess {
    const child = spawn(process.execPath, [BIN, ...args], {
      env: { ...this.env, ...env },
      cwd: this.work,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.onClose(() => child.kill('SIGKILL'));
    return child;
  }

  cli(...args: string[]): string {
    return execFileSync(process.execPath, [BIN, ...args], { env: this.env, encoding: 'utf8', cwd: this.work });
  }

  async record(entries: readonly AuditEntry[]): Promise<void> {
    const state = this.env.HARDSHELL_STATE_DIR as string;
    const audit = openAudit({ folder: join(state, 'audit'), keyFolder: join(state, 'keys') });
    for (const entry of entries) await audit.record(entry);
    await audit.close();
  }

  async close(): Promise<void> {
    for (const close of this.#closers.reverse()) await close();
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

async function firstLine(child: ChildProcess): Promise<string> {
  let [text, complaints] = ['', ''];
  child.stderr?.on('data', (chunk) => {
    complaints += chunk;
  });
  return new Promise((resolve, reject) => {
    child.stdout?.on('data', (chunk) => {
      text += chunk;
      if (text.includes('\n')) resolve(text.slice(0, text.indexOf('\n')));
    });
    child.on('exit', (code) => reject(new Error(`it ended with ${code}: ${complaints}`)));
  });
}

export interface Reply {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly text: string;
}

export interface Sent {
  readonly method?: string;
  readonly path: string;
  /** `undefined` leaves a header away. */
  readonly headers?: Record<string, string | undefined>;
  readonly body?: string | object;
  /** Of a stream: the reply is what came until this is true. */
  readonly until?: (text: string) => boolean;
}

/** Node's own client: `fetch` does not let a Host header through. */
export function send(port: number, { method, path, headers = {}, body, until }: Sent): Promise<Reply> {
  const all = { 'content-type': body === undefined ? undefined : 'application/json', ...headers };
  const given = Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined)) as Record<
    string,
    string
  >;
  const verb = method ?? (body === undefined ? 'GET' : 'POST');
  return new Promise((resolve, reject) => {
    const request = httpRequest({ host: '127.0.0.1', port, method: verb, path, headers: given }, (response) => {
      let text = '';
      const done = (): void => resolve({ status: response.statusCode ?? 0, headers: response.headers, text });
      response.setEncoding('utf8');
      response.on('data', (chunk) => {
        text += chunk;
        if (until?.(text) !== true) return;
        done();
        request.destroy();
      });
      response.on('end', done);
    });
    request.on('error', reject);
    request.end(typeof body === 'object' ? JSON.stringify(body) : (body ?? ''));
  });
}

/** The headers of a browser that was let in. */
export async function letIn({ port, token }: Dashboard): Promise<Record<string, string>> {
  const { status, headers, text } = await send(port, { path: '/api/enter', body: { token } });
  if (status !== 200) throw new Error(`not let in: ${status} ${text}`);
  const [cookie = ''] = headers['set-cookie'] ?? [];
  return {
    cookie: cookie.slice(0, cookie.indexOf(';')),
    'x-hardshell-key': (JSON.parse(text) as { key: string }).key,
  };
}

/** What is true at last; fails after a time that no machine needs. */
export async function until<Value>(
  look: () => Value | undefined | null | false | Promise<Value | undefined | null | false>,
): Promise<Value> {
  for (const deadline = Date.now() + 60_000; Date.now() < deadline; ) {
    const value = await look();
    if (value) return value;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw new Error(`never happened: ${look}`);
}

const BASE = { session: 's1', user: null, cwd: '/w/p' } as const;

/** The records of one request that was decided and ended. */
export function requestRecords(
  task: string,
  command: string,
  verdict: 'allow' | 'ask' | 'deny',
  wallMs: number | null,
): AuditEntry[] {
  const of = { ...BASE, task, command, verdict, risk: 'low' } as const;
  const usage = { userMs: 1, systemMs: 1, peakMemoryBytes: 1, readBytes: 0, writeBytes: 0 };
  return [
    {
      ...of,
      type: 'verdict',
      args: null,
      shell: 'bash',
      profile: null,
      isBackground: false,
      score: 0,
      action: 'run',
      readOnly: true,
      class: 'read',
      reasons: [],
      findings: [],
      elapsedMs: 1,
    },
    {
      ...of,
      type: 'end',
      status: wallMs === null ? 'denied' : 'exited',
      exit: wallMs === null ? null : 0,
      signal: null,
      startedAt: null,
      usage: wallMs === null ? null : { ...usage, wallMs },
      outputBytes: 0,
      leftoversKilled: 0,
      violations: 0,
      failure: null,
    },
  ];
}
