// The interface of a check: an object that inspects facts and reports problems, with examples that are tested.
// A check never decides alone: the strictest finding is the verdict.

import type { CommandFact, Facts, Shell, Span } from '../core/facts.ts';
import type { Context, Policy } from '../core/policy.ts';
import type { CallerThreat, Layer, Severity, VerdictName } from '../core/verdict.ts';

/** The input of a check. */
export interface Subject {
  readonly facts: Facts;
  readonly policy: Policy;
  readonly context: Context;
}

/** One place where a check applies. Omitted fields default to those of the check. */
export interface Hit {
  readonly span?: Span | null;
  readonly message?: string;
  readonly instead?: string;
  readonly severity?: Severity;
  readonly verdict?: VerdictName;
  readonly confidence?: number;
  /** The entry of a list that matched. */
  readonly entry?: string;
  readonly threat?: CallerThreat;
}

/** A command line, optionally with the circumstances that the example needs. */
export type Example = string | ExampleWith;

export interface ExampleWith {
  readonly command: string;
  readonly shell?: Shell;
  /** Default `/home/u/project`; HOME is `/home/u`. */
  readonly cwd?: string;
  readonly policy?: Partial<Policy>;
  readonly context?: Partial<Context>;
  /** Files on the disk, by absolute path: text, or `{link: target}`. Parent folders exist implicitly. */
  readonly files?: Readonly<Record<string, string | { readonly link: string }>>;
}

interface CheckBase {
  /** kebab-case, unique, never reused. */
  readonly id: string;
  readonly layer: Layer;
  readonly severity: Severity;
  readonly verdict: VerdictName;
  /** What is wrong, as a sentence for people. */
  readonly message: string;
  /** What to do instead; `null` if there is no better advice than not to do it. */
  readonly instead: string | null;
  readonly examples: { readonly matches: readonly Example[]; readonly passes: readonly Example[] };
}

export const TOUCHES = ['reads', 'writes', 'deletes', 'executes', 'redirects'] as const;
export type Touch = (typeof TOUCHES)[number];

/** Inspects one command at a time. */
export interface CommandCheck extends CheckBase {
  /** Base names of the programs that it inspects; default: every command. */
  readonly names?: readonly string[];
  /** It only sees commands with at least one of these effects. */
  readonly touches?: readonly Touch[];
  inspect(command: CommandFact, subject: Subject): Hit | readonly Hit[] | null;
}

/** Inspects the text or the facts as a whole. */
export interface WholeCheck extends CheckBase {
  inspectWhole(subject: Subject): Hit | readonly Hit[] | null;
}

export type Check = CommandCheck | WholeCheck;
