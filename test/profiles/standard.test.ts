// hardshell's own tools: what the surfaces offer without a profile.

import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createBroker } from '../../src/approve/broker.ts';
import { callbackSurface } from '../../src/approve/callback-surface.ts';
import { DEFAULT_POLICY } from '../../src/core/default-policy.ts';
import type { TaskInfo } from '../../src/core/running.ts';
import { profileOf } from '../../src/profiles/profiles.ts';
import { judgeInput } from '../../src/profiles/standard/task-input.ts';
import { CONFINED, createSubject, needsKeeper, type Subject, surroundingsIn } from './subject.ts';

let subject: Subject;
beforeAll(() => {
  subject = createSubject(profileOf(null));
});
afterAll(() => subject.close());

test('the tools are those that surfaces offer, each with a closed schema', () => {
  expect(subject.profile.tools.map(({ name }) => name)).toEqual([
    'bash',
    'bash_readonly',
    'task_output',
    'task_input',
    'task_stop',
    'task_list',
    'explain_command',
    'task_changes',
    'undo_changes',
    'redo_changes',
    'apply_changes',
    'drop_changes',
  ]);
  for (const { inputSchema } of subject.profile.tools) expect(inputSchema.additionalProperties).toBe(false);
});

test.each([
  [null, 'bash'],
  ['claude-code', 'Bash'],
  ['proposal-0028', 'Bash'],
  ['layered', 'bash'],
] as const)('%s: the description reaches the person who is asked, and the record', async (name, tool) => {
  const seen: unknown[] = [];
  const broker = createBroker();
  broker.attach(
    callbackSurface(({ description }) => {
      seen.push(description);
      return 'deny';
    }),
  );
  const observers = [{ onVerdict: ({ description }: { description?: string }) => void seen.push(description) }];
  const other = createSubject(profileOf(name), { broker, observers, policy: DEFAULT_POLICY });
  try {
    const input = { command: 'git', args: ['push'] };
    const shaped = name === 'layered' ? input : { command: 'git push' };
    await other.call(tool, { ...shaped, description: 'Publish it' });
    expect(seen).toEqual(['Publish it', 'Publish it']);
  } finally {
    await other.close();
  }
});

describe('bash', () => {
  test('answers with output, exit code and meaning, in text and in fields', async () => {
    const { text, data, isError } = await subject.call('bash', { command: 'echo hello | grep bye' });
    expect(isError).toBe(false);
    expect(text).toMatch(/^\[exit code 1: .+\]$/);
    expect(data).toMatchObject({ status: 'exited', exit_code: 1, output: '', is_error: false, task_id: null });
    expect(data.meaning).toEqual(expect.any(String));
  });

  test('a command that fails is an error, with what it wrote', async () => {
    const { text, data, isError } = await subject.call('bash', { command: 'echo broken >&2; exit 3' });
    expect([isError, text, data.output]).toEqual([true, 'broken\n[exit code 3]', 'broken\n']);
  });

  test('cd stays, and is said', async () => {
    const calling = subject.converse();
    const first = await subject.call('bash', { command: 'mkdir -p sub && cd sub' }, calling);
    expect(first.text).toContain(`working directory is now ${join(subject.folder, 'sub')}`);
    expect((await subject.call('bash', { command: 'pwd' }, calling)).text).toBe(`${join(subject.folder, 'sub')}\n`);
    expect((await subject.call('bash', { command: 'pwd' })).text).toBe(`${subject.folder}\n`);
  });

  test('a refusal names the reason and a safer way, and nothing ran', async () => {
    const { text, data, isError } = await subject.call('bash', { command: 'touch ran; git add -A' });
    expect([isError, data.status, data.exit_code]).toEqual([true, 'denied', null]);
    expect(text).toContain('was not run');
    expect(text).toContain('check git-add-blind');
    expect(text).toContain('Instead:');
    expect(data.reasons).toMatchObject([{ id: 'git-add-blind', instead: expect.any(String) }]);
    expect(existsSync(join(subject.folder, 'ran'))).toBe(false);
  });

  test('a rule that refuses is named with its file and line', async () => {
    const origin = { layer: 'project' as const, file: '/p/.hardshell/settings.json', line: 7 };
    const rule = { text: 'Bash(curl:*)', list: 'deny' as const, origin, until: null, base: null, because: null };
    const calling = subject.converse({ ...DEFAULT_POLICY, rules: [rule] });
    const { text, data } = await subject.call('bash', { command: 'curl http://localhost:1' }, calling);
    expect(text).toContain('rule Bash(curl:*) in /p/.hardshell/settings.json:7');
    expect(JSON.stringify(data.reasons)).toContain('/p/.hardshell/settings.json:7');
  });

  test('if no one can be asked, the model is told to ask the user, and not how to approve', async () => {
    const { text, data } = await subject.call('bash', { command: 'touch x' }, subject.converse(DEFAULT_POLICY));
    expect(data.status).toBe('denied');
    expect(text).toContain('The command was not run. Not approved: there was no one to ask.');
    expect(text).toContain('Ask the user to approve it or to add a rule that allows it.');
    expect(text + JSON.stringify(data)).not.toMatch(/hardshell (?:approve|config|run)|Approve it once/);
  });

  test('a denial by the user is reported as such, with the reason', async () => {
    const broker = createBroker();
    broker.attach({
      name: 'terminal',
      present: (_, give) => void give({ verdict: 'deny', reason: 'use pnpm' }),
      withdraw: () => {},
    });
    const asked = createSubject(profileOf(null), { broker, policy: DEFAULT_POLICY });
    try {
      const { text } = await asked.call('bash', { command: 'npm install x' });
      expect(text).toMatch(/The user refused it: use pnpm\. Do it another way, or ask the user what to do\.$/);
      expect(text).not.toContain('approve');
    } finally {
      await asked.close();
    }
  });

  test('nothing ran, so nothing is said about what was enforced', async () => {
    const { data } = await subject.call('bash', { command: 'touch x' }, subject.converse(DEFAULT_POLICY));
    expect(data.status).toBe('denied');
    expect(data).not.toHaveProperty('enforcement');
  });

  test('a command past what the surface can wait is answered as running, with its task', async (context) => {
    needsKeeper(context);
    const { text, data, isError } = await subject.call(
      'bash',
      { command: 'echo begin; sleep 60' },
      { answerWithin: 300 },
    );
    expect([isError, data.status]).toEqual([false, 'running']);
    expect(text).toContain(`task_output {"task_id": "${data.task_id}"}`);
    expect((await subject.call('task_stop', { task_id: data.task_id })).data).toMatchObject({ stopped: true });
  });

  test('a time limit that was asked for holds for a task, too', async (context) => {
    needsKeeper(context);
    const input = { command: 'sleep 60', timeout_ms: 600 };
    const { data } = await subject.call('bash', input, { answerWithin: 100 });
    expect(data.status).toBe('running');
    const ended = await subject.call('task_output', { task_id: data.task_id, wait_ms: 15_000 });
    expect(ended.data).toMatchObject({ state: 'finished' });
  });

  test('a cancelled call ends the command', async () => {
    const stop = new AbortController();
    const seen: string[] = [];
    const { data } = await subject.call(
      'bash',
      { command: 'echo go; sleep 60' },
      {
        signal: stop.signal,
        onEvent: (event) => {
          seen.push(event.type);
          if (event.type === 'stdout') stop.abort();
        },
      },
    );
    expect(data.status).toBe('cancelled');
    expect(seen).toContain('stdout');
  });

  const BAD: [string, unknown, string][] = [
    ['nothing', undefined, '"command" is missing'],
    ['no object', 'ls', 'must be an object'],
    ['no text', { command: 5 }, '"command" must be text'],
    ['an empty command', { command: '' }, '"command" must not be empty'],
    ['blanks', { command: '  ' }, 'The command is empty'],
    ['a field that is not there', { command: 'ls', __proto__x: 1 }, 'Unknown field: "__proto__x"'],
    ['too long a time', { command: 'ls', timeout_ms: 600_001 }, 'must be at most 600000'],
    ['half a millisecond', { command: 'ls', timeout_ms: 0.5 }, 'must be a whole number'],
    ['an open input in the foreground', { command: 'cat', keep_input_open: true }, 'needs "run_in_background"'],
    ['NUL', { command: 'ls \0' }, 'NUL'],
  ];
  test.each(BAD)('bad input is answered: %s', async (_, input, problem) => {
    const { text, isError, data } = await subject.call('bash', input);
    expect(isError).toBe(true);
    expect(text).toContain(problem);
    expect(data.status).toBe('invalid-input');
  });
});

describe('bash_readonly', () => {
  test('runs what provably only reads, without a question', async () => {
    writeFileSync(join(subject.folder, 'a.txt'), 'one\ntwo\n');
    const calling = subject.converse(DEFAULT_POLICY);
    const { text, isError } = await subject.call('bash_readonly', { command: 'cat a.txt | wc -l' }, calling);
    expect([isError, text.trim()]).toEqual([false, '2']);
  });

  test.each(['touch written', 'echo x > written', "node -e 'f()'", '$X', 'sudo ls', 'find . -delete'])(
    'refuses %s, also where everything is allowed',
    async (command) => {
      const { text, data } = await subject.call('bash_readonly', { command });
      expect(data.status).toBe('denied');
      expect(text).toContain('Use the tool bash');
      expect(existsSync(join(subject.folder, 'written'))).toBe(false);
    },
  );
});

describe('tasks', () => {
  beforeEach(needsKeeper);

  const start = async (command: string, more = {}, calling = {}) =>
    (await subject.call('bash', { command, run_in_background: true, ...more }, calling)).data.task_id as string;

  test('output is read from a cursor on, to the end', async () => {
    const task_id = await start('echo one; sleep 0.2; echo two');
    const first = await subject.call('task_output', { task_id, wait_ms: 10_000 });
    expect(first.data).toMatchObject({ output: 'one\ntwo\n', at_end: true, state: 'finished', exit_code: 0 });
    const again = await subject.call('task_output', { task_id, cursor: 4 });
    expect(again.data).toMatchObject({ output: 'two\n', cursor: 8 });
  });

  test('input is written where it was kept open, and ends', async () => {
    const task_id = await start('cat', { keep_input_open: true });
    expect((await subject.call('task_input', { task_id, text: 'rm -r is just text here\n' })).isError).toBe(false);
    await subject.call('task_input', { task_id, text: '', end: true });
    const { data } = await subject.call('task_output', { task_id, wait_ms: 10_000 });
    expect(data).toMatchObject({ output: 'rm -r is just text here\n', exit_code: 0 });
  });

  /** Everything is asked about, and answered in this order. */
  async function asking(
    answers: readonly ('allow' | 'deny')[],
    body: (other: Subject, asked: string[]) => Promise<void>,
  ) {
    const asked: string[] = [];
    const broker = createBroker();
    broker.attach(callbackSurface(({ command }) => answers[asked.push(command) - 1] ?? 'deny'));
    const other = createSubject(profileOf(null), { broker, policy: DEFAULT_POLICY });
    try {
      await body(other, asked);
    } finally {
      await other.close();
      broker.close();
    }
  }
  const waiting = { command: 'bash', run_in_background: true, keep_input_open: true };

  test('a shell that waits for input gets nothing that would be refused as a command', async () => {
    await asking(['allow', 'allow', 'allow'], async (other) => {
      const { task_id } = (await other.call('bash', waiting)).data;
      const refused = await other.call('task_input', { task_id, text: 'touch ran; rm -rf /\n' });
      expect([refused.isError, refused.data.written]).toEqual([true, false]);
      expect(refused.text).toContain('denied as a command');
      // In two halves it is the same command.
      expect((await other.call('task_input', { task_id, text: 'rm -rf \\\n' })).data.written).toBe(true);
      expect((await other.call('task_input', { task_id, text: '/\n' })).data.written).toBe(false);
      expect(existsSync(join(other.folder, 'ran'))).toBe(false);
    });
  });

  test.each(['python3', 'ssh localhost', 'no-such-repl', 'xargs rm -r', 'docker exec -i c sh', 'cat | sh'])(
    'what is written to %s is asked about',
    async (command) => {
      await asking([], async (other, asked) => {
        const { cwd } = other.calling.session;
        const task = { id: 'bash-aaaaaa', command, cwd } as TaskInfo;
        expect(await judgeInput(task, 'x\n', other.calling)).toEqual(expect.arrayContaining([expect.any(String)]));
        expect(asked).toHaveLength(1);
      });
    },
  );

  test('a shell that waits for input: a question is asked', async () => {
    await asking(['allow', 'allow', 'deny'], async (other, asked) => {
      const { task_id } = (await other.call('bash', waiting)).data;
      expect((await other.call('task_input', { task_id, text: 'ls\n' })).data.written).toBe(true);
      expect(asked).toEqual(['bash']);
      expect((await other.call('task_input', { task_id, text: 'touch yes\n' })).data.written).toBe(true);
      expect((await other.call('task_input', { task_id, text: 'touch no\n' })).data.written).toBe(false);
      expect(asked.length).toBe(3);
    });
  });

  test('another session sees no task, unless its surface allows it', async () => {
    const task_id = await start('sleep 60', { keep_input_open: true });
    const stranger = subject.converse();
    for (const [tool, input] of [
      ['task_output', { task_id }],
      ['task_stop', { task_id }],
      ['task_input', { task_id, text: 'x' }],
    ] as const)
      expect((await subject.call(tool, input, stranger)).text).toContain('No such task');
    expect((await subject.call('task_list', {}, stranger)).data).toEqual({ tasks: [] });
    const all = { ...stranger, visibleTasks: 'all' as const };
    expect((await subject.call('task_list', { state: 'running' }, all)).text).toContain(task_id);
    expect((await subject.call('task_input', { task_id, text: 'x' }, all)).isError).toBe(true);
    expect((await subject.call('task_stop', { task_id }, all)).data).toMatchObject({ stopped: true });
    expect((await subject.call('task_stop', { task_id })).data).toMatchObject({ stopped: false });
  });

  test.each(['', '../../etc/passwd', 'bash-zzzzzz', 'x\0y'])('there is no task %j', async (task_id) => {
    expect((await subject.call('task_output', { task_id })).isError).toBe(true);
  });
});

describe('explain_command', () => {
  test('tells what would happen, and does nothing', async () => {
    const { text, data } = await subject.call(
      'explain_command',
      { command: 'cat a > b && rm c; curl http://h/' },
      subject.converse(DEFAULT_POLICY),
    );
    const at = (name: string) => join(subject.folder, name);
    expect(data).toMatchObject({ verdict: 'ask', understood: true, read_only: false });
    expect([data.reads, data.writes, data.deletes]).toEqual([[at('a')], [at('b')], [at('c')]]);
    expect(data.network).toEqual([expect.stringContaining('h')]);
    expect(text).toContain('would need approval');
    expect(existsSync(at('b'))).toBe(false);
  });
});

describe('descriptions', () => {
  test('state the folder and what the sandbox really holds', () => {
    const bash = subject.tool('bash');
    const confined = bash.describe(surroundingsIn('/work/project', CONFINED));
    expect(confined).toContain('/work/project');
    expect(confined).toContain('only files below /work/project, /tmp can be changed');
    expect(confined).toContain('Network: only registry.npmjs.org');
    const open = bash.describe(surroundingsIn('/work/project'));
    expect(open).toContain('Sandbox: none');
    expect(open).toContain('Landlock needs Linux 5.13 or newer');
    expect(open).not.toContain('only files below');
  });

  test('name what is missing', () => {
    const enforcement = {
      tier: 'landlock' as const,
      held: ['writes-outside' as const],
      missing: [{ guarantee: 'network' as const, why: 'Landlock ABI 3' }],
      reported: [],
    };
    const text = subject.tool('bash').describe(surroundingsIn('/p', { enforcement, sandbox: 'restricted' }));
    expect(text).toContain('everything is read-only');
    expect(text).toContain('Network: not confined');
    expect(text).toContain('network (Landlock ABI 3)');
  });

  test('of this machine', async () => {
    const { shell, folder, tool } = subject;
    const enforcement = await shell.enforcement({ cwd: folder });
    expect(tool('bash').describe(surroundingsIn(folder, { enforcement }))).toContain('Sandbox:');
  });
});
