// The gate judges git folders by content: what runs nothing lands, what could run something is held.

import { execFileSync, spawnSync } from 'node:child_process';
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { ConfinementSpec } from '../../src/confine/port.ts';
import { keeperUnderTest as found } from '../contract/keeper-under-test.ts';
import { craftIndex } from '../crafted-index.ts';
import { canStage, StageFolder } from './stage-folder.ts';

const keeper = found.isAvailable ? found.path : '';
const hasGit = spawnSync('git', ['--version']).status === 0;
const GIT =
  'export GIT_OPTIONAL_LOCKS=0 HOME=/nonexistent GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_SYSTEM=/dev/null GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b;';

describe.skipIf(!found.isAvailable || !canStage() || !hasGit)('git in a stage', { timeout: 60_000 }, () => {
  let base = '';
  let root = '';
  const at = (name: string) => join(root, name);
  const read = (name: string) => readFileSync(at(name), 'utf8');
  const git = (folder: string, ...args: string[]) =>
    execFileSync('bash', ['-c', `${GIT} git -C "$0" "$@"`, at(folder), ...args], { encoding: 'utf8' });

  beforeEach(() => {
    base = mkdtempSync(join(tmpdir(), 'hardshell-stage-git-'));
    root = join(base, 'project');
    mkdirSync(join(root, 'src'), { recursive: true });
    writeFileSync(at('src/x'), 'x\n');
  });
  afterEach(() => rmSync(base, { recursive: true, force: true }));

  const makeRepository = () => {
    git('', 'init', '-q');
    git('', 'add', '-A');
    git('', 'commit', '-qm', 'first');
  };
  const guardedOf = (more: Partial<ConfinementSpec> = {}): Partial<ConfinementSpec> => ({
    stage: {
      folder: join(base, 'stage'),
      mode: 'apply',
      guarded: [at('.git/config'), at('.git/hooks'), at('.gitmodules')],
    },
    settings: { files: [at('.git/config')], names: ['user.name', 'branch', 'remote'] },
    ...more,
  });
  const land = (script: string, spec: Partial<ConfinementSpec> = {}) => {
    const stage = new StageFolder(keeper, base, [root], spec);
    stage.change(`${GIT} ${script}`);
    const { code, stderr } = stage.verb('apply');
    expect([code, stderr]).toEqual([0, '']);
    return { stage, held: existsSync(stage.path) ? stage.held() : [] };
  };

  test('a day of work in a repository lands', () => {
    makeRepository();
    const { held, stage } = land(
      `git checkout -qb topic; echo y > src/y; git add -A; git commit -qm y; git config user.name me
       git remote add origin https://example.org/a.git; git stash list; git gc -q; git tag v1; git checkout -q -`,
      guardedOf(),
    );
    expect(held).toEqual([]);
    expect(git('', 'status', '--porcelain')).toBe('');
    expect(git('', 'log', '--oneline', 'topic').split('\n')).toHaveLength(3);
    expect(read('.git/config')).toContain('name = me');
    expect(stage.verb('undo').code).toBe(0);
    expect(git('', 'status', '--porcelain')).toBe('');
    expect(git('', 'branch', '--list', 'topic')).toBe('');
  });

  test('a new repository lands; a hook in it does not, its work tree does', () => {
    const { held } = land(
      `git init -q new; echo a > new/a; cd new; git add a; git commit -qm a; printf '#!/bin/sh\\n' > .git/hooks/pre-commit
       chmod +x .git/hooks/pre-commit`,
    );
    expect(held).toEqual(['protected new/.git/hooks/pre-commit']);
    expect(git('new', 'status', '--porcelain')).toBe('');
    expect(existsSync(at('new/.git/hooks/pre-commit'))).toBe(false);
    expect(existsSync(at('new/.git/hooks/pre-commit.sample'))).toBe(true);
  });

  test('settings and hooks of a submodule are held before it is a repository', () => {
    makeRepository();
    const { held } = land(
      `mkdir -p .git/modules/a/b/hooks .git/modules/c .git/worktrees/w; printf '[core]\\n\\tfsmonitor = ./evil\\n' > .git/modules/a/b/config
       cp .git/modules/a/b/config .git/modules/c/config; cp .git/modules/c/config .git/worktrees/w/config.worktree
       echo x > .git/modules/a/b/hooks/post-checkout; echo x > .git/modules/c/description`,
    );
    expect(held.sort()).toEqual([
      'protected .git/modules/a/b/config',
      'protected .git/modules/a/b/hooks/post-checkout',
      'protected .git/modules/c/config',
      'protected .git/worktrees/w/config.worktree',
    ]);
    expect(existsSync(at('.git/modules/c/description'))).toBe(true);
  });

  test('a submodule of a repository in the project lands', () => {
    makeRepository();
    const { held } = land(
      `git init -q ../lib; echo 1 > ../lib/l; git -C ../lib add l; git -C ../lib commit -qm l
       git -c protocol.file.allow=always submodule --quiet add $PWD/../lib vendor/lib; git commit -qm sub; git -C vendor/lib checkout -qb config/x`,
    );
    expect(held).toEqual([]);
    expect(read('vendor/lib/l')).toBe('1\n');
  });

  test('settings that run something are held, in every place that git reads', () => {
    makeRepository();
    mkdirSync(at('half/hooks'), { recursive: true });
    writeFileSync(at('half/config'), '[core]\n\tfsmonitor = ./evil\n');
    const evil = '[core]\\n\\tfsmonitor = ./evil\\n';
    const { held } = land(
      `git config core.sshCommand ./evil; printf 'x' > .git/hooks/post-checkout
       git init -q a; printf '${evil}' >> a/.git/config
       git init -q --bare b.git; printf '${evil}' >> b.git/config
       git init -q c; printf 'ref: refs/heads/main\\n' > half/HEAD; mkdir half/objects half/refs
       mkdir d; echo 'gitdir: ../half' > d/.git; mkdir e; echo 'gitdir: /nonexistent/repository' > e/.git
       mkdir -p f/.git/remotes; echo 'URL: ext::evil' > f/.git/remotes/origin; echo ref: refs/heads/x > f/.git/HEAD
       mkdir -p g/rebase-merge; echo x > g/HEAD; echo 'exec ./evil' > g/rebase-merge/git-rebase-todo
       git init -q h; printf '/somewhere\\n' > h/.git/commondir
       mkdir -p i/worktrees/w i/hooks; printf '../..\\n' > i/worktrees/w/commondir; echo x > i/worktrees/w/HEAD; echo x > i/hooks/post-merge`,
      guardedOf(),
    );
    expect(held.sort()).toEqual([
      'protected .git/config',
      'protected .git/hooks/post-checkout',
      'protected a/.git/config',
      'protected b.git/config',
      'protected d/.git',
      'protected e/.git',
      'protected f/.git/remotes/origin',
      'protected g/rebase-merge/git-rebase-todo',
      'protected h/.git/commondir',
      'protected half/HEAD',
      'protected i/hooks/post-merge',
    ]);
    expect(read('.git/config')).not.toContain('evil');
    expect(git('c', 'status', '--porcelain')).toBe('');
  });

  test('worktrees of the project land', () => {
    makeRepository();
    git('', 'branch', 'topic');
    const { held } = land(
      'git worktree add -q wt topic; echo z > wt/z; cd wt; git add z; git commit -qm z',
      guardedOf(),
    );
    expect(held).toEqual([]);
    expect(git('wt', 'status', '--porcelain')).toBe('');
    expect(git('wt', 'log', '-1', '--format=%s')).toBe('z\n');
  });

  test('judged settings land as a copy that the command has not open', () => {
    makeRepository();
    const before = lstatSync(at('.git/config')).ino;
    const stage = new StageFolder(keeper, base, [root], guardedOf());
    stage.change(`${GIT} git config user.name me`);
    const staged = lstatSync(stage.at(0, 'upper/.git/config')).ino;
    stage.verb('apply');
    expect(read('.git/config')).toContain('name = me');
    expect([before, staged]).not.toContain(lstatSync(at('.git/config')).ino);
  });

  test('the parts of a repository land together, or not at all', () => {
    makeRepository();
    const stage = new StageFolder(keeper, base, [root], guardedOf());
    stage.change(`${GIT} echo y > src/y; git add src/y; git commit -qm second; git tag v1`);
    const index = readFileSync(at('.git/index'));
    writeFileSync(at('.git/index'), index);
    expect(stage.verb('apply').code).toBe(0);
    expect(stage.held()).toContain('conflict .git/index');
    expect(stage.held().every((line) => line.startsWith('conflict .git/'))).toBe(true);
    expect(stage.names()).toContain('created src/y');
    expect(git('', 'log', '-1', '--format=%s')).toBe('first\n');
    expect(git('', 'tag')).toBe('');
    expect(git('', 'status', '--porcelain')).toBe('?? src/y\n');
    expect(stage.verb('undo').code).toBe(0);
    expect(git('', 'status', '--porcelain')).toBe('');
  });

  test('the repository is neither deleted nor replaced', () => {
    makeRepository();
    const { held } = land('rm -rf .git; git init -q; git config core.pager ./evil', guardedOf());
    expect(held).toEqual(['protected .git']);
    expect(git('', 'log', '-1', '--format=%s')).toBe('first\n');
  });

  test('links that lead programs astray are held', () => {
    makeRepository();
    const cache = join(base, 'cache');
    mkdirSync(cache);
    symlinkSync('src', at('ok'));
    const { held } = land(
      `ln -s ~/.bashrc .git/COMMIT_EDITMSG.x; ln -s src .github; ln -s ${cache}/x out; ln -s ${cache} all; ln -s /etc etc
       ln -s ../src src/up; ln -s src/x plain; mkdir sub; ln -s /elsewhere sub/.git; ln -sfn / ok`,
      guardedOf({
        paths: [{ kind: 'write', path: cache }],
        sweptNames: { taken: ['.github/hooks'], packages: [], unsearched: [] },
      }),
    );
    expect(held.sort()).toEqual([
      'link .git/COMMIT_EDITMSG.x',
      'link .github',
      'link all',
      'link out',
      'protected sub/.git',
    ]);
    for (const name of ['etc', 'src/up', 'plain', 'ok']) expect(lstatSync(at(name)).isSymbolicLink()).toBe(true);
  });

  test('an index with paths outside of the work tree is held, in every repository', () => {
    makeRepository();
    git('', 'worktree', 'add', '-q', 'tree');
    const gitlink = craftIndex({ entries: [{ path: '../../cache/r', mode: 0o160000 }] });
    const hook = craftIndex({ entries: [{ path: '.git/hooks/post-index-change', mode: 0o100755 }] });
    const absolute = craftIndex({ version: 4, entries: [{ path: '/tmp/x', mode: 0o160000 }] });
    writeFileSync(join(base, 'gitlink'), gitlink);
    writeFileSync(join(base, 'hook'), hook);
    writeFileSync(join(base, 'absolute'), absolute);
    const { held } = land(
      `cat ${base}/gitlink > .git/index; cp ${base}/hook .git/worktrees/tree/index; git init -q a; cp ${base}/absolute a/.git/index
       git init -q --bare b.git; cp ${base}/hook b.git/index; cp ${base}/hook src/index; cp ${base}/hook .git/sharedindex.0`,
      guardedOf(),
    );
    expect(held.sort()).toEqual([
      'protected .git/index',
      'protected .git/sharedindex.0',
      'protected .git/worktrees/tree/index',
      'protected a/.git/index',
      'protected b.git/index',
    ]);
    expect(git('', 'status', '--porcelain').split('\n').sort()).toEqual([
      '',
      '?? a/',
      '?? b.git/',
      '?? src/index',
      '?? tree/',
    ]);
  });

  test('a clone that contacts its remote by itself lands only if the command makes one', () => {
    const script = `git init -q a; cd a; git config remote.origin.url https://example.org/a.git; git config remote.origin.promisor true
      git config extensions.partialClone origin`;
    expect(land(script).held).toEqual(['protected a/.git/config']);
    rmSync(at('a'), { recursive: true, force: true });
    rmSync(join(base, 'stage'), { recursive: true, force: true });
    const settings = { files: [], names: ['remote.*.promisor'] };
    expect(land(script, { settings }).held).toEqual([]);
  });

  test('what prompts expand is a number; what git deletes after a merge may go', () => {
    makeRepository();
    writeFileSync(at('.git/MERGE_RR'), '');
    const { held } = land(
      `mkdir .git/rebase-merge .git/rebase-apply; echo '$(evil)' > .git/rebase-merge/msgnum; echo 3 > .git/rebase-merge/end
       echo '1;evil' > .git/rebase-apply/last; rm .git/MERGE_RR`,
      guardedOf(),
    );
    expect(held.sort()).toEqual(['protected .git/rebase-apply/last', 'protected .git/rebase-merge/msgnum']);
    expect(existsSync(at('.git/MERGE_RR'))).toBe(false);
  });
});
