// A background task from its start to its removal, as a user sees it, each verb in a separate process.

import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { BIN, createPlace, type Place, runCli, talk } from '../../../../test/approving/process.ts';
import { runVerb } from '../../../../test/run-verb.ts';

let place: Place;
let env: Record<string, string>;
beforeEach(() => {
  place = createPlace();
  mkdirSync(join(place.folder, 'home'));
  env = { ...place.env, HOME: join(place.folder, 'home'), HARDSHELL_STATE_DIR: join(place.folder, 'state') };
});
const started = new Set<string>();
afterEach(async () => {
  for (const id of started) await cli('tasks', 'stop', id);
  started.clear();
  place.remove();
});

/** A task is started by a program that ends before the task does. */
const cli = (...args: string[]) => (args[0] === 'run' ? runCli(args, env) : runVerb(args, { env }));

async function start(command: string, ...options: string[]): Promise<string> {
  const { stdout } = await cli('run', '--yes', '--background', '--json', ...options, command);
  const { task, status } = JSON.parse(stdout);
  expect(status).toBe('running');
  started.add(task);
  return task;
}

test('no tasks', async () => {
  const none = 'No tasks. Start one with: hardshell run --background COMMAND\n';
  expect(await cli('tasks')).toEqual({ status: 0, stdout: none, stderr: '' });
  expect(await cli('tasks', '--json')).toEqual({
    status: 0,
    stdout: '{"schemaVersion":1,"tasks":[],"older":0}\n',
    stderr: '',
  });
});

test('the start is told in a box, and the command goes on without us', async () => {
  const { status, stdout, stderr } = await cli('run', '--yes', '--background', 'sleep 60');
  const id = /Task ID: (\S+)/.exec(stdout)?.[1] as string;
  started.add(id);
  expect([status, stderr]).toEqual([0, '']);
  expect(stdout).toMatch(
    /^┌─ Background Task Started ─+┐\n│ Task ID: \S+ +│\n│ Command: sleep 60 +│\n│ Output: {2}\/\S+ +│\n/,
  );
  const table = await cli('tasks');
  expect(table.stdout).toMatch(new RegExp(`^ID .*COMMAND\n${id}  running +\\d+ s +sleep 60\n$`));
});

test('a task that is denied is not started', async () => {
  const { status, stdout } = await cli('run', '--background', '--yes', 'rm -rf /');
  expect([status, stdout]).toEqual([126, '']);
});

test('the end of a task is in the audit log, once, although the process that started it is gone', async () => {
  const ends = async (id: string) =>
    (await cli('audit', 'query', '--task', id, '--type', 'end', '--oldest', '--json')).stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
      .map(({ status, exit, signal, command, verdict }) => ({ status, exit, signal, command, verdict }));
  const running = { status: 'running', exit: null, signal: null };
  const removed = await start('echo hi; exit 3');
  await cli('tasks', 'wait', removed);
  expect((await cli('tasks', 'rm', removed)).status).toBe(0);
  const about = { command: 'echo hi; exit 3', verdict: 'allow' };
  for (let times = 0; times < 2; times += 1)
    expect(await ends(removed)).toEqual([
      { ...running, ...about },
      { status: 'exited', exit: 3, signal: null, ...about },
    ]);
  const stopped = await start('sleep 60');
  expect(await ends(stopped)).toMatchObject([running]);
  await cli('tasks', 'stop', stopped);
  expect(await ends(stopped)).toMatchObject([running, { status: 'cancelled', signal: 'SIGTERM' }]);
});

/** Adds what the supervisor of a task records whose starter has ended. */
function addToRecord(id: string, fields: object): void {
  const path = join(place.folder, 'state', 'tasks', `${id}.json`);
  writeFileSync(path, JSON.stringify({ ...JSON.parse(readFileSync(path, 'utf8')), exitCode: undefined, ...fields }));
}

test('logs, wait and the audit log say why a task was ended, and what the sandbox removed and refused', async () => {
  const id = await start('echo hi');
  await cli('tasks', 'wait', id);
  const undoneNames = [{ path: '/p/.envrc', movedTo: '/q/1-.envrc', isLeft: false }];
  const exposed = { cause: 'exposed', exposed: '/p/.git/config', exposedHow: 'protected', signal: 9 };
  addToRecord(id, { ...exposed, undone: 7, undoneNames, refused: 2 });
  const notes = [
    'It was ended to protect a file: /p/.git/config was replaced outside of the sandbox, and was no longer protected. Start it again.',
    'While it ran, 7 protected names appeared and were removed: /p/.envrc (moved to /q/1-.envrc), 6 more.',
    'The sandbox refused 2 operations.',
  ];
  const stderr = notes.map((note) => `hardshell: ${note}\n`).join('');
  expect(await cli('tasks', 'logs', id)).toEqual({ status: 0, stdout: 'hi\n', stderr });
  expect(await cli('tasks', 'wait', id)).toEqual({ status: 137, stdout: '', stderr });
  const shown = await cli('audit', 'show', id);
  expect([shown.stdout, shown.stderr]).toEqual([expect.stringMatching(/failed +SIGKILL .*\n\nhi\n$/s), stderr]);
  for (const verb of [
    ['tasks', 'logs'],
    ['audit', 'show'],
  ])
    expect(JSON.parse((await cli(...verb, id, '--json')).stdout)).toMatchObject({ notes });
  expect(JSON.parse((await cli('tasks', '--json')).stdout)).toMatchObject({ tasks: [{ id, notes }] });
});

describe('wait', () => {
  test.each<[string, number]>([
    ['true', 0],
    ['exit 3', 3],
    ['kill -TERM $$', 143],
  ])('exits as the task did: %s', async (command, code) => {
    const id = await start(command);
    expect(await cli('tasks', 'wait', id)).toEqual({ status: code, stdout: '', stderr: '' });
  });

  test('a task that timed out: 124, and the list says so', async () => {
    const id = await start('sleep 60', '--timeout', '1');
    expect(await cli('tasks', 'wait', id)).toEqual({
      status: 124,
      stdout: '',
      stderr: `hardshell: ${id} timed out.\n`,
    });
    expect((await cli('tasks')).stdout).toMatch(new RegExp(`^${id} +timed out +\\d+ s +SIGTERM +sleep 60$`, 'm'));
    const { tasks } = JSON.parse((await cli('tasks', '--json')).stdout);
    expect(tasks).toMatchObject([{ id, state: 'finished', status: 'timed-out', signal: 'SIGTERM' }]);
  });

  test('124 when it still runs at the timeout', async () => {
    const id = await start('sleep 60');
    const { status, stderr } = await cli('tasks', 'wait', id, '--timeout', '0.2');
    expect([status, stderr]).toEqual([124, `hardshell: ${id} is still running.\n`]);
  });
});

describe('logs', () => {
  test('a command whose output was not kept: why, and where its record is', async () => {
    const { stdout } = await cli('run', '--json', 'true');
    const { task } = JSON.parse(stdout);
    const { status, stderr } = await cli('tasks', 'logs', task);
    expect([status, stderr]).toEqual([
      1,
      `hardshell: There is no output of ${task}. It printed nothing.\n  What is recorded about it: hardshell audit show ${task}\n`,
    ]);
  });

  test('a task that was removed is not said to have printed nothing, and cannot be stopped or removed', async () => {
    const id = await start('echo hi');
    await cli('tasks', 'wait', id);
    expect((await cli('tasks', 'rm', id)).status).toBe(0);
    const deleted = 'Its output was not kept (keepOutput in the settings), or was deleted in the meantime.';
    expect(await cli('tasks', 'logs', id)).toMatchObject({
      status: 1,
      stderr: expect.stringContaining(`There is no output of ${id}. ${deleted}`),
    });
    expect((await cli('audit', 'show', id)).stderr).toBe(`hardshell: ${deleted}\n`);
    for (const verb of ['stop', 'wait', 'rm'])
      expect(await cli('tasks', verb, id)).toMatchObject({
        status: 1,
        stderr: expect.stringMatching(`^hardshell: No such task: ${id}\n`),
      });
  });

  test('long output of a command in the foreground is not listed, and not removed with the tasks', async () => {
    const { stdout } = await cli('run', '--yes', '--json', 'seq 1 200000');
    const { task, isTruncated } = JSON.parse(stdout);
    expect(isTruncated).toBe(true);
    expect((await cli('tasks', '--all')).stdout).toMatch(/^No tasks\./);
    expect((await cli('tasks', 'rm', '--finished')).stdout).toBe('No ended tasks.\n');
    expect((await cli('tasks', 'logs', task)).stdout).toMatch(/\n200000\n$/);
  });

  test('print what is there, from a byte on', async () => {
    const id = await start('printf abc; printf def >&2');
    await cli('tasks', 'wait', id);
    const whole = await cli('tasks', 'logs', id);
    expect(whole).toMatchObject({ status: 0, stderr: '' });
    expect(whole.stdout).toBe('abcdef');
    const part = JSON.parse((await cli('tasks', 'logs', id, '--cursor', '2', '--json')).stdout);
    expect(part).toEqual({
      schemaVersion: 1,
      id,
      state: 'finished',
      text: 'cdef',
      cursor: 6,
      isAtEnd: true,
      notes: [],
    });
  });

  test('are exact, also where they are no text', async () => {
    const id = await start(`printf 'a\\377\\000b'`);
    await cli('tasks', 'wait', id);
    const bytes = execFileSync(process.execPath, [BIN, 'tasks', 'logs', id], { env });
    expect([...bytes]).toEqual([0x61, 0xff, 0, 0x62]);
  });

  test('-f follows until the task ends', async () => {
    const gate = join(place.folder, 'gate');
    const id = await start(`echo one; until test -e ${gate}; do sleep 0.05; done; echo two`);
    const following = talk(process.execPath, [BIN, 'tasks', 'logs', '-f', id], env);
    await following.until(/one\n/);
    await cli('run', '--yes', `touch ${gate}`);
    expect(await following.ended).toBe(0);
    expect(following.read()).toBe('one\ntwo\n');
  });

  test('Ctrl-C stops following, not the task', async () => {
    const id = await start('echo one; sleep 60');
    const following = talk(process.execPath, [BIN, 'tasks', 'logs', '-f', id], env);
    await following.until(/one\n/);
    following.child.kill('SIGINT');
    expect(await following.ended).toBe(130);
    const { tasks } = JSON.parse((await cli('tasks', '--json')).stdout);
    expect(tasks).toMatchObject([{ id, state: 'running' }]);
  });
});

describe('stop and rm', () => {
  test('what runs is stopped, then removed', async () => {
    const id = await start('sleep 60');
    const refused = await cli('tasks', 'rm', id);
    expect(refused).toEqual({
      status: 1,
      stdout: '',
      stderr: `hardshell: ${id} is still running.\n  Stop it first: hardshell tasks stop ${id}\n`,
    });
    expect((await cli('tasks', 'stop', id)).stdout).toBe(`${id} was stopped.\n`);
    expect((await cli('tasks', 'stop', id)).stdout).toBe(`${id} had already ended.\n`);
    expect((await cli('tasks', 'wait', id)).status).toBe(143);
    expect(await cli('tasks', 'rm', id)).toEqual({ status: 0, stdout: `Removed ${id}.\n`, stderr: '' });
    started.delete(id);
    expect((await cli('tasks', 'logs', id)).status).toBe(1);
  });

  test('rm --finished leaves what runs', async () => {
    const [ended, running] = [await start('true'), await start('sleep 60')];
    await cli('tasks', 'wait', ended);
    expect(await cli('tasks', 'rm', '--finished', '--json')).toMatchObject({
      status: 0,
      stdout: `{"schemaVersion":1,"removed":["${ended}"]}\n`,
    });
    started.delete(ended);
    const { tasks } = JSON.parse((await cli('tasks', 'list', '--all', '--json')).stdout);
    expect(tasks).toMatchObject([{ id: running, state: 'running' }]);
    expect((await cli('tasks', 'rm', '--finished')).stdout).toBe('No ended tasks.\n');
  });
});

describe('mistakes', () => {
  test.each(['logs', 'wait', 'stop', 'rm'])('%s of a task that is not there', async (verb) => {
    const id = await start('true');
    const typo = `${id.slice(0, -1)}_`;
    const { status, stderr } = await cli('tasks', verb, typo);
    expect([status, stderr]).toEqual([1, `hardshell: No such task: ${typo}\n  Did you mean ${id}?\n`]);
  });

  test.each<[string[], RegExp]>([
    [['rm'], /Name the tasks, or use --finished/],
    [['rm', 'x', '--finished'], /Name the tasks, or use --finished/],
    [['logs'], /missing required argument/i],
    [['logs', 'x', '--cursor', '-1'], /number of bytes/],
    [['wait', 'x', '--timeout', 'soon'], /number of seconds/],
    [['frobnicate'], /too many arguments|unknown subcommand/i],
  ])('%j is bad input', async (args, message) => {
    const { status, stderr } = await cli('tasks', ...args);
    expect([status, stderr]).toEqual([2, expect.stringMatching(message)]);
  });

  test('escape sequences in an id are shown, not obeyed', async () => {
    const { stderr } = await cli('tasks', 'stop', 'x\x1b[2J');
    expect(stderr).toMatch(/No such task: x\\e\[2J/);
  });
});
