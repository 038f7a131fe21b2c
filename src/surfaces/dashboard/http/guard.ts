// A request → why it is rejected, or `null`. Keeps out pages of other origins, and of other ports of this machine.

import type { IncomingMessage } from 'node:http';

export interface Refusal {
  readonly status: number;
  readonly message: string;
  readonly headers?: Readonly<Record<string, string>>;
}

const METHODS = ['GET', 'HEAD', 'POST'];
const MAX_URL = 4_096;

export function findRefusal(request: IncomingMessage, port: number): Refusal | null {
  const { host, origin } = request.headers;
  const names = ['127.0.0.1', 'localhost'].map((name) => `${name}:${port}`);
  // A page that resolves its own name to our address (DNS rebinding) still sends its name here.
  if (host === undefined || !names.includes(host.toLowerCase()))
    return { status: 403, message: `The Host header must be ${names.join(' or ')}.` };
  // Other ports are the same site for cookies, but not the same origin.
  if (origin !== undefined && origin.toLowerCase() !== `http://${host.toLowerCase()}`)
    return { status: 403, message: 'Cross-origin requests are rejected (Origin).' };
  if (!isOwnFetch(request)) return { status: 403, message: 'Cross-origin requests are rejected (Sec-Fetch-Site).' };
  if (!METHODS.includes(request.method ?? ''))
    return { status: 405, message: 'Use GET or POST.', headers: { allow: METHODS.join(', ') } };
  if ((request.url ?? '').length > MAX_URL) return { status: 414, message: 'The address is too long.' };
  return null;
}

/** A link from another site may open the page, which contains no data; it must not request anything else. */
function isOwnFetch({ headers, method, url = '' }: IncomingMessage): boolean {
  const site = headers['sec-fetch-site'];
  if (site === undefined || site === 'same-origin' || site === 'none') return true;
  return headers['sec-fetch-mode'] === 'navigate' && method === 'GET' && (url === '/' || url.startsWith('/?'));
}
