// An answer for the project or the user → a rule for the injected `saveRule`. A failure never changes the answer.

import type { Answer, ApprovalRequest, ApprovalScope } from '../core/approval.ts';
import { describeBounded } from './asking/reply.ts';

const SAVE_TIMEOUT_MS = 10_000;

/** May be asynchronous. Returns a string if the rule was saved but has no effect: why. */
export type SaveRule = (scope: 'project' | 'user', rule: string, request: ApprovalRequest) => unknown;

/** Calls back once after the delay, unless the returned function is called first. */
export type SetTimer = (callback: () => void, delayMs: number) => () => void;

export interface Saving {
  /** What went wrong, or `null`. */
  save(answer: Answer, request: ApprovalRequest): Promise<string | null>;
  scopesFor(request: ApprovalRequest): readonly ApprovalScope[];
}

export function createSaving(saveRule: SaveRule | undefined, setTimer: SetTimer): Saving {
  return {
    async save({ scope, rule }, request) {
      if ((scope !== 'project' && scope !== 'user') || rule === null || saveRule === undefined) return null;
      const problem = await settleInTime(async () => saveRule(scope, rule, request), setTimer);
      if (problem === null) return null;
      const what = problem.isSaved ? 'has no effect' : 'was not saved';
      return `The answer counts, but the rule ${rule} ${what}: ${problem.why}`;
    },
    scopesFor({ session }) {
      return [
        'once',
        ...(session === null ? [] : (['session'] as const)),
        ...(saveRule === undefined ? [] : (['project', 'user'] as const)),
      ];
    },
  };
}

interface Problem {
  readonly isSaved: boolean;
  readonly why: string;
}

function settleInTime(work: () => Promise<unknown>, setTimer: SetTimer): Promise<Problem | null> {
  return new Promise((resolve) => {
    const late = { isSaved: false, why: `it took longer than ${SAVE_TIMEOUT_MS / 1_000} seconds` };
    const stop = setTimer(() => resolve(late), SAVE_TIMEOUT_MS);
    work()
      .then(
        (why) => (typeof why === 'string' ? { isSaved: true, why } : null),
        (error: unknown) => ({ isSaved: false, why: describeBounded(error) }),
      )
      .then((problem) => {
        stop();
        resolve(problem);
      });
  });
}
