// Work with git in the sandbox `workspace`, by each tier: everything that writes into a repository, and what stays shut.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { outside } from './place.ts';
import { isUnchanged, makeRepository, said, useProjects } from './project.ts';

describe.skipIf(process.platform !== 'linux').each(['namespaces', 'landlock'] as const)('by %s', (tier) => {
  const { project, bare } = useProjects(tier);

  test('git clone of a local repository, and a commit in the copy', async (context) => {
    const { run, base, project: folder } = await bare(context);
    const origin = makeRepository(base, 'origin');
    const result = await run(
      `git clone -q ${origin} copy && cd copy && echo two > two && git add two && git commit -q -m second && git log --format=%s%n%an && git status --porcelain`,
    );
    expect(said(result)).toEqual([0, 'second\nAda\nfirst\nAda\n']);
    expect(readdirSync(folder)).toEqual(['copy']);
  });

  test('git clone into the folder itself, and git init in an empty one', async (context) => {
    const { run, base, project: folder } = await bare(context);
    const origin = makeRepository(base, 'origin');
    expect(said(await run(`git clone -q ${origin} . && git status --porcelain && git log --format=%s`))).toEqual([
      0,
      'first\n',
    ]);
    expect(outside('git', ['status', '--porcelain'], folder)).toBe('');
    expect(said(await run('mkdir new && cd new && git init -q && git commit -q --allow-empty -m x && ls -A'))).toEqual([
      0,
      '.git\n',
    ]);
  });

  test('add, commit, branch, rebase, stash, gc and tag in a repository', async (context) => {
    const made = await project(context, { one: 'one\n' });
    const result = await isUnchanged(made, () =>
      made.run(
        [
          'git checkout -q -b side',
          'echo two > two && git add two && git commit -q -m second',
          'git checkout -q -',
          'echo three > three && git add three && git commit -q -m third',
          'git checkout -q side && git rebase -q -',
          'echo more >> one && git stash -q && git stash pop -q && git checkout -q one',
          'git tag -a v1 -m v1 && git gc -q',
          'git log --format=%s',
        ].join(' && '),
      ),
    );
    expect(said(result)).toEqual([0, 'second\nthird\nfirst\n']);
  });

  test('a worktree: commits work, and what git runs in the main repository stays as it is', async (context) => {
    const { run, base, project: folder, shell } = await bare(context);
    const main = makeRepository(base, 'main');
    outside('git', ['worktree', 'add', '-q', '-b', 'side', folder], main);
    const config = readFileSync(join(main, '.git/config'), 'utf8');
    const hooks = readdirSync(join(main, '.git/hooks'));
    const committed = await run('echo two > two && git add two && git commit -q -m second && git log --format=%s');
    expect(said(committed)).toEqual([0, 'second\nfirst\n']);
    expect(outside('git', ['log', '--format=%s', 'side'], main)).toBe('second\nfirst\n');
    expect(outside('git', ['status', '--porcelain'], folder)).toBe('');
    // Hidden from the analysis, so that nothing is allowed by name.
    const attack = `python3 -c "
import os, subprocess
g = subprocess.run(['git', 'rev-parse', '--git-common-dir'], capture_output=True, text=True).stdout.strip()
for name in ['hooks/post-commit', 'config', 'worktrees/project/commondir', '../evil']:
    try:
        open(os.path.join(g, name), 'a').write('x')
        print(name, 'written')
    except OSError as error:
        print(name, 'refused')
"`;
    const attacked = await run(attack);
    expect(readdirSync(main).sort()).toEqual(['.git', 'one']);
    const { missing } = await shell.enforcement({ cwd: folder });
    const isHeld = !missing.some(({ guarantee }) => guarantee === 'protected-existing');
    expect(isHeld).toBe(tier === 'namespaces');
    if (!isHeld) return;
    expect(attacked.output).toMatch(
      /^hooks\/post-commit refused\nconfig refused\nworktrees\/project\/commondir refused\n\.\.\/evil refused\n/,
    );
    expect(readFileSync(join(main, '.git/config'), 'utf8')).toBe(config);
    expect(readdirSync(join(main, '.git/hooks'))).toEqual(hooks);
  });
});
