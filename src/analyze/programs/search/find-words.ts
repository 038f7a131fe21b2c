// find's words, consumed one after another, and the uncertainty of a word that is not literal.

import type { WordValue } from '../../../core/facts.ts';
import type { EffectSink } from '../program.ts';
import { mayStartWith } from '../words/wrapper-words.ts';

export interface FindWords {
  readonly words: readonly WordValue[];
  readonly starts: readonly WordValue[];
  next: number;
}

/** The next word; if it may be several, the words after it are uncertain. */
export function takeValue(reading: FindWords, sink: EffectSink): WordValue | undefined {
  const value = reading.words[reading.next++];
  if (value !== undefined && (value.kind === 'pattern' || (value.kind === 'dynamic' && value.many)))
    warnOfExpression(value, sink, reading.words.slice(reading.next));
  return value;
}

export function warnOfExpression(word: WordValue, sink: EffectSink, after: readonly WordValue[] = []): void {
  // No test or action has a dot in its name: `find . -name *.js` cannot become one.
  if (word.kind === 'literal' || (word.kind === 'pattern' && word.glob.includes('.'))) return;
  const isMany = word.kind === 'dynamic' && word.many;
  // It may be -exec, if something after it can end the command.
  const hasEnd = after.some((later) => later.kind !== 'literal' || later.value === ';' || later.value === '+');
  if (isMany || (hasEnd && mayStartWith(word, '-'))) sink.executes('program', null);
  if (isMany || mayStartWith(word, '-(!),')) sink.unknown('find: a word that may be part of the expression');
}
