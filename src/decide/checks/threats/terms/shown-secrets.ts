// A command → the file with secrets that it would print without naming it: through a search, a list of names, an archive.

import { posix } from 'node:path';
import type { CommandFact, Facts } from '../../../../core/facts.ts';
import { isAtOrBelow } from '../../../../core/values/containment.ts';
import type { Subject } from '../../../check.ts';
import { findTrackedSecret } from '../../../repository/git/git-secrets.ts';
import { names } from '../../safety/terms/words.ts';
import { fdSeesHidden, findFilter, has, isFd, ownFilter, passesGrep, patternsOf } from './listed-names.ts';
import { canMatchText, type NameFilter } from './patterns.ts';
import { findInTrees, findSecret, readText, type Search } from './secret-files.ts';

const GREPS = new Set(names('grep egrep fgrep rgrep rg ag ack'));
const PRINTS_NO_LINES = new Set(
  names(
    '-l -L -c -q --files-with-matches --files-without-match --count --count-matches --quiet --silent --files --type-list',
  ),
);

const NAMES_FILES = new Set(names('find fd fdfind xargs parallel'));

/** They print or pack whole folders. */
const TREE_READERS = new Set(names('tar bsdtar gtar zip 7z 7za 7zz cpio pax diff colordiff git'));
const LISTERS = new Set(names('ls find fd fdfind git rg'));

/** A quick test: most commands neither search nor get names from another command. */
export function mayShow({ name, parent, effects }: CommandFact, { commands }: Facts): boolean {
  if (name === null) return false;
  if (GREPS.has(name) || TREE_READERS.has(name)) return true;
  if (parent !== null && NAMES_FILES.has(commands[parent]?.name ?? '')) return true;
  return commands.length > 1 && effects.reads.some(({ path }) => path === null);
}

/** The file with secrets that the command would print. */
export function findShown(command: CommandFact, subject: Subject): string | null {
  if (command.name === 'git') {
    const tracked = findTracked(command, subject);
    if (tracked !== null) return tracked;
  }
  if (TREE_READERS.has(command.name ?? '')) return findInTrees(command, subject);
  for (const search of searchesOf(command, subject)) {
    if ('tracked' in search) {
      const found = findTrackedSecret(search.tracked, subject, (path) => search.prints(readText(path, subject)));
      if (found !== null) return found;
      continue;
    }
    for (const folder of search.folders) {
      const found = findSecret(folder, search, subject);
      if (found !== null) return found;
    }
  }
  return null;
}

/** Names come from the index of git. */
interface TrackedSearch {
  readonly tracked: CommandFact;
  readonly prints: Search['prints'];
}

function searchesOf(command: CommandFact, subject: Subject): readonly (Search | TrackedSearch)[] {
  const search = searchOf(command, subject);
  if (search !== null) return [search];
  if (GREPS.has(command.name ?? '') && printsNoLines(command)) return [];
  if (!command.effects.reads.some(({ path }) => path === null)) return [];
  // The names may be the output of any list before it, through a pipe, a substitution or a variable.
  const prints: Search['prints'] = (text) => !GREPS.has(command.name ?? '') || findsIn(command, text);
  const { commands } = subject.facts;
  return commands
    .filter((source) => LISTERS.has(source.name ?? '') && source !== command && isPassedOn(source, commands))
    .flatMap((source) => searchOfSource(source, subject, prints) ?? []);
}

/** The last command of its pipe is not a program that shows no names. */
function isPassedOn({ pipeline, via }: CommandFact, commands: readonly CommandFact[]): boolean {
  if (pipeline === null) return via.some((step) => step.startsWith('$(') || step.startsWith('<(') || step === '`');
  return commands.findLast((each) => each.pipeline === pipeline && each.parent === null)?.name !== 'wc';
}

/** `git archive`, `git grep`, `git log -p`: the content of tracked files. */
function showsTracked(command: CommandFact): boolean {
  const verb = command.invocation?.path[1];
  if (verb === 'log') return has(command, '-p', '-u', '--patch') && command.invocation?.operands.length === 0;
  return verb === 'archive' || verb === 'grep' || (verb === 'cat-file' && has(command, '--batch-all-objects'));
}

function findTracked(command: CommandFact, subject: Subject): string | null {
  const { invocation, cwd } = command;
  if (invocation === null || !showsTracked(command)) return null;
  const isGrep = invocation.path[1] === 'grep';
  if (isGrep && printsNoLines(command)) return null;
  const paths = invocation.operands.slice(isGrep && !has(command, '-e') ? 1 : isGrep ? 0 : 1);
  const isNamed = (path: string) =>
    paths.length === 0 ||
    paths.some(
      (each) =>
        each === null ||
        /[*?[:]/.test(each) ||
        (cwd ?? []).some((from) => isAtOrBelow(path, posix.resolve(from, each))),
    );
  return findTrackedSecret(
    command,
    subject,
    (path) => isNamed(path) && (!isGrep || findsIn(command, readText(path, subject))),
  );
}

function searchOf(command: CommandFact, subject: Subject): Search | null {
  const { facts, policy } = subject;
  const { name, effects, parent } = command;
  if (name === null || (effects.reads.length === 0 && !GREPS.has(name))) return null;
  const isGrep = GREPS.has(name);
  if (isGrep && printsNoLines(command)) return null;
  const prints: Search['prints'] = (text) => !isGrep || findsIn(command, text);
  const above = parent === null ? undefined : facts.commands[parent];
  const below = effects.reads.flatMap(({ path }) => (path?.endsWith('/**') ? [path.slice(0, -3) || '/'] : []));
  if (above?.name === 'find') {
    const filter = findFilter(above, policy.secretPaths);
    return filter === null ? null : { folders: below, filters: [filter], seesHidden: true, prints };
  }
  if (above !== undefined && isFd(above))
    return { folders: foldersOf(above), filters: [ownFilter(above)], seesHidden: fdSeesHidden(above), prints };
  if (above?.name === 'xargs' || above?.name === 'parallel')
    return effects.reads.some(({ path }) => path === null) ? searchOfList(above, subject, prints) : null;
  return GREPS.has(name) ? ownSearch(command, prints) : null;
}

/** A search that walks folders itself. */
function ownSearch(command: CommandFact, prints: Search['prints']): Search | null {
  const { name, effects, cwd } = command;
  const isRecursive = name === 'rg' || name === 'ag' || name === 'ack' || name === 'rgrep' || has(command, '-r', '-R');
  if (!isRecursive) return null;
  const below = effects.reads.flatMap(({ path, recursive }) => (recursive && path !== null ? [path] : []));
  // `grep -r x` searches the current folder; in a pipe rg searches its input.
  const isBare = effects.reads.length === 0 && (name?.includes('grep') === true || command.pipeline === null);
  const folders = isBare ? (cwd ?? []) : below;
  return { folders, filters: [ownFilter(command)], seesHidden: seesHidden(command), prints };
}

function seesHidden(command: CommandFact): boolean {
  const { name, invocation } = command;
  if (name?.includes('grep') === true) return true;
  if (isFd(command)) return fdSeesHidden(command);
  const unrestricted = invocation?.options.filter(({ names: spelled }) => spelled.includes('-u')).length ?? 0;
  return has(command, '--hidden', '-.') || unrestricted > (name === 'rg' ? 1 : 0);
}

function printsNoLines({ invocation }: CommandFact): boolean {
  return invocation?.options.some(({ names: spelled }) => spelled.some((each) => PRINTS_NO_LINES.has(each))) === true;
}

/** Whether a line of this text would be found. */
function findsIn(command: CommandFact, text: string | null): boolean {
  if (text === null || has(command, '-v', '-f', '--file')) return true;
  return patternsOf(command).some((pattern) => pattern === null || canMatchText(pattern, text));
}

/** Names come from the commands before it in the pipe. */
function searchOfList(xargs: CommandFact, subject: Subject, prints: Search['prints']): Search | null {
  const { commands } = subject.facts;
  if (xargs.pipeline === null) return null;
  const before = commands
    .slice(0, commands.indexOf(xargs))
    .filter(({ pipeline, parent }) => pipeline === xargs.pipeline && parent === xargs.parent);
  const [source] = before;
  const search = source === undefined ? null : searchOfSource(source, subject, prints);
  return search !== null && 'folders' in search ? search : null;
}

function searchOfSource(
  source: CommandFact,
  { facts, policy }: Subject,
  prints: Search['prints'],
): Search | TrackedSearch | null {
  const { commands } = facts;
  const filters = commands
    .slice(commands.indexOf(source) + 1)
    .filter(({ pipeline, parent }) => pipeline !== null && pipeline === source.pipeline && parent === source.parent);
  const here = source.cwd ?? [];
  const onNames = filters.flatMap((filter): NameFilter[] =>
    filter.name === 'grep' ? [(name) => passesGrep(filter, name)] : [],
  );
  const found = (own: NameFilter, hidden: boolean, folders = here): Search => ({
    folders,
    filters: [own, ...onNames],
    seesHidden: hidden,
    prints,
  });
  const any: NameFilter = () => true;
  switch (source.name) {
    case 'ls':
      return source.invocation?.operands.length === 0 ? found(any, has(source, '-a', '-A', '-f')) : null;
    case 'find': {
      const filter = findFilter(source, policy.secretPaths);
      return filter === null ? null : found(filter, true, foldersOf(source));
    }
    case 'git':
      // Only file names lead to files: the words of `git log` are commits.
      if (source.invocation?.path[1] !== 'ls-files') return null;
      if (has(source, '-o', '--others')) return has(source, '--exclude-standard') ? null : found(any, true);
      return source.invocation.operands.length === 0 ? { tracked: source, prints } : null;
    case 'rg':
    case 'fd':
    case 'fdfind':
      return found(ownFilter(source), seesHidden(source));
    case 'cat':
      return found(any, true);
    default:
      return null;
  }
}

function foldersOf({ effects }: CommandFact): readonly string[] {
  return effects.reads.flatMap(({ path }) => (path === null ? [] : [path]));
}
