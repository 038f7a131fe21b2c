// Every check shows itself what it is about: its own examples match, its counter-examples pass, its texts help.

import { describe, expect, test } from 'vitest';
import { LAYERS } from '../../src/core/verdict.ts';
import type { CommandCheck, Example } from '../../src/decide/check.ts';
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

describe('advice fits the program', () => {
  const checkOf = (id: string) => CHECKS.find((check) => check.id === id) as CommandCheck;
  test.each([
    ['publication', 'cargo publish', { instead: expect.stringContaining('cargo publish --dry-run') }],
    ['publication', 'docker push x', { instead: undefined }],
    ['remote-deletion', 'npm unpublish a', { instead: expect.stringContaining('npm deprecate') }],
    ['remote-deletion', 'tofu destroy', { instead: expect.stringContaining('tofu plan -destroy') }],
    [
      'schedule-removal',
      'atrm 3',
      { message: expect.not.stringContaining('all'), instead: expect.stringContaining('atq') },
    ],
    ['schedule-removal', 'crontab -r', { message: undefined }],
  ])('%s: %s', (id, command, hit) => {
    const [found] = hitsOf(checkOf(id), command);
    expect({ message: found?.message, instead: found?.instead }).toMatchObject(hit);
  });

  test('every program whose deletions are asked about has its own', () => {
    const check = checkOf('remote-deletion');
    const hits = check.examples.matches.map((example) => [nameOf(example), hitsOf(check, example)[0]?.instead]);
    expect(hits.filter(([, instead]) => instead === undefined)).toEqual([]);
  });
});
