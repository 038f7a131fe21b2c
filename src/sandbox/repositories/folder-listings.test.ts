// What is kept of a folder is read again after every change, also if a command hides the change.

import { mkdirSync, mkdtempSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, expect, test } from 'vitest';
import { createListing, Unchanged } from './folder-listings.ts';

const base = mkdtempSync(join(tmpdir(), 'hardshell-listings-'));
afterAll(() => rmSync(base, { recursive: true }));

const entriesOf = createListing(new Set(['.git']));
const namesIn = (folder: string) =>
  entriesOf(folder)
    .map(({ name }) => name)
    .sort();

function makeFolder(name: string): string {
  const folder = join(base, name);
  mkdirSync(join(folder, 'inner'), { recursive: true });
  writeFileSync(join(folder, 'file'), '');
  return folder;
}

test('folders and the names that matter are listed, other files are not', () => {
  const folder = makeFolder('listed');
  writeFileSync(join(folder, '.git'), '');
  expect(entriesOf(folder).toSorted((a, b) => (a.name < b.name ? -1 : 1))).toEqual([
    { name: '.git', isFolder: false, isFile: true },
    { name: 'inner', isFolder: true, isFile: false },
  ]);
  expect(entriesOf(join(base, 'nowhere'))).toEqual([]);
});

test('a change is seen, although the modification time is set back', async () => {
  const folder = makeFolder('changed');
  await wait(150);
  expect(namesIn(folder)).toEqual(['inner']);
  const { atime, mtime } = statSync(folder);
  mkdirSync(join(folder, 'evil'));
  utimesSync(folder, atime, mtime);
  expect(namesIn(folder)).toEqual(['evil', 'inner']);
});

test('changes in quick succession are seen', () => {
  const folder = makeFolder('quick');
  for (let i = 0; i < 50; i += 1) {
    mkdirSync(join(folder, `inner-${i}`));
    expect(namesIn(folder)).toContain(`inner-${i}`);
  }
});

test('another folder at the same path is another folder', async () => {
  const [folder, other] = [makeFolder('replaced'), makeFolder('other')];
  mkdirSync(join(other, '.git'));
  await wait(150);
  expect(namesIn(folder)).toEqual(['inner']);
  renameSync(folder, join(base, 'gone'));
  renameSync(other, folder);
  expect(namesIn(folder)).toEqual(['.git', 'inner']);
});

test('a file that has settled is read once until it changes', async () => {
  const file = join(base, 'settings');
  writeFileSync(file, 'one');
  let reads = 0;
  const values = new Unchanged(() => {
    reads += 1;
    return reads;
  }, 0);
  await wait(150);
  expect([values.get(file), values.get(file)]).toEqual([1, 1]);
  writeFileSync(file, 'two');
  expect(values.get(file)).toBe(2);
  rmSync(file);
  expect([values.get(file), reads]).toEqual([0, 2]);
});
