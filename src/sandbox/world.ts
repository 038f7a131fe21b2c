// Terms → the world of the command: the commands of a session share a loopback, so that a server in one is reached by the next.
// Without a session, those of a project do, also from several processes. `restricted` shares nothing.

import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { ConfineBackend } from '../confine/backends/backend.ts';
import { makeSocketFolder } from '../local/sockets/runtime-folder.ts';
import type { Terms } from '../terms/terms.ts';

/** The socket of the world. Null if there is none: the command then has a network of its own. */
export function worldOf({ sandbox, session, project }: Terms, backend: ConfineBackend): string | null {
  if (backend.name !== 'keeper' || sandbox.name !== 'workspace') return null;
  const name = createHash('sha256')
    .update(`${project}\0${session ?? ''}`)
    .digest('hex')
    .slice(0, 24);
  try {
    return join(makeSocketFolder('worlds'), `${name}.sock`);
  } catch {
    // Sockets cannot be created there.
    return null;
  }
}
