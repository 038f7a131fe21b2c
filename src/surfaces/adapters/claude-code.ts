// Claude Code's `Bash`, `TaskOutput` and `TaskStop` as tools for Anthropic's API: names, schemas and texts of the profile.

import { type AnthropicHandlers, handle } from './anthropic.ts';
import {
  type AdapterOptions,
  callTool,
  converse,
  DESCRIPTION_OPTIONS,
  describeTools,
  type ProfileToolOptions,
  pickTool,
} from './conversation.ts';

export interface ClaudeCodeTool extends AnthropicHandlers {
  readonly name: string;
  readonly description: string;
  readonly input_schema: {
    type: 'object';
    properties: Record<string, unknown>;
    required: string[];
    additionalProperties: false;
  };
}

export type ClaudeCodeOptions = AdapterOptions & Pick<ProfileToolOptions, 'settingsFile' | 'answerWithin'>;

/** With the two that its background tasks need. */
export async function claudeCodeTools(options: ClaudeCodeOptions): Promise<readonly ClaudeCodeTool[]> {
  const conversation = converse(options, { profile: 'claude-code', checks: DESCRIPTION_OPTIONS });
  const described = await describeTools({ ...options, profile: 'claude-code' }, conversation);
  return described.map(({ tool, description }) => ({
    name: tool.name,
    description,
    input_schema: {
      type: 'object',
      properties: { ...tool.inputSchema.properties },
      required: [...(tool.inputSchema.required ?? [])],
      additionalProperties: false,
    },
    ...handle((input, { signal }) => callTool(tool, input, { conversation, options, signal })),
  }));
}

export async function claudeCodeBash(options: ClaudeCodeOptions): Promise<ClaudeCodeTool> {
  return pickTool(await claudeCodeTools(options), 'Bash');
}
