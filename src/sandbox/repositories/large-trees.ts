// A command that is known to change nothing, in a project with many folders: it gets no writable folder. The kernel then
// enforces that, and no search for leftovers is needed afterwards.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Facts } from '../../core/facts.ts';
import { isAtOrBelow } from '../../core/values/containment.ts';
import type { Boundary } from '../boundary.ts';
import { usesProcesses } from '../process-tools.ts';

const MANY = ['node_modules', 'target', 'vendor', '.venv', 'venv'];

/** Each of them is a mount, or several. */
const MANY_ROOTS = 20;
const MANY_PROTECTED = 200;

/** In smaller projects a search costs less than a start with mounts that no prestarted shell has. */
export function staysReadOnly(
  facts: Pick<Facts, 'readOnly' | 'commands'>,
  { writable = [], protected: fixed = [] }: Pick<Boundary, 'writable' | 'protected'>,
): boolean {
  if (!facts.readOnly || usesProcesses(facts)) return false;
  if (writable.length > MANY_ROOTS || fixed.length > MANY_PROTECTED) return true;
  return writable.some((root) => MANY.some((name) => existsSync(join(root, name))));
}

/**
 * A command that copies, unpacks or deletes whole trees, is understood to the end, runs no other program, and changes nothing
 * outside. To report refusals costs microseconds for each file, which is much for such a command and for no other.
 */
export function movesManyInside({ status, effects }: Facts, roots: readonly string[]): boolean {
  const { executes, unknown, writes, deletes } = effects;
  if (status !== 'understood' || executes.length > 0 || unknown.length > 0) return false;
  const changes = [...writes, ...deletes];
  const isInside = (path: string | null) => path !== null && roots.some((root) => isAtOrBelow(path, root));
  return changes.some(({ recursive }) => recursive === true) && changes.every(({ path }) => isInside(path));
}
