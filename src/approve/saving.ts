// An answer for the project or the user → a rule for the injected `saveRule`. A failure never changes the answer.

import type { Answer, ApprovalRequest, ApprovalScope } from '../core/approval.ts';
import { describeBounded } from './asking/reply.ts';

const SAVE_TIMEOUT_MS = 10_000;

export type SaveRule = (scope: 'project' | 'user', rule: string, request: ApprovalRequest) => void | Promise<void>;

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
      return problem === null ? null : `The answer counts, but the rule ${rule} was not saved: ${problem}`;
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

function settleInTime(work: () => Promise<void>, setTimer: SetTimer): Promise<string | null> {
  return new Promise((resolve) => {
    const stop = setTimer(() => resolve(`it took longer than ${SAVE_TIMEOUT_MS / 1_000} seconds`), SAVE_TIMEOUT_MS);
    work()
      .then(
        () => null,
        (error: unknown) => describeBounded(error),
      )
      .then((problem) => {
        stop();
        resolve(problem);
      });
  });
}
