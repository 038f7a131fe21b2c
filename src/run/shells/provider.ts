// The shell port: command text goes in, a program with its argv comes out.
// Never changes the text of the command: additions go before it, and only if the end folder is requested.

import { HardshellError } from '../../core/errors.ts';

export const SHELL_KINDS = ['bash', 'sh', 'zsh', 'powershell', 'cmd'] as const;
export type ShellKind = (typeof SHELL_KINDS)[number];

export interface CommandRequest {
  readonly command: string;
  /**
   * The shell writes its final folder to this file (`readEndFolder` reads it). Pass it only for commands that may
   * change the folder: without it the command runs exactly as if it had been typed.
   */
  readonly cwdFile?: string;
}

export interface BuiltCommand {
  /** Absolute for shells; for argv mode a path, or a name for the PATH of the environment. */
  readonly file: string;
  /** Starts with argv[0], the name that the program sees. */
  readonly argv: readonly string[];
  /** Merged over the built environment. */
  readonly env: Readonly<Record<string, string>>;
  /** False: no file will be written, and the previous folder stays. */
  readonly tellsFolder: boolean;
  /** Windows only: argv is joined without quoting. */
  readonly isVerbatim: boolean;
}

export interface ShellProvider {
  readonly kind: ShellKind;
  readonly shellPath: string;
  buildCommand(request: CommandRequest): BuiltCommand;
}

/** A NUL would truncate the argument: the command that runs would not be the one that was checked. */
export function refuseNul(text: string, what: string): void {
  if (text.includes('\0')) throw new HardshellError('nul', `${what} contains a NUL character.`);
}

/** A line break would add lines before the command and shift its line numbers. */
export function checkCwdFile(path: string): void {
  if (/^(?:\/|[A-Za-z]:\\)[^\0-\x1f]+$/.test(path)) return;
  throw new HardshellError('invalid-argument', 'The file for the end folder must be an absolute path of one line.');
}
