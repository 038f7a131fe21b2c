// Several stages of one project: undone and redone in a row, and that no verb puts together what the gate has kept apart.

import { spawnSync } from 'node:child_process';
import {
  appendFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { keeperUnderTest as found } from '../contract/keeper-under-test.ts';
import { canStage, describeTree, StageFolder } from './stage-folder.ts';

const keeper = found.isAvailable ? found.path : '';
const DONE = { code: 0, records: [], stderr: '' };
const GIT =
  'export HOME=/nonexistent GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_SYSTEM=/dev/null GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b;';

describe.skipIf(!found.isAvailable || !canStage())('stages in a row', { timeout: 60_000 }, () => {
  let base = '';
  let root = '';
  const at = (name: string) => join(root, name);
  const write = (name: string, text: string) => writeFileSync(at(name), text);
  const read = (name: string) => readFileSync(at(name), 'utf8');

  beforeEach(() => {
    base = mkdtempSync(join(tmpdir(), 'hardshell-series-'));
    root = join(base, 'project');
    for (const folder of ['src', 'd']) mkdirSync(at(folder), { recursive: true });
    for (const name of ['a', 'b', 'src/x', 'src/y', 'd/q']) write(name, `${name}\n`);
  });
  afterEach(() => rmSync(base, { recursive: true, force: true }));

  let count = 0;
  /** Runs a script in a stage of its own, which lands. */
  const land = (script: string) => {
    const stage = new StageFolder(keeper, base, [root], {}, `stage-${count++}`);
    stage.change(script);
    expect(stage.verb('apply')).toEqual(DONE);
    return stage;
  };

  /** Lands all scripts, undoes them from the last to the first, redoes and undoes them again; every state is exact. */
  const expectSeries = (scripts: readonly string[]) => {
    const states = [describeTree(root)];
    const stages = scripts.map((script) => {
      const stage = land(script);
      states.push(describeTree(root));
      return stage;
    });
    const undoAll = () => {
      for (const [i, stage] of [...stages.entries()].reverse()) {
        expect(stage.verb('check'), `check ${i}`).toEqual(DONE);
        expect(stage.verb('undo'), `undo ${i}`).toEqual(DONE);
        expect(describeTree(root), `undo ${i}`).toEqual(states[i]);
      }
    };
    undoAll();
    for (const [i, stage] of stages.entries()) {
      expect(stage.verb('redo'), `redo ${i}`).toEqual(DONE);
      expect(describeTree(root), `redo ${i}`).toEqual(states[i + 1]);
    }
    undoAll();
  };

  test.each([
    ['the same file, twice', ['echo 1 > a', 'echo 2 > a', 'echo 3 >> a']],
    ['sed -i, twice', ['sed -i s/a/b/ a src/x', 'sed -i s/b/c/ a src/x']],
    ['created, then changed, then deleted', ['echo 1 > n', 'echo 2 >> n', 'rm n']],
    ['deleted, then created', ['rm a', 'echo 2 > a', 'chmod 600 a']],
    [
      'a new folder, then more in it',
      ['mkdir -p n/m; echo 1 > n/f', 'echo 2 > n/g', 'echo 3 > n/m/h; rm n/f', 'echo 4 >> n/g'],
    ],
    ['a new folder, deleted again', ['mkdir n', 'rmdir n', 'mkdir n; echo 1 > n/a', 'rm -r n']],
    ['moved files', ['mv a c', 'mv c src/c', 'mv src/c a; mv b a']],
    [
      'replaced folders',
      ['rm -r src; mkdir src; echo 1 > src/z', 'echo 2 > src/z; echo 3 > src/x', 'rm -r src; echo f > src', 'rm src'],
    ],
    ['a tree that was there, changed and then deleted', ['echo 1 >> src/x', 'rm -r src', 'mkdir src; echo 2 > src/x']],
    ['links', ['ln -s a l', 'rm l; ln -s b l', 'rm l; echo l > l']],
  ])('%s', (_, scripts) => expectSeries(scripts));

  test('commits, branches, a rebase and a stash', () => {
    spawnSync('bash', ['-c', `${GIT} git init -qb main; git add -A; git commit -qm first; git gc -q`], { cwd: root });
    expectSeries(
      [
        'git checkout -qb topic; echo 1 > n; git add n; git commit -qm n',
        'echo 2 >> n; git commit -qam more',
        'git checkout -q main; echo 3 >> a; git commit -qam a',
        'git checkout -q topic; git rebase -q main',
        'echo 4 >> b; git stash -q',
        'git stash pop -q; git checkout -q .',
      ].map((script) => `${GIT} ${script}`),
    );
  });

  test('an index that git has refreshed is not in the way, one with other entries is', () => {
    const outside = (script: string) =>
      spawnSync('bash', ['-c', `${GIT} ${script}`], { cwd: root, encoding: 'utf8' }).stdout;
    outside('git init -qb main; git add -A; git commit -qm first');
    const first = land(`${GIT} echo 1 >> a; git commit -qam one`);
    const second = land(`${GIT} echo 2 >> b; git commit -qam two; echo 3 >> b`);
    let times = 0;
    const refresh = () => {
      const before = readFileSync(at('.git/index'));
      outside(`touch -d @${1_000_000_000 + times++} src/*; git status`);
      expect(readFileSync(at('.git/index'))).not.toEqual(before);
    };
    const order = [second, first] as const;
    for (let round = 0; round < 2; round++) {
      for (const stage of order) {
        refresh();
        expect(stage.verb('undo')).toEqual(DONE);
      }
      expect(outside('git status --porcelain; git log --format=%s')).toBe('first\n');
      for (const stage of [...order].reverse()) {
        refresh();
        expect(stage.verb('redo')).toEqual(DONE);
      }
      expect(outside('git status --porcelain; git log --format=%s')).toBe(' M b\ntwo\none\nfirst\n');
    }
    outside('git add b');
    expect(second.verb('undo')).toMatchObject({ code: 1, records: ['conflict\t0\t.git/index'] });
  });

  test('worktrees', () => {
    spawnSync('bash', ['-c', `${GIT} git init -qb main; git add -A; git commit -qm first`], { cwd: root });
    expectSeries(
      [
        'git worktree add -q tree -b topic',
        'cd tree; echo 1 > n; git add n; git commit -qm n',
        'cd tree; git checkout -q --detach; echo 2 >> n; git commit -qam more',
      ].map((script) => `${GIT} ${script}`),
    );
  });

  test('what others changed between two stages is still in the way', () => {
    const first = land('echo 1 > a; mkdir n; echo 1 > n/f');
    const second = land('echo 2 > a; echo 2 > n/g');
    expect(second.verb('undo')).toEqual(DONE);
    appendFileSync(at('a'), 'theirs\n');
    write('n/theirs', 'theirs\n');
    expect(first.verb('undo')).toMatchObject({ code: 1, records: ['conflict\t0\ta', 'conflict\t0\tn'] });
    expect([read('a'), read('n/theirs')]).toEqual(['1\ntheirs\n', 'theirs\n']);
  });

  test('a folder that others moved into a new one is in the way', () => {
    const first = land('mkdir n; echo 1 > n/f');
    const second = land('echo 2 > n/g');
    renameSync(at('d'), at('n/d'));
    expect(second.verb('undo')).toEqual(DONE);
    expect(first.verb('undo')).toMatchObject({ code: 1, records: ['conflict\t0\tn'] });
    expect(read('n/d/q')).toBe('d/q\n');
  });

  test('a change through a descriptor while the file was in a stage is in the way', () => {
    const first = land('echo 1 > a');
    spawnSync('ln', [at('a'), join(base, 'other-name')]);
    const second = land('echo 2 > a');
    appendFileSync(join(base, 'other-name'), 'theirs\n');
    expect(second.verb('undo')).toEqual(DONE);
    expect(first.verb('undo')).toMatchObject({ code: 1, records: ['conflict\t0\ta'] });
    expect(read('a')).toBe('1\ntheirs\n');
  });

  test('an earlier stage is not undone before a later one of the same file', () => {
    const first = land('echo 1 > a');
    land('echo 2 > a');
    expect(first.verb('undo')).toMatchObject({ code: 1, records: ['conflict\t0\ta'] });
    expect(read('a')).toBe('2\n');
  });

  const EVIL =
    "mkdir d/hooks; printf '#!/bin/sh\\n' > d/hooks/post-checkout; printf '[core]\\n\\tfsmonitor = ./evil\\n' > d/config";
  const HALF = 'echo ref: refs/heads/main > d/HEAD; mkdir d/objects d/refs';

  test('redo does not put a repository together from parts that were judged one by one', () => {
    const head = land(HALF);
    expect(head.verb('undo')).toEqual(DONE);
    land(EVIL);
    for (const more of [[], ['--force']]) {
      const { code, records } = head.verb('redo', ...more);
      expect([code, records]).toEqual([1, expect.arrayContaining(['protected\t0\td/HEAD'])]);
    }
    expect(head.verb('check').code).toBe(1);
    expect(existsSync(at('d/HEAD'))).toBe(false);
  });

  test('redo does not add settings to a repository that was made later', () => {
    const evil = land(EVIL);
    expect(evil.verb('undo')).toEqual(DONE);
    land(HALF);
    expect(evil.verb('redo', '--force')).toMatchObject({ code: 1 });
    expect([existsSync(at('d/config')), existsSync(at('d/hooks'))]).toEqual([false, false]);
  });

  test('undo does not put a repository together either', () => {
    spawnSync('bash', ['-c', HALF], { cwd: root });
    const removed = land('rm d/HEAD');
    land(EVIL);
    expect(removed.verb('undo', '--force')).toMatchObject({ code: 1 });
    expect(existsSync(at('d/HEAD'))).toBe(false);
  });

  test('undo does not bring back settings into a repository that was made later', () => {
    land(EVIL);
    const removed = land('rm -r d/config d/hooks');
    land(HALF);
    expect(removed.verb('undo', '--force')).toMatchObject({ code: 1 });
    expect([existsSync(at('d/config')), existsSync(at('d/hooks'))]).toEqual([false, false]);
  });

  test('settings of worktrees that were undone do not come back around what landed since', () => {
    const tree = land(
      "mkdir -p d/worktrees/w; printf '../..\\n' > d/worktrees/w/commondir; echo x > d/worktrees/w/HEAD",
    );
    expect(tree.verb('undo')).toEqual(DONE);
    land(EVIL);
    expect(tree.verb('redo', '--force')).toMatchObject({ code: 1 });
    expect(existsSync(at('d/worktrees'))).toBe(false);
  });

  test('two stages are never judged at the same time', () => {
    const stage = new StageFolder(keeper, base, [root], {}, `stage-${count++}`);
    stage.change('echo 1 > a');
    const script = '"$0" stage apply "$1" & sleep 1; cat "$1/state"';
    const held = spawnSync('flock', ['-o', base, 'bash', '-c', script, keeper, stage.path], { encoding: 'utf8' });
    expect([held.stdout, stage.state, read('a')]).toEqual(['running', 'landed', '1\n']);
  });

  test('a bare repository and pushes to it can be undone and redone', () => {
    expectSeries([
      `${GIT} git init -q --bare s.git`,
      `${GIT} cd d; git init -q; git add q; git commit -qm q; git push -q ../s.git HEAD:refs/heads/main`,
      `${GIT} git -C s.git symbolic-ref HEAD refs/heads/main; git -C s.git config user.name me`,
      `${GIT} git -C s.git symbolic-ref HEAD refs/heads/other; git -C s.git gc -q`,
    ]);
  });

  test('undo never claims to have restored a file in a folder that is gone or a link', () => {
    const stage = land('echo 1 > src/x; echo 2 > b');
    renameSync(at('src'), at('moved'));
    for (const make of [() => undefined, () => symlinkSync('moved', at('src'))]) {
      make();
      const { code, records } = stage.verb('undo', '--force');
      expect(code).toBe(1);
      expect(records).toContain('conflict\t0\tsrc/x');
      const original = records.find((record) => record.startsWith('original\t0\t'))?.split('\t') ?? [];
      expect(original[3]).toBe('src/x');
      expect(readFileSync(stage.at(0, original[2] as string), 'utf8')).toBe('src/x\n');
      expect([stage.state, read('b'), read('moved/x')]).toEqual(['landed', '2\n', '1\n']);
    }
    rmSync(at('src'));
    renameSync(at('moved'), at('src'));
    expect(stage.verb('undo').code).toBe(0);
    expect([read('src/x'), read('b')]).toEqual(['src/x\n', 'b\n']);
  });

  test('redo says what it cannot make again after a forced undo', () => {
    const stage = land('echo 1 > a; echo 2 > b');
    appendFileSync(at('a'), 'later\n');
    expect(stage.verb('undo', '--force').code).toBe(0);
    expect([read('a'), read('b')]).toEqual(['a\n', 'b\n']);
    for (const more of [[], ['--force']]) {
      const { code, records } = stage.verb('redo', ...more);
      expect(code).toBe(1);
      expect(records).toContain('gone\t0\taside/0\ta');
    }
    expect([stage.state, read('a'), read('b')]).toEqual(['undone', 'a\n', 'b\n']);
  });

  test('hard links of new files can be undone at once', () => {
    for (const script of [
      'mkdir n; echo 1 > n/a; ln n/a z',
      'mkdir n; echo 1 > n/a; ln n/a b2',
      'mkdir k; mv src/x k/x; ln k/x l; ln k/x z',
    ])
      expectSeries([script]);
    expectSeries([
      'mkdir n; echo 1 > n/a; ln n/a z',
      'echo 2 > m; ln m n/m; ln m src/m',
      'rm z m',
      'ln a a2; ln src/x d/x',
    ]);
    land('ln a a2');
    expect(lstatSync(at('a')).nlink).toBe(2);
  });
});
