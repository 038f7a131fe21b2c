// The position of the walk over the syntax: its input, and the loops around it.

import type { Span } from '../../core/facts.ts';

export interface Place {
  /** Standard input never ends. */
  readonly input: boolean;
  /** Standard input has no line ends. */
  readonly isOneLine: boolean;
  /** The text on standard input, as far as known. */
  readonly text: string;
  /** The output goes to a command that stops reading. */
  readonly isPiped: boolean;
  /** Maximum number of input lines. */
  readonly lines: number;
  /** How many times the surrounding loops run this; `wait` in a loop lets the processes of an iteration end. */
  readonly rounds: number;
  /** A surrounding loop never ends and never waits. */
  readonly isBusy: boolean;
  /** Something ends it eventually. */
  readonly isTimed: boolean;
  /** Set if positions belong to another text. */
  readonly span: Span | null;
}

export const START: Place = {
  input: false,
  isOneLine: false,
  text: '',
  isPiped: false,
  lines: Infinity,
  rounds: 1,
  isBusy: false,
  isTimed: false,
  span: null,
};
