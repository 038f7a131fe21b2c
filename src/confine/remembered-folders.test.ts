// Fewer questions to the disk, and the same answers.

import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { diskFolders } from './folders.ts';
import type { FolderReader } from './reading.ts';
import { rememberAnswers } from './remembered-folders.ts';

const FOLDER = mkdtempSync(join(tmpdir(), 'hardshell-remembered-'));
afterAll(() => rmSync(FOLDER, { recursive: true }));
mkdirSync(join(FOLDER, '.config/gh'), { recursive: true });
writeFileSync(join(FOLDER, '.bashrc'), '');
symlinkSync(join(FOLDER, '.bashrc'), join(FOLDER, '.profile'));
symlinkSync(join(FOLDER, 'nowhere'), join(FOLDER, '.zshrc'));

const NAMES = [
  ...['.a', '.b', '.bashrc', '.profile', '.zshrc', '.config/gh', '.config/x', '.config/y', '.config/z', '.config'],
  ...['.d/a', '.d/b', '.d/c', '.d/d', '.bashrc/a', '.bashrc/b', '.bashrc/c', '.bashrc/d', '.', '..', 'x/..', '', '.b'],
].map((name) => `${FOLDER}/${name}`);

function counting(probe: FolderReader): FolderReader & { questions: number } {
  const counted = {
    questions: 0,
    realPath: (path: string) => {
      counted.questions += 1;
      return probe.realPath(path);
    },
    list: probe.list,
    ...(probe.isLink === undefined ? {} : { isLink: probe.isLink }),
    ...(probe.names === undefined ? {} : { names: probe.names }),
  };
  return counted;
}

test('the answers are those of the disk, with fewer questions', () => {
  const disk = counting(diskFolders);
  const remembered = rememberAnswers(disk);
  expect(NAMES.map((path) => remembered.realPath(path))).toEqual(NAMES.map((path) => diskFolders.realPath(path)));
  expect(disk.questions).toBeLessThan(new Set(NAMES).size);
});

test('a folder that cannot be listed is asked about each name', () => {
  const { isLink: _, ...others } = diskFolders;
  const disk = counting({ ...others, names: () => null });
  const remembered = rememberAnswers(disk);
  expect(NAMES.map((path) => remembered.realPath(path))).toEqual(NAMES.map((path) => diskFolders.realPath(path)));
  expect(disk.questions).toBe(new Set(NAMES).size);
});

test.runIf(process.platform === 'linux')(
  'a link on the way to a name is followed, and a closed folder has no names',
  () => {
    const linked = join(FOLDER, 'linked');
    symlinkSync('.config', linked);
    const remembered = rememberAnswers(diskFolders);
    expect(remembered.realPath(join(linked, 'gh'))).toBe(diskFolders.realPath(join(linked, 'gh')));
    expect(remembered.realPath(join(linked, 'gh'))).toBe(diskFolders.realPath(join(FOLDER, '.config/gh')));
    expect(remembered.realPath(join(linked, 'no/gh'))).toBeNull();
  },
);

test('a name in other letters may be the same file, and is asked about', () => {
  const asked: string[] = [];
  const remembered = rememberAnswers({
    realPath: (path) => {
      asked.push(path);
      return path === '/home/.SSH' ? '/home/.ssh' : null;
    },
    list: () => [],
    names: () => new Set(['.ssh', '.k']),
  });
  for (const name of ['1', '2', '3', '.SSH', '.\u017fsh', '.\u212a', '.sshx']) remembered.realPath(`/home/${name}`);
  expect(asked).toEqual(['/home/1', '/home/2', '/home/3', '/home/.SSH', '/home/.\u017fsh', '/home/.\u212a']);
});
