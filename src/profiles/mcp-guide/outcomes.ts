// Results of the engine → the guide's answers: `{success, exit_code, stdout, stderr, message}`, or `{error}`.

import type { RunResult } from '../../core/running.ts';
import type { Verdict } from '../../core/verdict.ts';
import type { ToolAnswer } from '../profile.ts';
import { answer } from '../shared/call.ts';
import { decisiveFindings, describeNotes, describeRefusal } from '../shared/wording.ts';

export const ERRORS = {
  command: 'command is blacklisted',
  directory: 'directory is blacklisted',
  outside: 'path is outside sandbox directory',
} as const;

const TIMED_OUT = 'command execution failed: context deadline exceeded';
const OUTSIDE = /-outside-roots$/;

export function refusal(error: string, why = ''): ToolAnswer {
  return answer(why === '' ? error : `${error}\n${why}`, { error }, true);
}

export function drawRefusal(result: RunResult): ToolAnswer {
  const error = drawError(result.verdict) ?? result.failure?.message ?? 'the command was not allowed';
  return refusal(error, describeRefusal(result));
}

/** The guide's own message, if it has one. */
export function drawError(verdict: Verdict): string | null {
  // Without an approval, a question about a path outside counts as a refusal of that path.
  const ids = decisiveFindings(verdict).map(({ id }) => id);
  if (ids.includes('blacklisted-command')) return ERRORS.command;
  if (ids.includes('blacklisted-directory')) return ERRORS.directory;
  return ids.some((id) => OUTSIDE.test(id)) ? ERRORS.outside : null;
}

export function executed(result: RunResult): ToolAnswer {
  const { status, exitCode, signal, meaning, failure, output } = result;
  if (status === 'denied') return drawRefusal(result);
  const streams = { stdout: result.stdout ?? output, stderr: result.stderr ?? '' };
  const respond = (success: boolean, exit_code: number, message: string): ToolAnswer => ({
    text: [message, ...sections(streams), ...describeNotes(result)].join('\n'),
    data: { success, exit_code, ...streams, message },
    isError: result.isError,
    image: result.image,
  });
  switch (status) {
    case 'exited':
      return exitCode === 0
        ? respond(true, 0, 'command executed successfully')
        : respond(
            true,
            exitCode ?? -1,
            `command exited with code ${exitCode}${meaning === null ? '' : `: ${meaning}`}`,
          );
    case 'timed-out':
      return respond(false, -1, TIMED_OUT);
    default:
      return respond(false, -1, `command execution failed: ${failure?.message ?? signal ?? status}`);
  }
}

function sections({ stdout, stderr }: { readonly stdout: string; readonly stderr: string }): readonly string[] {
  const part = (name: string, text: string) => (text === '' ? [] : [`${name}:`, text.replace(/\n$/, '')]);
  return [...part('stdout', stdout), ...part('stderr', stderr)];
}
