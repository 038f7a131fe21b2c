// Parsed arguments → the part of a fact that rules are matched against.

import type { Invocation, OptionFact, WordValue } from '../../core/facts.ts';
import type { Arguments, MatchedOption } from './arguments.ts';

/** The words up to a subcommand. */
export interface Leading {
  readonly path: readonly string[];
  readonly options: readonly OptionFact[];
  readonly isCertain: boolean;
}

export const NO_LEADING: Leading = { path: [], options: [], isCertain: true };

const NO_OPTIONS: readonly never[] = [];

/** `name` is the whole way: `git stash`; its last word is what the row is about. */
export function stepInto(name: string, args: Arguments, leading: Leading): Leading {
  return {
    path: [...leading.path, lastWord(name)],
    options: args.options.length === 0 ? leading.options : [...leading.options, ...args.options.map(toFact)],
    isCertain: leading.isCertain && isCertain(args),
  };
}

export function describeInvocation(name: string, args: Arguments, leading: Leading): Invocation {
  return {
    path: leading.path.length === 0 ? [name] : [...leading.path, lastWord(name)],
    leading: leading.options,
    options: args.options.length === 0 ? NO_OPTIONS : args.options.map(toFact),
    operands: args.operands.map(textOf),
    isCertain: leading.isCertain && isCertain(args),
  };
}

function lastWord(name: string): string {
  return name.slice(name.lastIndexOf(' ') + 1);
}

function isCertain(args: Arguments): boolean {
  return !args.uncertain && args.options.every((option) => option.known);
}

function toFact({ name, option, value }: MatchedOption): OptionFact {
  const isPlain = option !== null && option.effect === null && (option.role === 'value' || option.role === 'chdir');
  return { names: option?.names ?? [name], value: value === null ? null : textOf(value), isPlain };
}

function textOf(word: WordValue): string | null {
  return word.kind === 'literal' ? word.value : null;
}
