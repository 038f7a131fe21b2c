// The port between the command tables and the analysers of what a table cannot say (find, sed, tar …).
// An analyser reads parsed words and reports effects; it never touches the outside.

import type { EditFact, ExecuteKind, ReasonId, Shell, Span, WordValue } from '../../core/facts.ts';

export interface ParsedOption {
  /** The first spelling in the table: `--outp=f` and `-o f` are both `-o`. Unknown options keep their own text. */
  readonly name: string;
  readonly value: WordValue | null;
  readonly span: Span;
  readonly known: boolean;
  /** How many operands stood before it: some programs are done with those by then. */
  readonly operandsBefore: number;
}

export interface ParsedArguments {
  /** All words after the command's name, unparsed. */
  readonly words: readonly WordValue[];
  readonly options: readonly ParsedOption[];
  readonly operands: readonly WordValue[];
  /** A word that may be an option or several words stood where options are read: more options are possible. */
  readonly uncertain: boolean;
  /** Whether one of these options was given, in any spelling that the table knows: `'-n --dry-run'`. */
  has(names: string): boolean;
  /** The last value given to an option. */
  value(name: string): WordValue | undefined;
}

export type PathRole = 'read' | 'write' | 'delete' | 'edit' | 'move';

export interface EffectSink {
  path(role: PathRole, word: WordValue, options?: { readonly recursive?: boolean }): void;
  host(word: WordValue): void;
  url(word: WordValue): void;
  /** A local path, or `host:path` as scp and rsync read it. */
  remote(role: 'read' | 'write', word: WordValue): void;
  /** Runs something that is not shell text and not an argv we can judge. `null`: not known which. */
  executes(kind: ExecuteKind, word: WordValue | null): void;
  /** A command line that is run; it is judged like any other. `via` names the way: `find -exec`. */
  run(argv: readonly WordValue[], via: string, options?: RunOptions): void;
  /** Shell text that is run; parsed and judged when literal, `cannot tell` otherwise. */
  shell(text: WordValue, via: string, options?: ShellOptions): void;
  /** A shell that reads its commands from standard input. */
  shellFromInput(via: string, options?: ShellOptions): void;
  changes(what: string): void;
  network(): void;
  discloses(what: string): void;
  privilege(): void;
  /** Paths named from here on are relative to this folder. */
  chdir(word: WordValue): void;
  /** The effects may be more than reported: not read-only. */
  unknown(why: string): void;
  /** What would run is not certain: the whole analysis becomes `cannot tell`. */
  cannotTell(id: ReasonId, message: string, span: Span): void;
  edit(edit: Omit<EditFact, 'file'>, file: WordValue): void;
}

export interface RunOptions {
  /** The command runs on another machine or in a container: `ssh host`. */
  readonly elsewhere?: string;
  /** Environment given to it; a name with `null` is removed. */
  readonly environment?: ReadonlyMap<string, WordValue | null>;
  /** Nothing of the environment before is certain to be there (`env -i`, `sudo`). */
  readonly cleanEnvironment?: boolean;
  /** It runs in a folder that is not known (find -execdir). */
  readonly anyFolder?: boolean;
}

export interface ShellOptions extends RunOptions {
  readonly shell?: Shell;
  /** `$1`, `$2` … of the text. */
  readonly positional?: readonly WordValue[];
}

export type ProgramAnalyser = (args: ParsedArguments, sink: EffectSink) => void;

/** The text of a word when it is known exactly. */
export function literal(word: WordValue | undefined): string | null {
  return word?.kind === 'literal' ? word.value : null;
}

/** A word made by the analyser from part of another: same place in the source, other text. */
export function literalWord(value: string, from: WordValue): WordValue {
  return { kind: 'literal', value, span: from.span };
}
