// Codex's `exec_command` and `write_stdin`: a command that takes longer than the wait continues under a number.
// Input for it is checked like a command. There is no terminal: `tty` only keeps the input open.

import { resolve } from 'node:path';
import { asyncDispose, defined, profileOf, type SessionOptions, type TaskHandle } from '../../host.ts';
import {
  BYTES_PER_TOKEN,
  type CodexAnswer,
  drawAnswer,
  drawEnd,
  type Running,
  readNews,
  refusal,
  withNotes,
} from './codex-answer.ts';
import { COMMAND_SCHEMA, type CodexSchema, type Fields, readFields, WRITE_SCHEMA } from './codex-input.ts';
import {
  type AdapterOptions,
  type CallOptions,
  callTool,
  converse,
  describeWithHint,
  findTool,
  openState,
} from './conversation.ts';

export interface CodexTool {
  readonly type: 'function';
  readonly name: 'exec_command' | 'write_stdin';
  readonly description: string;
  readonly strict: false;
  readonly parameters: CodexSchema;
}

export interface CodexExec {
  /** For `tools` of a request. */
  readonly tools: readonly [CodexTool, CodexTool];
  /** Never rejects. */
  call(name: string, input: unknown, options?: CallOptions): Promise<CodexAnswer>;
  /** For an item of the type `function_call`. */
  respond(
    call: { readonly call_id: string; readonly name: string; readonly arguments: string },
    options?: CallOptions,
  ): Promise<{ type: 'function_call_output'; call_id: string; output: string }>;
  /** Ends the commands that still run. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** As much as the view of an output can show. */
const MAX_CHARACTERS = 30_000;
const WAIT = {
  command: { usual: 10_000, least: 250, most: 30_000 },
  write: { usual: 250, least: 250, most: 30_000 },
  poll: { usual: 5_000, least: 5_000, most: 300_000 },
} as const;
/** It was already waited for. */
const NO_WAIT = { usual: 0, least: 0, most: 0 };
const INTERRUPT = '\u0003';
const END_OF_INPUT = '\u0004';

interface Sessions {
  next: number;
  readonly running: Map<number, Running>;
}

export function codexExec(options: AdapterOptions): CodexExec {
  const conversation = converse(options);
  const { shell, session } = conversation;
  const sessions = sessionsOf(openState(session));

  async function execute(input: Fields, { signal }: CallOptions): Promise<CodexAnswer> {
    const startedAt = performance.now();
    const following = { input, signal, startedAt, wait: WAIT.command };
    const isOpen = input.tty === true;
    const asked: SessionOptions = {
      // Named, so that the command does not move the session.
      cwd: resolve(session.cwd, (input.workdir ?? '') as string),
      view: 'proposal-0028',
      viewCharacters: limitOf(input),
      ...(signal ? { signal } : {}),
      ...defined({ onEvent: options.onEvent }),
      ...(typeof input.justification === 'string' ? { description: input.justification } : {}),
      ...(input.sandbox_permissions === 'require_escalated' ? { withoutSandbox: true } : {}),
      ...(isOpen ? { isInputOpen: true } : { backgroundAfter: waitOf(following) }),
    };
    const result = await (isOpen ? session.start : session.run).call(session, input.cmd as string, asked);
    const task = result.status === 'running' ? await shell.task(result.task) : null;
    if (task === null) return drawEnd(result, startedAt);
    const id = sessions.next++;
    sessions.running.set(id, { task, cursor: 0 });
    return follow(id, isOpen ? following : { ...following, wait: NO_WAIT });
  }

  async function write(input: Fields, { signal }: CallOptions): Promise<CodexAnswer> {
    const startedAt = performance.now();
    const id = input.session_id as number;
    const found = sessions.running.get(id);
    if (found === undefined) return refusal(`No such session: ${id}`, startedAt);
    const chars = (input.chars ?? '') as string;
    if (chars.includes(INTERRUPT)) await found.task.stop();
    else if (chars !== '') {
      const problem = await give(found.task, chars, signal);
      if (problem !== null) return refusal(problem, startedAt);
    }
    return follow(id, { input, signal, startedAt, wait: chars === '' ? WAIT.poll : WAIT.write });
  }

  /** Through the tool that checks input; null if it was written. */
  async function give(task: TaskHandle, chars: string, signal: CallOptions['signal']): Promise<string | null> {
    const end = chars.endsWith(END_OF_INPUT);
    const text = end ? chars.slice(0, -1) : chars;
    const tool = findTool(profileOf(null), 'task_input');
    const answer = await callTool(tool, { task_id: task.id, text, end }, { conversation, options: {}, signal });
    if (!answer.isError) return null;
    return answer.text.replace('with keep_input_open', 'with "tty": true');
  }

  async function follow(id: number, following: Following): Promise<CodexAnswer> {
    const { input, signal, startedAt } = following;
    const running = sessions.running.get(id) as Running;
    const { task } = running;
    await task.wait({ timeout: waitOf(following), ...(signal ? { signal } : {}) });
    // No caller waits for it any more or knows its number.
    if (signal?.aborted) await task.stop();
    const { state, exitCode, signal: endedBy, outputFile } = await task.info();
    const news = await readNews(running, limitOf(input));
    const isRunning = state === 'running';
    const notes = [
      ...(news.isCut ? [`[the whole output is in ${outputFile}]`] : []),
      ...(isRunning || endedBy === null ? [] : [`[ended by ${endedBy}]`]),
      ...(state === 'lost' ? ['[its supervisor is gone]'] : []),
    ];
    if (!isRunning) {
      sessions.running.delete(id);
      // Output that was shown completely is not kept.
      if (!news.isCut && state === 'finished') await task.remove().catch(() => {});
    }
    return drawAnswer({
      startedAt,
      output: withNotes(news.text, notes),
      tokens: Math.ceil(news.bytes / BYTES_PER_TOKEN),
      ...(isRunning ? { session_id: id } : {}),
      ...(exitCode === null ? {} : { exit_code: exitCode }),
      isError: !isRunning && exitCode !== 0,
    });
  }

  const call: CodexExec['call'] = async (name, input, { signal } = {}) => {
    const startedAt = performance.now();
    const tool = TOOLS.find((each) => each.name === name);
    if (tool === undefined)
      return refusal(`Unknown tool: ${JSON.stringify(name)}. Use exec_command or write_stdin.`, startedAt);
    const fields = readFields(tool.parameters, input);
    if (typeof fields === 'string') return refusal(fields, startedAt);
    try {
      return await (name === 'exec_command' ? execute : write)(fields, { signal });
    } catch (error) {
      return refusal(`The call failed: ${describeWithHint(error)}`, startedAt);
    }
  };

  const close = async (): Promise<void> => {
    const ending = [...sessions.running.values()].map(({ task }) => task.stop());
    sessions.running.clear();
    await Promise.allSettled(ending);
  };

  return {
    tools: TOOLS,
    call,
    async respond({ call_id, name, arguments: input }, more) {
      const { text } = await call(name, input, more);
      return { type: 'function_call_output', call_id, output: text };
    },
    close,
    [asyncDispose]: close,
  };
}

interface Following extends CallOptions {
  readonly input: Fields;
  readonly startedAt: number;
  readonly wait: { readonly usual: number; readonly least: number; readonly most: number };
}

function waitOf({ input, wait }: Following): number {
  return Math.min(Math.max((input.yield_time_ms as number | undefined) ?? wait.usual, wait.least), wait.most);
}

function limitOf({ max_output_tokens }: Fields): number {
  const characters = max_output_tokens === undefined ? MAX_CHARACTERS : (max_output_tokens as number) * BYTES_PER_TOKEN;
  return Math.min(characters, MAX_CHARACTERS);
}

const KEY = 'codex-sessions';

function sessionsOf(state: Map<string, unknown>): Sessions {
  const known = state.get(KEY) as Sessions | undefined;
  const sessions = known ?? { next: 1, running: new Map() };
  state.set(KEY, sessions);
  return sessions;
}

const TOOLS: readonly [CodexTool, CodexTool] = [
  {
    type: 'function',
    name: 'exec_command',
    description:
      'Runs a command with bash, returning its output, or a session ID if it is still running. Each command starts in the working directory or in workdir. Commands are checked before they run; a refusal says why and what to do instead.',
    strict: false,
    parameters: COMMAND_SCHEMA,
  },
  {
    type: 'function',
    name: 'write_stdin',
    description:
      'Writes characters to a running session and returns recent output. Input for a shell or an interpreter is checked like a command. \\u0003 ends the session, \\u0004 at the end closes its input.',
    strict: false,
    parameters: WRITE_SCHEMA,
  },
];
