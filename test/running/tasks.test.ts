// Background tasks, with real processes: what this process and others see of them, and what outlives what.

import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { NodeRunner } from '../../src/run/node-runner.ts';
import { makeMark, until } from '../contract/marks.ts';
import { hostProgram } from '../programs.ts';
import { createSubject, fixture, hasKeeper, type Subject } from './subject.ts';

const HOST = hostProgram('running');
const LINE = /\[hardshell\] finished: exit code 0 after \d+\.\d s\n$/;

let subject: Subject;
beforeAll(() => {
  subject = createSubject();
}, 60_000);
afterAll(() => subject.close());

/** What another process says. */
function ask(...words: string[]): unknown {
  return JSON.parse(execFileSync(process.execPath, [HOST, subject.tasksFolder, ...words], { encoding: 'utf8' }));
}

async function startHost(verb: 'start' | 'run-on', command: string, env: Record<string, string> = {}) {
  const child = spawn(process.execPath, [HOST, subject.tasksFolder, verb, subject.folder, command], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, ...env },
  });
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  const kill = async () => {
    child.kill('SIGKILL');
    await once(child, 'exit');
  };
  return {
    ...(JSON.parse(line.toString()) as { task: string; status: string; pid: number; outputFile: string }),
    kill,
  };
}

async function start(command: string, more = {}) {
  const result = await subject.shell.start(command, subject.options(more));
  const task = await subject.shell.task(result.task);
  if (task === null) throw new Error(`no task: ${JSON.stringify(result.failure)}`);
  return { result, task };
}

describe.skipIf(!hasKeeper)('tasks', () => {
  test('the answer comes at once, and everything about the task is on disk then', async () => {
    const { result, task } = await start('echo begin; sleep 0.3; echo end', { description: 'two lines', session: 's' });
    expect(result).toMatchObject({ status: 'running', isError: false, exitCode: null, failure: null });
    expect(result.outputFile).toBe(join(subject.tasksFolder, `${result.task}.out`));
    expect(result.pgid).toBe(result.pid);
    expect(await task.info()).toMatchObject({
      id: result.task,
      command: 'echo begin; sleep 0.3; echo end',
      description: 'two lines',
      state: 'running',
      session: 's',
      cwd: subject.folder,
      pid: result.pid,
      finishedAt: null,
    });
    await expect(task.remove()).rejects.toThrow(/still running/);
    const info = await task.wait();
    expect(info).toMatchObject({ state: 'finished', exitCode: 0, signal: null, outputBytes: 10 });
    expect(await task.read()).toEqual({ text: 'begin\nend\n', cursor: 10, isAtEnd: true });
    expect(readFileSync(info.outputFile, 'utf8')).toMatch(LINE);
    expect(await task.stop()).toBe(false);
    await task.remove();
    expect(await subject.shell.task(result.task)).toBeNull();
    expect(subject.tasksLeft()).toEqual([]);
  });

  test('its input can be written, and ended', async () => {
    const { task } = await start('cat', { isInputOpen: true, input: 'first\n' });
    expect(await task.write('second\n')).toBe(true);
    task.endInput();
    expect(await task.wait()).toMatchObject({ state: 'finished', exitCode: 0 });
    expect(await task.read()).toMatchObject({ text: 'first\nsecond\n' });
    expect(await task.write('late')).toBe(false);
    const { task: closed } = await start('cat; echo end');
    expect(await closed.wait()).toMatchObject({ state: 'finished' });
    expect(await closed.read()).toMatchObject({ text: 'end\n' });
    await task.remove();
    await closed.remove();
  });

  test('reading from a cursor never gives half a character', async () => {
    const { task } = await start(`${fixture('half-character')}; printf '\\xf0\\x9f\\x98'`);
    const texts: string[] = [];
    let cursor = 0;
    for (let isAtEnd = false; !isAtEnd; ) {
      const read = await task.read({ cursor, limitBytes: 1 });
      texts.push(read.text);
      expect(read.text === '' || !/[\udc00-\udfff]$|\ufffd./.test(read.text)).toBe(true);
      ({ cursor, isAtEnd } = read);
      if (read.text === '') await task.wait({ timeout: 20 });
    }
    // What was never finished shows at the very end.
    expect(texts.join('')).toBe('a€b\ufffd');
    expect(cursor).toBe(8);
    await task.remove();
  });

  test('waiting ends with the time and with the signal', async () => {
    const { task } = await start('sleep 30');
    expect(await task.wait({ timeout: 30 })).toMatchObject({ state: 'running' });
    const controller = new AbortController();
    const waiting = task.wait({ signal: controller.signal });
    controller.abort();
    expect(await waiting).toMatchObject({ state: 'running' });
    expect(await task.stop()).toBe(true);
    expect(await task.info()).toMatchObject({ state: 'finished', signal: 'SIGTERM' });
    await task.remove();
  });

  test('a task continues when its host is killed, and its file gets its last line', async () => {
    const host = await startHost('start', 'echo begin; sleep 0.5; echo end');
    await host.kill();
    const task = await subject.shell.task(host.task);
    expect(await task?.info()).toMatchObject({ state: 'running', session: 'of-host', description: 'a task' });
    expect(await task?.write('x')).toBe(false);
    expect(await task?.wait({ timeout: 10_000 })).toMatchObject({ state: 'finished', exitCode: 0 });
    expect(readFileSync(host.outputFile, 'utf8')).toMatch(/^begin\nend\n\[hardshell\] finished: exit code 0/);
    await task?.remove();
  });

  test('so does a command that became one because it took long', async () => {
    const host = await startHost('run-on', 'echo begin; sleep 0.8; echo end');
    expect(host.status).toBe('running');
    await host.kill();
    const task = await subject.shell.task(host.task);
    expect(await task?.wait({ timeout: 10_000 })).toMatchObject({ state: 'finished', exitCode: 0 });
    expect(await task?.read()).toMatchObject({ text: 'begin\nend\n', isAtEnd: true });
    expect(readFileSync(host.outputFile, 'utf8')).toMatch(LINE);
    await task?.remove();
  });

  test('a command that ends in time does not become a task, regardless of its limit', async () => {
    const result = await subject.run('echo quick', { backgroundAfter: 5000 });
    expect(result).toMatchObject({ status: 'exited', output: 'quick\n' });
    const late = await subject.run('sleep 20', { backgroundAfter: 5000, timeout: 300 });
    expect(late).toMatchObject({ status: 'timed-out' });
    expect(subject.tasksLeft()).toEqual([]);
  });

  test('one that became a task has no time limit any more, and can be waited for here', async () => {
    const result = await subject.run('sleep 1; echo done', { backgroundAfter: 100, timeout: 500 });
    expect(result).toMatchObject({ status: 'running' });
    const task = await subject.shell.task(result.task);
    expect(await task?.wait()).toMatchObject({ state: 'finished', exitCode: 0 });
    expect(await task?.read()).toMatchObject({ text: 'done\n' });
    await task?.remove();
    expect(subject.tasksLeft()).toEqual([]);
  });

  test('other processes list, read, wait for, stop and remove it, and cannot write to it', async () => {
    const mark = makeMark();
    const { result, task } = await start(fixture('sleep-with-children'), { env: mark.env });
    expect(await until(() => mark.count() === 7, 15_000)).toBe(true);
    expect(ask('list')).toMatchObject([{ id: result.task, state: 'running', pid: result.pid }]);
    expect(ask('read', result.task)).toMatchObject({ text: 'ready\n', isAtEnd: false });
    expect(ask('write', result.task)).toBe(false);
    expect(ask('stop', result.task)).toBe(true);
    expect(await mark.untilGone(15_000)).toBe(0);
    expect(ask('wait', result.task)).toMatchObject({ state: 'finished', signal: 'SIGTERM' });
    expect(await task.wait()).toMatchObject({ state: 'finished' });
    expect(ask('remove', result.task)).toBe('removed');
    expect(ask('list')).toEqual([]);
  });

  test('after a restart of the machine it is lost, and never running', async () => {
    const { result, task } = await start('sleep 30');
    const record = join(subject.tasksFolder, `${result.task}.json`);
    const running = readFileSync(record, 'utf8');
    writeFileSync(record, running.replace(/"bootId":"[^"]*"/, '"bootId":"of-another-start"'));
    expect(await task.info()).toMatchObject({ state: 'lost', exitCode: null });
    expect(await subject.shell.tasks()).toMatchObject([{ id: result.task, state: 'lost' }]);
    expect(await task.wait()).toMatchObject({ state: 'lost' });
    expect(await task.stop()).toBe(false);
    writeFileSync(record, running);
    expect(await task.stop()).toBe(true);
    await task.remove();
  });

  test('a waiting caller is told that the supervisor was killed', async () => {
    const { result, task } = await start('sleep 30');
    const record = JSON.parse(readFileSync(join(subject.tasksFolder, `${result.task}.json`), 'utf8'));
    const waiting = task.wait({ timeout: 10_000 });
    process.kill(record.supervisor, 'SIGKILL');
    expect(await waiting).toMatchObject({ state: 'lost' });
    await task.remove();
  });

  test('a record that was cut off hides no other', async () => {
    const { result: broken, task: first } = await start('true');
    const { result: whole, task: second } = await start('true');
    await first.wait();
    await second.wait();
    truncateSync(join(subject.tasksFolder, `${broken.task}.json`), 20);
    writeFileSync(join(subject.tasksFolder, 'notes.json'), '{}');
    expect((await subject.shell.tasks()).map(({ id }) => id)).toEqual([whole.task]);
    expect(await subject.shell.task(broken.task)).toBeNull();
    await first.remove();
    await second.remove();
  });

  test('an id is never a path', async () => {
    for (const id of ['../x', 'bash-../../x', '', 'bash-k7mw2q/../y', 'BASH-K7MW2Q', 'notes'])
      expect(await subject.shell.task(id)).toBeNull();
  });

  test('what is denied does not start, and neither does one task too many', async () => {
    expect(await subject.shell.start('rm -rf /', subject.options())).toMatchObject({ status: 'denied' });
    const few = createSubject({ maxTasks: 1 });
    const first = await few.shell.start('sleep 30', few.options());
    expect(await few.shell.start('touch second', few.options())).toMatchObject({
      status: 'failed',
      failure: { type: 'insufficient_resources' },
    });
    expect(existsSync(join(few.folder, 'second'))).toBe(false);
    expect(first.status).toBe('running');
    await few.close();
  });

  test('closing the tool ends no task', async () => {
    const other = createSubject({ tasksFolder: subject.tasksFolder });
    const { task: id } = await other.shell.start('sleep 0.4; echo end', other.options());
    await other.shell.close();
    const task = await subject.shell.task(id);
    expect(await task?.wait({ timeout: 10_000 })).toMatchObject({ state: 'finished', exitCode: 0 });
    await task?.remove();
  });
});

test('without the keeper a task fails, and says what is missing; long commands stay in the foreground', async () => {
  const plain = createSubject({ runner: new NodeRunner() });
  const sandbox = { name: 'unrestricted' } as const;
  const failed = await plain.shell.start('touch started', plain.options({ sandbox }));
  expect(failed).toMatchObject({ status: 'failed', failure: { message: expect.stringMatching(/keeper/) } });
  expect(existsSync(join(plain.folder, 'started'))).toBe(false);
  expect(await plain.run('sleep 0.3; echo end', { backgroundAfter: 50, sandbox })).toMatchObject({
    status: 'exited',
    output: 'end\n',
  });
  expect(await plain.run('sleep 20', { backgroundAfter: 50, timeout: 300, sandbox })).toMatchObject({
    status: 'timed-out',
  });
  await plain.close();
});
