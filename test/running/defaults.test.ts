// What createShell is given holds for each call that does not say otherwise.

import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openAudit, openAuditReader } from '../../src/api/audit.ts';
import {
  analyze,
  authorize,
  check,
  createBroker,
  createShell,
  DEFAULT_POLICY,
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
  const shell = createShell({ policy: FREE, tasksFolder: join(base, 'tasks'), recording: false, ...plain, ...options });
  open.push(shell);
  return shell;
}

const hinting = (hint: string) => expect.objectContaining({ code: 'invalid-argument', hint });

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

  test('a call in the restricted sandbox gets nothing that the shell opens', () => {
    const shell = create({ sandbox: { allowWrite: [base] } });
    const { sandbox } = shell.session().complete({ sandbox: 'restricted' });
    expect(sandbox).toEqual({ name: 'restricted' });
  });

  test('a session keeps its sandbox when a call opens a folder, and its mode when a call says undefined', () => {
    const session = create().session({ sandbox: { name: 'unrestricted' }, mode: 'plan' } as object);
    const { sandbox, mode } = session.complete({
      sandbox: { allowWrite: [base] },
      mode: undefined as unknown as 'plan',
    });
    expect({ sandbox, mode }).toEqual({ sandbox: { name: 'unrestricted', allowWrite: [base] }, mode: 'plan' });
  });

  test('the shell of the tool yields to the arguments of a call, and the other way round', async () => {
    const shell = create({ shell: 'bash' });
    expect(await output(shell, 'echo', { args: ['$HOME'] })).toBe('$HOME');
    expect(await output(shell, 'echo $((1 + 1))', { shell: undefined as unknown as 'sh' })).toBe('2');
    const session = shell.session().with({ args: ['a'] });
    expect((await session.run('echo')).output.trim()).toBe('a');
    expect((await session.run('echo b', { shell: 'sh' })).output.trim()).toBe('b');
    await expect(shell.run('echo', { args: [], shell: 'sh' })).rejects.toThrow('cannot be combined');
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

/** Options that were accepted and had no effect: the caller believed in a sandbox or a limit that was not there. */
const IGNORED: readonly [string, object, string, string | null][] = [
  [
    'a sandbox that does not exist',
    { sandbox: 'strict' },
    'sandbox must be one of restricted, workspace, unrestricted.',
    null,
  ],
  ['a misspelled sandbox', { sandbox: 'restrictd' }, 'sandbox must be one of', 'Did you mean restricted?'],
  [
    'an unknown key of the sandbox',
    { sandbox: { mode: 'restricted' } },
    'Unknown option: sandbox.mode.',
    'Options of sandbox: name, allowWrite, allowDomains, allowPorts, publishPorts.',
  ],
  ['a sandbox that is a list', { sandbox: ['restricted'] }, 'sandbox must be an object.', null],
  [
    'a folder that is not a list',
    { sandbox: { allowWrite: '/tmp' } },
    'sandbox.allowWrite must be a list of absolute paths.',
    null,
  ],
  [
    'a misspelled narrowing',
    { narrowing: { allowedCommand: ['ls'] } },
    'Unknown option: narrowing.allowedCommand.',
    'Did you mean narrowing.allowedCommands?',
  ],
  [
    'one in a list',
    { narrowing: [{}, { root: ['/'] }] },
    'Unknown option: narrowing.root.',
    'Did you mean narrowing.roots?',
  ],
  ['a narrowing that is a string', { narrowing: 'ls' }, 'narrowing must be an object.', null],
  [
    'a narrowing with a string for a list',
    { narrowing: { allowedCommands: 'ls' } },
    'narrowing.allowedCommands must be a list of strings.',
    null,
  ],
  [
    'a key of the blacklist',
    { narrowing: { blacklist: { command: [] } } },
    'Unknown option: narrowing.blacklist.command.',
    'Did you mean narrowing.blacklist.commands?',
  ],
  [
    'a limit that does not exist',
    { limits: { memory: 5 } },
    'Unknown option: limits.memory.',
    expect.stringContaining('memoryBytes') as unknown as string,
  ],
  ['limits that are a number', { limits: 5 }, 'limits must be an object.', null],
  ['a profile that does not exist', { profile: 'nope' }, 'profile must be one of claude-code, ', null],
  [
    'a policy that is a name',
    { policy: 'strict' },
    'policy must be an object.',
    'Start from DEFAULT_POLICY: { ...DEFAULT_POLICY, mode: … }.',
  ],
  [
    'a policy that is not complete',
    { policy: { mode: 'plan' } },
    'policy.rules is missing.',
    'Start from DEFAULT_POLICY: { ...DEFAULT_POLICY, mode: … }.',
  ],
  [
    'a misspelled key of the policy',
    { policy: { ...FREE, allowedCommand: ['ls'] } },
    'Unknown option: policy.allowedCommand.',
    'Did you mean policy.allowedCommands?',
  ],
  ['a mode of the policy', { policy: { ...FREE, mode: 'strict' } }, 'policy.mode must be one of', null],
  [
    'a check that does not exist',
    { policy: { ...FREE, checks: { 'git-force-psh': 'deny' } } },
    'Unknown check in policy.checks: git-force-psh.',
    'Did you mean git-force-push?',
  ],
  [
    'a rule that is a string',
    { policy: { ...FREE, rules: ['Bash(ls)'] } },
    'policy.rules must be a list of rules',
    null,
  ],
  ['variables that are a string', { env: 'A=b' }, 'env must be an object of variables', null],
  ['a flag that is a string', { preserveEnvironment: 'no' }, 'preserveEnvironment must be true or false.', null],
  ['a signal that is none', { signal: {} }, 'signal must be an AbortSignal.', null],
  ['a listener that is none', { onEvent: 'log' }, 'onEvent must be a function.', null],
  ['a session that is a number', { session: 5 }, 'session must be a string.', null],
];

describe('options that would have no effect are refused', () => {
  test.each(IGNORED)('%s', async (_, options, message, hint) => {
    const error = expect.objectContaining({
      code: 'invalid-argument',
      message: expect.stringContaining(message),
      ...(hint === null ? {} : { hint }),
    });
    expect(() => createShell(options)).toThrow(error);
    await expect(create().run('true', options)).rejects.toThrow(error);
    expect(() => create().session().complete(options)).toThrow(error);
  });

  test.each<[object, string]>([
    [{ broker: 'ask' }, 'broker is not valid.'],
    [{ broker: createBroker }, 'broker is not valid.'],
    [{ runner: {} }, 'runner is not valid.'],
    [{ classifier: {} }, 'classifier must be a function.'],
    [{ observers: {} }, 'observers must be a list of observers.'],
    [{ observers: [{ onVerdct() {} }] }, 'Unknown option: observers.onVerdct.'],
    [{ recording: true }, 'recording is not valid.'],
    [{ queue: { concurent: 1 } }, 'Unknown option: queue.concurent.'],
    [{ queue: { order: 'fifo' } }, 'queue.order must be one of strict, writes, none.'],
    [{ pool: 9 }, 'pool must be a number from 0 to 4.'],
    [{ hostEnvironment: 'PATH' }, 'hostEnvironment must be an object'],
  ])('%j of a shell', (options, message) => {
    expect(() => createShell(options)).toThrow(
      expect.objectContaining({ code: 'invalid-argument', message: expect.stringContaining(message) }),
    );
  });

  test('of check, authorize, learn and brokers', async () => {
    const broker = createBroker();
    const invalid = (message: string) => expect.objectContaining({ code: 'invalid-argument', message });
    expect(() => check('ls', { polcy: FREE } as object)).toThrow(invalid('Unknown option: polcy.'));
    expect(() => check('ls', { context: { usr: 'ann' } } as object)).toThrow(invalid('Unknown option: context.usr.'));
    expect(() => check('ls', { cwd: 'here' })).toThrow(invalid('cwd must be an absolute path.'));
    expect(() => check('ls', null as unknown as object)).toThrow(invalid('The options must be an object.'));
    expect(() => analyze('ls', null as unknown as object)).toThrow(invalid('The options must be an object.'));
    expect(() => analyze('ls', { cdw: '/' } as object)).toThrow(invalid('Unknown option: cdw.'));
    const shell = createShell({ recording: false });
    await expect(shell.run('true', { env: { 'A B': '1' } })).rejects.toThrow(
      invalid('env: "A B" is not the name of a variable.'),
    );
    await expect(shell.run('true', { timeout: 2 ** 31 })).rejects.toThrow(
      invalid('timeout must be a whole number of milliseconds, from 1 to 2147483647.'),
    );
    await shell.close();
    await expect(authorize('ls', { broker, profil: 'req' } as object as { broker: typeof broker })).rejects.toThrow(
      invalid('Unknown option: profil.'),
    );
    await expect(authorize('ls', {} as { broker: typeof broker })).rejects.toThrow(invalid('broker is not valid.'));
    await expect(learn('ls', { sandbox: { name: 'restricted' } } as object)).rejects.toThrow(
      invalid('Unknown option: sandbox.name.'),
    );
    expect(() => createBroker({ onProblm: () => {} } as object)).toThrow(invalid('Unknown option: onProblm.'));
  });
});

test.runIf(hasKeeper)('a sandbox can be given by its name alone', async () => {
  const shell = create({ cwd: base, sandbox: 'restricted' });
  expect((await shell.run('touch x')).exitCode).not.toBe(0);
  expect((await shell.run('touch x', { sandbox: 'workspace' })).exitCode).toBe(0);
  expect((await create({ cwd: base }).run('touch y', { sandbox: 'restricted' })).exitCode).not.toBe(0);
});

describe('names', () => {
  test.each([
    ['timeoutMs', 'timeout'],
    ['stdin', 'input'],
    ['backgroundAfterMs', 'backgroundAfter'],
    ['cancelSignal', 'signal'],
  ])('a call with %s hears of %s', async (old, now) => {
    await expect(create().run('true', { [old]: 1 })).rejects.toThrow(
      expect.objectContaining({
        code: 'invalid-argument',
        message: `Unknown option: ${old}.`,
        hint: `Use ${now}.`,
      }),
    );
  });

  test('an option that does not exist is refused, and the hint names the nearest, or lists those that exist', async () => {
    await expect(create().run('true', { sandboxName: 'restricted' } as object)).rejects.toThrow(
      expect.objectContaining({
        message: 'Unknown option: sandboxName.',
        hint: expect.stringMatching(/^Options: cwd, .*sandbox/),
      }),
    );
    await expect(create().run('true', { timout: 5 } as object)).rejects.toThrow(hinting('Did you mean timeout?'));
    expect(() => createShell({ defaultTimeoutMs: 5 } as object)).toThrow(hinting('Use timeout.'));
    expect(() => createShell({ args: [] } as object)).toThrow('Unknown option: args.');
    expect(() => create().session({ timeoutMs: 5 } as object)).toThrow(hinting('Use timeout.'));
  });

  test('arguments that are passed as in spawn are refused, and the hint says how to pass them', async () => {
    await expect(create().run('echo', ['a'] as object)).rejects.toThrow(hinting('Pass arguments as { args: […] }.'));
  });

  test('brokers, questions and lessons refuse the old names', async () => {
    const useTimeout = hinting('Use timeout.');
    expect(() => createBroker({ timeoutMs: 5 } as object)).toThrow(useTimeout);
    const broker = createBroker();
    await expect(authorize('make', { broker, timeoutMs: 5 } as { broker: typeof broker })).rejects.toThrow(useTimeout);
    await expect(learn('make', { stdin: '' } as object)).rejects.toThrow(hinting('Use input.'));
    await expect(openApprovalSocket(broker, { patienceMs: 5 } as object)).rejects.toThrow(useTimeout);
  });
});

describe('onAsk', () => {
  const command = 'npm publish';
  const ask = { policy: DEFAULT_POLICY, narrowing: { allowedCommands: ['npm'] } };

  test('is called with the question, and its answer counts', async () => {
    const seen: string[] = [];
    const shell = create({
      ...ask,
      onAsk: (request) => {
        seen.push(request.command);
        return 'allow';
      },
    });
    expect((await shell.permit(command)).isAllowed).toBe(true);
    expect(seen).toEqual([command]);
    expect((await create({ ...ask, onAsk: () => 'deny' }).permit(command)).answer).toMatchObject({ by: 'callback' });
  });

  test('a question that is open when the shell is closed is denied', async () => {
    const shell = create({ ...ask, onAsk: () => new Promise(() => {}) });
    const waiting = shell.permit(command);
    await new Promise((resolve) => setImmediate(resolve));
    await shell.close();
    expect((await waiting).answer?.by).toBe('closed');
  });

  test('cannot be combined with a broker, which the hint explains', () => {
    const broker = createBroker();
    expect(() => createShell({ broker, onAsk: () => 'deny' })).toThrow(
      hinting('Use broker.attach(callbackSurface(onAsk)).'),
    );
  });

  test('an answer for a session that does not exist is a denial that says why', async () => {
    const onAsk = () => ({ verdict: 'allow', scope: 'session', rule: 'Bash(npm publish)' }) as const;
    const { answer, failure } = await create({ ...ask, onAsk }).run(command);
    const why = 'The answer cannot be used: This request has no session: it can only be allowed once.';
    expect(answer?.reason).toContain(why);
    expect(failure?.message).toContain(`Not approved: ${why}`);
  });
});

test('what can be closed can be disposed of', async () => {
  const shell = create();
  await shell[Symbol.asyncDispose]();
  const closed = expect.objectContaining({ code: 'closed', message: 'This shell tool was closed.' });
  await expect(shell.run('true')).rejects.toThrow(closed);
  await expect(shell.permit('true')).rejects.toThrow(closed);

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
