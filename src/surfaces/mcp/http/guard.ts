// A request → why it is rejected, or `null`. Keeps out web pages (Host, Origin), other users (token) and other paths.

import type { IncomingMessage } from 'node:http';
import { isToken } from './token.ts';

export const PATH = '/mcp';
const METRICS_PATH = '/metrics';

export interface Refusal {
  readonly status: number;
  readonly message: string;
  readonly headers?: Readonly<Record<string, string>>;
}

const METHODS = ['POST', 'GET', 'DELETE'];

export function findRefusal(
  request: IncomingMessage,
  { port, token }: { port: number; token: string },
): Refusal | null {
  const { host, origin, authorization } = request.headers;
  const names = ['127.0.0.1', 'localhost'].map((name) => `${name}:${port}`);
  // A page that resolves its own name to our address (DNS rebinding) still sends its name here.
  if (host === undefined || !names.includes(host.toLowerCase()))
    return { status: 403, message: `The Host header must be ${names.join(' or ')}.` };
  if (origin !== undefined && !names.some((name) => origin.toLowerCase() === `http://${name}`))
    return { status: 403, message: 'Cross-origin requests are rejected (Origin).' };
  if (!isToken(authorization, token)) {
    const headers = { 'www-authenticate': 'Bearer realm="hardshell"' };
    return { status: 401, message: 'Send the token of this server: Authorization: Bearer TOKEN.', headers };
  }
  if (isForMetrics(request))
    return request.method === 'GET' ? null : { status: 405, message: 'Use GET.', headers: { allow: 'GET' } };
  if (pathOf(request) !== PATH) return { status: 404, message: `Not found. The server is at ${PATH}.` };
  if (!METHODS.includes(request.method ?? '')) {
    return { status: 405, message: 'Use POST, GET or DELETE.', headers: { allow: METHODS.join(', ') } };
  }
  return null;
}

export function isForMetrics(request: IncomingMessage): boolean {
  return pathOf(request) === METRICS_PATH;
}

function pathOf({ url = '' }: IncomingMessage): string {
  const end = url.indexOf('?');
  return end === -1 ? url : url.slice(0, end);
}
