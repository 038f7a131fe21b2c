// The profile `layered`: its input, every group of its output, its 17 errors, its configuration and its protocols.

import { existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DEFAULT_POLICY } from '../../src/core/default-policy.ts';
import { createFailure, FAILURE_TYPES, FAILURES } from '../../src/core/failure.ts';
import type { Threat, ThreatRule } from '../../src/core/policy.ts';
import type { ShellEvent } from '../../src/core/running.ts';
import { DEFAULT_BASH_CONFIGURATION } from '../../src/profiles/layered/configuration.ts';
import { toBashError, userMessage } from '../../src/profiles/layered/errors.ts';
import { createLayeredIntegration } from '../../src/profiles/layered/integration.ts';
import {
  type CommandExecutionResponse,
  executeRequest,
  type StreamOutputData,
  streamData,
} from '../../src/profiles/layered/protocol.ts';
import { profileOf } from '../../src/profiles/profiles.ts';
import { hasKeeper } from '../running/subject.ts';
import { createSubject, FREE, listenTo, needsKeeper, type Subject } from './subject.ts';

let subject: Subject;
beforeAll(() => {
  subject = createSubject(profileOf('layered'));
});
afterAll(() => subject.close());

// biome-ignore lint/suspicious/noExplicitAny: the tests look into every corner of the answer
type Output = Record<string, any>;
const run = async (input: object, calling = {}): Promise<Output> => (await subject.call('bash', input, calling)).data;
const shell = (command: string, more = {}, calling = {}) =>
  run({ command, enable_shell_features: true, ...more }, calling);

describe('LAYER BashToolInput', () => {
  test('its fields', () => {
    const { inputSchema } = subject.tool('bash');
    expect(Object.keys(inputSchema.properties)).toEqual([
      ...['command', 'args', 'description', 'cwd', 'env', 'timeout'],
      ...['capture_output', 'stream_output', 'max_output_size'],
      ...['allowed_commands', 'allowed_paths', 'require_confirmation'],
      ...['max_memory', 'max_cpu_usage', 'max_execution_time', 'max_file_operations'],
      ...['enable_sandbox', 'preserve_environment', 'enable_shell_features'],
    ]);
    expect(inputSchema.required).toEqual(['command']);
  });

  test('command and args are a program and its words: nothing is expanded', async () => {
    const { stdout } = await run({ command: 'echo', args: ['$HOME', '*', '; touch injected'] });
    expect(stdout).toBe('$HOME * ; touch injected\n');
    expect(existsSync(join(subject.folder, 'injected'))).toBe(false);
  });

  test('enable_shell_features: the command is shell text, args are still words', async () => {
    expect((await shell('echo $((1 + 2))', { args: ['$x', "it's"] })).stdout).toBe("3 $x it's\n");
  });

  test('without shell features, text with blanks is the name of a program that is not there', async () => {
    const { error } = await run({ command: 'echo a b' });
    expect(error).toMatchObject({
      type: 'command_not_found',
      message: "Command not found: 'echo a b'",
      details: { command: 'echo a b' },
    });
    expect(error.recovery_suggestions.join(' ')).toMatch(
      /"command": "echo", "args": \["a","b"\].*enable_shell_features/,
    );
  });

  test('cwd and env', async () => {
    mkdirSync(join(subject.folder, 'in'), { recursive: true });
    const { stdout, execution_info } = await shell('pwd; echo "$GREETING"', { cwd: 'in', env: { GREETING: 'hello' } });
    expect(stdout).toBe(`${join(subject.folder, 'in')}\nhello\n`);
    expect(execution_info.working_directory).toBe(join(subject.folder, 'in'));
    expect(execution_info.environment_variables).toMatchObject({ GREETING: 'hello', HISTFILE: '/dev/null' });
  });

  test('capture_output: false leaves the output out, of the text too', async () => {
    const input = { command: 'echo secret-word; echo secret-word >&2', enable_shell_features: true };
    const { text, data } = await subject.call('bash', { ...input, capture_output: false });
    expect(data).toMatchObject({ success: true, stdout: '', stderr: '' });
    expect(text).toBe('(the output was not captured)');
    expect((await subject.call('bash', input)).text).toBe('secret-word\nsecret-word\n');
  });

  test('stream_output: only then a caller that listens gets the output while it runs', async () => {
    const heard = async (more: object) => {
      const events: ShellEvent[] = [];
      await shell('echo x', more, { onEvent: (event: ShellEvent) => void events.push(event) });
      return events.map(({ type }) => type);
    };
    expect(await heard({ stream_output: true })).toContain('stdout');
    expect(await heard({})).not.toContain('stdout');
    expect(await heard({})).toContain('status');
  });

  test('max_output_size: past it the command is ended with resource_limit_exceeded', async () => {
    const output = await shell('while :; do echo 0123456789; done', { max_output_size: 1000 });
    expect(output.success).toBe(false);
    expect(output.error.type).toBe('resource_limit_exceeded');
    expect(output.error.message).toMatch(/^Resource limit exceeded: output \(\d+ > 1000\)$/);
    expect(output.stdout.length).toBeGreaterThan(0);
    expect(output.stdout.length).toBeLessThanOrEqual(1000);
  });

  test('the text of long output says where all of it is', async () => {
    const { text, data } = await subject.call('bash', { command: 'seq', args: ['50000'] });
    expect(text.length).toBeLessThan(10_000);
    expect(text).toMatch(/\n\[the fields stdout and stderr of this result have the whole output\]$/);
    expect((data.stdout as string).split('\n')).toHaveLength(50_001);
    expect((await subject.call('bash', { command: 'seq', args: ['5'] })).text).toBe('1\n2\n3\n4\n5\n');
  });

  test.each([
    ['max_output_size', DEFAULT_BASH_CONFIGURATION.maxOutputSize],
    ['max_memory', DEFAULT_BASH_CONFIGURATION.maxMemoryUsage],
    ['max_cpu_usage', DEFAULT_BASH_CONFIGURATION.maxCpuUsage],
  ])('%s above the configured limit is an error', async (field, most) => {
    expect((await run({ command: 'pwd', [field]: most })).success).toBe(true);
    const { error } = await run({ command: 'pwd', [field]: most + 1 });
    expect(error.message).toContain(`"${field}" must be at most ${most}`);
    const calling = subject.converse();
    createLayeredIntegration(calling).configureResourceLimits({ maxOutputSize: 1000 });
    const lowered = await run({ command: 'pwd', max_output_size: 1001 }, calling);
    expect(lowered.error.message).toContain('"max_output_size" must be at most 1000');
  });

  test('suggestions name fields of the request', async () => {
    const timed = await run({ command: 'sleep', args: ['60'], timeout: 200 });
    expect(timed.error.recovery_suggestions.join(' ')).toContain('timeout');
    expect(timed.error.recovery_suggestions.join(' ')).not.toContain('background');
    const flood = await run({ command: 'seq', args: ['100000'], max_output_size: 100 });
    expect(flood.error.recovery_suggestions).toContain(
      `Set a higher max_output_size, at most ${DEFAULT_BASH_CONFIGURATION.maxOutputSize}.`,
    );
  });

  test('commands are not told that they run in Claude Code', async () => {
    expect((await shell('echo "[$CLAUDECODE]"')).stdout).toBe(`[${process.env.CLAUDECODE ?? ''}]\n`);
  });

  test('a crash is called a crash', async () => {
    const { error } = await shell('kill -SEGV $$');
    expect(error).toMatchObject({ type: 'process_terminated', message: 'The command crashed (SIGSEGV).' });
    expect(error.recovery_suggestions.join(' ')).not.toContain('Try again');
  });

  test('up to its limit all of the output is in the answer, by stream', async () => {
    const { stdout, stderr } = await shell(
      'head -c 300000 /dev/zero | tr "\\0" a; head -c 1000 /dev/zero | tr "\\0" b >&2',
    );
    expect([stdout, stderr]).toEqual(['a'.repeat(300_000), 'b'.repeat(1000)]);
    expect(await subject.shell.tasks()).toEqual([]);
  });

  test('allowed_commands: nothing else runs', async () => {
    const input = { allowed_commands: ['echo'] };
    expect((await shell('echo a', input)).success).toBe(true);
    const refused = await shell('echo a; touch listed', input);
    expect(refused.error).toMatchObject({
      type: 'command_not_allowed',
      message: "Command 'echo a; touch listed' is not allowed by security policy",
    });
    expect(existsSync(join(subject.folder, 'listed'))).toBe(false);
  });

  test('allowed_paths: only inside, and only what was allowed already', async () => {
    mkdirSync(join(subject.folder, 'inside'), { recursive: true });
    const calling = subject.converse(DEFAULT_POLICY);
    const refused = await run({ command: 'ls', args: ['..'], allowed_paths: ['inside'] }, calling);
    expect(refused.security_info.validation_passed).toBe(false);
    const around = await run({ command: 'ls', args: ['inside/../inside'], allowed_paths: ['.'] }, calling);
    expect([around.success, around.security_info.validation_passed]).toEqual([true, true]);
    // A link that leads out widens nothing.
    const outside = join(subject.folder, '..', 'outside');
    mkdirSync(outside, { recursive: true });
    symlinkSync(outside, join(subject.folder, 'way-out'));
    const input = { command: 'touch', args: ['way-out/x'], allowed_paths: ['way-out', outside] };
    expect((await run(input)).security_info.validation_passed).toBe(false);
    expect(existsSync(join(outside, 'x'))).toBe(false);
  });

  test('allowed_paths: a link that leads out is refused like the path itself, also in the mode bypass', async () => {
    const outside = join(subject.folder, '..', 'victim');
    mkdirSync(outside, { recursive: true });
    writeFileSync(join(outside, 'f'), 'secret\n');
    symlinkSync(outside, join(subject.folder, 'lnk'));
    symlinkSync(join(outside, 'f'), join(subject.folder, 'lnk-file'));
    for (const path of ['../victim/f', 'lnk/f', 'lnk-file']) {
      const { success, stdout, security_info } = await run({ command: 'cat', args: [path], allowed_paths: ['.'] });
      expect([path, success, stdout, security_info.validation_passed]).toEqual([path, false, '', false]);
    }
    expect((await run({ command: 'cat', args: ['lnk/f'] })).stdout).toBe('secret\n');
  });

  test('require_confirmation: what is risky is asked about although everything is allowed', async () => {
    writeFileSync(join(subject.folder, 'confirmed'), '');
    const input = { command: 'rm', args: ['-r', 'confirmed'], require_confirmation: true };
    const refused = await run(input);
    expect(refused.security_info.validation_passed).toBe(false);
    expect(existsSync(join(subject.folder, 'confirmed'))).toBe(true);
    expect((await run({ ...input, require_confirmation: false })).success).toBe(true);
  });

  test('max_execution_time and timeout: the shorter one', async () => {
    const output = await shell('echo begin; sleep 60', { timeout: 60_000, max_execution_time: 300 });
    expect(output.error).toMatchObject({
      type: 'execution_timeout',
      message: 'Command execution timed out after 300ms',
    });
    expect(output.stdout).toBe('begin\n');
  });

  test('max_file_operations cannot be enforced: a request with it is refused', async () => {
    const output = await run({ command: 'touch', args: ['f1'], max_file_operations: 2 });
    expect(output).toMatchObject({ success: false, error: { type: 'invalid_configuration' } });
    expect(output.error.message).toMatch(/^max_file_operations cannot be enforced/);
    expect(existsSync(join(subject.folder, 'f1'))).toBe(false);
  });

  test('max_memory: past it the command is ended', async (context) => {
    needsKeeper(context);
    const output = await run({
      command: 'node',
      args: ['-e', 'const a=[];for(;;)a.push(Buffer.alloc(1<<20,1))'],
      max_memory: 150 << 20,
      timeout: 20_000,
    });
    expect(output).toMatchObject({ success: false, error: { type: 'resource_limit_exceeded' } });
    expect(output.error.message).toMatch(/^Resource limit exceeded: memory \((?:\d+ > |limit )157286400\)$/);
  });

  test('limits of a request reach the engine', async () => {
    const { session, asked } = listenTo(subject.calling);
    await run({ command: 'true', max_memory: 1 << 29, max_cpu_usage: 50 }, { session });
    expect(asked).toMatchObject([{ limits: { memoryBytes: 1 << 29, cpuPercent: 50 } }]);
  });

  test('enable_sandbox: false is a request to the engine, preserve_environment too', async () => {
    const { session, asked } = listenTo(subject.calling);
    await run({ command: 'true', enable_sandbox: false, preserve_environment: true }, { session });
    await run({ command: 'true' }, { session });
    expect(asked.map(({ withoutSandbox, preserveEnvironment }) => [withoutSandbox, preserveEnvironment])).toEqual([
      [true, true],
      [undefined, undefined],
    ]);
    const { defaultTimeout, maxOutputSize, maxMemoryUsage, maxProcesses } = DEFAULT_BASH_CONFIGURATION;
    expect(asked[1]).toMatchObject({
      timeout: defaultTimeout,
      limits: {
        outputBytes: maxOutputSize,
        memoryBytes: maxMemoryUsage,
        processes: maxProcesses,
        cpuPercent: 80,
        openFiles: 1000,
      },
    });
  });

  test('a command that the surface cannot wait for continues as a task', async (context) => {
    needsKeeper(context);
    const output = await run({ command: 'sleep', args: ['60'] }, { answerWithin: 200 });
    expect(output).toMatchObject({
      success: false,
      exit_code: -1,
      task_id: expect.any(String),
      process_info: { pid: expect.any(Number) },
    });
    expect((await subject.call('TaskStop', { task_id: output.task_id })).data.stopped).toBe(true);
    await (await subject.shell.task(output.task_id))?.remove();
  });

  test('limits of a request can only be lower than those of the configuration', async () => {
    const other = createSubject(profileOf('layered', { layered: { maxOutputSize: 100 } }));
    try {
      const input = { command: 'seq', args: ['1', '1000'], max_output_size: 1 << 20 };
      expect((await other.call('bash', input)).data.error).toMatchObject({ type: 'invalid_configuration' });
    } finally {
      await other.close();
    }
  });

  test.each([
    {},
    { command: 1 },
    { command: 'ls', args: 'x' },
    { command: 'ls', timeout: 0 },
    { command: 'ls', env: { A: 1 } },
    { command: 'ls', x: 1 },
  ])('bad input %j is answered', async (input) => {
    expect(await run(input)).toMatchObject({ success: false, exit_code: -1, error: { type: 'invalid_configuration' } });
  });
});

describe('LAYER BashToolOutput', () => {
  test('every group of a success is filled with what was measured', async () => {
    const output = await shell('echo out; echo err >&2; sleep 1.3; true');
    expect(output).toMatchObject({ success: true, exit_code: 0, stdout: 'out\n', stderr: 'err\n' });
    expect(output.error).toBeUndefined();
    expect(output.execution_info).toMatchObject({
      command: 'echo out; echo err >&2; sleep 1.3; true',
      args: [],
      working_directory: subject.folder,
    });
    expect(output.execution_info.execution_time).toBeGreaterThan(1000);
    expect(output.execution_info.environment_variables.PATH).toContain('/bin');
    const { max_memory_used, cpu_time, wall_time, disk_io_read, disk_io_write, file_operations } =
      output.resource_usage;
    expect(wall_time).toBe(output.execution_info.execution_time);
    if (hasKeeper) {
      for (const value of [cpu_time, disk_io_read, disk_io_write]) expect(value).toBeGreaterThanOrEqual(0);
      expect(max_memory_used).toBeGreaterThan(100_000);
    }
    // Nothing counts them.
    expect(file_operations).toBeNull();
    expect(output.security_info).toEqual({
      validation_passed: true,
      risk_level: expect.stringMatching(/^(low|medium|high|critical)$/),
      blocked_operations: [],
      sandbox_used: (await subject.shell.enforcement(subject.calling.session.complete())).tier !== 'none',
    });
    expect(output.process_info.pid).toBeGreaterThan(1);
    expect(output.process_info.parent_pid).toBeGreaterThan(0);
    if (process.platform === 'linux') expect(output.process_info.child_processes.length).toBeGreaterThan(0);
  });

  test('debug_info: parsing, checks, timeline', async () => {
    const { debug_info } = await shell('cat a.txt | grep -i x > out.txt');
    const { command_parsing, security_checks, execution_timeline } = debug_info;
    expect(command_parsing.tokens.map(({ type, value }: Output) => [type, value])).toEqual([
      ['command', 'cat'],
      ['argument', 'a.txt'],
      ['operator', '|'],
      ['command', 'grep'],
      ['option', '-i'],
      ['argument', 'x'],
      ['operator', '> out.txt'],
    ]);
    expect(command_parsing.ast).toMatchObject({
      type: 'pipeline',
      commands: [
        { name: 'cat', args: ['a.txt'] },
        { name: 'grep', args: ['-i', 'x'], redirections: [{ operator: '>', target: 'out.txt' }] },
      ],
    });
    expect(command_parsing).toMatchObject({
      originalCommand: 'cat a.txt | grep -i x > out.txt',
      isSecure: expect.any(Boolean),
    });
    expect(command_parsing.executionPlan).toHaveLength(2);
    expect(security_checks.map(({ validationResults }: Output) => validationResults[0].checkType)).toEqual([
      ...['command_whitelist', 'dangerous_operations', 'path_security', 'injection', 'resource_access'],
    ]);
    expect(security_checks.every(({ allowed }: Output) => allowed)).toBe(true);
    const types = execution_timeline.map(({ type }: Output) => type);
    expect(types[0]).toBe('requested');
    expect(types).toEqual(expect.arrayContaining(['started', 'exited', 'answered']));
    const times = execution_timeline.map(({ timestamp }: Output) => timestamp);
    expect(times).toEqual([...times].sort((a, b) => a - b));
  });

  test('a refusal: nothing ran, and the check that refused is named', async () => {
    const output = await shell('touch never; rm -rf /');
    expect(output).toMatchObject({
      success: false,
      exit_code: -1,
      process_info: { pid: 0 },
      security_info: { validation_passed: false, risk_level: 'critical' },
    });
    expect(output.security_info.blocked_operations.length).toBeGreaterThan(0);
    expect(output.error.recovery_suggestions.length).toBeGreaterThan(0);
    const blocked = output.debug_info.security_checks.filter(({ allowed }: Output) => !allowed);
    expect(blocked.map(({ blockedBy }: Output) => blockedBy)).toContain('dangerous_ops_check');
    expect(existsSync(join(subject.folder, 'never'))).toBe(false);
  });

  test('a signal is named', async (context) => {
    needsKeeper(context);
    const { process_info, exit_code, error } = await shell('kill -KILL $$');
    expect([process_info.signal, exit_code, error.type]).toEqual(['SIGKILL', 137, 'process_terminated']);
  });

  test('an exit code is an outcome, not an error', async () => {
    const output = await shell('exit 3');
    expect([output.success, output.exit_code, output.error]).toEqual([false, 3, undefined]);
  });

  test('variables whose names say that they are secrets are not shown', async () => {
    const { execution_info, stdout } = await shell('echo "$MY_TOKEN"', { env: { MY_TOKEN: 'abc123' } });
    expect(JSON.stringify(execution_info.environment_variables)).not.toContain('abc123');
    expect(['abc123\n', '\n']).toContain(stdout);
  });
});

describe('LAYER BashErrorType', () => {
  test('the 17 types, in its order', () => {
    expect(FAILURE_TYPES).toEqual([
      ...['security_validation_failed', 'command_not_allowed', 'permission_denied', 'sandbox_creation_failed'],
      ...['command_not_found', 'execution_timeout', 'resource_limit_exceeded', 'process_terminated'],
      ...['working_directory_invalid', 'environment_setup_failed', 'path_not_accessible'],
      ...['insufficient_resources', 'system_error', 'io_error', 'network_error'],
      ...['invalid_configuration', 'missing_dependencies'],
    ]);
  });

  test.each(FAILURE_TYPES)('%s becomes a BashError', (type) => {
    const kind = FAILURES[type];
    expect(toBashError(createFailure(type))).toEqual({
      type,
      message: expect.stringMatching(/./),
      context: {},
      recoverable: kind.isRecoverable,
      securityRelated: kind.isSecurityRelated,
      securityLevel: kind.securityLevel,
    });
  });

  test('getSecurityLevel', () => {
    const level = (type: (typeof FAILURE_TYPES)[number]) => toBashError(createFailure(type)).securityLevel;
    expect(
      [
        'security_validation_failed',
        'command_not_allowed',
        'permission_denied',
        'sandbox_creation_failed',
        'io_error',
      ].map((type) => level(type as never)),
    ).toEqual(['high', 'high', 'medium', 'low', 'none']);
  });

  test('toUserMessage', () => {
    const say = (type: (typeof FAILURE_TYPES)[number], context: object) => userMessage(createFailure(type, context));
    expect(say('command_not_allowed', { command: 'x' })).toBe("Command 'x' is not allowed by security policy");
    expect(say('permission_denied', { command: 'x' })).toBe("Permission denied: Cannot execute 'x'");
    expect(say('execution_timeout', { timeoutMs: 5 })).toBe('Command execution timed out after 5ms');
    expect(say('resource_limit_exceeded', { resource: 'memory', current: 2, limit: 1 })).toBe(
      'Resource limit exceeded: memory (2 > 1)',
    );
    expect(say('command_not_found', { command: 'x' })).toBe("Command not found: 'x'");
  });

  test.for<[string, object]>([
    ['command_not_found', { command: 'no-such-program-here' }],
    ['command_not_found', { command: 'no-such-program-here', enable_shell_features: true }],
    ['working_directory_invalid', { command: 'ls', cwd: 'no/such/folder' }],
    ['security_validation_failed', { command: 'git', args: ['add', '-A'] }],
  ])('%s from a real run', async ([type, input], context) => {
    if (type === 'working_directory_invalid') needsKeeper(context);
    expect((await run(input)).error.type).toBe(type);
  });
});

test('LAYER BashConfiguration: its defaults', () => {
  expect(DEFAULT_BASH_CONFIGURATION).toMatchObject({
    enableSandbox: true,
    defaultTimeout: 30_000,
    maxOutputSize: 10 * 1024 * 1024,
    enableStreaming: true,
    maxMemoryUsage: 1024 ** 3,
    maxCpuUsage: 80,
    maxProcesses: 10,
    maxFileDescriptors: 1000,
    preserveEnvironment: false,
    defaultShell: '/bin/bash',
    enableMonitoring: true,
    enableAuditing: true,
  });
  expect(profileOf('layered').engine.timeout).toBe(30_000);
});

test('LAYER BashConfiguration: whitelist and paths of the host hold besides those of a request', async () => {
  const other = createSubject(
    profileOf('layered', { layered: { commandWhitelist: ['echo', 'ls'], allowedPaths: ['.'] } }),
  );
  try {
    expect((await other.call('bash', { command: 'echo', args: ['a'] })).isError).toBe(false);
    expect((await other.call('bash', { command: 'cat', args: ['a'], allowed_commands: ['cat'] })).isError).toBe(true);
    expect((await other.call('bash', { command: 'ls', allowed_commands: ['echo'] })).isError).toBe(true);
  } finally {
    await other.close();
  }
});

describe('LAYER command execution protocol', () => {
  const base = { requestId: 'r1', timestamp: 1, args: [] };

  /** What each field of BashToolInput does to a command; every one of them has a row. */
  const INPUTS: Record<string, Record<string, unknown>> = {
    command: { command: 'pwd' },
    args: { command: 'echo', args: ['$HOME', 'a b'] },
    description: { command: 'pwd', description: 'Where am I' },
    cwd: { command: 'pwd', cwd: '/' },
    env: { command: 'printenv', args: ['GREETING'], env: { GREETING: 'hello' } },
    timeout: { command: 'sleep', args: ['60'], timeout: 300 },
    capture_output: { command: 'pwd', capture_output: false },
    stream_output: { command: 'pwd', stream_output: true },
    max_output_size: { command: 'seq', args: ['100000'], max_output_size: 100 },
    allowed_commands: { command: 'pwd', allowed_commands: ['ls'] },
    allowed_paths: { command: 'cat', args: ['/etc/hostname'], allowed_paths: ['.'] },
    require_confirmation: { command: 'chmod', args: ['-R', 'a+w', '.'], require_confirmation: true },
    max_memory: { command: 'pwd', max_memory: 1 << 29 },
    max_cpu_usage: { command: 'pwd', max_cpu_usage: 50 },
    max_execution_time: { command: 'sleep', args: ['60'], max_execution_time: 300 },
    max_file_operations: { command: 'touch', args: ['a1', 'a2', 'a3'], max_file_operations: 2 },
    enable_sandbox: { command: 'pwd', enable_sandbox: false },
    preserve_environment: { command: 'pwd', preserve_environment: true },
    enable_shell_features: { command: 'echo $((6 * 7))', enable_shell_features: true },
  };

  test('every field of the document is among those that are compared', () => {
    expect(Object.keys(INPUTS)).toEqual(Object.keys(subject.tool('bash').inputSchema.properties));
  });

  test.each(Object.entries(INPUTS))('%s holds when streamed as it does otherwise', async (_, input) => {
    const plain = await run(input);
    const { command, args = [], ...options } = input as { command: string; args?: string[] };
    const streamed = (await executeRequest({ ...base, command, args, options }, subject.calling)).data as Output;
    const shown = ({ success, exit_code, stdout, stderr, error, security_info, execution_info }: Output) => ({
      ...{ success, error: error?.type ?? null, security_info },
      // How much output came before the end varies, and so does whether it had ended on its own.
      ...(error?.type === 'resource_limit_exceeded' ? {} : { exit_code, stdout, stderr }),
      folder: execution_info?.working_directory,
      greeting: execution_info?.environment_variables.GREETING,
    });
    expect(shown(streamed)).toEqual(shown(plain));
  });

  test('responses while it runs and at its end', async () => {
    const responses: CommandExecutionResponse[] = [];
    const request = { ...base, command: 'echo', args: ['hello'], options: { stream_output: true } };
    const last = await executeRequest(request, subject.calling, { onResponse: (each) => responses.push(each) });
    expect(last).toMatchObject({ requestId: 'r1', status: 'completed', data: { stdout: 'hello\n' } });
    expect(last.statistics.endTime).toBeGreaterThanOrEqual(last.statistics.startTime);
    expect(responses.every(({ status, requestId }) => status === 'running' && requestId === 'r1')).toBe(true);
    expect(responses.map(({ streamData: piece }) => piece?.type)).toEqual(
      expect.arrayContaining(['status_change', 'stdout']),
    );
  });

  test.each([
    ['terminated', { command: 'sleep', args: ['60'], options: { timeout: 200 } }],
    ['failed', { command: 'git', args: ['add', '-A'] }],
    ['completed', { command: 'false' }],
  ])('status %s', async (status, more) => {
    expect(await executeRequest({ ...base, ...more }, subject.calling)).toMatchObject({ status });
  });

  test('its contexts hold', async () => {
    mkdirSync(join(subject.folder, 'where'), { recursive: true });
    const context = { workingDirectory: join(subject.folder, 'where'), environmentVariables: { A: 'b' } };
    const request = { ...base, command: 'pwd; echo $A', options: { enable_shell_features: true }, context };
    const { data } = await executeRequest(request, subject.calling);
    expect(data?.stdout).toBe(`${join(subject.folder, 'where')}\nb\n`);
    const securityContext = { allowedCommands: ['ls'] };
    expect((await executeRequest({ ...base, command: 'pwd', securityContext }, subject.calling)).error?.type).toBe(
      'command_not_allowed',
    );
  });

  test.each([null, {}, { requestId: 'x' }, { ...base, command: 'ls', options: { timeout: 'x' } }])(
    'a request %j that makes no sense is answered',
    async (request) => {
      expect(await executeRequest(request as never, subject.calling)).toMatchObject({
        status: 'failed',
        error: { type: 'invalid_configuration' },
      });
    },
  );
});

describe('LAYER streaming output protocol', () => {
  test('every piece has a stream, a number, a time and its place', async () => {
    const pieces: StreamOutputData[] = [];
    const options = { enable_shell_features: true, stream_output: true };
    const request = { requestId: 'r', timestamp: 1, command: 'echo one; echo two >&2', args: [], options };
    await executeRequest(request, subject.calling, { onStream: (piece) => pieces.push(piece) });
    expect(pieces.map(({ sequenceNumber }) => sequenceNumber)).toEqual(pieces.map((_, i) => i));
    expect(new Set(pieces.map(({ streamId }) => streamId)).size).toBe(1);
    const first = pieces.find(({ type }) => type === 'stdout');
    expect(first).toMatchObject({ content: 'one\n', metadata: { lineNumber: 1, byteOffset: 0, encoding: 'utf-8' } });
    expect(pieces.at(-1)).toMatchObject({ type: 'status', content: { status: 'exited' } });
  });

  test('enableStreaming: false sends nothing', async () => {
    const pieces: StreamOutputData[] = [];
    const request = { requestId: 'r', timestamp: 1, command: 'echo', args: ['x'] };
    await executeRequest(request, subject.calling, {
      configuration: { enableStreaming: false },
      onStream: (piece) => pieces.push(piece),
    });
    expect(pieces).toEqual([]);
  });

  test.each<[ShellEvent['type'], Partial<ShellEvent>, StreamOutputData['type']]>([
    [
      'resource',
      { elapsedMs: 1, cpuPercent: 2, memoryBytes: 3, usage: { readBytes: 4, writeBytes: 5 } } as never,
      'resource',
    ],
    ['violation', { kind: 'file', operation: 'write', target: '/x', rule: 'r' } as never, 'error'],
    ['error', { message: 'm', violation: null } as never, 'error'],
  ])('an event %s', (type, more, becomes) => {
    const event = { task: 't', sequence: 7, time: 9, type, ...more } as ShellEvent;
    expect(streamData(event)).toMatchObject({ streamId: 't', sequenceNumber: 7, timestamp: 9, type: becomes });
  });
});

describe('LAYER integration', () => {
  test('file tools: what a command touches, whether it may, and what it has changed', async () => {
    const tools = createLayeredIntegration(subject.converse(DEFAULT_POLICY));
    const at = (name: string) => join(subject.folder, name);
    expect(tools.analyzesFileOperations('mv', ['a', 'b'])).toMatchObject({ isComplete: true });
    expect(tools.analyzesFileOperations('rm', ['-r', 'a']).operations).toContainEqual({
      type: 'delete',
      path: at('a'),
      recursive: true,
    });
    const free = createLayeredIntegration(subject.converse());
    expect(await free.validateFileOperationPermissions('touch', ['a'])).toEqual({ allowed: true, reason: null });
    expect(await tools.validateFileOperationPermissions('rm', ['/etc/passwd'])).toMatchObject({
      allowed: false,
      reason: expect.any(String),
    });
    for (const [command, ...args] of [
      ['touch', '/etc/x'],
      ['git', 'add', '.'],
    ] as const) {
      const { allowed, reason } = await free.validateFileOperationPermissions(command, args);
      const { security_info } = await run({ command, args });
      expect([command, allowed]).toEqual([command, security_info.validation_passed]);
      expect(reason === null).toBe(allowed);
    }
    expect(await tools.validateFileOperationPermissions('git', ['add', '.'])).toMatchObject({ allowed: false });
    const listed = createLayeredIntegration(subject.converse());
    listed.updateCommandWhitelist(['ls']);
    expect(await listed.validateFileOperationPermissions('touch', ['a'])).toMatchObject({ allowed: false });
    const result = await subject.shell.run('true', { cwd: subject.folder, policy: FREE });
    expect(tools.syncFileStateAfterExecution(result)).toBe(result.files);
  });

  test('configuration: the whitelist and the limits of a session', async () => {
    const calling = subject.converse();
    const tools = createLayeredIntegration(calling);
    expect(tools.getBashConfiguration()).toEqual(DEFAULT_BASH_CONFIGURATION);
    expect(tools.getSecurityPolicy()).toHaveProperty('blacklist');
    tools.updateCommandWhitelist(['echo', 'seq']);
    tools.configureResourceLimits({ maxOutputSize: 50 });
    expect((await run({ command: 'ls' }, calling)).error.type).toBe('command_not_allowed');
    expect((await run({ command: 'seq', args: ['1', '1000'] }, calling)).error.type).toBe('resource_limit_exceeded');
    expect((await run({ command: 'ls' })).success).toBe(true);
  });
});

describe('LAYER threat rules of the caller', () => {
  const threat = (severity: Threat['severity']): Threat => ({
    type: 'test',
    severity,
    confidence: 1,
    description: 'Not this one.',
    evidence: null,
    mitigations: [],
  });
  const later = <Value>(value: Value, ms = 20) => new Promise<Value>((resolve) => setTimeout(resolve, ms, value));

  /** Everything runs without a question here, so that nothing but the rule can stop it. */
  async function touch(rule: Omit<ThreatRule, 'id'>): Promise<{ ran: boolean; text: string }> {
    const policy = { ...FREE, threatRules: [{ id: 'house-rule', ...rule }] };
    const calling = subject.converse(policy);
    const path = join(subject.folder, `threat-${Math.random().toString(36).slice(2)}`);
    const { text } = await subject.call('bash', { command: 'touch', args: [path] }, calling);
    return { ran: existsSync(path), text };
  }

  test.each<[string, Omit<ThreatRule, 'id'>, boolean, RegExp]>([
    ['finds nothing, at once', { detect: () => null }, true, /^/],
    ['finds nothing, later', { detect: () => later(null) }, true, /^/],
    ['finds something small, later', { detect: () => later(threat('low')) }, true, /^/],
    ['finds a threat, at once', { detect: () => threat('high') }, false, /house-rule says: Not this one\./],
    ['finds a threat, later', { detect: () => later(threat('high')) }, false, /house-rule says: Not this one\./],
    ['throws', { detect: () => JSON.parse('{') }, false, /house-rule failed/],
    ['rejects', { detect: () => Promise.reject(new Error('no database')) }, false, /house-rule failed.*no database/],
    ['never answers', { detect: () => new Promise(() => {}), timeout: 100 }, false, /did not answer within 100 ms/],
    ['says nonsense, later', { detect: () => later('yes' as never) }, false, /house-rule failed/],
  ])('one that %s', async (_, rule, ran, text) => {
    const seen = await touch(rule);
    expect(seen.ran).toBe(ran);
    expect(seen.text).toMatch(text);
  });

  test('the analysis names the rule of the caller, and what it said', async () => {
    const found = { ...threat('medium'), type: 'odd_hours', evidence: 'night', mitigations: ['Wait.'] };
    const rules = [
      { id: 'clock', detect: () => later(found) },
      { id: 'broken', detect: () => Promise.reject(new Error('no clock')) },
    ];
    const { debug_info } = await run({ command: 'ls' }, subject.converse({ ...FREE, threatRules: rules }));
    expect(debug_info.command_parsing.securityAnalysis.threatAnalysis).toMatchObject({
      recommendedAction: 'block',
      threats: [
        {
          ruleId: 'clock',
          threatType: 'odd_hours',
          severity: 'medium',
          evidence: { text: 'night' },
          mitigationSuggestions: ['Wait.'],
        },
        { ruleId: 'broken', threatType: 'rule_failed' },
      ],
    });
  });

  test('a classifier that says yes does not take it back', async () => {
    const classifier = async () => ({ behavior: 'allow' as const, confidence: 1, reason: null });
    const policy = { ...DEFAULT_POLICY, threatRules: [{ id: 'slow', detect: () => later(threat('critical')) }] };
    const other = createSubject(profileOf('layered'), { policy, classifier });
    try {
      const { data } = await other.call('bash', { command: 'touch', args: ['made'] });
      expect([data.success, existsSync(join(other.folder, 'made'))]).toEqual([false, false]);
    } finally {
      await other.close();
    }
  });
});

test('LAYER the description states the folder and the sandbox', () => {
  const text = subject.tool('bash').describe(subject.surroundings);
  expect(text).toContain(subject.folder);
  expect(text).toContain('Sandbox:');
});
