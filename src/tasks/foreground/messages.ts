// Requests and answers about foreground commands: JSON objects, each with the version.

import { isRecord, type Line } from '../../local/sockets/lines.ts';
import type { Piece } from '../piece.ts';

const VERSION = 1;

export type ForegroundRequest =
  /** Answered with a `command` for each, then `end`. */
  | { readonly do: 'list' }
  /** Answered with `output` as it arrives, from a byte offset or from near its end, then `end`. */
  | { readonly do: 'follow'; readonly id: string; readonly cursor: number | null }
  /** Answered with `stopped` after it has ended. */
  | { readonly do: 'stop'; readonly id: string };

export interface ListedCommand {
  readonly id: string;
  readonly command: string;
  readonly description: string | null;
  readonly cwd: string;
  readonly session: string | null;
  readonly pid: number;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  readonly outputBytes: number;
}

export type ForegroundResponse =
  | { readonly is: 'command'; readonly command: ListedCommand }
  | { readonly is: 'end' }
  | ({ readonly is: 'output' } & Piece)
  | { readonly is: 'stopped'; readonly isStopped: boolean }
  /** There is no such command, or it has ended. */
  | { readonly is: 'unknown' }
  | { readonly is: 'error'; readonly message: string };

export function withVersion<Message extends object>(message: Message): Message & { readonly v: number } {
  return { v: VERSION, ...message };
}

export function isOurVersion({ v }: Line): boolean {
  return v === VERSION;
}

/** `null` if it is not a valid message. */
export function readForegroundRequest({ do: verb, id, cursor }: Line): ForegroundRequest | null {
  if (verb === 'list') return { do: verb };
  if (typeof id !== 'string') return null;
  if (verb === 'stop') return { do: verb, id };
  if (verb !== 'follow') return null;
  if (cursor === undefined || cursor === null) return { do: verb, id, cursor: null };
  return isCount(cursor) ? { do: verb, id, cursor } : null;
}

/** `null` if this version does not understand it. */
export function readForegroundResponse(line: Line): ForegroundResponse | null {
  const { is, command, text, cursor, isAtEnd, isStopped, message } = line;
  if (is === 'error') return { is, message: String(message) };
  if (!isOurVersion(line)) return null;
  if (is === 'end' || is === 'unknown') return { is };
  if (is === 'stopped') return { is, isStopped: isStopped === true };
  if (is === 'output' && typeof text === 'string' && isCount(cursor))
    return { is, text, cursor, isAtEnd: isAtEnd === true };
  if (is === 'command' && isListed(command)) return { is, command };
  return null;
}

function isListed(value: unknown): value is ListedCommand {
  if (!isRecord(value)) return false;
  const { id, command, description, cwd, session, pid, startedAt, outputBytes } = value;
  const isTextOrNull = (text: unknown): boolean => text === null || typeof text === 'string';
  return (
    [id, command, cwd].every((text) => typeof text === 'string') &&
    [description, session].every(isTextOrNull) &&
    [pid, startedAt, outputBytes].every(isCount)
  );
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}
