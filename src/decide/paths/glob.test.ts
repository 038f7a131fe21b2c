// The matcher of path globs, row by row, and its worst cases, which must finish.

import { expect, test } from 'vitest';
import { compileGlob, literalFolder, matchesGlob, matchesName, overlaps } from './glob.ts';

test.each([
  ['/a/b', '/a/b', true],
  ['/a/b', '/a/b/', true],
  ['/a/b', '/a/bc', false],
  ['/a/*', '/a/b', true],
  ['/a/*', '/a/b/c', false],
  ['/a/*', '/a', false],
  ['/a/**', '/a', true],
  ['/a/**', '/a/b/c', true],
  ['/a/**', '/ab', false],
  ['**/.env', '/x/y/.env', true],
  ['**/.env', '/.env', true],
  ['**/.env', '/x/.env/y', false],
  ['**/.ssh/**', '/home/u/.ssh', true],
  ['**/.ssh/**', '/home/u/.ssh/a/b', true],
  ['**/a/*/c', '/a/a/b/c', true],
  ['**/a/**/c', '/q/a/1/2/c', true],
  ['**/a/**/c', '/q/a/1/2/d', false],
  ['/x/*.p?m', '/x/a.pem', true],
  ['/x/*.p?m', '/x/a.pm', false],
  ['/x/[a-c]1', '/x/b1', true],
  ['/x/[!a-c]1', '/x/b1', false],
  ['/x/[^a-c]1', '/x/d1', true],
  ['/x/[]]', '/x/]', true],
  ['/x/[-a]', '/x/-', true],
  ['/x/[abc', '/x/[abc', true],
  ['/x/[[:alpha:]]y', '/x/ay', true],
  ['/x/\\*', '/x/*', true],
  ['/x/\\*', '/x/a', false],
  ['/x/*a*b*', '/x/zzabzz', true],
  ['/x/*ab', '/x/aab', true],
  ['/x/?', '/x/😀', true],
  ['**', '/anything/at/all', true],
] as const)('%s against %s: %s', (pattern, path, expected) => {
  expect(matchesGlob(compileGlob(pattern), path)).toBe(expected);
});

test.each([
  ['**/.env', '/w/.e*', true],
  ['**/.env', '/w/*', false],
  ['**/.env', '/w/.*', true],
  ['**/.env', '/w/?env', false],
  ['**/.env', '/w/[.]env', false],
  ['**/*.pem', '/w/*', true],
  ['**/*.pem', '/w/*.txt', false],
  ['**/*.pem', '/w/*.p*', true],
  ['**/.ssh/**', '/home/*/.ssh/id*', true],
  ['**/.ssh/**', '/home/*/.s?h', true],
  ['**/.ssh/**', '/home/u/*', false],
  ['**/.git/hooks/**', '/w/.git/h*/x', true],
  ['**/.git/hooks/**', '/w/.git/*', true],
  ['**/.git/config', '/w/**', false],
  ['**/.ssh/**', '/w/src/**/*.ts', false],
  ['**/*.key', '/w/**/*.k*', true],
  ['/a/b/c', '/a/**', true],
  ['/a/b/c', '/a/**/d', false],
] as const)('%s and the shell glob %s can name one file: %s', (pattern, glob, expected) => {
  expect(overlaps(compileGlob(pattern), compileGlob(glob))).toBe(expected);
});

test.each([
  ['/a/b*/c', '/a'],
  ['/*', '/'],
  ['/a/b', '/a/b'],
  ['/a/b/[x]', '/a/b'],
] as const)('the literal folder of %s is %s', (glob, folder) => {
  expect(literalFolder(glob)).toBe(folder);
});

test.each([
  ['*', '.env', false],
  ['*', 'a', true],
  ['.e*', '.env', true],
  ['?env', '.env', false],
] as const)('the shell pattern %s matches the name %s: %s', (pattern, name, expected) => {
  expect(matchesName(pattern, name)).toBe(expected);
});

test('patterns with catastrophic backtracking elsewhere finish here', () => {
  const name = `/x/${'a'.repeat(2000)}`;
  expect(matchesGlob(compileGlob(`/x/${'*a'.repeat(200)}b`), name)).toBe(false);
  expect(matchesGlob(compileGlob(`${'**/a/'.repeat(200)}b`), '/a'.repeat(1000))).toBe(false);
  expect(overlaps(compileGlob(`/x/${'*a'.repeat(50)}b`), compileGlob(`/x/${'a*'.repeat(50)}c`))).toBe(false);
});
