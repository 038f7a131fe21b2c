// A path effect → its place: inside the roots, outside, or inside only until links are followed.
// Without a probe a path is taken literally; `..` after a name that could be a link is then unknown.

import { posix } from 'node:path';
import type { CommandFact, PathEffect } from '../../core/facts.ts';
import { userPolicyOf } from '../../core/policy.ts';
import type { Probe } from '../../core/probe.ts';
import { isAtOrBelow } from '../../core/values/containment.ts';
import type { Subject } from '../check.ts';
import { followMadeLinks, unmask } from './disguise.ts';
import { isGlob, literalFolder, matchesName } from './glob.ts';
import { isHarmlessDevice } from './tables/public-places.ts';

export type PathUse = 'read' | 'write' | 'delete';

export interface Place {
  /** `escapes`: inside as written, outside once links are followed. */
  readonly where: 'inside' | 'outside' | 'escapes' | 'unknown';
  /** For display; `null` if the value is unknown. */
  readonly path: string | null;
  /** Possible paths, as written and as resolved. A glob that was looked up is replaced by its matches. */
  readonly forms: readonly string[];
  /** The target of a link that leaves the roots. */
  readonly leadsTo: string | null;
}

export interface Roots {
  readonly folders: readonly string[];
  readonly isExplicit: boolean;
}

const MAX_EXPANDED = 4096;
const UNKNOWN: Place = { where: 'unknown', path: null, forms: [], leadsTo: null };
/** Their last component itself is removed or renamed, not its target. */
const TAKES_THE_LINK = new Set(['rm', 'rmdir', 'unlink', 'mv']);

interface Memory {
  roots: Roots | null;
  /** With links followed; most paths never need them. */
  realRoots: readonly string[] | null;
  readonly places: Map<string, Place>;
}

const memories = new WeakMap<Subject, Memory>();

/** All checks of one decision use the same paths. */
function memoryOf(subject: Subject): Memory {
  let memory = memories.get(subject);
  if (memory === undefined) {
    memory = { roots: null, realRoots: null, places: new Map() };
    memories.set(subject, memory);
  }
  return memory;
}

/** As written. */
export function rootsOf(subject: Subject): Roots {
  const memory = memoryOf(subject);
  memory.roots ??= findRoots(subject);
  return memory.roots;
}

/** The roots, for a message. */
export function rootsText(subject: Subject): string {
  const { folders } = rootsOf(subject);
  return folders.slice(0, 4).join(', ') || 'none';
}

/** Whether the roots are explicit; does not read the disk. */
export function hasExplicitRoots({ policy, context }: Subject): boolean {
  return explicitRoots(policy, context) !== null;
}

export function judgePath(effect: PathEffect, use: PathUse, command: CommandFact, subject: Subject): Place {
  if (effect.path === null) return UNKNOWN;
  const { places } = memoryOf(subject);
  const keepsLink = use === 'delete' && takesTheLink(command);
  const cwdKey = effect.path.startsWith('/proc/') ? JSON.stringify(command.cwd) : '';
  const key = [effect.path, effect.unfolded ?? '', effect.glob ?? '', keepsLink, cwdKey].join('\0');
  let place = places.get(key);
  if (place === undefined) {
    place = locate(effect.path, effect, keepsLink, command, subject);
    places.set(key, place);
  }
  return place;
}

/** True if `path` is one of the roots, or below one. */
export function isInRoots(path: string, subject: Subject): boolean {
  if (rootsOf(subject).folders.some((root) => isAtOrBelow(path, root))) return true;
  const memory = memoryOf(subject);
  memory.realRoots ??= rootsOf(subject).folders.flatMap((root) => resolveLinks(root, subject) ?? []);
  return memory.realRoots.some((root) => isAtOrBelow(path, root));
}

/** Absolute and normalized. */
const PLAIN_PATH = /^(?:\/(?!\.\.?(?:\/|$))[^/]+)+$/;

/** `~`, `~/x` and relative paths as in a settings file. */
export function absolutePath(path: string, { cwd, home }: Subject['context']): string {
  if (PLAIN_PATH.test(path)) return path;
  const expanded = home !== null && (path === '~' || path.startsWith('~/')) ? home + path.slice(1) : path;
  return trim(posix.resolve(cwd, expanded));
}

export function resolveLinks(path: string, subject: Subject): string | null {
  const { probe } = subject.context;
  return probe === null ? path : probe.realPath(path);
}

function findRoots({ policy, context }: Subject): Roots {
  const explicit = explicitRoots(policy, context);
  const named = (explicit ?? [context.project ?? context.cwd, ...context.temporary]).map((root) =>
    absolutePath(root, context),
  );
  return { folders: [...new Set(named)], isExplicit: explicit !== null };
}

function explicitRoots(policy: Subject['policy'], context: Subject['context']): readonly string[] | null {
  return userPolicyOf(policy, context.user)?.roots ?? policy.roots;
}

function takesTheLink({ name, words }: CommandFact): boolean {
  if (name === null || !TAKES_THE_LINK.has(name)) return false;
  // `rm -r link/` goes through the link on some systems.
  return words.every((word) => {
    if (word.kind === 'dynamic') return false;
    const text = word.kind === 'literal' ? word.value : word.glob;
    return text.length <= 1 || !text.endsWith('/');
  });
}

function locate(path: string, effect: PathEffect, keepsLink: boolean, command: CommandFact, subject: Subject): Place {
  const written = trim(posix.normalize(path));
  const unfolded = effect.unfolded;
  // `/dev/stderr` is a link to a descriptor of this process, which is not the command's.
  if (isHarmlessDevice(written)) return { where: 'outside', path: written, forms: [written], leadsTo: null };
  const isPattern = effect.glob === true || isGlob(written);
  // `*/..` climbs out of any match of the pattern: the text does not show where that is.
  if (isPattern && unfolded !== undefined && climbsFromPattern(unfolded))
    return { ...UNKNOWN, path: written, forms: [written] };
  const found = effect.glob === true ? expand(written, keepsLink, subject) : [];
  if (found === null) return { ...UNKNOWN, path: written, forms: [written] };
  const forms = new Set<string>();
  let isWrittenInside = true;
  let leadsTo: string | null = null;
  let isUnknown = false;
  const add = (raw: string) => {
    const plain = unmask(raw, command.cwd);
    if (plain === null) {
      isUnknown = true;
      return;
    }
    for (const one of plain) {
      const literal = effect.glob === true ? literalFolder(one) : one;
      const isReplaced = literal !== one && found.length > 0;
      if (!isReplaced) forms.add(one);
      const made = followMadeLinks(one, subject);
      if (made !== null) forms.add(made);
      const real = resolveForm(made ?? literal, keepsLink, subject);
      if (real === null) isUnknown = true;
      else {
        if (!isReplaced) forms.add(literal === one ? real : posix.join(real, one.slice(literal.length)));
        if (!isInRoots(real, subject)) leadsTo ??= real;
      }
      if (!isInRoots(literal, subject)) isWrittenInside = false;
    }
  };
  for (const start of [written, ...found]) add(start);
  if (unfolded !== undefined) {
    if (subject.context.probe === null) isUnknown ||= climbsFromName(unfolded, subject.context.cwd);
    else {
      // The kernel resolves a link before it climbs.
      const literal = literalFolder(unfolded);
      const real = resolveForm(literal, keepsLink && literal === unfolded, subject);
      if (real === null) isUnknown = true;
      else {
        forms.add(trim(posix.join(real, unfolded.slice(literal.length))));
        if (!isInRoots(real, subject)) leadsTo ??= real;
      }
    }
  }
  const shown = { path: written, forms: [...forms] };
  if (isUnknown) return { where: isWrittenInside ? 'unknown' : 'outside', ...shown, leadsTo: null };
  if (leadsTo === null) return { where: 'inside', ...shown, leadsTo };
  return { where: isWrittenInside ? 'escapes' : 'outside', ...shown, leadsTo };
}

function resolveForm(path: string, keepsLink: boolean, subject: Subject): string | null {
  if (!keepsLink || path === '/' || path.endsWith('/..')) return resolveLinks(path, subject);
  const folder = resolveLinks(posix.dirname(path), subject);
  return folder === null ? null : trim(posix.join(folder, posix.basename(path)));
}

function climbsFromPattern(unfolded: string): boolean {
  const parts = unfolded.split('/');
  const first = parts.findIndex(isGlob);
  return first !== -1 && parts.includes('..', first);
}

/** `/w/p/../x` only climbs from the current folder; `/w/p/link/../x` needs the disk. */
function climbsFromName(unfolded: string, cwd: string): boolean {
  const rest = isAtOrBelow(unfolded, cwd) ? unfolded.slice(cwd.length) : unfolded;
  const parts = rest.split('/').filter((part) => part !== '' && part !== '.');
  return parts.some((part, i) => part === '..' && parts[i - 1] !== undefined && parts[i - 1] !== '..');
}

/** Current matches of a glob, if links could hide in it; `null` if there are too many to check. */
function expand(glob: string, keepsLink: boolean, subject: Subject): readonly string[] | null {
  const { probe } = subject.context;
  const parts = glob.split('/').slice(1);
  const last = parts.findLastIndex(isGlob);
  // Only names in the middle can be links that are followed if the last one is used itself.
  if (
    probe === null ||
    parts.includes('**') ||
    (keepsLink && last === parts.length - 1 && parts.findIndex(isGlob) === last)
  )
    return [];
  return walk(parts, probe);
}

function walk(parts: readonly string[], probe: Probe): string[] | null {
  let level = [''];
  let seen = 0;
  for (const part of parts) {
    if (!isGlob(part)) {
      level = level.map((folder) => `${folder}/${part}`);
      continue;
    }
    const next: string[] = [];
    for (const folder of level) {
      const names = probe.list(folder === '' ? '/' : folder) ?? [];
      seen += names.length;
      if (seen > MAX_EXPANDED) return null;
      for (const name of names) if (matchesName(part, name)) next.push(`${folder}/${name}`);
    }
    level = next;
  }
  return level;
}

function trim(path: string): string {
  return path.length > 1 && path.endsWith('/') ? path.replace(/\/+$/, '') || '/' : path;
}
