// A command that is known to change nothing, in a project with many folders: it gets no writable folder. The kernel then
// holds it to what the facts say, and nobody needs to look through all of them afterwards for what it has left.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Facts } from '../../core/facts.ts';

const MANY = ['node_modules', 'target', 'vendor', '.venv', 'venv'];

/** Elsewhere a look costs less than a start with other mounts than those that wait ready. */
export function staysReadOnly({ readOnly }: Facts, roots: readonly string[]): boolean {
  return readOnly && roots.some((root) => MANY.some((name) => existsSync(join(root, name))));
}
