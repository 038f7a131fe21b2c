// The Vercel AI SDK's tool: input schema (Standard Schema), `execute`, `needsApproval`, `toModelOutput`.
// With `approvals: 'framework'` the SDK asks, and a call that the user approved there is not asked about again.

import type { ChecksOf, ObjectSchema, ToolAnswer } from '../../host.ts';
import {
  callTool,
  converse,
  describeTools,
  FRAMEWORK_OPTIONS,
  type ProfileToolOptions,
  pickTool,
  wouldAsk,
} from './conversation.ts';

export interface FrameworkOptions extends ProfileToolOptions {
  /**
   * Who asks the user. `framework` (default): commands that need approval wait for an approval of the framework.
   * `broker`: the framework never asks; the broker of the shell tool does.
   */
  readonly approvals?: 'framework' | 'broker';
}

/** https://standardschema.dev, with its JSON Schema. It accepts everything: the tool itself answers invalid input. */
export interface AiSdkSchema {
  readonly '~standard': {
    readonly version: 1;
    readonly vendor: 'hardshell';
    readonly validate: (value: unknown) => { readonly value: Record<string, unknown> };
    readonly jsonSchema: {
      readonly input: (options: { readonly target: string }) => Record<string, unknown>;
      readonly output: (options: { readonly target: string }) => Record<string, unknown>;
    };
    readonly types?: { readonly input: Record<string, unknown>; readonly output: Record<string, unknown> };
  };
}

export type AiSdkOutput =
  | { type: 'text'; value: string }
  | { type: 'error-text'; value: string }
  | {
      type: 'content';
      value: ({ type: 'text'; text: string } | { type: 'image-data'; data: string; mediaType: string })[];
    };

export interface AiSdkTool {
  readonly title: string;
  readonly description: string;
  readonly inputSchema: AiSdkSchema;
  needsApproval(input: unknown): boolean;
  /** Never rejects. */
  execute(
    input: unknown,
    options?: {
      readonly toolCallId?: string;
      readonly messages?: readonly unknown[];
      readonly abortSignal?: AbortSignal | undefined;
    },
  ): Promise<ToolAnswer>;
  toModelOutput(options: { readonly output: ToolAnswer }): AiSdkOutput;
}

/** All tools of the profile, over one conversation: `generateText({ tools: await aiSdkTools(…) })`. */
export async function aiSdkTools(options: FrameworkOptions): Promise<Readonly<Record<string, AiSdkTool>>> {
  const named = await createTools(options);
  return Object.fromEntries(named.map(({ name, tool }) => [name, tool]));
}

export async function aiSdkTool(options: FrameworkOptions): Promise<AiSdkTool> {
  return pickTool(await createTools(options), options.tool).tool;
}

async function createTools(
  options: FrameworkOptions,
): Promise<readonly { readonly name: string; readonly tool: AiSdkTool }[]> {
  const conversation = converse(options, {
    profile: options.profile ?? null,
    checks: FRAMEWORK_OPTIONS satisfies ChecksOf<FrameworkOptions>,
  });
  const described = await describeTools(options, conversation);
  const asks = options.approvals !== 'broker';
  return described.map(({ tool, description }) => ({
    name: tool.name,
    tool: {
      title: tool.title,
      description,
      inputSchema: schemaOf(tool.inputSchema),
      needsApproval: (input) => asks && wouldAsk(tool, input, conversation),
      execute: (input, { abortSignal: signal, toolCallId, messages = [] } = {}) =>
        callTool(tool, input, {
          conversation,
          options,
          signal,
          isApproved: asks && toolCallId !== undefined && isApproved({ toolCallId, input }, messages),
        }),
      toModelOutput: ({ output }) => modelOutputOf(output),
    },
  }));
}

function schemaOf(schema: ObjectSchema): AiSdkSchema {
  // A copy each time: the SDK writes into it.
  const jsonSchema = () => structuredClone(schema) as Record<string, unknown>;
  return {
    '~standard': {
      version: 1,
      vendor: 'hardshell',
      validate: (value) => ({ value: value as Record<string, unknown> }),
      jsonSchema: { input: jsonSchema, output: jsonSchema },
    },
  };
}

function modelOutputOf({ text, isError, image }: ToolAnswer): AiSdkOutput {
  if (image === null) return { type: isError ? 'error-text' : 'text', value: text };
  return {
    type: 'content',
    value: [
      { type: 'text', text },
      { type: 'image-data', data: image.base64, mediaType: image.mediaType },
    ],
  };
}

interface Part {
  readonly type?: string;
  readonly toolCallId?: string;
  readonly approvalId?: string;
  readonly approved?: boolean;
  readonly input?: unknown;
}

/**
 * As the SDK sees it: the last message has the answer, and the call is the one that was asked about. The attack is a
 * later call with the id of an approved one, or with the same id and another command.
 */
function isApproved(
  call: { readonly toolCallId: string; readonly input: unknown },
  messages: readonly unknown[],
): boolean {
  const { toolCallId, input } = call;
  const last = messages.at(-1);
  if ((last as { role?: unknown } | undefined)?.role !== 'tool') return false;
  const said = partsOf(last).filter(({ type, approved }) => type === 'tool-approval-response' && approved === true);
  const asked = messages.flatMap((message) =>
    (message as { role?: unknown } | null)?.role === 'assistant' ? partsOf(message) : [],
  );
  const calls = asked.filter((part) => part.type === 'tool-call' && part.toolCallId === toolCallId);
  const isSame = calls.length === 1 && JSON.stringify(calls[0]?.input) === JSON.stringify(input);
  return (
    isSame &&
    asked.some(
      (part) =>
        part.type === 'tool-approval-request' &&
        part.toolCallId === toolCallId &&
        said.some(({ approvalId }) => approvalId === part.approvalId),
    )
  );
}

function partsOf(message: unknown): readonly Part[] {
  const { content } = message as { readonly content?: unknown };
  return Array.isArray(content) ? content.filter((part) => typeof part === 'object' && part !== null) : [];
}
