// Requests and responses on the approval socket: JSON objects, each with the version.

import {
  type Answer,
  type PendingApproval,
  REMOTE_SURFACES,
  type Receipt,
  type RemoteSurface,
  type Reply,
} from '../../core/approval.ts';

export const PROTOCOL_VERSION = 1;

export type SocketRequest =
  /** Answered by a `pending` for each, then `end`. */
  | { readonly do: 'list' }
  /** Answered by `pending`, `receipt` (already answered, unknown). */
  | { readonly do: 'find'; readonly code: string }
  /** Answered by `receipt`. `by` is the name that the client gives itself. */
  | { readonly do: 'answer'; readonly code: string; readonly reply: Reply; readonly by: RemoteSurface }
  /** Answered by a `pending` for each, `end`, and then `pending` and `answered` as they come. */
  | { readonly do: 'watch' };

export type SocketResponse =
  | { readonly is: 'pending'; readonly pending: PendingApproval }
  | { readonly is: 'end' }
  | { readonly is: 'answered'; readonly code: string; readonly answer: Answer }
  | { readonly is: 'receipt'; readonly receipt: Receipt }
  | { readonly is: 'error'; readonly message: string };

export function encodeLine(message: SocketResponse): string {
  return `${JSON.stringify({ v: PROTOCOL_VERSION, ...message })}\n`;
}

/** `null` if it is not a known request. The broker checks the content of replies. */
export function readRequest(message: Readonly<Record<string, unknown>>): SocketRequest | null {
  const { do: verb, code, reply, by } = message;
  if (verb === 'list' || verb === 'watch') return { do: verb };
  if (typeof code !== 'string') return null;
  if (verb === 'find') return { do: verb, code };
  if (verb === 'answer' && typeof reply === 'object' && reply !== null)
    return { do: verb, code, reply: reply as Reply, by: labelOf(by) };
  return null;
}

/** Any process of the user can send anything here: only labels of a closed list count, and none of this process's own. */
function labelOf(said: unknown): RemoteSurface {
  return REMOTE_SURFACES.find((name) => name === said) ?? 'socket';
}
