// Words → single-letter options as getopt(3) parses them, for programs whose option rules do not fit a table row.
// Stops at the first word that is not an option; a word that may be one makes the result `uncertain`.

import type { WordValue } from '../../../core/facts.ts';
import { afterHead, headOf, isOneWord, mayStartWith } from './wrapper-words.ts';

export interface ShortOption {
  readonly letter: string;
  readonly value: WordValue | null;
}

export interface ShortOptions {
  readonly options: readonly ShortOption[];
  readonly rest: readonly WordValue[];
  /** A letter outside the two lists, or a long option. */
  readonly unknown: string | null;
  readonly uncertain: WordValue | null;
}

export function readShortOptions(words: readonly WordValue[], flags: string, withValue: string): ShortOptions {
  const options: ShortOption[] = [];
  let unknown: string | null = null;
  let index = 0;
  for (; index < words.length; index++) {
    const word = words[index] as WordValue;
    const text = headOf(word);
    if (word.kind !== 'literal' && mayStartWith(word, '-') && (text.length < 2 || !isOneWord(word))) return end(word);
    if (text === '--' && word.kind === 'literal') {
      index++;
      break;
    }
    if (!text.startsWith('-') || text === '-') break;
    let at = 1;
    for (; at < text.length; at++) {
      const letter = text.charAt(at);
      if (withValue.includes(letter)) {
        const attached = at + 1 < text.length || word.kind !== 'literal';
        const value = attached ? afterHead(word, at + 1) : (words[++index] ?? null);
        options.push({ letter, value });
        if (value !== null && !isOneWord(value)) return end(value);
        break;
      }
      if (!flags.includes(letter)) unknown ??= text;
      options.push({ letter, value: null });
    }
    // The rest of the cluster is unknown, and no option in it took it as its value.
    if (at === text.length && word.kind !== 'literal') return end(word);
  }
  return end(null);

  function end(uncertain: WordValue | null): ShortOptions {
    return { options, rest: words.slice(index), unknown, uncertain };
  }
}
