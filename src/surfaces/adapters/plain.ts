// A tool as a name, a description, a JSON schema and a function: for frameworks without an adapter.

import type { ObjectSchema, ToolAnswer } from '../../host.ts';
import {
  type CallOptions,
  callTool,
  converse,
  describeTools,
  PROFILE_TOOL_OPTIONS,
  type ProfileToolOptions,
  pickTool,
} from './conversation.ts';

export interface PlainTool {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of the input. */
  readonly parameters: ObjectSchema;
  /** Never rejects: invalid input and refusals are answers with `isError`. */
  call(input: unknown, options?: CallOptions): Promise<ToolAnswer>;
}

/** All tools of the profile, over one conversation. */
export async function plainTools(options: ProfileToolOptions): Promise<readonly PlainTool[]> {
  const conversation = converse(options, { profile: options.profile ?? null, checks: PROFILE_TOOL_OPTIONS });
  const described = await describeTools(options, conversation);
  return described.map(({ tool, description }) => ({
    name: tool.name,
    description,
    parameters: tool.inputSchema,
    call: (input, { signal } = {}) => callTool(tool, input, { conversation, options, signal }),
  }));
}

export async function plainTool(options: ProfileToolOptions): Promise<PlainTool> {
  return pickTool(await plainTools(options), options.tool);
}
