import { spawnSync } from 'node:child_process';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { expandBraces } from './braces.ts';

/** The output of real bash for each text, as raw words: everything but braces is quoted first. */
function bashWords(texts: readonly string[]): readonly (readonly string[])[] {
  const script = texts.map((text) => `printf '%s\\0' ${text}; printf '\\1'`).join('\n');
  const result = spawnSync('bash', ['--norc', '--noprofile', '-f'], {
    encoding: 'latin1',
    input: script,
    maxBuffer: 1 << 26,
  });
  return (
    result.stdout
      .split('\x01')
      .slice(0, texts.length)
      .map((words) => words.split('\0').slice(0, -1))
      // printf prints one empty word if bash passes none.
      .map((words) => (words.join('') === '' ? [] : words))
  );
}

function ourWords(text: string): readonly string[] | 'unknown' {
  const words = expandBraces(text);
  if (words === 'unknown') return words;
  return (words ?? [text]).filter((word) => word !== '');
}

describe('expandBraces', () => {
  const table = [
    'a{b,c}d',
    '{rm,-rf,x}',
    '{a,{b,c}}',
    '{a}',
    '{a',
    'a}',
    '{}',
    '{,}',
    '{,a}x',
    'x{a,}',
    '{a,b}{c,d}',
    '{1..3}',
    '{3..1}',
    '{01..10..3}',
    '{-2..2}',
    '{-01..2}',
    '{a..e..2}',
    '{e..a}',
    '{1..a}',
    '{1..}',
    '{..3}',
    '{1...3}',
    '{1..3..0}',
    '{1..3..-1}',
    'x{1..2}y{a,b}',
    '{a,b,c',
    '{{a,b}',
    '{a,b}}',
    'a{b{c,d}e}f',
    '{a,b{1..2}c}',
    '{{1..2},{x,y}}',
    '{1..2}{3}',
    '{3}{1..2}',
    '{+1..3}',
    '{007..9}',
    '{a..c}{1..2}',
    '{a.b}',
    '{a,b.c}',
    '{.,..}',
    '{..,a}',
    '{a..}',
    '{A..C}',
    '{1..10..4}',
    '{10..1..4}',
  ];
  const real = bashWords(table);
  test.each(table.map((text, i) => [text, real[i]] as const))('%s', (text, words) => {
    expect(ourWords(text)).toEqual(words);
  });

  test('nothing to expand gives null', () => {
    expect(expandBraces('a')).toBeNull();
    expect(expandBraces('{a}')).toBeNull();
    expect(expandBraces('${x,,}')).toBeNull();
    expect(expandBraces('"{a,b}"')).toBeNull();
    expect(expandBraces("'{a,b}'")).toBeNull();
  });

  test('quotes and substitutions stay in the words', () => {
    expect(expandBraces('{a,"b,c"}')).toEqual(['a', '"b,c"']);
    expect(expandBraces('{a,$(x,y)}z')).toEqual(['az', '$(x,y)z']);
    expect(expandBraces('{a,\\,}')).toEqual(['a', '\\,']);
  });

  test('more words than the limit', () => {
    expect(expandBraces('{1..1000}')).toBe('unknown');
    expect(expandBraces('{a..Z}')).toBe('unknown');
    expect(expandBraces('{a,b}'.repeat(20))).toBe('unknown');
  });

  test('agrees with bash on random texts', () => {
    const piece = fc.constantFrom('{', '}', ',', '..', 'a', 'b', 'Z', '0', '1', '3', '-', '.', '{a,b}', '{1..3}', 'x');
    const texts = fc
      .sample(
        fc.array(piece, { minLength: 1, maxLength: 9 }).map((pieces) => pieces.join('')),
        { numRuns: 3000, seed: 11 },
      )
      // A brace alone is a reserved word, not a word.
      .filter((text) => text !== '{' && text !== '}');
    const words = bashWords(texts);
    texts.forEach((text, i) => {
      const ours = ourWords(text);
      if (ours !== 'unknown') expect(ours, text).toEqual(words[i]);
    });
  });
});
