// What a session adds to a request, and what one command cannot change about it.

import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { createShell } from './shell.ts';

const base = realpathSync(mkdtempSync(join(tmpdir(), 'hardshell-session-')));
const work = join(base, 'work');
mkdirSync(join(work, 'sub'), { recursive: true });
const shell = createShell({ tasksFolder: join(base, 'tasks') });
afterAll(async () => {
  await shell.close();
  rmSync(base, { recursive: true, force: true });
});

test('a folder for one command does not change the session folder', async () => {
  const session = shell.session({ cwd: work });
  expect((await session.run('pwd', { cwd: join(work, 'sub') })).output).toBe(`${join(work, 'sub')}\n`);
  await session.run('cd ..', { cwd: join(work, 'sub') });
  expect([session.cwd, session.originalCwd]).toEqual([work, work]);
  await session.run('cd sub');
  expect([session.cwd, session.originalCwd]).toEqual([join(work, 'sub'), work]);
});

test('a folder for one command that does not exist is reported, and the session stays where it is', async () => {
  const session = shell.session({ cwd: work });
  await session.run('cd sub');
  const result = await session.run('pwd', { cwd: join(work, 'nosuch') });
  expect([result.isError, result.output, result.cwd, result.cwdCause]).toEqual([true, '', join(work, 'sub'), 'kept']);
  expect(result.failure?.message).toContain('nosuch does not exist');
});

test('restrictions of the session apply to each of its commands, whatever a command adds', async () => {
  const session = shell.session({ cwd: work, narrowing: { allowedCommands: ['echo', 'ls'] } });
  expect(session.complete({ narrowing: { allowedCommands: ['ls', 'cat'] } }).narrowing).toHaveLength(2);
  expect(shell.policy(session.complete({ narrowing: { allowedCommands: ['ls', 'cat'] } })).allowedCommands).toEqual([
    'ls',
  ]);
  expect((await session.run('pwd')).status).toBe('denied');
  expect((await session.run('pwd', { narrowing: { allowedCommands: ['pwd'] } })).status).toBe('denied');
  expect((await session.run('echo yes')).output).toBe('yes\n');
});

test('permit gives the same decision as run, and runs nothing', async () => {
  const session = shell.session({ cwd: work });
  expect(await shell.permit('ls', session.complete())).toMatchObject({ isAllowed: true, answer: null });
  expect(await shell.permit('rm -rf /', session.complete())).toMatchObject({ isAllowed: false, answer: null });
  expect(await shell.permit('touch x', session.complete())).toMatchObject({
    isAllowed: false,
    answer: { verdict: 'deny', by: 'nobody' },
  });
});
