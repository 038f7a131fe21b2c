// What a confined command must not leave behind: anything that git, used outside by the person, would run.
// Each row first shows that it works without a sandbox; the proof is a marker file that only a program outside can make.

import { spawn, spawnSync } from 'node:child_process';
import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { makeOwnFolders } from '../../src/sandbox/own-folders.ts';
import { until } from '../contract/marks.ts';
import { hostProgram } from '../programs.ts';
import { outside, type Place, writeTree } from './place.ts';
import { makeRepository, said, useProjects } from './project.ts';

const HOST = hostProgram('sandboxed');

const UNSEARCHED = ['node_modules', '.venv', '__pycache__'];

interface Row {
  /** Outside, before the command, in the project. */
  readonly before?: (project: string, base: string) => void;
  /** A script that runs in the project; $MARK is what must not be made, $EVIL a setting that makes it. */
  readonly script: string;
  /** Where the person uses git afterwards. */
  readonly where: string;
  /** Without namespaces what is there already cannot be held, and that is reported. */
  readonly needsMounts?: true;
  readonly isRepository?: true;
}

const git = (folder: string, ...argv: string[]) =>
  outside('git', ['-c', 'protocol.file.allow=always', ...argv], folder);

function addSubmodule(project: string, base: string): void {
  git(project, 'submodule', '--quiet', 'add', '--name', 'libs/foo', makeRepository(base, 'library'), 'lib');
  git(project, 'commit', '-q', '-m', 'library');
}

const shape = (folder: string) =>
  `mkdir -p ${folder}/objects ${folder}/refs; echo 'ref: refs/heads/main' > ${folder}/HEAD`;

/** A repository in the command's private /tmp, which is $own outside, with a hook that runs at a push. */
const PUSHED =
  'own=$(awk \'$5=="/tmp"{print $4}\' /proc/self/mountinfo); [ -n "$own" ] || own=${TMPDIR:-/tmp}; here=${TMPDIR:-/tmp}; rm -rf "$here/evil.git"; git init -q --bare "$here/evil.git"; printf "#!/bin/sh\\ntouch $MARK\\n" > "$here/evil.git/hooks/pre-receive"; chmod +x "$here/evil.git/hooks/pre-receive"';

/** In the settings of the user, for every repository. */
function setForAll(base: string, setting: string): void {
  appendFileSync(join(base, 'home/.gitconfig'), `[core]\n\t${setting}\n`);
}

const hookIn = (folder: string) =>
  `mkdir -p ${folder}; printf "#!/bin/sh\\ntouch $MARK\\n" > ${folder}/pre-commit; chmod +x ${folder}/pre-commit`;

const ROWS: Record<string, Row> = {
  'hooks of a new repository, where the user has them in every repository': {
    before: (_, base) => setForAll(base, 'hooksPath = .githooks'),
    script: `mkdir sub; cd sub; git init -q; ${hookIn('.githooks')}`,
    where: 'sub',
  },
  'hooks of a new repository at the top, where the user has them in every repository': {
    before: (_, base) => setForAll(base, 'hooksPath = .githooks'),
    script: `git init -q; ${hookIn('.githooks')}`,
    where: '.',
  },
  'hooks of a new repository in a folder of a folder, where the user has them in every repository': {
    before: (_, base) => setForAll(base, 'hooksPath = ./tools/git/hooks/'),
    script: `git init -q a/b; cd a/b; ${hookIn('tools/git/hooks')}`,
    where: 'a/b',
  },
  'a program of a new repository that the user runs in every repository': {
    before: (_, base) => setForAll(base, 'fsmonitor = ./tools/watch'),
    script: `git init -q sub; cd sub; ${hookIn('tools')}; mv tools/pre-commit tools/watch`,
    where: 'sub',
  },
  'hooks that were there, in a folder that becomes a repository': {
    needsMounts: true,
    before: (project, base) => {
      setForAll(base, 'hooksPath = .githooks');
      writeTree(project, { 'sub/.githooks/pre-commit': '#!/bin/sh\n' });
      outside('chmod', ['+x', 'sub/.githooks/pre-commit'], project);
    },
    script: 'cd sub; git init -q; echo "touch $MARK" >> .githooks/pre-commit',
    where: 'sub',
  },
  "a remote of a new repository that lies in the command's private /tmp": {
    script: `${PUSHED}; git init -q; git remote add origin "$own/evil.git"`,
    where: '.',
  },
  'a remote of a new repository, by an address with a scheme': {
    script: `${PUSHED}; git init -q; git remote add origin https://example.com/x; git config remote.origin.pushurl "file://$own/evil.git"`,
    where: '.',
  },
  'a file in remotes': {
    isRepository: true,
    script: `${PUSHED}; mkdir -p .git/remotes; echo "URL: $own/evil.git" > .git/remotes/origin`,
    where: '.',
  },
  'a file in branches': {
    isRepository: true,
    script: `${PUSHED}; mkdir -p .git/branches; echo "$own/evil.git#main" > .git/branches/origin`,
    where: '.',
  },
  'a file in remotes of a new repository deep down': {
    script: `${PUSHED}; git init -q a/b/c; cd a/b/c; mkdir -p .git/remotes; echo "URL: $own/evil.git" > .git/remotes/origin`,
    where: 'a/b/c',
  },
  'a file in branches of a submodule': {
    isRepository: true,
    before: (project, base) => {
      addSubmodule(project, base);
      git(join(project, 'lib'), 'remote', 'remove', 'origin');
    },
    script: `${PUSHED}; cd .git/modules/libs/foo; mkdir -p branches; echo "$own/evil.git#main" > branches/origin`,
    where: 'lib',
  },
  'a file in remotes, by a folder that is moved there': {
    isRepository: true,
    before: (project) => rmSync(join(project, '.git/branches'), { recursive: true, force: true }),
    script: `${PUSHED}; mkdir x; echo "URL: $own/evil.git" > x/origin; mv x .git/remotes`,
    where: '.',
  },
  'a changed file in remotes': {
    isRepository: true,
    needsMounts: true,
    before: (project) => writeTree(project, { '.git/remotes/origin': 'URL: https://example.invalid/x\n' }),
    script: `${PUSHED}; echo "URL: $own/evil.git" > x; cat x > .git/remotes/origin || mv x .git/remotes/origin`,
    where: '.',
  },

  "a folder replaced by a link to the command's private /tmp, which has a repository": {
    before: (project) => writeTree(project, { 'src/file': 'x\n' }),
    script:
      'own=$(awk \'$5=="/tmp"{print $4}\' /proc/self/mountinfo); [ -n "$own" ] || own=${TMPDIR:-/tmp}; rm -rf "${TMPDIR:-/tmp}/r"; git init -q ${TMPDIR:-/tmp}/r; mkdir ${TMPDIR:-/tmp}/r/src; printf "$EVIL" >> ${TMPDIR:-/tmp}/r/.git/config; rm -r src; ln -s "$own/r/src" src',
    where: 'src',
  },
  'a folder replaced by a link to the caches of commands, which have a repository': {
    before: (project) => writeTree(project, { 'src/file': 'x\n' }),
    script:
      'own=$(dirname "$npm_config_cache"); mkdir -p "$own"; rm -rf "$own/r"; git init -q "$own/r"; mkdir "$own/r/src"; printf "$EVIL" >> "$own/r/.git/config"; rm -r src; ln -s "$own/r/src" src',
    where: 'src',
  },
  'a new repository with a setting that runs something': {
    script: 'git init -q; printf "$EVIL" >> .git/config',
    where: '.',
  },
  'a new repository with a hook': {
    script: 'git init -q; printf "#!/bin/sh\\ntouch $MARK\\n" > .git/hooks/pre-commit; chmod +x .git/hooks/pre-commit',
    where: '.',
  },
  'a new repository whose hooks cannot be listed': {
    script:
      'git init -q; printf "#!/bin/sh\\ntouch $MARK\\n" > .git/hooks/pre-commit; chmod +x .git/hooks/pre-commit; chmod 111 .git/hooks',
    where: '.',
  },
  'a new repository with settings that are included': {
    script: 'git init -q; printf "$EVIL" > more; printf "[include]\\npath = ../more\\n" >> .git/config',
    where: '.',
  },
  'a new repository with settings of the worktree': {
    script:
      'git init -q; printf "[extensions]\\nworktreeConfig = true\\n" >> .git/config; printf "$EVIL" > .git/config.worktree',
    where: '.',
  },
  'a new repository deep down': {
    script: 'mkdir -p a/b/c/d/e/f; cd a/b/c/d/e/f; git init -q; printf "$EVIL" >> .git/config',
    where: 'a/b/c/d/e/f',
  },
  ...Object.fromEntries(
    ['vendor', 'node_modules', 'build', 'dist', 'target', '.venv', '__pycache__'].map((name) => [
      `a new repository below ${name}`,
      { script: `git init -q ${name}/x; printf "$EVIL" >> ${name}/x/.git/config`, where: `${name}/x` },
    ]),
  ),
  'a new repository beyond 500 folders': {
    script: 'seq 500 | xargs mkdir; git init -q z; printf "$EVIL" >> z/.git/config',
    where: 'z',
  },
  'a new repository that the index names as a submodule: git status at the top enters it': {
    isRepository: true,
    script:
      'git init -q node_modules/x; cd node_modules/x; git commit -q --allow-empty -m x; id=$(git rev-parse HEAD); cd ../..; git update-index --add --cacheinfo 160000,$id,node_modules/x; printf "$EVIL" >> node_modules/x/.git/config',
    where: '.',
  },
  'a new repository without .git': {
    script: `${shape('evil')}; printf "$EVIL[core]\\nbare = false\\nworktree = .\\n" > evil/config`,
    where: 'evil',
  },
  'a new repository by links to files that were there': {
    before: (project, base) =>
      writeTree(project, { 'fixtures/evil': `[core]\n\tfsmonitor = "touch ${base}/marker; false"\n` }),
    script: `${shape('sub/.git')}; ln fixtures/evil sub/.git/config`,
    where: 'sub',
  },
  'a new repository that was a folder of another name': {
    before: (project, base) =>
      writeTree(project, {
        'fixtures/dot-git/HEAD.txt': 'ref: refs/heads/main\n',
        'fixtures/dot-git/config': `[core]\n\tfsmonitor = "touch ${base}/marker; false"\n`,
        'fixtures/dot-git/objects/x': '',
        'fixtures/dot-git/refs/x': '',
      }),
    script: 'mkdir sub; mv fixtures/dot-git sub/.git; mv sub/.git/HEAD.txt sub/.git/HEAD',
    where: 'sub',
  },
  'a .git file that leads to a folder of the command': {
    script: `${shape('store')}; printf "$EVIL[core]\\nbare = false\\nworktree = ..\\n" > store/config; echo "gitdir: store" > .git`,
    where: '.',
  },
  'a .git file that leads to a common folder in another place': {
    script: `${shape('store')}; printf "$EVIL" > store/config; mkdir sub part; echo 'ref: refs/heads/main' > part/HEAD; echo ../store > part/commondir; echo "gitdir: ../part" > sub/.git`,
    where: 'sub',
  },
  'a .git that is a link': {
    script: `${shape('store')}; printf "$EVIL" > store/config; ln -s store .git`,
    where: '.',
  },
  'a common folder that is not a repository on its own': {
    script: `mkdir -p evil/objects evil/refs evil/worktrees/x; printf "$EVIL" > evil/config; echo 'ref: refs/heads/main' > evil/worktrees/x/HEAD; echo ../.. > evil/worktrees/x/commondir; echo "gitdir: evil/worktrees/x" > .git`,
    where: '.',
  },
  'settings of a submodule whose name has a slash': {
    isRepository: true,
    needsMounts: true,
    before: addSubmodule,
    script: 'printf "$EVIL" >> .git/modules/libs/foo/config',
    where: '.',
  },
  'a hook of a submodule whose name has a slash': {
    isRepository: true,
    needsMounts: true,
    before: addSubmodule,
    script:
      'cd .git/modules/libs/foo; mkdir -p hooks; printf "#!/bin/sh\\ntouch $MARK\\n" > hooks/pre-commit; chmod +x hooks/pre-commit',
    where: 'lib',
  },
  'the .git file of a submodule': {
    isRepository: true,
    needsMounts: true,
    before: addSubmodule,
    script: `${shape('store')}; printf "$EVIL[core]\\nbare = false\\nworktree = ../lib\\n" > store/config; echo "gitdir: ../store" > x; cat x > lib/.git || mv x lib/.git`,
    where: '.',
  },
  'the .git file of a repository that is stored in another place': {
    needsMounts: true,
    before: (project, base) => git(project, 'init', '-q', '--separate-git-dir', join(base, 'elsewhere')),
    script: `${shape('store')}; printf "$EVIL[core]\\nbare = false\\nworktree = ..\\n" > store/config; echo "gitdir: store" > x; cat x > .git || mv x .git`,
    where: '.',
  },
  'the common folder of a worktree': {
    isRepository: true,
    needsMounts: true,
    before: (project) => git(project, 'worktree', 'add', '-q', 'side'),
    script: `${shape('store')}; printf "$EVIL" > store/config; echo "$PWD/store" > .git/worktrees/side/commondir`,
    where: 'side',
  },
  'settings of a worktree': {
    isRepository: true,
    needsMounts: true,
    before: (project) => {
      git(project, 'config', 'extensions.worktreeConfig', 'true');
      git(project, 'worktree', 'add', '-q', 'side');
    },
    script: 'printf "$EVIL" > .git/worktrees/side/config.worktree',
    where: 'side',
  },
  'a folder of hooks in the project that the settings name': {
    isRepository: true,
    needsMounts: true,
    before: (project) => {
      writeTree(project, { 'tools/hooks/pre-commit': '#!/bin/sh\n' });
      git(project, 'config', 'core.hooksPath', 'tools/hooks');
      outside('chmod', ['+x', 'tools/hooks/pre-commit'], project);
    },
    script: 'echo "touch $MARK" >> tools/hooks/pre-commit',
    where: '.',
  },
  'a program in the project that the settings name': {
    isRepository: true,
    needsMounts: true,
    before: (project) => {
      writeTree(project, { 'tools/watch.sh': '#!/bin/sh\nexit 1\n' });
      git(project, 'config', 'core.fsmonitor', 'tools/watch.sh');
      outside('chmod', ['+x', 'tools/watch.sh'], project);
    },
    script:
      'echo "#!/bin/sh\ntouch $MARK" > tools/watch.sh; printf "#!/bin/sh\\ntouch $MARK\\n" > y; chmod +x y; mv y tools/watch.sh',
    where: '.',
  },
  'included settings that lie in the project': {
    isRepository: true,
    needsMounts: true,
    before: (project) => {
      writeTree(project, { 'tools/shared.config': '[core]\n\tabbrev = 12\n' });
      git(project, 'config', 'include.path', '../tools/shared.config');
    },
    script: 'printf "$EVIL" >> tools/shared.config',
    where: '.',
  },
  'a command in the todo list of a rebase in progress': {
    isRepository: true,
    script:
      'git checkout -q -b one; echo 1 > f; git add f; git commit -q -m 1; git checkout -q -b two HEAD~1; echo 2 > f; git add f; git commit -q -m 2; git rebase -q one > /dev/null 2>&1; git checkout -q --theirs f; git add f; echo "exec touch $MARK" >> .git/rebase-merge/git-rebase-todo',
    where: '.',
  },
};

/** For the function that removes it. */
function openUp({ base }: Place): void {
  spawnSync('chmod', ['-R', 'u+rwX', base]);
}

function useGit(folder: string): void {
  const env = { PATH: process.env.PATH, HOME: process.env.HOME, GIT_EDITOR: 'true' };
  const options = { cwd: folder, env, timeout: 20_000 };
  for (const argv of [
    ['status'],
    ['-c', 'core.editor=true', 'rebase', '--continue'],
    ['commit', '-q', '--allow-empty', '-m', 'x'],
    ['push', '-q', 'origin', 'HEAD:refs/heads/pushed'],
  ])
    spawnSync('git', argv, options);
}

/** Where the temporary folder of a project's commands is outside of the sandbox. */
function outsideOf(project: string): string {
  return makeOwnFolders(project, {}).temporary;
}

function scriptOf(row: Row, { base, project }: Place): string {
  const mark = join(base, 'marker');
  writeFileSync(
    join(project, 'x.sh'),
    `MARK=${mark}\nOUTSIDE=${outsideOf(project)}\nEVIL='[core]\\nrepositoryformatversion = 0\\nfsmonitor = "touch ${mark}; false"\\n'\n(${row.script})\n`,
  );
  return mark;
}

/** Rows that have worked without a sandbox: once is enough for both tiers. */
const shown = new Set<string>();

describe.skipIf(process.platform !== 'linux').each(['namespaces', 'landlock'] as const)('left behind by %s', (tier) => {
  const { project, bare } = useProjects(tier);

  for (const [name, row] of Object.entries(ROWS))
    test(name, async (context) => {
      const make = () => (row.isRepository ? project(context, { one: 'one\n' }) : bare(context));
      if (!shown.has(name)) {
        const unheld = await make();
        row.before?.(unheld.project, unheld.base);
        const seen = scriptOf(row, unheld);
        spawnSync('sh', ['x.sh'], { cwd: unheld.project });
        useGit(join(unheld.project, row.where));
        openUp(unheld);
        expect(existsSync(seen), 'it works without a sandbox').toBe(true);
        shown.add(name);
      }

      const place = await make();
      row.before?.(place.project, place.base);
      const mark = scriptOf(row, place);
      const { enforcement, failure } = await place.run('sh x.sh 2> /dev/null');
      expect(failure).toBeNull();
      const isMissing = enforcement.missing.some(({ guarantee }) => guarantee === 'protected-existing');
      if (tier === 'landlock' && row.needsMounts) {
        expect(isMissing).toBe(true);
        return;
      }
      expect(enforcement.held.includes('protected-existing')).toBe(!isMissing);
      // Whether a repository in such a folder was there before is not known.
      if (tier === 'namespaces') expect(isMissing).toBe(UNSEARCHED.some((folder) => row.script.includes(folder)));
      useGit(join(place.project, row.where));
      openUp(place);
      expect(existsSync(mark)).toBe(false);
    }, 90_000);

  const EVIL = 'git init -q; printf "$EVIL" >> .git/config; printf "#!/bin/sh\\n" > .git/hooks/pre-commit';
  const isEvil = (folder: string) =>
    existsSync(join(folder, '.git/hooks/pre-commit')) ||
    (existsSync(join(folder, '.git/config')) && /fsmonitor/.test(readFileSync(join(folder, '.git/config'), 'utf8')));

  test('a background task leaves nothing behind, while it runs and when it has ended', async (context) => {
    const place = await bare(context);
    const mark = scriptOf({ script: EVIL, where: '.' }, place);
    const started = await place.start('sh x.sh; touch made; sleep 60');
    expect(started.status).toBe('running');
    expect(await until(() => existsSync(join(place.project, 'made')), 20_000)).toBe(true);
    expect(await until(() => !isEvil(place.project), 20_000)).toBe(true);
    useGit(place.project);
    await (await place.shell.task(started.task))?.stop();
    rmSync(join(place.project, '.git'), { recursive: true });
    const ended = await place.start('sh x.sh');
    const isOver = async () =>
      (await place.shell.tasks()).some(({ id, state }) => id === ended.task && state === 'finished');
    expect(await until(isOver, 20_000)).toBe(true);
    expect(readFileSync(ended.outputFile as string, 'utf8')).toMatch(/protected names removed: \d+/);
    useGit(place.project);
    expect([isEvil(place.project), existsSync(mark)]).toEqual([false, false]);
  }, 90_000);

  test.for(['run', 'start'])(
    'nothing is left behind when the host is killed: %s',
    { timeout: 90_000 },
    async (verb, context) => {
      const place = await bare(context);
      const mark = scriptOf(
        { script: `touch begun; while [ ! -e go ]; do sleep 0.05; done; ${EVIL}; touch made`, where: '.' },
        place,
      );
      // In the background it is over before the next look; in the foreground the death of the host ends it.
      const command = verb === 'run' ? 'touch go; sh x.sh; sleep 60' : 'sh x.sh; touch over';
      const shell = { tasksFolder: join(place.base, 'others'), settingsFile: place.settingsFile };
      const request = JSON.stringify({ shell, cwd: place.project, commands: [command] });
      const env = { PATH: process.env.PATH, HOME: place.home };
      const host = spawn(process.execPath, [HOST, verb, request], { stdio: 'ignore', env });
      const first = join(place.project, verb === 'run' ? 'made' : 'begun');
      expect(await until(() => existsSync(first), 30_000)).toBe(true);
      host.kill('SIGKILL');
      if (verb === 'start') {
        writeFileSync(join(place.project, 'go'), '');
        expect(await until(() => existsSync(join(place.project, 'over')), 20_000)).toBe(true);
      }
      expect(await until(() => !isEvil(place.project), 20_000)).toBe(true);
      useGit(place.project);
      expect(existsSync(mark)).toBe(false);
    },
  );

  test('settings of editors and agents in subfolders are removed, except in third-party packages', async (context) => {
    const place = await bare(context);
    writeTree(place.project, {
      'x.sh': `mkdir -p sub/.vscode packages/a/.claude node_modules/x/.vscode; echo 1 > sub/.vscode/tasks.json; echo 2 > sub/.envrc
        echo 3 > packages/a/.claude/settings.json; echo 4 > packages/a/.mcp.json; echo 5 > node_modules/x/.vscode/tasks.json\n`,
    });
    const { exitCode, violations } = await place.run('sh x.sh');
    expect(exitCode).toBe(0);
    const taken = ['packages/a/.claude', 'packages/a/.mcp.json', 'sub/.envrc', 'sub/.vscode'];
    expect(violations.map(({ target }) => target).sort()).toEqual(taken.map((name) => join(place.project, name)));
    expect(violations.every(({ kind }) => kind === 'protected-name')).toBe(true);
    for (const name of taken) expect(existsSync(join(place.project, name))).toBe(false);
    expect(existsSync(join(place.project, 'node_modules/x/.vscode/tasks.json'))).toBe(true);
  });

  const AGENTS = [
    '.cursor/mcp.json',
    '.gemini/settings.json',
    '.codex/config.toml',
    '.opencode/plugin/x.js',
    'opencode.json',
  ];
  const COPILOT = ['.github/hooks/x.json', '.github/copilot/settings.json', '.github/mcp.json'];

  test('settings of agents that run programs are removed, at the top and below; their neighbors stay', async (context) => {
    const place = await bare(context);
    const names = [...AGENTS, ...COPILOT].flatMap((name) => [name, `packages/a/${name}`]);
    const others = ['.github/workflows/ci.yml', 'packages/a/.github/workflows/ci.yml', 'src/hooks/use.ts', 'mcp.json'];
    const script = [...names, ...others].map((name) => `mkdir -p $(dirname ${name}); echo x > ${name}`).join('\n');
    writeTree(place.project, { 'x.sh': `${script}\n` });
    const { exitCode, violations } = await place.run('sh x.sh');
    expect(exitCode).toBe(0);
    expect(names.filter((name) => existsSync(join(place.project, name)))).toEqual([]);
    expect(others.filter((name) => !existsSync(join(place.project, name)))).toEqual([]);
    expect(violations.map(({ kind }) => kind)).toContain('protected-name');
  });

  test('what was quarantined cannot be seen by commands, of this project or another', async (context) => {
    const place = await bare(context);
    const { violations } = await place.run('mkdir sub; echo secret > sub/.envrc');
    const [, moved = ''] = /moved to (\S+), /.exec(violations[0]?.instead ?? '') ?? [];
    expect(readFileSync(moved, 'utf8')).toBe('secret\n');
    const other = join(place.base, 'other');
    mkdirSync(other);
    for (const cwd of [place.project, other]) {
      const { output } = await place.run(`ls -a ${dirname(moved)}; cat ${moved}; true`, { cwd });
      expect(output).not.toContain('secret');
      // Landlock shows names, and reports that.
      if (tier === 'namespaces') expect(output).not.toContain('-.envrc\n');
    }
  });

  test('settings of agents that were there cannot be changed', async (context) => {
    const place = await bare(context);
    const names = [...AGENTS, ...COPILOT].flatMap((name) => [name, `packages/a/${name}`]);
    writeTree(place.project, Object.fromEntries(names.map((name) => [name, 'mine\n'])));
    writeTree(place.project, { 'x.sh': `${names.map((name) => `echo evil > ${name}`).join('\n')}\ntrue\n` });
    const { enforcement } = await place.run('sh x.sh 2> /dev/null');
    if (tier === 'landlock') return expect(enforcement.held).not.toContain('protected-existing');
    for (const name of names) expect(readFileSync(join(place.project, name), 'utf8')).toBe('mine\n');
  });

  test('those that were there stay as they are', async (context) => {
    const place = await bare(context);
    const files = {
      'sub/.vscode/tasks.json': '{}',
      'a/b/c/d/.envrc': 'mine\n',
      'packages/a/.claude/settings.json': '{}',
    };
    writeTree(place.project, files);
    writeTree(place.project, {
      'x.sh':
        'for f in sub/.vscode/tasks.json a/b/c/d/.envrc packages/a/.claude/new; do echo evil > $f && echo $f; done 2> /dev/null; true\n',
    });
    const { exitCode, output } = await place.run('sh x.sh');
    if (tier === 'landlock') return;
    expect([exitCode, output.replace(/<sandbox_violations>.*/s, '')]).toEqual([0, '']);
    for (const [name, text] of Object.entries(files))
      expect(readFileSync(join(place.project, name), 'utf8')).toBe(text);
  });

  test('what git itself makes stays: clones with submodules, worktrees, bare repositories', async (context) => {
    const place = await bare(context);
    addSubmodule(makeRepository(place.base, 'origin'), place.base);
    const result = await place.run(
      [
        `git -c protocol.file.allow=always clone -q --recurse-submodules ${join(place.base, 'origin')} copy`,
        'cd copy',
        'git worktree add -q ../side',
        'git clone -q --bare . ../bare.git',
        'git sparse-checkout init --cone',
        'git -C lib log --format=%s',
      ].join(' && '),
    );
    expect(said(result)).toEqual([0, 'first\n']);
    for (const [name, text] of [
      ['copy/lib', 'first\n'],
      ['side', 'library\nfirst\n'],
      ['bare.git', 'library\nfirst\n'],
    ] as const)
      expect(git(join(place.project, name), 'log', '--format=%s')).toBe(text);
    expect(git(join(place.project, 'copy'), 'status', '--porcelain')).toBe('');
  });

  test.for([
    ['a folder', 'mkdir "$p"; touch "$p/x"'],
    ['a closed folder', 'mkdir "$p"; chmod 0 "$p"'],
    ['a pipe', 'mkfifo "$p"'],
    ['a link', 'ln -s /etc/passwd "$p"'],
    ['a large file', 'head -c 3000000 /dev/zero > "$p"'],
    ['a name that is no text', 'printf "/\\377\\n" > "$p"'],
  ])('%s in the place of its folder note changes nothing of the result', async ([, script], context) => {
    const place = await bare(context);
    const command = `mkdir -p sub; cd sub; p=$(trap -p EXIT | grep -o "/[^ '\\]*.cwd" | head -n 1); trap - EXIT; rm -rf "$p"; ${script}; echo done; exit 3`;
    const { status, exitCode, output, failure, cwdCause } = await place.run(command);
    expect([status, exitCode, output, failure, cwdCause]).toEqual(['exited', 3, 'done\n', null, 'kept']);
  });

  test.for(['000', '777'])('the next command runs after /tmp and the caches got the mode %s', async (mode, context) => {
    const place = await bare(context);
    expect(said(await place.run(`chmod ${mode} "$TMPDIR" "$XDG_CACHE_HOME"; echo done`))).toEqual([0, 'done\n']);
    expect(said(await place.run('echo fine > "$TMPDIR/file"; cat "$TMPDIR/file"'))).toEqual([0, 'fine\n']);
  });

  test('a tree that cannot be searched is a missing guarantee, not a failure', async (context) => {
    const place = await bare(context);
    writeTree(place.project, {
      'x.sh':
        'n=$(head -c 200 /dev/zero | tr "\\0" a); i=0; while [ $i -lt 25 ]; do mkdir $n; cd $n; i=$((i+1)); done; mkdir .git\n',
    });
    const { exitCode, enforcement } = await place.run('sh x.sh');
    // Node cannot remove it.
    outside('rm', ['-rf', place.project], place.base);
    expect(exitCode).toBe(0);
    expect(enforcement.held).not.toContain('protected-absent');
    expect(enforcement.missing.map(({ why }) => why).join('\n')).toMatch(
      /search for new repositories and settings stopped at \S*aaaa: /,
    );
  });

  test('a hostile tree changes neither the exit code nor the check', async (context) => {
    const place = await bare(context);
    const mark = scriptOf(
      {
        script: `${EVIL}; mkdir -p a/.git b/c; mkfifo a/.git/config a/.git/hooks; ln -s / b/.git; ln -s ../.. b/c/.vscode
          mkdir -p d/.git/config d/.git/HEAD d/.git/modules; ln -s /etc d/.git/modules/x; mkdir "$(printf 'e\\377')"; git init -q "$(printf 'e\\377')/x"
          printf "$EVIL" >> "$(printf 'e\\377')/x/.git/config"; mkdir f; chmod 0 f .git/hooks; exit 7`,
        where: '.',
      },
      place,
    );
    const { exitCode, failure } = await place.run('sh x.sh');
    expect([exitCode, failure]).toEqual([7, null]);
    openUp(place);
    expect(isEvil(place.project)).toBe(false);
    useGit(place.project);
    spawnSync('sh', ['-c', 'cd e*/x && git status'], { cwd: place.project });
    expect([existsSync(mark), readdirSync(join(place.project, 'b'))]).toEqual([false, ['c']]);
  });

  /** Into a folder whose path is longer than the kernel takes, from the project on. */
  const DEEP =
    'n=$(head -c 200 /dev/zero | tr "\\0" a); i=0; while [ $i -lt 22 ]; do mkdir -p $n; cd $n; i=$((i+1)); done';

  // Node cannot remove it.
  const removeDeep = ({ project, base }: Place) => outside('rm', ['-rf', join(project, 'a'.repeat(200))], base);

  /** What one command puts where it may stay, and the next one moves: where it must not be afterwards. */
  const moved: Record<string, { first: string; next: string; gone: string; sizes?: readonly string[] }> = {
    'settings of an editor out of packages': {
      sizes: ['few', 'many'],
      first: 'mkdir -p node_modules/p/.vscode; echo {} > node_modules/p/.vscode/tasks.json',
      next: 'mv node_modules/p sub',
      gone: 'sub/.vscode',
    },
    'settings of an agent deep in a package': {
      first: 'mkdir -p vendor/p/a/b/c; echo {} > vendor/p/a/b/c/.mcp.json; mv vendor/p/a vendor/q; mkdir keep',
      next: 'mv vendor/q keep/a || { mkdir -p keep/a/b/c; cp vendor/q/b/c/.mcp.json keep/a/b/c; }',
      gone: 'keep/a/b/c/.mcp.json',
    },
    'packages that get another name': {
      first: 'mkdir -p node_modules/p/x; echo x > node_modules/p/x/.envrc',
      next: 'mv node_modules sub',
      gone: 'sub/p/x/.envrc',
    },
    'a folder that changes places with one of a package': {
      first: 'mkdir -p node_modules/p/x sub/x; echo x > node_modules/p/x/.envrc',
      next: 'mv sub other; mv node_modules/p sub; mv other node_modules/p',
      gone: 'sub/x/.envrc',
    },
    'a second name of a file in a package': {
      first: 'mkdir -p node_modules/p; echo x > node_modules/p/.envrc',
      next: 'mkdir sub; ln node_modules/p/.envrc sub/.envrc',
      gone: 'sub/.envrc',
    },
    'a copy with all its times': {
      first: 'mkdir -p node_modules/p/.vscode; echo {} > node_modules/p/.vscode/tasks.json',
      next: 'cp -a node_modules/p sub',
      gone: 'sub/.vscode',
    },
    'temporary files': {
      first: 'mkdir -p "$TMPDIR/p/x"; echo x > "$TMPDIR/p/x/.envrc"',
      next: 'mv "$TMPDIR/p" sub',
      gone: 'sub/x/.envrc',
    },
    caches: {
      first: 'mkdir -p "$XDG_CACHE_HOME/p/x"; echo x > "$XDG_CACHE_HOME/p/x/.envrc"',
      next: 'mv "$XDG_CACHE_HOME/p" sub',
      gone: 'sub/x/.envrc',
    },
    'another writable folder': {
      first: 'mkdir -p ../more/node_modules/p/x; echo x > ../more/node_modules/p/x/.envrc',
      next: 'mv ../more/node_modules/p sub',
      gone: 'sub/x/.envrc',
    },
    'a folder below a path that is too long to be searched': {
      sizes: ['few', 'many'],
      first: `${DEEP}; mkdir -p p/x; echo x > p/x/.envrc`,
      next: `${DEEP}; mv p "$(printf '../%.0s' $(seq 22))sub"`,
      gone: 'sub/x/.envrc',
    },
  };
  for (const [name, { first, next, gone, sizes = ['few'] }] of Object.entries(moved))
    test.for(sizes)(`${name}: moved by the next command, in a project with %s folders`, async (size, context) => {
      const place = await bare(context);
      mkdirSync(join(place.base, 'more'));
      if (size === 'many') for (let i = 0; i < 2_100; i++) mkdirSync(join(place.project, `a${i}`));
      writeTree(place.project, { 'first.sh': `${first}\n`, 'next.sh': `set -e; ${next}\n` });
      expect((await place.run('bash first.sh', { sandbox: { allowWrite: [join(place.base, 'more')] } })).exitCode).toBe(
        0,
      );
      const { exitCode, violations } = await place.run('bash next.sh', {
        sandbox: { allowWrite: [join(place.base, 'more')] },
      });
      const isThere = existsSync(join(place.project, gone));
      openUp(place);
      removeDeep(place);
      expect([exitCode, isThere]).toEqual([0, false]);
      const taken = violations.map(({ target }) => target);
      expect(taken.some((target) => join(place.project, gone).startsWith(target))).toBe(true);
    });

  test('links in a git folder, through which git would write', async (context) => {
    const place = await bare(context);
    const bashrc = join(place.base, 'bashrc');
    writeFileSync(bashrc, 'mine\n');
    git(place.project, 'init', '-q');
    writeTree(place.project, { file: 'x\n' });
    git(place.project, 'add', '.');
    git(place.project, 'commit', '-q', '-m', 'first');
    git(place.project, 'worktree', 'add', '-q', 'tree');
    const links = ['COMMIT_EDITMSG', 'MERGE_MSG', 'logs/HEAD', 'logs/refs/heads/tree', 'worktrees/tree/COMMIT_EDITMSG'];
    writeTree(place.project, {
      'link.sh': [
        ...links.map((name) => `ln -sf ${bashrc} .git/${name}`),
        'ln -s config .git/SQUASH_MSG',
        'ln -s file kept',
      ].join('\n'),
    });
    const { violations } = await place.run('bash link.sh');
    const taken = violations.map(({ target }) => target);
    for (const name of [...links, 'SQUASH_MSG']) expect(taken).toContain(join(place.project, '.git', name));
    expect(existsSync(join(place.project, 'kept'))).toBe(true);
    git(place.project, 'commit', '-q', '--allow-empty', '-m', 'touch evil');
    git(join(place.project, 'tree'), 'commit', '-q', '--allow-empty', '-m', 'touch evil');
    expect(readFileSync(bashrc, 'utf8')).toBe('mine\n');
  });

  test('protected names are found in a folder whose time is set back, and in one that was moved there', async (context) => {
    const place = await bare(context);
    writeTree(place.project, {
      'old/hooks/h.json': '{}',
      'back.sh': 'echo x > .envrc; touch -d @1 .; mv old .github; touch -d @1 .github .\n',
    });
    await place.run('true');
    const { exitCode, violations } = await place.run('bash back.sh');
    expect(exitCode).toBe(0);
    const names = ['.envrc', '.github/hooks'].map((name) => join(place.project, name));
    expect(violations.map(({ target }) => target)).toEqual(expect.arrayContaining(names));
    expect(names.filter((name) => existsSync(name))).toEqual([]);
  });

  test('a link in the place of a folder of protected names', async (context) => {
    const place = await bare(context);
    writeTree(place.project, {
      'link.sh': 'mkdir -p gh/hooks sub; echo {} > gh/hooks/h.json; ln -s ../gh sub/.github\n',
    });
    const { violations } = await place.run('bash link.sh');
    expect(violations.map(({ target }) => target)).toContain(join(place.project, 'sub/.github'));
    expect(existsSync(join(place.project, 'sub/.github'))).toBe(false);
  });

  test('a rebase of the user stays as it is, while commands work in the repository', async (context) => {
    const place = await project(context, { one: 'one\n' });
    for (const name of ['two', 'three']) {
      writeTree(place.project, { [name]: name });
      git(place.project, 'add', name);
      git(place.project, 'commit', '-q', '-m', name);
    }
    // It stops, with a command in the list of what is left.
    spawnSync('git', ['rebase', '--exec', 'false', 'HEAD~2'], {
      cwd: place.project,
      env: { PATH: process.env.PATH, HOME: process.env.HOME, GIT_SEQUENCE_EDITOR: 'true' },
    });
    const todo = join(place.project, '.git/rebase-merge/git-rebase-todo');
    const text = readFileSync(todo, 'utf8');
    expect(text).toContain('exec false');
    for (const command of [
      'git status',
      'echo new > new && git add new',
      'git commit -q -m new',
      'sh -c "echo x > y"; git add y',
    ]) {
      const { violations, exitCode } = await place.run(command);
      expect([command, exitCode, violations]).toEqual([command, 0, []]);
      expect(readFileSync(todo, 'utf8')).toBe(text);
    }
    // What a command adds to it goes.
    await place.run('sh -c "echo exec true >> .git/rebase-merge/git-rebase-todo"');
    expect(existsSync(todo)).toBe(false);
  }, 90_000);

  test('a todo list that an earlier command wrote elsewhere, moved to a repository', async (context) => {
    const place = await project(context, { one: 'one\n' });
    await place.run('mkdir x && echo "exec touch y" > x/git-rebase-todo');
    await place.run('mv x .git/rebase-merge && git add .');
    expect(existsSync(join(place.project, '.git/rebase-merge/git-rebase-todo'))).toBe(false);
  }, 90_000);

  test('files in remotes and branches that were there stay', async (context) => {
    const place = await project(context, { one: 'one\n' });
    const files = { '.git/remotes/old': 'URL: https://example.invalid/x\n', '.git/branches/older': '../y\n' };
    writeTree(place.project, files);
    const { violations, exitCode } = await place.run('echo 2 > one && git add one && git commit -q -m two');
    expect([exitCode, violations]).toEqual([0, []]);
    for (const [name, text] of Object.entries(files))
      expect(readFileSync(join(place.project, name), 'utf8')).toBe(text);
  }, 90_000);

  test('what a person makes between two commands stays', async (context) => {
    const place = await bare(context);
    writeTree(place.project, { 'packages/a/b/c/file': '' });
    expect((await place.run('true')).exitCode).toBe(0);
    // In a folder that is checked before each command, and deeper.
    for (const folder of ['packages/mine', 'packages/a/b/mine']) {
      mkdirSync(join(place.project, folder));
      git(join(place.project, folder), 'init', '-q');
      git(join(place.project, folder), 'config', 'core.hooksPath', '.husky/_');
      writeTree(join(place.project, folder), { '.vscode/settings.json': '{}', 'sub/.envrc': 'x\n' });
    }
    const work = (folder: string) => `touch ${folder}/new ${folder}/sub/new; git -C ${folder} add new`;
    const { exitCode, violations } = await place.run(
      `touch packages/new; ${work('packages/mine')}; ${work('packages/a/b/mine')}`,
    );
    expect([exitCode, violations.map(({ target }) => target)]).toEqual([0, []]);
    for (const folder of ['packages/mine', 'packages/a/b/mine']) {
      expect(git(join(place.project, folder), 'config', 'core.hooksPath')).toBe('.husky/_\n');
      for (const name of ['.vscode/settings.json', 'sub/.envrc'])
        expect(existsSync(join(place.project, folder, name))).toBe(true);
    }
  });

  const later: Record<string, { first: string; next: string; where: string; needsMounts?: true }> = {
    'settings with a second name': {
      first: 'git init -q sub; ln sub/.git/config sub/notes',
      next: 'printf "$EVIL" >> sub/notes',
      where: 'sub',
    },
    'a .git file with a second name': {
      first: `git init -q --separate-git-dir=store sub; ln sub/.git sub/notes; ${shape('other')}`,
      next: 'printf "$EVIL[core]\\nbare = false\\nworktree = ../sub\\n" > other/config; echo "gitdir: ../other" > sub/notes',
      where: 'sub',
    },
    'hooks of a repository that is kept in another one': {
      first: 'git init -q; git init -q --separate-git-dir=.git/store sub; rm -r .git/store/hooks',
      next: 'mkdir .git/store/hooks; printf "#!/bin/sh\\ntouch $MARK\\n" > .git/store/hooks/pre-commit; chmod +x .git/store/hooks/pre-commit',
      where: 'sub',
    },
    'a .git file among packages': {
      first: 'git init -q --separate-git-dir=store node_modules/x',
      next: `mkdir -p "$TMPDIR/evil"; ${shape('"$TMPDIR/evil"')}; printf "$EVIL[core]\\nbare = false\\nworktree = $PWD/node_modules/x\\n" > "$TMPDIR/evil/config"; echo "gitdir: $OUTSIDE/evil" > node_modules/x/.git`,
      where: 'node_modules/x',
    },
    'a common folder with settings that change later': {
      first: `mkdir -p evil/objects evil/refs evil/worktrees/x sub; echo "[core]" > evil/config; echo 'ref: refs/heads/main' > evil/worktrees/x/HEAD; echo ../.. > evil/worktrees/x/commondir; echo "gitdir: ../evil/worktrees/x" > sub/.git`,
      next: 'printf "$EVIL" >> evil/config',
      where: 'sub',
      needsMounts: true,
    },
    'a repository whose folders are links': {
      first:
        'git init -q sub; mv sub/.git/objects sub/.git/refs .; rm -r sub/.git/hooks sub/.git/info sub/.git/branches; ln -s ../../objects ../../refs sub/.git/',
      next: 'printf "$EVIL" >> sub/.git/config',
      where: 'sub',
      needsMounts: true,
    },
    'a folder that becomes a repository, in a project with too many folders': {
      first:
        'seq 2100 | xargs mkdir; mkdir -p y/dg/objects y/dg/refs_; echo "ref: refs/heads/main" > y/dg/HEAD; printf "$EVIL" > y/dg/config',
      next: 'mv y/dg/refs_ y/dg/refs; mv y/dg y/.git',
      where: 'y',
    },
    'hooks of a repository that had none': {
      first: 'git init -q sub; rm -r sub/.git/hooks',
      next: 'mkdir sub/.git/hooks; printf "#!/bin/sh\\ntouch $MARK\\n" > sub/.git/hooks/pre-commit; chmod +x sub/.git/hooks/pre-commit',
      where: 'sub',
    },
    'a repository below a path that is too long to be searched, moved to a short one': {
      first: `${DEEP}; mkdir pkg; cd pkg; ${shape('.git')}; printf "$EVIL" > .git/config`,
      next: `${DEEP}; mv pkg "$(printf '../%.0s' $(seq 22))pkg"`,
      where: 'pkg',
    },
    'a repository that is no repository yet, in a folder that is moved': {
      first: `mkdir -p node_modules/p/q/r; cd node_modules/p/q/r; ${shape('dot')}; printf "$EVIL" > dot/config; mv dot .git`,
      next: 'mv node_modules/p sub',
      where: 'sub/q/r',
    },
    'a folder of hooks that is yet to be made': {
      first: 'mkdir tools',
      next: 'mkdir tools/hooks; printf "#!/bin/sh\\ntouch $MARK\\n" > tools/hooks/pre-commit; chmod +x tools/hooks/pre-commit',
      where: '.',
    },
  };
  for (const [name, { first, next, where, needsMounts }] of Object.entries(later))
    test(`${name}, made by one command and used by the next`, async (context) => {
      const place = await project(context, { one: 'one\n' });
      if (where === '.') git(place.project, 'config', 'core.hooksPath', 'tools/hooks');
      else rmSync(join(place.project, '.git'), { recursive: true });
      scriptOf({ script: first, where }, place);
      // Others than bash do not enter paths that are longer than the kernel takes.
      await place.run('bash x.sh 2> /dev/null');
      const mark = scriptOf({ script: next, where }, place);
      await place.run('bash x.sh 2> /dev/null');
      removeDeep(place);
      if (tier === 'landlock' && needsMounts) return;
      expect(existsSync(join(place.project, where))).toBe(true);
      useGit(join(place.project, where));
      expect(existsSync(mark)).toBe(false);
    });

  test('pipes in place of git files block nothing', async (context) => {
    const place = await bare(context);
    await place.run(
      'git init -q; mkdir -p .git/worktrees/x a; cd .git/worktrees/x; mkfifo gitdir commondir config.worktree; cd ../../..; echo "gitdir: ../.git/worktrees/x" > a/.git; mkdir -p b/.git; mkfifo b/.git/config',
    );
    expect(said(await place.run('echo fine'))).toEqual([0, 'fine\n']);
  });

  test('more folders than are searched: what is there stays, what is new goes, and the gap is reported', async (context) => {
    const place = await bare(context);
    const folder = join(place.project, 'z/deep');
    for (let i = 0; i < 2_100; i++) mkdirSync(join(place.project, `a${i}`));
    mkdirSync(folder, { recursive: true });
    git(folder, 'init', '-q');
    git(folder, 'config', 'alias.mine', '!true');
    writeFileSync(join(folder, '.git/hooks/pre-commit'), '#!/bin/sh\n');
    const mark = scriptOf({ script: `${EVIL}; cd z/deep; git commit -q --allow-empty -m x`, where: '.' }, place);
    const { enforcement } = await place.run('sh x.sh');
    const missing = enforcement.missing.filter(({ guarantee }) => guarantee === 'protected-existing');
    expect(missing.map(({ why }) => why).join()).toMatch(/too many folders to search: nothing after .* is protected/);
    expect([isEvil(place.project), readFileSync(join(folder, '.git/config'), 'utf8').includes('alias')]).toEqual([
      false,
      true,
    ]);
    expect(existsSync(join(folder, '.git/hooks/pre-commit'))).toBe(true);
    useGit(place.project);
    expect(existsSync(mark)).toBe(false);
  }, 60_000);
});
