// Facts → the paths that a command names to read, change or delete, each as the kernel resolves it: links followed.
// Leaves out folders and patterns that are read, and commands that only list names: naming a folder does not name its files.

import type { CommandFact, PathEffect } from '../../core/facts.ts';
import type { Subject } from '../check.ts';
import { exactRules } from '../coverage.ts';
import { matchRules } from '../rules/match.ts';
import { showsNoContent } from './listings.ts';
import { judgePath, type PathUse, resolveLinks } from './place.ts';

export interface NamedPath {
  readonly path: string;
  /** Includes everything below it. */
  readonly isTree: boolean;
}

export interface NamedPaths {
  /** Single files. */
  readonly reads: readonly string[];
  readonly writes: readonly NamedPath[];
  readonly deletes: readonly NamedPath[];
}

export const NOTHING_NAMED: NamedPaths = { reads: [], writes: [], deletes: [] };

/** All named paths: for a person who has seen the command and approved all of it. */
export function namedPaths(subject: Subject): NamedPaths {
  return collect(subject, () => true);
}

/** Only paths that an allow rule names: by a path, or by exactly the words of the command. A rule for a program does not name files. */
export function pathsNamedByRules(subject: Subject): NamedPaths {
  const matches = matchRules(subject).filter(({ rule, isPossible }) => rule.list === 'allow' && !isPossible);
  if (matches.length === 0) return NOTHING_NAMED;
  const exact = exactRules(subject.facts, matches);
  const { commands } = subject.facts;
  return collect(subject, (index, use, { path }) => {
    const isByPath = matches.some(
      (match) =>
        match.how === 'path' &&
        match.command === index &&
        match.path === path &&
        match.access === ACCESS[use] &&
        NAMES_SOMETHING.test(match.rule.text),
    );
    return isByPath || ((exact[index] ?? null) !== null && (use === 'read' || !writesOutput(commands[index])));
  });
}

const ACCESS = { read: 'read', write: 'edit', delete: 'delete' } as const;
/** `Read`, `Read(**)` and `Read(~/**)` match everything, and name no path. */
const NAMES_SOMETHING = /\([\s\S]*[^\s*/~.()?][\s\S]*\)/;

/** A rule for the words of a command does not cover the redirect of its output. */
function writesOutput(command: CommandFact | undefined): boolean {
  return command?.redirects.some(({ kind }) => kind === 'write' || kind === 'append' || kind === 'read-write') === true;
}

type IsMeant = (index: number, use: PathUse, effect: PathEffect) => boolean;

function collect(subject: Subject, isMeant: IsMeant): NamedPaths {
  const reads = new Set<string>();
  const changes = { write: new Map<string, NamedPath>(), delete: new Map<string, NamedPath>() };
  for (const [index, command] of subject.facts.commands.entries()) {
    if (command.elsewhere !== null) continue;
    if (!showsNoContent(command))
      for (const effect of command.effects.reads)
        if (effect.recursive !== true && isMeant(index, 'read', effect))
          for (const path of placesOf(effect, 'read', command, subject)) if (isFile(path, subject)) reads.add(path);
    for (const use of ['write', 'delete'] as const)
      for (const effect of use === 'write' ? command.effects.writes : command.effects.deletes) {
        if (!isMeant(index, use, effect)) continue;
        const isTree = effect.recursive === true;
        for (const path of placesOf(effect, use, command, subject))
          if (isTree || !changes[use].has(path)) changes[use].set(path, { path, isTree });
      }
  }
  return { reads: [...reads], writes: [...changes.write.values()], deletes: [...changes.delete.values()] };
}

function placesOf(effect: PathEffect, use: PathUse, command: CommandFact, subject: Subject): readonly string[] {
  const { path, glob, unfolded } = effect;
  if (path === null || glob === true || !path.startsWith('/')) return [];
  // Only the process itself knows where `..` leads from there.
  if (unfolded !== undefined && path.startsWith('/proc/')) return [];
  const { forms } = judgePath(effect, use, command, subject);
  const real = forms.map((form) => resolveLinks(form, subject)).filter((place) => place !== null);
  // The link itself is deleted, not its target.
  return [...new Set(use === 'delete' ? forms : real)];
}

function isFile(path: string, { context }: Subject): boolean {
  const kind = context.probe?.kind(path);
  return kind !== 'folder' && kind !== 'absent';
}
