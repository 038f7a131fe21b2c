// HTTP/1.1 requests of one client, one after the other: absolute-form requests are forwarded, CONNECT becomes a tunnel.
// The target determines the server and the Host header. Upgrades are not forwarded: WebSockets go through CONNECT.

import type { ConnectionRequest } from './decision.ts';
import type { Link } from './http-exchange.ts';
import { exchange } from './http-exchange.ts';
import { linger, replyDenied, replyTo } from './http-reply.ts';
import type { Pass } from './rules/gate.ts';
import type { Host } from './rules/host.ts';
import { parseAuthority, showHost } from './rules/host.ts';
import type { Exit, Session } from './session.ts';
import { withDeadline } from './session.ts';
import { runTunnel } from './tunnel.ts';
import { ByteReader, ProtocolError } from './wire/byte-reader.ts';
import { basicHeader, isSameSecret } from './wire/credentials.ts';
import type { Framing, RequestHead } from './wire/http-head.ts';
import { framingOfRequest, parseRequestHead, tokensOf, valuesOf } from './wire/http-head.ts';

interface Place {
  readonly host: Host;
  readonly port: number;
  /** The server gets this instead of the absolute form. */
  readonly path: string;
}

const LATE = 'HTTP/1.1 408 Request Timeout\r\nConnection: close\r\nContent-Length: 0\r\n\r\n';

export async function serveHttp(session: Session): Promise<void> {
  const links: { current: Link | null } = { current: null };
  try {
    for (;;) {
      const { client, reader, limits } = session;
      if (!reader.hasHeld && !(await reader.fill())) return client.destroySoon();
      const bytes = await withDeadline(client, limits.headTimeoutMs, reader.readHead(limits.headBytes), LATE);
      if (bytes === null || client.destroyed) return;
      const next = await serveOne(session, parseRequestHead(bytes, limits), links);
      if (next === 'tunnel') return;
      if (next === 'close') return await linger(session);
    }
  } catch (error) {
    if (!(error instanceof ProtocolError)) throw error;
    session.countMalformed();
    await replyTo(session, error.status, error.message);
    await linger(session);
  } finally {
    links.current?.socket.destroy();
  }
}

async function serveOne(
  session: Session,
  head: RequestHead,
  links: { current: Link | null },
): Promise<'again' | 'close' | 'tunnel'> {
  const framing = framingOfRequest(head);
  checkHost(head);
  if (!isAuthorised(head, session)) {
    await replyTo(session, 407, 'This proxy requires a user name and a password.');
    return 'close';
  }
  const place = head.method === 'CONNECT' ? placeOfConnect(head, framing) : placeOfTarget(head);
  const protocol = head.method === 'CONNECT' ? 'connect' : 'http';
  const request: ConnectionRequest = { host: place.host.text, port: place.port, protocol };
  const isLast = isLastRequest(head);
  const pass = await session.admit(place.host, request);
  if (pass.verdict === 'deny') return replyDenied(session, pass, { framing, isLast });

  if (head.method === 'CONNECT') {
    links.current?.socket.destroy();
    links.current = null;
    const exit = await session.open(pass, request);
    if ('verdict' in exit) return endWith(session, exit, { framing, isLast });
    session.client.write('HTTP/1.1 200 Connection established\r\n\r\n');
    await runTunnel(session, exit, request);
    return 'tunnel';
  }

  for (;;) {
    const link = await linkTo(session, links, pass, request);
    if ('verdict' in link) return endWith(session, link, { framing, isLast });
    const result = await exchange({
      session,
      link,
      head,
      framing,
      isLast,
      path: place.path,
      authority: authorityOf(place),
    });
    if (result !== 'again') link.socket.destroy();
    if (result !== 'again') links.current = null;
    // The server had closed an idle connection; the request never reached it.
    if (result !== 'stale') return result;
  }
}

type Blocked = Exclude<Awaited<ReturnType<Session['open']>>, Exit>;

function endWith(session: Session, blocked: Blocked, state: { framing: Framing; isLast: boolean }) {
  if (blocked.verdict === 'deny') return replyDenied(session, blocked, state);
  return replyTo(session, 502, blocked.why);
}

async function linkTo(
  session: Session,
  links: { current: Link | null },
  pass: Pass,
  request: ConnectionRequest,
): Promise<Link | Blocked> {
  const key = showHost(request.host, request.port);
  const before = links.current;
  // Unexpected bytes would be read as the next response.
  const isClean = before !== null && !before.socket.destroyed && !before.reader.hasEnded && !before.reader.hasHeld;
  if (isClean && before.key === key) {
    before.isUsed = true;
    session.reuse(pass, request, before.address);
    return before;
  }
  before?.socket.destroy();
  links.current = null;
  const exit = await session.open(pass, request);
  if ('verdict' in exit) return exit;
  const end = () => exit.socket.destroy();
  session.client.once('close', end);
  exit.socket.once('close', () => session.client.off('close', end));
  links.current = { ...exit, key, reader: new ByteReader(exit.socket, exit.feed), isUsed: false };
  return links.current;
}

function checkHost({ version, headers }: RequestHead): void {
  const hosts = valuesOf(headers, 'host');
  if (hosts.length > 1) throw new ProtocolError('More than one Host header.');
  if (hosts.length === 0 && version === '1.1') throw new ProtocolError('The Host header is missing.');
}

function isAuthorised({ headers }: RequestHead, { credentials }: Session): boolean {
  if (credentials === null) return true;
  const [given, ...more] = valuesOf(headers, 'proxy-authorization');
  return given !== undefined && more.length === 0 && isSameSecret(given, basicHeader(credentials));
}

function placeOfConnect(head: RequestHead, framing: Framing): Place {
  if (framing.kind === 'chunked' || (framing.kind === 'length' && framing.length > 0)) {
    throw new ProtocolError('CONNECT must not have a body.');
  }
  const place = parseAuthority(head.target, null);
  if (place === null) throw new ProtocolError('CONNECT needs a host and a port.');
  return { ...place, path: '' };
}

function placeOfTarget({ method, target }: RequestHead): Place {
  const match = /^([A-Za-z][A-Za-z0-9+.-]*):\/\/([^/?#\\]*)([/?][^#\\]*)?$/.exec(target);
  if (match === null) throw new ProtocolError('This is a proxy: send the whole URL, or CONNECT.');
  const [, scheme = '', authority = '', rest = ''] = match;
  if (scheme.toLowerCase() !== 'http')
    throw new ProtocolError('Only http:// is forwarded; use CONNECT for other schemes.');
  // `http://allowed.com@evil.com/` is evil.com to one reader and allowed.com to another.
  if (authority.includes('@')) throw new ProtocolError('A user name in the URL is not accepted.');
  const place = parseAuthority(authority.endsWith(':') ? authority.slice(0, -1) : authority, 80);
  if (place === null) throw new ProtocolError('The host of the URL cannot be parsed.');
  if (rest === '') return { ...place, path: method === 'OPTIONS' ? '*' : '/' };
  return { ...place, path: rest.startsWith('?') ? `/${rest}` : rest };
}

function authorityOf({ host, port }: Place): string {
  return port === 80 ? showHost(host.text) : showHost(host.text, port);
}

function isLastRequest({ version, headers }: RequestHead): boolean {
  if (version === '1.0') return true;
  return tokensOf(headers, 'connection').has('close') || tokensOf(headers, 'proxy-connection').has('close');
}
