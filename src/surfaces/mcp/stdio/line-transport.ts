// Two streams → the SDK's transport: one JSON-RPC message per line. Reads from its creation, so that a greeting can be
// answered before the SDK is loaded. Lines that are too long or invalid are answered with an error, and skipped.

import type { Readable } from 'node:stream';
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/server';

/** More than any request needs: commands have a much lower limit. */
const MAX_LINE_BYTES = 4 << 20;
const NEWLINE = 0x0a;
const PARSE_ERROR = -32_700;
const INVALID_REQUEST = -32_600;

export interface LineOptions {
  readonly input: Readable;
  readonly write: (text: string, done: (error?: Error | null) => void) => void;
  /** The answer to the first message, if it can be given at once. */
  readonly greet?: (first: unknown) => object | null;
  readonly maxLineBytes?: number;
}

export class LineTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  /** Settles when the client is gone, or `close` was called. */
  readonly closed: Promise<void>;
  /** Settles with the first message, which may already have been answered. */
  readonly heard: Promise<void>;
  readonly #options: LineOptions;
  readonly #early: JSONRPCMessage[] = [];
  #chunks: Buffer[] = [];
  #bytes = 0;
  #isSkipping = false;
  #isStarted = false;
  #isClosed = false;
  #isFirst = true;
  /** The SDK answers the greeting once more: that answer is dropped. */
  #greetedId: unknown = null;
  #settle: () => void = () => {};
  #hear: () => void = () => {};

  constructor(options: LineOptions) {
    this.#options = options;
    this.closed = new Promise((resolve) => {
      this.#settle = resolve;
    });
    this.heard = new Promise((resolve) => {
      this.#hear = resolve;
    });
    const { input } = options;
    input.on('data', (chunk: Buffer) => this.#read(chunk));
    for (const event of ['end', 'close', 'error']) input.on(event, () => void this.close());
  }

  async start(): Promise<void> {
    this.#isStarted = true;
    for (const message of this.#early.splice(0)) this.onmessage?.(message);
  }

  send(message: JSONRPCMessage): Promise<void> {
    if (this.#greetedId !== null && 'id' in message && message.id === this.#greetedId && !('method' in message)) {
      this.#greetedId = null;
      return Promise.resolve();
    }
    return this.#write(message);
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#options.input.pause();
    this.#settle();
    this.onclose?.();
  }

  #write(message: object): Promise<void> {
    if (this.#isClosed) return Promise.reject(new Error('The client has disconnected.'));
    return new Promise((resolve, reject) => {
      this.#options.write(`${JSON.stringify(message)}\n`, (error) => (error ? reject(error) : resolve()));
    });
  }

  #read(chunk: Buffer): void {
    let rest = chunk;
    for (let end = rest.indexOf(NEWLINE); end !== -1 && !this.#isClosed; end = rest.indexOf(NEWLINE)) {
      this.#add(rest.subarray(0, end));
      const line = Buffer.concat(this.#chunks).toString('utf8');
      const wasSkipped = this.#isSkipping;
      this.#clear();
      this.#isSkipping = false;
      if (!wasSkipped && line.trim() !== '') this.#take(line);
      rest = rest.subarray(end + 1);
    }
    this.#add(rest);
  }

  #add(part: Buffer): void {
    if (this.#isSkipping) return;
    this.#chunks.push(part);
    this.#bytes += part.length;
    const limit = this.#options.maxLineBytes ?? MAX_LINE_BYTES;
    if (this.#bytes <= limit) return;
    this.#clear();
    this.#isSkipping = true;
    this.#refuse(null, INVALID_REQUEST, `The message is longer than ${limit} bytes.`);
  }

  #clear(): void {
    this.#chunks = [];
    this.#bytes = 0;
  }

  #take(line: string): void {
    let message: unknown;
    try {
      message = JSON.parse(line);
    } catch {
      return this.#refuse(null, PARSE_ERROR, 'The line is not JSON.');
    }
    if (!isMessage(message))
      return this.#refuse(idOf(message), INVALID_REQUEST, 'Not a JSON-RPC 2.0 request, notification or response.');
    const greeting = this.#isFirst && !this.#isStarted ? (this.#options.greet?.(message) ?? null) : null;
    this.#isFirst = false;
    if (greeting !== null && 'id' in message) {
      this.#greetedId = message.id;
      this.#write({ jsonrpc: '2.0', id: message.id, result: greeting }).catch(() => {});
    }
    this.#hear();
    if (this.#isStarted) this.onmessage?.(message);
    else this.#early.push(message);
  }

  #refuse(id: string | number | null, code: number, message: string): void {
    this.#write({ jsonrpc: '2.0', id, error: { code, message } }).catch(() => {});
  }
}

function isMessage(value: unknown): value is JSONRPCMessage {
  if (typeof value !== 'object' || value === null) return false;
  const { jsonrpc, id, method, params, result, error } = value as Record<string, unknown>;
  if (jsonrpc !== '2.0') return false;
  if (id !== undefined && idOf(value) === null) return false;
  if (method === undefined) return id !== undefined && (isObject(result) || isObject(error));
  return typeof method === 'string' && (params === undefined || isObject(params));
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function idOf(value: unknown): string | number | null {
  const id = typeof value === 'object' && value !== null && 'id' in value ? value.id : null;
  return typeof id === 'string' || (typeof id === 'number' && Number.isInteger(id)) ? id : null;
}
