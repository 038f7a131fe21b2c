// Responses of the proxy itself: refusals and errors, in plain text with what to do.

import { describeDecision, phraseOf, tellRefusal } from './decision.ts';
import type { Refusal } from './rules/gate.ts';
import { showHost } from './rules/host.ts';
import type { Session } from './session.ts';
import { writeAll } from './wire/byte-reader.ts';
import type { Framing, Header } from './wire/http-head.ts';
import { writeHead } from './wire/http-head.ts';

const REASONS: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  407: 'Proxy Authentication Required',
  408: 'Request Timeout',
  414: 'URI Too Long',
  431: 'Request Header Fields Too Large',
  503: 'Service Unavailable',
};
const LINGER_MS = 1000;
const LINGER_BYTES = 1024 * 1024;

/** Reports the error and closes the client: after an error the start of the next request is unknown. */
export async function replyTo(session: Session, status: number, message: string): Promise<'close'> {
  const extra: Header[] = status === 407 ? [['Proxy-Authenticate', 'Basic realm="hardshell"']] : [];
  // Many programs show only the status line. Without a reason there, an unreachable host looks like a broken proxy.
  const line = `${status} ${status === 502 ? phraseOf(message) : (REASONS[status] ?? 'Error')}`;
  await writeAll(session.client, messageOf(line, `hardshell: ${message}\n`, [...extra, ['Connection', 'close']]));
  return 'close';
}

export async function replyDenied(
  session: Session,
  refusal: Refusal,
  { framing, isLast }: { readonly framing: Framing; readonly isLast: boolean },
): Promise<'again' | 'close'> {
  const hasBody = framing.kind === 'chunked' || (framing.kind === 'length' && framing.length > 0);
  const isEnd = hasBody || isLast || refusal.protocol === 'connect';
  const text = messageOf(`403 ${describeDecision(refusal)}`, tellRefusal(refusal), [
    ['x-hardshell-denied', `${showHost(refusal.host, refusal.port)} ${refusal.reason}`],
    ['Connection', isEnd ? 'close' : 'keep-alive'],
  ]);
  await writeAll(session.client, text);
  return isEnd ? 'close' : 'again';
}

function messageOf(status: string, body: string, headers: readonly Header[]): string {
  const length = String(Buffer.byteLength(body, 'latin1'));
  const own: Header[] = [
    ['Content-Type', 'text/plain; charset=utf-8'],
    ['Content-Length', length],
    ['Cache-Control', 'no-store'],
  ];
  return `${writeHead(`HTTP/1.1 ${status}`, [...own, ...headers])}${body}`;
}

/** Closing with unread bytes would reset the connection and discard the response. */
export async function linger({ client, reader }: Session): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  // The timer starts when everything is sent: a slow reader gets the whole response.
  client.end(() => {
    timer = setTimeout(() => client.destroy(), LINGER_MS);
  });
  client.once('close', () => clearTimeout(timer));
  let left = LINGER_BYTES;
  while (left > 0) {
    const bytes = await reader.read(left);
    if (bytes === null) break;
    left -= bytes.length;
  }
  client.destroySoon();
}
