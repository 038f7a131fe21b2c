import { describe, expect, test } from 'vitest';
import {
  ANY,
  doubtLater,
  forgetVariables,
  INTEGER,
  initialState,
  isSameState,
  join,
  moveTo,
  setVariable,
} from './state.ts';

const start = initialState('/w', { HOME: '/home/u' });
const text = (value: string) => ({ kind: 'text', text: value }) as const;

describe('join', () => {
  test('keeps what both sides know, forgets the rest', () => {
    const a = setVariable(setVariable(start, 'x', text('1')), 'y', text('a'));
    const b = setVariable(setVariable(start, 'x', text('1')), 'y', text('b'));
    const joined = join(a, b);
    expect(joined.variables.get('x')).toEqual(text('1'));
    expect(joined.variables.get('y')).toBeUndefined();
    expect(joined.variables.get('HOME')).toEqual(text('/home/u'));
  });

  test('two numbers are still a number', () => {
    const joined = join(setVariable(start, 'i', text('1')), setVariable(start, 'i', INTEGER));
    expect(joined.variables.get('i')).toEqual(INTEGER);
  });

  test('a variable known on one side only is not known', () => {
    expect(join(setVariable(start, 'x', text('1')), start).variables.has('x')).toBe(false);
  });

  test('folders are combined, and too many become unknown', () => {
    expect(join(moveTo(start, ['/a']), start).folders).toEqual(['/a', '/w']);
    const many = ['/a', '/b', '/c', '/d', '/e'].map((folder) => moveTo(start, [folder])).reduce(join);
    expect(many.folders).toBeNull();
  });

  test('is the same object if nothing differs', () => {
    expect(join(start, start)).toBe(start);
    expect(join(start, { ...start })).toBe(start);
  });

  test('a doubt on either side stays', () => {
    const doubtful = doubtLater(start, 'aliases', 'x', [0, 1]);
    expect(join(start, doubtful).doubt).toEqual(doubtful.doubt);
  });
});

test('a change back is the same state', () => {
  const changed = setVariable(setVariable(start, 'x', text('1')), 'x', ANY);
  expect(isSameState(changed, start)).toBe(true);
  expect(isSameState(setVariable(start, 'x', text('1')), start)).toBe(false);
});

test('forgetting variables also forgets how words are split', () => {
  expect(forgetVariables(start)).toMatchObject({ positional: null, splitting: 'changed' });
});
