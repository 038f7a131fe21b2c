// The result of `verify`: problems that need attention, and notices that only explain. Data only.

export const PROBLEM_KINDS = [
  'not-a-line',
  'changed',
  'missing',
  'repeated',
  'out-of-order',
  'not-linked',
  'bad-signature',
  'other-key',
  'wrong-place',
  'not-ended',
  'after-end',
  'segment-missing',
  'lane-missing',
  'shortened',
  'no-head',
  'lost',
  'damaged',
  'torn-file',
  'not-as-before',
] as const;
export type ProblemKind = (typeof PROBLEM_KINDS)[number];

export interface AuditProblem {
  readonly kind: ProblemKind;
  /** Relative to the folder. */
  readonly file: string;
  /** From 1; `null` if it is about the whole file. */
  readonly line: number | null;
  readonly message: string;
}

/** The newest line of a lane. A copy kept in another place proves later that the lane had at least this length. */
export interface LaneHead {
  readonly lane: number;
  readonly file: string;
  readonly n: number;
  readonly hash: string;
  /** How many lines at the end are not signed yet. */
  readonly unsigned: number;
}

export interface VerifyReport {
  readonly isIntact: boolean;
  readonly folder: string;
  /** Id of the key; `null` if there is no log and no key. */
  readonly key: string | null;
  readonly segments: number;
  readonly lines: number;
  readonly problems: readonly AuditProblem[];
  /** Problems beyond the listed ones. */
  readonly moreProblems: number;
  readonly notices: readonly Omit<AuditProblem, 'kind'>[];
  readonly heads: readonly LaneHead[];
}

const MAX_LISTED = 200;

export class Findings {
  readonly problems: AuditProblem[] = [];
  readonly notices: Omit<AuditProblem, 'kind'>[] = [];
  more = 0;

  add(kind: ProblemKind, file: string, line: number | null, message: string): void {
    if (this.problems.length < MAX_LISTED) this.problems.push({ kind, file, line, message });
    else this.more += 1;
  }

  note(file: string, line: number | null, message: string): void {
    if (this.notices.length < MAX_LISTED) this.notices.push({ file, line, message });
  }
}
