// The port of shells: command text goes in, a program with its argv comes out.
// Refuses to change the text of the command: what is added stands before it, and only where the end folder is wanted.

import { HardshellError } from '../../core/errors.ts';

export const SHELL_KINDS = ['bash', 'sh', 'zsh', 'powershell', 'cmd'] as const;
export type ShellKind = (typeof SHELL_KINDS)[number];

export interface CommandRequest {
  readonly command: string;
  /**
   * The shell writes here the folder in which it ended (`readEndFolder` reads it). Give it only for commands that may
   * change the folder: without it the command runs bare and cannot be told from one that was typed.
   */
  readonly cwdFile?: string;
}

export interface BuiltCommand {
  /** Absolute for shells; for argv mode a path, or a name for the PATH of the environment. */
  readonly file: string;
  /** With the name that the program sees as its own in front. */
  readonly argv: readonly string[];
  /** To be merged over the built environment. */
  readonly env: Readonly<Record<string, string>>;
  /** False: no file will be written, and the folder before stays. */
  readonly tellsFolder: boolean;
  /** Windows only: argv is to be joined as it is, without quoting. */
  readonly isVerbatim: boolean;
}

export interface ShellProvider {
  readonly kind: ShellKind;
  readonly shellPath: string;
  buildCommand(request: CommandRequest): BuiltCommand;
}

/** A NUL would end the argument in the middle: what ran would not be what was judged. */
export function refuseNul(text: string, what: string): void {
  if (text.includes('\0')) throw new HardshellError('nul', `${what} contains a NUL character.`);
}

/** A line break would add lines to the text in front of the command, and with them shift its line numbers. */
export function checkCwdFile(path: string): void {
  if (/^(?:\/|[A-Za-z]:\\)[^\0-\x1f]+$/.test(path)) return;
  throw new HardshellError('invalid-argument', 'The file for the end folder must be an absolute path of one line.');
}
