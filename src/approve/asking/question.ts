// One question, shown to surfaces and awaited by callers: its state, how it is shown, how it is closed.

import type { Answer, ApprovalRequest, ApprovalScope, PendingApproval } from '../../core/approval.ts';
import type { Surface } from '../surface.ts';
import { describeBounded } from './reply.ts';

export interface Waiter {
  settle(answer: Answer): void;
}

export interface Question {
  readonly code: string;
  readonly key: string;
  readonly request: ApprovalRequest;
  readonly scopes: readonly ApprovalScope[];
  readonly askedAt: number;
  /** The latest deadline of the waiting callers. */
  deadline: number;
  readonly waiters: Set<Waiter>;
  /** Surfaces that can still answer. */
  readonly surfaces: Set<Surface>;
  /** Surfaces that were shown it, and are notified when it is closed. */
  readonly shown: Set<Surface>;
}

export function createQuestion(start: Omit<Question, 'deadline' | 'waiters' | 'shown'>): Question {
  return { ...start, deadline: start.askedAt, waiters: new Set(), shown: new Set() };
}

export function showQuestion(question: Question): PendingApproval {
  const { code, request, scopes, askedAt, deadline, waiters } = question;
  return { code, request, askedAt, deadline, waiting: waiters.size, scopes };
}

/** Callers first: no surface can delay them. */
export function closeQuestion(question: Question, answer: Answer, report: (message: string) => void): void {
  for (const waiter of question.waiters) waiter.settle(answer);
  question.waiters.clear();
  for (const surface of question.surfaces) {
    if (!question.shown.has(surface)) continue;
    try {
      surface.withdraw(question.code, answer);
    } catch (error) {
      report(`The surface ${surface.name} could not withdraw a request: ${describeBounded(error)}`);
    }
  }
  question.surfaces.clear();
}
