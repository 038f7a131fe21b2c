// One command of a call → its result, in the foreground, in the background, or as a task if the surface cannot wait.
// Invalid requests and settings become answers; all other errors are thrown.

import { HardshellError } from '../../core/errors.ts';
import type { RunResult, SessionOptions } from '../../core/running.ts';
import { defined } from '../../core/values/defined.ts';
import type { Calling, ObjectSchema, ProfileTool, ToolAnswer } from '../profile.ts';
import { type Fields, readInput } from './input.ts';

export interface Asked {
  readonly command: string;
  readonly options?: SessionOptions;
  readonly isBackground?: boolean;
  /** Also applies to a command that continues as a task. */
  readonly holdsTimeout?: boolean;
}

export async function runAsked(calling: Calling, asked: Asked): Promise<RunResult> {
  const { session, signal, onEvent, answerWithin } = calling;
  const { command, options = {}, isBackground = false, holdsTimeout = false } = asked;
  const complete: SessionOptions = {
    ...defined({ signal, onEvent }),
    ...options,
  };
  if (isBackground) return session.start(command, complete);
  return session.run(command, {
    ...complete,
    ...(holdsTimeout ? { keepTimeout: true } : {}),
    ...(answerWithin === undefined ? {} : { backgroundAfter: Math.max(1, Math.floor(answerWithin)) }),
  });
}

export interface ToolSpec extends Omit<ProfileTool, 'call'> {
  /** Called with input that matches the schema. */
  readonly perform: (input: Fields, calling: Calling) => Promise<ToolAnswer>;
  /** An error in the profile's format. */
  readonly refuse: (problem: string) => ToolAnswer;
}

export function createTool({ perform, refuse, ...tool }: ToolSpec): ProfileTool {
  return {
    ...tool,
    async call(input, calling) {
      const read = readInput(tool.inputSchema, input);
      if (!read.ok) return refuse(read.problem);
      try {
        return await perform(read.value, calling);
      } catch (error) {
        if (!(error instanceof HardshellError)) throw error;
        return refuse(error.hint === null ? error.message : `${error.message} ${error.hint}`);
      }
    },
  };
}

/** Schemas are closed unless a document says otherwise. */
export function objectSchema(
  properties: Readonly<Record<string, unknown>>,
  required: readonly string[] = [],
): ObjectSchema {
  return { type: 'object', properties, required, additionalProperties: false };
}

/** An answer without an image. */
export function answer(text: string, data: Fields, isError = false): ToolAnswer {
  return { text, data, isError, image: null };
}

/** What a command may do, as hints for clients. */
export const MAY_DO_ANYTHING = {
  readOnlyHint: false,
  destructiveHint: true,
  idempotentHint: false,
  openWorldHint: true,
} as const;

export const ONLY_LOOKS = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
} as const;
