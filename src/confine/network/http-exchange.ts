// One request and its response between a client and a server, with both bodies transferred concurrently.
// Hop-by-hop headers are not forwarded; an unreadable response becomes 502 or closes the client, never half a message.

import { replyTo } from './http-reply.ts';
import type { Exit, Session } from './session.ts';
import type { ByteReader } from './wire/byte-reader.ts';
import { ProtocolError, writeAll } from './wire/byte-reader.ts';
import { pumpBody } from './wire/http-body.ts';
import type { Framing, Header, RequestHead, ResponseHead } from './wire/http-head.ts';
import {
  forwardedHeaders,
  framingOfResponse,
  parseResponseHead,
  tokensOf,
  valuesOf,
  writeHead,
} from './wire/http-head.ts';

/** A connection to a server that further requests of the same client can use. */
export interface Link extends Exit {
  readonly key: string;
  readonly reader: ByteReader;
  isUsed: boolean;
}

export interface Exchange {
  readonly session: Session;
  readonly link: Link;
  readonly head: RequestHead;
  readonly framing: Framing;
  readonly isLast: boolean;
  readonly path: string;
  readonly authority: string;
}

/** `again`: both connections can take another request. `stale`: the server had closed the connection, nothing was sent to the client. */
export async function exchange(each: Exchange): Promise<'again' | 'close' | 'stale'> {
  const { session, link, head, framing } = each;
  await writeAll(link.socket, requestText(each));
  const sending = pumpBody(session.reader, link.socket, framing, { asChunks: true }).then(
    (isSent) => (isSent ? 'sent' : 'unsent'),
    (error: unknown) => {
      // A body that cannot be read must not look complete to the server.
      link.socket.destroy();
      return error instanceof ProtocolError ? error : new ProtocolError('The body could not be forwarded.', 502);
    },
  );

  const answer = await readAnswer(each);
  if (typeof answer === 'string') {
    const sent = await settledNow(sending);
    if (sent instanceof ProtocolError) throw sent;
    const isRepeatable = framing.kind === 'none' && REPEATABLE.has(head.method);
    if (answer === 'gone' && link.isUsed && isRepeatable) return 'stale';
    return replyTo(session, 502, `${head.method} failed: the server closed the connection or did not send HTTP.`);
  }

  const responseFraming = framingOfResponse(answer, head.method);
  // A server may answer before it has the whole body; then the start of the next request is unknown.
  const isSent = (await settledNow(sending)) === 'sent';
  const isOpen = isSent && !each.isLast && responseFraming.kind !== 'until-close' && head.version === '1.1';
  await writeAll(session.client, responseText(answer, head, responseFraming, isOpen));
  try {
    const isDelivered = await pumpBody(link.reader, session.client, responseFraming, {
      asChunks: head.version === '1.1',
    });
    if (!isDelivered || (responseFraming.kind === 'until-close' && link.socket.errored !== null)) return cut(session);
  } catch (error) {
    if (error instanceof ProtocolError) return cut(session);
    throw error;
  }
  if (!isOpen) return 'close';
  return keepsServer(answer) ? 'again' : closeLink(link);
}

function requestText({ head, framing, path, authority }: Exchange): string {
  const headers: Header[] = [
    ['Host', authority],
    ...forwardedHeaders(head.headers, framing),
    ['Connection', 'keep-alive'],
  ];
  return writeHead(`${head.method} ${path} HTTP/1.1`, headers);
}

function responseText(answer: ResponseHead, head: RequestHead, framing: Framing, isOpen: boolean): string {
  const isPlain = framing.kind === 'chunked' && head.version === '1.0';
  const headers = forwardedHeaders(answer.headers, isPlain ? { kind: 'until-close' } : framing);
  // Without a body, the length is that of a GET response.
  const [length] = valuesOf(answer.headers, 'content-length');
  if (framing.kind === 'none' && length !== undefined && answer.status !== 204)
    headers.push(['Content-Length', length]);
  headers.push(['Connection', isOpen ? 'keep-alive' : 'close']);
  return writeHead(`HTTP/1.1 ${answer.status} ${answer.reason}`, headers);
}

const REPEATABLE = new Set(['GET', 'HEAD', 'OPTIONS']);

/** The final response; interim ones are forwarded. */
async function readAnswer({ session, link, head }: Exchange): Promise<ResponseHead | 'gone' | 'unreadable'> {
  for (let interim = 0; interim < 16; interim++) {
    try {
      const bytes = await link.reader.readHead(session.limits.headBytes);
      if (bytes === null) return interim === 0 ? 'gone' : 'unreadable';
      const answer = parseResponseHead(bytes, session.limits);
      if (answer.status >= 200) {
        framingOfResponse(answer, head.method);
        return answer;
      }
      // Another protocol was not requested: Upgrade is not forwarded.
      if (answer.status === 101) return 'unreadable';
      if (head.version === '1.1') {
        const headers = forwardedHeaders(answer.headers, { kind: 'none' });
        await writeAll(session.client, writeHead(`HTTP/1.1 ${answer.status} ${answer.reason}`, headers));
      }
    } catch (error) {
      if (error instanceof ProtocolError) return 'unreadable';
      throw error;
    }
  }
  return 'unreadable';
}

function keepsServer({ version, headers }: ResponseHead): boolean {
  const words = tokensOf(headers, 'connection');
  return version === '1.1' ? !words.has('close') : words.has('keep-alive');
}

/** The client may continue; the next request gets a new connection. */
function closeLink(link: Link): 'again' {
  link.socket.destroy();
  return 'again';
}

/** Half a message must not look like a whole one. */
function cut({ client }: Session): 'close' {
  client.destroy();
  return 'close';
}

type Sending = 'sent' | 'unsent' | ProtocolError;

/** Whether the body has been sent; the rest is not awaited. */
async function settledNow(sending: Promise<Sending>): Promise<Sending> {
  const soon = new Promise<'unsent'>((resolve) => setImmediate(() => resolve('unsent')));
  return Promise.race([sending, soon]);
}
