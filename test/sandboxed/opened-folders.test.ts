// A folder outside that a yes opened for one new name: a script in the same command line must leave nothing in it that
// runs outside later, and must not read a hidden file that another program creates there while it runs.

import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, type TestContext, test } from 'vitest';
import { createBroker } from '../../src/approve/broker.ts';
import { callbackSurface } from '../../src/approve/callback-surface.ts';
import { outside, type Place, writeTree } from './place.ts';
import { said, useProjects } from './project.ts';

const SECRET = 'SECRET-91c2';
const BARE = 'mkdir objects refs; echo "ref: refs/heads/main" > HEAD';
const CONFIG = 'printf "[core]\\nrepositoryformatversion = 0\\nworktree = .\\nfsmonitor = touch $MARK\\n"';

interface Row {
  /** The part of the command line that the yes is for. */
  readonly named: string;
  readonly script: string;
  /** Where the user uses git afterwards. */
  readonly where: string;
  /** What must not be there. */
  readonly gone: string;
}

const ROWS: Readonly<Record<string, Row>> = {
  'a bare repository at the top of the home': {
    named: 'touch ~/list',
    script: `cd ~; ${BARE}; ${CONFIG} > config`,
    where: 'home/old',
    gone: 'home/config',
  },
  'a repository at the top of the home': {
    named: 'touch ~/list',
    script: `cd ~; git init -q; ${CONFIG} > .git/config`,
    where: 'home/old',
    gone: 'home/.git',
  },
  'a repository in a new folder of the home': {
    named: 'mkdir ~/newdir',
    script: `git init -q ~/nd; ${CONFIG} > ~/nd/.git/config`,
    where: 'home/nd',
    gone: 'home/nd/.git/config',
  },
  'a repository in the folder that is named': {
    named: 'mkdir ~/newdir',
    script: `git init -q ~/newdir; ${CONFIG} > ~/newdir/.git/config`,
    where: 'home/newdir',
    gone: 'home/newdir/.git/config',
  },
  'a bare repository beside a copy': {
    named: 'cp -r src ~/copy',
    script: `cd ~; ${BARE}; ${CONFIG} > config`,
    where: 'home/copy',
    gone: 'home/config',
  },
  'settings of an editor deep in a new folder': {
    named: 'touch ~/list',
    script: 'mkdir -p ~/nd/a/.vscode; echo "{}" > ~/nd/a/.vscode/tasks.json',
    where: 'home',
    gone: 'home/nd/a/.vscode',
  },
  'a bare repository above the project': {
    named: 'echo x > ../notes.txt',
    script: `cd ..; ${BARE}; ${CONFIG} > config`,
    where: 'home',
    gone: 'config',
  },
};

describe.skipIf(process.platform !== 'linux')('by namespaces', { timeout: 60_000 }, () => {
  const { bare } = useProjects('namespaces');

  async function prepare(context: TestContext): Promise<Place> {
    const broker = createBroker();
    broker.attach(callbackSurface(() => 'allow'));
    const place = await bare(context, { settings: { mode: 'default' }, shell: { broker } });
    writeTree(place.home, { 'old/file': 'x\n' });
    writeTree(place.project, { 'src/file': 'x\n' });
    return place;
  }

  function useGit(place: Place, where: string): void {
    try {
      outside('git', ['status'], join(place.base, where));
    } catch {
      // It is no repository.
    }
  }

  for (const [name, { named, script, where, gone }] of Object.entries(ROWS)) {
    test(`${name} does not stay, and is reported`, async (context) => {
      const place = await prepare(context);
      const mark = join(place.base, 'mark');
      writeTree(place.project, { 'evil.sh': `MARK=${mark}; ${script}\n` });
      const { status, violations } = await place.run(`${named}; sh evil.sh`);
      expect(status).toBe('exited');
      useGit(place, where);
      expect([existsSync(mark), existsSync(join(place.base, gone))]).toEqual([false, false]);
      expect(violations.map(({ target }) => target.slice(place.base.length + 1))).toContain(gone);
    });
  }

  test('a background task leaves no repository either', async (context) => {
    const place = await prepare(context);
    const mark = join(place.base, 'mark');
    writeTree(place.project, { 'evil.sh': `MARK=${mark}; cd ~; ${BARE}; ${CONFIG} > config; sleep 60\n` });
    const { task } = await place.start('touch ~/list; sh evil.sh');
    const config = join(place.home, 'config');
    await expect.poll(() => existsSync(config), { timeout: 15_000 }).toBe(true);
    await expect.poll(() => existsSync(config), { timeout: 30_000 }).toBe(false);
    await (await place.shell.task(task))?.stop();
    useGit(place, 'home/old');
    expect(existsSync(mark)).toBe(false);
  });

  test('settings that one command leaves do not become those of a repository that another one makes around them', async (context) => {
    const place = await prepare(context);
    const mark = join(place.base, 'mark');
    writeTree(place.project, {
      'first.sh': `MARK=${mark}; cd ~; ${CONFIG} > config\n`,
      'second.sh': `cd ~; ${BARE}\n`,
    });
    await place.run('touch ~/a; sh first.sh');
    const { violations } = await place.run('touch ~/b; sh second.sh');
    useGit(place, 'home/old');
    expect(existsSync(mark)).toBe(false);
    expect(violations.map(({ target }) => target)).toContain(join(place.home, 'HEAD'));
  });

  test('repositories that were there stay as they are, and are not searched', async (context) => {
    const place = await prepare(context);
    const repository = join(place.home, 'old');
    outside('git', ['init', '-q'], repository);
    const hook = join(repository, '.git/hooks/pre-commit');
    writeFileSync(hook, '#!/bin/sh\n');
    writeTree(place.project, { 'wait.sh': 'touch ready; until [ -e stop ]; do sleep 0.02; done\n' });
    const running = place.run('touch ~/list; sh wait.sh');
    await expect.poll(() => existsSync(join(place.project, 'ready')), { timeout: 15_000 }).toBe(true);
    // The user works in it meanwhile.
    writeTree(repository, { '.vscode/tasks.json': '{}' });
    outside('git', ['config', 'core.fsmonitor', 'true'], repository);
    chmodSync(hook, 0o755);
    writeFileSync(join(place.project, 'stop'), '');
    const { violations, exitCode } = await running;
    expect([exitCode, violations]).toEqual([0, []]);
    expect(existsSync(hook)).toBe(true);
    expect(existsSync(join(repository, '.vscode/tasks.json'))).toBe(true);
    expect(readFileSync(join(repository, '.git/config'), 'utf8')).toContain('fsmonitor');
  });

  test.for(['.netrc', '.git-credentials', '.pgpass', '.config/gh/hosts.yml'])(
    'a command is ended when another program creates %s, and the file stays',
    async (name, context) => {
      const place = await prepare(context);
      const path = join(place.home, name);
      writeTree(place.project, { 'read.sh': `touch ready; while :; do cat ${path} 2>/dev/null; sleep 0.05; done\n` });
      const running = place.run('touch ~/list; sh read.sh', { timeout: 15_000 });
      await expect.poll(() => existsSync(join(place.project, 'ready')), { timeout: 15_000 }).toBe(true);
      writeTree(place.home, { [name]: `${SECRET}\n` });
      const { status, enforcement, violations } = await running;
      chmodSync(path, 0o600);
      expect([status, readFileSync(path, 'utf8'), violations]).toEqual(['failed', `${SECRET}\n`, []]);
      expect(enforcement.held).not.toContain('hidden-content');
      expect(enforcement.missing).toContainEqual({
        guarantee: 'hidden-content',
        why: expect.stringContaining(join(place.home, name.split('/').slice(0, 2).join('/'))),
      });
    },
  );

  test('a short command does not claim that a file was hidden that appeared while it ran', async (context) => {
    const place = await prepare(context);
    writeTree(place.project, { 'make.sh': 'sleep 0.01; echo x > ~/.pgpass\n' });
    const { enforcement } = await place.run('touch ~/list; sh make.sh');
    expect(enforcement.held).not.toContain('hidden-content');
  });

  test('a yes to a hidden name that does not exist creates it', async (context) => {
    const place = await prepare(context);
    const { status, exitCode } = await place.run('echo x > ~/.pgpass; sleep 0.3');
    expect([status, exitCode, readFileSync(join(place.home, '.pgpass'), 'utf8')]).toEqual(['exited', 0, 'x\n']);
  });

  test('git clone and git worktree add into an opened folder work', async (context) => {
    const place = await prepare(context);
    for (const words of [
      ['init', '-q'],
      ['add', '-A'],
      ['commit', '-q', '-m', 'first'],
    ])
      outside('git', words, place.project);
    const clone = await place.run('git clone -q . ~/clone && git -C ~/clone log --oneline');
    expect([said(clone), clone.violations]).toEqual([[0, expect.stringContaining('first')], []]);
    const tree = await place.run('git worktree add -q ../tree && git -C ../tree status --short');
    expect([said(tree), tree.violations]).toEqual([[0, ''], []]);
    expect(outside('git', ['status', '--short'], join(place.base, 'tree'))).toBe('');
  });
});
