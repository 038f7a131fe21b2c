// REQ-BASH-003: `kill -9 -<pgid>` ends a task. It is a command like any other: judged, asked about, recorded; then the
// task's supervisor sends the signal, because nothing outside can be reached from inside a sandbox.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { DEFAULT_POLICY } from '../../src/core/default-policy.ts';
import type { ShellObserver } from '../../src/core/observer.ts';
import type { Policy } from '../../src/core/policy.ts';
import { readRules } from '../../src/pipeline/check.ts';
import type { Calling } from '../../src/profiles/profile.ts';
import { profileOf } from '../../src/profiles/profiles.ts';
import { until } from '../contract/marks.ts';
import { hostProgram } from '../programs.ts';
import { createSubject, FREE, needsKeeper, type Subject } from './subject.ts';

const HOST = hostProgram('running');
const STUBBORN = "trap 'echo heard TERM' TERM; trap 'echo heard USR1' USR1; echo ready; while :; do sleep 0.05; done";

let subject: Subject;
const recorded: string[] = [];
const observer: ShellObserver = {
  onVerdict: ({ command }, { verdict }) => void recorded.push(`${command}: ${verdict.decision}`),
};
beforeEach((context) => {
  needsKeeper(context);
  recorded.length = 0;
  subject = createSubject(profileOf('req'), { observers: [observer] });
});
afterEach(() => subject?.close());

const bash = (command: string, more = {}, calling: Partial<Calling> = {}) =>
  subject.call('bash', { command, ...more }, calling);

interface Started {
  readonly pgid: number;
  readonly id: string;
  state(): Promise<string>;
  output(): Promise<string>;
}

async function follow(pgid: number): Promise<Started> {
  const { id } = (await subject.shell.tasks()).find((task) => task.pgid === pgid) as { id: string };
  const task = await subject.shell.task(id);
  const output = async () => (await task?.read())?.text ?? '';
  expect(await until(async () => (await output()).startsWith('ready'), 15_000)).toBe(true);
  return { pgid, id, output, state: async () => (await task?.info())?.state ?? 'gone' };
}

const start = async (command = STUBBORN) => follow((await bash(command, { mode: 'background' })).data.pgid as number);

describe('judged and recorded', () => {
  const withRule = (lists: object): Policy => ({ ...FREE, rules: readRules(lists, 'session') });

  test.each<[string, Policy]>([
    ['a rule', withRule({ deny: ['Bash(kill:*)'] })],
    ['an unanswered question', { ...FREE, mode: 'default' }],
    ['a mode that does not ask', { ...FREE, mode: 'dont-ask' }],
    ['the mode plan', { ...FREE, mode: 'plan' }],
  ])('%s refuses it', async (_, policy) => {
    const task = await start();
    const session = subject.shell.session({
      cwd: subject.folder,
      policy,
      session: subject.calling.session.id,
    });
    const { data, isError } = await bash(`kill -9 -${task.pgid}`, {}, { session });
    expect([isError, data]).toMatchObject([true, { exit_code: null, error: { kind: 'rejected' } }]);
    expect(await task.state()).toBe('running');
    expect(recorded.at(-1)).toMatch(new RegExp(`^kill -9 -${task.pgid}: (?:deny|ask)$`));
  });

  test('what is allowed is in the record, too, as it was written', async () => {
    const task = await start();
    await bash(`kill -9 -${task.pgid} && echo x`);
    expect(recorded.at(-1)).toBe(`kill -9 -${task.pgid} && echo x: allow`);
  });
});

describe('the signal that was asked for', () => {
  test.each([
    'kill -9 -PG',
    'kill -KILL -PG',
    'kill -SIGKILL -PG',
    'kill -s KILL -PG',
    'kill -n 9 -PG',
    'kill -9 -- -PG',
    // Without `--`, the program of procps 4.0 reads -1234 as -1, and a check refuses that.
    '/bin/kill -9 -- -PG',
    '/bin/kill -s KILL -- -PG',
    'command kill -9 -PG',
    'env kill -9 -- -PG',
    'kill -9 PG',
  ])('%s ends it at once', async (spelling) => {
    const task = await start();
    const { text, data } = await bash(spelling.replaceAll('PG', String(task.pgid)));
    expect([text, data.exit_code, data.error]).toEqual(['(no output)', 0, null]);
    expect(await task.state()).toBe('finished');
    expect(await task.output()).not.toContain('TERM');
  });

  test.each(['kill -- -PG', 'kill -TERM -PG', 'kill PG'])('%s asks it to end first', async (spelling) => {
    const task = await start();
    expect((await bash(spelling.replaceAll('PG', String(task.pgid)))).data.exit_code).toBe(0);
    expect(await task.state()).toBe('finished');
    expect(await task.output()).toContain('heard TERM');
  });

  test('kill -USR1 is received, and it continues', async () => {
    const task = await start();
    expect((await bash(`kill -USR1 -${task.pgid}`)).data.exit_code).toBe(0);
    expect(await until(async () => (await task.output()).includes('heard USR1'), 15_000)).toBe(true);
    expect(await task.state()).toBe('running');
  });

  test('kill -0 tells whether it is alive', async () => {
    const task = await start();
    const probe = () => bash(`kill -0 -${task.pgid} 2>/dev/null && echo alive || echo gone`);
    expect((await probe()).text).toBe('alive\n');
    await bash(`kill -9 -${task.pgid}`);
    expect((await probe()).text).toBe('gone\n');
  });

  test('what has ended is no such process', async () => {
    const task = await start();
    await bash(`kill -9 -${task.pgid}`);
    const { text, isError } = await bash(`kill -9 -${task.pgid}`);
    expect(isError).toBe(true);
    expect(text).toMatch(/No such process/);
    expect(text).not.toContain('still running');
  });
});

describe('in a longer line', () => {
  test.each<[string, string]>([
    ['kill -9 -PG && echo done', 'done\n'],
    ['kill -9 -PG; echo $?', '0\n'],
    ['kill -9 -PG 2>/dev/null || echo failed', '(no output)'],
    ['kill -9 -PG\necho next', 'next\n'],
    ['kill -TERM -PG; sleep 0.1; kill -9 -PG 2>/dev/null; echo over', 'over\n'],
  ])('%j', async (line, text) => {
    const task = await start();
    const answer = await bash(line.replaceAll('PG', String(task.pgid)));
    expect(answer.text).toBe(text);
    expect(await task.state()).toBe('finished');
  });

  test('two tasks, one after the other', async () => {
    const [one, other] = [await start(), await start()];
    const { text } = await bash(`kill -9 -${one.pgid} && kill -9 -${other.pgid} && echo both`);
    expect([text, await one.state(), await other.state()]).toEqual(['both\n', 'finished', 'finished']);
  });

  test.each([
    'touch reached; kill -9 -PG',
    'false && kill -9 -PG',
    'if false; then kill -9 -PG; fi',
    '[[ -e no ]] && kill -9 -PG',
    'while kill -9 -PG; do touch reached; done',
    'kill -9 -PG | cat',
    '(kill -9 -PG)',
    'bash -c "kill -9 -PG"',
    'kill -9 -PG 999999',
    'kill -9 -PG --',
    'kill -9 -PG $X',
    'X=-PG; kill -9 $X',
    'f() { kill -9 -PG; }; f',
  ])('%s does not run, and says how to', async (line) => {
    const task = await start();
    const { text, isError } = await bash(line.replaceAll('PG', String(task.pgid)));
    expect(isError).toBe(true);
    expect(text).toContain(`kill -9 -${task.pgid}`);
    expect(text).toContain(task.id);
    expect(text).not.toMatch(/No such process/);
    expect(await task.state()).toBe('running');
    expect((await bash('ls')).text).not.toContain('reached');
  });

  test('a number that is not known beforehand: the message is corrected', async () => {
    const task = await start();
    const { text } = await bash(`P=$(printf ${task.pgid}); kill -9 -$P`);
    expect(text).toContain(`[${task.pgid} is the task ${task.id}, which is still running`);
    expect(await task.state()).toBe('running');
  });
});

describe('whose task it is', () => {
  test('the task of another session cannot be reached', async () => {
    const task = await start();
    const { isError } = await bash(`kill -9 -${task.pgid}`, {}, subject.converse());
    expect([isError, await task.state()]).toEqual([true, 'running']);
  });

  test('what is left of a server that is gone can be ended, and what a living one runs cannot', async () => {
    const tasks = join(subject.folder, '../tasks');
    const host = spawn(process.execPath, [HOST, tasks, 'start', subject.folder, STUBBORN], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [line] = (await once(host.stdout, 'data')) as [Buffer];
    const { pgid } = JSON.parse(line.toString()) as { pgid: number };
    const task = await follow(pgid);
    await bash(`kill -9 -${pgid}`);
    expect(await task.state()).toBe('running');
    const ended = once(host, 'exit');
    host.kill('SIGKILL');
    await ended;
    // It can only be asked to end: no process has its handle any more.
    expect((await bash(`kill -USR1 -${pgid}`)).text).toMatch(/was not sent/);
    expect((await bash(`kill -9 -${pgid} && echo ended`)).text).toBe('ended\n');
    expect([await task.state(), (await task.output()).includes('TERM')]).toEqual(['finished', false]);
  });
});

test('without a sandbox it is the same', async () => {
  const task = await start();
  const session = subject.calling.session.with({ sandbox: { name: 'unrestricted' } });
  expect((await bash(`kill -9 -${task.pgid}; echo $?`, {}, { session })).text).toBe('0\n');
  expect(await task.state()).toBe('finished');
});

test('a program without a shell: kill and its words', async () => {
  const other = createSubject(profileOf('layered'), { policy: { ...DEFAULT_POLICY, mode: 'bypass' } });
  try {
    const { pgid, task } = await other.calling.session.start('sleep 60');
    const { data } = await other.call('bash', { command: 'kill', args: ['-9', `-${pgid}`] });
    expect(data).toMatchObject({ success: true, exit_code: 0 });
    expect((await (await other.shell.task(task))?.info())?.state).toBe('finished');
  } finally {
    await other.close();
  }
});
