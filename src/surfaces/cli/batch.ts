// JSON lines on standard input → JSON lines on standard output, in the same order, for every verb with --batch.
// An invalid line is answered in its place, so that the reader never loses count; memory stays bounded.

import { once } from 'node:events';
import { resolve } from 'node:path';
import { HardshellError, type Shell } from '../../host/deciding.ts';
import { describeError } from '../../host/values.ts';
import { EXIT } from './failure.ts';
import { decodeUtf8, readFolder } from './input.ts';
import { SCHEMA_VERSION, toLine } from './json.ts';
import { SHELL_NAMES } from './options.ts';
import { process } from './process.ts';

const MAX_LINE_BYTES = 1 << 20;

/** Fields of every line. */
export interface BatchRequest {
  readonly command: string;
  readonly cwd: string;
  readonly shell: Shell;
  /** `null` if the line has no variables. */
  readonly variables: Readonly<Record<string, string>> | null;
}

export interface BatchVerb {
  /** The form of a line, for error messages. */
  readonly form: string;
  answer(request: BatchRequest, line: Readonly<Record<string, unknown>>): Record<string, unknown>;
}

export async function runBatch(
  argument: string | undefined,
  options: { readonly cwd?: string; readonly shell: Shell },
  verb: BatchVerb,
): Promise<number> {
  if (argument !== undefined) {
    throw new HardshellError('usage', '--batch reads commands from standard input, and takes no command argument.', {
      hint: 'Leave out the argument, or leave out --batch.',
    });
  }
  const defaults = { cwd: readFolder(options.cwd), shell: options.shell };
  let exitCode: number = EXIT.ok;
  for await (const line of readLines(process.stdin as AsyncIterable<Buffer>)) {
    const answer = answerLine(line, defaults, verb);
    if ('error' in answer) exitCode = EXIT.badLine;
    if (!process.stdout.write(toLine(answer))) await once(process.stdout, 'drain');
  }
  return exitCode;
}

/** Lines as bytes; a line over the limit comes as `null`, without ever being held as a whole. Blank lines are left out. */
async function* readLines(input: AsyncIterable<Buffer>): AsyncGenerator<Buffer | null> {
  let held: Buffer[] = [];
  let size = 0;
  const take = (): Buffer | null => {
    const line = size > MAX_LINE_BYTES ? null : Buffer.concat(held);
    held = [];
    size = 0;
    return line;
  };
  const hold = (part: Buffer): void => {
    size += part.length;
    if (size > MAX_LINE_BYTES) held = [];
    else if (part.length > 0) held.push(part);
  };
  for await (const chunk of input) {
    let start = 0;
    for (let end = chunk.indexOf(10); end !== -1; end = chunk.indexOf(10, start)) {
      hold(chunk.subarray(start, end));
      start = end + 1;
      const line = take();
      if (line === null || !isBlank(line)) yield line;
    }
    hold(chunk.subarray(start));
  }
  const last = take();
  if (last === null || !isBlank(last)) yield last;
}

function isBlank(line: Buffer): boolean {
  return line.every((byte) => byte === 32 || byte === 9 || byte === 13);
}

function answerLine(
  line: Buffer | null,
  defaults: { cwd: string; shell: Shell },
  verb: BatchVerb,
): Record<string, unknown> {
  let id: unknown = null;
  try {
    if (line === null) throw new HardshellError('too-long', 'The line is longer than 1 MiB.');
    const value = parseLine(line, verb.form);
    id = value.id ?? null;
    return { schemaVersion: SCHEMA_VERSION, id, ...verb.answer(readRequest(value, defaults, verb.form), value) };
  } catch (error) {
    const known = error instanceof HardshellError;
    const message = describeError(error);
    return {
      schemaVersion: SCHEMA_VERSION,
      id,
      error: { code: known ? error.code : 'internal', message, hint: known ? error.hint : null },
    };
  }
}

function parseLine(line: Buffer, form: string): Record<string, unknown> {
  let value: unknown;
  const text = decodeUtf8(line);
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new HardshellError('invalid-json', 'The line is not valid JSON.', { hint: form, cause });
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  throw new HardshellError('invalid-json', 'The line is not a JSON object.', { hint: form });
}

function readRequest(
  value: Record<string, unknown>,
  defaults: { cwd: string; shell: Shell },
  form: string,
): BatchRequest {
  const { command, cwd, shell, variables } = value;
  const invalid = (message: string) => new HardshellError('invalid-argument', message, { hint: form });
  if (typeof command !== 'string') throw invalid('"command" must be a string');
  if (cwd !== undefined && (typeof cwd !== 'string' || cwd === '')) throw invalid('"cwd" must be a path');
  if (shell !== undefined && !SHELL_NAMES.some((name) => name === shell))
    throw invalid(`"shell" must be one of ${SHELL_NAMES.join(', ')}`);
  if (variables !== undefined && !isStringRecord(variables)) throw invalid('"variables" must be an object of strings');
  return {
    command,
    cwd: cwd === undefined ? defaults.cwd : resolve(defaults.cwd, cwd),
    shell: (shell as Shell | undefined) ?? defaults.shell,
    variables: variables ?? null,
  };
}

function isStringRecord(value: unknown): value is Record<string, string> {
  return typeof value === 'object' && value !== null && Object.values(value).every((item) => typeof item === 'string');
}
