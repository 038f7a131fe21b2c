// What createShell is given holds for each call that does not say otherwise.

import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openAudit, openAuditReader } from '../../src/api/audit.ts';
import {
  authorize,
  check,
  createBroker,
  createShell,
  learn,
  loadPolicy,
  openApprovalSocket,
  type RunOptions,
  type ShellOptions,
  type ShellTool,
} from '../../src/index.ts';
import { NodeRunner } from '../../src/run/node-runner.ts';
import { FREE, hasKeeper } from './subject.ts';

const SOURCE = fileURLToPath(new URL('../../src/index.ts', import.meta.url));
let base: string;
const open: ShellTool[] = [];

beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'hardshell-defaults-')));
  mkdirSync(join(base, 'work'));
});
afterEach(async () => {
  for (const shell of open.splice(0)) await shell.close();
  rmSync(base, { recursive: true, force: true });
});

function create(options: ShellOptions = {}): ShellTool {
  const plain = hasKeeper ? {} : { runner: new NodeRunner(), sandbox: { name: 'unrestricted' as const } };
  const shell = createShell({ policy: FREE, tasksFolder: join(base, 'tasks'), ...plain, ...options });
  open.push(shell);
  return shell;
}

const output = async (shell: ShellTool, command: string, options?: RunOptions) =>
  (await shell.run(command, options)).output.trim();

describe('the folder', () => {
  test('is the one of the process unless it is said', async () => {
    expect(await output(create(), 'pwd')).toBe(process.cwd());
  });

  test('is the one of the shell, or of the call', async () => {
    const shell = create({ cwd: base });
    expect(await output(shell, 'pwd')).toBe(base);
    expect(await output(shell, 'pwd', { cwd: join(base, 'work') })).toBe(join(base, 'work'));
    expect(await output(shell, 'pwd', { cwd: undefined as unknown as string })).toBe(base);
    expect(shell.session().cwd).toBe(base);
    expect((await shell.session().run('pwd')).output.trim()).toBe(base);
    expect(shell.analyze('cat x').effects.reads[0]?.path).toBe(join(base, 'x'));
  });

  test('a relative one is an error that says what to do', async () => {
    const hint = 'Use path.resolve(…) for a relative one.';
    expect(() => createShell({ cwd: 'work' })).toThrow(expect.objectContaining({ code: 'invalid-argument', hint }));
    await expect(create().run('ls', { cwd: 'work' })).rejects.toThrow('cwd must be an absolute path.');
  });

  test('a process whose folder is gone can still make a shell, and run where it says', () => {
    const program = `import { rmSync, mkdirSync } from 'node:fs';
      import { createShell } from ${JSON.stringify(SOURCE.replace('/src/', '/dist/').replace(/\.ts$/, '.js'))};
      process.chdir(${JSON.stringify(join(base, 'work'))});
      rmSync(${JSON.stringify(join(base, 'work'))}, { recursive: true });
      const shell = createShell({ tasksFolder: ${JSON.stringify(join(base, 'tasks'))} });
      const error = await shell.run('true').catch((error) => error.code);
      console.log(error, (await shell.run('true', { cwd: '/' })).status);
      await shell.close();`;
    const args = ['--input-type=module', '--eval', program];
    expect(execFileSync(process.execPath, args, { encoding: 'utf8' }).trim()).toBe('no-such-folder exited');
  });

  test('check, authorize, learn and loadPolicy take the one of the process', async () => {
    expect(check('cat x').facts.effects.reads[0]?.path).toBe(join(process.cwd(), 'x'));
    const { facts, isAllowed } = await authorize('cat x', { broker: createBroker() });
    expect([facts.effects.reads[0]?.path, isAllowed]).toEqual([join(process.cwd(), 'x'), true]);
    expect(loadPolicy().sources).toEqual(loadPolicy({ cwd: process.cwd() }).sources);
    const { end } = await learn('rm -rf /', { tasksFolder: join(base, 'tasks') });
    expect(end).toBe('denied');
  });
});

describe('everything else', () => {
  test('env of a call is added to that of the shell', async () => {
    const shell = create({ env: { ONE: '1', TWO: '2' } });
    expect(await output(shell, 'echo "$ONE $TWO"')).toBe('1 2');
    expect(await output(shell, 'echo "$ONE $TWO $THREE"', { env: { TWO: 'b', THREE: 'c' } })).toBe('1 b c');
  });

  test('a time limit ends commands of the foreground, and a call may have its own', async () => {
    const shell = create({ timeout: 300 });
    expect((await shell.run('sleep 20')).status).toBe('timed-out');
    expect((await shell.run('sleep 0.5', { timeout: 20_000 })).status).toBe('exited');
  });

  test.runIf(hasKeeper)('a task has no time limit of the shell', async () => {
    const shell = create({ timeout: 100 });
    const { task } = await shell.start('sleep 0.5; echo end');
    expect(await (await shell.task(task))?.wait()).toMatchObject({ state: 'finished', exitCode: 0 });
  });

  test('mode, session, user, view and streams', async () => {
    const shell = create({ mode: 'plan', session: 's', streams: 'split' });
    expect(shell.check('touch x').verdict.decision).toBe('deny');
    expect(shell.check('touch x', { mode: 'bypass' }).verdict.decision).toBe('allow');
    expect(shell.session().id).toBe('s');
    expect((await shell.run('echo out; echo err >&2')).stderr).toBe('err\n');
    expect((await shell.run('echo out', { streams: 'merged' })).stderr).toBe(null);
  });

  test.runIf(hasKeeper)('a call that opens a folder stays in the sandbox that the shell names', async () => {
    const shell = create({ sandbox: { name: 'restricted' } });
    await expect(shell.run('true', { sandbox: { allowWrite: [base] } })).rejects.toThrow('cannot be widened');
    const { exitCode } = await shell.run(`touch ${base}/x`, { sandbox: { name: 'workspace', allowWrite: [base] } });
    expect(exitCode).toBe(0);
  });

  test('what narrows the shell and what narrows the call both hold', async () => {
    const shell = create({ narrowing: { blacklist: { commands: ['touch'] } } });
    const narrowing = { blacklist: { commands: ['mkdir'] } };
    expect(shell.check('touch x', { narrowing }).verdict.decision).toBe('deny');
    expect(shell.check('mkdir x', { narrowing }).verdict.decision).toBe('deny');
    expect(shell.check('mkdir x').verdict.decision).toBe('allow');
    expect((await shell.session({ narrowing }).run('touch x')).status).toBe('denied');
  });

  test('a session completes a request with what the shell was made with', () => {
    const shell = create({ sandbox: { name: 'restricted' }, env: { ONE: '1' } });
    const { cwd, sandbox, env, session } = shell.session({ cwd: base }).complete({ env: { TWO: '2' } });
    expect({ cwd, sandbox, env }).toEqual({ cwd: base, sandbox: { name: 'restricted' }, env: { ONE: '1', TWO: '2' } });
    expect(session).toMatch(/^[0-9a-f-]{36}$/);
  });

  test('a signal of the shell cancels its calls', async () => {
    expect((await create({ signal: AbortSignal.abort() }).run('echo x')).status).toBe('cancelled');
  });

  test('wrong defaults are thrown when the shell is made', () => {
    for (const wrong of [
      { timeout: 0 },
      { mode: 'fast' },
      { env: { A: 1 } },
      { sandbox: { name: 'x' } },
      { view: 'x' },
    ])
      expect(() => createShell(wrong as object)).toThrow(expect.objectContaining({ code: 'invalid-argument' }));
    expect(() => createShell(null as unknown as object)).toThrow('The options must be an object.');
  });
});

describe('names', () => {
  test.each([
    ['timeoutMs', 'timeout'],
    ['stdin', 'input'],
    ['backgroundAfterMs', 'backgroundAfter'],
    ['cancelSignal', 'signal'],
  ])('a call with %s hears of %s', async (old, now) => {
    await expect(create().run('true', { [old]: 1 })).rejects.toThrow(
      expect.objectContaining({ code: 'invalid-argument', message: `Unknown option: ${old}. Use ${now}.` }),
    );
  });

  test('an option that does not exist is refused, and the message lists those that do', async () => {
    await expect(create().run('true', { sandboxName: 'restricted' } as object)).rejects.toThrow(
      /^Unknown option: sandboxName\. Options: cwd, .*sandbox/,
    );
    expect(() => createShell({ defaultTimeoutMs: 5 } as object)).toThrow(
      'Unknown option: defaultTimeoutMs. Use timeout.',
    );
    expect(() => createShell({ args: [] } as object)).toThrow('Unknown option: args.');
    expect(() => create().session({ timeoutMs: 5 } as object)).toThrow('Use timeout.');
  });

  test('brokers, questions and lessons refuse the old names', async () => {
    expect(() => createBroker({ timeoutMs: 5 } as object)).toThrow('Use timeout.');
    const broker = createBroker();
    await expect(authorize('make', { broker, timeoutMs: 5 } as { broker: typeof broker })).rejects.toThrow(
      'Use timeout.',
    );
    await expect(learn('make', { stdin: '' } as object)).rejects.toThrow('Use input.');
    await expect(openApprovalSocket(broker, { patienceMs: 5 } as object)).rejects.toThrow('Use timeout.');
  });
});

test('what can be closed can be disposed of', async () => {
  const shell = create();
  await shell[Symbol.asyncDispose]();
  await expect(shell.run('true')).rejects.toThrow('This shell tool was closed.');

  const broker = createBroker();
  broker.attach({ name: 'other', present: () => {}, withdraw: () => {} });
  const socket = await openApprovalSocket(broker, {
    env: { ...process.env, HARDSHELL_RUNTIME_DIR: join(base, 'run') },
  });
  await socket[Symbol.asyncDispose]();
  const waiting = authorize('make', { broker });
  broker[Symbol.dispose]();
  expect((await waiting).answer?.by).toBe('closed');

  const place = { folder: join(base, 'log'), keyFolder: join(base, 'key') };
  const audit = openAudit(place);
  await audit[Symbol.asyncDispose]();
  openAuditReader(place)[Symbol.dispose]();
});
