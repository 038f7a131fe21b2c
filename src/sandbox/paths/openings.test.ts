import {
  accessSync,
  constants,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { openFor, uncover } from './openings.ts';

// Temporary folders never open, so these are in another place if possible.
const parent = ['/srv', '/opt', homedir()].find(
  (folder) => isWritable(folder) && !/^\/(?:tmp|var\/tmp)\//.test(folder),
);
const base = realpathSync(mkdtempSync(join(parent ?? tmpdir(), '.hardshell-openings-')));
afterAll(() => rmSync(base, { recursive: true }));
for (const folder of ['ssh/keys', 'out/sub', 'project']) mkdirSync(join(base, folder), { recursive: true });
for (const file of ['ssh/config', 'ssh/keys/a', 'token', 'out/old']) writeFileSync(join(base, file), '');
symlinkSync(join(base, 'ssh'), join(base, 'link'));
const at = (...names: string[]) => names.map((name) => join(base, name));

test.each<[string, Parameters<typeof uncover>[0][number], string[], string[]]>([
  ['nothing', { hidden: at('ssh', 'token'), places: [], files: [] }, ['ssh', 'token'], []],
  ['a hidden file', { hidden: at('ssh', 'token'), places: [], files: at('token') }, ['ssh'], []],
  ['a file of a hidden folder', { hidden: at('ssh'), places: [], files: at('ssh/config') }, ['ssh'], ['ssh/config']],
  [
    'a file behind a hidden link',
    { hidden: at('link'), places: [], files: at('ssh/config') },
    ['link'],
    ['ssh/config'],
  ],
  ['a setting for the folder above', { hidden: at('ssh/keys'), places: at('ssh'), files: [] }, [], []],
  ['a setting for a folder in it', { hidden: at('ssh'), places: at('ssh/keys'), files: [] }, ['ssh'], ['ssh/keys']],
  ['a folder that was named as if it were a file', { hidden: at('ssh'), places: [], files: at('.') }, ['ssh'], []],
])('shown: %s', (_, group, hidden, shown) => {
  expect(uncover([group])).toEqual({ hidden: at(...hidden), shown: at(...shown) });
});

test('a path that one group hides is not shown by another', () => {
  const fixed = { hidden: at('ssh'), places: at('ssh/keys'), files: [] };
  const mine = { hidden: at('ssh', 'token'), places: [], files: at('ssh/config', 'ssh/keys/a', 'token') };
  expect(uncover([fixed, mine])).toEqual({ hidden: at('ssh', 'ssh'), shown: at('ssh/keys/a') });
});

test('outside, a file opens alone, a tree as a whole, and a new name with its folder', (context) => {
  if (parent === undefined) context.skip('no writable folder except temporary ones');
  const named = (path: string, isTree = false) => ({ path: join(base, path), isTree });
  const writes = [
    named('out/old'),
    named('out/sub', true),
    named('ssh'),
    named('out/a/b/new'),
    named('project/x'),
    { path: '/dev/null', isTree: false },
  ];
  const opened = openFor(writes, [named('token')], { roots: at('project'), isTree: () => true });
  expect(opened).toEqual({
    files: at('out/old'),
    trees: at('out/sub'),
    folders: [
      { folder: base, names: ['token'] },
      { folder: join(base, 'ssh'), names: [] },
      { folder: join(base, 'out'), names: ['a'] },
    ],
  });
  const wide = openFor([named('out', true)], [], { roots: [], isTree: () => false });
  expect(wide).toEqual({ files: [], trees: [], folders: [{ folder: join(base, 'out'), names: [] }] });
});

function isWritable(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}
