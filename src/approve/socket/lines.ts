// What is asked and answered on the socket of the approvals: objects of JSON, each with the version.

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
  /** Answered by `receipt`. `by` is what the client calls itself. */
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

/** `null` when it is none of ours. What a reply says is for the broker to judge. */
export function readRequest(message: Readonly<Record<string, unknown>>): SocketRequest | null {
  const { do: verb, code, reply, by } = message;
  if (verb === 'list' || verb === 'watch') return { do: verb };
  if (typeof code !== 'string') return null;
  if (verb === 'find') return { do: verb, code };
  if (verb === 'answer' && typeof reply === 'object' && reply !== null)
    return { do: verb, code, reply: reply as Reply, by: labelOf(by) };
  return null;
}

/** Any process of the user can say anything here: it is a label of a closed list, and never one of those in this process. */
function labelOf(said: unknown): RemoteSurface {
  return REMOTE_SURFACES.find((name) => name === said) ?? 'socket';
}
