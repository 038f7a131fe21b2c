// Which command an agent's settings should start: Node and this very installation, by full paths. Agents often run with
// another PATH than a terminal does, and a name that is looked up in a registry may be taken by somebody else.

import { existsSync, realpathSync } from 'node:fs';
import { join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { HardshellError } from '../../../host/deciding.ts';
import { quoteWord } from '../../../host/values.ts';
import { process } from '../process.ts';
import type { Scope } from './options.ts';

export interface Launch {
  readonly argv: readonly string[];
  /** Why this form, in one sentence for the user. */
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
  const argv = [process.execPath, join(root, 'bin/hardshell.js')];
  if (scope === 'user')
    return { argv, why: `It uses full paths, because agents often have a different PATH. ${MOVED}` };
  return {
    argv,
    why: `It uses paths of this machine: keep the file out of version control, and let others run install themselves. ${MOVED}`,
  };
}

/** Our own folder, when it lies in the folder of the project: whoever may write there may change us. */
export function ownFolderWithin(cwd: string, root = packageFolder()): string | null {
  return scopeOf(root).startsWith(scopeOf(realpathSync(cwd))) ? root : null;
}

const scopeOf = (folder: string) => (folder.endsWith(sep) ? folder : folder + sep);

/** For settings that hold one line for a shell. */
export function toCommandLine(argv: readonly string[]): string {
  return argv.map(quoted).join(' ');
}

/** What stands around a hook; tests give another. */
export interface HookSurroundings {
  readonly platform: NodeJS.Platform;
  /** The program `timeout`, where there is one. */
  readonly timeout: string | null;
}

/** Seconds. Less than the agents' own limit (30): they let the command run when that is over. */
const ANSWER_WITHIN = 25;
export const NO_VERDICT =
  'hardshell could not check this command, so it was blocked. If hardshell was moved, run `hardshell install` again.';

/**
 * A line that prints an answer whatever becomes of what it starts: a program that is gone, a crash, no answer in time, no
 * answer at all. Agents take a failed or silent hook for no opinion. `refusal` is in the agent's own form, and is all that
 * is shown then: no stack trace of Node, no complaint of a shell.
 */
export function toHookLine(
  argv: readonly string[],
  refusal: object,
  around: HookSurroundings = hookSurroundings(),
): string {
  // Neither cmd nor PowerShell reads this.
  if (around.platform === 'win32') return toCommandLine(argv);
  const bounded = around.timeout === null ? argv : [around.timeout, '-k', '1', String(ANSWER_WITHIN), ...argv];
  // Only 0 and 2 with an object are an answer of hardshell's; 2 is a refusal.
  const script = '{ o=$("$@"); } 2>/dev/null; case $?$o in 0{*|2{*) ;; *) o=$0;; esac; printf "%s\\n" "$o"';
  // The shell of the agent may be any: fish, for one, gives up on the whole line when a program is not there.
  return `/bin/sh -c '${script}' '${JSON.stringify(refusal)}' ${toCommandLine(bounded)}`;
}

function hookSurroundings(): HookSurroundings {
  const timeout = ['/usr/bin/timeout', '/bin/timeout'].find((path) => existsSync(path)) ?? null;
  return { platform: process.platform, timeout };
}

function quoted(word: string): string {
  if (/^[\w@%+=:,./-]+$/.test(word)) return word;
  // Double quotes are what cmd and every POSIX shell share.
  return /["$`\\!]/.test(word) ? quoteWord(word) : `"${word}"`;
}

function packageFolder(): string {
  return realpathSync(fileURLToPath(new URL('../../../../', import.meta.url)));
}
