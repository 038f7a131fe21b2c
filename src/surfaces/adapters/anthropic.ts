// Anthropic's `bash_20250124`: the definition for `tools`, and input → content blocks or a whole `tool_result`.
// The object is also a runnable tool of the SDK's tool runner. `restart` ends running commands and starts a new session.

import { profileOf, type ShellSession, type ToolAnswer } from '../../host.ts';
import { type AdapterOptions, type CallOptions, callTool, converse, findTool } from './conversation.ts';

export type AnthropicContent =
  | { type: 'text'; text: string }
  | { type: 'image'; source: { type: 'base64'; media_type: AnthropicImageType; data: string } };

const IMAGE_TYPES = ['image/jpeg', 'image/png', 'image/gif', 'image/webp'] as const;
export type AnthropicImageType = (typeof IMAGE_TYPES)[number];

export interface AnthropicToolResult {
  type: 'tool_result';
  tool_use_id: string;
  content: AnthropicContent[];
  is_error: boolean;
}

/** What both Anthropic tools can do. JSON omits functions, so the object can be used in `tools` directly. */
export interface AnthropicHandlers {
  /** For the SDK's tool runner. */
  run(input: unknown, context?: CallOptions): Promise<AnthropicContent[]>;
  parse(input: unknown): unknown;
  /** For your own loop: a `tool_use` block → the `tool_result` block that answers it. */
  respond(use: { readonly id: string; readonly input: unknown }, options?: CallOptions): Promise<AnthropicToolResult>;
}

export interface AnthropicBash extends AnthropicHandlers {
  readonly type: 'bash_20250124';
  readonly name: 'bash';
  /** The current one: `restart` replaces it. */
  currentSession(): ShellSession;
}

export function anthropicBash(options: AdapterOptions): AnthropicBash {
  const tool = findTool(profileOf(null), 'bash');
  const { shell, session: first } = converse(options);
  let session = first;
  let ending = new AbortController();

  function restart(): ToolAnswer {
    ending.abort();
    ending = new AbortController();
    // Without its name: approvals of the old session do not apply to the new one.
    const { session: _, ...context } = session.complete({ cwd: session.originalCwd });
    session = shell.session(context);
    return plainAnswer(`The shell was restarted in ${session.cwd}.`, false);
  }

  async function perform(input: unknown, { signal }: CallOptions): Promise<ToolAnswer> {
    const { command, restart: isRestart, ...rest } = fieldsOf(input);
    if (isRestart === true && command === undefined) return restart();
    if (![undefined, null, false].includes(isRestart as null))
      return plainAnswer('Pass either "command", as a string, or "restart": true.', true);
    const both = AbortSignal.any([ending.signal, ...(signal ? [signal] : [])]);
    return callTool(tool, { command, ...rest }, { conversation: { shell, session }, options, signal: both });
  }

  return {
    type: 'bash_20250124',
    name: 'bash',
    currentSession: () => session,
    ...handle(perform),
  };
}

export function handle(perform: (input: unknown, options: CallOptions) => Promise<ToolAnswer>): AnthropicHandlers {
  return {
    run: async (input, context = {}) => contentOf(await perform(input, context)),
    parse: (input) => input,
    async respond({ id, input }, options = {}) {
      const answer = await perform(input, options);
      return { type: 'tool_result', tool_use_id: id, content: contentOf(answer), is_error: answer.isError };
    },
  };
}

function contentOf({ text, image }: ToolAnswer): AnthropicContent[] {
  // The API refuses a block of only white space.
  const content: AnthropicContent[] = [{ type: 'text', text: text.trim() === '' ? '(no output)' : text }];
  const media_type = IMAGE_TYPES.find((type) => type === image?.mediaType);
  if (image !== null && media_type !== undefined)
    content.push({ type: 'image', source: { type: 'base64', media_type, data: image.base64 } });
  return content;
}

function fieldsOf(input: unknown): Readonly<Record<string, unknown>> {
  return typeof input === 'object' && input !== null && !Array.isArray(input) ? { ...input } : {};
}

function plainAnswer(text: string, isError: boolean): ToolAnswer {
  return { text, data: {}, isError, image: null };
}
