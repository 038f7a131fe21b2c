// Requests → the conversation that they belong to. The older protocol has sessions with our id; the newer one has
// none, so there the URL (`?session=NAME`) and the client name identify them. Idle ones are forgotten.

import { randomUUID } from 'node:crypto';
import { statSync } from 'node:fs';
import { isAbsolute } from 'node:path';
import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/server';
import type { Host } from '../host.ts';
import type { Identity } from '../identity.ts';
import { createProtocolServer } from '../protocol-server.ts';
import { Conversation } from '../tools/conversation.ts';

const IDLE_MS = 30 * 60_000;
const MAX_SESSIONS = 100;
const MAX_NAME = 100;

export type RequestId = string | number;

export interface HttpSession {
  readonly conversation: Conversation;
  /** `null`: of the newer protocol, where each request has its own. */
  readonly transport: WebStandardStreamableHTTPServerTransport | null;
  /** Requests and streams that are open. */
  open: number;
  /** Requests that came in one message with others, and share its stream. */
  readonly batched: Set<RequestId>;
  usedAt: number;
}

export type SessionLookup = { readonly session: HttpSession } | { readonly status: number; readonly message: string };

export class HttpSessions {
  readonly #host: Host;
  readonly #identity: Identity;
  readonly #cwd: string;
  readonly #idleMs: number;
  readonly #sessions = new Map<string, HttpSession>();
  readonly #sweeping: NodeJS.Timeout;

  constructor(host: Host, identity: Identity, cwd: string, idleMs = IDLE_MS) {
    this.#host = host;
    this.#identity = identity;
    this.#cwd = cwd;
    this.#idleMs = idleMs;
    this.#sweeping = setInterval(() => this.#sweep(), Math.max(50, Math.min(idleMs / 2, 60_000)));
    this.#sweeping.unref();
  }

  /** Of the older protocol. `isGreeting`: the request opens one. */
  async findByHeader(request: Request, isGreeting: boolean): Promise<SessionLookup> {
    const id = request.headers.get('mcp-session-id');
    if (id !== null) {
      const session = this.#sessions.get(`id ${id}`);
      // 404 makes a client start a new session.
      return session === undefined ? { status: 404, message: 'The session has ended. Start a new one.' } : { session };
    }
    if (!isGreeting) return { status: 400, message: 'The request names no session (Mcp-Session-Id).' };
    const place = this.#placeOf(new URL(request.url));
    if ('status' in place) return place;
    const key = randomUUID();
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => key,
      onsessionclosed: () => this.#end(`id ${key}`),
    });
    const conversation = new Conversation(this.#host, place.cwd);
    await createProtocolServer(conversation, this.#identity).connect(transport);
    return { session: this.#add(`id ${key}`, conversation, transport) };
  }

  /** Of the newer protocol. */
  findByAddress(url: URL, client: string): SessionLookup {
    const place = this.#placeOf(url);
    if ('status' in place) return place;
    const key = `at ${JSON.stringify([place.cwd, url.searchParams.get('session') ?? '', client])}`;
    const known = this.#sessions.get(key);
    if (known !== undefined) return { session: known };
    return { session: this.#add(key, new Conversation(this.#host, place.cwd), null) };
  }

  /** A refused greeting opens nothing. */
  async drop({ transport }: HttpSession): Promise<void> {
    for (const [key, session] of this.#sessions) if (session.transport === transport) await this.#end(key);
  }

  async close(): Promise<void> {
    clearInterval(this.#sweeping);
    await Promise.all([...this.#sessions.keys()].map((key) => this.#end(key)));
  }

  #add(
    key: string,
    conversation: Conversation,
    transport: WebStandardStreamableHTTPServerTransport | null,
  ): HttpSession {
    const session: HttpSession = { conversation, transport, open: 0, batched: new Set(), usedAt: Date.now() };
    this.#sessions.set(key, session);
    return session;
  }

  /** The folder that the URL requests, if there is room for one more session. */
  #placeOf({ searchParams }: URL): { readonly cwd: string } | { readonly status: number; readonly message: string } {
    const cwd = searchParams.get('cwd') ?? this.#cwd;
    if ((searchParams.get('session') ?? '').length > MAX_NAME)
      return { status: 400, message: `The session name is longer than ${MAX_NAME} characters.` };
    if (!isAbsolute(cwd) || cwd.includes('\0') || statSync(cwd, { throwIfNoEntry: false })?.isDirectory() !== true)
      return { status: 400, message: 'cwd must be the absolute path of a folder.' };
    if (this.#sessions.size >= MAX_SESSIONS && !this.#makeRoom())
      return { status: 503, message: `${MAX_SESSIONS} sessions are already active. End one, or wait.` };
    return { cwd };
  }

  /** The least recently used one is dropped; clients do not always say when they leave. */
  #makeRoom(): boolean {
    const idle = [...this.#sessions].filter(([, { open, conversation }]) => open === 0 && !conversation.isBusy);
    const [oldest] = idle.sort(([, a], [, b]) => a.usedAt - b.usedAt);
    if (oldest !== undefined) void this.#end(oldest[0]);
    return oldest !== undefined;
  }

  #sweep(): void {
    const before = Date.now() - this.#idleMs;
    for (const [key, { open, usedAt, conversation }] of this.#sessions)
      if (open === 0 && usedAt <= before && !conversation.isBusy) void this.#end(key);
  }

  async #end(key: string): Promise<void> {
    const session = this.#sessions.get(key);
    if (session === undefined) return;
    this.#sessions.delete(key);
    await session.conversation.close();
    // The results of ended calls are written in later turns of the event loop.
    await new Promise((resolve) => setImmediate(resolve));
    await session.transport?.close();
  }
}
