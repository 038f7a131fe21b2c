// OpenAI's shapes as they are documented: its packages need a newer Node, so their types stand here in short.

import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { createBroker } from '../../src/host.ts';
import {
  openaiAgentsShell,
  openaiAgentsTool,
  openaiAgentsTools,
  openaiShell,
} from '../../src/surfaces/adapters/adapters.ts';
import { ASKING, createSubject, type Subject } from './subject.ts';

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

/** Responses API: `FunctionShellTool`, `ResponseFunctionShellToolCall`, `ResponseInputItem.ShellCallOutput`. */
interface ShellTool {
  type: 'shell';
  environment?: { type: 'local'; skills?: unknown[] } | null;
}
interface ShellCallOutput {
  call_id: string;
  output: { outcome: { type: 'timeout' } | { type: 'exit'; exit_code: number }; stderr: string; stdout: string }[];
  type: 'shell_call_output';
  id?: string | null;
  max_output_length?: number | null;
  status?: 'in_progress' | 'completed' | 'incomplete' | null;
}
const CALL = {
  id: 'sh_1',
  type: 'shell_call' as const,
  call_id: 'call_1',
  status: 'completed' as const,
  environment: null,
};

/** Agents SDK: `FunctionTool` and `Shell`. */
interface FunctionTool {
  type: 'function';
  name: string;
  description: string;
  parameters: {
    type: 'object';
    properties: Record<string, unknown>;
    required: string[];
    additionalProperties: boolean;
  };
  strict: boolean;
  invoke: (
    runContext: RunContext,
    input: string,
    details?: { toolCall: { type: 'function_call'; callId: string; name: string; arguments: string } },
  ) => Promise<unknown>;
  needsApproval: (runContext: RunContext, input: unknown, callId?: string) => Promise<boolean>;
  isEnabled: (runContext: RunContext, agent: object) => Promise<boolean>;
}
interface RunContext {
  context: unknown;
  isToolApproved(call: { toolName: string; callId: string }): boolean | undefined;
}
interface Shell {
  run(action: { commands: string[]; timeoutMs?: number; maxOutputLength?: number }): Promise<{
    output: {
      stdout: string;
      stderr: string;
      outcome: { type: 'timeout' } | { type: 'exit'; exitCode: number | null };
    }[];
    maxOutputLength?: number;
    providerData?: Record<string, unknown>;
  }>;
}

let subject: Subject;
beforeAll(() => {
  subject = createSubject({ broker: createBroker() });
});
afterAll(() => subject.close());

describe('openaiShell', () => {
  test('definition and answer have the documented shape', async () => {
    const shell = openaiShell(subject.given());
    const tool: ShellTool = shell.definition;
    const action = { commands: ['echo out; echo err >&2', 'exit 3'], timeout_ms: 30_000, max_output_length: 500 };
    const answer: ShellCallOutput = await shell.respond({ ...CALL, action });
    expect(tool).toEqual({ type: 'shell', environment: { type: 'local' } });
    expect(answer).toEqual({
      type: 'shell_call_output',
      call_id: 'call_1',
      max_output_length: 500,
      output: [
        { stdout: 'out\n', stderr: 'err\n', outcome: { type: 'exit', exit_code: 0 } },
        { stdout: '', stderr: '', outcome: { type: 'exit', exit_code: 3 } },
      ],
    });
  });

  test('commands run in order, in one conversation', async () => {
    const shell = openaiShell(subject.given());
    const output = await shell.run({
      commands: ['mkdir -p one && cd one', 'basename "$PWD"', 'echo x > made', 'cat made'],
    });
    expect(output.map(({ stdout }) => stdout)).toEqual(['', 'one\n', '', 'x\n']);
  });

  test('the time is for all commands: the one that exceeds it is ended, the rest is not run', async () => {
    const shell = openaiShell(subject.given());
    const output = await shell.run({ commands: ['echo begin; sleep 1000', 'touch too-late'], timeout_ms: 700 });
    expect(output).toEqual([
      { stdout: 'begin\n', stderr: expect.stringContaining('ran longer than allowed'), outcome: { type: 'timeout' } },
      { stdout: '', stderr: expect.stringContaining('not run'), outcome: { type: 'timeout' } },
    ]);
    expect(await shell.run({ commands: ['ls'] })).not.toMatchObject([{ stdout: expect.stringContaining('too-late') }]);
  });

  test.each([
    ['kill -KILL $$', 137],
    ['kill -TERM $$', 143],
    ['rm -rf /', 126],
    ['grep x /dev/null', 1],
  ])('%s exits with %i', async (command, exit_code) => {
    const [output] = await openaiShell(subject.given()).run({ commands: [command] });
    expect(output?.outcome).toEqual({ type: 'exit', exit_code });
  });

  test.each([1, 10, 80, 200, 5_000])('max_output_length %i holds for both streams together', async (max) => {
    const shell = openaiShell(subject.given());
    const [output] = await shell.run({
      commands: ['seq 1 3000; seq 5001 8000 >&2; printf "😀%.0s" {1..500}'],
      max_output_length: max,
    });
    const { stdout = '', stderr = '' } = output ?? {};
    expect(stdout.length + stderr.length).toBeLessThanOrEqual(max);
    expect(Buffer.from(stdout, 'utf8').toString()).toBe(stdout);
    if (max === 5_000) expect(stdout).toMatch(/^1\n2\n[\s\S]*characters omitted[\s\S]*😀$/u);
  });

  test.each([
    [{ commands: [] }, '"commands"'],
    [{ commands: ['ls', ' '] }, '"commands"'],
    [{ commands: 'ls' }, '"commands"'],
    [{ commands: ['ls'], timeout_ms: -1 }, '"timeout_ms"'],
    [{ commands: ['ls'], max_output_length: 1.5 }, '"max_output_length"'],
  ])('%j is answered with what is wrong', async (action, problem) => {
    const answer = await openaiShell(subject.given()).respond({ ...CALL, action });
    expect(answer.output).toMatchObject([
      { stdout: '', stderr: expect.stringContaining(problem), outcome: { type: 'exit', exit_code: 2 } },
    ]);
  });
});

describe('openaiAgentsTool', () => {
  const context = (answer: boolean | undefined, calls: string[] = []): RunContext => ({
    context: {},
    isToolApproved({ toolName, callId }) {
      calls.push(`${toolName} ${callId}`);
      return answer;
    },
  });
  const details = (callId: string, input: string) => ({
    toolCall: { type: 'function_call' as const, callId, name: 'bash', arguments: input },
  });

  test('has the documented shape', async () => {
    const tool: FunctionTool = await openaiAgentsTool(subject.given());
    expect([tool.name, tool.type, tool.strict, await tool.isEnabled(context(undefined), {})]).toEqual([
      'bash',
      'function',
      false,
      true,
    ]);
    expect(tool.parameters).toMatchObject({ type: 'object', required: ['command'], additionalProperties: false });
    expect(await tool.invoke(context(undefined), '{"command": "echo hi"}')).toBe('hi\n');
    const names = (await openaiAgentsTools(subject.given())).map(({ name }) => name);
    expect(names).toContain('task_output');
  });

  test('timeout: the command is ended', async () => {
    const tool = await openaiAgentsTool(subject.given());
    const text = await tool.invoke(context(undefined), '{"command": "echo begin; sleep 1000", "timeout_ms": 400}');
    expect(text).toMatch(/^begin\n\[timed-out:/);
  });

  test('needsApproval says what would be asked about, and an approval there counts as the answer', async () => {
    const tool = await openaiAgentsTool(subject.given({ policy: ASKING }));
    const input = { command: 'rm -f agents-mark && echo yes > agents-mark && cat agents-mark' };
    const json = JSON.stringify(input);
    expect(await tool.needsApproval(context(undefined), input, 'c1')).toBe(true);
    expect(await tool.needsApproval(context(undefined), { command: 'ls' }, 'c1')).toBe(false);
    expect(await tool.needsApproval(context(undefined), { command: 'rm -rf /' }, 'c1')).toBe(false);
    expect(await tool.needsApproval(context(undefined), 'nonsense', 'c1')).toBe(false);
    for (const answer of [undefined, false])
      expect(await tool.invoke(context(answer), json, details('c1', json))).toContain('was not run');
    const calls: string[] = [];
    expect(await tool.invoke(context(true, calls), json, details('c1', json))).toBe('yes\n');
    expect(calls).toEqual(['bash c1']);
    const refused = JSON.stringify({ command: 'rm -rf /' });
    expect(await tool.invoke(context(true), refused, details('c2', refused))).toContain('was not run');
  });

  test("approvals: 'broker' leaves the question to the broker", async () => {
    const tool = await openaiAgentsTool({ ...subject.given({ policy: ASKING }), approvals: 'broker' });
    const json = '{"command": "rm -f agents-mark"}';
    expect(await tool.needsApproval(context(undefined), JSON.parse(json), 'c1')).toBe(false);
    expect(await tool.invoke(context(true), json, details('c1', json))).toContain('was not run');
  });

  test('the Shell for shellTool', async () => {
    const shell: Shell = openaiAgentsShell(subject.given());
    const result = await shell.run({ commands: ['echo one', 'sleep 1000'], timeoutMs: 700, maxOutputLength: 900 });
    expect(result).toMatchObject({
      output: [{ stdout: 'one\n', outcome: { type: 'exit', exitCode: 0 } }, { outcome: { type: 'timeout' } }],
      maxOutputLength: 900,
    });
  });
});

test('no adapter imports a package', () => {
  const source = readFileSync(new URL('../../src/surfaces/adapters/adapters.ts', import.meta.url), 'utf8');
  const files = [...source.matchAll(/from '\.\/([\w-]+\.ts)'/g)].map((match) => match[1]);
  expect(files.length).toBeGreaterThan(6);
  for (const file of [...files, 'ends.ts', 'codex-input.ts']) {
    const text = readFileSync(new URL(`../../src/surfaces/adapters/${file}`, import.meta.url), 'utf8');
    const named = [...text.matchAll(/from '([^']+)'/g)].map((match) => match[1] as string);
    expect(named.filter((name) => !/^(?:\.|node:)/.test(name))).toEqual([]);
  }
});
