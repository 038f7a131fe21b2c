// The code that hardshell itself runs, unconfined: its package, the packages that it loads, and the Node binary.
// It is protected because a command in a clone of hardshell, or in a project that depends on it, could change it.

import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const PACKAGE = fileURLToPath(new URL('../..', import.meta.url)).replace(/\/$/, '');
/** In a clone, where the sources are the user's work: loaded packages and compiled code. */
const LOADED = ['bin', 'dist', '.cache', 'package.json'];

/** The whole package, if a project has it as a dependency. */
export const OWN_PACKAGE: readonly string[] = PACKAGE.includes('/node_modules/') ? [PACKAGE] : [];

let known: readonly string[] | null = null;

/** Computed once: needed for every command, and constant while this process runs. */
export function ownCode(): readonly string[] {
  known ??= [...packageFolders(PACKAGE), process.execPath];
  return known;
}

function packageFolders(root: string): string[] {
  const own = OWN_PACKAGE.length > 0 ? [root] : LOADED.map((name) => join(root, name));
  const folders = new Set<string>();
  const seen = new Set<string>();
  const pending = [root];
  for (let from = pending.pop(); from !== undefined; from = pending.pop())
    for (const name of dependenciesOf(from)) {
      const found = findPackage(name, from);
      if (found === null) continue;
      for (const place of found.places) folders.add(place);
      if (!seen.has(found.real)) pending.push(found.real);
      seen.add(found.real);
    }
  return [...own, ...folders];
}

function dependenciesOf(folder: string): string[] {
  try {
    const { dependencies, optionalDependencies } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    return Object.keys({ ...dependencies, ...optionalDependencies });
  } catch {
    return [];
  }
}

interface PackageFolder {
  readonly real: string;
  /** Paths that determine which package is loaded. */
  readonly places: readonly string[];
}

/** As Node resolves it: in the folder itself, then in its parents. */
function findPackage(name: string, from: string): PackageFolder | null {
  for (let folder = from; ; folder = dirname(folder)) {
    const packages = join(folder, 'node_modules');
    const found = join(packages, name);
    if (existsSync(found)) {
      const real = realpathSync.native(found);
      // pnpm links the dependencies of a package into a separate folder. A link cannot be protected, but that folder can.
      return { real, places: real !== found && folder.includes('/.pnpm/') ? [packages, real] : [found] };
    }
    if (folder === dirname(folder)) return null;
  }
}
