// Shared by the tests of the adapters: one shell tool with a separate folder, and every adapter behind one call.

import { DEFAULT_POLICY } from '../../src/core/default-policy.ts';
import type { Policy } from '../../src/core/policy.ts';
import type { RunContext, ShellEvent } from '../../src/core/running.ts';
import type { ShellOptions } from '../../src/pipeline/shell.ts';
import * as adapters from '../../src/surfaces/adapters/adapters.ts';
import { createSubject as createRunning, FREE, type Subject as Running } from '../running/subject.ts';

export const DOT = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

/** The user is asked about every change. */
export const ASKING: Policy = { ...DEFAULT_POLICY, mode: 'default', requireConfirmation: true };

export interface Subject extends Running {
  /** Options of the adapters: a separate conversation each time. */
  given(more?: Partial<RunContext>, onEvent?: (event: ShellEvent) => void): adapters.AdapterOptions;
}

export function createSubject(options: ShellOptions = {}): Subject {
  const running = createRunning(options);
  return {
    ...running,
    given: (more = {}, onEvent) => ({
      shell: running.shell,
      session: running.shell.session(running.options({ policy: FREE, ...more })),
      ...(onEvent === undefined ? {} : { onEvent }),
    }),
  };
}

export interface Seen {
  readonly text: string;
  /** Where the shape has no place for it, what tells a failure from a success there. */
  readonly isError: boolean;
  readonly image?: { readonly mediaType: string; readonly data: string };
}

/** `input`: instead of one that fits the adapter. */
export type Call = (
  command: string,
  options?: { readonly signal?: AbortSignal; readonly input?: unknown },
) => Promise<Seen>;

export interface Adapter {
  readonly name: string;
  readonly showsImages: boolean;
  make(options: adapters.AdapterOptions): Promise<Call>;
}

function seeAnthropic({ content, is_error }: adapters.AnthropicToolResult): Seen {
  const [first, second] = content;
  const image = second?.type === 'image' ? second.source : undefined;
  return {
    text: first?.type === 'text' ? first.text : '',
    isError: is_error,
    ...(image === undefined ? {} : { image: { mediaType: image.media_type, data: image.data } }),
  };
}

export const ADAPTERS: readonly Adapter[] = [
  {
    name: 'plainTool',
    showsImages: true,
    async make(options) {
      const tool = await adapters.plainTool(options);
      return async (command, { signal, input = { command } } = {}) => {
        const { text, isError, image } = await tool.call(input, { signal });
        return {
          text,
          isError,
          ...(image === null ? {} : { image: { mediaType: image.mediaType, data: image.base64 } }),
        };
      };
    },
  },
  {
    name: 'anthropicBash',
    showsImages: true,
    async make(options) {
      const tool = adapters.anthropicBash(options);
      return async (command, { signal, input = { command } } = {}) =>
        seeAnthropic(await tool.respond({ id: 'toolu_1', input }, { signal }));
    },
  },
  {
    name: 'claudeCodeBash',
    showsImages: true,
    async make(options) {
      const tool = await adapters.claudeCodeBash(options);
      return async (command, { signal, input = { command } } = {}) =>
        seeAnthropic(await tool.respond({ id: 'toolu_1', input }, { signal }));
    },
  },
  {
    name: 'openaiShell',
    showsImages: false,
    async make(options) {
      const tool = adapters.openaiShell(options);
      return async (command, { signal, input = { commands: [command] } } = {}) => {
        const { output } = await tool.respond({ call_id: 'call_1', action: input }, { signal });
        return {
          text: output.map(({ stdout, stderr }) => stdout + stderr).join(''),
          isError: output.some(({ outcome }) => outcome.type === 'timeout' || outcome.exit_code !== 0),
        };
      };
    },
  },
  {
    name: 'codexExec',
    showsImages: false,
    async make(options) {
      const tools = adapters.codexExec(options);
      return async (command, { signal, input = { cmd: command, yield_time_ms: 30_000 } } = {}) =>
        tools.call('exec_command', input, { signal });
    },
  },
  {
    name: 'aiSdkTool',
    showsImages: true,
    async make(options) {
      const tool = await adapters.aiSdkTool(options);
      return async (command, { signal, input = { command } } = {}) => {
        const answer = await tool.execute(input, { toolCallId: 'call_1', messages: [], abortSignal: signal });
        const output = tool.toModelOutput({ output: answer });
        if (output.type !== 'content') return { text: output.value, isError: output.type === 'error-text' };
        const [text, image] = output.value;
        return {
          text: text?.type === 'text' ? text.text : '',
          isError: answer.isError,
          ...(image?.type === 'image-data' ? { image: { mediaType: image.mediaType, data: image.data } } : {}),
        };
      };
    },
  },
  {
    name: 'openaiAgentsTool',
    showsImages: true,
    async make(options) {
      const tool = await adapters.openaiAgentsTool(options);
      return async (command, { signal, input = { command } } = {}) => {
        const said = typeof input === 'string' ? input : JSON.stringify(input);
        const output = await tool.invoke(undefined, said, { toolCall: { callId: 'call_1' }, signal });
        // The shape has no place for it: the text says how the command ended.
        const isBad = (text: string) => /^\[(?:exit code|ended by|\w[\w-]*:)|not run|not valid/m.test(text);
        if (typeof output === 'string') return { text: output, isError: isBad(output) };
        const [text, image] = output;
        return {
          text: text?.type === 'text' ? text.text : '',
          isError: false,
          ...(image?.type === 'image' ? { image: image.image } : {}),
        };
      };
    },
  },
];
