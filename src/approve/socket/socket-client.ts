// The sockets of this user → what waits for approval in any process, and the way to answer it.
// Sockets whose process is gone are removed on the way; a host that does not answer is a problem to report, not a failure.

import { readdirSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import type { Answer, PendingApproval, Receipt, Reply } from '../../core/approval.ts';
import { normalizeCode } from '../asking/codes.ts';
import { messageOf } from '../asking/reply.ts';
import {
  createLineReader,
  decodeLine,
  encodeLine,
  MAX_RESPONSE_LINE_BYTES,
  PROTOCOL_VERSION,
  type SocketRequest,
  type SocketResponse,
} from './lines.ts';
import { findSocketFolder } from './runtime-folder.ts';

const PATIENCE_MS = 15_000;
const MAX_HOSTS = 1_000;
const SOCKET_NAME = /^([1-9]\d{0,9})-[a-z0-9]+\.sock$/;

/** A process that asks. */
export interface ApprovalHost {
  /** The name of its socket: `4711-k7mwx3`. */
  readonly name: string;
  readonly pid: number;
  readonly path: string;
}

export interface ListedApproval extends PendingApproval {
  readonly host: ApprovalHost;
  /** `k7mw@4711-k7mwx3`: certainly unique. */
  readonly longCode: string;
}

export interface ClientOptions {
  readonly env?: NodeJS.ProcessEnv;
}

export interface Listing {
  /** The oldest first. */
  readonly pending: readonly ListedApproval[];
  /** Hosts that did not answer, as sentences. */
  readonly problems: readonly string[];
}

export type AnswerReport =
  | Exclude<Receipt, { status: 'unknown-code' }>
  | {
      readonly status: 'unknown-code';
      readonly pending: readonly ListedApproval[];
      readonly problems: readonly string[];
    }
  /** Several processes use the same code now: the long form is needed. */
  | { readonly status: 'ambiguous'; readonly candidates: readonly ListedApproval[] };

export function findHosts(options: ClientOptions = {}): ApprovalHost[] {
  const folder = findSocketFolder(options.env);
  if (folder === null) return [];
  return readdirSync(folder)
    .filter((file) => SOCKET_NAME.test(file))
    .slice(0, MAX_HOSTS)
    .map((file) => ({
      name: file.slice(0, -'.sock'.length),
      pid: Number(SOCKET_NAME.exec(file)?.[1]),
      path: join(folder, file),
    }));
}

export async function listPending(options: ClientOptions = {}): Promise<Listing> {
  const asked = await askHosts(findHosts(options), { do: 'list' });
  const pending = asked.replies.flatMap(({ host, responses }) =>
    responses.flatMap((response) => listed(response, host)),
  );
  return { pending: pending.sort((a, b) => a.askedAt - b.askedAt), problems: asked.problems };
}

/** `code` is the short form, or the long one: `CODE@HOST`. */
export async function answerPending(code: string, reply: Reply, options: ClientOptions = {}): Promise<AnswerReport> {
  const [short = '', hostName] = normalizeCode(code).split('@');
  const hosts = findHosts(options).filter(({ name }) => hostName === undefined || name === hostName);
  const { replies } = await askHosts(hosts, { do: 'find', code: short });
  const found = replies.flatMap(({ host, responses }) => responses.map((response) => ({ host, response })));
  const candidates = found.flatMap(({ host, response }) => listed(response, host));
  if (candidates.length > 1) return { status: 'ambiguous', candidates };
  const [candidate] = candidates;
  if (candidate !== undefined) {
    const receipt = await sendAnswer(candidate, reply);
    if (receipt.status !== 'unknown-code') return receipt;
  }
  for (const { response } of found) {
    const receipt = receiptIn([response]);
    if (receipt?.status === 'already-answered') return receipt;
  }
  return { status: 'unknown-code', ...(await listPending(options)) };
}

async function sendAnswer({ host, code }: ListedApproval, reply: Reply): Promise<Receipt> {
  try {
    const receipt = receiptIn(await exchange(host, { do: 'answer', code, reply }));
    return receipt ?? { status: 'refused', problem: 'The host that asked does not say what it did with the answer.' };
  } catch (error) {
    // It ended between the question and the answer: there is nothing left to decide.
    if (isGone(error, host)) return { status: 'unknown-code' };
    return { status: 'refused', problem: `The process ${host.pid} does not answer: ${messageOf(error)}` };
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
        if (!isGone(error, host)) problems.push(`The process ${host.pid} does not answer: ${messageOf(error)}`);
        return [];
      }
    }),
  );
  return { replies: replies.flat(), problems };
}

/** True when nobody listens there any more; a socket that a dead process left is removed. */
export function isGone(error: unknown, host: ApprovalHost): boolean {
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'ENOENT') return true;
  if (code !== 'ECONNREFUSED') return false;
  if (!isAlive(host.pid)) rmSync(host.path, { force: true });
  return true;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}

async function exchange(host: ApprovalHost, request: SocketRequest): Promise<SocketResponse[]> {
  const responses: SocketResponse[] = [];
  const signal = AbortSignal.timeout(PATIENCE_MS);
  await converse(host, request, signal, (response) => responses.push(response));
  if (signal.aborted) throw new Error(`no answer within ${PATIENCE_MS / 1_000} seconds`);
  for (const response of responses) if (response.is === 'error') throw new Error(response.message);
  if (responses.length === 0) throw new Error('it closed the connection without a word');
  return responses;
}

/** Sends one request and hands over what comes back, until the host closes the connection or the signal aborts. */
export function converse(
  host: ApprovalHost,
  request: SocketRequest,
  signal: AbortSignal,
  onResponse: (response: SocketResponse) => void,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect(host.path);
    const stop = (): void => void socket.destroy();
    const fail = (message: string): void => void socket.destroy(new Error(message));
    const read = createLineReader(MAX_RESPONSE_LINE_BYTES, (line) => {
      const message = decodeLine(line);
      const response = message?.v === PROTOCOL_VERSION || message?.is === 'error' ? readResponse(message) : null;
      if (response === null) fail('it says something that this version does not understand');
      else if (!socket.destroyed) onResponse(response);
    });
    signal.addEventListener('abort', stop, { once: true });
    socket.on('connect', () => socket.write(encodeLine(request)));
    socket.on('data', (chunk: Buffer) => {
      if (!read(chunk)) fail('it says too much in one line');
    });
    socket.on('error', reject);
    socket.on('close', () => {
      signal.removeEventListener('abort', stop);
      resolve();
    });
    if (signal.aborted) stop();
  });
}

function readResponse(message: Readonly<Record<string, unknown>>): SocketResponse | null {
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

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
