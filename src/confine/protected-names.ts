// Names in writable folders that control what runs outside: which exist, which are watched, and which are searched
// at any depth when a command has ended.

import { basename, dirname } from 'node:path';
import { isAtOrBelow, isBelowAny } from '../core/values/containment.ts';
import type { ConfinementPolicy } from './confinement-policy.ts';
import type { ConfinementSpec, SweptNames } from './port.ts';
import type { FolderReader } from './reading.ts';
import { foldName } from './remembered-folders.ts';

/** One confinement can have some thousand paths: a thousand writable folders would need more for missing names. */
export const MAX_ABSENT = 4_000;
/**
 * At any depth of a writable folder: settings of editors and agents that start programs (tasks, hooks, MCP servers), and
 * files that run when a folder is entered.
 */
export const PROTECTED_BELOW: readonly string[] = [
  '.hardshell',
  '.vscode',
  '.idea',
  '.zed',
  '.claude',
  '.mcp.json',
  '.cursor',
  '.gemini',
  '.qwen',
  '.codex',
  '.opencode',
  'opencode.json',
  'opencode.jsonc',
  '.crush.json',
  'crush.json',
  '.windsurf',
  '.kiro',
  '.roo',
  '.amazonq',
  '.continue',
  '.factory',
  '.junie',
  '.aider.conf.yml',
  '.lazygit.yml',
  '.github/hooks',
  '.github/copilot',
  '.github/mcp.json',
  '.envrc',
];
/** Third-party packages contain editor settings of their authors, and are not opened as projects. */
const PACKAGES = ['node_modules', 'vendor', 'site-packages'];
/** Folders with many subfolders, in which no repository is searched before a command; the sweep searches them afterwards. */
export const UNSEARCHED: readonly string[] = ['node_modules', '.venv', 'venv', '__pycache__'];
/** Inside every writable folder: files that run, or control what runs, outside the confinement later. */
const PROTECTED_NAMES: readonly string[] = [
  '.git/hooks',
  '.git/config',
  '.git/lazygit.yml',
  '.gitmodules',
  ...PROTECTED_BELOW,
  ...['.bashrc', '.bash_profile', '.bash_login', '.bash_logout', '.bash_aliases', '.profile'],
  ...['.zshrc', '.zshenv', '.zprofile', '.zlogin', '.zlogout', '.kshrc', '.cshrc', '.tcshrc', '.login'],
  '.ssh',
];

/** Each with the first of its names, by which a list of the folder shows that it is absent. */
const TOPS = PROTECTED_NAMES.map((name) => [name, foldName(name.split('/', 1)[0] as string)] as const);

export interface NamesInRoots {
  /** They may exist. */
  readonly names: readonly string[];
  /** They do not exist. */
  readonly absent: readonly string[];
  /** How many more do not exist. */
  readonly omitted: number;
}

/** Each folder is listed once: a thousand folders have tens of thousands of names, of which few exist. */
export function findNamesInRoots(roots: readonly string[], folders: FolderReader): NamesInRoots {
  const names: string[] = [];
  const absent: string[] = [];
  let omitted = 0;
  for (const root of roots) {
    const listed = folders.names?.(root) ?? null;
    if (listed === null && folders.isFile?.(root) === true) continue;
    for (const [name, top] of TOPS)
      if (listed === null || listed.has(top)) names.push(`${root}/${name}`);
      else if (absent.length < MAX_ABSENT) absent.push(`${root}/${name}`);
      else omitted += 1;
  }
  return { names, absent, omitted };
}

/** What a plan knows about them. */
interface Protected {
  readonly absent: readonly string[];
  /** Writable folders that are swept. */
  readonly swept: readonly string[];
  /** Opened folders, which are swept as well: in them only new names are looked at. */
  readonly openedFolders: readonly string[];
  /** Names that exist. */
  readonly guarded: readonly string[];
}

/** A name in a `.git` that does not exist yet. */
export function isOfNewRepository(path: string, folders: FolderReader): boolean {
  return basename(dirname(path)) === '.git' && folders.realPath(dirname(path)) === null;
}

/** A repository created by the command belongs to it: the sweep checks its content when the command has ended. */
export function findAbsentNames(
  quarantine: string | undefined,
  { absent, swept, openedFolders }: Pick<Protected, 'absent' | 'swept' | 'openedFolders'>,
  folders: FolderReader,
): Pick<ConfinementSpec, 'absent' | 'quarantine'> {
  const trees = new Set([...swept, ...openedFolders]);
  const names = absent.filter((path) => !isOfNewRepository(path, folders) || !isBelowAny(path, trees));
  return {
    ...(names.length > 0 && { absent: names.slice(0, MAX_ABSENT) }),
    ...(names.length + trees.size > 0 && quarantine !== undefined && { quarantine }),
  };
}

/** At any depth of a writable folder. */
export function namesToSweep({ protectedBelow = [] }: Pick<ConfinementPolicy, 'protectedBelow'>): SweptNames {
  return { taken: [...PROTECTED_BELOW, ...protectedBelow], packages: PACKAGES, unsearched: UNSEARCHED };
}

/** What is decided by name below a writable folder, at any depth. */
function isDeciding(path: string, below: readonly string[]): boolean {
  return ['.git', ...below].some((name) => `${path}/`.includes(`/${name}/`));
}

/** Names allowed by a person or a rule, of those that are decided by name at any depth. A whole `.git` is still checked. */
export function listKeptNames({
  unprotected = [],
  protectedBelow = [],
}: Pick<ConfinementPolicy, 'unprotected' | 'protectedBelow'>): readonly string[] {
  const taken = [...PROTECTED_BELOW, ...protectedBelow];
  return unprotected.filter((path) => isDeciding(path, taken) && !path.endsWith('/.git'));
}

/** In namespaces, mounts protect existing names; without them nothing does, and the sweep must not treat them as new. */
export function listSweptNames(
  policy: Pick<ConfinementPolicy, 'unprotected' | 'unsearched' | 'protectedBelow'>,
  { swept, openedFolders, guarded }: Protected,
  isInside: boolean,
): Pick<ConfinementSpec, 'swept' | 'sweptInPart' | 'sweptNames' | 'kept'> {
  const { unsearched = [] } = policy;
  const allowed = listKeptNames(policy);
  const trees = new Set([...swept, ...openedFolders]);
  const kept = [...new Set([...allowed, ...(isInside ? [] : guarded)])].filter((path) => isBelowAny(path, trees));
  const isKnown = (root: string) => !unsearched.some((path) => isAtOrBelow(path, root));
  const known = swept.filter(isKnown);
  // The plan knows no repositories below the names that an opened folder is open for.
  const partly = [...swept.filter((root) => !isKnown(root)), ...openedFolders];
  return {
    ...(known.length > 0 && { swept: known }),
    ...(partly.length > 0 && { sweptInPart: partly }),
    ...(trees.size > 0 && {
      sweptNames: namesToSweep(policy),
    }),
    ...(kept.length > 0 && { kept: kept.slice(0, MAX_ABSENT) }),
  };
}
