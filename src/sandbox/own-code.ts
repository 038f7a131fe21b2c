// What runs unconfined the next time: this program, what it loads, and the Node that runs it.
// In a project that has hardshell among its packages, or that is a clone of it, a command could change it otherwise.

import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const PACKAGE = fileURLToPath(new URL('../..', import.meta.url)).replace(/\/$/, '');
/** Of a clone, whose sources are somebody's work: what is loaded, and what was compiled from it. */
const LOADED = ['bin', 'dist', '.cache', 'package.json'];

/** The whole package, where a project has it among its packages. */
export const OWN_PACKAGE: readonly string[] = PACKAGE.includes('/node_modules/') ? [PACKAGE] : [];

let known: readonly string[] | null = null;

/** Asked before every command; it does not change while we run. */
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

interface FoundPackage {
  readonly real: string;
  /** What must stay as it is so that this one is loaded. */
  readonly places: readonly string[];
}

/** As Node looks for it: in the folder itself, and then in those above. */
function findPackage(name: string, from: string): FoundPackage | null {
  for (let folder = from; ; folder = dirname(folder)) {
    const packages = join(folder, 'node_modules');
    const found = join(packages, name);
    if (existsSync(found)) {
      const real = realpathSync.native(found);
      // pnpm links what a package needs into a folder of its own. A link cannot be held in its place, but that folder can.
      return { real, places: real !== found && folder.includes('/.pnpm/') ? [packages, real] : [found] };
    }
    if (folder === dirname(folder)) return null;
  }
}
