import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { stateFolder } from './places.ts';
import { makePrivateFolder } from './private-folder.ts';
import { makeTaskFolder } from './state-folders.ts';

describe('stateFolder', () => {
  test.each([
    [{ HARDSHELL_STATE_DIR: '/s' }, '/s'],
    [{ XDG_STATE_HOME: '/x' }, '/x/hardshell'],
    [{ HARDSHELL_STATE_DIR: '/s', XDG_STATE_HOME: '/x' }, '/s'],
  ])('%j', (env, expected) => {
    expect(stateFolder(env)).toBe(expected);
  });

  test('without both, or with a relative XDG_STATE_HOME, it is in the home folder', () => {
    expect(stateFolder({})).toMatch(/\/\.local\/state\/hardshell$/);
    expect(stateFolder({ XDG_STATE_HOME: 'x' })).toBe(stateFolder({}));
    expect(() => stateFolder({ HARDSHELL_STATE_DIR: 'x' })).toThrow(/absolute/);
  });
});

describe('the folder of the tasks', () => {
  let base = '';
  beforeAll(() => {
    base = mkdtempSync(join(tmpdir(), 'hardshell-folder-'));
  });
  afterAll(() => rmSync(base, { recursive: true, force: true }));

  test('is created with its parents, private to this user, and found again', () => {
    const env = { HARDSHELL_STATE_DIR: join(base, 'deep/state') };
    const folder = makeTaskFolder(undefined, env);
    expect(folder).toBe(join(base, 'deep/state/tasks'));
    for (const path of [folder, join(base, 'deep/state')]) expect(statSync(path).mode & 0o777).toBe(0o700);
    expect(makeTaskFolder(undefined, env)).toBe(folder);
  });

  test.each<[string, (path: string) => void, RegExp]>([
    ['a link', (path) => symlinkSync(tmpdir(), path), /not a private folder/],
    ['a file', (path) => writeFileSync(path, ''), /Cannot create/],
    ['open to others', (path) => mkdirSync(path, { mode: 0o755 }), /open to other users/],
  ])('is refused if it is %s', (name, prepare, expected) => {
    const path = join(base, name.replaceAll(' ', '-'));
    prepare(path);
    expect(() => makePrivateFolder(path)).toThrow(expected);
  });

  test('is refused below a folder in which others may rename', () => {
    const open = join(base, 'shared');
    mkdirSync(open);
    chmodSync(open, 0o777);
    expect(() => makePrivateFolder(join(open, 'tasks'))).toThrow(/can rename/);
    chmodSync(open, 0o1777);
    expect(makePrivateFolder(join(open, 'tasks'))).toBe(join(open, 'tasks'));
  });

  test.each(['relative', '/with\nline'])('is refused as %j', (path) => {
    expect(() => makePrivateFolder(path)).toThrow(/absolute path of one line/);
  });
});

test.skipIf(process.platform !== 'linux')(
  'a folder that the system does not allow is an error, not an endless attempt',
  () => {
    expect(() => makePrivateFolder('/proc/hardshell/state')).toThrow(/Cannot create the folder/);
  },
);
