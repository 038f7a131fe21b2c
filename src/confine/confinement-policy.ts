// What is asked of a confinement, before anybody looks at what the machine can do. Data only.

import type { SandboxName } from '../core/confinement.ts';
import type { OpenedFolder } from './opened-folders.ts';
import type { ConfinementSpec } from './port.ts';

export interface ConfinementPolicy {
  /** `restricted`: writes nowhere but in its own temporary folders. `workspace`: in the given folders as well. */
  readonly name: SandboxName;
  readonly writable?: readonly string[];
  /** Writable as well, and nothing in them is protected by its name: caches, single files. */
  readonly scratch?: readonly string[];
  /** Files and folders that cannot be read. */
  readonly hidden?: readonly string[];
  /** Of these, what is not there is watched for: a file that appears cannot be hidden any more. */
  readonly watched?: readonly string[];
  /** Of what is hidden: may be read all the same. */
  readonly shown?: readonly string[];
  /** Can be read in their places, although these lie in a temporary folder that is otherwise the command's own. */
  readonly visible?: readonly string[];
  /** Paths inside writable folders that may be read, not changed or made. */
  readonly protected?: readonly string[];
  /** Paths that would be protected, and may be changed all the same: nothing else in a protected folder may. */
  readonly unprotected?: readonly string[];
  /** Where nobody has looked for protected names below the writable folders: there were too many folders. */
  readonly unsearched?: readonly string[];
  /** Folders in which names may be made. */
  readonly opened?: readonly OpenedFolder[];
  /** `own`, the default: nothing but a loopback of its own, or nothing at all where there are no namespaces. */
  readonly network?: 'own' | 'none' | 'host';
  readonly connectPorts?: readonly number[];
  readonly bindPorts?: readonly number[];
  /** Where the command finds its proxy on 127.0.0.1; see `ConfinementSpec`, as for the next four. */
  readonly proxyPort?: number;
  readonly hostPorts?: readonly number[];
  readonly publishPorts?: readonly number[];
  readonly unixSockets?: 'any' | 'pairs';
  readonly unixPaths?: readonly string[];
  readonly observe?: ConfinementSpec['observe'];
  /** Seen as /tmp, or writable by its own name without namespaces. Without it /tmp is new with every command. */
  readonly temporary?: string;
  /** Where protected names that the command makes are moved to; without it they are removed. */
  readonly quarantine?: string;
}
