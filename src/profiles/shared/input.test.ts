// One row per rule: accepted input, and the message for rejected input.

import { describe, expect, test } from 'vitest';
import { objectSchema } from './call.ts';
import { findMismatches, readInput } from './input.ts';

const SCHEMA = objectSchema(
  {
    text: { type: 'string', minLength: 2 },
    choice: { type: 'string', enum: ['a', 'b'] },
    count: { type: 'integer', minimum: 1, maximum: 5 },
    share: { type: 'number' },
    flag: { type: 'boolean' },
    list: { type: 'array', items: { type: 'string' } },
    env: { type: 'object', additionalProperties: { type: 'string' } },
    maybe: { type: ['string', 'null'] },
    inner: objectSchema({ x: { type: 'integer' } }, ['x']),
  },
  ['text'],
);

describe('accepted input', () => {
  test.each([
    { text: 'ab' },
    {
      text: 'ab',
      choice: 'b',
      count: 5,
      share: 0.5,
      flag: false,
      list: [],
      env: { A: '' },
      maybe: null,
      inner: { x: 1 },
    },
    { text: 'ab', count: undefined },
    Object.assign(Object.create(null), { text: 'ab' }),
  ])('%j', (input) => expect(readInput(SCHEMA, input)).toEqual({ ok: true, value: input }));
});

describe('rejected input', () => {
  test.each<[unknown, string]>([
    [undefined, '"text" is missing.'],
    [null, '"text" is missing.'],
    [{}, '"text" is missing.'],
    [[], 'The input must be an object.'],
    ['x', 'The input must be an object.'],
    [{ text: 'a' }, '"text" is too short.'],
    [{ text: '' }, '"text" must not be empty.'],
    [{ text: 'a\0b' }, '"text" must not contain a NUL character.'],
    [{ text: null }, '"text" must be text.'],
    [{ text: 'ab', choice: 'c' }, '"choice" must be one of a, b.'],
    [{ text: 'ab', count: 0 }, '"count" must be at least 1.'],
    [{ text: 'ab', count: 6 }, '"count" must be at most 5.'],
    [{ text: 'ab', count: 1.5 }, '"count" must be a whole number.'],
    [{ text: 'ab', count: '1' }, '"count" must be a whole number.'],
    [{ text: 'ab', share: Number.NaN }, '"share" must be a number.'],
    [{ text: 'ab', flag: 'yes' }, '"flag" must be true or false.'],
    [{ text: 'ab', list: ['x', 1] }, '"list[1]" must be text.'],
    [{ text: 'ab', env: { A: 1 } }, '"env.A" must be text.'],
    [{ text: 'ab', maybe: 1 }, '"maybe" must be text or null.'],
    [{ text: 'ab', inner: {} }, '"inner.x" is missing.'],
    [{ text: 'ab', inner: { x: 1, y: 2 } }, 'Unknown field: "inner.y".'],
    [{ text: 'ab', other: 1 }, 'Unknown field: "other".'],
    [JSON.parse('{"text": "ab", "__proto__": {"count": 9}}'), 'Unknown field: "__proto__".'],
    [{ text: 'ab', constructor: 1 }, 'Unknown field: "constructor".'],
  ])('%j', (input, problem) => {
    const read = readInput(SCHEMA, input);
    expect(read.ok).toBe(false);
    if (!read.ok) expect(read.problem).toContain(problem);
  });

  test('inherited fields are ignored', () => {
    expect(readInput(SCHEMA, Object.create({ text: 'ab' })).ok).toBe(false);
  });

  test('the message lists the known fields', () => {
    const read = readInput(objectSchema({}), { x: 1 });
    expect(read).toEqual({ ok: false, problem: 'The input is not valid: Unknown field: "x". It takes no input.' });
    expect(findMismatches(objectSchema({}), { x: 1, y: 2 })).toHaveLength(2);
  });
});
