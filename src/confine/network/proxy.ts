// The filtering proxy: a listener and rules → HTTP, CONNECT and SOCKS5 on one port, with a decision before each connection.
// Anything that cannot be parsed or decided is closed. It never connects to an address that was not checked.

import type { Server, Socket } from 'node:net';
import { createServer } from 'node:net';
import { networkInterfaces } from 'node:os';
import { HardshellError } from '../../core/errors.ts';
import { parseAddress } from '../../core/names/addresses.ts';
import type { ConnectionRequest, Decision } from './decision.ts';
import { serveHttp } from './http.ts';
import type { Gate } from './rules/gate.ts';
import { createGate } from './rules/gate.ts';
import { createQuestions } from './rules/questions.ts';
import type { DomainLists } from './rules/rules.ts';
import { createRules } from './rules/rules.ts';
import type { Credentials, Limits, Session } from './session.ts';
import { createSession, withDeadline } from './session.ts';
import { refuseSocks4, serveSocks5 } from './socks.ts';
import { ByteReader, ProtocolError } from './wire/byte-reader.ts';
import { createResolver } from './wire/resolve.ts';

export const DEFAULT_PORTS: readonly number[] = [80, 443];

export const DEFAULT_LIMITS: Limits = {
  connections: 512,
  headBytes: 64 * 1024,
  lineBytes: 16 * 1024,
  headerCount: 200,
  headTimeoutMs: 10_000,
  connectTimeoutMs: 20_000,
  resolveTimeoutMs: 10_000,
  idleMs: 300_000,
};

/** `port` listens on 127.0.0.1 (0: any free port); `server` already listens, for example in another network namespace; the proxy takes ownership. */
export type ListenOn = { readonly port: number } | { readonly path: string } | { readonly server: Server };

export interface ProxyOptions {
  readonly listen: ListenOn;
  readonly domains: DomainLists;
  /** For patterns without a port. */
  readonly ports?: readonly number[];
  /** Private, local and other special addresses that may be connected to, as addresses or networks. */
  readonly allowAddresses?: readonly string[];
  /** Without them, anyone who can connect to the listener may use it. */
  readonly credentials?: Credentials;
  readonly limits?: Partial<Limits>;
  readonly resolve?: (host: string) => Promise<readonly string[]>;
  readonly ownAddresses?: () => readonly string[];
  readonly onDecision?: (decision: Decision) => void;
  /** An allowed host could not be resolved or reached. */
  readonly onUnreachable?: (why: string) => void;
  /** The listener failed, or was closed by other code: later connections fail. Called once. */
  readonly onLost?: (why: string) => void;
  /** For a host that no rule matches; the connection waits. The signal aborts when the answer no longer counts. */
  readonly onUnknown?: (request: ConnectionRequest, signal: AbortSignal) => Promise<'allow' | 'deny'>;
  readonly unknownTimeoutMs?: number;
  /** Whether an answer applies until the proxy is closed; else every connection asks again. Default true. */
  readonly rememberAnswers?: boolean;
}

export interface ProxyStatistics {
  readonly connections: number;
  readonly open: number;
  readonly allowed: number;
  readonly refused: number;
  /** Clients closed because too many were connected. */
  readonly dropped: number;
  readonly malformed: number;
  readonly bytesFromClients: number;
  readonly bytesToClients: number;
}

export interface FilteringProxy {
  /** `null` for a listener without a port, such as a socket file. */
  readonly port: number | null;
  statistics(): ProxyStatistics;
  /** Another process has the listener now; connections that are open stay. */
  stopListening(): void;
  close(): Promise<void>;
}

const MAX_QUESTIONS = 50;
const UNKNOWN_TIMEOUT_MS = 300_000;

export async function createProxy(options: ProxyOptions): Promise<FilteringProxy> {
  const limits = { ...DEFAULT_LIMITS, ...options.limits };
  const { onUnknown } = options;
  const questions =
    onUnknown === undefined
      ? null
      : createQuestions<ConnectionRequest>({
          ask: onUnknown,
          timeoutMs: options.unknownTimeoutMs ?? UNKNOWN_TIMEOUT_MS,
          isRemembered: options.rememberAnswers ?? true,
          maxOpen: MAX_QUESTIONS,
        });
  const rules = createRules({
    domains: options.domains,
    ports: options.ports ?? DEFAULT_PORTS,
    allowAddresses: options.allowAddresses ?? [],
    ownAddresses: () => (options.ownAddresses ?? interfaceAddresses)().flatMap((text) => parseAddress(text) ?? []),
  });
  const gate = createGate({
    rules,
    questions,
    resolve: options.resolve ?? createResolver(),
    resolveTimeoutMs: limits.resolveTimeoutMs,
  });
  const hub = createHub(options, limits, gate);
  const server = await startListening(options.listen);
  let isOver = false;
  const lose = (why: string) => {
    if (isOver) return;
    isOver = true;
    options.onLost?.(why);
  };
  server.on('connection', hub.accept);
  server.on('error', ({ code, message }: NodeJS.ErrnoException) => lose(code ?? message));
  server.on('close', () => lose('its listener was closed'));
  const place = server.address();
  return {
    port: place !== null && typeof place === 'object' ? place.port : null,
    statistics: hub.statistics,
    stopListening() {
      isOver = true;
      server.close();
    },
    async close() {
      if (!server.listening) lose('its listener was closed');
      isOver = true;
      questions?.close();
      server.off('connection', hub.accept);
      server.on('connection', (socket) => socket.destroy());
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      await Promise.all([closed, hub.close()]);
    },
  };
}

function interfaceAddresses(): string[] {
  return Object.values(networkInterfaces()).flatMap((list) => (list ?? []).map(({ address }) => address));
}

async function startListening(listen: ListenOn): Promise<Server> {
  if ('server' in listen) return listen.server;
  const server = createServer();
  await new Promise<void>((resolve, reject) => {
    server.once('error', (cause) =>
      reject(new HardshellError('cannot-start', 'The proxy cannot listen.', { cause, hint: cause.message })),
    );
    server.listen('port' in listen ? { port: listen.port, host: '127.0.0.1' } : listen, resolve);
  });
  return server;
}

/** All clients of one proxy. */
function createHub(options: ProxyOptions, limits: Limits, gate: Gate) {
  const clients = new Set<Socket>();
  const exits = new Set<Socket>();
  const counts = { connections: 0, allowed: 0, refused: 0, dropped: 0, malformed: 0, from: 0, to: 0 };

  const report = (decision: Decision) => {
    counts[decision.verdict === 'allow' ? 'allowed' : 'refused']++;
    try {
      options.onDecision?.(decision);
    } catch {
      // Observers must not change the decision.
    }
  };
  const track = (socket: Socket) => {
    exits.add(socket);
    socket.once('close', () => exits.delete(socket));
  };

  const accept = (client: Socket) => {
    counts.connections++;
    if (clients.size >= limits.connections) {
      counts.dropped++;
      client.on('error', () => {}).destroy();
      return;
    }
    clients.add(client);
    const gone = new AbortController();
    client.allowHalfOpen = true;
    client.setNoDelay(true);
    client.setTimeout(limits.idleMs, () => client.destroy());
    client.on('error', () => client.destroy());
    client.once('close', () => {
      clients.delete(client);
      counts.from += client.bytesRead;
      counts.to += client.bytesWritten;
      gone.abort();
    });
    const session = createSession({
      client,
      reader: new ByteReader(client),
      limits,
      credentials: options.credentials ?? null,
      signal: gone.signal,
      gate,
      report,
      reportUnreachable: (why) => options.onUnreachable?.(why),
      track,
      countMalformed: () => counts.malformed++,
    });
    serve(session).catch((error: unknown) => {
      if (error instanceof ProtocolError) counts.malformed++;
      client.destroy();
    });
  };

  return {
    accept,
    statistics(): ProxyStatistics {
      const live = [...clients];
      const { from, to, ...rest } = counts;
      return {
        ...rest,
        open: clients.size,
        bytesFromClients: live.reduce((sum, client) => sum + client.bytesRead, from),
        bytesToClients: live.reduce((sum, client) => sum + client.bytesWritten, to),
      };
    },
    async close() {
      const all = [...clients, ...exits];
      const closed = all.map((socket) => new Promise((resolve) => socket.once('close', resolve)));
      for (const socket of all) socket.destroy();
      await Promise.all(closed);
    },
  };
}

/** The first byte determines the protocol. */
async function serve(session: Session): Promise<void> {
  const { client, reader, limits } = session;
  if (!(await withDeadline(client, limits.headTimeoutMs, reader.fill()))) return client.destroySoon();
  const first = reader.peek()[0] as number;
  if (first === 5) return serveSocks5(session);
  if (first === 4) return refuseSocks4(session);
  if (first >= 0x41 && first <= 0x5a) return serveHttp(session);
  session.countMalformed();
  client.destroy();
}
