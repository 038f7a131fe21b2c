// Problems in a settings file, each with its position and fix; a list of them → the one error that is thrown.

import { type ErrorCode, HardshellError } from '../../core/errors.ts';
import { defined } from '../../core/values/defined.ts';
import { shorten } from '../../core/values/shorten.ts';

export interface Problem {
  readonly file: string;
  /** From 1; `null` if it is about the whole file. */
  readonly line: number | null;
  /** From 1, in UTF-16 units, as in editors. */
  readonly column: number | null;
  readonly message: string;
  readonly fix: string;
}

const MAX_SHOWN = 20;

/** `file:line:column: what is wrong` */
export function describeProblem(problem: Problem): string {
  const place = problem.line === null ? problem.file : `${problem.file}:${problem.line}:${problem.column}`;
  return `${place}: ${problem.message}`;
}

/** The error lists every problem, one per line; `cause` has them as data. */
export function toError(problems: readonly Problem[], code: ErrorCode = 'invalid-settings'): HardshellError {
  const shown = problems.slice(0, MAX_SHOWN).map(describeProblem);
  const more = problems.length - shown.length;
  if (more > 0) shown.push(`and ${more} more problems`);
  const fixes = [...new Set(problems.map((problem) => problem.fix))];
  const hint = fixes.length === 1 ? fixes[0] : `First: ${fixes[0]} hardshell config validate shows the fix for each.`;
  return new HardshellError(code, shown.join('\n'), { ...defined({ hint }), cause: problems });
}

/** The problems in an error from here; `null` for any other error. */
export function problemsOf(error: unknown): readonly Problem[] | null {
  if (!(error instanceof HardshellError) || !Array.isArray(error.cause)) return null;
  return error.code === 'invalid-settings' || error.code === 'unreadable-settings' ? error.cause : null;
}

/** Text from a file inside a message: quoted, so that it cannot forge a line of the message. */
export function quote(text: string): string {
  return JSON.stringify(shorten(text, 80));
}
