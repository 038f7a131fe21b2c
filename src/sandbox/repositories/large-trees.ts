// A command that is known to change nothing, in a project with many folders: it gets no writable folder. The kernel then
// enforces that, and no search for leftovers is needed afterwards.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Facts } from '../../core/facts.ts';

const MANY = ['node_modules', 'target', 'vendor', '.venv', 'venv'];

/** In smaller projects a search costs less than a start with mounts that no prestarted shell has. */
export function staysReadOnly({ readOnly }: Facts, roots: readonly string[]): boolean {
  return readOnly && roots.some((root) => MANY.some((name) => existsSync(join(root, name))));
}
