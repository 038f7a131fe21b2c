// The interface between the command tables and the analyzers for commands that do not fit a table (find, sed, tar …).
// An analyzer gets parsed words and reports effects; it does no I/O.

import type { EditFact, ExecuteKind, ReasonId, Shell, Span, WordValue } from '../../core/facts.ts';

export interface ParsedOption {
  /** The first spelling in the table: `--outp=f` and `-o f` are both `-o`. Unknown options keep their own text. */
  readonly name: string;
  readonly value: WordValue | null;
  readonly span: Span;
  readonly known: boolean;
  /** How many operands came before it: some programs have already handled those. */
  readonly operandsBefore: number;
}

export interface ParsedArguments {
  /** All words after the command's name, unparsed. */
  readonly words: readonly WordValue[];
  readonly options: readonly ParsedOption[];
  readonly operands: readonly WordValue[];
  /** A word that may be an option, or several words, was in option position: more options are possible. */
  readonly uncertain: boolean;
  /** Whether one of these options was given, in any spelling of the table: `'-n --dry-run'`. */
  has(names: string): boolean;
  /** The last value given to an option. */
  value(name: string): WordValue | undefined;
}

export type PathRole = 'read' | 'write' | 'delete' | 'edit' | 'move';

export interface EffectSink {
  path(role: PathRole, word: WordValue, options?: { readonly recursive?: boolean }): void;
  host(word: WordValue): void;
  url(word: WordValue): void;
  /** A local path, or `host:path` as scp and rsync parse it. */
  remote(role: 'read' | 'write', word: WordValue): void;
  /** Runs something that is neither shell text nor an argv that can be analyzed. `null`: unknown. */
  executes(kind: ExecuteKind, word: WordValue | null): void;
  /** A command line that runs; it is analyzed like any other. `via` names the way: `find -exec`. */
  run(argv: readonly WordValue[], via: string, options?: RunOptions): void;
  /** Shell text that runs; parsed and analyzed if literal, `cannot tell` otherwise. */
  shell(text: WordValue, via: string, options?: ShellOptions): void;
  /** A shell that reads its commands from standard input. */
  shellFromInput(via: string, options?: ShellOptions): void;
  /** The text on standard input, if it is in the command: a here-string or a here-document. */
  input(): string | null;
  changes(what: string): void;
  network(): void;
  discloses(what: string): void;
  privilege(): void;
  /** Paths named after this are relative to this folder. */
  chdir(word: WordValue): void;
  /** There may be more effects than reported: not read-only. */
  unknown(why: string): void;
  /** It is uncertain what would run: the whole analysis becomes `cannot tell`. */
  cannotTell(id: ReasonId, message: string, span: Span): void;
  edit(edit: Omit<EditFact, 'file'>, file: WordValue): void;
}

export interface RunOptions {
  /** The command runs on another machine or in a container: `ssh host`. */
  readonly elsewhere?: string;
  /** Environment for it; a name with `null` is removed. */
  readonly environment?: ReadonlyMap<string, WordValue | null>;
  /** No earlier environment variable is certain to be set (`env -i`, `sudo`). */
  readonly cleanEnvironment?: boolean;
  /** It runs in an unknown folder (find -execdir). */
  readonly anyFolder?: boolean;
}

export interface ShellOptions extends RunOptions {
  readonly shell?: Shell;
  /** `$1`, `$2` … of the text. */
  readonly positional?: readonly WordValue[];
}

export type ProgramAnalyser = (args: ParsedArguments, sink: EffectSink) => void;

/** The text of a word if it is known exactly. */
export function literal(word: WordValue | undefined): string | null {
  return word?.kind === 'literal' ? word.value : null;
}

/** A word made by the analyzer from part of another: same span, other text. */
export function literalWord(value: string, from: WordValue): WordValue {
  return { kind: 'literal', value, span: from.span };
}
