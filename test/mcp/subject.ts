// `hardshell mcp` under test: real processes, driven by the clients of both SDKs, in separate folders.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, type ElicitRequest, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as OldStdio } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport as OldHttp } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { vi } from 'vitest';
import { BIN } from '../programs.ts';
import { runVerb } from '../run-verb.ts';

/** Each test starts several processes, and the machine may have other things to do. */
vi.setConfig({ testTimeout: 90_000, hookTimeout: 90_000 });

/** Folders for one file of tests; `close` ends what was started and removes them. */
export class Surroundings {
  readonly folder = realpathSync(mkdtempSync(join(tmpdir(), 'hs-mcp-')));
  readonly work = join(this.folder, 'work');
  readonly settings = join(this.folder, 'settings.json');
  readonly env: Record<string, string> = {
    PATH: process.env.PATH ?? '',
    LANG: 'C.UTF-8',
    HOME: join(this.folder, 'home'),
    HARDSHELL_RUNTIME_DIR: join(this.folder, 'run'),
    HARDSHELL_STATE_DIR: join(this.folder, 'state'),
  };
  readonly #closers: (() => unknown)[] = [];
  readonly #servers = new Map<string, Promise<HttpServer>>();

  constructor() {
    for (const folder of ['work', 'home']) mkdirSync(join(this.folder, folder));
    this.setSettings({});
  }

  setSettings(settings: object): void {
    writeFileSync(this.settings, JSON.stringify(settings));
  }

  args(more: readonly string[] = []): string[] {
    return [BIN, 'mcp', '--settings', this.settings, '--cwd', this.work, ...more];
  }

  onClose(close: () => unknown): void {
    this.#closers.push(close);
  }

  /** A separate server, with bare streams. */
  start(more: readonly string[] = []): Raw {
    const child = spawn(process.execPath, this.args(more), { env: this.env, stdio: ['pipe', 'pipe', 'pipe'] });
    this.onClose(() => child.kill('SIGKILL'));
    return new Raw(child);
  }

  async startHttp(more: readonly string[] = []): Promise<HttpServer> {
    const raw = this.start(['--http', ...more]);
    const url = /listening on (\S+)/.exec(await raw.untilStderr('token'))?.[1] ?? '';
    const token = /token: (\S+)/.exec(raw.stderr)?.[1] ?? '';
    return { raw, url: new URL(url), token };
  }

  /** One for all clients that want these arguments. */
  sharedHttp(more: readonly string[]): Promise<HttpServer> {
    const key = more.join('\0');
    const server = this.#servers.get(key) ?? this.startHttp(more);
    this.#servers.set(key, server);
    return server;
  }

  /** Another verb of the command line, to its end. */
  async cli(...args: string[]): Promise<string> {
    const { status, stdout, stderr } = await runVerb(args, { env: this.env, cwd: this.work });
    if (status !== 0) throw new Error(`exit code ${status}: ${stderr}`);
    return stdout;
  }

  async close(): Promise<void> {
    for (const close of this.#closers.reverse()) await close();
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

export interface HttpServer {
  readonly raw: Raw;
  readonly url: URL;
  readonly token: string;
}

type Json = Record<string, unknown> & { id?: unknown; result?: Record<string, unknown>; error?: { code: number } };

export class Raw {
  readonly child: ChildProcess;
  readonly exited: Promise<unknown>;
  stdout = '';
  stderr = '';

  constructor(child: ChildProcess) {
    this.child = child;
    child.stdout?.on('data', (chunk) => {
      this.stdout += chunk;
    });
    child.stderr?.on('data', (chunk) => {
      this.stderr += chunk;
    });
    child.stdin?.on('error', () => {});
    this.exited = once(child, 'exit');
  }

  send(message: object): void {
    this.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  }

  write(text: string): void {
    this.child.stdin?.write(text);
  }

  greet(protocolVersion = '2025-11-25', capabilities: object = {}): void {
    const clientInfo = { name: 'bare', version: '1' };
    this.send({ id: 'greeting', method: 'initialize', params: { protocolVersion, capabilities, clientInfo } });
    this.send({ method: 'notifications/initialized' });
  }

  get messages(): Json[] {
    const lines = this.stdout.split('\n');
    return lines.slice(0, -1).map((line) => JSON.parse(line) as Json);
  }

  async answerTo(id: string | number | null): Promise<Json> {
    return until(() => this.messages.find((message) => message.id === id && !('method' in message)));
  }

  async untilStderr(text: string): Promise<string> {
    await until(() => this.stderr.includes(text));
    return this.stderr;
  }
}

export const KINDS = [
  { name: 'SDK v1, stdio', sdk: 'v1', over: 'stdio' },
  { name: 'SDK v1, HTTP', sdk: 'v1', over: 'http' },
  { name: 'SDK v2 with the older protocol, stdio', sdk: 'v2', over: 'stdio' },
  { name: 'SDK v2 with the older protocol, HTTP', sdk: 'v2', over: 'http' },
  { name: 'SDK v2 with the newer protocol, stdio', sdk: 'v2-modern', over: 'stdio' },
  { name: 'SDK v2 with the newer protocol, HTTP', sdk: 'v2-modern', over: 'http' },
] as const;
export type Kind = (typeof KINDS)[number];

export interface Answer {
  readonly content: readonly { readonly type: string; readonly text?: string }[];
  readonly structuredContent?: Record<string, unknown>;
  readonly isError?: boolean;
}

type Said = { action: 'accept' | 'decline' | 'cancel'; content?: Record<string, string> };
export type Elicit = (params: ElicitRequest['params'], signal: AbortSignal) => Promise<Said> | Said;

export interface Connected {
  tools(): Promise<readonly Record<string, unknown>[]>;
  call(name: string, input: object, options?: CallOptions): Promise<Answer>;
  close(): Promise<void>;
  readonly server: Raw | null;
  readonly pid: number | null;
}

interface CallOptions {
  readonly onprogress?: (progress: { progress: number; message?: string }) => void;
  readonly signal?: AbortSignal;
  readonly timeout?: number;
}

interface ConnectOptions {
  readonly args?: readonly string[];
  /** Answers like a person, who needs a moment to read the question. */
  readonly elicit?: Elicit;
  /** Answers as soon as the question arrives, as clients do that run without a person. */
  readonly elicitAtOnce?: Elicit;
  /** An HTTP server that is there already, and what is added to its address. */
  readonly server?: HttpServer;
  readonly query?: string;
  readonly name?: string;
}

/** Longer than the time in which the server takes no answer for that of a person. */
const READING_MS = 400;

function afterReading(elicit: Elicit): Elicit {
  return async (params, signal) => {
    const [said] = await Promise.all([
      elicit(params, signal),
      new Promise((resolve) => setTimeout(resolve, READING_MS)),
    ]);
    return said;
  };
}

/** A client of that kind: over stdio with a server of its own, over HTTP with the one that is given or shared. */
export async function connect(place: Surroundings, kind: Kind, options: ConnectOptions = {}): Promise<Connected> {
  const { args = [], query = '', name = 'test' } = options;
  const elicit = options.elicitAtOnce ?? (options.elicit === undefined ? undefined : afterReading(options.elicit));
  const capabilities = elicit === undefined ? {} : { elicitation: {} };
  const launch = { command: process.execPath, args: place.args(args), env: place.env, stderr: 'ignore' as const };
  // Clients of the newer protocol have no session of their own: to one server, all of them are the same.
  const serve = () => (kind.sdk === 'v2-modern' ? place.startHttp(args) : place.sharedHttp(args));
  const http = kind.over === 'http' ? (options.server ?? (await serve())) : null;
  const address = http === null ? null : new URL(`${http.url.href}${query}`);
  const init = { requestInit: { headers: { authorization: `Bearer ${http?.token}` } } };
  const server = http?.raw ?? null;
  if (kind.sdk === 'v1') {
    const client = new OldClient({ name, version: '1' }, { capabilities });
    if (elicit !== undefined)
      client.setRequestHandler(ElicitRequestSchema, (request, { signal }) => elicit(request.params as never, signal));
    const transport = address === null ? new OldStdio(launch) : new OldHttp(address, init);
    await client.connect(transport as never);
    place.onClose(() => client.close().catch(() => {}));
    return {
      tools: async () => (await client.listTools()).tools,
      call: async (tool, input, more) =>
        (await client.callTool({ name: tool, arguments: { ...input } }, undefined, {
          timeout: 60_000,
          ...more,
        } as object)) as Answer,
      close: () => client.close(),
      server,
      pid: transport instanceof OldStdio ? transport.pid : (server?.child.pid ?? null),
    };
  }
  const versionNegotiation = { mode: kind.sdk === 'v2' ? ('legacy' as const) : { pin: '2026-07-28' } };
  const client = new Client({ name, version: '1' }, { capabilities, versionNegotiation });
  if (elicit !== undefined)
    client.setRequestHandler(
      'elicitation/create',
      (request, ctx) => elicit(request.params, ctx.mcpReq.signal) as never,
    );
  const transport =
    address === null ? new StdioClientTransport(launch) : new StreamableHTTPClientTransport(address, init);
  await client.connect(transport);
  place.onClose(() => client.close().catch(() => {}));
  return {
    tools: async () => (await client.listTools()).tools as unknown as Record<string, unknown>[],
    call: async (tool, input, more) =>
      (await client.callTool({ name: tool, arguments: { ...input } }, {
        timeout: 60_000,
        ...more,
      } as object)) as Answer,
    close: () => client.close(),
    server,
    pid: transport instanceof StdioClientTransport ? transport.pid : (server?.child.pid ?? null),
  };
}

/** What is true at last; fails after a time that no machine needs. */
export async function until<Value>(
  look: () => Value | undefined | null | false | Promise<Value | undefined | null | false>,
): Promise<Value> {
  for (const deadline = Date.now() + 60_000; Date.now() < deadline; ) {
    const value = await look();
    if (value) return value;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  throw new Error(`never happened: ${look}`);
}

/** Processes whose command line has this word, as the whole machine sees them. */
export function processesWith(word: string): string[] {
  return readdirSync('/proc').filter((pid) => {
    try {
      return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').includes(word);
    } catch {
      return false;
    }
  });
}

let count = 0;
/** A number of seconds that only one `sleep` on this machine has. */
export function uniqueSeconds(): string {
  count += 1;
  return `3${process.pid}.${count}`;
}
