// The form of a check: one small object that looks at facts and says what is wrong, with examples that prove it.
// A check never decides alone: the strictest finding of all is the verdict.

import type { CommandFact, Facts, Span } from '../core/facts.ts';
import type { Context, Policy } from '../core/policy.ts';
import type { Layer, Severity, VerdictName } from '../core/verdict.ts';

/** What a check may look at. */
export interface Subject {
  readonly facts: Facts;
  readonly policy: Policy;
  readonly context: Context;
}

/** One place where a check applies. Fields that are left out are the check's own. */
export interface Hit {
  readonly span?: Span | null;
  readonly message?: string;
  readonly instead?: string;
  readonly severity?: Severity;
  readonly verdict?: VerdictName;
  readonly confidence?: number;
}

/** A command line, or one with the circumstances that the example needs. */
export type Example = string | ExampleWith;

export interface ExampleWith {
  readonly command: string;
  readonly shell?: 'bash' | 'sh' | 'zsh';
  /** Default `/home/u/project`; HOME is `/home/u`. */
  readonly cwd?: string;
  readonly policy?: Partial<Policy>;
  readonly context?: Partial<Context>;
  /** Files on the disk, by absolute path: text, or `{link: target}`. Parents exist by themselves. */
  readonly files?: Readonly<Record<string, string | { readonly link: string }>>;
}

interface CheckBase {
  /** kebab-case, unique, never reused. */
  readonly id: string;
  readonly layer: Layer;
  readonly severity: Severity;
  readonly verdict: VerdictName;
  /** What is wrong, as a sentence for a person. */
  readonly message: string;
  /** What to do instead; `null` when there is nothing better to say than "don't". */
  readonly instead: string | null;
  readonly examples: { readonly matches: readonly Example[]; readonly passes: readonly Example[] };
}

export const TOUCHES = ['reads', 'writes', 'deletes', 'executes', 'redirects'] as const;
export type Touch = (typeof TOUCHES)[number];

/** Looks at one command at a time. */
export interface CommandCheck extends CheckBase {
  /** Base names of the programs that it is about; without it, it looks at every command. */
  readonly names?: readonly string[];
  /** It can only find something in commands that have one of these; the others are not shown to it. */
  readonly touches?: readonly Touch[];
  inspect(command: CommandFact, subject: Subject): Hit | readonly Hit[] | null;
}

/** Looks at the text or at the facts as a whole. */
export interface WholeCheck extends CheckBase {
  inspectWhole(subject: Subject): Hit | readonly Hit[] | null;
}

export type Check = CommandCheck | WholeCheck;
