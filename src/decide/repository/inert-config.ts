// The settings of one repository → whether any of them could run a program, whatever git is asked to do.

import { parseGitConfig } from './git/git-config.ts';
import { keyOf, triggersOf } from './git/git-keys.ts';

/** They name a folder of hooks, other files with settings, a pager or a command of somebody's own. */
const RUNS =
  /^(?:core\.(?:hookspath|pager)|pager\..*|include\..*|includeif\..*|alias\..*|extensions\.worktreeconfig)$/s;

/** Stricter than for a single command: nobody knows which one will come. */
export function isInertConfig(text: string): boolean {
  const settings = parseGitConfig(text);
  if (settings === null) return false;
  return settings.every((setting) => {
    const located = { ...setting, file: '' };
    return !RUNS.test(keyOf(located)) && triggersOf(located).length === 0;
  });
}
