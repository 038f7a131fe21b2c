// Terms → the world of the command: the commands of a session share a loopback, so that a server in one is reached by the next.
// Without a session, those of a project do, also from several processes. `restricted` shares nothing. Those with the same rights
// also share their processes: whoever can debug a process has its rights.

import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { ConfineBackend } from '../confine/backends/backend.ts';
import type { Enforcement } from '../core/confinement.ts';
import type { Facts } from '../core/facts.ts';
import { makeSocketFolder } from '../local/sockets/runtime-folder.ts';
import type { RunEvent, RunRequest, RunStarted } from '../run/port.ts';
import type { Terms } from '../terms/terms.ts';
import { hostRights, type NetworkAccessInputs } from './network/network-access.ts';

/** Rights that the keeper does not know: what the proxy of the command would allow, and the secrets in its environment. */
export interface RoomRights {
  readonly inputs: NetworkAccessInputs;
  readonly facts: Facts;
  /** Variables of the sandbox itself: a proxy that only refuses is given to commands that might contact a host, and to no others. */
  readonly own: Readonly<Record<string, string>>;
  /** It works on a layer of its own. */
  readonly isStaged: boolean;
}

/** The world of one command. */
export interface World {
  readonly isShared: boolean;
  /** The request in its world, and in a room with commands of the same rights. */
  share(request: RunRequest, rights: RoomRights): RunRequest;
  hear(event: RunEvent): void;
  /** Why the command is not with the others of its session; nothing if it is, or never would be. */
  apart(): Pick<Enforcement, 'apart'>;
  /** The same as sentences for the reader of the result, if it matters to a command that runs as usual. */
  notes(): readonly string[];
}

const ALONE =
  'It has a network of its own, because that of the session could not be used: servers of other commands cannot be reached, and they cannot reach its servers.';
const UNREACHED = 'no network and no processes are shared with the session: it could not be joined';

const READS =
  'processes are shared only with commands that change nothing: the project has many folders, and is read-only for such commands';

/** `isReadOnly`: the command may not write to the project, and so has other rights than most. */
export function worldOf(terms: Terms, backend: ConfineBackend, { isReadOnly }: { isReadOnly: boolean }): World {
  // A listener inside is reached only in namespaces.
  const wants = backend.proxy === 'listener' && backend.name === 'keeper' && terms.sandbox.name === 'workspace';
  const path = wants ? socketOf(terms) : null;
  let why = wants && path === null ? UNREACHED : null;
  let shared: Shared | null = null;
  return {
    isShared: path !== null,
    share: (request, rights) => {
      if (path === null) return request;
      shared = { request, isStaged: rights.isStaged };
      return { ...request, world: path, room: nameOf(request, rights) };
    },
    hear: (event) => {
      if (event.type === 'started' && shared !== null) why = whyApart(shared, event, isReadOnly);
    },
    apart: () => (why === null ? {} : { apart: why }),
    notes: () => (why === UNREACHED ? [ALONE] : []),
  };
}

/** Null if sockets cannot be created there: the command then has a network of its own. */
function socketOf({ session, project }: Terms): string | null {
  const name = createHash('sha256')
    .update(`${project}\0${session ?? ''}`)
    .digest('hex')
    .slice(0, 24);
  try {
    return join(makeSocketFolder('worlds'), `${name}.sock`);
  } catch {
    return null;
  }
}

function nameOf({ env }: RunRequest, { inputs, facts, own }: RoomRights): string {
  const given = Object.entries(env).filter(([name]) => !Object.hasOwn(own, name) && !FOLDERS.has(name));
  const rights = JSON.stringify([hostRights(inputs, facts), given.sort(([a], [b]) => (a < b ? -1 : 1))]);
  return createHash('sha256').update(rights).digest('hex').slice(0, 32);
}

interface Shared {
  readonly request: RunRequest;
  readonly isStaged: boolean;
}

function whyApart({ request, isStaged }: Shared, started: RunStarted, isReadOnly: boolean): string | null {
  if (started.shares === 'processes') return isReadOnly ? READS : null;
  if (started.shares === undefined) return UNREACHED;
  const why = started.missesProcesses ? 'it could not be joined' : whatIsOwn(request, isStaged);
  return why === null ? null : `no processes are shared with the session: ${why}`;
}

/** Nothing of a staged command, if no other command ran when it started. */
function whatIsOwn({ limits, useCgroup, stdin }: RunRequest, isStaged: boolean): string | null {
  if (useCgroup === true || limits?.processes !== undefined) return 'the command has limits on its process tree';
  // The request of a command that is not staged may not have its input yet.
  return stdin !== undefined || !isStaged ? 'the command has input' : null;
}

const FOLDERS: ReadonlySet<string> = new Set(['PWD', 'OLDPWD']);
