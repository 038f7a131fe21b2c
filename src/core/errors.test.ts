import { expect, test } from 'vitest';
import { ERROR_CODES, HardshellError } from './errors.ts';

test('the list of codes is pinned: adding is fine, renaming breaks callers', () => {
  expect(ERROR_CODES).toEqual([
    'invalid-argument',
    'usage',
    'empty',
    'too-long',
    'nul',
    'invalid-utf8',
    'syntax',
    'no-such-folder',
    'invalid-json',
    'invalid-settings',
    'unreadable-settings',
    'unwritable-settings',
    'unreadable-audit',
    'unwritable-audit',
    'cannot-start',
    'no-sandbox',
    'missing-dependency',
    'runner-lost',
    'no-output',
    'stage-failed',
    'closed',
    'internal',
  ]);
});

test('an error carries its code, a hint and its cause', () => {
  const cause = new Error('below');
  const error = new HardshellError('internal', 'cannot read it', { hint: 'try again', cause });
  expect(error).toBeInstanceOf(Error);
  expect({ ...error, message: error.message, cause: error.cause }).toEqual({
    name: 'HardshellError',
    code: 'internal',
    hint: 'try again',
    message: 'cannot read it',
    cause,
  });
});

test('hint and cause are absent unless given', () => {
  const error = new HardshellError('usage', 'no');
  expect(error.hint).toBeNull();
  expect('cause' in error).toBe(false);
});
