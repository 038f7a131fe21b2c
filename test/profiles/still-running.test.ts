// A command that takes longer than its caller can wait: each profile says, in its own shape, that it is still running,
// with the output so far, its id and how to get the rest. None of them says that it has ended well.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createBroker } from '../../src/approve/broker.ts';
import { DEFAULT_POLICY } from '../../src/core/default-policy.ts';
import { profileOf } from '../../src/profiles/profiles.ts';
import { openaiShell } from '../../src/surfaces/adapters/openai-shell.ts';
import { createSubject, needsKeeper, type Subject } from './subject.ts';

beforeEach(needsKeeper);
let subject: Subject | null = null;
afterEach(async () => {
  await subject?.close();
  subject = null;
});

const LONG = 'echo begin; echo problem >&2; sleep 60; echo end';
const SOON = { answerWithin: 700 };

test.each([
  [null, 'bash', {}, { status: 'running', exit_code: null, is_error: false }],
  ['req', 'bash', {}, { running: true, exit_code: null, timed_out: false, error: null }],
  ['req', 'bash', { mode: 'slow' }, { running: true, exit_code: null, timed_out: false, error: null }],
  ['layered', 'bash', { enable_shell_features: true, timeout: 60_000 }, { success: false, exit_code: -1 }],
  ['claude-code', 'Bash', {}, { code: null, interrupted: false, assistantAutoBackgrounded: true }],
  ['proposal-0028', 'Bash', {}, { success: false, exit_code: -1 }],
] as const)('%s: %s %j', async (name, tool, input, shape) => {
  subject = createSubject(profileOf(name));
  const { text, data, isError } = await subject.call(tool, { command: LONG, ...input }, SOON);
  expect(isError).toBe(false);
  expect(data).toMatchObject(shape);
  const [task] = await subject.shell.tasks();
  expect(task).toMatchObject({ state: 'running', command: LONG });
  expect(text).toMatch(/^begin\nproblem\n/);
  expect(text).toContain(`[The command is still running, as task ${task?.id} (pid ${task?.pid}).`);
  expect(text).toContain(task?.outputFile);
  expect(text).toMatch(
    name === 'req' ? /cat .*\nEnd it with: kill -9 -\d+$/ : /task_?output .*; end it with task_?stop/i,
  );
  expect(JSON.stringify(data)).toContain(task?.id);
  expect(JSON.stringify(data)).toContain('begin');
  expect(text).not.toMatch(/success|completed|exit code|started in the background/i);
});

test('layered counts the time until now', async () => {
  subject = createSubject(profileOf('layered'));
  const input = { command: LONG, enable_shell_features: true, timeout: 60_000 };
  const { data } = await subject.call('bash', input, SOON);
  expect((data.resource_usage as { wall_time: number }).wall_time).toBeGreaterThan(500);
  expect((data.execution_info as { execution_time: number }).execution_time).toBeGreaterThan(500);
});

test('mcp-guide has no tasks: its calls wait for the end', async () => {
  subject = createSubject(profileOf('mcp-guide'));
  const soon = { answerWithin: 1 };
  const { data } = await subject.call('execute_command', { command: 'sleep 0.5; echo end' }, soon);
  expect(data).toMatchObject({ success: true, exit_code: 0, stdout: 'end\n' });
  expect((await subject.call('create_directory', { path: 'made' }, soon)).data).toMatchObject({ success: true });
  expect(await subject.shell.tasks()).toEqual([]);
});

test('the shell of OpenAI: a session that does not wait', async () => {
  subject = createSubject(profileOf(null));
  const session = subject.calling.session.with({ backgroundAfter: 700 });
  const [output] = await openaiShell({ shell: subject.shell, session }).run({ commands: [LONG] });
  expect(output).toMatchObject({ stdout: 'begin\n', outcome: { type: 'exit', exit_code: 125 } });
  expect(output?.stderr).toMatch(/^problem\n\[The command is still running, as task /);
});

test('a question that it waits for is reported, with how to answer it', async (context) => {
  const broker = createBroker();
  broker.attach({ name: 'other', present: () => {}, withdraw: () => {} });
  subject = createSubject(profileOf(null), { broker, policy: { ...DEFAULT_POLICY, mode: 'bypass' } });
  const { tier } = await subject.shell.enforcement(subject.calling.session.complete());
  if (tier === 'none') context.skip('nothing confines commands here');
  writeFileSync(join(subject.folder, 'fetch.sh'), 'curl -s http://question.example/\n');
  const command = 'sh fetch.sh';
  const { text, data } = await subject.call('bash', { command }, { answerWithin: 3000 });
  const [pending] = broker.pending();
  expect(data).toMatchObject({ status: 'running', question: { code: pending?.code } });
  expect(text).toMatch(/\[It is waiting for an answer: The running command wants to contact question\.example:80/);
  expect(text).toContain(`Ask the user to answer hardshell's question ${pending?.code}`);
});
