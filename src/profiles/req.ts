// REQ: one tool with `command` and `mode`, combined output, 30 seconds or 15 minutes, and a display without a redundant cd.

import { engineOf } from '../core/profile-rules.ts';
import type { RunResult } from '../core/running.ts';
import { whyWithoutSandbox } from '../core/values/without-sandbox.ts';
import type { Calling, Profile, Surroundings, ToolAnswer } from './profile.ts';
import { answer, createTool, MAY_DO_ANYTHING, objectSchema, runAsked } from './shared/call.ts';
import type { Fields } from './shared/input.ts';
import { describeSurroundings } from './shared/surroundings.ts';
import { describeNotes, describeRefusal, describeRunning, withNotes } from './shared/wording.ts';

const DEFAULT_MS = 30_000;
const SLOW_MS = 15 * 60_000;
const MODES = ['default', 'slow', 'background'] as const;
type Mode = (typeof MODES)[number];

const nullable = (type: string, description: string) => ({ type: [type, 'null'], description });

export const REQ: Profile = {
  name: 'req',
  engine: engineOf('req'),
  tools: [
    createTool({
      name: 'bash',
      title: 'Run a shell command',
      inputSchema: objectSchema(
        {
          command: { type: 'string', minLength: 1, description: 'The shell command to execute' },
          mode: {
            type: 'string',
            enum: MODES,
            default: 'default',
            description:
              'Execution mode: default (30-second timeout), slow (15-minute timeout), or background (detached; answers at once with process ID and output file)',
          },
        },
        ['command'],
      ),
      outputSchema: objectSchema(
        {
          command: { type: 'string', description: 'as it was given' },
          display: { type: 'string', description: 'the same for people, without a redundant cd' },
          output: { type: 'string', description: 'stdout and stderr, combined' },
          exit_code: nullable('integer', 'null if it did not exit on its own, or is still running'),
          running: { type: 'boolean', description: 'it has not ended: output is what it wrote so far' },
          truncated: { type: 'boolean' },
          timed_out: { type: 'boolean' },
          pid: nullable('integer', 'process ID of a background process'),
          pgid: nullable('integer', 'process group ID: kill -9 -<pgid> ends it'),
          output_file: nullable('string', 'where the output of a background process goes'),
          unconfined: nullable('string', 'why no sandbox confines the command; null if one does, or if it did not run'),
          error: {
            type: ['object', 'null'],
            description:
              'kind: command (it ran and failed), timeout, cancelled (it was ended on request), rejected (it was not run), system (hardshell failed)',
          },
        },
        ['output'],
      ),
      annotations: MAY_DO_ANYTHING,
      describe: describeTool,
      perform,
      refuse: (problem) => answer(problem, { output: '', error: { kind: 'rejected', message: problem } }, true),
    }),
  ],
};

function describeTool(surroundings: Surroundings): string {
  return `Executes a shell command via bash -c and returns its combined stdout and stderr.

- mode default: ended after 30 seconds. mode slow: ended after 15 minutes. mode background: starts it detached and returns its process ID, process group ID and output file; end it with kill -9 -<pgid>, as a separate command or first in a line.
- Every command starts in the working directory: cd lasts until the end of its command.
- No TTY is attached: use flags such as --yes instead of prompts.
- Output over 128 KB is cut in the middle; the first and last 4 KB are kept.
- Refused, with a safer alternative: git add -A and similar, force pushes without lease, rm -rf of root, home, .git or everything.

${describeSurroundings(surroundings)}`;
}

async function perform({ command, mode = 'default' }: Fields, calling: Calling): Promise<ToolAnswer> {
  const isBackground = mode === 'background';
  const result = await runAsked(calling, {
    command: command as string,
    options: {
      profile: 'req',
      view: 'req',
      // Given explicitly, it does not follow `cd`: each command starts in the folder of its context.
      cwd: calling.session.cwd,
      ...(isBackground ? {} : { timeout: mode === 'slow' ? SLOW_MS : DEFAULT_MS }),
    },
    isBackground,
    holdsTimeout: true,
  });
  const isTask = result.status === 'running';
  const { kind, text } = isTask
    ? { kind: null, text: describeTask(result, isBackground) }
    : describe(result, mode as Mode);
  return {
    text,
    data: {
      command: command as string,
      display: result.display,
      output: result.output,
      exit_code: result.exitCode,
      running: isTask,
      truncated: result.isTruncated,
      timed_out: result.status === 'timed-out',
      pid: isTask ? result.pid : null,
      pgid: isTask ? result.pgid : null,
      output_file: result.outputFile,
      unconfined: whyUnconfined(result),
      error: kind === null ? null : { kind, message: messageOf(result, mode as Mode) },
    },
    isError: result.isError,
    image: result.image,
  };
}

function describe(result: RunResult, mode: Mode): { kind: string | null; text: string } {
  const { status, exitCode, signal, meaning, isError, failure } = result;
  const said = meaning === null ? '' : ` (${meaning})`;
  switch (status) {
    case 'exited':
      if (failure !== null) return { kind: 'system', text: after(result, `[system error: ${failure.message}]`) };
      if (exitCode === 0) return { kind: null, text: after(result) };
      if (!isError) return { kind: null, text: after(result, `[exit code ${exitCode}${said}]`) };
      return { kind: 'command', text: after(result, `[command failed with exit code ${exitCode}${said}]`) };
    case 'signalled':
      return { kind: 'command', text: after(result, `[command ended by ${signal}${said}]`) };
    case 'timed-out': {
      const seconds = Number(failure?.context.timeoutMs ?? 0) / 1000;
      return {
        kind: 'timeout',
        text: after(
          result,
          `[command timed out after ${seconds} seconds and was ended; this is its output until then]`,
          ...LONGER[mode],
        ),
      };
    }
    case 'denied':
      return { kind: 'rejected', text: describeRefusal(result) };
    case 'cancelled':
      return { kind: 'cancelled', text: after(result, `[${failure?.message ?? 'The command was cancelled.'}]`) };
    case 'running':
    case 'limited':
      return { kind: 'command', text: after(result, `[${failure?.message ?? status}]`) };
    case 'failed':
      return {
        kind: 'system',
        text: after(result, `[system error, the command did not run to its end: ${messageOf(result, mode)}]`),
      };
  }
}

/** A command started in the background, or one that became a task because it took too long. */
function describeTask(result: RunResult, isBackground: boolean): string {
  const { pid, pgid, outputFile, output } = result;
  const place = [`Process ID: ${pid}`, `Process group ID: ${pgid}`, `Output file: ${outputFile}`];
  const end = `End it with: kill -9 -${pgid}`;
  const warning = describeUnconfined(result);
  if (isBackground) return ['Started in the background.', ...place, end, ...warning].join('\n');
  const soFar = output === '' ? '(no output so far)' : output;
  const rest = `Read the rest with: cat ${outputFile}`;
  return withNotes(soFar, [...describeRunning(result), ...place, rest, end, ...warning]);
}

function whyUnconfined({ startedAt, enforcement }: RunResult): string | null {
  if (startedAt === null || enforcement.tier !== 'none') return null;
  return enforcement.missing[0]?.why ?? 'the settings turn the sandbox off';
}

/** Only if the machine has no sandbox, not if the settings turn it off. */
function describeUnconfined({ startedAt, enforcement }: RunResult): readonly string[] {
  const why = startedAt === null ? null : whyWithoutSandbox(enforcement);
  return why === null ? [] : [`[ran without a sandbox: ${why}]`];
}

function after(result: RunResult, ...lines: readonly string[]): string {
  const { output, cwdCause } = result;
  // The folder of the next command does not depend on this one.
  const stays = cwdCause === 'changed' && output === '' ? ['[cd applies to this command only]'] : [];
  const notes = [
    ...lines,
    ...describeNotes({ ...result, cwdCause: 'kept' }, 'mode background'),
    ...stays,
    ...describeUnconfined(result),
  ];
  if (notes.length === 0) return output === '' ? '(no output)' : output;
  return `${output}${output === '' || output.endsWith('\n') ? '' : '\n'}${notes.join('\n')}`;
}

/** What to do about a timeout, by the mode of the command. */
const LONGER: Readonly<Record<Mode, readonly string[]>> = {
  default: ['Use mode slow (15 minutes) or background.'],
  slow: ['Use mode background.'],
  background: [],
};

function messageOf({ status, failure, meaning, exitCode, signal }: RunResult, mode: Mode): string {
  if (failure !== null) {
    const suggestions = status === 'timed-out' ? LONGER[mode] : failure.suggestions;
    return [failure.message, ...suggestions].join(' ');
  }
  return meaning ?? (signal === null ? `exit code ${exitCode}` : `ended by ${signal}`);
}
