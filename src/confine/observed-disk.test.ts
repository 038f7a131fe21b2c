import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { diskFolders } from './folders.ts';
import type { FolderReader, ObservedDisk } from './reading.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'observed-'));
  mkdirSync(join(folder, 'a/b'), { recursive: true });
  mkdirSync(join(folder, 'c'));
  writeFileSync(join(folder, 'a/file'), '');
  symlinkSync('../c', join(folder, 'a/link'));
  symlinkSync('nowhere', join(folder, 'a/dangling'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const at = (path: string) => join(folder, path);
const observe = (): ObservedDisk => (diskFolders.observe as NonNullable<FolderReader['observe']>)();

describe.runIf(process.platform === 'linux')('what was seen of the disk', () => {
  test('the answers are those of the disk', () => {
    const { folders } = observe();
    for (const path of [
      'a',
      'a/b',
      'a/file',
      'a/link',
      'a/link/x',
      'a/dangling',
      'a/none',
      'a/none/x',
      'a/file/x',
      'a/../c',
    ].map(at)) {
      expect([path, folders.realPath(path)]).toEqual([path, diskFolders.realPath(path)]);
      expect([path, folders.isFile?.(path)]).toEqual([path, diskFolders.isFile?.(path)]);
      if (!path.includes('..')) expect([path, folders.isLink?.(path)]).toEqual([path, diskFolders.isLink?.(path)]);
    }
    expect(folders.list(at('a'))).toEqual(diskFolders.list(at('a')));
    expect(folders.names?.(at('a'))?.has('link')).toBe(true);
    expect(folders.names?.(at('a/file'))).toBeNull();
    expect(folders.names?.(at('none'))?.has('x')).toBe(false);
  });

  const look = ({ folders }: ObservedDisk): void => {
    for (const path of ['a/b', 'a/link/x', 'a/none/x', 'c/later', 'a/dangling']) folders.realPath(at(path));
    folders.names?.(at('c'))?.has('asked');
  };
  const changes: Record<string, () => void> = {
    'a missing name appears': () => writeFileSync(at('c/later'), ''),
    'a missing folder appears': () => mkdirSync(at('a/none')),
    'a name disappears': () => rmSync(at('a/b'), { recursive: true }),
    'a folder becomes a link': () => {
      renameSync(at('a/b'), at('a/old'));
      symlinkSync('old', at('a/b'));
    },
    'a folder above is replaced': () => {
      renameSync(at('a'), at('gone'));
      mkdirSync(at('a'));
    },
    'a link leads elsewhere': () => {
      rmSync(at('a/link'));
      symlinkSync('b', at('a/link'));
    },
    'the target of a link appears': () => writeFileSync(at('a/nowhere'), ''),
    'a name that was looked for in a list appears': () => writeFileSync(at('c/asked'), ''),
    'times are set back': () => {
      writeFileSync(at('c/later'), '');
      utimesSync(at('c'), 1, 1);
    },
  };
  describe.each(['at once', 'later'])('%s', (when) => {
    test.each(Object.entries(changes))('%s', async (_, change) => {
      const disk = observe();
      look(disk);
      expect(disk.isSame()).toBe(true);
      // Then the times of the folders can tell.
      if (when === 'later') {
        await sleep(120);
        expect(disk.isSame()).toBe(true);
      }
      change();
      expect(disk.isSame()).toBe(false);
    });

    test('what was not asked about may change', async () => {
      const disk = observe();
      look(disk);
      if (when === 'later') await sleep(120);
      writeFileSync(at('c/other'), '');
      mkdirSync(at('a/other'));
      expect(disk.isSame()).toBe(true);
    });
  });
});
