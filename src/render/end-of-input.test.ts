import { expect, test } from 'vitest';
import { explainEndOfInput } from './end-of-input.ts';

test.each([
  ['Name: Traceback (most recent call last):\n  File "a.py"\nEOFError: EOF when reading a line\n', true],
  ['EOFError\n', false],
  ['a test of EOFError: EOF when reading a line passed\n', false],
  ['EOFError: Ran out of input\n', false],
  ['', false],
])('%j', (output, isExplained) => {
  expect(explainEndOfInput(output) !== null).toBe(isExplained);
});
