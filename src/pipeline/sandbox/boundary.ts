// Settings, request and verdict → what a confined command may touch on the disk.
// What a verdict has allowed by name is granted by name: a yes that the kernel then refuses helps nobody.

import { readdirSync, realpathSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { HeldSandbox } from '../../config/held.ts';
import type { ConfinementPolicy } from '../../confine/plan.ts';
import type { SandboxName } from '../../core/confinement.ts';
import type { Facts, PathEffect } from '../../core/facts.ts';
import type { Policy } from '../../core/policy.ts';
import type { RunOptions } from '../../core/running.ts';
import { HOME_PROTECTED, HOME_SECRETS } from '../../decide/paths/tables/home-places.ts';
import { findGitFolders, type GitFolders } from './git-folders.ts';
import { ownCode } from './own-code.ts';

export interface BoundaryInputs {
  readonly name: Exclude<SandboxName, 'unrestricted'>;
  readonly options: RunOptions;
  readonly policy: Policy;
  readonly settings: HeldSandbox;
  /** Folders in which the policy lets files be changed. */
  readonly roots: readonly string[];
  readonly facts: Facts;
  readonly home: string | null;
  /** Folders of ours that no command may look into. */
  readonly secret: readonly string[];
  /** Folders of ours that commands may read and not change: their outputs, what was quarantined, the caches of others. */
  readonly kept: readonly string[];
  /** Folders that the commands have for themselves. */
  readonly own: readonly string[];
}

export type Boundary = Pick<
  ConfinementPolicy,
  'name' | 'writable' | 'scratch' | 'hidden' | 'protected' | 'unprotected'
>;

export function boundaryOf(inputs: BoundaryInputs): Boundary {
  const { name, settings, policy, options, home, secret } = inputs;
  const { allowWrite = [], denyWrite = [], denyRead = [], allowRead = [] } = settings.filesystem ?? {};
  const granted = grantedBy(inputs);
  const hidden = [...placesIn(home).secrets, ...policy.secretPaths.filter(isPlain), ...denyRead];
  const open = [...allowRead, ...granted.reads];
  const { hidden: fixed = [], shown = [] } = settings.fixed ?? {};
  const readable = { hidden: [...carve(hidden, open), ...carve(fixed.filter(isPlain), shown), ...secret] };
  if (name === 'restricted') return { name, ...readable };
  const roots = [...inputs.roots, ...allowWrite, ...(options.sandbox?.allowWrite ?? [])].filter(isNarrow);
  const git = roots.map(gitFoldersOf);
  return {
    name,
    ...readable,
    writable: [...roots, ...git.flatMap(({ writable }) => writable), ...granted.folders],
    scratch: [...inputs.own, ...granted.files],
    protected: [
      ...git.flatMap(({ guarded }) => guarded),
      ...placesIn(home).guarded,
      ...policy.protectedPaths.filter(isPlain),
      ...ownCode(),
      ...inputs.kept,
      ...denyWrite,
    ],
    // What we ourselves run and trust stays as it is, whoever allowed it by name.
    unprotected: granted.named.filter(
      (path) => ![...denyWrite, ...ownCode(), ...inputs.kept].some((denied) => isAtOrBelow(path, denied)),
    ),
  };
}

interface HomePlaces {
  readonly secrets: readonly string[];
  readonly guarded: readonly string[];
}

let latestHome: { readonly home: string; readonly places: HomePlaces } | null = null;

/** Asked before every command, and nearly always for the same home. */
function placesIn(home: string | null): HomePlaces {
  if (home === null) return { secrets: [], guarded: [] };
  if (latestHome?.home !== home) {
    const inHome = (place: string) => join(home, place);
    latestHome = { home, places: { secrets: HOME_SECRETS.map(inHome), guarded: HOME_PROTECTED.map(inHome) } };
  }
  return latestHome.places;
}

const SYSTEM = ['/bin', '/etc', '/lib', '/usr/bin', '/usr/lib', '/var/lib', '/home', '/Users', '/Library'];

/** Whole systems are nobody's workspace: a command that starts in `/`, or in a link to it, may not change everything. */
function isNarrow(root: string): boolean {
  return [root, realFolder(root)].every((folder) => !SYSTEM.some((place) => isAtOrBelow(place, folder)));
}

function realFolder(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    return path;
  }
}

export function isAtOrBelow(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith('/') ? folder : `${folder}/`);
}

function isPlain(path: string): boolean {
  return path.startsWith('/') && !/[*?[\]{}\\]/.test(path);
}

interface Granted {
  readonly reads: readonly string[];
  readonly files: readonly string[];
  readonly folders: readonly string[];
  /** Exactly what the command names. */
  readonly named: readonly string[];
}

/** The command is about to run, so whoever decides has allowed these: a rule, a person, or the roots themselves. */
function grantedBy({ facts, roots }: BoundaryInputs): Granted {
  const named = (effects: readonly PathEffect[]) =>
    effects.flatMap(({ path, glob }) => (path?.startsWith('/') && glob === undefined ? [path] : []));
  const writes = named(facts.effects.writes);
  const deletes = named(facts.effects.deletes);
  // Temporary folders are the sandbox's own.
  const isOutside = (path: string) => ![...roots, ...TEMPORARY].some((root) => isAtOrBelow(path, root));
  const places = [
    ...writes.filter(isOutside).map((path) => (exists(path) ? path : dirname(path))),
    // A name is taken out of its folder.
    ...deletes.filter(isOutside).map((path) => dirname(path)),
  ];
  const granted = places.filter(isGrantable);
  return {
    reads: named(facts.effects.reads),
    files: granted.filter((path) => !isFolder(path)),
    folders: granted.filter(isFolder),
    named: [...writes, ...deletes],
  };
}

const TEMPORARY = ['/tmp', '/var/tmp', '/dev/shm'];

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

/** Devices are granted by the sandbox itself. */
function isGrantable(path: string): boolean {
  return path !== '/' && !/^\/(?:dev|proc|sys)(?:\/|$)/.test(path) && exists(path);
}

function exists(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false }) !== undefined;
}

/** Everything that is hidden, less what may be read below: the other names beside it are hidden one by one. */
function carve(hidden: readonly string[], open: readonly string[]): string[] {
  return hidden.flatMap((path) => {
    if (open.some((allowed) => isAtOrBelow(path, allowed))) return [];
    if (!open.some((allowed) => isAtOrBelow(allowed, path))) return [path];
    return carve(
      namesIn(path).map((name) => join(path, name)),
      open,
    );
  });
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** To look for repositories costs more than to start a command, and they seldom come and go. */
const FRESH_MS = 5_000;
const known = new Map<string, { readonly at: number; readonly changedMs: number; readonly folders: GitFolders }>();

function gitFoldersOf(root: string): GitFolders {
  const now = Date.now();
  // A folder that becomes a repository or a worktree changes; what lies deeper may be found some seconds later.
  const changedMs = statSync(root, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  const found = known.get(root);
  if (found !== undefined && now - found.at < FRESH_MS && found.changedMs === changedMs) return found.folders;
  if (known.size > 100) known.clear();
  const folders = findGitFolders(root);
  known.set(root, { at: now, changedMs, folders });
  return folders;
}
