// Quoting and shortening, with what would break them.

import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { quoteIfNeeded, quoteWord } from './shell-words.ts';
import { shorten } from './shorten.ts';

const WORDS = ['', 'plain', "it's", '$(id) `id`', '-n', 'a b', '*', '~', '\\', '"', "'", 'é\n', 'x=1'];

test.each(WORDS)('%j is one word for sh', (word) => {
  for (const quote of [quoteWord, quoteIfNeeded])
    expect(execFileSync('sh', ['-c', `printf '<%s>' ${quote(word)}`], { encoding: 'utf8' })).toBe(`<${word}>`);
});

test('only what needs it is quoted', () => {
  expect(['a/b.c', 'k=v', '', 'a b'].map(quoteIfNeeded)).toEqual(['a/b.c', 'k=v', "''", "'a b'"]);
});

test.each([
  ['abcd', 4, 'abcd'],
  ['abcde', 4, 'abc…'],
  ['ab\u{1f600}d', 4, 'ab…'],
  ['abc\u{1f600}', 4, 'abc…'],
])('%j in %d characters is %j', (text, limit, expected) => expect(shorten(text, limit)).toBe(expected));

test('an ellipsis of several characters counts', () => expect(shorten('abcdefgh', 6, '...')).toBe('abc...'));
