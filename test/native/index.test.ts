// Which indexes git can use safely (native/git-index.c): those that git writes itself, in all its formats, and none in which a
// path leads out of the work tree or into `.git`.

import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { be32, type CraftedIndex, craftIndex } from '../crafted-index.ts';

const hasCompiler = process.platform === 'linux' && spawnSync('cc', ['--version']).status === 0;
const hasGit = spawnSync('git', ['--version']).status === 0;

const FILE = 0o100644;
const LINK = 0o120000;
const SUBMODULE = 0o160000;
const FOLDER = 0o040000;

/** Those that git itself refuses to add are unsafe; the others are paths of real projects. */
const PATHS: readonly [path: string, mode: number, isSafe: boolean][] = [
  ...[
    'a',
    'a/b/c',
    '.gitignore',
    '.gitmodules',
    '.github/x',
    '...',
    'a./b',
    '..a/b',
    'a..',
    'git',
    'git~2',
    'x.git/y',
  ].map((path): [string, number, boolean] => [path, FILE, true]),
  ...['a\\b', 'a:b', 'ü/\u200cx', '\u200c', '.gitx', '.git~1x', ' ', 'a b', '-x', '$(x)', 'a\nb', '.g\u200c'].map(
    (path): [string, number, boolean] => [path, FILE, true],
  ),
  ...['', '/', '/a', 'a//b', 'a/', '.', '..', './a', '../a', 'a/.', 'a/..', 'a/../b', 'a/./b'].map(
    (path): [string, number, boolean] => [path, FILE, false],
  ),
  ...['.git', '.git/x', 'a/.git', 'a/.git/hooks/x', '.GIT/x', '.gIt', 'git~1', 'GIT~1/x', '.git./x', '.git /x'].map(
    (path): [string, number, boolean] => [path, FILE, false],
  ),
  ...[
    '.git . ./x',
    '.git:x',
    '.git::$INDEX_ALLOCATION/x',
    '.g\u200cit/x',
    '.gi\u206at',
    '\ufeff.git/x',
    '.git\u200d/x',
  ].map((path): [string, number, boolean] => [path, FILE, false]),
  ...['a\\.git', 'a\\.git\\hooks', 'x\\git~1/y'].map((path): [string, number, boolean] => [path, FILE, false]),
  ['lib', SUBMODULE, true],
  ['../lib', SUBMODULE, false],
  ['/tmp/lib', SUBMODULE, false],
  ['.git/lib', SUBMODULE, false],
  ['link', LINK, true],
  ['.gitmodules', LINK, false],
  ['.GITMODULES', LINK, false],
  ['folder/', FOLDER, true],
  ['folder', FOLDER, false],
  ['../folder/', FOLDER, false],
];

const one = { path: 'one' };
const eoie = (offset: number) => ['EOIE', Buffer.concat([be32(offset), Buffer.alloc(20)])] as const;
const ieot = (...numbers: readonly number[]) => ['IEOT', be32(1, ...numbers)] as const;
/** The cache of untracked files: each folder with one file. */
const untracked = (...folders: readonly string[]) =>
  [
    'UNTR',
    Buffer.concat([
      ...[Buffer.from([1, 120]), Buffer.alloc(76 + 40), Buffer.from('.gitignore\0'), Buffer.from([folders.length])],
      ...folders.map((name) => Buffer.concat([Buffer.from([1, 0]), Buffer.from(`${name}\0file\0`)])),
    ]),
  ] as const;
/** Bytes of the header, and of the entry `one` in versions 2 and 3. */
const [HEADER, ONE] = [12, 72];

const CRAFTED: Record<string, [index: CraftedIndex | Buffer, isSafe: boolean]> = {
  'an entry': [{ entries: [one] }, true],
  'no entry': [{ entries: [] }, true],
  'entries of a merge': [{ entries: [1, 2, 3].map((stage) => ({ path: 'one', stage })) }, true],
  'a path with a second pair of flags': [{ version: 3, entries: [{ path: 'one', extended: 0x2000 }] }, true],
  'flags that git does not know': [{ version: 3, entries: [{ path: 'one', extended: 0x8000 }] }, false],
  'a path behind a second pair of flags': [{ version: 3, entries: [{ path: '../one', extended: 0x4000 }] }, false],
  'a path that leads out': [{ entries: [{ path: '../one' }, one] }, false],
  'a path that leads out, after others': [{ entries: [one, { path: 'two/../../three' }] }, false],
  'a submodule outside': [{ entries: [{ path: '/tmp/x', mode: SUBMODULE }] }, false],
  'a mode that git does not write': [{ entries: [{ path: 'one', mode: 0o010644 }] }, false],
  'a path that is longer than its length': [{ entries: [{ path: 'a/../..', length: 1 }] }, false],
  'a path that is shorter than its length': [{ entries: [{ path: 'one', length: 7 }] }, false],
  'a path with a NUL': [{ entries: [{ path: Buffer.from('a\0/../x') }] }, false],
  'a path of more than 4,095 bytes': [{ entries: [{ path: `${'a/'.repeat(3000)}a` }] }, true],
  'a path of more than 4,095 bytes that leads out': [{ entries: [{ path: `${'a/'.repeat(3000)}../x` }] }, false],
  'a path of more than 16,384 bytes': [{ entries: [{ path: 'a'.repeat(20_000) }] }, false],
  'paths without order': [{ entries: [{ path: 'two' }, one] }, false],
  'a path twice': [{ entries: [one, one] }, false],
  'a path without a name': [{ entries: [{ path: '' }, one] }, false],
  'a path without a name in a split index': [
    { entries: [{ path: '' }, one], extensions: [['link', Buffer.alloc(36, 1)]] },
    true,
  ],
  'a split index without another one': [
    { entries: [{ path: '' }, one], extensions: [['link', Buffer.alloc(36)]] },
    false,
  ],
  'a folder of a sparse index': [
    { entries: [{ path: 'f/', mode: FOLDER }], extensions: [['sdir', Buffer.alloc(0)]] },
    true,
  ],
  'a folder where the index is not sparse': [{ entries: [{ path: 'f/', mode: FOLDER }] }, false],
  'an extension that git must understand': [{ entries: [one], extensions: [['evil', Buffer.alloc(4)]] }, false],
  'an extension that git may skip': [{ entries: [one], extensions: [['EVIL', Buffer.alloc(4)]] }, true],
  'folders with untracked files': [{ entries: [one], extensions: [untracked('', 'a', 'b', '..c')] }, true],
  'folders with untracked files outside': [{ entries: [one], extensions: [untracked('', '../x')] }, false],
  'a folder with untracked files above': [{ entries: [one], extensions: [untracked('', 'a', '..')] }, false],
  'untracked files of a repository': [{ entries: [one], extensions: [untracked('', '.git')] }, false],
  'untracked files of another work tree': [{ entries: [one], extensions: [untracked('/etc')] }, false],
  'untracked files that end early': [
    { entries: [one], extensions: [['UNTR', untracked('', 'a')[1].subarray(0, -6)]] },
    false,
  ],
  'no untracked files': [{ entries: [one], extensions: [untracked()] }, true],
  'an extension that is too long': [
    craftIndex({ entries: [one], extensions: [['TREE', Buffer.alloc(40)]] }).subarray(0, -8),
    false,
  ],
  'the end of entries': [{ entries: [one], extensions: [eoie(HEADER + ONE)] }, true],
  'another end of entries': [
    { entries: [one], extensions: [['TREE', Buffer.alloc(64)], eoie(HEADER + ONE + 40)] },
    false,
  ],
  'another end of entries, in another extension': [
    { entries: [one], extensions: [['TREE', Buffer.concat([Buffer.from('EOIE'), be32(24, 40), Buffer.alloc(20)])]] },
    false,
  ],
  'blocks of entries': [
    { entries: [one, { path: 'two' }], extensions: [ieot(HEADER, 1, HEADER + ONE, 1), eoie(HEADER + 2 * ONE)] },
    true,
  ],
  'a block in an extension': [
    { entries: [one, { path: 'two' }], extensions: [ieot(HEADER, 1, HEADER + 2 * ONE + 8, 1)] },
    false,
  ],
  'blocks with more entries': [{ entries: [one], extensions: [ieot(HEADER, 2)] }, false],
  'blocks with fewer entries': [{ entries: [one, { path: 'two' }], extensions: [ieot(HEADER, 1)] }, false],
  'two tables of blocks': [{ entries: [one], extensions: [ieot(HEADER, 1), ieot(40, 1)] }, false],
  'version 4': [{ version: 4, entries: [one, { path: 'x', skipped: 2, length: 2 }] }, true],
  'version 4, a path that leads out together with the last one': [
    { version: 4, entries: [{ path: 'a/..b' }, { path: '/c', skipped: 1, length: 6 }] },
    false,
  ],
  'version 4, more skipped than there is': [
    { version: 4, entries: [one, { path: 'x', skipped: 9, length: 1 }] },
    false,
  ],
  'version 4, a block that continues the last path': [
    {
      version: 4,
      entries: [{ path: 'a' }, { path: '../x', skipped: 0, length: 5 }],
      extensions: [ieot(HEADER, 1, HEADER + 65, 1)],
    },
    false,
  ],
  'version 5': [{ version: 5, entries: [one] }, false],
  'SHA-256': [{ algorithm: 'sha256', entries: [one] }, true],
  'SHA-256, a path that leads out': [{ algorithm: 'sha256', entries: [{ path: '../x' }] }, false],
  'an empty file': [Buffer.alloc(0), false],
  'another file': [Buffer.from('x'.repeat(200)), false],
};

describe.skipIf(!hasCompiler)('native/git-index.c', () => {
  let folder = '';
  const check = (input: string | Buffer, ...argv: string[]) =>
    execFileSync(join(folder, 'check'), argv, { input, encoding: 'utf8' }).trim();
  const isSafe = (index: Buffer, hashBytes = 20) => check(index, 'index', String(hashBytes)) === 'safe';

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'hardshell-index-'));
    const source = fileURLToPath(new URL('./index-check.c', import.meta.url));
    const flags = ['-std=c11', '-O1', '-g', '-fsanitize=address,undefined', '-fno-sanitize-recover=all'];
    execFileSync('cc', [...flags, '-o', join(folder, 'check'), source]);
  }, 60_000);
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  test.each(PATHS)('the path %j, mode %d: %s', (path, mode, wanted) => {
    expect(check(path, 'path', mode.toString(8)) === 'safe').toBe(wanted);
  });

  test.each(Object.entries(CRAFTED))('%s', (_, [index, wanted]) => {
    const bytes = Buffer.isBuffer(index) ? index : craftIndex(index);
    expect(isSafe(bytes, !Buffer.isBuffer(index) && index.algorithm === 'sha256' ? 32 : 20)).toBe(wanted);
  });

  test('an index that ends anywhere: never read behind its end', () => {
    const bytes = craftIndex({
      version: 4,
      entries: [one, { path: 'x', skipped: 2, length: 2 }],
      extensions: [eoie(0)],
    });
    for (let size = 0; size < bytes.length; size += 3) expect(isSafe(bytes.subarray(0, size))).toBe(false);
  }, 60_000);

  test.each([
    ['', '20'],
    ['[core]\n\tbare = false\n', '20'],
    ['[extensions]\n\tobjectformat = sha256\n', '32'],
    ['[extensions]\n\tObjectFormat="sha256"\r\n', '32'],
    ['[extensions] objectformat=sha1', '20'],
    ['[extensions]\n\tcompatobjectformat = sha256\n', '20'],
    ['[extensions]\n\tobjectformat = sha256 # x\n', '0'],
    ['[extensions]\n\tobjectformat = sha256\n\tobjectformat = sha1\n', '0'],
  ])('the object names of %j: %s bytes', (text, bytes) => {
    expect(check(text, 'config')).toBe(bytes);
  });

  describe.skipIf(!hasGit)('what git writes is safe', () => {
    let project = '';
    const git = (...argv: string[]) =>
      execFileSync('git', ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.com', ...argv], {
        cwd: project,
        env: { PATH: process.env.PATH, HOME: folder, GIT_CONFIG_NOSYSTEM: '1' },
        stdio: ['ignore', 'pipe', 'ignore'],
        encoding: 'utf8',
      });
    const indexes = () =>
      readdirSync(join(project, '.git'))
        .filter((name) => /^(?:index|sharedindex\..*)$/.test(name))
        .map((name) => readFileSync(join(project, '.git', name)));

    test.each(['sha1', 'sha256'])(
      'all formats and extensions, %s',
      (algorithm) => {
        project = join(folder, algorithm);
        mkdirSync(join(project, 'a/b'), { recursive: true });
        mkdirSync(join(project, 'c'));
        git('init', '-q', `--object-format=${algorithm}`);
        for (const name of ['a/b/one', 'a/two', 'c/three', 'd e', '.gitignore'])
          writeFileSync(join(project, name), `${name}\n`);
        symlinkSync('a', join(project, 'link'));
        const areSafe = (what: string) => {
          const found = indexes();
          expect(found.length, what).toBeGreaterThan(0);
          for (const bytes of found)
            expect([what, isSafe(bytes, algorithm === 'sha1' ? 20 : 32)]).toEqual([what, true]);
          return found;
        };
        git('add', '.');
        areSafe('version 2');
        git('commit', '-q', '-m', 'first');
        writeFileSync(join(project, 'new'), 'x\n');
        git('add', '-N', 'new');
        areSafe('version 3');
        git('add', 'new');
        git('update-index', '--index-version', '4');
        areSafe('version 4');
        git('update-index', '--split-index');
        writeFileSync(join(project, 'a/two'), 'other\n');
        writeFileSync(join(project, 'x'), 'x\n');
        git('add', 'a/two', 'x');
        expect(areSafe('split').length).toBeGreaterThan(1);
        git('update-index', '--no-split-index');
        git('update-index', '--untracked-cache');
        git('status');
        areSafe('with a cache of untracked files');
        git('commit', '-q', '-m', 'second');
        git('config', 'index.threads', '2');
        git('sparse-checkout', 'init', '--cone', '--sparse-index');
        git('sparse-checkout', 'set', 'a');
        expect(areSafe('sparse').some((bytes) => bytes.includes('sdir'))).toBe(true);
      },
      60_000,
    );

    test('100,000 files, read by git in several threads', () => {
      project = join(folder, 'large');
      mkdirSync(project);
      git('init', '-q');
      git('config', 'index.threads', '3');
      const object = 'e69de29bb2d1d6434b8b29ae775ad8c2e48c5391';
      const names = Array.from({ length: 100_000 }, (_, i) => `100644 ${object}\tfolder${i % 97}/file${i}\n`);
      for (const version of ['2', '4']) {
        execFileSync('git', ['update-index', '--index-version', version, '--index-info'], {
          cwd: project,
          input: names.join(''),
        });
        const [bytes = Buffer.alloc(0)] = indexes();
        expect([bytes.includes('IEOT'), bytes.includes('EOIE'), isSafe(bytes)]).toEqual([true, true, true]);
      }
    }, 60_000);
  });
});
