// The contract between the parts of the abstract interpreter: shared data, and how they call each other.
// Words run substitutions, statements expand words: both depend on this file instead of each other.

import type { Shell, Span, WordValue } from '../core/facts.ts';
import type { CommandNode, CompoundList, ParsedScript, Word } from '../parse/tree.ts';
import type { RunOptions } from './programs/program.ts';
import type { Recorder } from './recorder.ts';
import type { State } from './state.ts';

/** The states after a command, by its exit status. */
export interface Flow {
  readonly ok: State;
  readonly fail: State;
}

/** Collects the states in which control leaves a loop or a function early. */
export interface Exits {
  readonly states: State[];
}

/**
 * What a shell without a script would read as commands. `outside`: the input of the whole command; `script`: the rest of
 * the text that the shell itself reads, so that a command that reads some of it changes which text is run.
 */
export type Stdin =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'file'; readonly path: string | null }
  | { readonly kind: 'outside' | 'script' | 'unknown' };

/** The current position: fixed while one list of statements is walked. */
export interface Scope {
  /** The text that node positions index. */
  readonly source: string;
  /** Set if `source` is not the analyzed text itself: the span to report instead. */
  readonly span: Span | null;
  readonly shell: Shell;
  readonly via: readonly string[];
  readonly parent: number | null;
  /** Number of the outermost pipeline around it; its parts exchange data. */
  readonly pipeline: number | null;
  readonly depth: number;
  readonly stdin: Stdin;
  readonly elsewhere: string | null;
  readonly loops: readonly Exits[];
  readonly callee: Exits | null;
  /** Names that the running function declared local. */
  readonly locals: Set<string> | null;
}

export interface ShellText {
  readonly text: WordValue;
  readonly via: string;
  readonly shell: Shell;
  readonly positional: readonly WordValue[] | null;
}

export interface Machine {
  readonly recorder: Recorder;
  runNode(node: CommandNode | CompoundList, state: State, scope: Scope): Flow;
  runScript(script: ParsedScript, state: State, scope: Scope): Flow;
  /** Runs text in the same shell: `eval`, a trap. */
  evaluate(text: string, state: State, scope: Scope): Flow;
  /** An expansion that may be an error: bash then drops the rest of the line and continues with the next one. */
  noteAbort(state: State): void;
  /** Stores the text of a trap: it runs later, in the state of that time. */
  deferTrap(text: string, scope: Scope): void;
  /** Runs an argv built by another program; functions and builtins of this shell do not apply. */
  runProgram(argv: readonly WordValue[], state: State, scope: Scope, options: RunOptions): void;
  /** Parses and runs text in a separate shell. */
  runShellText(text: ShellText, state: State, scope: Scope, options: RunOptions): void;
}

/** An expansion in progress: words may change the state (`${x:=1}`, `$((i++))`). */
export interface Expansion {
  readonly machine: Machine;
  readonly scope: Scope;
  state: State;
}

/** Expands an operand in place; passed by the caller, since words contain parameters and parameters contain words. */
export type ExpandOperand = (word: Word, x: Expansion) => WordValue;

export const UNKNOWN_STDIN: Stdin = { kind: 'unknown' };
export const OUTSIDE_STDIN: Stdin = { kind: 'outside' };
export const SCRIPT_STDIN: Stdin = { kind: 'script' };

/** Several commands read the same input: each takes some of it, and it is not followed which. */
export function sharedStdin(stdin: Stdin): Stdin {
  return stdin.kind === 'outside' || stdin.kind === 'script' ? stdin : UNKNOWN_STDIN;
}

/** Wrappers, nested shells and function calls. */
export const MAX_DEPTH = 8;

export function spanOf(scope: Scope, node: { readonly pos: number; readonly end: number }): Span {
  return scope.span ?? [node.pos, node.end];
}

/** The scope of the content of a command. Explicit fields: this runs once per command, and spreading is much slower. */
export function inCommand(scope: Scope, parent: number, stdin: Stdin): Scope {
  return {
    source: scope.source,
    span: scope.span,
    shell: scope.shell,
    via: scope.via,
    parent,
    pipeline: scope.pipeline,
    depth: scope.depth,
    stdin,
    elsewhere: scope.elsewhere,
    loops: scope.loops,
    callee: scope.callee,
    locals: scope.locals,
  };
}

/** The same place, one construct further in. */
export function within(scope: Scope, via: string, parent: number | null = scope.parent): Scope {
  return { ...scope, via: [...scope.via, via], parent };
}
