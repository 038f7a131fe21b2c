import { describe, expect, test } from 'vitest';
import {
  areSameDescriptors,
  type Descriptors,
  descriptorOfPath,
  joinDescriptors,
  NO_DESCRIPTORS,
  restoreDescriptors,
  setDescriptor,
  writtenFiles,
} from './descriptors.ts';

const file = (path: string) => [{ path }] as const;
const open = (number: number, path: string, from: Descriptors = NO_DESCRIPTORS) =>
  setDescriptor(from, number, file(path));

test.each([
  ['/dev/stdin', 0],
  ['/dev/stdout', 1],
  ['/dev/stderr', 2],
  ['/dev/fd/12', 12],
  ['/proc/self/fd/3', 3],
  ['/proc/thread-self/fd/3', 3],
  ['/dev/null', null],
  ['/dev/fd', null],
  ['/proc/1/fd/3', null],
  ['dev/stdin', null],
])('%s refers to descriptor %j', (path, number) => {
  expect(descriptorOfPath(path)).toBe(number);
});

describe('what a path writes', () => {
  test('the file behind the descriptor', () => {
    expect(writtenFiles({ path: '/dev/fd/3' }, open(3, '/w/f'))).toEqual([{ path: '/w/f' }]);
  });

  test('the streams of the caller are themselves, other numbers are unknown', () => {
    expect(writtenFiles({ path: '/dev/stdin' }, NO_DESCRIPTORS)).toEqual([{ path: '/dev/stdin' }]);
    expect(writtenFiles({ path: '/dev/fd/3' }, NO_DESCRIPTORS)).toEqual([{ path: null }]);
  });

  test('a pattern that may match a descriptor writes an unknown file', () => {
    const pattern = { path: '/*dev/stdin', glob: true } as const;
    expect(writtenFiles(pattern, NO_DESCRIPTORS)).toEqual([pattern, { path: null }]);
    expect(writtenFiles({ path: 'd*/stdin', glob: true }, NO_DESCRIPTORS)).toEqual([{ path: 'd*/stdin', glob: true }]);
  });

  test('any other pattern and an unknown path stay unchanged', () => {
    expect(writtenFiles({ path: '/w/fd/*', glob: true }, open(3, '/w/f'))).toEqual([{ path: '/w/fd/*', glob: true }]);
    expect(writtenFiles({ path: null }, open(3, '/w/f'))).toEqual([{ path: null }]);
  });
});

describe('after a command', () => {
  test('files opened for it are closed, files it opened itself stay', () => {
    const before = open(3, '/w/a');
    const entered = open(3, '/w/b', before);
    const after = open(4, '/w/c', entered);
    expect([...restoreDescriptors(after, before, entered)]).toEqual([
      [3, file('/w/a')],
      [4, file('/w/c')],
    ]);
    expect(restoreDescriptors(entered, before, entered)).toBe(before);
  });
});

describe('two ways', () => {
  test('the same file stays known, anything else does not', () => {
    expect(joinDescriptors(open(3, '/w/a'), open(3, '/w/a')).get(3)).toEqual(file('/w/a'));
    expect(joinDescriptors(open(3, '/w/a'), open(3, '/w/b')).get(3)).toBe('unknown');
    expect(joinDescriptors(open(0, '/w/a'), NO_DESCRIPTORS).get(0)).toBe('unknown');
  });

  test('are compared by what is open', () => {
    expect(areSameDescriptors(open(3, '/w/a'), open(3, '/w/a'))).toBe(true);
    expect(areSameDescriptors(open(3, '/w/a'), open(3, '/w/b'))).toBe(false);
    expect(areSameDescriptors(open(3, '/w/a'), NO_DESCRIPTORS)).toBe(false);
  });
});
