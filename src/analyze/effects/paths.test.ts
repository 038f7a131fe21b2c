import { expect, test } from 'vitest';
import type { WordValue } from '../../core/facts.ts';
import { foldPath, resolvePath } from './paths.ts';

function literal(value: string): WordValue {
  return { kind: 'literal', value, span: [0, 0] };
}

test.each([
  ['/a/b', '/a/b'],
  ['/a//b/', '/a/b'],
  ['/a/./b', '/a/b'],
  ['/a/../b', '/b'],
  ['/../a', '/a'],
  ['/', '/'],
  ['//', '/'],
  ['/.', '/'],
  ['/a/..', '/'],
  ['a/./b', 'a/b'],
  ['/a/.b/..c', '/a/.b/..c'],
])('%s folds to %s', (path, folded) => {
  expect(foldPath(path)).toBe(folded);
});

test('relative paths are resolved in every possible folder', () => {
  expect(resolvePath(literal('x'), ['/a', '/b'])).toEqual([{ path: '/a/x' }, { path: '/b/x' }]);
  expect(resolvePath(literal('/x'), ['/a', '/b'])).toEqual([{ path: '/x' }]);
  expect(resolvePath(literal('x'), null)).toEqual([{ path: null }]);
});

test('a climb after a name keeps the text that a symlink could change', () => {
  expect(resolvePath(literal('link/../x'), ['/w'])).toEqual([{ path: '/w/x', unfolded: '/w/link/../x' }]);
});

test('patterns are marked, unknown values are null', () => {
  const pattern: WordValue = { kind: 'pattern', glob: '*.c', head: '', span: [0, 0] };
  const dynamic: WordValue = { kind: 'dynamic', head: '/tmp/', many: false, span: [0, 0] };
  expect(resolvePath(pattern, ['/w'])).toEqual([{ path: '/w/*.c', glob: true }]);
  expect(resolvePath(dynamic, ['/w'])).toEqual([{ path: null }]);
});
