// Node's request and response ↔ the web Request and Response of the SDK. Bodies are bounded; the signal reports a client
// that disconnects, and unsent data is dropped.

import type { IncomingMessage, ServerResponse } from 'node:http';

const MAX_BODY_BYTES = 4 << 20;

export type Body =
  | { readonly kind: 'none' }
  | { readonly kind: 'json'; readonly value: unknown }
  | { readonly kind: 'too-long' }
  | { readonly kind: 'not-json' }
  | { readonly kind: 'cut-off' };

export async function readBody(request: IncomingMessage, limit = MAX_BODY_BYTES): Promise<Body> {
  if (request.method !== 'POST') return { kind: 'none' };
  if (Number(request.headers['content-length'] ?? 0) > limit) return { kind: 'too-long' };
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of request as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      if (bytes > limit) return { kind: 'too-long' };
      chunks.push(chunk);
    }
  } catch {
    return { kind: 'cut-off' };
  }
  try {
    return { kind: 'json', value: JSON.parse(Buffer.concat(chunks).toString('utf8')) };
  } catch {
    return { kind: 'not-json' };
  }
}

/** Without the body, which was already read. */
export function toWebRequest(request: IncomingMessage, port: number, signal: AbortSignal): Request {
  const headers = new Headers();
  for (const [name, value] of Object.entries(request.headers))
    for (const each of Array.isArray(value) ? value : [value]) if (each !== undefined) headers.append(name, each);
  return new Request(`http://127.0.0.1:${port}${request.url}`, { method: request.method ?? 'GET', headers, signal });
}

/** Settles when everything was sent, or the client is gone. */
export async function sendWebResponse(response: Response, target: ServerResponse): Promise<void> {
  target.writeHead(response.status, Object.fromEntries(response.headers));
  if (response.body === null) return void target.end();
  // A stream may be silent for long: the client should know that it is open.
  target.flushHeaders();
  const reader = response.body.getReader();
  const leave = (): void => void reader.cancel().catch(() => {});
  target.on('close', leave);
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done || target.destroyed) break;
      if (!target.write(value)) await untilDrained(target);
    }
  } catch {
    // The other side of the stream has failed: there is no more to send.
  }
  target.end();
}

function untilDrained(target: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const go = (): void => {
      target.off('drain', go);
      target.off('close', go);
      resolve();
    };
    target.on('drain', go);
    target.on('close', go);
  });
}
