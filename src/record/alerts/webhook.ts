// The URL for alerts: options → a checked target, and an alert → a signed request (standardwebhooks.com).
// Refuses URLs that others could intercept: http only to this machine, no passwords in the URL.

import { createHmac } from 'node:crypto';
import { HardshellError } from '../../core/errors.ts';
import { type ChecksOf, checkOptions, unchecked } from '../../core/option-checks.ts';
import type { Alert } from './alert.ts';

export interface WebhookOptions {
  /** https, or http to this machine. */
  readonly url: string;
  /** `whsec_` and at least 24 bytes in base64, or a text of at least 24 characters. */
  readonly secret: string;
  /** In addition to those of the signature. */
  readonly headers?: Readonly<Record<string, string>>;
  /** For one attempt. Default 10,000. */
  readonly timeout?: number;
  /** For one alert. Default 8. */
  readonly maxAttempts?: number;
  /** Before the second attempt; it doubles with each one, up to `longestDelay`. Default 500, and 60,000. */
  readonly firstDelay?: number;
  readonly longestDelay?: number;
  /** Maximum number of queued alerts. Default 1,000. */
  readonly queueSize?: number;
}

/** Only the names: the values are checked below. */
const WEBHOOK_OPTIONS: ChecksOf<WebhookOptions> = {
  url: unchecked,
  secret: unchecked,
  headers: unchecked,
  timeout: unchecked,
  maxAttempts: unchecked,
  firstDelay: unchecked,
  longestDelay: unchecked,
  queueSize: unchecked,
};

export interface Webhook extends Required<Omit<WebhookOptions, 'url' | 'secret'>> {
  readonly url: URL;
  readonly key: Buffer;
}

const MIN_SECRET = 24;
/** RFC 9110, 5.1 and 5.5; implementations differ on values that are not ASCII. */
const HEADER_NAME = /^[\w!#$%&'*+.^`|~-]+$/;
const HEADER_VALUE = /^[\t\x20-\x7e]*$/;
const OWN_HEADERS = ['content-type', 'content-length', 'host', 'user-agent', 'connection', 'transfer-encoding'];

export function checkWebhook(options: WebhookOptions): Webhook {
  checkOptions(options, WEBHOOK_OPTIONS);
  const { headers = {}, timeout = 10_000, maxAttempts = 8, firstDelay = 500, longestDelay = 60_000 } = options;
  const { queueSize = 1000 } = options;
  checkHeaders(headers);
  checkCount('timeout', timeout, 600_000);
  checkCount('maxAttempts', maxAttempts, 100);
  checkCount('firstDelay', firstDelay, 3_600_000);
  checkCount('longestDelay', longestDelay, 3_600_000);
  checkCount('queueSize', queueSize, 100_000);
  const [url, key] = [checkUrl(options.url), keyOf(options.secret)];
  return { url, key, headers, timeout, maxAttempts, firstDelay, longestDelay, queueSize };
}

function checkUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null) throw wrong('The URL of the webhook is not valid.', 'Write it in full: https://host/path.');
  if (url.username !== '' || url.password !== '')
    throw wrong('The URL of the webhook contains a password.', 'Send it in a header instead: headers.authorization.');
  const isHere = url.hostname === 'localhost' || url.hostname === '[::1]' || /^127(?:\.\d+){3}$/.test(url.hostname);
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && isHere))
    throw wrong('The webhook must use https, or http to this machine.', 'Use https, or http://127.0.0.1.');
  return url;
}

function keyOf(secret: unknown): Buffer {
  const hint = 'Create one: openssl rand -base64 32, with whsec_ before it.';
  if (typeof secret !== 'string') throw wrong('The webhook needs a secret.', hint);
  const encoded = secret.startsWith('whsec_') ? secret.slice('whsec_'.length) : null;
  if (encoded !== null && !/^[A-Za-z0-9+/]+={0,2}$/.test(encoded))
    throw wrong('The part of the secret after whsec_ must be base64.', hint);
  const key = Buffer.from(encoded ?? secret, encoded === null ? 'utf8' : 'base64');
  if (key.length < MIN_SECRET) throw wrong(`The secret of the webhook is shorter than ${MIN_SECRET} bytes.`, hint);
  return key;
}

function checkHeaders(headers: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(headers)) {
    if (OWN_HEADERS.includes(name.toLowerCase()) || /^webhook-/i.test(name))
      throw wrong(`The header ${name} cannot be overridden.`);
    // The value may be a secret: it is not displayed.
    if (!HEADER_NAME.test(name) || typeof value !== 'string' || !HEADER_VALUE.test(value))
      throw wrong(`The header ${JSON.stringify(name)} cannot be sent: its name or its value is not allowed.`);
  }
}

function checkCount(name: string, value: number, most: number): void {
  if (!Number.isSafeInteger(value) || value < 1 || value > most)
    throw wrong(`webhook.${name} must be a whole number from 1 to ${most}.`);
}

/** Signed again for each attempt: receivers refuse timestamps older than some minutes. */
export function signAlert(
  { key, headers }: Pick<Webhook, 'key' | 'headers'>,
  alert: Alert,
  seconds: number,
): { readonly headers: Readonly<Record<string, string>>; readonly body: Buffer } {
  const timestamp = new Date(alert.at).toISOString();
  const body = Buffer.from(JSON.stringify({ type: `hardshell.${alert.kind}`, timestamp, data: alert }));
  const signature = createHmac('sha256', key).update(`${alert.id}.${seconds}.`).update(body).digest('base64');
  return {
    body,
    headers: {
      ...headers,
      'content-type': 'application/json',
      'content-length': String(body.length),
      'user-agent': 'hardshell',
      'webhook-id': alert.id,
      'webhook-timestamp': String(seconds),
      'webhook-signature': `v1,${signature}`,
    },
  };
}

function wrong(message: string, hint?: string): HardshellError {
  return new HardshellError('invalid-argument', message, hint === undefined ? {} : { hint });
}
