// The profile `req`, requirement by requirement of its document.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, type TestContext, test } from 'vitest';
import { GUARANTEES } from '../../src/core/confinement.ts';
import type { SessionOptions } from '../../src/core/running.ts';
import { profileOf } from '../../src/profiles/profiles.ts';
import { until } from '../contract/marks.ts';
import { hostProgram } from '../programs.ts';
import { fixture, hasKeeper } from '../running/subject.ts';
import { CONFINED, createSubject, FREE, listenTo, needsKeeper, type Subject, surroundingsIn } from './subject.ts';

const profile = profileOf('req');
let subject: Subject;
beforeAll(() => {
  subject = createSubject(profile);
});
afterAll(() => subject.close());

const bash = (command: string, more = {}, calling = {}) => subject.call('bash', { command, ...more }, calling);

describe('REQ-BASH-001 command execution', () => {
  test('runs in the folder of the conversation, with both streams in one output', async () => {
    const { text, data } = await bash('pwd; echo err >&2; echo out');
    // Without the keeper the order of the two is that of reading.
    const possible = [`${subject.folder}\nerr\nout\n`, ...(hasKeeper ? [] : [`${subject.folder}\nout\nerr\n`])];
    expect(possible).toContain(text);
    expect(data.output).toBe(text);
  });

  test('runs by bash -c', async () => {
    expect((await bash('echo "${BASH_VERSION:+bash} $-"')).text).toMatch(/^bash .*c/);
  });

  test('128 KB are shown whole', async () => {
    const { data } = await bash(`head -c ${128 * 1024} /dev/zero | tr '\\0' x`);
    expect([data.truncated, (data.output as string).length]).toEqual([false, 128 * 1024]);
  });

  test('over 128 KB only the first and last 4 KB are kept, and a line says so', async () => {
    const { data, text } = await bash(`head -c ${128 * 1024} /dev/zero | tr '\\0' a; echo; printf z`);
    expect(data.truncated).toBe(true);
    const [head = '', middle = '', tail = ''] = (data.output as string).split(/\n\n(.*truncated.*)\n\n/);
    expect([head, tail]).toEqual(['a'.repeat(4096), `${'a'.repeat(4094)}\nz`]);
    expect(middle).toContain('truncated');
    expect(text).toContain(data.output_file as string);
  });
});

describe('REQ-BASH-002 timeouts', () => {
  test('30 seconds by default, 15 minutes in slow mode', () => {
    expect(profile.engine).toEqual({ view: 'req', timeout: 30_000, maxTimeout: 900_000 });
  });

  test.each([
    ['default', 30_000],
    ['slow', 900_000],
  ])('mode %s asks the engine for %d ms', async (mode, timeout) => {
    const { session, asked } = listenTo(subject.calling);
    await bash('true', { mode }, { session });
    expect(asked).toMatchObject([{ timeout }]);
  });

  test('without a mode it is ended after 30 seconds', async () => {
    const { session, asked } = listenTo(subject.calling);
    const { data } = await bash('echo waited', {}, { session });
    expect(asked).toMatchObject([{ timeout: 30_000 }]);
    expect(data).toMatchObject({ output: 'waited\n', running: false, pid: null });
  });

  test('past its timeout the group is ended, and the partial output is there with a word about it', async () => {
    // The same tool over an engine that allows less time than the document's 30 seconds.
    const quick = createSubject(profile, { maxTimeout: 300 });
    try {
      const { text, data, isError } = await quick.call('bash', { command: 'echo begin; sleep 60 & sleep 60' });
      expect([isError, data.timed_out, data.output]).toEqual([true, true, 'begin\n']);
      expect(text).toMatch(/^begin\n\[command timed out after 0\.3 seconds/);
      expect(data.error).toMatchObject({ kind: 'timeout', message: expect.stringContaining('Use mode slow') });
      expect(text).toContain('Use mode slow (15 minutes) or background.');
      const slow = await quick.call('bash', { command: 'sleep 60', mode: 'slow' });
      expect(slow.data.error).toMatchObject({ message: expect.stringMatching(/Use mode background\.$/) });
    } finally {
      await quick.close();
    }
  });
});

describe('REQ-BASH-002 a command that outlasts its caller', () => {
  beforeEach(needsKeeper);

  test('is ended by its timeout, although it continues as a task', async () => {
    const quick = createSubject(profile, { maxTimeout: 1500 });
    try {
      const command = 'echo begin; sleep 60';
      const { data } = await quick.call('bash', { command, mode: 'slow' }, { answerWithin: 200 });
      expect(data).toMatchObject({ running: true, output: 'begin\n' });
      const [task] = await quick.shell.tasks();
      const ended = await (await quick.shell.task(task?.id ?? ''))?.wait({ timeout: 30_000 });
      expect(ended).toMatchObject({ state: 'finished' });
      expect(readFileSync(data.output_file as string, 'utf8')).toMatch(/^begin\n[\s\S]*time/);
    } finally {
      await quick.close();
    }
  });

  test('is ended by its timeout after the server was killed', async (context) => {
    const tasks = join(subject.folder, '../tasks');
    const words = [hostProgram('running'), tasks, 'run-on', subject.folder, 'echo begin; sleep 60', '3000'];
    const host = spawn(process.execPath, words, { stdio: ['ignore', 'pipe', 'inherit'] });
    context.onTestFinished(() => void host.kill('SIGKILL'));
    const [line] = (await once(host.stdout, 'data')) as [Buffer];
    const started = JSON.parse(line.toString()) as { task: string; status: string };
    expect(started.status).toBe('running');
    const gone = once(host, 'exit');
    host.kill('SIGKILL');
    await gone;
    const task = await subject.shell.task(started.task);
    expect((await task?.wait({ timeout: 30_000 }))?.state).toBe('finished');
  });
});

describe('REQ-BASH-003 background', () => {
  beforeEach(needsKeeper);

  test('answers at once with pid, pgid and output file; the end is appended to the file', async () => {
    const { data, text } = await bash('echo begin; sleep 60; echo end', { mode: 'background' });
    expect(data).toMatchObject({ pid: expect.any(Number), pgid: expect.any(Number), error: null });
    expect(text).toContain(`kill -9 -${data.pgid}`);
    const file = data.output_file as string;
    expect(existsSync(file)).toBe(true);
    expect(await until(() => readFileSync(file, 'utf8').includes('begin'), 15_000)).toBe(true);
    // As the document says it, and through the tool: no test signals a group by itself.
    expect((await bash(`kill -9 -${data.pgid}`)).isError).toBe(false);
    expect((await subject.shell.tasks()).find(({ pgid }) => pgid === data.pgid)?.state).toBe('finished');
    expect(
      await until(() => /begin[\s\S]*(?:SIGKILL|signal|killed|ended)/i.test(readFileSync(file, 'utf8')), 10_000),
    ).toBe(true);
  });

  test('the completion status of one that ends on its own is in the file', async () => {
    const { data } = await bash('echo done; exit 4', { mode: 'background' });
    const file = data.output_file as string;
    // Also for the agent itself, from inside of its sandbox.
    expect(await until(async () => (await bash(`cat ${file}`)).text.startsWith('done\n'), 15_000)).toBe(true);
    expect(await until(() => /done\n[\s\S]*\b4\b/.test(readFileSync(file, 'utf8')), 15_000)).toBe(true);
  });
});

test('REQ-BASH-004 no TTY is attached', async () => {
  expect((await bash('[ -t 0 ] || [ -t 1 ] || [ -t 2 ] || ! ( : < /dev/tty ) 2>/dev/null && echo none')).text).toBe(
    'none\n',
  );
});

describe('REQ-BASH-005 schema', () => {
  test('command is required text, mode an optional choice of three', () => {
    const { inputSchema } = subject.tool('bash');
    expect(Object.keys(inputSchema.properties)).toEqual(['command', 'mode']);
    expect(inputSchema.required).toEqual(['command']);
    expect(inputSchema.properties.command).toMatchObject({ type: 'string' });
    expect(inputSchema.properties.mode).toMatchObject({
      type: 'string',
      enum: ['default', 'slow', 'background'],
      default: 'default',
    });
  });

  test('the description names the working directory', () => {
    expect(subject.tool('bash').describe(surroundingsIn('/work/here'))).toContain('/work/here');
  });

  test.each([{}, { command: 1 }, { command: 'ls', mode: 'fast' }, { command: 'ls', timeout: 5 }, null, []])(
    'bad input %j is answered, not thrown',
    async (input) => {
      const { isError, data } = await subject.call('bash', input);
      expect([isError, (data.error as { kind: string }).kind]).toEqual([true, 'rejected']);
    },
  );
});

describe('REQ-BASH-006 errors', () => {
  test('a command that fails: exit code and output', async () => {
    const { text, data, isError } = await bash('echo oops >&2; exit 7');
    expect(text).toBe('oops\n[command failed with exit code 7]');
    expect([isError, data.exit_code, (data.error as { kind: string }).kind]).toEqual([true, 7, 'command']);
  });

  test('an exit code that is not a failure is reported, and is not an error', async () => {
    const { text, data, isError } = await bash('echo a | grep b');
    expect(text).toMatch(/^\[exit code 1 \(.+\)\]$/);
    expect([isError, data.exit_code, data.error]).toEqual([false, 1, null]);
  });

  test('a system error is distinguished from it', async (context) => {
    needsKeeper(context);
    const calling = subject.converse();
    const gone = subject.shell.session({ cwd: join(subject.folder, 'gone') });
    const { text, data } = await bash('echo x', {}, { ...calling, session: gone });
    expect(text).toContain('system error');
    expect(data).toMatchObject({ exit_code: null, error: { kind: 'system' } });
  });
});

describe('REQ-BASH-007 safety checks', () => {
  test.each([
    'git add -A',
    'git add .',
    'git add --all',
    'git add *',
    'git push --force',
    'git push -f',
    'rm -rf /',
    'rm -rf ~',
    'rm -rf $HOME',
    'rm -rf .git',
    'rm -rf *',
    'rm -rf .*',
    'sudo rm -rf /',
    'sudo git add -A',
    'echo x | git add -A',
    'touch reached && git push --force',
    'true; (git add .)',
  ])('rejects %s and does not run it', async (command) => {
    const { text, data, isError } = await bash(command);
    expect([isError, (data.error as { kind: string }).kind, data.exit_code]).toEqual([true, 'rejected', null]);
    expect(text).toMatch(/was not run.*\n- ./);
    expect(existsSync(join(subject.folder, 'reached'))).toBe(false);
  });

  test('--force-with-lease is not rejected', () => {
    const { verdict } = subject.shell.check('git push --force-with-lease', subject.calling.session.complete());
    expect(verdict.decision).toBe('allow');
  });
});

describe('REQ-BASH-008 Landlock', () => {
  const restricted = { ...CONFINED, sandbox: 'restricted' as const };

  test('the description explains what the sandbox does not let through', () => {
    const text = subject.tool('bash').describe(surroundingsIn('/p', restricted));
    for (const word of [
      'read-only',
      'Network: none',
      'cannot be signalled',
      'EACCES',
      'EPERM',
      'Do not try to work around',
    ])
      expect(text).toContain(word);
  });

  test('where the kernel holds restricted mode, its error comes back and nothing is written', async (context) => {
    const { shell, folder } = subject;
    const options = {
      cwd: folder,
      sandbox: { name: 'restricted' as const },
      policy: subject.calling.session.complete().policy,
    };
    const { tier } = await shell.enforcement({ ...options } as never);
    if (tier === 'none') context.skip('nothing confines commands here');
    const result = await shell.run('echo x > kernel-says-no', options as never);
    expect(result.isError).toBe(true);
    expect(result.output).toMatch(/Permission denied|Read-only file system|Operation not permitted/);
    expect(existsSync(join(folder, 'kernel-says-no'))).toBe(false);
  });
});

test('REQ-BASH-008 what the description says about temporary files is true', async (context) => {
  needsKeeper(context);
  const session = subject.calling.session.with({ sandbox: { name: 'restricted' } });
  const { tier } = await subject.shell.enforcement(session.complete());
  if (tier === 'none') context.skip('nothing confines commands here');
  const surroundings = { ...CONFINED, sandbox: 'restricted' as const, writable: [] };
  const enforcement = { ...CONFINED.enforcement, tier } as never;
  const text = subject.tool('bash').describe(surroundingsIn(subject.folder, { ...surroundings, enforcement }));
  const [, place] = /everything is read-only; only temporary files in (\S+) can be changed/.exec(text) ?? [];
  const { data } = await bash(`echo x > ${place}/temporary && echo written; echo x > here`, {}, { session });
  expect(data.output).toMatch(/^written\n/);
  expect(data.exit_code).toBe(1);
  expect(data.output).toContain('the restricted sandbox is read-only');
  expect(data.output).not.toMatch(/--allow-write|--sandbox/);
  expect(existsSync(join(subject.folder, 'here'))).toBe(false);
});

/** The conversation in restricted mode, if this machine can confine it. */
async function restrict(context: TestContext, more: SessionOptions = {}) {
  needsKeeper(context);
  const session = subject.calling.session.with({ ...more, sandbox: { name: 'restricted' } });
  const { tier } = await subject.shell.enforcement(session.complete());
  if (tier === 'none') context.skip('nothing confines commands here');
  return { session, tier };
}

test('REQ-BASH-008 nothing outside can be connected to, and no port of the machine can be bound', async (context) => {
  const { session, tier } = await restrict(context);
  const server = createServer((socket) => socket.end('reached\n')).listen(0, '127.0.0.1');
  await once(server, 'listening');
  try {
    const { port } = server.address() as AddressInfo;
    const connect = await bash(`exec 3<>/dev/tcp/127.0.0.1/${port} && cat <&3`, {}, { session });
    expect([connect.isError, (connect.data.output as string).includes('reached')]).toEqual([true, false]);
    // The port is taken on the machine: that it can be bound shows that the network is a private one.
    const python = `import socket; s = socket.socket(); s.bind(("127.0.0.1", ${port})); print("bound")`;
    const bind = await bash(`python3 -c '${python}'`, {}, { session });
    if (tier === 'namespaces') expect(bind.data.output).toBe('bound\n');
    else expect(bind.data.output).toMatch(/Permission denied|Operation not permitted/);
  } finally {
    server.close();
  }
});

test('REQ-BASH-008 memory, CPU time and the number of processes are limited', async (context) => {
  const { session } = await restrict(context);
  const { limits } = await session.run('true', { profile: 'req' });
  expect(limits.map(({ name, value }) => [name, value])).toEqual(
    expect.arrayContaining([
      ['memoryBytes', 4 * 2 ** 30],
      ['cpuSeconds', 900],
      ['processes', 512],
    ]),
  );
});

test('REQ-BASH-008 a command that the sandbox refused is started once', async (context) => {
  const starts: string[] = [];
  const other = createSubject(profile, {
    observers: [{ onStart: ({ command }: { command: string }) => void starts.push(command) }],
  });
  try {
    await restrict(context);
    const session = other.calling.session.with({ sandbox: { name: 'restricted' } });
    const { data } = await other.call('bash', { command: 'echo x > refused' }, { session });
    expect(data).toMatchObject({ exit_code: 1, error: { kind: 'command' } });
    expect(starts).toEqual(['echo x > refused']);
    expect(existsSync(join(other.folder, 'refused'))).toBe(false);
  } finally {
    await other.close();
  }
});

test('REQ-BASH-009 without Landlock the description says so, and the safety checks still apply', async () => {
  const why = 'Landlock needs Linux 5.13 or newer';
  const missing = GUARANTEES.map((guarantee) => ({ guarantee, why }));
  const enforcement = { tier: 'none' as const, held: [], missing, reported: [] };
  const text = subject.tool('bash').describe(surroundingsIn('/p', { enforcement }));
  expect(text).toContain('Sandbox: none');
  expect(text).toContain(why);
  expect((await bash('git add -A')).isError).toBe(true);
});

describe('REQ-BASH-010 no state in the tool', () => {
  test('each call starts in the folder of its context: cd does not move later calls', async () => {
    const sub = join(subject.folder, 'a');
    mkdirSync(sub, { recursive: true });
    const conversation = subject.converse();
    expect((await bash('cd a', {}, conversation)).text).toBe('[cd applies to this command only]');
    expect((await bash('cd a && pwd', {}, conversation)).text).toBe(`${sub}\n`);
    expect((await bash('pwd', {}, conversation)).text).toBe(`${subject.folder}\n`);
    const there = { ...conversation, session: subject.shell.session({ cwd: sub, policy: FREE }) };
    expect((await bash('pwd', {}, there)).text).toBe(`${sub}\n`);
    expect((await bash('pwd', {}, conversation)).text).toBe(`${subject.folder}\n`);
  });

  test('cancelling comes with the call', async () => {
    const { data, isError } = await bash(fixture('sleep-with-children'), {}, { signal: AbortSignal.abort() });
    expect([isError, data.exit_code]).toEqual([true, null]);
    expect(data.error).toMatchObject({ kind: 'cancelled' });
  });
});

describe('REQ-BASH-011 display', () => {
  const here = () => subject.folder;
  test.each<[string, (cwd: string) => string, (cwd: string) => string]>([
    ['cd here && rest', (cwd) => `cd ${cwd} && ls`, () => 'ls'],
    ['cd elsewhere && rest', () => 'cd /tmp && ls', () => 'cd /tmp && ls'],
    ['cd here; rest', (cwd) => `cd ${cwd}; ls`, () => 'ls'],
    ['or', (cwd) => `cd ${cwd} || ls`, (cwd) => `cd ${cwd} || ls`],
    ['mixed', (cwd) => `cd ${cwd} && false || echo b`, () => 'false || echo b'],
  ])('%s', async (_, command, display) => {
    const { data } = await bash(command(here()));
    expect([data.command, data.display]).toEqual([command(here()), display(here())]);
  });
});
