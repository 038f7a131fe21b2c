import { expect, test } from 'vitest';
import { once, wordSet } from './once.ts';

test('a value is computed on first use, and only then', () => {
  let made = 0;
  const value = once(() => {
    made++;
    return undefined;
  });
  expect(made).toBe(0);
  expect([value(), value(), made]).toEqual([undefined, undefined, 1]);
});

test('a failed computation is retried', () => {
  let tries = 0;
  const value = once(() => {
    tries++;
    if (tries === 1) throw new Error('not yet');
    return 'made';
  });
  expect(value).toThrow('not yet');
  expect(value()).toBe('made');
});

test('words are separated by any number of blanks and line ends', () => {
  const words = wordSet(` a b\n  constructor `);
  expect(['a', 'b', 'constructor'].map((word) => words.has(word))).toEqual([true, true, true]);
  expect(['', ' ', 'a b', 'c', '__proto__'].map((word) => words.has(word))).toEqual([
    false,
    false,
    false,
    false,
    false,
  ]);
});
