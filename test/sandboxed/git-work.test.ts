// Work with git in the sandbox `workspace`, by each tier: everything that writes into a repository, and what stays shut.

import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { isStaged, outside } from './place.ts';
import { isUnchanged, makeRepository, said, useProjects } from './project.ts';

const FILE = 'git -c protocol.file.allow=always';

/** Each group in a repository with one commit, a bare repository `remote.git` and another one, `library`, in it. */
const DAILY: Record<string, readonly string[]> = {
  remotes: [
    'git remote add origin remote.git',
    'git remote add other ../other',
    'git remote rename other third',
    'git remote set-url third https://example.com/x.git',
    'git remote set-url --add --push third https://example.com/y.git',
    'git remote -v',
    'git remote remove third',
    'git remote set-branches origin main side',
    'git remote get-url origin',
  ],
  'settings that run nothing': [
    'git config user.name Grace',
    'git config user.email grace@example.com && git config --get user.email',
    'git config --add remote.x.fetch +refs/heads/a:refs/remotes/x/a',
    'git config --unset user.email',
    'git config pull.rebase true && git config pull.rebase',
    'git config --remove-section remote.x',
    'git commit -q --allow-empty -m second && git log -1 --format=%an',
  ],
  branches: [
    'git branch -m trunk',
    'git branch side && git branch -d side',
    'git branch --track copy trunk',
    'git branch -m copy renamed',
    'git branch -d renamed',
    'git checkout -q -b topic --track trunk',
    'git branch -u trunk topic && git branch --unset-upstream topic',
    'git switch -q trunk && git branch -D topic',
    'git branch -vv',
  ],
  'push and upstream branches': [
    'git remote add origin remote.git && git push -q -u origin main',
    'git checkout -q -b side && git commit -q --allow-empty -m side && git push -q -u origin side',
    'git checkout -q main && git branch -D -q side && git fetch -q',
    'git checkout -q side && git status -sb',
    'git checkout -q main && git pull -q && git status -sb',
  ],
  worktrees: [
    'git worktree add -q -b side work',
    'cd work && echo two > two && git add two && git commit -q -m second',
    'git worktree list | wc -l',
    'git worktree move work moved',
    'git worktree remove moved && git branch -D side',
    'git worktree add -q --detach again && rm -rf again && git worktree prune && ls .git',
  ],
  submodules: [
    `${FILE} submodule --quiet add ./library lib && git commit -q -m library && cat .gitmodules`,
    'git submodule status',
    'git submodule deinit -q lib && git submodule status',
    `${FILE} submodule --quiet update --init && cat lib/one`,
    'cd lib && echo two > two && git add two && git commit -q -m two && git config user.name Grace',
    'git submodule set-branch --branch main lib && cat .gitmodules',
    'git submodule --quiet sync',
    'git submodule deinit -q -f lib && git rm -q -f lib && git status --porcelain',
  ],
  'clone into the project': [
    'git clone -q library copy && cd copy && git remote -v && git log --format=%s',
    'cd copy && git remote rename origin source && git config user.name Grace && git remote',
  ],
  history: [
    'echo more >> one && git stash -q && git stash pop -q && git checkout -q one',
    'git checkout -q -b side && git commit -q --allow-empty -m side && git checkout -q main && git commit -q --allow-empty -m third',
    'git checkout -q side && git rebase -q main && git checkout -q main && git merge -q side',
    'git bisect start -q HEAD HEAD~1 && git bisect reset -q',
    'git notes add -m note && git notes show',
    'git tag -a v1 -m v1 && git gc -q && git tag',
    'git log --format=%s',
  ],
  'sparse checkout': ['git sparse-checkout set src', 'git sparse-checkout list', 'git sparse-checkout disable && ls'],
};

/** The same command without a sandbox, in a copy of the project. */
function outsideOf(command: string, twin: string, folder: string): [number | null, string] {
  const env = { PATH: process.env.PATH, HOME: process.env.HOME };
  const { status, stdout } = spawnSync('bash', ['-c', `exec 2>&1; ${command}`], { cwd: twin, env, encoding: 'utf8' });
  return [status, withoutHashes(stdout.replaceAll(twin, folder))];
}

/** They depend on the time of a commit. */
function withoutHashes(text: string): string {
  return text.replace(/\b[0-9a-f]{7,40}\b/g, 'HASH');
}

/** What a person sees of a repository. */
function look(folder: string) {
  const git = (...argv: string[]) => outside('git', argv, folder);
  const read = (name: string) => (existsSync(join(folder, name)) ? readFileSync(join(folder, name), 'utf8') : null);
  return {
    config: read('.git/config'),
    own: read('.git/config.worktree'),
    modules: read('.gitmodules'),
    library: read('.git/modules/lib/config'),
    copy: read('copy/.git/config'),
    refs: git('for-each-ref', '--format=%(refname) %(upstream)'),
    status: git('status', '--porcelain', '-b', '--ignore-submodules=none'),
    worktrees: git('worktree', 'list').split('\n').length,
    names: readdirSync(join(folder, '.git')).filter((name) => name.endsWith('.lock')),
  };
}

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

  for (const [name, steps] of Object.entries(DAILY))
    test(`inside as outside: ${name}`, { timeout: 120_000 }, async (context) => {
      const files = { one: 'one\n', 'src/file': 'x\n', '.gitignore': '/remote.git\n/library\n/copy\n/moved\n/work\n' };
      const { run, project: folder, base } = await project(context, files);
      makeRepository(folder, 'library');
      outside('git', ['init', '-q', '--bare', 'remote.git'], folder);
      const twin = join(base, 'twin');
      cpSync(folder, twin, { recursive: true });
      for (const step of steps) {
        const result = await run(step);
        const [status, output] = said(result);
        expect([step, status, withoutHashes(output)]).toEqual([step, ...outsideOf(step, twin, folder)]);
        expect([step, result.violations]).toEqual([step, []]);
        expect([step, look(folder)]).toEqual([step, JSON.parse(JSON.stringify(look(twin)).replaceAll(twin, folder))]);
      }
    });

  test('settings of a linked worktree stay', async (context) => {
    if (tier === 'landlock') context.skip('settings of git stay read-only');
    const { run, base, project: folder } = await bare(context);
    const main = makeRepository(base, 'main');
    outside('git', ['config', 'extensions.worktreeConfig', 'true'], main);
    outside('git', ['worktree', 'add', '-q', '-b', 'side', folder], main);
    const result = await run('git config --worktree user.name q');
    expect([said(result), result.violations]).toEqual([[0, ''], []]);
    expect(outside('git', ['config', '--worktree', 'user.name'], folder)).toBe('q\n');
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
    const refused = isStaged ? [] : ['hooks/post-commit', 'config', 'worktrees/project/commondir'];
    for (const name of [...refused, '../evil']) expect(attacked.output).toContain(`${name} refused\n`);
    // Staged, they are refused at the end.
    for (const { path } of attacked.changes?.heldBack ?? []) expect(path.startsWith(join(main, '.git'))).toBe(true);
    expect(attacked.violations).toHaveLength(4);
    expect(readFileSync(join(main, '.git/config'), 'utf8')).toBe(config);
    expect(readdirSync(join(main, '.git/hooks'))).toEqual(hooks);
  });
});
