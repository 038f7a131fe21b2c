// Any thrown value → one or two lines on stderr, the same as JSON on stdout when asked for, and the exit code.

import { describeError } from '../../host/values.ts';
import { SCHEMA_VERSION, toLine } from './json.ts';
import { process } from './process.ts';
import { isVerbTyped, typedVerb, usageMessage } from './show/typed.ts';
import { visible } from './show/visible.ts';

export const EXIT = { ok: 0, badLine: 1, badInput: 2, internal: 70, unwritable: 74, interrupted: 130 } as const;

/** An invalid command line; `code` is commander's. */
export class UsageError extends Error {
  readonly code: string;

  constructor(code: string, message: string) {
    super(code === 'commander.help' ? 'No subcommand was given.' : usageMessage(message));
    this.code = code;
  }
}

export interface Failure {
  readonly code: string;
  readonly message: string;
  readonly hint: string | null;
}

/** Failures of hardshell itself: the same input may work on another machine, or later. */
const OWN_FAILURES: ReadonlySet<string> = new Set([
  'cannot-start',
  'no-sandbox',
  'missing-dependency',
  'runner-lost',
  'no-output',
  'stage-failed',
  'unwritable-settings',
  'unreadable-audit',
  'unwritable-audit',
  'internal',
]);

/** `ownFailure`: the exit code for failures of hardshell itself, in verbs that pass on the exit code of a command. */
export function reportFailure(
  error: unknown,
  output: { readonly json: boolean; readonly ownFailure?: number },
): number {
  const failure = describe(error);
  if (output.json) process.stdout.write(toLine({ schemaVersion: SCHEMA_VERSION, error: failure }));
  writeFailure(failure);
  if (output.ownFailure !== undefined && OWN_FAILURES.has(failure.code)) return output.ownFailure;
  return failure.code === 'internal' ? EXIT.internal : EXIT.badInput;
}

export function writeFailure(failure: Failure): void {
  const hint = failure.hint === null ? '' : `  ${visible(failure.hint)}\n`;
  // Only these list one problem per line, with all text from files quoted.
  const isList = failure.code === 'invalid-settings' || failure.code === 'unreadable-settings';
  const lines = isList ? failure.message.split('\n') : [failure.message];
  process.stderr.write(`hardshell: ${lines.map(visible).join('\n  ')}\n${hint}`);
}

function describe(error: unknown): Failure {
  if (error instanceof UsageError) {
    return { code: 'usage', message: error.message, hint: usageHint(error.code) };
  }
  if (isHardshellError(error)) return { code: error.code, message: error.message, hint: error.hint };
  const message = describeError(error);
  return {
    code: 'internal',
    message: `Internal error: ${message}`,
    hint: 'This is a bug in hardshell. Please report it, with the command.',
  };
}

// By shape: loading the class would load the whole analysis, even if only an option was misspelled.
function isHardshellError(error: unknown): error is Error & Failure {
  return error instanceof Error && error.name === 'HardshellError' && 'code' in error && 'hint' in error;
}

/** Verbs whose argument is a command. */
const TAKES_COMMAND = new Set(['explain', 'check', 'analyze', 'run', 'learn']);

function usageHint(code: string): string {
  const verb = typedVerb();
  if (!isVerbTyped()) return 'hardshell --help lists the subcommands and options.';
  if (code === 'commander.unknownCommand') return 'hardshell --help lists the subcommands.';
  if (!TAKES_COMMAND.has(verb)) return `hardshell ${verb} --help shows how to use it.`;
  if (code === 'commander.excessArguments' || code === 'commander.unknownOption') {
    return `Quote the command as one argument: hardshell ${verb} 'ls -l'`;
  }
  if (code === 'commander.missingArgument') {
    return `Pass the command as one quoted argument, or - to read it from standard input: hardshell ${verb} 'ls -l'`;
  }
  return `hardshell ${verb} --help lists the options.`;
}
