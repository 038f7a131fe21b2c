// Where the walk over the syntax is: what flows in, and what the loops around it do.

import type { Span } from '../../core/facts.ts';

export interface Place {
  /** Standard input never ends. */
  readonly input: boolean;
  /** How many lines come in at most. */
  readonly lines: number;
  /** How many times the loops around it run this; `wait` in a loop lets the processes of a round end. */
  readonly rounds: number;
  /** A loop around it never ends and never waits. */
  readonly isBusy: boolean;
  /** Something ends it after a while. */
  readonly isTimed: boolean;
  /** Set when positions belong to another text. */
  readonly span: Span | null;
}

export const START: Place = { input: false, lines: Infinity, rounds: 1, isBusy: false, isTimed: false, span: null };
