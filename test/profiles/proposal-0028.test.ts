// The profile `proposal-0028`: its types, its configuration, its safety, and every screen of its document.

import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Calling, ProfileTool } from '../../src/profiles/profile.ts';
import { profileOf } from '../../src/profiles/profiles.ts';
import { type BashConfig, DEFAULT_BASH_CONFIG } from '../../src/profiles/proposal-0028/configuration.ts';
import {
  drawBackground,
  drawBlocked,
  drawCompleted,
  drawStreaming,
  drawTruncated,
} from '../../src/profiles/proposal-0028/screens.ts';
import { type StreamEvent, streamProposal0028 } from '../../src/profiles/proposal-0028/streaming.ts';
import { hasKeeper } from '../running/subject.ts';
import { createSubject, listenTo, needsKeeper, type Subject } from './subject.ts';

const DESCRIPTION = `Execute shell commands with configurable options.

Parameters:
- command: The command to execute (required)
- description: What this command does (recommended)
- timeout: Timeout in milliseconds (default: 120000, max: 600000)
- run_in_background: Run without waiting (returns task_id)
- cwd: Working directory override
- env: Additional environment variables

Best practices:
- Always quote paths with spaces
- Use absolute paths when possible
- Use && to chain dependent commands
- Use ; to run commands regardless of previous success
- Prefer dedicated tools over: find, grep, cat, head, tail

For long-running commands, use run_in_background: true
and TaskOutput tool to check results.
`;

const profile = profileOf('proposal-0028');
let subject: Subject;
beforeAll(() => {
  subject = createSubject(profile);
});
afterAll(() => subject.close());

const bash = (command: string, more = {}, calling = {}) => subject.call('Bash', { command, ...more }, calling);

describe('P28 API', () => {
  test('BashInput', () => {
    const { inputSchema } = subject.tool('Bash');
    expect(Object.keys(inputSchema.properties)).toEqual([
      'command',
      'description',
      'timeout',
      'run_in_background',
      'cwd',
      'env',
    ]);
    expect(inputSchema.required).toEqual(['command']);
    expect(inputSchema.properties.timeout).toMatchObject({ minimum: 0, maximum: 600_000 });
  });

  test('BashConfig and its defaults', () => {
    expect(DEFAULT_BASH_CONFIG).toEqual({
      defaultTimeout: 120_000,
      maxTimeout: 600_000,
      maxOutputSize: 30_000,
      blockedCommands: ['rm -rf /', 'mkfs', 'dd if=/dev/zero', ':(){:|:&};:'],
      requireDescription: false,
      sandboxMode: false,
    });
    expect(profile.engine).toEqual({ view: 'proposal-0028', timeout: 120_000, maxTimeout: 600_000 });
  });

  test('BashOutput of a success', async () => {
    const { data } = await bash('echo out; echo err >&2');
    expect(data).toEqual({
      success: true,
      stdout: 'out\n',
      stderr: 'err\n',
      exit_code: 0,
      duration_ms: expect.any(Number),
      truncated: false,
    });
  });

  test('BashOutput of a failure', async () => {
    const { data, isError } = await bash('echo err >&2; exit 5');
    expect([isError, data]).toMatchObject([true, { success: false, stderr: 'err\n', exit_code: 5 }]);
  });

  test.each([
    ['printf a > f; grep zzz f', 1],
    ['false', 1],
    ['printf a > f; printf b > g; diff f g', 1],
    ['test -e missing', 1],
  ])('only exit code 0 is a success: %s', async (command, code) => {
    const { data, text, isError } = await bash(command);
    expect([data.success, data.exit_code, isError]).toEqual([false, code, true]);
    expect(text).toContain(`✗ Command failed with exit code ${code} (`);
    expect(text).not.toContain('✓');
  });

  test('what an exit code means is a note', async () => {
    expect((await bash('printf a > f; grep zzz f')).text).toMatch(/\n\[exit code 1: No .*match.*\]$/);
  });

  test('durations are whole milliseconds', async () => {
    expect(Number.isInteger((await bash('sleep 0.01')).data.duration_ms)).toBe(true);
  });

  test('tags of another tool stay in the output', async () => {
    const tag = '<claude-code-hint plugin-name="x" />';
    const { data } = await bash(`echo '${tag}'; echo '${tag}' >&2`);
    expect([data.stdout, data.stderr]).toEqual([`${tag}\n`, `${tag}\n`]);
  });

  test('cwd and env are for one command', async () => {
    mkdirSync(join(subject.folder, 'there'), { recursive: true });
    const { data } = await bash('pwd; echo "$GREETING"', { cwd: 'there', env: { GREETING: 'hello' } });
    expect(data.stdout).toBe(`${join(subject.folder, 'there')}\nhello\n`);
    expect((await bash('pwd; echo "$GREETING"')).data.stdout).toBe(`${subject.folder}\n\n`);
  });

  test('the command is read by bash', async () => {
    expect((await bash('echo "${BASH_VERSION:+bash}" {1..3}')).data.stdout).toBe('bash 1 2 3\n');
  });

  test('the folder of a command is that of the next one', async () => {
    mkdirSync(join(subject.folder, 'kept'), { recursive: true });
    const calling = subject.converse();
    await bash('cd kept', {}, calling);
    expect((await bash('pwd', {}, calling)).data.stdout).toBe(`${join(subject.folder, 'kept')}\n`);
  });

  test('duration_ms is the time that it took', async () => {
    const began = Date.now();
    const { data } = await bash('sleep 0.4');
    expect(data.duration_ms).toBeGreaterThanOrEqual(390);
    expect(data.duration_ms).toBeLessThanOrEqual(Date.now() - began);
  });

  test('variables that could run other code are not passed, and the answer says so', async () => {
    const env = { PATH: '/tmp/evil', LD_PRELOAD: '/tmp/evil.so', HOME: '/tmp', GREETING: 'hello' };
    const { data, text } = await bash('echo "$GREETING ${LD_PRELOAD-none}"', { env });
    expect([data.success, data.stdout]).toEqual([true, 'hello none\n']);
    for (const name of ['PATH', 'LD_PRELOAD', 'HOME'])
      expect(data.stderr).toMatch(new RegExp(`not passed.*\\b${name}\\b`));
    expect(data.stderr).not.toContain('GREETING');
    expect(text.split('not passed to the command')).toHaveLength(2);
    expect((await bash('true', { env: { GREETING: 'hello' } })).data.stderr).toBe('');
  });

  test('a timeout ends it, with what was written; 0 is the default', async () => {
    const { data } = await bash('echo begin; sleep 60', { timeout: 300 });
    expect(data).toMatchObject({ success: false, stdout: 'begin\n', exit_code: 1 });
    expect(data.stderr).toContain('300 ms');
    expect((await bash('true', { timeout: 0 })).data.success).toBe(true);
  });

  test.each([
    {},
    { command: '' },
    { command: 'ls', timeout: 600_001 },
    { command: 'ls', timeout: -1 },
    { command: 'ls', env: { A: 1 } },
  ])('bad input %j is answered in the shape of BashOutput', async (input) => {
    const { data, isError } = await subject.call('Bash', input);
    expect([isError, data]).toMatchObject([true, { success: false, exit_code: -1, duration_ms: 0, stdout: '' }]);
  });
});

const UNCONFINED = { sandbox: { name: 'unrestricted' } } as const;

describe('P28 configuration', () => {
  async function configured(config: object, body: (other: Subject) => Promise<void>) {
    const other = createSubject(profileOf('proposal-0028', { 'proposal-0028': config }));
    try {
      await body(other);
    } finally {
      await other.close();
    }
  }

  test('requireDescription', () =>
    configured({ requireDescription: true }, async (other) => {
      expect((await other.call('Bash', { command: 'true' })).text).toContain('"description" is missing');
      expect((await other.call('Bash', { command: 'true', description: 'Nothing' })).isError).toBe(false);
    }));

  test('blockedCommands', () =>
    configured({ blockedCommands: ['echo secret', 'seq'] }, async (other) => {
      for (const command of ['echo secret', 'true && seq 3'])
        expect((await other.call('Bash', { command })).data.stderr).toMatch(/^Command contains blocked pattern: /);
      expect((await other.call('Bash', { command: 'echo public' })).isError).toBe(false);
    }));

  test('maxOutputSize', () =>
    configured({ maxOutputSize: 100 }, async (other) => {
      const { data } = await other.call('Bash', { command: 'printf "%0300d" 0' });
      expect(data.stdout).toBe(`${'0'.repeat(50)}\n\n... (200 characters truncated) ...\n\n${'0'.repeat(50)}`);
    }));

  test('maxOutputSize over 30,000', () =>
    configured({ maxOutputSize: 50_000 }, async (other) => {
      const fill = (count: number) => ({ command: `head -c ${count} /dev/zero | tr '\\0' x` });
      expect((await other.call('Bash', fill(50_000))).data).toMatchObject({ stdout: 'x'.repeat(50_000) });
      const half = 'x'.repeat(25_000);
      const stdout = (count: number) => `${half}\n\n... (${count} characters truncated) ...\n\n${half}`;
      expect((await other.call('Bash', fill(50_007))).data).toMatchObject({ stdout: stdout(7), truncated: true });
      expect((await other.call('Bash', fill(1_050_000))).data).toMatchObject({ stdout: stdout(1_000_000) });
    }));

  test('truncated characters are counted as characters, not as bytes', () =>
    configured({ maxOutputSize: 1000 }, async (other) => {
      const { data } = await other.call('Bash', { command: 'for i in {1..200000}; do printf é; done' });
      expect(data.stdout).toContain('... (199000 characters truncated) ...');
    }));

  test.each([
    [{ maxOutputSize: 1 }, 'maxOutputSize must be a whole number of characters, from 2 to 1000000.'],
    [{ maxOutputSize: 1_000_001 }, 'maxOutputSize must be a whole number of characters, from 2 to 1000000.'],
    [{ maxOutputSize: '30000' }, 'maxOutputSize must be a whole number of characters, from 2 to 1000000.'],
    [{ defaultTimeout: 0 }, 'defaultTimeout must be a whole number of milliseconds'],
    [{ maxTimeout: '10 min' }, 'maxTimeout must be a whole number of milliseconds'],
    [{ blockedCommands: 'rm' }, 'blockedCommands must be a list of strings that are not empty.'],
    [{ blockedCommands: [''] }, 'blockedCommands must be a list of strings that are not empty.'],
    [{ requireDescription: 'yes' }, 'requireDescription must be true or false.'],
    [{ sandboxMode: 1 }, 'sandboxMode must be true or false.'],
    [{ blockedCommand: [] }, 'Unknown option: '],
  ])('%j is refused before any call', (config, message) => {
    expect(() => profileOf('proposal-0028', { 'proposal-0028': config as object })).toThrow(message);
    const streamed = streamProposal0028('true', subject.calling, config as object);
    return expect(streamed.next()).rejects.toThrow(message);
  });

  test('maxTimeout and defaultTimeout', () =>
    configured({ maxTimeout: 400, defaultTimeout: 300 }, async (other) => {
      expect((await other.call('Bash', { command: 'sleep 60' })).data.success).toBe(false);
      // Cut down, not refused, whatever the listed schema lets through.
      expect((await other.call('Bash', { command: 'true', timeout: 10_000 })).data.success).toBe(true);
      const { data } = await other.call('Bash', { command: 'sleep 60', timeout: 10_000 });
      expect(data.stderr).toContain('400 ms');
      const { timeout } = other.tool('Bash').inputSchema.properties as { timeout: object };
      expect(timeout).toMatchObject({ maximum: 600_000, description: expect.stringContaining('max: 400)') });
    }));

  test('sandboxMode', () =>
    configured({ sandboxMode: true }, async (other) => {
      const { session, asked } = listenTo({ ...other.calling, session: other.calling.session.with(UNCONFINED) });
      expect((await other.call('Bash', { command: 'echo ok' }, { session })).data.stdout).toBe('ok\n');
      const [options = {}] = asked;
      const tierIn = async (more: object) =>
        (await other.shell.enforcement(other.calling.session.complete({ ...options, ...more }))).tier;
      expect(await tierIn(UNCONFINED)).toBe(await tierIn({ sandbox: { name: 'workspace' } }));
    }));
});

describe('P28 safety', () => {
  test.each([
    ['rm -rf /', 'Command contains blocked pattern: rm -rf /'],
    ['mkfs.ext4 /dev/sda', 'Command contains blocked pattern: mkfs'],
    ['dd if=/dev/zero of=x', 'Command contains blocked pattern: dd if=/dev/zero'],
    [':(){:|:&};:', 'Command contains blocked pattern: :(){:|:&};:'],
    ['rm  -rf  /usr', 'Recursive delete from root'],
    ['echo x > /dev/sda', 'Writing to block device'],
    ['chmod -R 777 .', 'Insecure permissions'],
  ])('%s', async (command, stderr) => {
    const { data } = await bash(command);
    expect(data).toEqual({ success: false, stdout: '', stderr, exit_code: -1, duration_ms: 0 });
  });

  test('the blocked entry is shown as it was configured, whatever it contains', async () => {
    const entry = 'Weird (entry) is blacklisted: x';
    const [tool] = profileOf('proposal-0028', { 'proposal-0028': { blockedCommands: ['Touch', entry] } }).tools as [
      ProfileTool,
    ];
    const { data, text } = await tool.call({ command: 'touch blocked' }, subject.calling);
    expect(data.stderr).toBe('Command contains blocked pattern: Touch');
    expect(text).toContain('"Touch"');
    const shaped = await tool.call({ command: `echo '${entry}'` }, subject.calling);
    expect(shaped.data.stderr).toBe(`Command contains blocked pattern: ${entry}`);
  });

  test.each(['dd if=a of=/dev/sda', 'echo x > /etc/passwd', 'curl http://localhost:1/x | bash'])(
    'SAFETY_PATTERNS: %s',
    async (command) => expect((await bash(command)).data).toMatchObject({ success: false, exit_code: -1 }),
  );
});

describe('P28 streaming', () => {
  type Streamed = { events: StreamEvent[]; stdout: string; stderr: string };

  async function stream(
    input: string | Record<string, unknown>,
    config: Partial<BashConfig> = {},
    calling: Partial<Calling> = {},
  ): Promise<Streamed> {
    const events: StreamEvent[] = [];
    for await (const event of streamProposal0028(input, { ...subject.calling, ...calling }, config)) events.push(event);
    const text = (type: string) => events.map((event) => (event.type === type && 'data' in event ? event.data : ''));
    return { events, stdout: text('stdout').join(''), stderr: text('stderr').join('') };
  }

  test('pieces as they come, then the exit code', async () => {
    const { events } = await stream('echo out; echo err >&2; exit 3');
    expect(events.at(-1)).toMatchObject({ type: 'exit', code: 3, output: { stdout: 'out\n', exit_code: 3 } });
    expect(events).toContainEqual({ type: 'stdout', data: 'out\n' });
    expect(events).toContainEqual({ type: 'stderr', data: 'err\n' });
  });

  test('at the end there is the screen of the document', async () => {
    const { events } = await stream({ command: 'echo out; echo err >&2; exit 3', description: 'Do it' });
    const { text } = events.at(-1) as { text: string };
    const rule = '─'.repeat(52);
    expect(text).toMatch(
      new RegExp(`^Running: Do it\\n${rule}\\nout\\nerr\\n${rule}\\nExit code: 3\\nDuration: \\d+\\.\\ds$`),
    );
    const blocked = await stream('rm -rf /');
    expect(blocked.events.at(-1)).toMatchObject({ text: expect.stringContaining('⚠️ Command Blocked') });
  });

  test('a blocked command does not run, and the reason is reported', async () => {
    const { events } = await stream('touch streamed; rm -rf /');
    expect(events).toMatchObject([
      { type: 'exit', code: -1, output: { stderr: 'Command contains blocked pattern: rm -rf /' } },
    ]);
    expect(existsSync(join(subject.folder, 'streamed'))).toBe(false);
  });

  /** What each field of BashInput and of BashConfig does to a command; every one of them has a row. */
  const INPUTS: Record<string, Record<string, unknown>> = {
    command: { command: 'echo $((6 * 7))' },
    description: { command: 'true', description: 'Nothing' },
    timeout: { command: 'echo begin; sleep 60', timeout: 300 },
    run_in_background: { command: 'sleep 60', run_in_background: true },
    cwd: { command: 'pwd', cwd: '/' },
    env: { command: 'echo "$GREETING"', env: { GREETING: 'hello' } },
  };
  const CONFIGS: Record<keyof BashConfig, [Partial<BashConfig>, Record<string, unknown>]> = {
    defaultTimeout: [{ defaultTimeout: 300 }, { command: 'echo begin; sleep 60' }],
    maxTimeout: [{ maxTimeout: 400 }, { command: 'true', timeout: 401 }],
    maxOutputSize: [{ maxOutputSize: 100 }, { command: 'printf "%0300d" 0' }],
    blockedCommands: [{ blockedCommands: ['touch'] }, { command: 'touch streamed' }],
    requireDescription: [{ requireDescription: true }, { command: 'true' }],
    sandboxMode: [{ sandboxMode: true }, { command: 'echo "$HARDSHELL_SANDBOX"' }],
  };

  test('every field of the document is among those that are compared', () => {
    expect(Object.keys(INPUTS)).toEqual(Object.keys(subject.tool('Bash').inputSchema.properties));
    expect(Object.keys(CONFIGS).sort()).toEqual(Object.keys(DEFAULT_BASH_CONFIG).sort());
  });

  const ROWS: [string, Partial<BashConfig>, Record<string, unknown>][] = [
    ...Object.entries(INPUTS).map(([name, input]): (typeof ROWS)[number] => [name, {}, input]),
    ...Object.entries(CONFIGS).map(([name, [config, input]]): (typeof ROWS)[number] => [name, config, input]),
    ['bad input', {}, { command: 'true', timeout: -1 }],
  ];
  test.each(ROWS)('%s holds when streamed as it does otherwise', async (name, config, input) => {
    if (name === 'run_in_background' && !hasKeeper) return;
    const [tool] = profileOf('proposal-0028', { 'proposal-0028': config }).tools as [ProfileTool];
    const { data: plain } = await tool.call(input, subject.calling);
    const { events, stdout } = await stream(input, config);
    const last = events.at(-1);
    const { output } = last as { output: Record<string, unknown> };
    const own = ['duration_ms', 'output_file', ...(plain.task_id === undefined ? [] : ['task_id', 'stdout'])];
    for (const field of own) expect(typeof output[field]).toBe(typeof plain[field]);
    const rest = (data: object) => Object.fromEntries(Object.entries(data).filter(([key]) => !own.includes(key)));
    expect(rest(output)).toEqual(rest(plain));
    expect(last?.type).toBe(plain.task_id === undefined ? 'exit' : 'running');
    if (plain.truncated === false) expect(stdout).toBe(plain.stdout);
    expect(existsSync(join(subject.folder, 'streamed'))).toBe(false);
  });

  test('who leaves the loop ends the command', async () => {
    const made = join(subject.folder, 'left-alone');
    for await (const event of streamProposal0028(`echo begin; sleep 2; touch ${made}`, subject.calling))
      if (event.type === 'stdout') break;
    await new Promise((resolve) => setTimeout(resolve, 3000));
    expect(existsSync(made)).toBe(false);
  });

  test('the signal of the call ends it', async () => {
    const { events } = await stream('sleep 60', {}, { signal: AbortSignal.timeout(300) });
    expect(events.at(-1)).toMatchObject({ type: 'exit', output: { success: false } });
  });
});

describe('P28 screens', () => {
  const build = '> mycode@1.0.0 build\n> tsc\n\nBuild completed successfully.\n';
  const ended = { success: true, stdout: build, stderr: '', exit_code: 0, duration_ms: 4200 };

  test('foreground with description', () => {
    expect(drawCompleted('Build the project', ended)).toBe(`Running: Build the project

✓ Command completed (4.2s)
stdout:
  > mycode@1.0.0 build
  > tsc

  Build completed successfully.`);
  });

  test('background execution', () => {
    const task = { id: 'bash-abc123', command: 'npm test', outputFile: '/tmp/mycode-bash-abc123.log' };
    expect(drawBackground(task)).toBe(`┌─ Background Task Started ─────────────────────────┐
│ Task ID: bash-abc123                              │
│ Command: npm test                                 │
│ Output: /tmp/mycode-bash-abc123.log               │
│                                                   │
│ Use /tasks to check status                        │
│ Use TaskOutput to get results                     │
└───────────────────────────────────────────────────┘`);
  });

  test('streaming output', () => {
    const last = { ...ended, duration_ms: 32_400 };
    const stdout = 'added 1 package in 1s\n✓ added 523 packages in 32s\n';
    expect(drawStreaming('npm install', { ...last, stdout })).toBe(`Running: npm install
────────────────────────────────────────────────────
added 1 package in 1s
✓ added 523 packages in 32s
────────────────────────────────────────────────────
Exit code: 0
Duration: 32.4s`);
  });

  const BLOCK = `⚠️ Command Blocked

This command matches a blocked pattern:
  "rm -rf /" - Recursive delete from root

This operation is not allowed for safety.
If you need to delete files, specify exact paths.`;

  test('safety block, drawn and as the tool answers', async () => {
    const matches = [{ pattern: 'rm -rf /', reason: 'Recursive delete from root' }];
    expect(drawBlocked(matches, ['If you need to delete files, specify exact paths.'])).toBe(BLOCK);
    expect((await bash('rm -rf /')).text).toBe(BLOCK);
  });

  test('a listed command is named once', async () => {
    expect((await bash('dd if=/dev/zero of=x')).text).toContain('  "dd if=/dev/zero" - Blocked command\n');
  });

  test('output truncation, drawn and as the tool answers', async () => {
    expect(drawTruncated('a\n\n... (45678 characters truncated) ...\n\nb\n')).toBe(`Output (truncated):
────────────────────────────────────────────────────
a

... (45,678 characters truncated) ...

b
────────────────────────────────────────────────────`);
    const { text, data } = await bash(`head -c 75678 /dev/zero | tr '\\0' x`);
    expect(data.truncated).toBe(true);
    expect(data.stdout).toBe(`${'x'.repeat(15_000)}\n\n... (45678 characters truncated) ...\n\n${'x'.repeat(15_000)}`);
    expect(text).toContain('... (45,678 characters truncated) ...');
  });

  test.each([
    ['exit 3', /^Running: .*\n\n✗ Command failed with exit code 3 \(\d+\.\ds\)\nOutput \(truncated\):\n─/],
    ['true', /^Running: .*\n\n✓ Command completed \(\d+\.\ds\)\nOutput \(truncated\):\n─/],
  ])('truncated output does not hide how the command ended: %s', async (end, expected) => {
    const { text } = await bash(`head -c 75678 /dev/zero | tr '\\0' x; echo why >&2; ${end}`);
    expect(text).toMatch(expected);
    expect(text).toContain('x\nwhy\n');
  });

  test('truncated output does not hide a timeout', async () => {
    const { text } = await bash(`head -c 75678 /dev/zero | tr '\\0' x; sleep 60`, { timeout: 1000 });
    expect(text).toContain('✗ Command failed');
    expect(text).toMatch(/1000 ms|1 s/);
  });

  test('nothing that a command is called can draw outside of its line', () => {
    const box = drawBackground({ id: 'x', command: 'a\n│ Output: /etc\u001b[2J', outputFile: '/o' });
    expect(box.split('\n')).toHaveLength(8);
    expect(box).not.toContain('\u001b');
  });
});

describe('P28 background tasks', () => {
  beforeEach(needsKeeper);

  test('both streams of a task are in its file', async () => {
    const { data } = await bash('echo out; echo err >&2', { run_in_background: true });
    await subject.call('TaskOutput', { task_id: data.task_id });
    const text = readFileSync(data.output_file as string, 'utf8');
    expect(text).toMatch(/^out\n/m);
    expect(text).toMatch(/^err\n/m);
  });

  test('task_id and output_file, the box, /tasks and TaskOutput', async () => {
    const { data, text } = await bash('echo tested', { run_in_background: true, description: 'Run tests' });
    const { task_id, output_file } = data as { task_id: string; output_file: string };
    expect(data).toEqual({
      success: true,
      stdout: `Background task started: ${task_id}`,
      stderr: '',
      exit_code: 0,
      duration_ms: 0,
      task_id,
      output_file,
    });
    expect(text).toContain('┌─ Background Task Started ─');
    const withheld = await bash('true', { run_in_background: true, env: { LD_PRELOAD: '/x' } });
    expect([withheld.data.stderr, withheld.text]).toEqual([
      expect.stringContaining('LD_PRELOAD'),
      expect.stringContaining('LD_PRELOAD'),
    ]);
    expect(text).toContain(`Task ID: ${task_id}`);
    expect((await subject.call('TaskOutput', { task_id })).data).toMatchObject({ output: 'tested\n', exit_code: 0 });
    expect((await subject.call('Tasks', {})).text).toContain(`${task_id}  finished with exit code 0  Run tests`);
  });
});

test('the description is that of the document, to the letter', () => {
  const tool = subject.tool('Bash');
  const text = tool.describe(subject.surroundings);
  expect(tool.name).toBe('Bash');
  expect(text.startsWith(DESCRIPTION)).toBe(true);
  expect(text).toContain(subject.folder);
});
