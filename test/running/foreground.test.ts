// Commands in the foreground, from the request to the result, with real processes.

import { existsSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createBroker } from '../../src/approve/broker.ts';
import { callbackSurface } from '../../src/approve/callback-surface.ts';
import { DEFAULT_POLICY } from '../../src/core/default-policy.ts';
import { createShell } from '../../src/pipeline/shell.ts';
import { makeMark } from '../contract/marks.ts';
import { createSubject, FREE, fixture, hasKeeper, type Subject } from './subject.ts';

let subject: Subject;
beforeAll(() => {
  subject = createSubject();
});
afterAll(() => subject.close());

describe('how a command ends', () => {
  test('success has output, exit code, usage and no failure', async () => {
    const result = await subject.run('echo hello; echo there >&2');
    expect(result).toMatchObject({
      status: 'exited',
      exitCode: 0,
      signal: null,
      isError: false,
      output: 'hello\nthere\n',
      isTruncated: false,
      stdout: null,
      outputBytes: 12,
      outputFile: null,
      cwd: subject.folder,
      cwdCause: 'kept',
      failure: null,
      answer: null,
    });
    expect(result.task).toMatch(/^bash-[a-z0-9]{6}$/);
    expect(result.pid).toBe(result.pgid);
    expect(result.usage?.wallMs).toBeGreaterThan(0);
    expect(subject.tasksLeft()).toEqual([]);
  });

  test.each([
    ['exit 3', { exitCode: 3, isError: true, meaning: null, failure: null, status: 'exited' }],
    ['echo x | grep y', { exitCode: 1, isError: false, meaning: expect.stringMatching(/match/i) }],
    ['kill -9 $$', { exitCode: null, signal: 'SIGKILL', status: 'signalled', isError: true }],
    ['no-such-program-here', { exitCode: 127, isError: true, meaning: expect.stringMatching(/not found/) }],
    ['if', { exitCode: 2, isError: true, output: expect.stringMatching(/syntax error/) }],
  ])('%s', async (command, expected) => {
    expect(await subject.run(command, { assumeYes: true })).toMatchObject(expected);
  });

  test('a timeout ends the whole tree and keeps what was written before', async () => {
    const mark = makeMark();
    const result = await subject.run(`echo before; ${fixture('sleep-with-children')}`, {
      timeout: 700,
      env: mark.env,
    });
    expect(result).toMatchObject({
      status: 'timed-out',
      output: 'before\nready\n',
      isError: true,
      meaning: 'It was stopped because it ran longer than the timeout of 700 ms.',
      failure: { type: 'execution_timeout', context: { timeoutMs: 700 } },
    });
    expect(await mark.untilGone(15_000)).toBe(0);
  });

  test('a command that ignores SIGTERM is answered soon after its time limit', async () => {
    const command = `trap '' TERM; echo begin; while :; do sleep 0.1; done`;
    const { status, output, usage } = await subject.run(command, { timeout: 300 });
    expect([status, output]).toEqual(['timed-out', 'begin\n']);
    // One second of grace. Five would be too many for any load.
    expect(usage?.wallMs).toBeLessThan(4_000);
  });

  test('a time limit over the maximum is cut down to it', async () => {
    const short = createSubject({ maxTimeout: 300 });
    expect(await short.run('sleep 20', { timeout: 20_000 })).toMatchObject({
      status: 'timed-out',
      failure: { context: { timeoutMs: 300 } },
    });
    await short.close();
  });

  test('passing a limit ends it', async () => {
    const result = await subject.run('yes', { limits: { outputBytes: 100_000 } });
    expect(result).toMatchObject({
      status: 'limited',
      isError: true,
      failure: { type: 'resource_limit_exceeded', context: { resource: 'output', limit: 100_000 } },
    });
    await (await subject.shell.task(result.task))?.remove();
  });

  test.skipIf(!hasKeeper)('processor time that is used up is a limit', async () => {
    const result = await subject.run('while :; do :; done', { limits: { cpuSeconds: 1 } });
    expect(result).toMatchObject({ status: 'limited', failure: { context: { resource: 'processor time' } } });
  });

  test('a runner that is lost fails the command, and the next one works', async () => {
    // Inside the sandbox it could not even see its runner. Whatever is no keeper is left alone.
    const kill =
      'p=$(ps -o ppid= -p $PPID | tr -d " "); ps -o args= -p "$p" | grep -q keeper && kill -9 "$p"; sleep 20';
    const killed = await subject.run(hasKeeper ? kill : 'exit 9', { sandbox: { name: 'unrestricted' } });
    if (hasKeeper) expect(killed).toMatchObject({ status: 'failed', failure: { type: 'system_error' }, isError: true });
    expect(await subject.run('echo again')).toMatchObject({ status: 'exited', output: 'again\n' });
  });
});

describe('cancelling', () => {
  test('before the start, nothing runs', async () => {
    const result = await subject.run('touch started', { signal: AbortSignal.abort() });
    expect(result).toMatchObject({ status: 'cancelled', pid: null, failure: { type: 'process_terminated' } });
    expect(existsSync(join(subject.folder, 'started'))).toBe(false);
  });

  test('while it runs, the whole tree ends', async () => {
    const mark = makeMark();
    const controller = new AbortController();
    const result = await subject.run(fixture('sleep-with-children'), {
      env: mark.env,
      signal: controller.signal,
      onEvent: (event) => {
        if (event.type === 'stdout') controller.abort();
      },
    });
    expect(result).toMatchObject({ status: 'cancelled', output: 'ready\n', isError: true });
    expect(await mark.untilGone(15_000)).toBe(0);
  });

  test('while it waits for its turn', async () => {
    const controller = new AbortController();
    const first = subject.run('echo x > first; sleep 0.5', { session: 'turns' });
    const second = subject.run('echo x > second', {
      session: 'turns',
      signal: controller.signal,
      onEvent: (event) => {
        if (event.type === 'status' && event.status === 'waiting') controller.abort();
      },
    });
    expect(await second).toMatchObject({ status: 'cancelled', pid: null });
    expect(await first).toMatchObject({ status: 'exited' });
    expect(existsSync(join(subject.folder, 'second'))).toBe(false);
  });

  test('while the user is asked', async () => {
    const controller = new AbortController();
    const broker = createBroker();
    broker.attach(callbackSurface(() => new Promise(() => {})));
    const asking = createSubject({ broker });
    const result = await asking.shell.run('touch asked', {
      cwd: asking.folder,
      policy: { ...DEFAULT_POLICY, requireConfirmation: true },
      signal: controller.signal,
      onEvent: (event) => {
        if (event.type === 'status' && event.status === 'asking') controller.abort();
      },
    });
    expect(result).toMatchObject({ status: 'cancelled', answer: { by: 'cancelled' } });
    expect(existsSync(join(asking.folder, 'asked'))).toBe(false);
    broker.close();
    await asking.close();
  });
});

describe('the verdict', () => {
  const ask = { policy: DEFAULT_POLICY };
  const question = "python3 -c \"open('marker', 'w')\"";

  test('a denied command never runs, even with a yes', async () => {
    const result = await subject.run('touch marker; rm -rf /', { assumeYes: true });
    expect(result).toMatchObject({ status: 'denied', isError: true, pid: null, answer: null, exitCode: null });
    expect(result.failure?.isSecurityRelated).toBe(true);
    expect(existsSync(join(subject.folder, 'marker'))).toBe(false);
  });

  test('a question that no one can answer is a no, with how to allow it', async () => {
    const result = await subject.run(question, ask);
    expect(result.verdict.decision).toBe('ask');
    expect(result).toMatchObject({ status: 'denied', answer: { verdict: 'deny', by: 'nobody' } });
    expect(result.failure).toMatchObject({
      type: 'permission_denied',
      message: expect.stringMatching(/^Not approved: there was no one to ask\. /),
    });
    expect(result.failure?.suggestions.join(' ')).toMatch(/Ask the user to approve it/);
    expect(existsSync(join(subject.folder, 'marker'))).toBe(false);
  });

  test('a yes in advance answers a question', async () => {
    const result = await subject.run(question, { ...ask, assumeYes: true });
    expect(result).toMatchObject({ status: 'exited', exitCode: 0, answer: { verdict: 'allow', by: 'caller' } });
    expect(existsSync(join(subject.folder, 'marker'))).toBe(true);
    rmSync(join(subject.folder, 'marker'));
  });

  test.each([
    ['allow', 0.95, 'exited'],
    ['allow', 0.5, 'denied'],
    ['deny', 0.95, 'denied'],
  ] as const)('a classifier that says %s with %d', async (behavior, confidence, status) => {
    const judged = createSubject({ classifier: async () => ({ behavior, confidence, reason: null }) });
    expect(await judged.run('python3 -c "import sys"', ask)).toMatchObject({ status });
    await judged.close();
  });

  test('a person who says yes is asked once for a session', async () => {
    const broker = createBroker();
    let asked = 0;
    broker.attach(
      callbackSurface(async ({ suggestions }) => {
        asked += 1;
        return { verdict: 'allow', scope: 'session', rule: suggestions[0] ?? null };
      }),
    );
    const asking = createSubject({ broker });
    const session = { ...ask, session: 's' };
    expect(await asking.run('touch a', session)).toMatchObject({ status: 'exited', answer: { by: 'callback' } });
    expect(await asking.run('touch a', session)).toMatchObject({ status: 'exited', answer: null });
    expect(asked).toBe(1);
    broker.close();
    await asking.close();
  });

  test('a yes does not cover what has changed since the question', async () => {
    const broker = createBroker();
    const asking = createSubject({ broker });
    const target = join(asking.folder, 'target');
    let asked = 0;
    broker.attach(
      callbackSurface(async () => {
        asked += 1;
        // Before the yes is acted upon, the harmless name has become a way out of the folder.
        symlinkSync('/etc/hardshell-test-file', target);
        return { verdict: 'allow' };
      }),
    );
    const result = await asking.run('echo x > target; python3 -c 1', { policy: DEFAULT_POLICY });
    expect(asked).toBe(1);
    expect(result).toMatchObject({ status: 'denied', pid: null, verdict: { decision: 'deny' } });
    expect(result.verdict.findings.map(({ id }) => id)).toContain('symlink-escapes');
    expect(existsSync('/etc/hardshell-test-file')).toBe(false);
    broker.close();
    await asking.close();
  });

  test('the settings of the folder hold', async () => {
    const folder = join(subject.folder, 'with-settings');
    mkdirSync(join(folder, '.hardshell'), { recursive: true });
    writeFileSync(join(folder, '.hardshell/settings.json'), '{"permissions": {"deny": ["Bash(echo:*)"]}}');
    const result = await subject.shell.run('echo no', { cwd: folder });
    expect(result).toMatchObject({ status: 'denied', failure: { type: 'command_not_allowed' } });
    expect(await subject.shell.run('pwd', { cwd: folder })).toMatchObject({ status: 'exited', output: `${folder}\n` });
  });
});

describe('what a command gets', () => {
  test('stdin, or none', async () => {
    expect(await subject.run('cat; echo end', { input: 'héllo\n' })).toMatchObject({ output: 'héllo\nend\n' });
    expect(await subject.run('cat; echo end')).toMatchObject({ output: 'end\n' });
    const large = 'x'.repeat(3 << 20);
    expect(await subject.run('wc -c', { input: large })).toMatchObject({ output: `${large.length}\n` });
  });

  test('words without a shell: nothing in them is expanded', async () => {
    const result = await subject.run('printf', { args: ['%s|', '$HOME', '*', 'a b', "it's", ''] });
    expect(result).toMatchObject({ status: 'exited', output: "$HOME|*|a b|it's||" });
    expect(result.command).toBe("printf '%s|' '$HOME' '*' 'a b' 'it'\\''s' ''");
    expect(result.task).toMatch(/^run-/);
    expect(await subject.run('no-such-program', { args: [] })).toMatchObject({
      status: 'failed',
      failure: { type: 'command_not_found' },
    });
    expect(await subject.run('rm', { args: ['-rf', '/'] })).toMatchObject({ status: 'denied' });
  });

  test('a clean environment', async () => {
    const bomb = join(subject.folder, 'bomb.sh');
    writeFileSync(bomb, 'echo BOMB\n');
    const clean = createSubject({
      hostEnvironment: {
        PATH: `${subject.folder}:/usr/bin:/bin`,
        HOME: '/home/u',
        BASH_ENV: bomb,
        ENV: bomb,
        'BASH_FUNC_ls%%': '() { echo FUNCTION; }',
        GITHUB_TOKEN: 'secret-value',
        EDITOR: 'evil',
        PLAIN: 'of the host',
      },
    });
    const { output } = await clean.run('env; ls -d .', { env: { ASKED: 'yes', LD_PRELOAD: '/x.so' } });
    expect(output).toMatch(/^HOME=\/home\/u$/m);
    expect(output).toMatch(/^ASKED=yes$/m);
    expect(output).toMatch(/^HISTFILE=\/dev\/null$/m);
    expect(output).not.toMatch(/BOMB|FUNCTION|secret-value|evil|of the host|LD_PRELOAD/);
    expect(await clean.run('echo "$PLAIN$GITHUB_TOKEN"', { preserveEnvironment: true })).toMatchObject({
      output: 'of the host\n',
    });
    await clean.close();
  });

  test('`~` means what was judged: a request cannot move the home folder', async () => {
    const home = join(subject.folder, 'home');
    const other = createSubject({ hostEnvironment: { PATH: '/usr/bin:/bin', HOME: home } });
    const told: string[] = [];
    const result = await other.run('echo ~ "$XDG_CONFIG_HOME"', {
      env: { HOME: '/etc', XDG_CONFIG_HOME: '/etc' },
      onEvent: (event) => {
        if (event.type === 'error') told.push(event.message);
      },
    });
    expect(result.output).toBe(`${home} \n`);
    expect(told.join()).toMatch(/HOME, XDG_CONFIG_HOME/);
    const { facts } = await other.run('cat ~/x');
    expect(facts.effects.reads).toMatchObject([{ path: join(home, 'x') }]);
    await other.close();
  });

  test('programs in folders that commands may write are not found by name', async () => {
    writeFileSync(join(subject.folder, 'planted'), '#!/bin/sh\necho PLANTED\n', { mode: 0o755 });
    const host = createSubject({ hostEnvironment: { PATH: `${subject.folder}:/usr/bin:/bin` } });
    expect(await host.run('planted', { cwd: subject.folder })).toMatchObject({ exitCode: 127 });
    await host.close();
  });
});

describe('output', () => {
  test.skipIf(!hasKeeper)('thirty megabytes: both ends are shown, and all of it is kept', async () => {
    const result = await subject.run(`${fixture('flood-stdout')} 30000000`, { view: 'req' });
    expect(result).toMatchObject({ status: 'exited', outputBytes: 30_000_000, isTruncated: true });
    expect(result.output.length).toBeLessThan(10_000);
    expect(result.output).toMatch(/^000000000000000\n000000000000001\n/);
    expect(result.output).toMatch(/of 30,000,000 bytes are not shown/);
    expect(result.output).toMatch(/000000001874999\n$/);
    const task = await subject.shell.task(result.task);
    expect(await task?.info()).toMatchObject({ state: 'finished', exitCode: 0, outputBytes: 30_000_000 });
    expect(await task?.read({ cursor: 16_000_000, limitBytes: 16 })).toMatchObject({ text: '000000001000000\n' });
    await task?.remove();
    expect(subject.tasksLeft()).toEqual([]);
  });

  test('between 64 and 128 KB it is shown whole, and no task stays', async () => {
    const result = await subject.run(`${fixture('flood-stdout')} 100000`, { view: 'req' });
    expect(result).toMatchObject({ outputBytes: 100_000, isTruncated: false, outputFile: null });
    expect(result.output.length).toBe(100_000);
    expect(subject.tasksLeft()).toEqual([]);
  });

  test.each([
    ['proposal-0028', /\n\n\.\.\. \(70000 characters truncated\) \.\.\.\n\n/],
    ['claude-code', /^The output is 97\.7 KB, too large to show\. All of it is in: .*\.out\n/],
  ] as const)('the view %s', async (view, expected) => {
    const other = createSubject({ view });
    const result = await other.run(`${fixture('flood-stdout')} 100000`);
    expect(result.output).toMatch(expected);
    expect(existsSync(result.outputFile ?? '')).toBe(true);
    await other.close();
  });

  test('split streams', async () => {
    const result = await subject.run(`${fixture('alternate')} 3`, { streams: 'split' });
    expect(result).toMatchObject({ stdout: 'out 0\nout 1\nout 2\n', stderr: 'err 0\nerr 1\nerr 2\n' });
    const large = await subject.run(`echo oops >&2; ${fixture('flood-stdout')} 400000; echo late >&2`, {
      streams: 'split',
    });
    expect(large.stderr).toBe('oops\nlate\n');
    expect(large).toMatchObject({ isTruncated: true, outputBytes: 400_010 });
    await (await subject.shell.task(large.task))?.remove();
  });

  test('hints are taken out, escape sequences on request', async () => {
    const result = await subject.run(String.raw`printf '<claude-code-hint kind="x" />\n\e[31mred\e[0m\n'`, {
      stripAnsi: true,
    });
    expect(result).toMatchObject({ output: 'red\n', hints: [{ kind: 'x' }] });
  });

  test('an image is an image', async () => {
    const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
    const result = await subject.run(`base64 -d <<< ${png}`);
    expect(result.image?.mediaType).toMatch(/^image\//);
    expect(result.output).toMatch(/^\[image: image\/png, 1 × 1 pixels/);
    const uri = await subject.run(`echo data:image/png\\;base64,${png}`);
    expect(uri.image?.mediaType).toMatch(/^image\//);
  });
});

describe('the folder', () => {
  test('changes with the command, inside the roots', async () => {
    mkdirSync(join(subject.folder, 'sub'), { recursive: true });
    expect(await subject.run('cd sub && pwd; exit 4')).toMatchObject({
      exitCode: 4,
      cwd: join(subject.folder, 'sub'),
      cwdCause: 'changed',
    });
    expect(await subject.run('cd /')).toMatchObject({ cwd: subject.folder, cwdCause: 'outside' });
    expect(await subject.run('(cd sub)')).toMatchObject({ cwd: subject.folder, cwdCause: 'kept' });
    expect(subject.tasksLeft()).toEqual([]);
  });

  test('vanishes, and the session goes back', async () => {
    const cwd = join(subject.folder, 'gone');
    mkdirSync(cwd);
    expect(await subject.run(`rmdir ${cwd}`, { cwd, originalCwd: subject.folder })).toMatchObject({
      cwd: subject.folder,
      cwdCause: 'vanished',
    });
    expect(await subject.run('pwd', { cwd, originalCwd: subject.folder })).toMatchObject({
      status: 'failed',
      cwd: subject.folder,
      cwdCause: 'vanished',
      failure: { type: 'working_directory_invalid' },
    });
  });
});

test('forty at once', async () => {
  const results = await Promise.all(
    Array.from({ length: 40 }, (_, i) => subject.run(`echo ${i}`, { session: `s${i % 4}` })),
  );
  expect(results.map(({ output }) => output)).toEqual(Array.from({ length: 40 }, (_, i) => `${i}\n`));
});

test('a command that had to wait is looked at again', async () => {
  const target = join(subject.folder, 'way-out');
  const first = subject.run(`sleep 0.2; ln -s /etc/hardshell-test-file ${target}`, { session: 'two' });
  const second = subject.run(`echo x > ${target}`, { session: 'two' });
  expect((await first).exitCode).toBe(0);
  expect(await second).toMatchObject({ status: 'denied', pid: null });
  expect(existsSync('/etc/hardshell-test-file')).toBe(false);
});

test('commands of one session run in order', async () => {
  const log = join(subject.folder, 'order');
  const work = (i: number) => subject.run(`sleep 0.0${9 - i}; echo ${i} >> ${log}`, { session: 'one' });
  await Promise.all([0, 1, 2, 3, 4].map(work));
  expect(await subject.run(`cat ${log}`)).toMatchObject({ output: '0\n1\n2\n3\n4\n' });
});

describe('wrong arguments are thrown', () => {
  test.each<[string, unknown, unknown]>([
    ['no command', '', {}],
    ['a relative folder', 'ls', { cwd: 'x' }],
    ['a time of no length', 'ls', { timeout: 0 }],
    ['words and a shell', 'ls', { args: [], shell: 'sh' }],
    ['a limit of nothing', 'ls', { limits: { memoryBytes: 0 } }],
  ])('%s', async (_, command, more) => {
    await expect(subject.run(command as string, more as object)).rejects.toThrow(
      expect.objectContaining({ name: 'HardshellError' }),
    );
  });

  test('a folder for tasks that is open to others fails the command', async () => {
    const open = join(subject.folder, 'open');
    mkdirSync(open, { mode: 0o755 });
    const shell = createShell({ tasksFolder: open });
    expect(await shell.run('echo x', { cwd: subject.folder, policy: FREE })).toMatchObject({
      status: 'failed',
      failure: { type: 'environment_setup_failed', message: expect.stringMatching(/open to other users/) },
    });
    await expect(shell.tasks()).rejects.toThrow(/open to other users/);
    await shell.close();
  });
});
