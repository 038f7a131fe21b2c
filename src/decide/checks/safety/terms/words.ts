// Helpers for the words of one command, shared by all checks.
// An option that is not in the table counts as the one it abbreviates: programs accept `--recurs` for `--recursive`.

import type { CommandFact, OptionFact } from '../../../../core/facts.ts';

export function optionsOf(command: CommandFact): readonly OptionFact[] {
  const { invocation } = command;
  if (invocation === null) return [];
  return invocation.leading.length === 0 ? invocation.options : [...invocation.leading, ...invocation.options];
}

export function isOption(command: CommandFact, option: OptionFact, wanted: readonly string[]): boolean {
  if (option.names.some((name) => wanted.includes(name))) return true;
  const given = option.names[0] ?? '';
  if (command.invocation?.isCertain !== false || option.names.length !== 1) return false;
  return given.length > 3 && given.startsWith('--') && wanted.some((name) => name.startsWith(given));
}

export function hasOption(command: CommandFact, ...wanted: readonly string[]): boolean {
  return optionsOf(command).some((option) => isOption(command, option, wanted));
}

/** Values of an option, one per occurrence; `null` if the value is unknown. */
export function optionValues(command: CommandFact, ...wanted: readonly string[]): readonly (string | null)[] {
  return optionsOf(command)
    .filter((option) => isOption(command, option, wanted))
    .map(({ value }) => value);
}

/** Whether the program and its subcommands start with these: `isCall(command, 'git', 'push')`. */
export function isCall(command: CommandFact, ...path: readonly string[]): boolean {
  const given = command.invocation?.path;
  return given !== undefined && path.every((word, i) => given[i] === word);
}

/** Known operands; for a program that is not in the table, every known non-option word. */
export function operandsOf(command: CommandFact): readonly string[] {
  const words = command.invocation?.operands ?? command.argv.slice(1).filter((word) => !word?.startsWith('-'));
  return words.filter((word) => word !== null);
}

/** Known words after the program's name, including options. */
export function knownWords(command: CommandFact): readonly string[] {
  return command.argv.slice(1).filter((word) => word !== null);
}

/** Whether these words come in this order, with any words between them: `aws --profile x s3 rb`. */
export function hasWordsInOrder(command: CommandFact, ...wanted: readonly string[]): boolean {
  let next = 0;
  for (const word of command.argv.slice(1)) {
    if (word === wanted[next]) next += 1;
    if (next === wanted.length) return true;
  }
  return next === wanted.length;
}

export function names(list: string): readonly string[] {
  return list.split(' ');
}
