// The command that an agent's settings should start: Node and this installation, by full paths. Agents often run with
// another PATH than a terminal, and a name that is looked up in a registry may belong to another package.

import { existsSync, realpathSync } from 'node:fs';
import { sep } from 'node:path';
import { HardshellError } from '../../../host/deciding.ts';
import { quoteWord } from '../../../host/values.ts';
import { ownProgram, packageFolder } from '../installation.ts';
import { process } from '../process.ts';
import type { Scope } from './options.ts';

export interface Launch {
  readonly argv: readonly string[];
  /** Why this form, as one sentence for the user. */
  readonly why: string;
}

const MOVED = 'If you move hardshell or Node, run install again.';
export const HOW_TO_INSTALL = 'npm install --global ./hardshell-VERSION.tgz, or npm link in a clone';

/** npx keeps packages in a cache that it may empty at any time. */
export function refuseCache(root = packageFolder()): void {
  if (!/[\\/]_npx[\\/]/.test(root)) return;
  throw new HardshellError('usage', `hardshell runs from the npx cache, which can be emptied at any time: ${root}`, {
    hint: `Install it first: ${HOW_TO_INSTALL}`,
  });
}

export function launchFor(scope: Scope, root = packageFolder()): Launch {
  const argv = ownProgram(root);
  if (scope === 'user')
    return { argv, why: `It uses full paths, because agents often have a different PATH. ${MOVED}` };
  return {
    argv,
    why: `It uses paths of this machine: keep the file out of version control, and let others run install themselves. ${MOVED}`,
  };
}

/** Our own folder, if it is in the project folder: commands that may write there may change hardshell. */
export function ownFolderWithin(cwd: string, root = packageFolder()): string | null {
  return scopeOf(root).startsWith(scopeOf(realpathSync(cwd))) ? root : null;
}

const scopeOf = (folder: string) => (folder.endsWith(sep) ? folder : folder + sep);

/** For settings with one command line for a shell. */
export function toCommandLine(argv: readonly string[]): string {
  return argv.map(quoted).join(' ');
}

/** What surrounds a hook; tests replace it. */
export interface HookSurroundings {
  readonly platform: NodeJS.Platform;
  /** The program `timeout`, where there is one. */
  readonly timeout: string | null;
}

/** Seconds. Less than the agents' own limit (30): after that they run the command. */
const ANSWER_WITHIN = 25;
export const NO_VERDICT =
  'hardshell could not check this command, so it was blocked. If hardshell was moved, run `hardshell install` again.';

/**
 * A line that always prints an answer, whatever happens to the program that it starts: missing, crashed, too slow, or
 * silent. Agents treat a failed or silent hook as no opinion. `refusal` is in the agent's own format, and is all that
 * is shown then: no stack trace of Node, no error message of a shell.
 */
export function toHookLine(
  argv: readonly string[],
  refusal: object,
  around: HookSurroundings = hookSurroundings(),
): string {
  // Neither cmd nor PowerShell reads this.
  if (around.platform === 'win32') return toCommandLine(argv);
  const bounded = around.timeout === null ? argv : [around.timeout, '-k', '1', String(ANSWER_WITHIN), ...argv];
  // Only 0 and 2 with an object are an answer of hardshell; 2 is a refusal.
  const script = '{ o=$("$@"); } 2>/dev/null; case $?$o in 0{*|2{*) ;; *) o=$0;; esac; printf "%s\\n" "$o"';
  // The agent may use any shell: fish, for example, rejects the whole line if a program is missing.
  return `/bin/sh -c '${script}' '${JSON.stringify(refusal)}' ${toCommandLine(bounded)}`;
}

function hookSurroundings(): HookSurroundings {
  const timeout = ['/usr/bin/timeout', '/bin/timeout'].find((path) => existsSync(path)) ?? null;
  return { platform: process.platform, timeout };
}

function quoted(word: string): string {
  if (/^[\w@%+=:,./-]+$/.test(word)) return word;
  // Double quotes are common to cmd and every POSIX shell.
  return /["$`\\!]/.test(word) ? quoteWord(word) : `"${word}"`;
}
