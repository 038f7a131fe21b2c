import { expect, test } from 'vitest';
import { analyze } from '../analyze/analyze.ts';
import { mayChangeFolder } from './folder-change.ts';

test.each([
  ['ls -l', false],
  ['git -C sub status', false],
  ['cd sub', true],
  ['(cd sub; ls)', true],
  ['pushd sub', true],
  ['$x', true],
  ['eval "$(cat f)"', true],
])('%s may change the folder: %s', (command, expected) => {
  expect(mayChangeFolder(analyze(command))).toBe(expected);
});
