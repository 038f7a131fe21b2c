// The language of the socket: one JSON object per line, each with the version. One request per connection.
// Refuses lines beyond a limit and text that is not JSON; the other end is then not worth listening to.

import type { Answer, PendingApproval, Receipt, Reply } from '../../core/approval.ts';

export const PROTOCOL_VERSION = 1;
export const MAX_REQUEST_BYTES = 1 << 14;
export const MAX_RESPONSE_LINE_BYTES = 1 << 22;

export type SocketRequest =
  /** Answered by a `pending` for each, then `end`. */
  | { readonly do: 'list' }
  /** Answered by `pending`, `receipt` (already answered, unknown). */
  | { readonly do: 'find'; readonly code: string }
  /** Answered by `receipt`. */
  | { readonly do: 'answer'; readonly code: string; readonly reply: Reply }
  /** Answered by a `pending` for each, `end`, and then `pending` and `answered` as they come. */
  | { readonly do: 'watch' };

export type SocketResponse =
  | { readonly is: 'pending'; readonly pending: PendingApproval }
  | { readonly is: 'end' }
  | { readonly is: 'answered'; readonly code: string; readonly answer: Answer }
  | { readonly is: 'receipt'; readonly receipt: Receipt }
  | { readonly is: 'error'; readonly message: string };

export function encodeLine(message: SocketRequest | SocketResponse): string {
  return `${JSON.stringify({ v: PROTOCOL_VERSION, ...message })}\n`;
}

/** Bytes as they arrive → whole lines. Says `false` when a line is beyond the limit. */
export function createLineReader(limitBytes: number, onLine: (line: string) => void): (chunk: Buffer) => boolean {
  let parts: Buffer[] = [];
  let size = 0;
  return (chunk) => {
    let start = 0;
    for (let end = chunk.indexOf(10); end !== -1; end = chunk.indexOf(10, start)) {
      if (size + end - start > limitBytes) return false;
      const line = Buffer.concat([...parts, chunk.subarray(start, end)]).toString('utf8');
      parts = [];
      size = 0;
      start = end + 1;
      onLine(line);
    }
    parts.push(chunk.subarray(start));
    size += chunk.length - start;
    return size <= limitBytes;
  };
}

/** `null` when it is no object. */
export function decodeLine(line: string): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}

/** `null` when it is none of ours. What a reply says is for the broker to judge. */
export function readRequest(message: Readonly<Record<string, unknown>>): SocketRequest | null {
  const { do: verb, code, reply } = message;
  if (verb === 'list' || verb === 'watch') return { do: verb };
  if (typeof code !== 'string') return null;
  if (verb === 'find') return { do: verb, code };
  if (verb === 'answer' && typeof reply === 'object' && reply !== null)
    return { do: verb, code, reply: reply as Reply };
  return null;
}
