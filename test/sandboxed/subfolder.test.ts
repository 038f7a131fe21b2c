// A folder inside a repository as the place of work: commits work, only this folder changes, and the project shares what is temporary.

import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { outside, type Place, writeTree } from './place.ts';
import { makeRepository, said, useProjects } from './project.ts';

const COMMIT =
  'echo two > two && git add two && git commit -q -m second && git log --format=%s && git status --porcelain';
const FILE = ['-c', 'protocol.file.allow=always'];
/** Hidden from the analysis, so that nothing is allowed by name. */
const writeAt = (...paths: string[]) => `python3 -c "
for path in ${JSON.stringify(paths).replaceAll('"', "'")}:
    try:
        open(path, 'a').write('x')
        print('written', path)
    except OSError:
        print('refused', path)
"`;

describe.skipIf(process.platform !== 'linux').each(['namespaces', 'landlock'] as const)('by %s', (tier) => {
  const { project, bare } = useProjects(tier);

  function inner({ project: folder }: Place, name = 'packages/a'): string {
    mkdirSync(join(folder, name), { recursive: true });
    return join(folder, name);
  }

  test('a subfolder of a repository: git commits, and the rest of the work tree stays as it is', async (context) => {
    const made = await project(context, { one: 'one\n', 'packages/a/file': 'a\n' });
    const { run, project: folder } = made;
    const cwd = inner(made);
    const result = await run(COMMIT, { cwd });
    expect([said(result), result.violations]).toEqual([[0, 'second\nfirst\n'], []]);
    expect(outside('git', ['status', '--porcelain'], folder)).toBe('');
    expect(outside('git', ['log', '-1', '--format=', '--name-only'], folder)).toBe('packages/a/two\n');
    expect(said(await run(writeAt('../../one', '../new'), { cwd }))[1]).toMatch(/^refused .*\nrefused .*\n/);
    expect(readdirSync(join(folder, 'packages'))).toEqual(['a']);
  });

  test('what git runs in the repository around it stays protected', async (context) => {
    const made = await project(context, { one: 'one\n' });
    const { run, project: folder, shell } = made;
    const cwd = inner(made);
    const config = readFileSync(join(folder, '.git/config'), 'utf8');
    const { missing } = await shell.enforcement({ cwd });
    const isHeld = !missing.some(({ guarantee }) => guarantee === 'protected-existing');
    expect(isHeld).toBe(tier === 'namespaces');
    const result = await run(writeAt('../../.git/config', '../../.git/hooks/pre-commit'), { cwd });
    if (isHeld) expect(result.output).toMatch(/^refused .*config\nrefused .*pre-commit\n/);
    if (isHeld) expect(readFileSync(join(folder, '.git/config'), 'utf8')).toBe(config);
    if (isHeld) expect(existsSync(join(folder, '.git/hooks/pre-commit'))).toBe(false);
    // New files that git would read are removed in any case.
    await run(writeAt('../../.git/config.worktree', '../../.git/info/attributes'), { cwd });
    expect(existsSync(join(folder, '.git/config.worktree'))).toBe(false);
    expect(existsSync(join(folder, '.git/info/attributes'))).toBe(false);
  });

  test('a subfolder of a linked worktree', async (context) => {
    const made = await bare(context);
    const { run, base, project: folder } = made;
    const main = makeRepository(base, 'main');
    outside('git', ['worktree', 'add', '-q', '-b', 'side', folder], main);
    expect(said(await run(COMMIT, { cwd: inner(made) }))).toEqual([0, 'second\nfirst\n']);
    expect(outside('git', ['log', '--format=%s', 'side'], main)).toBe('second\nfirst\n');
  });

  test('a submodule, and a subfolder of it', async (context) => {
    const { run, base, project: folder } = await project(context, { one: 'one\n' });
    const library = makeRepository(base, 'library');
    outside('git', [...FILE, 'submodule', '--quiet', 'add', library, 'lib'], folder);
    outside('git', ['commit', '-q', '-m', 'library'], folder);
    const cwd = join(folder, 'lib');
    expect(said(await run(COMMIT, { cwd }))).toEqual([0, 'second\nfirst\n']);
    mkdirSync(join(cwd, 'src'));
    expect(
      said(await run('touch x && git add x && git commit -q -m third && git log --format=%s', { cwd: `${cwd}/src` })),
    ).toEqual([0, 'third\nsecond\nfirst\n']);
    // Of the repository around it, nothing is open.
    expect((await run(writeAt('../.git/index', '../.git/HEAD', '../one'), { cwd })).output).toMatch(
      /^refused .*\nrefused .*\nrefused .*\n/,
    );
  });

  test('a .git file that names the repository of another project opens nothing', async (context) => {
    const { run, base, project: folder } = await bare(context);
    const other = makeRepository(base, 'other');
    const library = makeRepository(base, 'library');
    outside('git', [...FILE, 'submodule', '--quiet', 'add', library, 'lib'], other);
    for (const target of ['.git', '.git/modules/lib']) {
      writeFileSync(join(folder, '.git'), `gitdir: ${join(other, target)}\n`);
      for (const cwd of [folder, join(folder, 'sub')]) {
        mkdirSync(cwd, { recursive: true });
        expect((await run(writeAt(join(other, target, 'new')), { cwd })).output).toMatch(/^refused /);
      }
    }
  });

  test('a .git above that is a link opens nothing', async (context) => {
    const { run, base, project: folder } = await bare(context);
    const other = makeRepository(base, 'other');
    symlinkSync(join(other, '.git'), join(folder, '.git'));
    mkdirSync(join(folder, 'sub'));
    const result = await run(writeAt(join(other, '.git/new')), { cwd: join(folder, 'sub') });
    expect(result.output).toMatch(/^refused /);
  });

  test('folders that the settings name are the only ones: the repository around them stays shut', async (context) => {
    const made = await project(context, { one: 'one\n' }, { settings: { roots: ['packages/a'] } });
    const cwd = inner(made);
    writeFileSync(made.settingsFile, readFileSync(made.settingsFile, 'utf8').replace('packages/a', `/${cwd}`));
    expect((await made.run(writeAt('../../.git/new'), { cwd })).output).toMatch(/^refused /);
    const result = await made.run('touch x && git add x', { cwd });
    expect([result.exitCode, result.violations.map(({ target }) => target)]).toEqual([
      128,
      [join(made.project, '.git/index.lock')],
    ]);
  });

  test('a repository in the home folder is not that of the projects below it', async (context) => {
    const made = await bare(context);
    writeTree(made.home, { 'work/file': 'x\n' });
    outside('git', ['init', '-q'], made.home);
    const result = await made.run(writeAt('../.git/new'), { cwd: join(made.home, 'work') });
    expect(result.output).toMatch(/^refused /);
  });

  test('the folders of a project share temporary files', async (context) => {
    const made = await project(context, { one: 'one\n' });
    const { run } = made;
    const cwd = inner(made);
    expect(said(await run('echo text > $TMPDIR/note', { cwd }))).toEqual([0, '']);
    expect(said(await run('cat $TMPDIR/note'))).toEqual([0, 'text\n']);
    const network = 'readlink /proc/self/ns/net';
    expect((await run(network, { cwd })).output).toBe((await run(network)).output);
    // One with settings of its own is a project of its own.
    const apart = inner(made, 'packages/b');
    writeTree(apart, { '.hardshell/settings.json': '{}' });
    expect((await run('cat $TMPDIR/note', { cwd: apart })).exitCode).toBe(1);
  });

  test('a project below /tmp', async (context) => {
    const made = await project(context, { one: 'one\n' }, { parent: '/tmp' });
    expect(said(await made.run(COMMIT, { cwd: inner(made) }))).toEqual([0, 'second\nfirst\n']);
  });
});
