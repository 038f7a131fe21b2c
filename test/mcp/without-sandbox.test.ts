// REQ-BASH-009: a machine without Landlock and namespaces. The server warns when it starts and lists its tools; the profile
// `req` runs commands unrestricted, with the safety checks; everything else is refused with the reason.

import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, type TestContext, test } from 'vitest';
import { useContainer } from '../doctor/contained.ts';
import { Raw } from './subject.ts';

const container = useContainer({});
const WITHOUT = 'docker,landlock_create_ruleset';
const WHAT_IS_MISSING = /namespaces: EPERM[\s\S]*Landlock requires Linux 5\.13 or newer/;

function serve(context: TestContext, ...args: string[]): Raw {
  container.need(context);
  const [program, words] = container.argv(WITHOUT, ['mcp', '--mode', 'accept-edits', ...args]);
  const child = spawn(program, words, { ...container.options(), stdio: ['pipe', 'pipe', 'pipe'] });
  context.onTestFinished(() => void child.kill('SIGKILL'));
  const raw = new Raw(child);
  raw.greet();
  return raw;
}

async function describeBash(raw: Raw): Promise<string> {
  raw.send({ id: 'list', method: 'tools/list' });
  const { tools } = (await raw.answerTo('list')).result as { tools: { name: string; description: string }[] };
  return tools.find(({ name }) => name === 'bash')?.description ?? '';
}

type Data = Record<string, unknown>;

async function bash(raw: Raw, command: string): Promise<{ text: string; data: Data }> {
  raw.send({ id: command, method: 'tools/call', params: { name: 'bash', arguments: { command } } });
  const { result } = await raw.answerTo(command);
  const { content, structuredContent: data } = result as { content: { text: string }[]; structuredContent: Data };
  return { text: content.map(({ text }) => text).join(''), data };
}

const has = (name: string) => existsSync(join(container.base, 'project', name));

test('the profile req runs commands unrestricted, and says so', async (context) => {
  const raw = serve(context, '--profile', 'req');
  expect(await raw.untilStderr('Warning')).toMatch(/Warning: commands run unrestricted/);
  expect(raw.stderr).toMatch(WHAT_IS_MISSING);
  expect(await describeBash(raw)).toMatch(new RegExp(`Sandbox: none.*${WHAT_IS_MISSING.source}`));
  const { text, data } = await bash(raw, 'touch ran && echo worked');
  expect(text).toMatch(new RegExp(`^worked\\n\\[ran without a sandbox: .*${WHAT_IS_MISSING.source}`));
  expect(data).toMatchObject({ output: 'worked\n', unconfined: expect.stringMatching(WHAT_IS_MISSING) });
  expect(has('ran')).toBe(true);
  expect((await bash(raw, 'git add -A')).data.error).toMatchObject({ kind: 'rejected' });
});

test('restricted mode is refused, with what it needs', async (context) => {
  const raw = serve(context, '--profile', 'req', '--sandbox', 'restricted');
  expect(await raw.untilStderr('Warning')).toMatch(/Warning: every command will be refused/);
  expect(await describeBash(raw)).toMatch(new RegExp(`every command is refused: .*${WHAT_IS_MISSING.source}`));
  const { text, data } = await bash(raw, 'ls');
  expect(text).toMatch(WHAT_IS_MISSING);
  expect(data).toMatchObject({ exit_code: null, unconfined: null, error: { kind: 'system' } });
});

test('other profiles list their tools, and refuse every command with the reason', async (context) => {
  const raw = serve(context, '--profile', 'layered');
  await raw.untilStderr('Warning: every command will be refused');
  expect(await describeBash(raw)).toMatch(WHAT_IS_MISSING);
  raw.send({ id: 1, method: 'tools/call', params: { name: 'bash', arguments: { command: 'touch', args: ['never'] } } });
  const { result } = await raw.answerTo(1);
  expect(result?.structuredContent).toMatchObject({ success: false, error: { type: 'sandbox_creation_failed' } });
  expect(has('never')).toBe(false);
});
