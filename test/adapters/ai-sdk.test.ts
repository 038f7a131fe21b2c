// The Vercel AI SDK itself, with its own mock of a model: types, a whole conversation, approvals, images, cancelling.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { generateText, type ModelMessage, stepCountIs, type Tool, type ToolSet, tool } from 'ai';
import { MockLanguageModelV3 } from 'ai/test';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { createBroker } from '../../src/host.ts';
import { aiSdkTool, aiSdkTools } from '../../src/surfaces/adapters/adapters.ts';
import { ASKING, createSubject, DOT, type Subject } from './subject.ts';

vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

let subject: Subject;
beforeAll(() => {
  subject = createSubject({ broker: createBroker() });
});
afterAll(() => subject.close());

type Generated = Awaited<ReturnType<MockLanguageModelV3['doGenerate']>>;

const USAGE: Generated['usage'] = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
};

/** A model that calls `bash` with each input in turn, then stops. */
function modelThatCalls(inputs: readonly object[], id = (turn: number) => `call_${turn}`): MockLanguageModelV3 {
  let turn = 0;
  return new MockLanguageModelV3({
    doGenerate: async (): Promise<Generated> => {
      const input = inputs[turn++];
      const content: Generated['content'] =
        input === undefined
          ? [{ type: 'text', text: 'done' }]
          : [{ type: 'tool-call', toolCallId: id(turn), toolName: 'bash', input: JSON.stringify(input) }];
      const unified = input === undefined ? ('stop' as const) : ('tool-calls' as const);
      return { content, finishReason: { unified, raw: undefined }, usage: USAGE, warnings: [] };
    },
  });
}

/** What the model was told about its calls. */
function toldTo(model: MockLanguageModelV3): unknown[] {
  const prompt = model.doGenerateCalls.at(-1)?.prompt ?? [];
  return prompt.flatMap((message) =>
    message.role === 'tool'
      ? message.content.flatMap((part) => (part.type === 'tool-result' ? [part.output] : []))
      : [],
  );
}

describe('aiSdkTool', () => {
  test('is what the SDK calls a tool', async () => {
    const bash = await aiSdkTool(subject.given());
    const typed: Tool = bash;
    const set: ToolSet = { bash, wrapped: tool(bash) };
    expect(Object.keys(set)).toEqual(['bash', 'wrapped']);
    expect(typed.description).toContain(subject.folder);
    expect(Object.keys(await aiSdkTools(subject.given()))).toContain('task_output');
  });

  test('the SDK runs a whole conversation with it', async () => {
    const model = modelThatCalls([
      { command: 'mkdir -p sdk && cd sdk' },
      { command: 'basename "$PWD"' },
      { command: 'exit 3' },
      { command: 'rm -rf /' },
      { wrong: true },
      { command: `echo data:image/png\\;base64,${DOT}` },
    ]);
    const { text } = await generateText({
      model,
      prompt: 'go',
      tools: { bash: tool(await aiSdkTool(subject.given())) },
      stopWhen: stepCountIs(10),
    });
    expect(text).toBe('done');
    expect(model.doGenerateCalls[0]?.tools).toMatchObject([
      { type: 'function', name: 'bash', inputSchema: { type: 'object', required: ['command'] } },
    ]);
    expect(toldTo(model)).toMatchObject([
      { type: 'text', value: expect.stringContaining('working directory is now') },
      { type: 'text', value: 'sdk\n' },
      { type: 'error-text', value: '[exit code 3]' },
      { type: 'error-text', value: expect.stringContaining('The command was not run.') },
      { type: 'error-text', value: expect.stringContaining('"command" is missing') },
      { type: 'content', value: [{ type: 'text' }, { type: 'image-data', mediaType: 'image/png', data: DOT }] },
    ]);
  });

  test('abortSignal ends the command', async () => {
    const stop = new AbortController();
    const bash = await aiSdkTool(
      subject.given({}, (event) => {
        if (event.type === 'stdout') stop.abort();
      }),
    );
    const model = modelThatCalls([{ command: 'echo ready; sleep 1000' }]);
    const call = generateText({
      model,
      prompt: 'go',
      tools: { bash },
      stopWhen: stepCountIs(3),
      abortSignal: stop.signal,
    });
    const ended = await call.then(
      () => toldTo(model),
      (error: Error) => [error.name],
    );
    expect(JSON.stringify(ended)).toMatch(/Abort|cancelled/);
  });

  test('timeout: the command is ended', async () => {
    const bash = await aiSdkTool(subject.given());
    const answer = await bash.execute({ command: 'echo begin; sleep 1000', timeout_ms: 400 });
    expect(bash.toModelOutput({ output: answer })).toEqual({
      type: 'error-text',
      value: expect.stringMatching(/^begin\n\[timed-out:/),
    });
  });

  test.each([true, false])('the SDK asks a person, and approved: %s counts', async (approved) => {
    const name = `sdk-approved-${approved}`;
    const tools = { bash: await aiSdkTool(subject.given({ policy: ASKING })) };
    const messages: ModelMessage[] = [{ role: 'user', content: 'go' }];
    const first = await generateText({
      model: modelThatCalls([{ command: `touch ${name} && rm -f other` }]),
      messages,
      tools,
    });
    const request = first.content.find((part) => part.type === 'tool-approval-request');
    expect(request?.toolCall).toMatchObject({ toolName: 'bash' });
    expect(existsSync(join(subject.folder, name))).toBe(false);
    const model = modelThatCalls([]);
    const approvalId = request?.approvalId ?? '';
    messages.push(...first.response.messages, {
      role: 'tool',
      content: [{ type: 'tool-approval-response', approvalId, approved }],
    });
    await generateText({ model, messages, tools });
    expect(existsSync(join(subject.folder, name))).toBe(approved);
    expect(toldTo(model)).toMatchObject([{ type: approved ? 'text' : 'execution-denied' }]);
  });

  const CALL = { type: 'tool-call', toolCallId: 'c1', toolName: 'bash', input: { command: 'rm -f a' } };
  const REQUEST = { type: 'tool-approval-request', approvalId: 'a1', toolCallId: 'c1' };
  const YES = { role: 'tool', content: [{ type: 'tool-approval-response', approvalId: 'a1', approved: true }] };
  const APPROVED = [{ role: 'assistant', content: [CALL, REQUEST] }, YES];
  const NO = { role: 'tool', content: [{ type: 'tool-approval-response', approvalId: 'a1', approved: false }] };
  const OTHER = { command: 'rm -f b' };
  test.each<[string, object, unknown[], boolean]>([
    ['the call that was approved', CALL.input, APPROVED, true],
    ['the call that was denied', CALL.input, [{ role: 'assistant', content: [CALL, REQUEST] }, NO], false],
    ['another command under the same id', OTHER, APPROVED, false],
    [
      'a later call with the id of an approved one',
      CALL.input,
      [...APPROVED, { role: 'assistant', content: [CALL] }],
      false,
    ],
    ['two calls with one id', CALL.input, [{ role: 'assistant', content: [CALL, CALL, REQUEST] }, YES], false],
    ['an answer to another question', CALL.input, [{ role: 'assistant', content: [CALL] }, YES], false],
    [
      'an answer that the model wrote',
      CALL.input,
      [{ role: 'assistant', content: [CALL, REQUEST, ...YES.content] }],
      false,
    ],
    ['messages that make no sense', CALL.input, [null, 7, { role: 'tool' }, { role: 'tool', content: [null] }], false],
    ['no messages', CALL.input, [], false],
  ])('approved or not: %s', async (_, input, messages, isRun) => {
    const bash = await aiSdkTool(subject.given({ policy: ASKING }));
    const { data } = await bash.execute(input, { toolCallId: 'c1', messages });
    expect(data.status).toBe(isRun ? 'exited' : 'denied');
  });

  test('an approval does not turn a refusal into a yes', async () => {
    const bash = await aiSdkTool(subject.given({ policy: ASKING }));
    const input = { command: 'rm -rf /' };
    const messages = [{ role: 'assistant', content: [{ ...CALL, input }, REQUEST] }, YES];
    const { data } = await bash.execute(input, { toolCallId: 'c1', messages });
    expect(data.status).toBe('denied');
  });

  test("approvals: 'broker' leaves the question to the broker", async () => {
    const bash = await aiSdkTool({ ...subject.given({ policy: ASKING }), approvals: 'broker' });
    expect(bash.needsApproval(CALL.input)).toBe(false);
    const { data } = await bash.execute(CALL.input, { toolCallId: 'c1', messages: APPROVED });
    expect(data.status).toBe('denied');
  });

  test.each([
    ['bash', { command: 'rm -f a' }, true],
    ['bash', { command: 'ls' }, false],
    ['bash', { command: 'rm -rf /' }, false],
    ['bash', { command: '' }, false],
    ['bash', { nothing: 1 }, false],
    ['bash', null, false],
    ['bash_readonly', { command: 'rm -f a' }, false],
    ['task_list', {}, false],
  ])('needsApproval of %s %j: %s', async (name, input, needed) => {
    const one = await aiSdkTool({ ...subject.given({ policy: ASKING }), tool: name });
    expect(one.needsApproval(input)).toBe(needed);
  });

  test('a tool that the profile does not have is named', async () => {
    await expect(aiSdkTool({ ...subject.given(), tool: 'zsh' })).rejects.toMatchObject({
      code: 'invalid-argument',
      hint: expect.stringContaining('bash_readonly'),
    });
  });
});
