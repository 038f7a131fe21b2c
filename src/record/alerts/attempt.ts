// One attempt to deliver an alert → delivered, retry, or give up. Redirects are not followed,
// responses are not read, and everything has a timeout.

import { type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { Alert } from './alert.ts';
import { signAlert, type Webhook } from './webhook.ts';

export type AttemptOutcome =
  | { readonly kind: 'delivered' }
  | { readonly kind: 'again'; readonly why: string; readonly retryAfterMs: number | null }
  | { readonly kind: 'never'; readonly why: string };

/** Only the status of a response matters; longer responses are cut off. */
const MAX_ANSWER_BYTES = 64 << 10;
/** The server or the network is busy. */
const AGAIN = [408, 425, 429];

export interface Attempt {
  readonly outcome: Promise<AttemptOutcome>;
  abandon(): void;
}

export function attemptDelivery(webhook: Webhook, alert: Alert): Attempt {
  const { headers, body } = signAlert(webhook, alert, Math.floor(Date.now() / 1000));
  const send = webhook.url.protocol === 'https:' ? httpsRequest : httpRequest;
  let request: ClientRequest;
  const outcome = new Promise<AttemptOutcome>((resolve) => {
    // A separate connection: none is kept open between alerts.
    request = send(webhook.url, { method: 'POST', headers, agent: false, rejectUnauthorized: true }, (response) => {
      resolve(judge(response));
      discard(response);
    });
    const seconds = webhook.timeout / 1000;
    const late = setTimeout(() => request.destroy(new Error(`no answer within ${seconds} s`)), webhook.timeout);
    request.on('error', (error: NodeJS.ErrnoException) => {
      resolve({ kind: 'again', why: error.code ?? error.message, retryAfterMs: null });
    });
    request.on('close', () => {
      clearTimeout(late);
      resolve({ kind: 'again', why: 'the connection was closed', retryAfterMs: null });
    });
    request.end(body);
  });
  return { outcome, abandon: () => void request.destroy(new Error('given up')) };
}

function judge({ statusCode = 0, headers }: IncomingMessage): AttemptOutcome {
  if (statusCode >= 200 && statusCode < 300) return { kind: 'delivered' };
  const why = `answered with ${statusCode}`;
  if (statusCode >= 300 && statusCode < 400) return { kind: 'never', why: `${why}; redirects are not followed` };
  if (!AGAIN.includes(statusCode) && statusCode < 500) return { kind: 'never', why };
  const after = headers['retry-after'];
  return { kind: 'again', why, retryAfterMs: /^\d{1,6}$/.test(after ?? '') ? Number(after) * 1000 : null };
}

function discard(response: IncomingMessage): void {
  let bytes = 0;
  response.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > MAX_ANSWER_BYTES) response.destroy();
  });
  response.on('error', () => {});
}
