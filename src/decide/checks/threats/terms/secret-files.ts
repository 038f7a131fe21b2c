// A folder × a search → the file with secrets that the search would print. Reads the disk through the probe.

import { posix } from 'node:path';
import type { CommandFact } from '../../../../core/facts.ts';
import type { Subject } from '../../../check.ts';
import { tableOfPolicy } from '../../../paths/tables/path-table.ts';
import { secretTable, secretWords } from '../../../paths/tables/secret-paths.ts';
import { has, ownFilter } from './listed-names.ts';
import type { NameFilter } from './patterns.ts';

const TEXT_LIMIT_BYTES = 65_536;

export interface Search {
  readonly folders: readonly string[];
  /** The names that it reads, as far as known. */
  readonly filters: readonly NameFilter[];
  readonly seesHidden: boolean;
  /** Whether it prints any of this text. */
  readonly prints: (text: string | null) => boolean;
}

const MAX_FOLDERS = 400;
const MAX_DEPTH = 4;
const SKIPPED = new Set(['node_modules', '.git']);

export function findInTrees(command: CommandFact, subject: Subject): string | null {
  const { effects, name, invocation } = command;
  const isDiff = name === 'diff' || name === 'colordiff';
  const isGitDiff = name === 'git' && invocation?.path[1] === 'diff' && has(command, '--no-index');
  if ((name === 'git' && !isGitDiff) || (isDiff && has(command, '-q', '--brief', '-s'))) return null;
  const trees = effects.reads.flatMap(({ path, recursive, glob }) =>
    path !== null && glob !== true && (recursive === true || isGitDiff) ? [path] : [],
  );
  const found = trees.map((tree) => secretBelow(tree, ownFilter(command), subject));
  // Without -N, diff prints files that are in both folders.
  const isOnlyCommon = isDiff && !has(command, '-N', '--new-file', '-P', '--unidirectional-new-file');
  const [first, second] = found;
  if (isOnlyCommon) return first !== null && second !== null ? (first ?? null) : null;
  return found.find((each) => each !== null) ?? null;
}

/** Bounded: a file that is deeper, or in a dependency, is not found. */
function secretBelow(tree: string, passes: NameFilter, subject: Subject): string | null {
  const search: Search = { folders: [tree], filters: [passes], seesHidden: true, prints: () => true };
  const { probe } = subject.context;
  let level = [tree];
  let seen = 0;
  for (let depth = 0; depth < MAX_DEPTH && level.length > 0; depth++) {
    const next: string[] = [];
    for (const folder of level) {
      if (++seen > MAX_FOLDERS) return null;
      const found = findSecret(folder, search, subject);
      if (found !== null) return found;
      // Folders rarely have a suffix; testing every file costs much more.
      for (const name of probe?.list(folder) ?? [])
        if (/^\.?[^.]+$/.test(name) && !SKIPPED.has(name) && passes(name)) next.push(posix.join(folder, name));
    }
    level = next.filter((path) => probe?.kind(path) === 'folder');
  }
  return null;
}

export function findSecret(folder: string, search: Search, subject: Subject): string | null {
  const { context, policy } = subject;
  const own = policy.secretPaths.length === 0 ? null : tableOfPolicy(policy.secretPaths, subject);
  // Listing a folder that does not exist costs much more than this test.
  if (context.probe?.kind(folder) !== 'folder') return null;
  for (const name of context.probe.list(folder) ?? []) {
    if (name.startsWith('.') && !search.seesHidden) continue;
    const path = posix.join(folder, name);
    const isNamed = own !== null && own.find(path, context.home) !== null;
    if (!isNamed && !(secretWords().test(path) && isSecret(path, context.home))) continue;
    if (context.probe.kind(path) !== 'file' || !search.filters.every((passes) => passes(name))) continue;
    const text = context.probe.readText(path, TEXT_LIMIT_BYTES);
    // A certificate is not secret; only a key with the same suffix is.
    if (!isNamed && name.endsWith('.pem') && text !== null && !text.includes('PRIVATE KEY')) continue;
    if (search.prints(text)) return path;
  }
  return null;
}

function isSecret(path: string, home: string | null): boolean {
  const found = secretTable().find(path, home);
  return found !== null && found.what !== null;
}

export function readText(path: string, { context }: Subject): string | null {
  return context.probe?.readText(path, TEXT_LIMIT_BYTES) ?? null;
}
