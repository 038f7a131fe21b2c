// Codex's two tools: commands that end in time, commands that continue under a number, and their input.

import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { callbackSurface, createBroker } from '../../src/host.ts';
import { type CodexExec, codexExec } from '../../src/surfaces/adapters/adapters.ts';
import { needsKeeper } from '../profiles/subject.ts';
import { ASKING, createSubject, type Subject } from './subject.ts';

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

/** Responses API: a function tool, and what answers its call. */
interface FunctionTool {
  type: 'function';
  name: string;
  description?: string | null;
  strict: boolean | null;
  parameters: { readonly [key: string]: unknown } | null;
}
interface FunctionCallOutput {
  type: 'function_call_output';
  call_id: string;
  output: string;
}

let subject: Subject;
let reply: 'allow' | 'deny' = 'deny';
beforeAll(() => {
  const broker = createBroker();
  broker.attach(callbackSurface(() => reply));
  subject = createSubject({ broker });
});
afterAll(() => subject.close());

const SHORT = 250;
const LONG = 30_000;

describe('codexExec', () => {
  const exec = (codex: CodexExec, cmd: string, more: object = {}) =>
    codex.call('exec_command', { cmd, yield_time_ms: LONG, ...more });
  const write = (codex: CodexExec, session_id: number | undefined, chars: string, more: object = {}) =>
    codex.call('write_stdin', { session_id, chars, yield_time_ms: LONG, ...more });

  test('tools and answers have the documented shape', async () => {
    const codex = codexExec(subject.given());
    const tools: readonly FunctionTool[] = codex.tools.map((tool) => ({ ...tool, parameters: { ...tool.parameters } }));
    expect(tools.map(({ name }) => name)).toEqual(['exec_command', 'write_stdin']);
    const answer: FunctionCallOutput = await codex.respond({
      call_id: 'call_1',
      name: 'exec_command',
      arguments: '{"cmd": "echo out; echo err >&2; exit 4"}',
    });
    expect(answer).toEqual({
      type: 'function_call_output',
      call_id: 'call_1',
      output: expect.stringMatching(
        /^Chunk ID: [0-9a-f]{6}\nWall time: \d+\.\d{4} seconds\nProcess exited with code 4\nOriginal token count: 2\nOutput:\nout\nerr\n$/,
      ),
    });
  });

  test('a command that ended leaves nothing behind', async () => {
    const before = (await subject.shell.tasks()).length;
    await exec(codexExec(subject.given()), 'echo gone');
    expect(await subject.shell.tasks()).toHaveLength(before);
  });

  test('workdir holds for one command; cd for none', async () => {
    mkdirSync(join(subject.folder, 'inside'), { recursive: true });
    const codex = codexExec(subject.given());
    const { data } = await exec(codex, 'basename "$PWD"; cd ..', { workdir: 'inside' });
    expect(data.output).toBe('inside\n');
    expect((await exec(codex, 'pwd')).data.output).toBe(`${subject.folder}\n`);
  });

  test('a command that takes longer continues: input, output since the last read, and its end', async (context) => {
    needsKeeper(context);
    const codex = codexExec(subject.given());
    const started = await exec(codex, 'echo name?; read name; echo "hello $name"; exit 5', {
      tty: true,
      yield_time_ms: SHORT,
    });
    const { session_id } = started.data;
    expect(started).toMatchObject({ isError: false, data: { session_id: expect.any(Number) } });
    expect(started.text).toContain(`Process running with session ID ${session_id}`);
    const ended = await write(codex, session_id, 'you\n');
    expect(started.data.output + ended.data.output).toBe('name?\nhello you\n');
    expect(ended).toMatchObject({ isError: true, data: { exit_code: 5 } });
    expect(ended.data).not.toHaveProperty('session_id');
    expect(await write(codex, session_id, '')).toMatchObject({
      isError: true,
      text: `No such session: ${session_id}`,
    });
  });

  test('empty chars wait for the end', async (context) => {
    needsKeeper(context);
    const codex = codexExec(subject.given());
    const { data } = await exec(codex, 'sleep 1; echo late', { yield_time_ms: SHORT });
    expect((await write(codex, data.session_id, '')).data).toMatchObject({ exit_code: 0, output: 'late\n' });
  });

  test('without tty the input is closed, and the answer says what to do', async (context) => {
    needsKeeper(context);
    const codex = codexExec(subject.given());
    expect((await exec(codex, 'cat; echo end')).data).toMatchObject({ output: 'end\n', exit_code: 0 });
    const { data } = await exec(codex, 'sleep 1000', { yield_time_ms: SHORT });
    expect(await write(codex, data.session_id, 'x')).toMatchObject({
      isError: true,
      text: expect.stringContaining('with "tty": true'),
    });
    await codex.close();
  });

  test('\\u0004 closes the input, \\u0003 ends the command', async (context) => {
    needsKeeper(context);
    const codex = codexExec(subject.given());
    const cat = await exec(codex, 'cat', { tty: true, yield_time_ms: SHORT });
    expect((await write(codex, cat.data.session_id, 'all\n\u0004')).data).toMatchObject({
      output: 'all\n',
      exit_code: 0,
    });
    const sleep = await exec(codex, 'exec sleep 1000', { yield_time_ms: SHORT });
    expect(await write(codex, sleep.data.session_id, '\u0003')).toMatchObject({
      isError: true,
      text: expect.stringContaining('[ended by SIGTERM]'),
    });
  });

  test('what a shell would run is judged, also in two halves', async (context) => {
    needsKeeper(context);
    const codex = codexExec(subject.given());
    const brief = { yield_time_ms: SHORT };
    reply = 'allow';
    const { data } = await exec(codex, 'bash', { tty: true, ...brief });
    const harmless = await write(codex, data.session_id, 'echo ran\n', brief);
    expect(harmless).toMatchObject({ isError: false, data: { output: 'ran\n' } });
    const NOTHING = { isError: true, text: expect.stringContaining('Nothing was written') };
    expect(await write(codex, data.session_id, 'touch through; rm -rf /\n', brief)).toMatchObject(NOTHING);
    await write(codex, data.session_id, 'rm -rf ', brief);
    expect(await write(codex, data.session_id, '/\n', brief)).toMatchObject(NOTHING);
    reply = 'deny';
    expect(existsSync(join(subject.folder, 'through'))).toBe(false);
    await codex.close();
  });

  test('another conversation does not reach it', async (context) => {
    needsKeeper(context);
    const codex = codexExec(subject.given());
    const { data } = await exec(codex, 'sleep 1000', { yield_time_ms: SHORT });
    expect(await write(codexExec(subject.given()), data.session_id, '\u0003')).toMatchObject({
      text: `No such session: ${data.session_id}`,
    });
    await codex.close();
    expect((await subject.shell.tasks()).filter(({ state }) => state === 'running')).toEqual([]);
  });

  test.for([
    ['in time', {}],
    ['with its input open', { tty: true }],
  ] as const)(
    'long output of a command, %s: both ends, no more than asked for, and where all of it is',
    async ([, more], context) => {
      if ('tty' in more) needsKeeper(context);
      const codex = codexExec(subject.given());
      const { data } = await exec(codex, 'seq 1 100000', { max_output_tokens: 500, ...more });
      expect(data.output).toMatch(/^1\n2\n[\s\S]*\n99999\n100000\n[\s\S]*\[the whole output is in /);
      expect(data.output.length).toBeLessThan(2_300);
      expect(data.original_token_count).toBe(Math.ceil(588_895 / 4));
      const [, file = ''] = /the whole output is in (.*)\]/.exec(data.output) ?? [];
      expect(existsSync(file)).toBe(true);
    },
  );

  test('require_escalated is a request that the settings must allow', async (context) => {
    needsKeeper(context);
    const codex = codexExec(subject.given({ policy: ASKING }));
    const answer = await exec(codex, 'ls', { sandbox_permissions: 'require_escalated', justification: 'to see' });
    expect(answer).toMatchObject({ isError: true, text: expect.stringContaining('not run') });
  });

  test.each([
    ['exec_command', '{"cmd":', 'JSON object'],
    ['exec_command', {}, '"cmd" is missing'],
    ['exec_command', { cmd: 'ls', other: 1 }, 'unknown field "other"'],
    ['exec_command', { cmd: 'ls', yield_time_ms: -1 }, '"yield_time_ms"'],
    ['exec_command', { cmd: 'ls', sandbox_permissions: 'all' }, 'one of use_default'],
    ['exec_command', { cmd: ' ' }, 'empty'],
    ['exec_command', { cmd: 'ls', workdir: '/no/such/folder' }, '/no/such/folder'],
    ['write_stdin', { session_id: 'x' }, '"session_id"'],
    ['write_stdin', { session_id: 99 }, 'No such session: 99'],
    ['apply_patch', {}, 'Unknown tool: "apply_patch"'],
  ])('%s %j is answered with what is wrong', async (name, input, problem) => {
    const { isError, text } = await codexExec(subject.given()).call(name, input);
    expect([isError, text]).toEqual([true, expect.stringContaining(problem)]);
  });
});
