// The port of confining: what a command may touch, as data, and what the kernel said when it was asked to hold it to that.
// Knows no policy: plan.ts makes it, the keeper carries it out. Every path is absolute and free of symbolic links.

/** In the order of native/confine.h, which numbers them. A step that fails ends the start unless it is optional. */
export const CONFINE_STEPS = [
  'none',
  'namespaces',
  'identity',
  'mounts',
  'proc',
  'terminals',
  'loopback',
  'capabilities',
  'no-new-privileges',
  'files',
  'refer',
  'truncate',
  'device-ioctl',
  'ports',
  'scope',
  'system-calls',
  'listeners',
  'broker',
] as const;
export type ConfineStep = (typeof CONFINE_STEPS)[number];

/** Parents come before what is below them: later entries lie over earlier ones. What does not exist is left out. */
export type ConfinedPath =
  /** Everything below may be changed. */
  | { readonly kind: 'write'; readonly path: string }
  /** Inside a writable folder: may be read, not changed. Needs namespaces, as `mask`, `empty` and `bind` do. */
  | { readonly kind: 'read-only'; readonly path: string }
  /** A folder is seen as empty, a file cannot be opened. */
  | { readonly kind: 'mask'; readonly path: string }
  /** An empty, writable folder that is gone with the command. */
  | { readonly kind: 'empty'; readonly path: string }
  | { readonly kind: 'bind'; readonly path: string; readonly from: string }
  | { readonly kind: 'device'; readonly path: string }
  /** With `reads: 'listed'`: may be read and executed. */
  | { readonly kind: 'read'; readonly path: string }
  /** With `reads: 'listed'`: the names below may be listed. */
  | { readonly kind: 'list'; readonly path: string };

export interface ConfinementSpec {
  /** `namespaces`: mounts, processes and IPC of its own, then the rest. `landlock`: the rest alone. */
  readonly tier: 'namespaces' | 'landlock';
  readonly paths: readonly ConfinedPath[];
  readonly reads: 'all' | 'listed';
  /**
   * `own`: a network with nothing but its loopback, which needs namespaces. `none`: no internet sockets at all. `listed`:
   * the host's, TCP alone, to the ports of its loopback that are named below; the supervisor itself makes the connections.
   */
  readonly network: 'host' | 'own' | 'none' | 'listed';
  /**
   * Where the command finds its proxy on 127.0.0.1. `own`: a listener there comes to `RunRequest.onListener` before the
   * command runs. `listed`: a port of the host, whose proxy listens already and asks for credentials.
   */
  readonly proxyPort?: number;
  /** Ports of the host's 127.0.0.1 that can be reached at the same place inside. With `own` or `listed`. */
  readonly hostPorts?: readonly number[];
  /** What listens on these ports of the loopback inside can be reached on the host's 127.0.0.1. With `own` or `listed`. */
  readonly publishPorts?: readonly number[];
  /** With the host's network: TCP to or on these ports alone, and no other protocol; any when absent. */
  readonly connectPorts?: readonly number[];
  readonly bindPorts?: readonly number[];
  /** `pairs`: connected pairs alone, so that no socket file of the host can be reached. */
  readonly unixSockets: 'any' | 'pairs';
  /** Socket files of the host, for streams, that may be connected to all the same. With `pairs`. */
  readonly unixPaths?: readonly string[];
  /** Reports attempts to change files, or to read, execute and connect as well. Decides nothing. */
  readonly observe?: 'writes' | 'all';
  /** Names inside writable folders that are not there: what the command makes under them is taken away and told. */
  readonly absent?: readonly string[];
  /** Hidden names outside writable folders that are not there: when one appears, the command is ended. */
  readonly unseen?: readonly string[];
  /** Where it is moved to: a private folder, made when it is needed. Without one it is removed. */
  readonly quarantine?: string;
  /** Writable folders in which nothing new may stay, at any depth, that decides what runs outside. */
  readonly swept?: readonly string[];
  /** The same, where not everything that was there before is known: what is not certainly new stays. */
  readonly sweptInPart?: readonly string[];
  /** What is looked for in these, by name. */
  readonly sweptNames?: SweptNames;
  /** What the sweep leaves alone besides paths that are `read-only`: it was there before, or was allowed. */
  readonly kept?: readonly string[];
  /** Steps that may be missing; all others must hold, or the command does not run. */
  readonly optional: readonly ConfineStep[];
}

export interface SweptNames {
  /** Taken away at any depth when they are new: `.vscode`, `.github/hooks`. */
  readonly taken: readonly string[];
  /** Folders below which they stay. */
  readonly packages: readonly string[];
  /** Folders below which the plan does not know what was there before. */
  readonly unsearched: readonly string[];
}

/** What the kernel said about one start. */
export interface ConfineReport {
  readonly held: readonly ConfineStep[];
  readonly missing: readonly { readonly step: ConfineStep; readonly error: string }[];
}

export type ConfineAttempt = ConfineReport | { readonly failed: ConfineStep; readonly error: string };

/** Tries a confinement on a command that does nothing. */
export type AttemptConfinement = (spec: ConfinementSpec) => Promise<ConfineAttempt>;
