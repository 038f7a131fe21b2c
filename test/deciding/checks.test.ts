// Every check shows itself what it is about: its own examples match, its counter-examples pass, its texts help.

import { describe, expect, test } from 'vitest';
import { LAYERS } from '../../src/core/verdict.ts';
import type { Example } from '../../src/decide/check.ts';
import { CHECKS } from '../../src/decide/checks/table.ts';
import { hitsOf } from './subject.ts';

const nameOf = (example: Example) => (typeof example === 'string' ? example : JSON.stringify(example));

test('ids are unique, kebab-case, and layers are known', () => {
  const ids = CHECKS.map((check) => check.id);
  expect(ids.filter((id, i) => ids.indexOf(id) !== i)).toEqual([]);
  expect(ids.filter((id) => !/^[a-z0-9]+(?:-[a-z0-9]+)*$/.test(id))).toEqual([]);
  expect(CHECKS.filter((check) => !LAYERS.includes(check.layer))).toEqual([]);
});

describe.each(CHECKS.map((check) => [check.id, check] as const))('%s', (_, check) => {
  test('says what is wrong in a sentence, and has examples of both kinds', () => {
    expect(check.message).toMatch(/^[A-Z`'"].*[.)]$/s);
    if (check.instead !== null) expect(check.instead).toMatch(/^[A-Z`'"].*[.)`'"]$/s);
    expect(check.examples.matches.length).toBeGreaterThan(0);
    expect(check.examples.passes.length).toBeGreaterThan(0);
  });
  test.each(check.examples.matches.map((example) => [nameOf(example), example] as const))(
    'matches %s',
    (_, example) => {
      expect(hitsOf(check, example)).not.toEqual([]);
    },
  );
  test.each(check.examples.passes.map((example) => [nameOf(example), example] as const))('passes %s', (_, example) => {
    expect(hitsOf(check, example)).toEqual([]);
  });
});
