// Names in writable folders that decide what runs outside: which there are, which are watched for, and what is looked for
// at any depth when a command is over.

import { basename, dirname } from 'node:path';
import { isAtOrBelow, isBelow } from '../core/values/containment.ts';
import type { ConfinementPolicy } from './confinement-policy.ts';
import type { ConfinementSpec } from './port.ts';
import type { FolderProbe } from './reading.ts';

/** One confinement holds some thousand paths: a thousand writable folders would need more for what is not there. */
export const MAX_ABSENT = 4_000;
/**
 * At any depth of a writable folder: settings of editors and agents that start programs (tasks, hooks, MCP servers), and what
 * runs when a folder is entered.
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
  '.github/hooks',
  '.github/copilot',
  '.github/mcp.json',
  '.envrc',
];
/** Third-party packages contain the settings of their authors' editors, and nobody opens them as a project. */
const PACKAGES = ['node_modules', 'vendor', 'site-packages'];
/** Folders with many folders in them, in which no repository is looked for before a command; afterwards the sweep looks. */
export const UNSEARCHED: readonly string[] = ['node_modules', '.venv', 'venv', '__pycache__'];
/** Inside every writable folder: what runs, or decides what runs, outside of the confinement later. */
export const PROTECTED_NAMES: readonly string[] = [
  '.git/hooks',
  '.git/config',
  '.gitmodules',
  ...PROTECTED_BELOW,
  ...['.bashrc', '.bash_profile', '.bash_login', '.bash_logout', '.bash_aliases', '.profile'],
  ...['.zshrc', '.zshenv', '.zprofile', '.zlogin', '.zlogout', '.kshrc', '.cshrc', '.tcshrc', '.login'],
  '.ssh',
];

/** What a plan knows of them. */
interface Protected {
  readonly absent: readonly string[];
  /** Writable folders that are looked through. */
  readonly swept: readonly string[];
  /** What is there. */
  readonly guarded: readonly string[];
}

/** A repository that is made in the command is its own: the sweep judges what is in it when the command is over. */
export function absentOf(
  quarantine: string | undefined,
  { absent, swept }: Pick<Protected, 'absent' | 'swept'>,
  folders: FolderProbe,
): Pick<ConfinementSpec, 'absent' | 'quarantine'> {
  const isJudged = (path: string) =>
    basename(dirname(path)) === '.git' &&
    folders.realPath(dirname(path)) === null &&
    swept.some((root) => isBelow(path, root));
  const names = absent.filter((path) => !isJudged(path));
  return {
    ...(names.length > 0 && { absent: names.slice(0, MAX_ABSENT) }),
    ...(names.length + swept.length > 0 && quarantine !== undefined && { quarantine }),
  };
}

/** What is decided by name below a writable folder, at any depth. */
function isDeciding(path: string): boolean {
  return ['.git', ...PROTECTED_BELOW].some((name) => `${path}/`.includes(`/${name}/`));
}

/** Mounts hold what was there in namespaces; without them nothing does, and the sweep must not take it for new. */
export function sweptOf(
  { unprotected = [], unsearched = [] }: Pick<ConfinementPolicy, 'unprotected' | 'unsearched'>,
  { swept, guarded }: Protected,
  isInside: boolean,
): Pick<ConfinementSpec, 'swept' | 'sweptInPart' | 'sweptNames' | 'kept'> {
  // A whole `.git` that a command names is still judged.
  const allowed = unprotected.filter((path) => isDeciding(path) && !path.endsWith('/.git'));
  const kept = [...new Set([...allowed, ...(isInside ? [] : guarded)])].filter((path) =>
    swept.some((root) => isBelow(path, root)),
  );
  const isKnown = (root: string) => !unsearched.some((path) => isAtOrBelow(path, root));
  const [known, partly] = [swept.filter(isKnown), swept.filter((root) => !isKnown(root))];
  return {
    ...(known.length > 0 && { swept: known }),
    ...(partly.length > 0 && { sweptInPart: partly }),
    ...(swept.length > 0 && {
      sweptNames: { taken: PROTECTED_BELOW, packages: PACKAGES, unsearched: UNSEARCHED },
    }),
    ...(kept.length > 0 && { kept: kept.slice(0, MAX_ABSENT) }),
  };
}
