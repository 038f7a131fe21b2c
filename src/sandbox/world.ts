// Terms → the world of the command: the commands of a session share a loopback, so that a server in one is reached by the next.
// Without a session, those of a project do, also from several processes. `restricted` shares nothing. Those with the same rights
// also share their processes: whoever can debug a process has its rights.

import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { ConfineBackend } from '../confine/backends/backend.ts';
import type { Facts } from '../core/facts.ts';
import { makeSocketFolder } from '../local/sockets/runtime-folder.ts';
import type { RunRequest } from '../run/port.ts';
import type { Terms } from '../terms/terms.ts';
import { hostRights, type NetworkAccessInputs } from './network/network-access.ts';

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

/** Rights that the keeper does not know: what the proxy of the command would allow, and the secrets in its environment. */
export interface RoomRights {
  readonly inputs: NetworkAccessInputs;
  readonly facts: Facts;
  /** Variables of the sandbox itself: a proxy that only refuses is given to commands that might contact a host, and to no others. */
  readonly own: Readonly<Record<string, string>>;
}

/** The request in its world, and in a room with commands of the same rights. */
export function shareWorld(request: RunRequest, world: string | null, { inputs, facts, own }: RoomRights): RunRequest {
  if (world === null) return request;
  const given = Object.entries(request.env).filter(([name]) => !Object.hasOwn(own, name) && !FOLDERS.has(name));
  const rights = JSON.stringify([hostRights(inputs, facts), given.sort(([a], [b]) => (a < b ? -1 : 1))]);
  return { ...request, world, room: createHash('sha256').update(rights).digest('hex').slice(0, 32) };
}

const FOLDERS: ReadonlySet<string> = new Set(['PWD', 'OLDPWD']);
