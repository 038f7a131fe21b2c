import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { isInertConfig } from '../decide/repository/inert-config.ts';
import { diskFolders } from './folders.ts';
import { findWithoutRepository, judgeNewRepository } from './new-repository.ts';

describe('a repository that a command created', () => {
  let base = '';
  let root = '';
  beforeEach(() => {
    base = mkdtempSync(join(tmpdir(), 'hardshell-repository-'));
    root = join(base, 'work');
    mkdirSync(root);
  });
  afterEach(() => rmSync(base, { recursive: true, force: true }));

  const git = (...argv: string[]) =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...argv], { cwd: root, stdio: 'pipe' });
  const judge = (quarantine: string | null = join(base, 'quarantine')) =>
    judgeNewRepository(root, { quarantine, isInert: isInertConfig }, diskFolders).map(({ path, movedTo }) => ({
      name: path.slice(root.length + 1),
      isKept: movedTo !== null && lstatSync(movedTo, { throwIfNoEntry: false }) !== undefined,
    }));

  test('roots without a repository are found, and a dangling link counts as a repository', () => {
    expect(findWithoutRepository([root], diskFolders)).toEqual([root]);
    symlinkSync('nowhere', join(root, '.git'));
    expect(findWithoutRepository([root], diskFolders)).toEqual([]);
  });

  test('what `git init`, a commit and `git clone` create is not changed', () => {
    git('init', '-q');
    git('commit', '-q', '--allow-empty', '-m', 'first');
    expect(judge()).toEqual([]);
    const other = join(base, 'other');
    git('clone', '-q', root, other);
    expect(judgeNewRepository(other, { quarantine: null, isInert: isInertConfig }, diskFolders)).toEqual([]);
    expect(git('log', '--format=%s').toString()).toBe('first\n');
  });

  const rows: Record<string, { make: () => void; taken: string[] }> = {
    'a setting that runs a program': { make: () => git('config', 'core.fsmonitor', './x'), taken: ['.git/config'] },
    'a hooks folder outside': { make: () => git('config', 'core.hooksPath', 'x'), taken: ['.git/config'] },
    'settings from elsewhere': { make: () => git('config', 'include.path', 'x'), taken: ['.git/config'] },
    'an alias that runs a command': { make: () => git('config', 'alias.st', '!./x'), taken: ['.git/config'] },
    'settings that cannot be read': {
      make: () => writeFileSync(join(root, '.git/config'), '[core\n'),
      taken: ['.git/config'],
    },
    'settings that are a link': {
      make: () => {
        rmSync(join(root, '.git/config'));
        symlinkSync('../x', join(root, '.git/config'));
      },
      taken: ['.git/config'],
    },
    'settings of a worktree': {
      make: () => writeFileSync(join(root, '.git/config.worktree'), '[core]\nfsmonitor=./x\n'),
      taken: ['.git/config.worktree'],
    },
    'a hook': {
      make: () => writeFileSync(join(root, '.git/hooks/post-checkout'), '#!/bin/sh\n', { mode: 0o755 }),
      taken: ['.git/hooks/post-checkout'],
    },
    // A later chmod must find nothing.
    'a hook that is not executable': {
      make: () => writeFileSync(join(root, '.git/hooks/pre-commit'), '#!/bin/sh\n'),
      taken: ['.git/hooks/pre-commit'],
    },
    'a hook that is a link': {
      make: () => symlinkSync('../../x', join(root, '.git/hooks/pre-commit')),
      taken: ['.git/hooks/pre-commit'],
    },
    'hooks that are a link': {
      make: () => {
        rmSync(join(root, '.git/hooks'), { recursive: true });
        symlinkSync('../x', join(root, '.git/hooks'));
      },
      taken: ['.git/hooks'],
    },
    'a remote in a private folder': {
      make: () => git('remote', 'add', 'origin', '/tmp/hardshell-0-tmp/abc/x.git'),
      taken: ['.git/config'],
    },
    'remotes in files': {
      make: () => {
        for (const name of ['remotes', 'branches']) {
          mkdirSync(join(root, '.git', name), { recursive: true });
          writeFileSync(join(root, '.git', name, 'origin'), 'URL: x\n');
        }
      },
      taken: ['.git/remotes/origin', '.git/branches/origin'],
    },
    'a submodule with a hook': {
      make: () => {
        execFileSync('git', ['init', '-q', '--bare', join(root, '.git/modules/a/b')]);
        writeFileSync(join(root, '.git/modules/a/b/hooks/post-checkout'), 'x');
      },
      taken: ['.git/modules/a/b/hooks/post-checkout'],
    },
    'a common folder outside': { make: () => writeFileSync(join(root, '.git/commondir'), '../x'), taken: ['.git'] },
    'a .git file that points outside': {
      make: () => {
        rmSync(join(root, '.git'), { recursive: true });
        writeFileSync(join(root, '.git'), 'gitdir: x\n');
      },
      taken: ['.git'],
    },
    'a link that points outside': {
      make: () => {
        rmSync(join(root, '.git'), { recursive: true });
        symlinkSync('x', join(root, '.git'));
      },
      taken: ['.git'],
    },
  };
  for (const [name, { make, taken }] of Object.entries(rows))
    test(`${name} is removed`, () => {
      git('init', '-q');
      make();
      expect(judge()).toEqual(taken.map((path) => ({ name: path, isKept: true })));
      for (const path of taken) expect(existsSync(join(root, path))).toBe(false);
      expect(judge()).toEqual([]);
    });

  test('one that cannot be listed is removed as a whole, and nothing is thrown', (context) => {
    if (process.getuid?.() === 0) return context.skip('root may list every folder');
    git('init', '-q');
    chmodSync(join(root, '.git/hooks'), 0o000);
    expect(judge()).toEqual([{ name: '.git', isKept: true }]);
    execFileSync('chmod', ['-R', 'u+rwX', base]);
  });

  test('without a quarantine it is removed, and no link is followed', () => {
    git('init', '-q');
    mkdirSync(join(base, 'kept'));
    symlinkSync(join(base, 'kept'), join(root, '.git/hooks/post-merge'));
    chmodSync(join(root, '.git/hooks'), 0o700);
    expect(judge(null)).toEqual([{ name: '.git/hooks/post-merge', isKept: false }]);
    expect(readdirSync(base).sort()).toEqual(['kept', 'work']);
  });
});
