// Words as wrappers see them: one or several, an option or not, a part of a text.
// Refuses to guess: the words before a nested command must be certain, else the command is unknown.

import type { Span, WordValue } from '../../../core/facts.ts';
import type { EffectSink, ParsedArguments, RunOptions } from '../program.ts';

/** For programs that write a file called `-`. */
export function dashAsName(word: WordValue): WordValue {
  return word.kind === 'literal' && word.value === '-' ? { ...word, value: './-' } : word;
}

/** Exactly one word, with any text. */
export function isOneWord(word: WordValue): boolean {
  return word.kind === 'literal' || (word.kind === 'dynamic' && !word.many);
}

/** The text that the word certainly starts with. */
export function headOf(word: WordValue): string {
  return word.kind === 'literal' ? word.value : word.head;
}

/** A word with unknown text that may start with one of these characters. */
export function mayStartWith(word: WordValue, characters: string): boolean {
  const head = headOf(word);
  return head === '' ? word.kind !== 'literal' : characters.includes(head.charAt(0));
}

export function unknownWord(span: Span, head: string, count: 'one' | 'many'): WordValue {
  return { kind: 'dynamic', head, many: count === 'many', span };
}

/** The span of something that is not in any word: the last word, or the start of the text. */
export function lastSpan(words: readonly WordValue[]): Span {
  return words.at(-1)?.span ?? [0, 0];
}

/** The words with single blanks between them, as `ssh`, `watch` and `sudo -s` build their shell text. */
export function joinWords(words: readonly WordValue[], change: (text: string) => string = (text) => text): WordValue {
  const span: Span = [words[0]?.span[0] ?? 0, words.at(-1)?.span[1] ?? 0];
  let text = '';
  for (const [index, word] of words.entries()) {
    if (index > 0) text += ' ';
    text += change(headOf(word));
    if (word.kind !== 'literal') return unknownWord(span, text, 'one');
  }
  return { kind: 'literal', value: text, span };
}

/** The word without its first characters, which are known. */
export function afterHead(word: WordValue, length: number): WordValue {
  if (word.kind === 'literal') return { kind: 'literal', value: word.value.slice(length), span: word.span };
  return unknownWord(word.span, word.head.slice(length), word.kind === 'dynamic' && !word.many ? 'one' : 'many');
}

export interface Assignment {
  readonly name: string;
  readonly value: WordValue;
}

/** `NAME=value` as `env` and `sudo` parse it; `null` if the word is certainly or possibly something else. */
export function readAssignment(word: WordValue): Assignment | null {
  if (word.kind === 'pattern') return null;
  const head = headOf(word);
  const equals = head.indexOf('=');
  return equals > 0 ? { name: head.slice(0, equals), value: afterHead(word, equals + 1) } : null;
}

/**
 * Reports, and returns true, if it is uncertain which word of a wrapper is the command.
 * An unknown option may take the word after it.
 */
export function isCommandUncertain(args: ParsedArguments, before: number, sink: EffectSink, via: string): boolean {
  const doubt =
    args.options.find((option) => !option.known)?.span ??
    args.options.find((option) => option.value !== null && !isOneWord(option.value))?.span ??
    args.operands.slice(0, before).find((word) => !isOneWord(word))?.span ??
    (args.uncertain ? lastSpan(args.words) : undefined);
  if (doubt === undefined) return false;
  sink.cannotTell('wrapper-arguments', `the words before the command of ${via} are unknown`, doubt);
  return true;
}

/** `target -- command`: the dashes only separate the two. */
export function withoutDashes(words: readonly WordValue[]): readonly WordValue[] {
  const [first] = words;
  return first?.kind === 'literal' && first.value === '--' ? words.slice(1) : words;
}

/** Runs the words after the first `before` operands, or a shell if there are none. */
export function runOperands(
  args: ParsedArguments,
  before: number,
  sink: EffectSink,
  via: string,
  options?: RunOptions,
): void {
  if (isCommandUncertain(args, before, sink, via)) return;
  const command = withoutDashes(args.operands.slice(before));
  if (command.length > 0) sink.run(command, via, options);
  else sink.shellFromInput(via, options);
}
