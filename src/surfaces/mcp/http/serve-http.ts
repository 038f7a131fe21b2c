// Any number of clients over HTTP, on this machine only (127.0.0.1): checks each request before anything else uses it,
// finds its conversation, and passes it to the SDK.

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createMcpHandler, isLegacyRequest } from '@modelcontextprotocol/server';
import { HardshellError, PROMETHEUS_TYPE } from '../../../host.ts';
import { createHost, log } from '../host.ts';
import type { Identity } from '../identity.ts';
import type { HttpOptions, McpOptions, Served } from '../options.ts';
import { createProtocolServer } from '../protocol-server.ts';
import { type Body, readBody, sendWebResponse, toWebRequest } from './bridge.ts';
import { findRefusal, isForMetrics, PATH } from './guard.ts';
import { type HttpSession, HttpSessions, type RequestId } from './http-sessions.ts';
import { makeToken, readToken, type Token } from './token.ts';

const ADDRESS = '127.0.0.1';
const BODY_MS = 30_000;
const HEADERS_MS = 10_000;
/** A hundred sessions, with several requests and a stream each. */
const MAX_CONNECTIONS = 1_000;
/** Time for the results of ended calls to reach their clients. */
const PARTING_MS = 1_000;

export async function serveOverHttp(options: McpOptions, http: HttpOptions, identity: Identity): Promise<Served> {
  // Before a port is taken: a bad file is refused at once.
  const given = http.tokenFile === undefined ? null : readToken(http.tokenFile);
  const server = createServer({ headersTimeout: HEADERS_MS, requestTimeout: BODY_MS });
  server.maxConnections = MAX_CONNECTIONS;
  const port = await listen(server, http.port);
  let token: Token;
  try {
    token = given ?? makeToken(port);
  } catch (error) {
    // Otherwise a port that answers no one would keep the process alive.
    server.close();
    throw error;
  }
  const host = createHost(options);
  host.warmUp(options.cwd);
  const sessions = new HttpSessions(host, identity, options.cwd, http.idleMs);
  const serve = createRequestServer(sessions, identity, port);
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    const refusal = findRefusal(request, { port, token: token.text });
    if (refusal !== null) return refuse(response, refusal.status, refusal.message, refusal.headers);
    if (isForMetrics(request)) return showMetrics(response, host.showMetrics());
    serve(request, response).catch((error: Error) => {
      log(`a request failed: ${error.message}`);
      if (response.headersSent) response.destroy();
      else refuse(response, 500, 'Internal error.');
    });
  });
  log(`listening on http://${ADDRESS}:${port}${PATH}`);
  log(token.isNew ? `token: ${token.text}   (also in ${token.file})` : `using the token in ${token.file}`);
  return {
    over: new Promise((resolve) => server.once('close', resolve)),
    async close() {
      token.forget();
      server.close();
      await sessions.close();
      const parting = setTimeout(() => server.closeAllConnections(), PARTING_MS);
      server.closeIdleConnections();
      await host.close();
      if (server.listening || (await connections(server)) > 0) await closed(server);
      clearTimeout(parting);
    },
  };
}

function createRequestServer(sessions: HttpSessions, identity: Identity, port: number) {
  const modern = createMcpHandler(
    ({ requestInfo, era }) => {
      if (era !== 'modern' || requestInfo === undefined) throw new Error('only the newer protocol is served here');
      const found = sessions.findByAddress(new URL(requestInfo.url), requestInfo.headers.get(CLIENT) ?? '');
      if ('status' in found) throw new HardshellError('invalid-argument', found.message);
      return createProtocolServer(found.session.conversation, identity);
    },
    { legacy: 'reject', onerror: (error) => log(error.message) },
  );

  return async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    const gone = new AbortController();
    let abandon = (): void => {};
    // Not by a listener on the signal: fetch keeps the signal as long as the request lives, and a listener that refers to
    // the request would keep it forever.
    response.on('close', () => {
      if (response.writableEnded) return;
      gone.abort();
      abandon();
    });
    const body = await readBody(incoming);
    if (body.kind !== 'json' && body.kind !== 'none') return refuseBody(response, body);
    const request = toWebRequest(incoming, port, gone.signal);
    const parsedBody = body.kind === 'json' ? body.value : undefined;
    const isLegacy = await isLegacyRequest(request, parsedBody);
    if (!isLegacy) request.headers.set(CLIENT, clientOf(parsedBody));
    const found = isLegacy
      ? await sessions.findByHeader(request, isGreeting(parsedBody))
      : sessions.findByAddress(new URL(request.url), clientOf(parsedBody));
    if ('status' in found) return refuse(response, found.status, found.message);
    const ids = idsOf(parsedBody);
    if (gone.signal.aborted && ids.length > 0) return;
    await during(found.session, ids, async () => {
      const { transport, conversation } = found.session;
      // The answer to a client that is gone can never be fetched again: its calls are ended. Those of the newer protocol
      // end by the signal of the request; their ids are not unique here.
      if (isLegacy) abandon = () => conversation.abandon(ids);
      const answer =
        transport === null
          ? await modern.fetch(request, { parsedBody })
          : await transport.handleRequest(request, { parsedBody });
      if (transport !== null && !answer.ok && !request.headers.has('mcp-session-id'))
        await sessions.drop(found.session);
      for (const id of cancelledBy(parsedBody)) await endStreamOf(found.session, id);
      await sendWebResponse(answer, response);
    });
  };
}

/** A cancelled request gets no answer, so the SDK would never end the stream that waits for one. */
async function endStreamOf({ transport, batched }: HttpSession, id: RequestId): Promise<void> {
  if (!batched.has(id)) return transport?.closeSSEStream(id);
  // Others wait on the same stream: it ends with the last of them, if each has an answer.
  const error = { code: CANCELLED, message: 'The request was cancelled.' };
  await transport?.send({ jsonrpc: '2.0', id, error }).catch(() => {});
}

const CANCELLED = -32_800;

/** Between us and the factory, which sees only the request. */
const CLIENT = 'x-hardshell-client';
const CLIENT_INFO = 'io.modelcontextprotocol/clientInfo';

function clientOf(body: unknown): string {
  const meta = (body as { params?: { _meta?: Record<string, unknown> } } | undefined)?.params?._meta;
  const { name, version } = (meta?.[CLIENT_INFO] ?? {}) as { name?: unknown; version?: unknown };
  return encodeURIComponent(JSON.stringify([name, version])).slice(0, 1_000);
}

function isGreeting(body: unknown): boolean {
  return (body as { method?: unknown } | null | undefined)?.method === 'initialize';
}

type Message = { readonly id?: unknown; readonly method?: unknown; readonly params?: { readonly requestId?: unknown } };

function messagesOf(body: unknown): readonly Message[] {
  return (Array.isArray(body) ? body : [body]).filter((each) => typeof each === 'object' && each !== null);
}

function isRequestId(id: unknown): id is RequestId {
  return typeof id === 'string' || typeof id === 'number';
}

/** Ids of requests; an answer has our id. */
function idsOf(body: unknown): readonly RequestId[] {
  return messagesOf(body).flatMap(({ id, method }) => (method !== undefined && isRequestId(id) ? [id] : []));
}

function cancelledBy(body: unknown): readonly RequestId[] {
  return messagesOf(body).flatMap(({ method, params }) =>
    method === 'notifications/cancelled' && isRequestId(params?.requestId) ? [params.requestId] : [],
  );
}

async function during(session: HttpSession, ids: readonly RequestId[], work: () => Promise<void>): Promise<void> {
  const batched = ids.length > 1 ? ids : [];
  for (const id of batched) session.batched.add(id);
  session.open += 1;
  try {
    await work();
  } finally {
    for (const id of batched) session.batched.delete(id);
    session.open -= 1;
    session.usedAt = Date.now();
  }
}

function showMetrics(response: ServerResponse, text: string): void {
  response.writeHead(200, { 'content-type': PROMETHEUS_TYPE, 'cache-control': 'no-store' });
  response.end(text);
}

function refuseBody(response: ServerResponse, { kind }: Exclude<Body, { kind: 'json' | 'none' }>): void {
  if (kind === 'too-long') {
    // The rest of the body is not read.
    response.setHeader('connection', 'close');
    refuse(response, 413, 'The message is too long.');
  } else if (kind === 'not-json') refuse(response, 400, 'The body is not JSON.', {}, -32_700);
  else response.destroy();
}

function refuse(
  response: ServerResponse,
  status: number,
  message: string,
  headers: Readonly<Record<string, string>> = {},
  code = -32_000,
): void {
  response.writeHead(status, { ...headers, 'content-type': 'application/json' });
  response.end(JSON.stringify({ jsonrpc: '2.0', id: null, error: { code, message } }));
}

function listen(server: Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', (cause: NodeJS.ErrnoException) => {
      const message = `The port ${port} cannot be used: ${cause.message}`;
      reject(new HardshellError('cannot-start', message, { hint: 'Use another one, or 0 for any.', cause }));
    });
    server.listen(port, ADDRESS, () => {
      const address = server.address();
      resolve(typeof address === 'object' && address !== null ? address.port : port);
    });
  });
}

function connections(server: Server): Promise<number> {
  return new Promise((resolve) => {
    server.getConnections((_, count) => resolve(count ?? 0));
  });
}

function closed(server: Server): Promise<unknown> {
  return new Promise((resolve) => {
    server.once('close', resolve);
  });
}
