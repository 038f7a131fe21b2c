// bash: `bash --norc --noprofile -p -c -- TEXT`, and the one line before TEXT that makes it report its end folder.
// Why this line and no other: docs/decisions/0004-cwd-tracking.md.

import { quoteWord } from '../../core/values/shell-words.ts';
import { type BuiltCommand, type CommandRequest, checkCwdFile, refuseNul, type ShellProvider } from './provider.ts';

// Long options must come first. `--`: without it a command that starts with `-` or `+` would be read as options.
const OPTIONS = ['--norc', '--noprofile', '-p', '-c', '--'] as const;

export class BashProvider implements ShellProvider {
  readonly kind = 'bash';
  readonly shellPath: string;

  constructor(shellPath: string) {
    this.shellPath = shellPath;
  }

  buildCommand({ command, cwdFile }: CommandRequest): BuiltCommand {
    refuseNul(command, 'The command');
    const text = cwdFile === undefined ? command : prologue(cwdFile) + command;
    return {
      file: this.shellPath,
      argv: ['bash', ...OPTIONS, text],
      env: {},
      tellsFolder: cwdFile !== undefined,
      isVerbatim: false,
    };
  }
}

/**
 * A separate line, so that syntax errors quote the command's own line. bash counts it, and restores an assigned LINENO
 * after every command, but not after the redirection of a group: the count starts again there.
 * `eval` with the old `$_` as its last word (inside a comment) leaves `$_` as it was.
 */
function prologue(cwdFile: string): string {
  const setUp = `trap -- ${quoteWord(hook(cwdFile))} EXIT; BASH_EXECUTION_STRING=\${BASH_EXECUTION_STRING#*$'\\n'} #`;
  return `{ eval ${quoteWord(setUp)} "$_"; } 2>&$((LINENO=0,2))\n`;
}

/**
 * Runs when the shell ends, in whatever state the command left it.
 * - Trace lines go to a discarded file descriptor; the arithmetic inside a redirection is not traced itself.
 * - In POSIX mode special builtins come before functions, so `unset` is the real one; backslashes stop aliases.
 * - The command's own file size limit must not kill the shell here.
 * - A failure under `set -e` would change the exit code: the list ends in a redirection that always succeeds.
 */
function hook(cwdFile: string): string {
  checkCwdFile(cwdFile);
  const steps = [
    '2>&$((BASH_XTRACEFD=2,2))',
    'POSIXLY_CORRECT=1',
    '\\unset -f builtin pwd',
    '\\trap "" XFSZ',
    `\\builtin pwd -P >|${quoteWord(cwdFile)}`,
  ];
  return `{ ${steps.join('; ')}; } >/dev/null 2>&1 || <&-`;
}
