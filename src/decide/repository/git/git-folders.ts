// A git command → the repositories that git might use for it, found as git finds them: upwards, files, bare, worktrees.
// Errs on the side of more: a folder that only looks like a repository counts too, and the search goes on upwards.

import { posix } from 'node:path';
import type { CommandFact } from '../../../core/facts.ts';
import type { Probe } from '../../../core/probe.ts';

export interface GitFolder {
  /** Where HEAD is, and `config.worktree`. */
  readonly own: string;
  /** Where `config`, `hooks` and `modules` are; differs only for worktrees. */
  readonly common: string;
  readonly workTree: string | null;
}

export type GitFolders =
  /** `workTrees`: those named by the command itself. */
  { readonly folders: readonly GitFolder[]; readonly workTrees: readonly string[] } | { readonly unknown: string };

const POINTER_LIMIT_BYTES = 8192;
const MAX_LEVELS = 64;

export function findGitFolders(command: CommandFact, probe: Probe): GitFolders {
  const options = command.invocation?.leading ?? [];
  const ownOptions = command.invocation?.path.length === 1 ? command.invocation.options : [];
  let starts = command.cwd;
  let gitDir: string | null = environment(command, 'GIT_DIR');
  if (gitDir === UNTOLD) return { unknown: 'GIT_DIR is unknown' };
  const workTrees: string[] = [];
  for (const { names, value } of [...options, ...ownOptions]) {
    if (!names.some((name) => PLACES.has(name))) continue;
    if (value === null) return { unknown: `the value of ${names[0]} is unknown` };
    if (names.includes('--work-tree')) workTrees.push(value);
    else if (names.includes('-C')) starts = starts?.map((from) => posix.resolve(from, value)) ?? absolute(value);
    else gitDir = value;
  }
  if (starts === null && gitDir !== null) starts = absolute(gitDir);
  if (starts === null) return { unknown: 'the folder in which it runs is unknown' };
  const folders: GitFolder[] = [];
  for (const start of starts) {
    if (gitDir !== null) folders.push(...followPointer(posix.resolve(start, gitDir), start, probe));
    else folders.push(...walkUp(start, probe));
  }
  return { folders, workTrees: workTrees.flatMap((tree) => starts.map((start) => posix.resolve(start, tree))) };
}

const PLACES = new Set(['-C', '--git-dir', '--work-tree']);
const UNTOLD = '\0';

function environment({ assignments }: CommandFact, name: string): string | null {
  const last = assignments.findLast((assignment) => assignment.name === name);
  return last === undefined ? null : (last.value ?? UNTOLD);
}

function absolute(path: string): readonly string[] | null {
  return posix.isAbsolute(path) ? [path] : null;
}

function walkUp(start: string, probe: Probe): GitFolder[] {
  const found: GitFolder[] = [];
  // Git climbs from the real folder, not from the name of a link to it.
  let at = probe.realPath(start) ?? start;
  for (let level = 0; level < MAX_LEVELS; level++) {
    const here = [...followPointer(posix.join(at, '.git'), at, probe), ...bareAt(at, probe)];
    found.push(...here);
    if (here.some((folder) => isComplete(folder, probe)) || at === '/') return found;
    at = posix.dirname(at);
  }
  return found;
}

/** `.git` is a folder, or a file that names one. */
export function followPointer(path: string, workTree: string, probe: Probe): GitFolder[] {
  const kind = probe.kind(path);
  if (kind === 'absent') return [];
  if (kind === 'folder') return [describe(path, workTree, probe)];
  const text = probe.readText(path, POINTER_LIMIT_BYTES);
  const target = text?.startsWith('gitdir:') === true ? text.slice('gitdir:'.length).trim() : null;
  if (target === null || target === '') return [];
  return [describe(posix.resolve(posix.dirname(path), target), workTree, probe)];
}

function bareAt(path: string, probe: Probe): GitFolder[] {
  if (probe.kind(posix.join(path, 'HEAD')) === 'absent') return [];
  if (['config', 'objects'].every((name) => probe.kind(posix.join(path, name)) === 'absent')) return [];
  return [describe(path, null, probe)];
}

function describe(own: string, workTree: string | null, probe: Probe): GitFolder {
  const pointer = probe.readText(posix.join(own, 'commondir'), POINTER_LIMIT_BYTES)?.trim() ?? '';
  return { own, common: pointer === '' ? own : posix.resolve(own, pointer), workTree };
}

/** Git continues upwards if one of these is missing. */
function isComplete({ own, common }: GitFolder, probe: Probe): boolean {
  const head = probe.readText(posix.join(own, 'HEAD'), POINTER_LIMIT_BYTES);
  if (head === null || !/^(?:ref:\s*refs\/|[0-9a-f]{40})/.test(head)) return false;
  return probe.kind(posix.join(common, 'objects')) === 'folder' && probe.kind(posix.join(common, 'refs')) === 'folder';
}
