// What the verbs about approvals receive from the command line.

import type { ApprovalScope } from '../../../host.ts';

/** Duplicated here, so that naming the options does not load the rest. */
export const SCOPE_NAMES = ['once', 'session', 'project', 'user'] as const satisfies readonly ApprovalScope[];

export interface PendingOptions {
  readonly json?: true;
  readonly watch?: true;
}

export interface AnswerOptions {
  readonly json?: true;
  readonly scope?: ApprovalScope;
  readonly rule?: string;
  readonly reason?: string;
}
