// OpenAI's `shell` tool in a local environment: a `shell_call` with commands → the `shell_call_output` that answers it.
// Commands run one after the other and share `timeout_ms`; after a timeout the rest is not run, and its output says so.

import { constants } from 'node:os';
import {
  defined,
  describeNotes,
  describeResult,
  describeRunning,
  type RunResult,
  type SessionOptions,
} from '../../host.ts';
import {
  type AdapterOptions,
  type CallOptions,
  type Conversation,
  converse,
  describeWithHint,
} from './conversation.ts';
import { keepEnds } from './ends.ts';

export interface OpenAIShellAction {
  commands: string[];
  timeout_ms?: number | null;
  /** Characters of both streams together, for each command. */
  max_output_length?: number | null;
}

export interface OpenAIShellOutput {
  stdout: string;
  stderr: string;
  outcome: { type: 'exit'; exit_code: number } | { type: 'timeout' };
}

export interface OpenAIShellCallOutput {
  type: 'shell_call_output';
  call_id: string;
  output: OpenAIShellOutput[];
  max_output_length: number | null;
}

export interface OpenAIShell {
  /** For `tools` of a request. */
  readonly definition: { type: 'shell'; environment: { type: 'local' } };
  /** Never rejects: errors in an action are the output of its first command. */
  run(action: unknown, options?: CallOptions): Promise<OpenAIShellOutput[]>;
  /** For an item of the type `shell_call`. */
  respond(
    call: { readonly call_id: string; readonly action: unknown },
    options?: CallOptions,
  ): Promise<OpenAIShellCallOutput>;
}

const MAX_TIMEOUT_MS = 600_000;
/** Exit codes of shells: could not be run, must not be run, interrupted. */
const EXIT = { invalid: 2, failed: 125, denied: 126, cancelled: 130, limited: 137 } as const;

export function openaiShell(options: AdapterOptions): OpenAIShell {
  const conversation = converse(options);
  const run: OpenAIShell['run'] = async (action, call = {}) => {
    const read = readAction(action);
    if (typeof read === 'string') return [failure(read, EXIT.invalid)];
    return perform(read, conversation, { ...options, ...call });
  };
  return {
    definition: { type: 'shell', environment: { type: 'local' } },
    run,
    async respond({ call_id, action }, call) {
      const output = await run(action, call);
      const read = readAction(action);
      const max_output_length = typeof read === 'string' ? null : (read.max_output_length ?? null);
      return { type: 'shell_call_output', call_id, output, max_output_length };
    },
  };
}

async function perform(
  { commands, timeout_ms, max_output_length }: OpenAIShellAction,
  { session }: Conversation,
  { signal, onEvent }: CallOptions & Pick<AdapterOptions, 'onEvent'>,
): Promise<OpenAIShellOutput[]> {
  const outputs: OpenAIShellOutput[] = [];
  const deadline = timeout_ms ? performance.now() + timeout_ms : null;
  let isOver = false;
  for (const command of commands) {
    const leftMs = deadline === null ? null : Math.ceil(deadline - performance.now());
    if (isOver || (leftMs !== null && leftMs <= 0)) {
      outputs.push({
        ...failure('The command was not run: the timeout for all commands had passed.', 0),
        outcome: TIMEOUT,
      });
      continue;
    }
    const asked: SessionOptions = {
      streams: 'split',
      ...(signal ? { signal } : {}),
      ...defined({ onEvent }),
      ...(leftMs === null ? {} : { timeout: Math.min(leftMs, MAX_TIMEOUT_MS) }),
    };
    const output = await session
      .run(command, asked)
      .then(outputOf, (error: unknown) => failure(`The command was not run: ${describeWithHint(error)}`, EXIT.failed));
    isOver = output.outcome.type === 'timeout';
    outputs.push(max_output_length ? shorten(output, max_output_length) : output);
  }
  return outputs;
}

const TIMEOUT = { type: 'timeout' } as const;

function outputOf(result: RunResult): OpenAIShellOutput {
  const { status, failure: why } = result;
  if (status === 'denied') return failure(describeResult(result), EXIT.denied);
  const notes = [
    ...(status === 'running' ? describeRunning(result) : []),
    ...(why === null ? [] : [`[${why.message}]`, ...why.suggestions]),
    ...describeNotes(result),
  ];
  return {
    // An image cannot be returned; the output says that there is one.
    stdout: result.image === null ? (result.stdout ?? result.output) : `${result.output}\n`,
    stderr: [...(result.stderr ? [result.stderr.replace(/\n$/, '')] : []), ...notes]
      .map((line) => `${line}\n`)
      .join(''),
    outcome: status === 'timed-out' ? TIMEOUT : { type: 'exit', exit_code: exitCodeOf(result) },
  };
}

function exitCodeOf({ status, exitCode, signal }: RunResult): number {
  if (exitCode !== null) return exitCode;
  if (status === 'cancelled' || status === 'limited') return EXIT[status];
  const number = constants.signals[signal as NodeJS.Signals];
  return number === undefined ? EXIT.failed : 128 + number;
}

function failure(problem: string, exit_code: number): OpenAIShellOutput {
  return { stdout: '', stderr: `${problem}\n`, outcome: { type: 'exit', exit_code } };
}

/** The note about the end is short and stays; the rest is for the command's output. */
function shorten(output: OpenAIShellOutput, limit: number): OpenAIShellOutput {
  const stderr = keepEnds(output.stderr, Math.max(Math.floor(limit / 2), limit - output.stdout.length));
  return { ...output, stdout: keepEnds(output.stdout, limit - stderr.length), stderr };
}

function readAction(action: unknown): OpenAIShellAction | string {
  const { commands, timeout_ms, max_output_length } = (action ?? {}) as Readonly<Record<string, unknown>>;
  const isList = Array.isArray(commands) && commands.length > 0;
  if (!isList || commands.some((command) => typeof command !== 'string' || command.trim() === ''))
    return 'The action is not valid: "commands" must be a non-empty list of strings.';
  if (!isCount(timeout_ms)) return 'The action is not valid: "timeout_ms" must be an integer greater than 0.';
  if (!isCount(max_output_length))
    return 'The action is not valid: "max_output_length" must be an integer greater than 0.';
  return { commands, timeout_ms: timeout_ms ?? null, max_output_length: max_output_length ?? null };
}

function isCount(value: unknown): value is number | null | undefined {
  return value === undefined || value === null || (Number.isSafeInteger(value) && (value as number) > 0);
}
