// Anthropic's shapes, against the types and the tool runner of the real SDK, with a model that is a function.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import Anthropic from '@anthropic-ai/sdk';
import type { BetaRunnableTool } from '@anthropic-ai/sdk/lib/tools/BetaRunnableTool';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { createBroker } from '../../src/host.ts';
import { anthropicBash, claudeCodeBash, claudeCodeTools } from '../../src/surfaces/adapters/adapters.ts';
import { needsKeeper } from '../profiles/subject.ts';
import { createSubject, type Subject } from './subject.ts';

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

let subject: Subject;
beforeAll(() => {
  subject = createSubject({ broker: createBroker() });
});
afterAll(() => subject.close());

/** A client whose model calls a tool with each input in turn, then stops. `bodies`: what it was sent. */
function modelThatCalls(name: string, inputs: readonly object[]) {
  const bodies: { tools: unknown[]; messages: { content: unknown }[] }[] = [];
  const client = new Anthropic({
    apiKey: 'none',
    baseURL: 'http://127.0.0.1:9',
    fetch: async (_, init) => {
      const input = inputs[bodies.length];
      bodies.push(JSON.parse(String(init?.body)));
      const content =
        input === undefined
          ? [{ type: 'text', text: 'done' }]
          : [{ type: 'tool_use', id: `toolu_${bodies.length}`, name, input }];
      const message = {
        id: 'msg_1',
        type: 'message',
        role: 'assistant',
        model: 'none',
        content,
        stop_reason: input === undefined ? 'end_turn' : 'tool_use',
        stop_sequence: null,
        usage: { input_tokens: 1, output_tokens: 1 },
      };
      return new Response(JSON.stringify(message), { headers: { 'content-type': 'application/json' } });
    },
  });
  return { client, bodies };
}

describe('anthropicBash', () => {
  test('is what the SDK calls a tool, a runnable tool and a result', async () => {
    const bash = anthropicBash(subject.given());
    // Checked by the compiler.
    const definition: Anthropic.ToolBash20250124 = bash;
    const runnable: BetaRunnableTool = bash;
    const result: Anthropic.ToolResultBlockParam = await bash.respond({ id: 'toolu_7', input: { command: 'echo hi' } });
    const request: Anthropic.MessageCreateParams = {
      model: 'none',
      max_tokens: 1,
      messages: [{ role: 'user', content: [result] }],
      tools: [bash],
    };
    expect(JSON.parse(JSON.stringify(request.tools))).toMatchObject([{ type: 'bash_20250124', name: 'bash' }]);
    expect([definition.type, typeof runnable.run]).toEqual(['bash_20250124', 'function']);
    expect(result).toEqual({
      type: 'tool_result',
      tool_use_id: 'toolu_7',
      content: [{ type: 'text', text: 'hi\n' }],
      is_error: false,
    });
  });

  test('what stands in a request is the definition and nothing else', () => {
    expect(JSON.parse(JSON.stringify(anthropicBash(subject.given())))).toEqual({ type: 'bash_20250124', name: 'bash' });
  });

  test('the SDK runs a whole conversation with it', async () => {
    const { client, bodies } = modelThatCalls('bash', [
      { command: 'mkdir deep && cd deep' },
      { command: 'basename "$PWD"' },
      { restart: true },
      { command: 'basename "$PWD"; rm -rf /' },
    ]);
    const final = await client.beta.messages.toolRunner({
      model: 'none',
      max_tokens: 100,
      messages: [{ role: 'user', content: 'go' }],
      tools: [anthropicBash(subject.given())],
    });
    expect(final.content).toMatchObject([{ type: 'text', text: 'done' }]);
    const results = bodies.slice(1).map(({ messages }) => JSON.stringify(messages.at(-1)?.content));
    expect(results).toEqual([
      expect.stringContaining('working directory is now'),
      expect.stringContaining('deep\\n'),
      expect.stringContaining('The shell was restarted'),
      expect.stringContaining('The command was not run.'),
    ]);
  });

  test('restart: another session, where the first began, and what still ran has ended', async () => {
    let tellStarted = () => {};
    const started = new Promise<void>((resolve) => {
      tellStarted = resolve;
    });
    const bash = anthropicBash(
      subject.given({}, (event) => {
        if (event.type === 'stdout') tellStarted();
      }),
    );
    const { id } = bash.currentSession();
    await bash.run({ command: 'mkdir -p inner && cd inner' });
    const slow = bash.respond({ id: 'toolu_1', input: { command: 'echo ready; sleep 1000' } });
    await started;
    const [said] = await bash.run({ restart: true });
    expect(said).toEqual({ type: 'text', text: `The shell was restarted in ${subject.folder}.` });
    expect(await slow).toMatchObject({ is_error: true, content: [{ text: expect.stringContaining('cancelled') }] });
    expect(bash.currentSession().id).not.toBe(id);
    expect(await bash.run({ command: 'pwd' })).toEqual([{ type: 'text', text: `${subject.folder}\n` }]);
  });

  test('restart keeps what holds for the session', async () => {
    const bash = anthropicBash(subject.given({ mode: 'plan' }));
    await bash.run({ restart: true });
    const { is_error } = await bash.respond({ id: 'toolu_1', input: { command: 'touch planned-mark' } });
    expect([is_error, existsSync(join(subject.folder, 'planned-mark'))]).toEqual([true, false]);
  });

  test.each([{ command: 'echo hi', restart: true }, { restart: 'yes' }])('%j does nothing', async (input) => {
    const bash = anthropicBash(subject.given());
    const { id } = bash.currentSession();
    expect(await bash.respond({ id: 'toolu_1', input })).toMatchObject({ is_error: true });
    expect(bash.currentSession().id).toBe(id);
  });

  test.each([
    ['true', '(no output)'],
    ['echo', '(no output)'],
  ])('%s: no empty block, which the API would refuse', async (command, text) => {
    expect(await anthropicBash(subject.given()).run({ command })).toEqual([{ type: 'text', text }]);
  });

  test('a time limit of the shell tool ends the command, with what it wrote until then', async () => {
    const quick = createSubject({ timeout: 400 });
    try {
      const bash = anthropicBash(quick.given());
      const result = await bash.respond({ id: 'toolu_1', input: { command: 'echo begin; sleep 1000' } });
      expect(result).toMatchObject({
        is_error: true,
        content: [{ text: expect.stringMatching(/^begin\n\[timed-out:/) }],
      });
    } finally {
      await quick.close();
    }
  });
});

describe('claudeCodeBash', () => {
  test('is what the SDK calls a tool, and the SDK runs it', async () => {
    const bash = await claudeCodeBash(subject.given());
    const definition: Anthropic.Tool = bash;
    const runnable: BetaRunnableTool = bash;
    expect(definition.name).toBe('Bash');
    expect(Object.keys(JSON.parse(JSON.stringify(bash)))).toEqual(['name', 'description', 'input_schema']);
    expect(bash.description).toContain(subject.folder);
    const { client, bodies } = modelThatCalls('Bash', [{ command: 'echo hello', description: 'Say hello' }]);
    await client.beta.messages.toolRunner({
      model: 'none',
      max_tokens: 100,
      messages: [{ role: 'user', content: 'go' }],
      tools: [runnable],
    });
    expect(JSON.stringify(bodies[1]?.messages.at(-1)?.content)).toContain('hello\\n');
  });

  test('timeout: the command is ended', async () => {
    const bash = await claudeCodeBash(subject.given());
    const result = await bash.respond({ id: 'toolu_1', input: { command: 'echo begin; sleep 1000', timeout: 400 } });
    expect(result).toMatchObject({ is_error: true, content: [{ text: expect.stringContaining('[timed-out:') }] });
  });

  test('background: read with TaskOutput', async (context) => {
    needsKeeper(context);
    const [bash, output, stop] = await claudeCodeTools(subject.given());
    expect([bash?.name, output?.name, stop?.name]).toEqual(['Bash', 'TaskOutput', 'TaskStop']);
    const started = await bash?.run({ command: 'echo later', run_in_background: true });
    const task_id = /task (\S+)/.exec(JSON.stringify(started))?.[1];
    const read = await output?.run({ task_id });
    expect(JSON.stringify(read)).toContain('later\\n[finished with exit code 0]');
  });
});
