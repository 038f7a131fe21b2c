import { expect, test } from 'vitest';
import { defined } from './defined.ts';

test('only what is undefined is left out', () => {
  expect(Object.keys(defined({ a: undefined, b: null, c: 0, d: '', e: false }))).toEqual(['b', 'c', 'd', 'e']);
});
