// The target of a deletion, one predicate each: the system, a home folder, a repository, the current folder.

import type { CommandFact, PathEffect } from '../../../../core/facts.ts';
import { isAtOrBelow } from '../../../../core/values/containment.ts';
import { wordSet } from '../../../../core/values/once.ts';
import type { Subject } from '../../../check.ts';
import { isGranted, isHome, isSystemTop, isWideGlob, systemTreeOf, targetOf } from '../terms/places.ts';
import { namedDeletions } from './named-deletions.ts';

type Judge = (effect: PathEffect, command: CommandFact, subject: Subject) => boolean;

export function someDeletion(command: CommandFact, subject: Subject, judge: Judge) {
  if (command.effects.deletes.some((effect) => judge(effect, command, subject))) return { span: command.span };
  const isNamed = namedDeletions(command, subject).some(({ effect, by }) => judge(effect, by, subject));
  return isNamed ? { span: command.span } : null;
}

export function isSystemDeletion(effect: PathEffect, command: CommandFact, subject: Subject): boolean {
  if (!(effect.recursive || effect.glob) || isPicky(command, subject, 'name')) return false;
  // `/e*` matches a system folder too.
  if (effect.glob && /^\/[^/]*[*?[{][^/]*$/.test(effect.path ?? '')) return true;
  const target = targetOf(effect);
  if (target === null) return false;
  if (target.path === '/' || isSystemTop(target.path)) return true;
  const tree = systemTreeOf(target.path);
  if (tree === null || (isAtOrBelow(target.path, '/usr/local') && target.path !== '/usr/local')) return false;
  return !isGranted(target.path, tree, subject);
}

export function isHomeDeletion(effect: PathEffect, command: CommandFact, subject: Subject): boolean {
  if (effect.path === null && effect.recursive) return namesHome(command, subject);
  const target = targetOf(effect);
  if (target === null || !(effect.recursive || effect.glob)) return false;
  return isHome(target.path, subject) && !isPicky(command, subject, 'name');
}

/** Under `sudo` it is another user's home, and its path is unknown; it is still a home. */
const HOME_WORD = /(?:^|[\s"'])(?:~|"?\\{0,3}\$HOME"?|"?\\{0,3}\$\{HOME\}"?)\/?(?:\.?\*)?(?=$|[\s;&|)"'])/;

const homeNames = new WeakMap<CommandFact, boolean>();

/** Used for each deletion of a command, possibly thousands: computed once. */
function namesHome(command: CommandFact, { facts }: Subject): boolean {
  const { name, words } = command;
  if (name !== 'rm' && name !== 'find' && name !== 'mv') return false;
  let answer = homeNames.get(command);
  if (answer === undefined) {
    answer = words.some(
      ({ kind, span }) => kind === 'dynamic' && HOME_WORD.test(facts.command.slice(span[0], span[1])),
    );
    homeNames.set(command, answer);
  }
  return answer;
}

const GIT_PARTS = new Set(['objects', 'refs', 'HEAD']);

export function isGitDeletion(effect: PathEffect, command: CommandFact, subject: Subject): boolean {
  if (effect.path === null) return false;
  const parts = effect.path.split('/');
  const at = parts.findIndex((part) => part === '.git' || (effect.glob === true && mayBeGit(part)));
  if (at >= 0 && parts.length - at <= 2) {
    const rest = parts[at + 1];
    if (rest === undefined || GIT_PARTS.has(rest)) return true;
    return effect.glob === true && isWideGlob(rest) && !isPicky(command, subject, 'name');
  }
  const find = findOf(command, subject);
  return (
    find?.argv.some((word, i) => word === '.git' && find.argv[i - 1] === '-name' && !isNegated(find, i - 1)) === true
  );
}

/** `.gi*` may be `.git`; a plain `.*` is the whole folder, which has its own check. */
function mayBeGit(glob: string): boolean {
  const head = /^[^*?[{]*/.exec(glob)?.[0] ?? '';
  return head.length > 1 && '.git'.startsWith(head) && /^[*?]+$/.test(glob.slice(head.length));
}

export function isDeletionHere(effect: PathEffect, command: CommandFact, subject: Subject): boolean {
  if (command.elsewhere !== null || command.name === 'git') return false;
  if (command.name === 'mv' && effect.glob) return false;
  const target = targetOf(effect);
  if (target === null || !(effect.recursive || effect.glob)) return false;
  // These have their own checks, with better messages.
  if (target.path === '/' || isSystemTop(target.path) || isHome(target.path, subject)) return false;
  if (!isAtOrBelow(subject.context.cwd, target.path) && !(effect.recursive && isRunIn(command, target))) return false;
  return !isPicky(command, subject, 'any');
}

const isRunIn = (command: CommandFact, { path, isContent }: { path: string; isContent: boolean }) =>
  !isContent && command.name === 'rm' && command.cwd?.some((cwd) => isAtOrBelow(cwd, path)) === true;

/** `rm *` in any folder: after one wrong `cd`, the wrong folder is empty. */
export function isBareGlobRemoval(command: CommandFact): boolean {
  if (command.name !== 'rm' || command.via.some((via) => via.startsWith('find'))) return false;
  return command.words.some((word) => word.kind === 'pattern' && isWideGlob(word.glob.replace(/^(?:\.\/+)+/, '')));
}

const NAME_TESTS = wordSet('-name -iname -path -ipath -wholename -iwholename -regex -iregex -lname -samefile -inum');
const OTHER_TESTS = wordSet('-mtime -mmin -ctime -cmin -atime -amin -newer -newermt -size -empty -user -group -perm');

/** The `find` that a deletion belongs to: itself, or the one whose `-exec` it is. */
function findOf(command: CommandFact, { facts }: Subject): CommandFact | null {
  if (command.name === 'find') return command;
  if (command.parent === null || !command.via.some((via) => via.startsWith('find'))) return null;
  for (let at: CommandFact | undefined = facts.commands[command.parent]; at !== undefined; ) {
    if (at.name === 'find') return at;
    at = at.parent === null ? undefined : facts.commands[at.parent];
  }
  return null;
}

/** Whether `find` filters by a test, so that not everything is deleted. Negations and alternatives do not count. */
function isPicky(command: CommandFact, subject: Subject, tests: 'name' | 'any'): boolean {
  const find = findOf(command, subject);
  if (find === null || find.argv.some((word) => word === '-o' || word === '-or' || word === ',')) return false;
  return find.argv.some((word, i) => {
    if (word === null || isNegated(find, i)) return false;
    if (NAME_TESTS.has(word)) return !/^[*?./]*$/.test(find.argv[i + 1] ?? '');
    return tests === 'any' && OTHER_TESTS.has(word);
  });
}

const isNegated = (find: CommandFact, i: number) => find.argv[i - 1] === '!' || find.argv[i - 1] === '-not';
