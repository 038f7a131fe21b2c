import { expect, test } from 'vitest';
import { isBelow } from '../core/values/containment.ts';
import { carveReads, type FolderReader } from './reading.ts';

const TREE: Readonly<Record<string, readonly string[]>> = {
  '/': ['etc', 'home', 'usr', 'bin@'],
  '/home': ['u', 'v'],
  '/home/u': ['.ssh', 'p', 'l@'],
};

const folders: FolderReader = {
  realPath: (path) => path,
  list: (path) => (TREE[path] ?? []).map((name) => ({ name: name.replace('@', ''), isLink: name.endsWith('@') })),
};

const rows: [denied: string[], readable: string[]][] = [
  [[], ['/']],
  [['/'], []],
  [['/etc'], ['/home', '/usr']],
  [['/home/u/.ssh'], ['/etc', '/home/u/p', '/home/v', '/usr']],
  [
    ['/home/u/.ssh', '/home/u'],
    ['/etc', '/home/v', '/usr'],
  ],
  // A name that only starts with the same text is another one.
  [['/us'], ['/etc', '/home', '/usr']],
];

test.each(rows)('without %j the rest can be read', (denied, readable) => {
  expect(carveReads(denied, folders).map(({ path }) => path)).toEqual(readable);
});

test('below means inside, not next to it and not the folder itself', () => {
  const pairs: [string, string][] = [
    ['/a/b', '/a'],
    ['/a', '/'],
    ['/ab', '/a'],
    ['/a', '/a'],
    ['/', '/'],
  ];
  expect(pairs.map(([path, folder]) => isBelow(path, folder))).toEqual([true, true, false, false, false]);
});
