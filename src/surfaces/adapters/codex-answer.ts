// Output and end of a command of Codex's tools → the answer, in the text and fields of Codex.

import { randomBytes } from 'node:crypto';
import { describeNotes, describeResult, type RunResult, type TaskHandle } from '../../host.ts';
import { keepEnds } from './ends.ts';

export const BYTES_PER_TOKEN = 4;

/** The fields of Codex's answer. `session_id` is present while the command runs, `exit_code` if it ended on its own. */
export interface CodexAnswer {
  readonly text: string;
  readonly data: {
    readonly chunk_id: string;
    readonly wall_time_seconds: number;
    readonly exit_code?: number;
    readonly session_id?: number;
    readonly original_token_count: number;
    readonly output: string;
  };
  readonly isError: boolean;
}

export interface Running {
  readonly task: TaskHandle;
  cursor: number;
}

/** A command that did not run, or that ended while it was waited for. */
export function drawEnd(result: RunResult, startedAt: number): CodexAnswer {
  const { status, failure, exitCode, signal, output, outputBytes } = result;
  if (status === 'denied' || status === 'failed') return refusal(describeResult(result), startedAt);
  const notes = [
    ...(failure === null ? [] : [`[${failure.message}]`, ...failure.suggestions]),
    ...(failure !== null || signal === null ? [] : [`[ended by ${signal}]`]),
    // The session stays where it is.
    ...describeNotes({ ...result, cwdCause: 'kept' }),
  ];
  return drawAnswer({
    startedAt,
    output: withNotes(output, notes),
    tokens: Math.ceil(outputBytes / BYTES_PER_TOKEN),
    ...(exitCode === null ? {} : { exit_code: exitCode }),
    isError: result.isError,
  });
}

export function withNotes(output: string, notes: readonly string[]): string {
  if (notes.length === 0) return output;
  return `${output}${output === '' || output.endsWith('\n') ? '' : '\n'}${notes.join('\n')}`;
}

/** Output since the last read: all of it, or its two ends. */
export async function readNews(
  running: Running,
  limit: number,
): Promise<{ readonly text: string; readonly bytes: number; readonly isCut: boolean }> {
  const { task, cursor } = running;
  const { outputBytes } = await task.info();
  const bytes = Math.max(0, outputBytes - cursor);
  const isLong = bytes > limit;
  const head = await readUpTo(task, cursor, isLong ? limit : bytes);
  const tail = isLong ? await readUpTo(task, Math.max(head.cursor, outputBytes - limit), limit) : null;
  running.cursor = tail?.cursor ?? head.cursor;
  // The tail may start inside a character.
  const text = tail === null ? head.text : head.text + tail.text.replace(/^\ufffd+/, '');
  return { text: keepEnds(text, limit), bytes, isCut: isLong };
}

async function readUpTo(task: TaskHandle, from: number, limit: number): Promise<{ text: string; cursor: number }> {
  let text = '';
  let cursor = from;
  while (cursor - from < limit) {
    const read = await task.read({ cursor, limitBytes: limit - (cursor - from) });
    if (read.cursor === cursor) break;
    text += read.text;
    cursor = read.cursor;
  }
  return { text, cursor };
}

interface Ended {
  readonly startedAt: number;
  readonly output: string;
  readonly tokens: number;
  readonly session_id?: number;
  readonly exit_code?: number;
  readonly isError: boolean;
}

export function drawAnswer({ startedAt, output, tokens, isError, ...end }: Ended): CodexAnswer {
  const chunk_id = randomBytes(3).toString('hex');
  const wall_time_seconds = (performance.now() - startedAt) / 1_000;
  const lines = [
    `Chunk ID: ${chunk_id}`,
    `Wall time: ${wall_time_seconds.toFixed(4)} seconds`,
    ...(end.exit_code === undefined ? [] : [`Process exited with code ${end.exit_code}`]),
    ...(end.session_id === undefined ? [] : [`Process running with session ID ${end.session_id}`]),
    `Original token count: ${tokens}`,
    'Output:',
    output,
  ];
  const data = { chunk_id, wall_time_seconds, ...end, original_token_count: tokens, output };
  return { text: lines.join('\n'), data, isError };
}

export function refusal(problem: string, startedAt: number): CodexAnswer {
  const { data } = drawAnswer({ startedAt, output: problem, tokens: 0, isError: true });
  return { text: problem, data, isError: true };
}
