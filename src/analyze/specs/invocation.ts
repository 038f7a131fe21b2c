// Parsed arguments → the part of a fact that rules are matched against.

import type { Invocation, OptionFact, WordValue } from '../../core/facts.ts';
import type { Arguments, MatchedOption } from './arguments.ts';

/** The words up to a subcommand: `git -C x`, then `git stash`. */
export interface Step {
  readonly name: string;
  readonly args: Arguments;
  readonly before: Step | null;
}

const NONE: readonly never[] = [];

/** `name` is the full path: `git stash push`. Runs once per command: lists that stay empty are shared. */
export function describeInvocation(name: string, args: Arguments, step: Step | null): Invocation {
  let leading: readonly OptionFact[] = NONE;
  let certain = isCertain(args);
  for (let at = step; at !== null; at = at.before) {
    certain &&= isCertain(at.args);
    if (at.args.options.length > 0) leading = [...at.args.options.map(toFact), ...leading];
  }
  return {
    path: step === null ? [name] : name.split(' '),
    leading,
    options: args.options.length === 0 ? NONE : args.options.map(toFact),
    operands: args.operands.length === 0 ? NONE : args.operands.map(textOf),
    isCertain: certain,
  };
}

function isCertain(args: Arguments): boolean {
  return !args.uncertain && args.options.every((option) => option.known);
}

function toFact({ name, option, value }: MatchedOption): OptionFact {
  if (option === null) return { names: [name], value: value === null ? null : textOf(value), isPlain: false };
  const { fact } = option;
  return value === null ? fact : { names: fact.names, value: textOf(value), isPlain: fact.isPlain };
}

function textOf(word: WordValue): string | null {
  return word.kind === 'literal' ? word.value : null;
}
