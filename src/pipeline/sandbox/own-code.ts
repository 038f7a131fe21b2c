// What runs unconfined the next time: this program, what it loads, and the Node that runs it.
// In a project that has hardshell among its packages, or that is a clone of it, a command could change it otherwise.

import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const PACKAGE = fileURLToPath(new URL('../../..', import.meta.url)).replace(/\/$/, '');
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
  const pending = [root];
  for (let from = pending.pop(); from !== undefined; from = pending.pop())
    for (const name of dependenciesOf(from)) {
      const folder = findPackage(name, from);
      if (folder === null || folders.has(folder)) continue;
      folders.add(folder);
      pending.push(folder);
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

/** As Node looks for it: in the folder itself, and then in those above. */
function findPackage(name: string, from: string): string | null {
  for (let folder = from; ; folder = dirname(folder)) {
    const found = join(folder, 'node_modules', name);
    if (existsSync(found)) return found;
    if (folder === dirname(folder)) return null;
  }
}
