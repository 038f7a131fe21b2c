// The OpenAI Agents SDK's function tool, and the `Shell` for its `shellTool`.
// With `approvals: 'framework'` the SDK interrupts the run, and a call that was approved there is not asked about again.

import { defined } from '../../host/values.ts';
import type { ObjectSchema, ToolAnswer } from '../../host.ts';
import type { FrameworkOptions } from './ai-sdk.ts';
import {
  type AdapterOptions,
  callTool,
  converse,
  describeTools,
  FRAMEWORK_OPTIONS,
  pickTool,
  wouldAsk,
} from './conversation.ts';
import { openaiShell } from './openai-shell.ts';

/** The part of the SDK's run context that is used here. */
export interface AgentsRunContext {
  isToolApproved?(call: { toolName: string; callId: string }): boolean | undefined;
}

export type AgentsOutput =
  | string
  | (
      | { type: 'text'; text: string }
      | { type: 'image'; image: { data: string; mediaType: string }; detail?: 'low' | 'high' | 'auto' }
    )[];

export interface OpenAIAgentsTool {
  readonly type: 'function';
  readonly name: string;
  readonly description: string;
  readonly parameters: {
    type: 'object';
    properties: Record<string, unknown>;
    required: string[];
    additionalProperties: false;
  };
  readonly strict: false;
  /** Never rejects. `input` is JSON, as the model wrote it. */
  invoke(
    runContext: AgentsRunContext | undefined,
    input: string,
    details?: { readonly toolCall?: { readonly callId?: string }; readonly signal?: AbortSignal | undefined },
  ): Promise<AgentsOutput>;
  needsApproval(runContext: AgentsRunContext | undefined, input: unknown, callId?: string): Promise<boolean>;
  isEnabled(): Promise<boolean>;
}

/** All tools of the profile, over one conversation: `new Agent({ tools: await openaiAgentsTools(…) })`. */
export async function openaiAgentsTools(options: FrameworkOptions): Promise<readonly OpenAIAgentsTool[]> {
  const conversation = converse(options, { profile: options.profile ?? null, checks: FRAMEWORK_OPTIONS });
  const described = await describeTools(options, conversation);
  const asks = options.approvals !== 'broker';
  return described.map(({ tool, description }) => ({
    type: 'function',
    name: tool.name,
    description,
    parameters: parametersOf(tool.inputSchema),
    strict: false,
    async invoke(runContext, input, details = {}) {
      const callId = details.toolCall?.callId;
      const isApproved = asks && callId !== undefined && hasYes(runContext, { toolName: tool.name, callId });
      const { signal } = details;
      return outputOf(await callTool(tool, parse(input), { conversation, options, signal, isApproved }));
    },
    needsApproval: async (_, input) =>
      asks && wouldAsk(tool, typeof input === 'string' ? parse(input) : input, conversation),
    isEnabled: async () => true,
  }));
}

export async function openaiAgentsTool(options: FrameworkOptions): Promise<OpenAIAgentsTool> {
  return pickTool(await openaiAgentsTools(options), options.tool);
}

function hasYes(runContext: AgentsRunContext | undefined, call: { toolName: string; callId: string }): boolean {
  try {
    return runContext?.isToolApproved?.(call) === true;
  } catch {
    return false;
  }
}

/** Input that is not JSON is not an object either, and the tool reports what it expects. */
function parse(input: string): unknown {
  try {
    return JSON.parse(input);
  } catch {
    return input;
  }
}

function parametersOf({ properties, required = [] }: ObjectSchema): OpenAIAgentsTool['parameters'] {
  return { type: 'object', properties: { ...properties }, required: [...required], additionalProperties: false };
}

function outputOf({ text, image }: ToolAnswer): AgentsOutput {
  if (image === null) return text;
  return [
    { type: 'text', text },
    { type: 'image', image: { data: image.base64, mediaType: image.mediaType } },
  ];
}

export interface AgentsShellAction {
  readonly commands: readonly string[];
  readonly timeoutMs?: number;
  readonly maxOutputLength?: number;
}

export interface AgentsShell {
  run(action: AgentsShellAction): Promise<{
    output: {
      stdout: string;
      stderr: string;
      outcome: { type: 'exit'; exitCode: number | null } | { type: 'timeout' };
    }[];
    maxOutputLength?: number;
  }>;
}

/** For `shellTool({ shell: openaiAgentsShell(…) })`. Questions go to the broker of the shell tool. */
export function openaiAgentsShell(options: AdapterOptions): AgentsShell {
  const shell = openaiShell(options);
  return {
    async run({ commands, timeoutMs, maxOutputLength }) {
      const action = { commands, timeout_ms: timeoutMs, max_output_length: maxOutputLength };
      const output = await shell.run(action);
      return {
        output: output.map(({ outcome, ...streams }) => ({
          ...streams,
          outcome: outcome.type === 'exit' ? { type: 'exit', exitCode: outcome.exit_code } : outcome,
        })),
        ...defined({ maxOutputLength }),
      };
    },
  };
}
