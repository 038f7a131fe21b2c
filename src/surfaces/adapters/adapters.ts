/// <reference lib="esnext.disposable" preserve="true" />
// `hardshell/adapters`: the shell tool in the formats of models, SDKs and frameworks. None of them needs a package.

export * from './ai-sdk.ts';
export {
  type AnthropicBash,
  type AnthropicContent,
  type AnthropicHandlers,
  type AnthropicImageType,
  type AnthropicToolResult,
  anthropicBash,
} from './anthropic.ts';
export * from './claude-code.ts';
export type { CodexAnswer } from './codex-answer.ts';
export * from './codex-exec.ts';
export type { CodexSchema, FieldSchema } from './codex-input.ts';
export type { AdapterOptions, CallOptions, ProfileToolOptions } from './conversation.ts';
export * from './openai-agents.ts';
export * from './openai-shell.ts';
export * from './plain.ts';
