// Files in writable folders that another program replaces while a command runs: the kernel removes every mount on them, in
// every namespace. The command is then ended, and its result says why and claims nothing that was not held.
// Outside of the writable folders nothing is exposed: see hidden-names.test.ts.

import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, type TestContext, test } from 'vitest';
import type { RunResult } from '../../src/core/running.ts';
import { outside, type Place, writeTree } from './place.ts';
import { useProjects } from './project.ts';

/** Loops until it is ended; shows that it runs by creating a file. */
const SERVE = 'touch ready; while :; do sleep 0.02; done';
/** The same, and tries to read on. */
const READ = 'touch ready; while :; do cat .env 2>/dev/null; sleep 0.02; done';

describe.skipIf(process.platform !== 'linux')('by namespaces', { timeout: 60_000 }, () => {
  const { project } = useProjects('namespaces');
  const limits = { timeout: 20_000 };

  async function prepare(context: TestContext): Promise<Place> {
    const place = await project(context, { file: 'x\n', '.env': 'old\n', 'keys/key': 'old\n' });
    const settings = JSON.parse(readFileSync(place.settingsFile, 'utf8'));
    settings.sandbox.filesystem = { denyRead: ['.env', 'keys'].map((name) => `/${join(place.project, name)}`) };
    writeFileSync(place.settingsFile, JSON.stringify(settings));
    writeTree(place.home, { '.npmrc': 'old\n', '.ssh/id_rsa': 'old\n' });
    return place;
  }

  async function during(place: Place, command: string, change: () => void): Promise<RunResult> {
    const ready = join(place.project, 'ready');
    const running = place.run(command, limits);
    await expect.poll(() => existsSync(ready), { timeout: 15_000 }).toBe(true);
    change();
    return running;
  }

  function replace(path: string, text: string): void {
    writeFileSync(`${path}.tmp`, text);
    renameSync(`${path}.tmp`, path);
  }

  const ended = (path: string, guarantee: string) => ({
    status: 'failed',
    failure: { type: 'process_terminated', message: expect.stringContaining(path) },
    enforcement: {
      held: expect.not.arrayContaining([guarantee]),
      missing: expect.arrayContaining([{ guarantee, why: expect.stringContaining(path) }]),
    },
  });

  test('a hidden file that is replaced ends the command', async (context) => {
    const place = await prepare(context);
    const path = join(place.project, '.env');
    const result = await during(place, READ, () => replace(path, 'NEW\n'));
    expect(result).toMatchObject(ended(path, 'hidden-content'));
    // The next one does not see it.
    const next = await place.run('cat .env');
    expect([next.output.includes('NEW'), next.enforcement.held.includes('hidden-content')]).toEqual([false, true]);
  });

  test('commands that end at once, many at a time, miss nothing because of it', async (context) => {
    const place = await prepare(context);
    const repeat = async () => {
      const held: boolean[] = [];
      for (let round = 0; round < 25; round += 1)
        held.push((await place.run(':')).enforcement.held.includes('hidden-content'));
      return held;
    };
    const all = await Promise.all(Array.from({ length: 16 }, repeat));
    expect(all.flat()).toEqual(Array.from({ length: 400 }, () => true));
  });

  test('git config in the same project ends a command that could change it now', async (context) => {
    const place = await prepare(context);
    const result = await during(place, SERVE, () => void outside('git', ['config', 'a.b', 'c'], place.project));
    expect(result).toMatchObject(ended(join(place.project, '.git/config'), 'protected-existing'));
  });

  test('a folder that is moved away and recreated ends it', async (context) => {
    const place = await prepare(context);
    const path = join(place.project, 'keys');
    const result = await during(place, SERVE, () => {
      renameSync(path, `${path}.old`);
      mkdirSync(path);
    });
    expect(result).toMatchObject(ended(path, 'hidden-content'));
  });

  test('a protected folder that is deleted ends it: the command could make it again', async (context) => {
    const place = await prepare(context);
    const path = join(place.project, '.vscode');
    writeTree(place.project, { '.vscode/settings.json': '{}' });
    const result = await during(place, SERVE, () => rmSync(path, { recursive: true }));
    expect(result).toMatchObject(ended(path, 'protected-existing'));
  });

  test('in the background too, where the last line of the output says why', async (context) => {
    const place = await prepare(context);
    const { task: id } = await place.start(SERVE);
    await expect.poll(() => existsSync(join(place.project, 'ready')), { timeout: 15_000 }).toBe(true);
    replace(join(place.project, '.env'), 'NEW\n');
    const task = await place.shell.task(id);
    await expect.poll(async () => (await task?.info())?.state, { timeout: 15_000 }).toBe('finished');
    const { outputFile, notes } = (await task?.info()) ?? {};
    expect(notes).toEqual([
      `It was ended to protect a file: ${place.project}/.env was replaced outside of the sandbox, and the new file was not hidden. Start it again.`,
    ]);
    expect(readFileSync(outputFile ?? '', 'utf8')).toContain(
      `(${place.project}/.env was replaced outside and no longer hidden)`,
    );
  });

  test('nothing is lost by writing in place, by other files, by deleting a secret, or by git', async (context) => {
    const place = await prepare(context);
    writeTree(place.project, { '.vscode/settings.json': '{}' });
    const command = 'touch ready; until [ -e stop ]; do sleep 0.02; done; echo done';
    const { status, output, enforcement, failure } = await during(place, command, () => {
      writeFileSync(join(place.home, '.npmrc'), 'NEW\n');
      writeFileSync(join(place.home, '.ssh/new_key'), 'NEW\n');
      replace(join(place.home, '.ssh/id_rsa'), 'NEW\n');
      replace(join(place.home, 'notes'), 'NEW\n');
      replace(join(place.project, '.vscode/settings.json'), '{}');
      rmSync(join(place.home, '.npmrc'));
      outside('git', ['add', 'file'], place.project);
      outside('git', ['commit', '-q', '--allow-empty', '-m', 'x'], place.project);
      outside('git', ['checkout', '-q', '-b', 'other'], place.project);
      writeFileSync(join(place.project, 'stop'), '');
    });
    expect([status, output, failure]).toEqual(['exited', 'done\n', null]);
    expect(enforcement.held).toContain('hidden-content');
  });
});
