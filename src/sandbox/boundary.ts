// Terms and paths allowed by name → the files that a confined command may access.
// An approval must not fail in the kernel, so approved paths open; a verdict without an explicit approval opens nothing.

import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { diskFolders } from '../confine/folders.ts';
import type { ConfinementPolicy } from '../confine/plan.ts';
import { rememberAnswers } from '../confine/remembered-folders.ts';
import { isAtOrBelow } from '../core/values/containment.ts';
import { compileGlob, matchesGlob } from '../decide/paths/glob.ts';
import type { NamedPaths } from '../decide/paths/named-paths.ts';
import { realPathOrSame } from '../local/real-path.ts';
import type { Terms } from '../terms/terms.ts';
import { ownCode } from './own-code.ts';
import { homeProtected, homeSecrets, machineSecrets } from './paths/known-places.ts';
import { type Hiding, openFor, uncover } from './paths/openings.ts';
import { isSystemFolder } from './paths/system-folders.ts';
import { whyNeverWritable } from './protected-writes.ts';
import { findGitFolders, type GitFolders } from './repositories/git-folders.ts';
import type { GitChanges } from './repositories/git-settings.ts';

export interface BoundaryInputs {
  readonly terms: Pick<Terms, 'policy' | 'roots' | 'sandbox' | 'home'>;
  /** The `.git` around the only root, if its repository is open like that of a whole work tree. */
  readonly gitAbove?: string | null;
  /** Approved by a person or by allow rules. */
  readonly named: { readonly byPerson: NamedPaths; readonly byRule: NamedPaths };
  /** hardshell's own folders that no command may read. */
  readonly secret: readonly string[];
  /** hardshell's folders that commands may read but not change: their outputs, the quarantine, caches of other projects. */
  readonly kept: readonly string[];
  /** What the command changes by git itself; see `findGitChanges`. */
  readonly git?: GitChanges;
  /** Private folders of the commands. */
  readonly own: readonly string[];
}

export type Boundary = Pick<
  ConfinementPolicy,
  | 'name'
  | 'writable'
  | 'scratch'
  | 'hidden'
  | 'watched'
  | 'shown'
  | 'opened'
  | 'protected'
  | 'protectedBelow'
  | 'unprotected'
  | 'settings'
  | 'unsearched'
  | 'unclear'
>;

export function createBoundary(inputs: BoundaryInputs): Boundary {
  const { terms, secret } = inputs;
  const { policy, home, sandbox } = terms;
  const { allowWrite, denyWrite } = sandbox;
  const name = sandbox.name === 'restricted' ? 'restricted' : 'workspace';
  const { byPerson, byRule } = inputs.named;
  const open = uncover([{ hidden: secret, places: [], files: [] }, ...findHidden(terms, inputs.named)]);
  // hardshell's own folders are created on demand; that is no reason to end a command.
  const readable = { ...open, watched: open.hidden.filter((path) => !secret.includes(path)) };
  if (name === 'restricted') return { name, ...readable };
  const added = [...allowWrite, ...sandbox.requestedWrites].filter((path) => whyNeverWritable(path, home) === null);
  const { realPath } = rememberAnswers(diskFolders);
  const roots = [...terms.roots, ...added].filter((root) => isNarrow(root, realPath(root)));
  const git = roots.map((root) => gitFoldersOf(root, inputs.gitAbove ?? null));
  const runByGit = [...new Set(git.flatMap(({ names }) => names))];
  const { settings = [], movesWorktrees = false } = inputs.git ?? {};
  // Files that hardshell itself runs and trusts stay protected, even if they were allowed by name.
  const fixedPaths = [...denyWrite, ...ownCode(), ...inputs.kept];
  const isFree = ({ path }: { readonly path: string }) => !fixedPaths.some((denied) => isAtOrBelow(path, denied));
  const writes = [...byPerson.writes, ...byRule.writes].filter(isFree);
  const deletes = [...byPerson.deletes, ...byRule.deletes].filter(isFree);
  const granted = openFor(writes, deletes, {
    roots,
    isTree: (folder) => isNarrow(folder, realPath(folder)) && !holdsHome(folder, home),
  });
  const writable = [...roots, ...git.flatMap((found) => found.writable), ...granted.trees];
  return {
    name,
    ...readable,
    writable,
    scratch: [...inputs.own, ...granted.files],
    opened: granted.folders,
    protected: [
      // What git leaves of these is searched afterwards.
      ...git.flatMap(({ guarded, connections }) =>
        movesWorktrees ? guarded.filter((path) => !connections.includes(path)) : guarded,
      ),
      ...roots.flatMap((root) => runByGit.map((name) => join(root, name))),
      ...homeProtected(
        home,
        writable,
        granted.folders.map(({ folder }) => folder),
      ),
      ...policy.protectedPaths.filter(isPlain),
      ...ownCode(),
      ...inputs.kept,
      ...denyWrite,
    ],
    ...(runByGit.length > 0 && { protectedBelow: runByGit }),
    unprotected: [...writes, ...deletes].map(({ path }) => path),
    settings: {
      names: settings,
      files: [...roots.map((root) => join(root, '.gitmodules')), ...git.flatMap((found) => found.settings)]
        .filter((path) => isFree({ path }))
        .filter((path) => !policy.protectedPaths.some((denied) => isCovered(path, denied))),
    },
    unclear: [...new Set(git.flatMap(({ unclear }) => unclear))],
    unsearched: git.flatMap(({ unsearched }) => (unsearched === null ? [] : [unsearched])),
  };
}

/** What the settings hide, and what of it is shown. */
export function findHidden(
  { policy, home, sandbox }: BoundaryInputs['terms'],
  { byPerson, byRule }: BoundaryInputs['named'],
): readonly Hiding[] {
  const { denyRead, allowRead } = sandbox;
  const { hidden: fixed = [], shown = [] } = sandbox.managed ?? {};
  const secrets = [...homeSecrets(home), ...machineSecrets(), ...policy.secretPaths.filter(isPlain)];
  return [
    { hidden: fixed.filter(isPlain), places: shown, files: [] },
    // A rule shows nothing that the user denies; only the user's yes to that exact file does.
    { hidden: denyRead, places: allowRead, files: byPerson.reads },
    { hidden: secrets, places: allowRead, files: [...byPerson.reads, ...byRule.reads] },
  ];
}

function holdsHome(folder: string, home: string | null): boolean {
  return home !== null && [home, realPathOrSame(home)].some((path) => isAtOrBelow(path, folder));
}

/** System folders cannot be a workspace: a command that starts in `/`, or in a link to it, must not change everything. */
function isNarrow(root: string, real: string | null): boolean {
  return !isSystemFolder(root) && !isSystemFolder(real ?? root);
}

function isCovered(path: string, pattern: string): boolean {
  return isPlain(pattern) ? isAtOrBelow(path, pattern) : matchesGlob(compileGlob(pattern), path);
}

function isPlain(path: string): boolean {
  return path.startsWith('/') && !/[*?[\]{}\\]/.test(path);
}

/** Searching for repositories costs more than starting a command, and they rarely change. native/touched.c relies on it. */
const FRESH_MS = 2_000;
const MAX_ROOTS = 2_000;
/** Maximum number of folders directly below the root that are checked for changes. */
const MAX_CHECKED = 100;

interface KnownFolders {
  readonly at: number;
  /** Modification times of the root and the folders directly below it. */
  readonly changedMs: ReadonlyMap<string, number>;
  readonly folders: GitFolders;
}
const known = new Map<string, KnownFolders>();

function gitFoldersOf(root: string, above: string | null): GitFolders {
  const now = Date.now();
  const key = `${root}\0${above ?? ''}`;
  const found = known.get(key);
  // `git clone` into the root, or into `packages/`, changes one of these. Deeper changes are found after FRESH_MS.
  const isFresh = found !== undefined && now - found.at < FRESH_MS;
  if (isFresh && [...found.changedMs].every(([path, ms]) => changedMsOf(path) === ms)) return found.folders;
  if (known.size > MAX_ROOTS) known.clear();
  const checked = [root, ...foldersIn(root).slice(0, MAX_CHECKED)];
  const changedMs = new Map(checked.map((path) => [path, changedMsOf(path)]));
  const folders = findGitFolders(root, above);
  known.set(key, { at: now, changedMs, folders });
  return folders;
}

function changedMsOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}

function foldersIn(root: string): string[] {
  try {
    const entries = readdirSync(root, { withFileTypes: true });
    return entries.filter((entry) => entry.isDirectory() && entry.name !== '.git').map(({ name }) => join(root, name));
  } catch {
    return [];
  }
}
