// Results of the engine → the guide's answers: `{success, exit_code, stdout, stderr, message}`, or `{error}`.

import type { RunResult } from '../../core/running.ts';
import { adviceForModel } from '../../core/values/violation-advice.ts';
import type { Verdict } from '../../core/verdict.ts';
import type { ToolAnswer } from '../profile.ts';
import { answer } from '../shared/call.ts';
import type { Fields } from '../shared/input.ts';
import { decisiveFindings, describeNotes, describeRefusal } from '../shared/wording.ts';

export const ERRORS = {
  command: 'command is blacklisted',
  directory: 'directory is blacklisted',
  outside: 'path is outside sandbox directory',
} as const;

const TIMED_OUT = 'command execution failed: context deadline exceeded';
const MAX_UNDONE = 5;
const OUTSIDE = /-outside-roots$|^symlink-escapes$/;

/** The guide answers in JSON; clients that read only text get the same object. */
export function answerJson(data: Fields, isError = false): ToolAnswer {
  return answer(JSON.stringify(data), data, isError);
}

export function refusal(error: string): ToolAnswer {
  return answerJson({ error }, true);
}

/** The guide's message, or all that is known if it has none. */
export function drawRefusal(result: RunResult): ToolAnswer {
  return refusal(drawError(result.verdict) ?? describeRefusal(result));
}

/** The guide's own message, if it has one: of a path, whether it is outside is tested before the blacklist. */
export function drawError(verdict: Verdict): string | null {
  // Without an approval, a question about a path outside counts as a refusal of that path.
  const ids = decisiveFindings(verdict).map(({ id }) => id);
  if (ids.includes('blacklisted-command')) return ERRORS.command;
  if (ids.some((id) => OUTSIDE.test(id))) return ERRORS.outside;
  return ids.includes('blacklisted-directory') ? ERRORS.directory : null;
}

/** What the command created and the sandbox removed again, and why; `null` if there is nothing of that kind. */
export function describeUndone(result: RunResult): string | null {
  const listed = listUndone(result);
  const advice = [...new Set(undoneIn(result).map(adviceForModel))].slice(0, MAX_UNDONE);
  return listed === null ? null : `${listed}. ${advice.join(' ')}`;
}

function listUndone(result: RunResult): string | null {
  const undone = undoneIn(result);
  const paths = undone.slice(0, MAX_UNDONE).map(({ target }) => target);
  const more = undone.length > MAX_UNDONE ? ` and ${undone.length - MAX_UNDONE} more` : '';
  return undone.length === 0 ? null : `the sandbox does not allow ${paths.join(', ')}${more}`;
}

function undoneIn({ violations }: RunResult) {
  return violations.filter(({ kind }) => kind === 'protected-name');
}

export function executed(result: RunResult): ToolAnswer {
  const { status, exitCode, signal, meaning, failure, output } = result;
  if (status === 'denied') return drawRefusal(result);
  const streams = { stdout: result.stdout ?? output, stderr: result.stderr ?? '' };
  // What to do about it is in the output.
  const undone = listUndone(result);
  const respond = (success: boolean, exit_code: number, how: string): ToolAnswer => {
    const message = [undone === null ? how : `${how}, but ${undone}.`, ...describeNotes(result, null)].join(' ');
    const data = { success, exit_code, ...streams, message };
    return { ...answerJson(data, result.isError), image: result.image };
  };
  switch (status) {
    case 'exited':
      return exitCode === 0
        ? respond(true, 0, undone === null ? 'command executed successfully' : 'command executed')
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
