// Which command an agent's settings should start. Agents often run with another PATH than a terminal does (started from a
// desktop, another version of Node by a version manager), so for one person it is Node and the program by full path.

import { realpathSync } from 'node:fs';
import { join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Scope } from './options.ts';

export interface Launch {
  readonly argv: readonly string[];
  /** Why this form, in one sentence for the person. */
  readonly why: string;
}

export function launchFor(scope: Scope, root = packageFolder()): Launch {
  if (scope === 'project') {
    return {
      argv: NPX,
      why: "A project's file is read on other machines too, so it says npx instead of a path of yours.",
    };
  }
  // npx keeps packages in a cache that it may empty at any time.
  if (/[\\/]_npx[\\/]/.test(root)) {
    return { argv: NPX, why: 'It runs from the cache of npx, which may go away, so npx is named instead of its path.' };
  }
  return {
    argv: [process.execPath, join(root, 'bin/hardshell.js')],
    why: 'Full paths, because agents often start with another PATH than your terminal has.',
  };
}

/** Our own folder, when it lies in the folder of the project: whoever may write there may change us. */
export function ownFolderWithin(cwd: string, root = packageFolder()): string | null {
  return scopeOf(root).startsWith(scopeOf(realpathSync(cwd))) ? root : null;
}

const scopeOf = (folder: string) => (folder.endsWith(sep) ? folder : folder + sep);

const NPX = ['npx', '-y', 'hardshell'];

/** For settings that hold one line for a shell. */
export function toCommandLine(argv: readonly string[]): string {
  return argv.map(quoted).join(' ');
}

function quoted(word: string): string {
  if (/^[\w@%+=:,./-]+$/.test(word)) return word;
  // Double quotes are what cmd and every POSIX shell share.
  return /["$`\\!]/.test(word) ? `'${word.replaceAll("'", `'\\''`)}'` : `"${word}"`;
}

function packageFolder(): string {
  return realpathSync(fileURLToPath(new URL('../../../../', import.meta.url)));
}
