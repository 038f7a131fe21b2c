// The sockets of this user → pending approvals in any process, and a way to answer them.
// A host that does not answer is a problem to report, not a failure.

import type { Answer, PendingApproval, Receipt, RemoteSurface, Reply } from '../../core/approval.ts';
import { converse, findHosts, isGone, type SocketHost } from '../../local/sockets/hosts.ts';
import { isRecord, type Line } from '../../local/sockets/lines.ts';
import { normalizeCode } from '../asking/codes.ts';
import { describeBounded } from '../asking/reply.ts';
import { PROTOCOL_VERSION, type SocketRequest, type SocketResponse } from './lines.ts';

const PATIENCE_MS = 15_000;

/** A process that asks. */
export type ApprovalHost = SocketHost;

export interface ListedApproval extends PendingApproval {
  readonly host: ApprovalHost;
  /** `k7mw@4711-k7mwx3`: always unique. */
  readonly longCode: string;
}

export interface ClientOptions {
  readonly env?: NodeJS.ProcessEnv;
}

export interface Listing {
  /** The oldest first. */
  readonly pending: readonly ListedApproval[];
  /** Hosts that did not answer, as messages. */
  readonly problems: readonly string[];
}

export type AnswerReport =
  | Exclude<Receipt, { status: 'unknown-code' }>
  | {
      readonly status: 'unknown-code';
      readonly pending: readonly ListedApproval[];
      readonly problems: readonly string[];
    }
  /** Several processes use the same code: the long form is needed. */
  | { readonly status: 'ambiguous'; readonly candidates: readonly ListedApproval[] };

export async function listPending(options: ClientOptions = {}): Promise<Listing> {
  const asked = await askHosts(findHosts('approvals', options.env), { do: 'list' });
  const pending = asked.replies.flatMap(({ host, responses }) =>
    responses.flatMap((response) => listed(response, host)),
  );
  return { pending: pending.sort((a, b) => a.askedAt - b.askedAt), problems: asked.problems };
}

export interface AnswerPendingOptions extends ClientOptions {
  /** The program that answers; recorded as `by`. Default `socket`: a program that does not identify itself. */
  readonly by?: RemoteSurface;
}

/** `code` is the short form, or the long one: `CODE@HOST`. */
export async function answerPending(
  code: string,
  reply: Reply,
  options: AnswerPendingOptions = {},
): Promise<AnswerReport> {
  const [short = '', hostName] = normalizeCode(code).split('@');
  const hosts = findHosts('approvals', options.env).filter(({ name }) => hostName === undefined || name === hostName);
  const { replies } = await askHosts(hosts, { do: 'find', code: short });
  const found = replies.flatMap(({ host, responses }) => responses.map((response) => ({ host, response })));
  const candidates = found.flatMap(({ host, response }) => listed(response, host));
  if (candidates.length > 1) return { status: 'ambiguous', candidates };
  const [candidate] = candidates;
  if (candidate !== undefined) {
    const receipt = await sendAnswer(candidate, reply, options.by ?? 'socket');
    if (receipt.status !== 'unknown-code') return receipt;
  }
  for (const { response } of found) {
    const receipt = receiptIn([response]);
    if (receipt?.status === 'already-answered') return receipt;
  }
  return { status: 'unknown-code', ...(await listPending(options)) };
}

async function sendAnswer({ host, code }: ListedApproval, reply: Reply, by: RemoteSurface): Promise<Receipt> {
  try {
    const receipt = receiptIn(await exchange(host, { do: 'answer', code, reply, by }));
    return receipt ?? { status: 'refused', problem: 'The host did not confirm the answer.' };
  } catch (error) {
    // It ended between the question and the answer: there is nothing left to decide.
    if (isGone(error, host)) return { status: 'unknown-code' };
    return { status: 'refused', problem: `The process ${host.pid} does not answer: ${describeBounded(error)}` };
  }
}

export function listed(response: SocketResponse, host: ApprovalHost): ListedApproval[] {
  if (response.is !== 'pending') return [];
  return [{ ...response.pending, host, longCode: `${response.pending.code}@${host.name}` }];
}

function receiptIn(responses: readonly SocketResponse[]): Receipt | null {
  for (const response of responses) if (response.is === 'receipt') return response.receipt;
  return null;
}

interface Asked {
  readonly replies: readonly { readonly host: ApprovalHost; readonly responses: readonly SocketResponse[] }[];
  readonly problems: readonly string[];
}

async function askHosts(hosts: readonly ApprovalHost[], request: SocketRequest): Promise<Asked> {
  const problems: string[] = [];
  const replies = await Promise.all(
    hosts.map(async (host) => {
      try {
        return [{ host, responses: await exchange(host, request) }];
      } catch (error) {
        if (!isGone(error, host)) problems.push(`The process ${host.pid} does not answer: ${describeBounded(error)}`);
        return [];
      }
    }),
  );
  return { replies: replies.flat(), problems };
}

async function exchange(host: ApprovalHost, request: SocketRequest): Promise<SocketResponse[]> {
  const responses: SocketResponse[] = [];
  const signal = AbortSignal.timeout(PATIENCE_MS);
  await talk(host, request, signal, (response) => responses.push(response));
  if (signal.aborted) throw new Error(`no answer within ${PATIENCE_MS / 1_000} seconds`);
  for (const response of responses) if (response.is === 'error') throw new Error(response.message);
  if (responses.length === 0) throw new Error('it closed the connection without an answer');
  return responses;
}

/** Sends one request and reads the responses until the host closes the connection or the signal aborts. */
export function talk(
  host: ApprovalHost,
  request: SocketRequest,
  signal: AbortSignal,
  onResponse: (response: SocketResponse) => void,
): Promise<void> {
  return converse(
    host,
    { v: PROTOCOL_VERSION, ...request },
    {
      signal,
      onLine(line) {
        const response = line.v === PROTOCOL_VERSION || line.is === 'error' ? readResponse(line) : null;
        if (response !== null) onResponse(response);
        return response !== null;
      },
    },
  );
}

function readResponse(message: Line): SocketResponse | null {
  const { is, pending, code, answer, receipt, message: text } = message;
  if (is === 'end') return { is };
  if (is === 'error') return { is, message: String(text) };
  if (is === 'pending' && isPending(pending)) return { is, pending };
  if (is === 'answered' && typeof code === 'string' && isRecord(answer))
    return { is, code, answer: answer as unknown as Answer };
  if (is === 'receipt' && isRecord(receipt) && typeof receipt.status === 'string')
    return { is, receipt: receipt as unknown as Receipt };
  return null;
}

function isPending(value: unknown): value is PendingApproval {
  if (!isRecord(value) || !isRecord(value.request)) return false;
  const { command, cwd, findings, suggestions } = value.request;
  const texts = [value.code, command, cwd];
  return texts.every((text) => typeof text === 'string') && Array.isArray(findings) && Array.isArray(suggestions);
}
