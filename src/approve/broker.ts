// Requests from any number of callers → answers from any number of surfaces: the first answer closes a request, exactly once.
// Everything except a clear approval in time is a denial. No I/O: time, randomness and saving are injected.

import type { Answer, ApprovalRequest, PendingApproval, Receipt, Reply, SurfaceName } from '../core/approval.ts';
import { dispose } from '../core/disposal.ts';
import { type ChecksOf, callback, checkOptions, count, signal as isSignal, unchecked } from '../core/option-checks.ts';
import type { PolicyRule } from '../core/policy.ts';
import { createCode, normalizeCode, randomBelow } from './asking/codes.ts';
import { closeQuestion, createQuestion, type Question, showQuestion, type Waiter } from './asking/question.ts';
import { type CheckedReply, type CheckRule, checkReply, describeBounded } from './asking/reply.ts';
import { boundRequest, requestKey } from './asking/request.ts';
import { checkTimeout } from './asking/timeout.ts';
import { createGrants } from './grants.ts';
import { createSaving, type SaveRule, type SetTimer } from './saving.ts';
import type { Surface } from './surface.ts';

const DEFAULT_TIMEOUT_MS = 5 * 60_000;
const DEFAULT_MAX_PENDING = 100;
const MAX_WAITING = 1_000;
const MAX_REMEMBERED = 500;

export interface BrokerOptions {
  /** Default timeout of a request, in milliseconds. Five minutes; 0 denies at once. */
  readonly timeout?: number;
  readonly maxPending?: number;
  /** Saves a rule for the project or the user. Without it, answers apply at most to the session. */
  readonly saveRule?: SaveRule;
  /** Checks rules that were not suggested. Without it, only suggested rules are accepted. */
  readonly checkRule?: CheckRule;
  /** Called with problems besides the answers: a surface that throws, a rule that cannot be saved. */
  readonly onProblem?: (message: string) => void;
  readonly now?: () => number;
  readonly setTimer?: SetTimer;
  /** A whole number from 0 to below the limit. */
  readonly random?: (limit: number) => number;
}

export interface AskOptions {
  /** How long it waits, in milliseconds. Default: the broker's. */
  readonly timeout?: number;
  readonly signal?: AbortSignal;
}

const ASK_OPTIONS: ChecksOf<AskOptions> = { timeout: unchecked, signal: isSignal };
const BROKER_OPTIONS: ChecksOf<BrokerOptions> = {
  timeout: unchecked,
  maxPending: count,
  saveRule: callback,
  checkRule: callback,
  onProblem: callback,
  now: callback,
  setTimer: callback,
  random: callback,
};

export type ApprovalLookup =
  | { readonly status: 'pending'; readonly pending: PendingApproval }
  | { readonly status: 'already-answered'; readonly answer: Answer }
  | { readonly status: 'unknown-code' };

export interface Broker {
  /** Rejects only if its arguments are invalid. */
  ask(request: ApprovalRequest, options?: AskOptions): Promise<Answer>;
  /** Shows the surface all pending requests. Returns the function that detaches it. */
  attach(surface: Surface): () => void;
  pending(): readonly PendingApproval[];
  find(code: string): ApprovalLookup;
  /** Never rejects. The claim is made before the promise is returned. */
  answer(code: string, reply: Reply, by?: SurfaceName): Promise<Receipt>;
  /** The rules that were granted for a session and have not expired. */
  grants(session: string): readonly PolicyRule[];
  /** Revokes one rule of a session, or all; returns how many there were. */
  revoke(session: string, rule?: string): number;
  /** Denies all pending requests and all later ones. */
  close(): void;
  [Symbol.dispose](): void;
}

export function createBroker(options: BrokerOptions = {}): Broker {
  checkOptions(options, BROKER_OPTIONS);
  const now = options.now ?? Date.now;
  const setTimer = options.setTimer ?? startTimer;
  const random = options.random ?? randomBelow;
  const defaultTimeoutMs = checkTimeout(options.timeout ?? DEFAULT_TIMEOUT_MS);
  const maxPending = options.maxPending ?? DEFAULT_MAX_PENDING;
  const grants = createGrants(now);
  const saving = createSaving(options.saveRule, setTimer);
  const surfaces = new Set<Surface>();
  const questions = new Map<string, Question>();
  const byKey = new Map<string, Question>();
  const answered = new Map<string, Answer>();
  let isClosed = false;

  function report(message: string): void {
    try {
      options.onProblem?.(message);
    } catch {
      // There is nothing left to report to.
    }
  }

  function deny(by: Answer['by'], reason: string): Answer {
    return { verdict: 'deny', by, scope: 'once', rule: null, reason, at: now() };
  }

  function finish(question: Question, answer: Answer): void {
    if (!questions.delete(question.code)) return;
    byKey.delete(question.key);
    answered.set(question.code, answer);
    const [oldest] = answered.keys();
    if (answered.size > MAX_REMEMBERED && oldest !== undefined) answered.delete(oldest);
    closeQuestion(question, answer, report);
  }

  function dropSurface(question: Question, surface: Surface, why: string): void {
    if (!question.surfaces.delete(surface) || question.surfaces.size > 0) return;
    finish(question, deny('nobody', why));
  }

  function present(question: Question, surface: Surface): void {
    const fail = (error: unknown): void => {
      report(`The surface ${surface.name} could not ask: ${describeBounded(error)}`);
      dropSurface(question, surface, `There was no one to ask: ${describeBounded(error)}.`);
    };
    if (question.shown.has(surface)) return;
    question.shown.add(surface);
    const give = (reply: Reply): Promise<Receipt> => {
      if (surfaces.has(surface)) return answer(question.code, reply, surface.name);
      return Promise.resolve({ status: 'refused', problem: 'This surface is no longer attached.' });
    };
    const giveUp = (reason: string): void => {
      if (surfaces.has(surface)) finish(question, deny('timeout', reason));
    };
    try {
      Promise.resolve(surface.present(showQuestion(question), give, giveUp)).catch(fail);
    } catch (error) {
      fail(error);
    }
  }

  function wait(question: Question, timeoutMs: number, signal: AbortSignal | undefined): Promise<Answer> {
    return new Promise((resolve) => {
      const leave = (answer: Answer): void => {
        if (!question.waiters.delete(waiter)) return;
        waiter.settle(answer);
        if (question.waiters.size === 0) finish(question, answer);
      };
      const cancel = (): void => leave(deny('cancelled', 'The request was cancelled before it was answered.'));
      const stopTimer = setTimer(() => leave(deny('timeout', timeoutMessage(timeoutMs))), timeoutMs);
      const waiter: Waiter = {
        settle(answer) {
          stopTimer();
          signal?.removeEventListener('abort', cancel);
          resolve(answer);
        },
      };
      question.waiters.add(waiter);
      question.deadline = Math.max(question.deadline, now() + timeoutMs);
      signal?.addEventListener('abort', cancel, { once: true });
    });
  }

  async function ask(request: ApprovalRequest, options: AskOptions = {}): Promise<Answer> {
    checkOptions(options, ASK_OPTIONS);
    const { timeout, signal } = options;
    const limitMs = timeout === undefined ? defaultTimeoutMs : checkTimeout(timeout);
    const bounded = boundRequest(request);
    if (isClosed) return deny('closed', 'hardshell is shutting down and accepts no more approvals.');
    if (signal?.aborted) return deny('cancelled', 'The request was cancelled before it was shown.');
    if (bounded === null) return deny('too-long', 'The command or its folder is too long to show.');
    if (surfaces.size === 0) return deny('nobody', 'There was no one to ask.');
    if (limitMs === 0) return deny('timeout', timeoutMessage(0));
    const key = requestKey(bounded);
    const same = byKey.get(key);
    if (same === undefined ? questions.size >= maxPending : same.waiters.size >= MAX_WAITING) {
      return deny('too-many', `Too many requests are already waiting for approval (${questions.size}).`);
    }
    if (same !== undefined) return wait(same, limitMs, signal);
    const code = createCode((taken) => questions.has(taken) || answered.has(taken), random);
    const scopes = saving.scopesFor(bounded);
    // All surfaces from the start: one that fails at once must not close the question before the next is tried.
    const question = createQuestion({
      code,
      key,
      request: bounded,
      scopes,
      askedAt: now(),
      surfaces: new Set(surfaces),
    });
    questions.set(code, question);
    byKey.set(key, question);
    const result = wait(question, limitMs, signal);
    for (const surface of [...surfaces]) {
      // An earlier surface may have answered, or detached this one, while it was presented.
      if (questions.has(code) && surfaces.has(surface)) present(question, surface);
    }
    return result;
  }

  function check(said: Reply, question: Question): ReturnType<typeof checkReply> {
    const terms = {
      request: question.request,
      scopes: question.scopes,
      checkRule: options.checkRule ?? null,
      now: now(),
    };
    try {
      return checkReply(said, terms);
    } catch (error) {
      return { ok: false, problem: `The answer cannot be read: ${describeBounded(error)}` };
    }
  }

  async function answer(code: string, said: Reply, by: SurfaceName = 'other'): Promise<Receipt> {
    const found = lookUp(code);
    if (found.status !== 'pending') return found;
    const { question } = found;
    const checked = check(said, question);
    if (!checked.ok) return { status: 'refused', problem: checked.problem };
    // `checkRule` is the caller's code: it may have closed the question.
    if (!questions.has(question.code)) return answer(code, said, by);
    const { verdict, scope, rule, reason } = checked.reply;
    const given: Answer = { verdict, by, scope, rule, reason, at: now() };
    grant(question.request, checked.reply, by);
    finish(question, given);
    const problem = await saving.save(given, question.request);
    if (problem !== null) report(problem);
    return { status: 'accepted', answer: given, problem };
  }

  function grant(request: ApprovalRequest, { scope, rule, until }: CheckedReply, by: SurfaceName): void {
    if (scope !== 'session' || rule === null || request.session === null) return;
    grants.add(request.session, { rule, until, cwd: request.cwd, because: `approved for the session (${by})` });
  }

  type LookedUp =
    | { readonly status: 'pending'; readonly question: Question }
    | Exclude<ApprovalLookup, { status: 'pending' }>;

  function lookUp(code: string): LookedUp {
    const normal = normalizeCode(String(code));
    const question = questions.get(normal);
    if (question !== undefined) return { status: 'pending', question };
    const earlier = answered.get(normal);
    return earlier === undefined ? { status: 'unknown-code' } : { status: 'already-answered', answer: earlier };
  }

  function close(): void {
    isClosed = true;
    for (const question of [...questions.values()])
      finish(question, deny('closed', 'hardshell is shutting down and accepts no more approvals.'));
    surfaces.clear();
    grants.clear();
  }

  return {
    ask,
    answer,
    attach(surface) {
      if (isClosed || surfaces.has(surface)) return () => {};
      surfaces.add(surface);
      for (const question of [...questions.values()]) {
        if (!questions.has(question.code) || !surfaces.has(surface)) continue;
        question.surfaces.add(surface);
        present(question, surface);
      }
      return () => {
        if (!surfaces.delete(surface)) return;
        for (const question of [...questions.values()]) dropSurface(question, surface, 'There is no one left to ask.');
      };
    },
    pending: () => [...questions.values()].map(showQuestion),
    find(code) {
      const found = lookUp(code);
      return found.status === 'pending' ? { status: 'pending', pending: showQuestion(found.question) } : found;
    },
    grants: grants.list,
    revoke: grants.revoke,
    close,
    [dispose]: close,
  };
}

function startTimer(callback: () => void, delayMs: number): () => void {
  const timer = setTimeout(callback, delayMs);
  return () => clearTimeout(timer);
}

function timeoutMessage(timeoutMs: number): string {
  const time = timeoutMs < 1_000 ? `${timeoutMs} ms` : `${Math.round(timeoutMs / 1_000)} s`;
  return `No answer within ${time}.`;
}
