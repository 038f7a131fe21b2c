// What git, or a prompt that shows its state, reads from a git folder without checking it. A confined command must not leave
// anything there that makes git outside leave the project, or a prompt run something. Each row first shows that it works
// without a sandbox.

import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type CraftedEntry, type CraftedIndex, craftIndex } from '../crafted-index.ts';
import { isStaged, outside, type Place, writeTree } from './place.ts';
import { makeRepository, useProjects } from './project.ts';

const SUBMODULE = 0o160000;
const PROGRAM = 0o100755;

const git = (folder: string, ...argv: string[]) =>
  outside('git', ['-c', 'protocol.file.allow=always', ...argv], folder);

/** As the user does, with their own home. */
function use(folder: string, script: string): string {
  const env = { PATH: process.env.PATH, HOME: process.env.HOME, GIT_EDITOR: 'true' };
  const { stdout, stderr } = spawnSync('bash', ['--norc', '-c', script], {
    cwd: folder,
    env,
    encoding: 'utf8',
    timeout: 30_000,
  });
  return stdout + stderr;
}

const markOf = (base: string) => join(base, 'mark');

/** The entries of the index of a repository, and these: a hook, and a file beside the project. */
function craft(folder: string, evil: readonly CraftedEntry[], more: Partial<CraftedIndex> = {}): Buffer {
  const entries = git(folder, 'ls-files', '-s', '-z')
    .split('\0')
    .filter((line) => line !== '')
    .map((line): CraftedEntry => {
      const [, mode = '', object = '', path = ''] = /^(\d+) (\w+) \d\t(.*)$/s.exec(line) ?? [];
      return { path, mode: Number.parseInt(mode, 8), object };
    });
  const all = [...entries, ...evil].sort((a, b) => Buffer.compare(Buffer.from(a.path), Buffer.from(b.path)));
  return craftIndex({ entries: all, ...more });
}

function hookIn(folder: string, base: string): CraftedEntry[] {
  const hook = join(base, 'hook');
  writeFileSync(hook, `#!/bin/sh\ntouch ${markOf(base)}\n`);
  const object = git(folder, 'hash-object', '-w', hook).trim();
  return [
    { path: '../mark', object },
    { path: '.git/hooks/post-index-change', mode: PROGRAM, object },
  ];
}

interface Row {
  /** Outside, before the command, in a project under version control. Writes `evil`, which the script uses. */
  readonly before: (project: string, base: string) => void;
  /** What the command does. */
  readonly script: string;
  /** What the user does then, and where; restores all files by default. */
  readonly later?: string;
  readonly where?: string;
  /** Whether it has worked; otherwise by a file beside the project. */
  readonly proof?: (project: string, base: string) => boolean;
}

const writeEvil = (project: string, bytes: Buffer | string) => writeFileSync(join(project, 'evil'), bytes);
const evilIndex =
  (more: Partial<CraftedIndex> = {}) =>
  (project: string, base: string) =>
    writeEvil(project, craft(project, hookIn(project, base), more));

/** As PROMPT_COMMAND uses git-sh-prompt, and as the shell then expands the prompt. */
const PROMPT_FILE = ['/usr/lib/git-core/git-sh-prompt', '/usr/share/git-core/contrib/completion/git-prompt.sh'].find(
  (file) => existsSync(file),
);
const PROMPT = `. ${PROMPT_FILE}; __git_ps1 a b; echo "\${PS1@P}"`;

const ROWS: Record<string, Row> = {
  'an index with paths outside and in .git': { before: evilIndex(), script: 'cp evil .git/index' },
  'an index with one path outside': {
    before: (project, base) => writeEvil(project, craft(project, hookIn(project, base).slice(0, 1))),
    script: 'cp evil .git/index',
  },
  'an index with a path in .git': {
    before: (project, base) => writeEvil(project, craft(project, hookIn(project, base).slice(1))),
    script: 'cp evil .git/index',
    later: 'git restore .; git status',
  },
  'an index that is older than the command': {
    before: evilIndex(),
    script: 'touch -d "2 days ago" evil; mv evil .git/index',
  },
  'an index that is a link': { before: evilIndex(), script: 'rm .git/index; ln -s ../evil .git/index' },
  'an index with a second name': {
    before: evilIndex(),
    script: 'cp evil .git/other; rm .git/index; ln .git/other .git/index',
  },
  'an index that cannot be read': {
    before: evilIndex(),
    script: 'cp evil .git/index; chmod 0 .git/index',
    later: 'chmod u+r .git/index; git restore .',
  },
  'an index in a closed folder': {
    before: evilIndex(),
    script: 'cp evil .git/index; chmod 0 .git',
    later: 'chmod u+rwx .git; git restore .',
  },
  'an index with an extension that git skips': {
    before: evilIndex({ extensions: [['EVIL', Buffer.alloc(16)]] }),
    script: 'cp evil .git/index',
  },
  'the shared part of a split index': {
    before: (project, base) => {
      const shared = craft(project, hookIn(project, base));
      const name = shared.subarray(-20);
      writeFileSync(join(project, 'shared'), shared);
      // Bitmaps of what is deleted and replaced: none.
      const bitmap = Buffer.from('0000000000000001000000000000000000000000', 'hex');
      writeEvil(project, craftIndex({ entries: [], extensions: [['link', Buffer.concat([name, bitmap, bitmap])]] }));
      writeFileSync(join(project, 'name'), name.toString('hex'));
    },
    script: 'cp shared .git/sharedindex.$(cat name); cp evil .git/index',
  },
  'the index of a worktree': {
    before: (project, base) => {
      git(project, 'worktree', 'add', '-q', 'side');
      writeEvil(project, craft(project, [{ path: '../../mark', object: hookIn(project, base)[0]?.object ?? '' }]));
    },
    script: 'cp evil .git/worktrees/side/index',
    where: 'side',
  },
  'the index of a submodule': {
    before: (project, base) => {
      git(project, 'submodule', '--quiet', 'add', '--name', 'libs/foo', makeRepository(base, 'library'), 'lib');
      const lib = join(project, 'lib');
      writeEvil(project, craft(lib, [{ path: '../../mark', object: hookIn(lib, base)[0]?.object ?? '' }]));
    },
    script: 'cp evil .git/modules/libs/foo/index',
    where: 'lib',
  },
  'the index of a new repository': {
    before: evilIndex(),
    script: 'rm -rf sub; git init -q sub; cp -r .git/objects sub/.git; cp evil sub/.git/index',
    where: 'sub',
    later: 'git restore .',
    proof: (project) => existsSync(join(project, 'mark')),
  },
  'the index of a new repository that uses SHA-256': {
    before: (project, base) => {
      mkdirSync(join(base, 'other'));
      git(join(base, 'other'), 'init', '-q', '--object-format=sha256');
      const object = hookIn(join(base, 'other'), base)[0]?.object ?? '';
      outside('cp', ['-r', join(base, 'other/.git'), join(project, 'git')], base);
      writeEvil(project, craftIndex({ algorithm: 'sha256', entries: [{ path: '../mark', object }] }));
    },
    script: 'mkdir sub; cp -r git sub/.git; rm -r sub/.git/hooks; cp evil sub/.git/index',
    where: 'sub',
    proof: (project) => existsSync(join(project, 'mark')),
  },
  'the index of a new bare repository': {
    before: evilIndex(),
    script: 'git clone -q --bare . bare.git; cp -r .git/objects bare.git; cp evil bare.git/index',
    later: 'mkdir -p tree/a; git --git-dir=bare.git --work-tree=tree restore .',
    proof: (project) => existsSync(join(project, 'mark')),
  },
  ...Object.fromEntries(
    (
      [
        ['rebase-merge', 'msgnum', 'end'],
        ['rebase-merge', 'end', 'msgnum'],
        ['rebase-apply', 'next', 'last'],
        ['rebase-apply', 'last', 'next'],
      ] as const
    ).map(([folder, evil, other]): [string, Row] => [
      `a command in ${folder}/${evil}, which prompts show`,
      {
        before: (project, base) => writeEvil(project, `$(touch ${markOf(base)})\n`),
        script: `mkdir .git/${folder}; cp evil .git/${folder}/${evil}; echo 3 > .git/${folder}/${other}; echo refs/heads/main > .git/${folder}/head-name`,
        later: PROMPT,
      },
    ]),
  ),
  'a command in the number of a step, in a folder that is moved there': {
    before: (project, base) => writeEvil(project, `$(touch ${markOf(base)})\n`),
    script: 'mkdir x; echo x > x/head-name; echo 3 > x/end; mv evil x/msgnum; mv x .git/rebase-merge',
    later: PROMPT,
  },
  'a conflict outside, of which git keeps the resolution': {
    before: (project, base) => {
      writeFileSync(join(base, 'secret'), 'SECRET\n');
      writeEvil(project, `${'a'.repeat(40)}\t../secret\0`);
    },
    script: 'mkdir -p .git/rr-cache/$(cut -f 1 evil); cp evil .git/MERGE_RR; echo 2 > one; git add one',
    later: 'git commit -q -m x',
    proof: (project) => use(project, 'grep -r SECRET .git/rr-cache') !== '',
  },
};

describe.skipIf(process.platform !== 'linux').each(['namespaces', 'landlock'] as const)('state of git, %s', (tier) => {
  const { project } = useProjects(tier);
  const shown = new Set<string>();

  for (const [name, row] of Object.entries(ROWS))
    test(name, async (context) => {
      if (row.later === PROMPT && PROMPT_FILE === undefined) context.skip('git-sh-prompt is not installed');
      const isDone = row.proof ?? ((_: string, base: string) => existsSync(markOf(base)));
      const useLater = (place: Place) => use(join(place.project, row.where ?? '.'), row.later ?? 'git restore .');
      if (!shown.has(name)) {
        const unheld = await project(context, { one: 'one\n', 'two/three': 'three\n' });
        row.before(unheld.project, unheld.base);
        spawnSync('sh', ['-c', row.script], { cwd: unheld.project });
        const output = useLater(unheld);
        expect([isDone(unheld.project, unheld.base), output], 'it works without a sandbox').toEqual([true, output]);
        shown.add(name);
      }
      const place = await project(context, { one: 'one\n', 'two/three': 'three\n' });
      row.before(place.project, place.base);
      writeTree(place.project, { 'x.sh': row.script });
      const { exitCode, failure, violations } = await place.run('sh x.sh');
      expect([exitCode, failure]).toEqual([0, null]);
      expect(violations.map(({ kind }) => kind)).toContain('protected-name');
      useLater(place);
      expect(isDone(place.project, place.base)).toBe(false);
    }, 90_000);

  test.for(['absolute', 'relative'])(
    'an index with a submodule in the private folders, %s',
    { timeout: 90_000 },
    async (kind, context) => {
      const place = await project(context, { one: 'one\n' });
      const mark = markOf(place.base);
      const { output } = await place.run(
        'r=$XDG_CACHE_HOME/r; git init -q "$r" && git -C "$r" commit -q --allow-empty -m x && git -C "$r" rev-parse HEAD && cd "$r" && pwd -P',
      );
      const [object = '', folder = ''] = output.split('\n');
      writeFileSync(
        join(folder, '.git/config'),
        `[core]\n\trepositoryformatversion = 0\n\tfsmonitor = "touch ${mark}; false"\n`,
      );
      const path = kind === 'absolute' ? folder : folder.replace(place.base, '..');
      const evil = craft(place.project, [{ path, mode: SUBMODULE, object }]);
      writeEvil(place.project, evil);
      writeFileSync(join(place.project, '.git/index'), evil);
      use(place.project, 'git status');
      expect(existsSync(mark), 'it works without a sandbox').toBe(true);
      outside('rm', [mark, join(place.project, '.git/index')], place.base);
      use(place.project, 'git reset -q');

      const { violations } = await place.run('cp evil .git/index');
      expect(violations.map(({ target }) => target)).toEqual([join(place.project, '.git/index')]);
      expect(violations[0]?.instead).toContain('git reset');
      use(place.project, 'git status');
      expect(existsSync(mark)).toBe(false);
      use(place.project, 'git reset -q');
      expect(git(place.project, 'status', '--porcelain')).toBe('?? evil\n');
    },
  );

  test('from a worktree: the index and the state of its repository and of other worktrees', async (context) => {
    const place = await project(context, { one: 'one\n' });
    const [main, side, other] = ['main', 'side', 'other'].map((name) => join(place.base, name)) as [
      string,
      string,
      string,
    ];
    outside('cp', ['-a', place.project, main], place.base);
    git(main, 'worktree', 'add', '-q', side);
    git(main, 'worktree', 'add', '-q', other);
    writeFileSync(join(side, 'evil'), craft(main, hookIn(main, place.base)));
    const mark = markOf(place.base);
    writeTree(side, {
      'x.sh': `cp evil ../main/.git/index; cp evil ../main/.git/worktrees/other/index; mkdir ../main/.git/rebase-merge; cd ../main/.git/rebase-merge; echo '$(touch ${mark})' > msgnum; echo 3 > end; echo x > head-name`,
    });
    const { violations } = await place.run('sh x.sh', { cwd: side });
    const taken = violations.map(({ target }) => target.slice(place.base.length));
    expect(taken).toEqual(
      expect.arrayContaining([
        '/main/.git/index',
        '/main/.git/worktrees/other/index',
        '/main/.git/rebase-merge/msgnum',
      ]),
    );
    use(main, `git restore .; ${PROMPT}`);
    use(other, 'git restore .');
    expect(existsSync(mark)).toBe(false);
    const { exitCode, violations: none } = await place.run('echo 2 > one && git commit -q -a -m two', { cwd: side });
    expect([exitCode, none]).toEqual([0, []]);
  }, 90_000);

  /** A repository without an object, which it fetches from a server when git needs it. */
  const partial = (port: number) => `set -e; git init -q lib; cd lib; echo hi > f; git add f; git commit -q -m x
    c=$(git rev-parse HEAD); t=$(git rev-parse HEAD^{tree}); rm -f .git/objects/$(echo $t | cut -c 1-2)/$(echo $t | cut -c 3-)
    printf '[core]\n\trepositoryformatversion = 1\n[extensions]\n\tpartialClone = origin\n[remote "origin"]\n\turl = http://127.0.0.1:${port}/x\n\tpromisor = true\n' > .git/config
    cd ..; git update-index --add --cacheinfo 160000,$c,lib`;

  test('a partial clone that the index names: git status would contact its remote', async (context) => {
    let contacts = 0;
    const server = createServer((socket) => {
      contacts += 1;
      socket.destroy();
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const lookAt = ({ project: cwd, home }: Place) =>
      once(spawn('git', ['status'], { cwd, env: { PATH: process.env.PATH, HOME: home }, stdio: 'ignore' }), 'exit');
    try {
      const unheld = await project(context, { one: 'one\n' });
      use(unheld.project, partial(port));
      await lookAt(unheld);
      expect(contacts, 'it works without a sandbox').toBeGreaterThan(0);
      contacts = 0;
      const place = await project(context, { one: 'one\n' });
      writeTree(place.project, { 'x.sh': partial(port) });
      const { exitCode, violations } = await place.run('sh x.sh');
      expect([exitCode, violations.map(({ target }) => target)]).toEqual([0, [join(place.project, 'lib/.git/config')]]);
      expect(violations[0]?.instead).toContain('git clone --filter');
      await lookAt(place);
      expect(contacts).toBe(0);
    } finally {
      server.close();
    }
  }, 90_000);

  test('a partial clone by git itself stays, and its address cannot be changed', async (context) => {
    const place = await project(context, { one: 'one\n' });
    const origin = makeRepository(place.base, 'origin');
    git(origin, 'config', 'uploadpack.allowFilter', 'true');
    const clone = await place.run(`git clone -q --filter=blob:none file://${origin} copy`);
    expect([clone.exitCode, clone.violations]).toEqual([0, []]);
    const copy = join(place.project, 'copy');
    expect(git(copy, 'config', 'remote.origin.promisor')).toBe('true\n');
    const { exitCode } = await place.run('git remote set-url origin https://evil.example/x', { cwd: copy });
    if (tier === 'namespaces' && !isStaged) expect(exitCode).not.toBe(0);
    expect((await place.run('git status && git log', { cwd: copy })).exitCode).toBe(0);
    if (tier === 'namespaces') expect(git(copy, 'config', 'remote.origin.url')).toBe(`file://${origin}\n`);
  }, 90_000);

  test('links to a process, in whose root is the private /tmp', async (context) => {
    const place = await project(context, { one: 'one\n' });
    writeTree(place.project, {
      'x.sh':
        'ln -s /proc/$$/root/tmp a; ln -s /dev/fd/../../$$/root/tmp b; ln -s /proc/self/../$$/cwd c; mkdir d; ln -s ../../../../../proc/$$/root d/e; ln -s /proc/self/fd/0 stdin; ln -s /proc/self/mounts mtab; ln -s /dev/fd fd',
    });
    const { violations } = await place.run('sh x.sh');
    expect(violations.map(({ target }) => target.slice(place.project.length + 1)).sort()).toEqual([
      'a',
      'b',
      'c',
      'd/e',
    ]);
  }, 60_000);

  test('a repository in node_modules that was there: its settings are removed, and the guarantee is missing', async (context) => {
    const place = await project(context, { one: 'one\n' }, { settings: { staging: 'off' } });
    const config = join(place.project, 'node_modules/p/.git/config');
    mkdirSync(join(place.project, 'node_modules/p'), { recursive: true });
    git(join(place.project, 'node_modules/p'), 'init', '-q');
    writeTree(place.project, { 'x.sh': `printf '[core]\\n\\tfsmonitor = x\\n' >> node_modules/p/.git/config` });
    const { enforcement, violations } = await place.run('sh x.sh');
    expect([existsSync(config), violations.map(({ target }) => target)]).toEqual([false, [config]]);
    expect(violations[0]?.instead).toContain('Ask the user to restore it');
    expect(enforcement.held).not.toContain('protected-existing');
    expect(enforcement.missing.map(({ why }) => why).join()).toContain('in node_modules are not protected');
  }, 60_000);

  test('settings of lazygit, new and old', async (context) => {
    const place = await project(context, { one: 'one\n' });
    const names = ['.lazygit.yml', 'a/.lazygit.yml', '.git/lazygit.yml', 'sub/.git/lazygit.yml'];
    writeTree(place.project, { 'x.sh': `mkdir a; git init -q sub; for f in ${names.join(' ')}; do echo x > $f; done` });
    const { violations } = await place.run('sh x.sh');
    expect(violations.map(({ target }) => target).sort()).toEqual(
      names.map((name) => join(place.project, name)).sort(),
    );
    for (const name of names) expect(existsSync(join(place.project, name))).toBe(false);
    writeTree(place.project, Object.fromEntries(names.map((name) => [name, 'mine\n'])));
    if (tier === 'landlock') return;
    await place.run('sh x.sh 2> /dev/null');
    for (const name of names) expect(readFileSync(join(place.project, name), 'utf8')).toBe('mine\n');
  }, 60_000);

  test('what git writes itself stays: split, sparse and large indexes, merges, worktrees', async (context) => {
    const place = await project(context, { one: 'one\n', 'a/two': 'two\n', 'b/three': 'three\n' });
    const commands = [
      'echo new > new && git add new && git commit -q -m new',
      'git update-index --index-version 4 && echo 2 > one && git add one',
      'git update-index --split-index && echo 3 > one && git add one && echo x > y && git add y && git commit -q -m y',
      'git update-index --no-split-index && git update-index --untracked-cache && git status',
      'git worktree add -q side && cd side && echo x > z && git add z && git commit -q -m z',
      'git checkout -q -b other HEAD~1 && echo 4 > one && git commit -q -a -m 4 && ! git merge -q main; git status > /dev/null',
      'git merge --abort; mkdir -p .git/rr-cache; ! git rebase -q main 2> /dev/null && cat .git/rebase-merge/msgnum .git/MERGE_RR',
      'git rebase --abort; ! git rebase -q --apply -C1 --whitespace=fix main 2> /dev/null && cat .git/rebase-apply/apply-opt',
      'echo 6 > one; git add one; GIT_EDITOR=true git rebase --continue',
      'git sparse-checkout init --cone --sparse-index && git sparse-checkout set a && git status',
      'git stash list; echo 5 > one; git stash -q && git stash pop -q; git clone -q . copy && cd copy && echo 1 > q && git add q',
      `git init -q large && cd large && seq 30000 | sed 's#.*#100644 e69de29bb2d1d6434b8b29ae775ad8c2e48c5391\\tf/&#' | git -c index.threads=2 update-index --index-info && git ls-files | wc -l`,
    ];
    for (const command of commands) {
      const { exitCode, output, violations } = await place.run(command);
      expect([command, exitCode, violations], output).toEqual([command, 0, []]);
    }
    expect(git(join(place.project, 'large'), 'ls-files').split('\n')).toHaveLength(30_001);
  }, 120_000);

  test('an index of the user that is odd, and that the command does not touch, stays', async (context) => {
    const place = await project(context, { one: 'one\n' });
    const odd = craft(place.project, hookIn(place.project, place.base));
    writeFileSync(join(place.project, '.git/index'), odd);
    const { violations } = await place.run('echo 1 > two');
    expect(violations).toEqual([]);
    expect(readFileSync(join(place.project, '.git/index'))).toEqual(odd);
  }, 60_000);
});
