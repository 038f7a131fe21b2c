// The requested confinement, independent of what the machine supports. Data only.

import type { SandboxName } from '../core/confinement.ts';
import type { OpenedFolder } from './opened-folders.ts';
import type { ConfinementSpec, JudgedSettings, StageSpec } from './port.ts';

export interface ConfinementPolicy {
  /** `restricted`: writes only to its own temporary folders. `workspace`: also to the given folders. */
  readonly name: SandboxName;
  readonly writable?: readonly string[];
  /** Also writable, and nothing in them is protected by name: caches, single files. */
  readonly scratch?: readonly string[];
  /** Files and folders that cannot be read. */
  readonly hidden?: readonly string[];
  /** Of these, missing paths are watched: a file that appears later cannot be hidden any more. */
  readonly watched?: readonly string[];
  /** Readable exceptions from hidden paths. */
  readonly shown?: readonly string[];
  /** Readable at their paths, although these are in a temporary folder that is otherwise private to the command. */
  readonly visible?: readonly string[];
  /** Paths inside writable folders that can be read, but not changed or created. */
  readonly protected?: readonly string[];
  /** Further names that are removed if a command creates them, at any depth of a writable folder. */
  readonly protectedBelow?: readonly string[];
  /** Exceptions from protected paths, which may be changed: nothing else in a protected folder may. */
  readonly unprotected?: readonly string[];
  /** Changes of `writable` are collected there; only with namespaces, otherwise they are made directly. */
  readonly stage?: Omit<StageSpec, 'guarded'>;
  /** Settings of git among the protected paths that the command may change, as far as they run nothing. */
  readonly settings?: JudgedSettings;
  /** Writable folders that were not searched for protected names: there were too many folders. */
  readonly unsearched?: readonly string[];
  /** Settings of git that may run files of writable folders, which cannot be told from the setting. */
  readonly unclear?: readonly string[];
  /** Folders in which names may be created. */
  readonly opened?: readonly OpenedFolder[];
  /** `own`, the default: only a private loopback, or no network if there are no namespaces. */
  readonly network?: 'own' | 'none' | 'host';
  /** With `own`: the loopback may be shared with other commands of the session. */
  readonly isShared?: boolean;
  readonly connectPorts?: readonly number[];
  readonly bindPorts?: readonly number[];
  /** The port of the proxy on 127.0.0.1 for the command; see `ConfinementSpec`, also for the next four. */
  readonly proxyPort?: number;
  readonly hostPorts?: readonly number[];
  readonly publishPorts?: readonly number[];
  readonly unixSockets?: 'any' | 'pairs';
  readonly unixPaths?: readonly string[];
  readonly observe?: ConfinementSpec['observe'];
  /** It is known that the command changes nothing outside of `writable`: then refused changes are not reported. */
  readonly changesOnlyInside?: boolean;
  /** Mounted as /tmp, or writable at its own path without namespaces. Without it /tmp is new for every command. */
  readonly temporary?: string;
  /** Where protected names that the command creates are moved to; without it they are removed. */
  readonly quarantine?: string;
}
