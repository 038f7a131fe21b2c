// Facts and how the command ended → what that means, in a sentence, and whether it is an error.
// Only certain statements: if several commands may have set the code, it says so; codes in no table stay unexplained.

import type { CommandFact, Facts } from '../core/facts.ts';
import { once } from '../core/values/once.ts';
import { findDeciders } from './deciders.ts';
import { type ExitRow, SYSTEM_ROWS } from './exit-code-rows.ts';
import { TOOL_ROWS } from './exit-code-rows-tools.ts';
import { explainSignal, signalOfExitCode } from './signals.ts';

export interface Ending {
  /** `null` if a signal ended it. */
  readonly exitCode: number | null;
  /** `SIGKILL`; `null` if it exited. */
  readonly signal: string | null;
  /** hardshell killed it because it ran too long. */
  readonly timedOut?: boolean;
  readonly timeoutMs?: number;
  /** hardshell killed it because it exceeded a limit: `memory`. */
  readonly exceeded?: string;
}

export interface ExitMeaning {
  /** `null` if nothing certain is known. */
  readonly meaning: string | null;
  readonly isError: boolean;
}

const SUCCESS: ExitMeaning = { meaning: null, isError: false };
const UNEXPLAINED: ExitMeaning = { meaning: null, isError: true };

export const EXIT_ROWS: readonly ExitRow[] = [...SYSTEM_ROWS, ...TOOL_ROWS];
const rows = once(() => indexRows(EXIT_ROWS));

/** Their exit code is that of the command they start, except for the codes in their own row. */
const TRANSPARENT: ReadonlySet<string> = new Set(
  'builtin chrt command env exec gtimeout ionice nice nohup npx setsid stdbuf taskset time timeout uv poetry'.split(
    ' ',
  ),
);
/** They exit with a nonzero code only if their output cannot be written. */
const NEVER_FAILS: ReadonlySet<string> = new Set([':', 'echo', 'printf', 'true', 'pwd', 'date', 'sleep', 'whoami']);

export function explainExit(facts: Facts, ending: Ending): ExitMeaning {
  if (ending.timedOut) return { meaning: explainTimeout(ending.timeoutMs), isError: true };
  if (ending.exceeded !== undefined) return { meaning: `It used more ${ending.exceeded} than allowed.`, isError: true };
  if (ending.signal !== null) return { meaning: explainSignal(ending.signal), isError: true };
  const { exitCode } = ending;
  if (exitCode === 0) return SUCCESS;
  if (exitCode === null) return UNEXPLAINED;
  const deciders = facts.status === 'understood' ? findDeciders(facts) : null;
  if (deciders === null) return explainAnywhere(facts, exitCode);
  if (deciders.isNegated) return explainNegated(exitCode);
  const { commands } = deciders;
  const possible = commands.filter((index) => commands.length === 1 || !neverFails(facts.commands[index]));
  const last = possible.at(-1);
  if (last === undefined) return explainAnywhere(facts, exitCode);
  const meanings = possible.map((index) => explainCommand(facts, index, exitCode));
  const found = meanings.at(-1) ?? null;
  if (found === null) return explainAnywhere(facts, exitCode);
  if (meanings.every((each) => each?.meaning === found.meaning)) return found;
  const name = facts.commands[last]?.name ?? 'the last command';
  return {
    meaning: `If the exit code is from ${name}: ${found.meaning} An earlier command may have failed instead.`,
    isError: true,
  };
}

function explainTimeout(timeoutMs: number | undefined): string {
  const limit =
    timeoutMs === undefined ? '' : ` of ${timeoutMs % 1000 === 0 ? `${timeoutMs / 1000} s` : `${timeoutMs} ms`}`;
  return `It was stopped because it ran longer than the timeout${limit}.`;
}

function explainNegated(exitCode: number): ExitMeaning {
  return exitCode === 1 ? { meaning: 'The command after ! succeeded.', isError: false } : UNEXPLAINED;
}

function neverFails(command: CommandFact | undefined): boolean {
  return command?.name !== null && command?.name !== undefined && NEVER_FAILS.has(command.name);
}

/** The meaning of the code for the command itself, or for the one that it wraps. */
function explainCommand(facts: Facts, index: number, exitCode: number): ExitMeaning | null {
  const command = facts.commands[index];
  if (command === undefined || command.name === null || command.kind === 'function') return null;
  if (TRANSPARENT.has(command.name)) {
    const own = CANNOT_START.has(exitCode) ? lookUp(command, exitCode) : null;
    if (own !== null) return own;
    const inner = facts.commands.flatMap(({ parent, via }, at) =>
      parent === index && !via.some((each) => each.includes('(')) ? [at] : [],
    );
    if (inner.length === 1) return explainCommand(facts, inner[0] as number, exitCode);
  }
  return lookUp(command, exitCode);
}

const CANNOT_START: ReadonlySet<number> = new Set([124, 125, 126, 127, 137]);

function lookUp(command: CommandFact, exitCode: number): ExitMeaning | null {
  for (const key of keysOf(command)) {
    for (const row of rows().get(key) ?? []) {
      if (row.needs !== undefined && !hasOption(command, row.needs)) continue;
      const fine = row.fine?.[exitCode];
      if (fine !== undefined) return { meaning: fine, isError: false };
      const error = row.errors?.[exitCode];
      if (error !== undefined) return { meaning: error, isError: true };
    }
  }
  return null;
}

/** `gh pr checks`, `gh pr`, `gh`. */
function keysOf({ invocation, argv, name }: CommandFact): readonly string[] {
  const second = argv[1];
  const fallback = typeof second === 'string' && !second.startsWith('-') ? [second] : [];
  const rest = invocation === null || invocation.path.length < 2 ? fallback : invocation.path.slice(1);
  const path = [name as string, ...rest];
  return path.map((_, i) => path.slice(0, path.length - i).join(' '));
}

function hasOption({ invocation, argv }: CommandFact, names: readonly string[]): boolean {
  const isGiven = (name: string) => names.includes(name);
  return (
    invocation?.options.some((option) => option.names.some(isGiven)) === true ||
    argv.some((word) => word !== null && isGiven(word.split('=', 1)[0] as string))
  );
}

/** The meaning of a code for the shell, for any command. */
function explainAnywhere(facts: Facts, exitCode: number): ExitMeaning {
  if (exitCode === 126)
    return { meaning: 'A command was found but could not be started: it is not executable.', isError: true };
  if (exitCode === 127)
    return { meaning: 'A command was not found: it is not installed, or not on the PATH.', isError: true };
  const signal = signalOfExitCode(exitCode);
  if (signal === null) return UNEXPLAINED;
  // With `pipefail`, a writer whose reader has closed the pipe ends like this.
  const isUsual = signal === 'SIGPIPE' && facts.commands.some(({ pipeline }) => pipeline !== null);
  return { meaning: explainSignal(signal), isError: !isUsual };
}

function indexRows(rows: readonly ExitRow[]): ReadonlyMap<string, readonly ExitRow[]> {
  const index = new Map<string, ExitRow[]>();
  for (const row of rows) {
    for (const command of row.commands) index.set(command, [...(index.get(command) ?? []), row]);
  }
  return index;
}
