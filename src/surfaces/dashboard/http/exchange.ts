// One request and its reply: bodies are bounded JSON, every reply has security headers.

import type { IncomingMessage, ServerResponse } from 'node:http';
import { HardshellError } from '../../../host.ts';
import { Refused } from '../refused.ts';

const MAX_BODY_BYTES = 1 << 16;

/** Only our own code, only connections to this server, and no framing. */
const SAFE_HEADERS = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), microphone=(), geolocation=()',
  'cache-control': 'no-store',
};

export async function readJson(request: IncomingMessage): Promise<Readonly<Record<string, unknown>>> {
  // A form of another page could send other types without a preflight request.
  if (!/^application\/json\b/i.test(request.headers['content-type'] ?? ''))
    throw new Refused(415, 'Send application/json.');
  const tooLong = new Refused(413, `The request is longer than ${MAX_BODY_BYTES} bytes.`);
  if (Number(request.headers['content-length'] ?? 0) > MAX_BODY_BYTES) throw tooLong;
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > MAX_BODY_BYTES) throw tooLong;
    chunks.push(chunk);
  }
  try {
    const value: unknown = JSON.parse(Buffer.concat(chunks).toString('utf8'));
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  } catch {
    // The same as any other text that is not an object.
  }
  throw new Refused(400, 'The body is not a JSON object.');
}

export function send(
  response: ServerResponse,
  status: number,
  body: string | Buffer,
  headers: Readonly<Record<string, string>>,
): void {
  const length = String(Buffer.byteLength(body));
  response.writeHead(status, { ...SAFE_HEADERS, 'content-length': length, ...headers });
  response.end(response.req.method === 'HEAD' ? '' : body);
}

export function sendJson(
  response: ServerResponse,
  value: unknown,
  status = 200,
  headers: Readonly<Record<string, string>> = {},
): void {
  send(response, status, JSON.stringify(value), { 'content-type': 'application/json; charset=utf-8', ...headers });
}

export function sendFailure(response: ServerResponse, error: unknown): void {
  if (response.headersSent) return void response.destroy();
  const isOurs = error instanceof Refused || error instanceof HardshellError;
  const status = error instanceof Refused ? error.status : isOurs ? 400 : 500;
  const message = isOurs ? (error as Error).message : 'Internal error.';
  const hint = error instanceof HardshellError ? (error.hint ?? null) : null;
  // The rest of a refused body would be read as the next request.
  sendJson(response, { error: { message, hint } }, status, { connection: 'close' });
}

export function openEvents(response: ServerResponse): void {
  response.writeHead(200, { ...SAFE_HEADERS, 'content-type': 'text/event-stream; charset=utf-8' });
  response.flushHeaders();
}

export function sendEvent(response: ServerResponse, value: unknown): void {
  response.write(`data: ${JSON.stringify(value)}\n\n`);
}
