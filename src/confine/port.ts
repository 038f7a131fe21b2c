// The port of confinement: what a command may access, as data, and the result of the kernel.
// Independent of policies: plan.ts creates it, the keeper applies it. Every path is absolute and free of symbolic links.

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
  'sockets',
  'overlays',
  'socket-files',
  'stage',
] as const;
export type ConfineStep = (typeof CONFINE_STEPS)[number];

/** Parents come before their children: later entries override earlier ones. Missing paths are left out. */
export type ConfinedPath =
  /** Everything below may be changed. */
  | { readonly kind: 'write'; readonly path: string }
  /** The same, with its changes in a stage; `from` is the folder of this root there, in the order of the roots. Needs namespaces. */
  | { readonly kind: 'staged'; readonly path: string; readonly from: string }
  /** Inside a writable folder: can be read, not changed. Needs namespaces, like `mask`, `empty` and `bind`. */
  | { readonly kind: 'read-only'; readonly path: string }
  /** A folder appears empty, a file cannot be opened. */
  | { readonly kind: 'mask'; readonly path: string }
  /** A folder outside of the writable ones that is seen through an overlay, which hides `covered`. Needs namespaces. */
  | { readonly kind: 'overlay'; readonly path: string }
  /** An empty, writable folder that is removed with the command. */
  | { readonly kind: 'empty'; readonly path: string }
  | { readonly kind: 'bind'; readonly path: string; readonly from: string }
  | { readonly kind: 'device'; readonly path: string }
  /** With `reads: 'listed'`: may be read and executed. */
  | { readonly kind: 'read'; readonly path: string }
  /** With `reads: 'listed'`: the names below may be listed. */
  | { readonly kind: 'list'; readonly path: string };

export interface ConfinementSpec {
  /** `namespaces`: separate mounts, processes and IPC, then the rest. `landlock`: only the rest. */
  readonly tier: 'namespaces' | 'landlock';
  readonly paths: readonly ConfinedPath[];
  readonly reads: 'all' | 'listed';
  /**
   * `own`: a network with only a private loopback, which needs namespaces. `none`: no internet sockets. `listed`:
   * that of the host, TCP only, to the loopback ports listed below; the supervisor itself makes the connections.
   */
  readonly network: 'host' | 'own' | 'none' | 'listed';
  /** With `own`: other commands with the same `RunRequest.world` are in the same network. Its listeners stay private. */
  readonly isShared?: boolean;
  /**
   * The port of the proxy on 127.0.0.1. `own`: a listener there is passed to `RunRequest.onListener` before the
   * command runs. `listed`: a port of the host, whose proxy already listens and requires credentials.
   */
  readonly proxyPort?: number;
  /** Ports of the host's 127.0.0.1 that are reachable at the same address inside. With `own` or `listed`. */
  readonly hostPorts?: readonly number[];
  /** Servers on these loopback ports inside are reachable on the host's 127.0.0.1. With `own` or `listed`. */
  readonly publishPorts?: readonly number[];
  /** With the host's network: TCP to or on these ports only, and no other protocol; any if absent. */
  readonly connectPorts?: readonly number[];
  readonly bindPorts?: readonly number[];
  /**
   * `pairs`: connected pairs only, so that no socket file of the host is reachable. `own`: also stream sockets that are bound
   * in the network of the command, which must be `own`.
   */
  readonly unixSockets: 'any' | 'own' | 'pairs';
  /** Stream socket files of the host that are reachable anyway. With `pairs` or `own`. */
  readonly unixPaths?: readonly string[];
  /** Reports attempts to change files, or also to read, execute and connect. Does not change any decision. */
  readonly observe?: 'writes' | 'all';
  /** Reports what the sandbox refuses: connections and signals (`contacts`), or changes of files as well. Decides nothing. */
  readonly reports?: 'all' | 'contacts';
  /** Missing names inside writable folders: if the command creates them, they are removed and reported. */
  readonly absent?: readonly string[];
  /** Missing hidden names outside writable folders: if one appears, the command is killed. */
  readonly unseen?: readonly string[];
  /** Names below folders of the kind `overlay` that are hidden, whether they exist now, later, or not at all. */
  readonly covered?: readonly string[];
  /** Where names of `absent` are moved to: a private folder, created on demand. Without it they are deleted. */
  readonly quarantine?: string;
  /** Writable folders in which no new file may stay, at any depth, that controls what runs outside. */
  readonly swept?: readonly string[];
  /** The same, if not everything that existed before is known: only files that are certainly new are removed. */
  readonly sweptInPart?: readonly string[];
  /** The names to look for in these. */
  readonly sweptNames?: SweptNames;
  /** Paths that the sweep skips besides `read-only` ones: they existed before, or were allowed. */
  readonly kept?: readonly string[];
  /** Settings of git that the command may change, as far as they run nothing. */
  readonly settings?: JudgedSettings;
  /** Where the changes of `staged` folders are collected. */
  readonly stage?: StageSpec;
  /** Steps that may be missing; all others must succeed, or the command does not run. */
  readonly optional: readonly ConfineStep[];
}

export interface StageSpec {
  /** A private folder of this command, which must exist. */
  readonly folder: string;
  /** `apply`: changes land when the command has ended. `review`: they wait for a person. */
  readonly mode: 'apply' | 'review';
  /** Names below staged folders that the command must not change: changes of them are held back. */
  readonly guarded: readonly string[];
}

export interface JudgedSettings {
  /** Files that are `read-only` or `absent`. */
  readonly files: readonly string[];
  /** Sections (`remote`) or keys (`user.name`, `branch.*.merge`) in lower case. */
  readonly names: readonly string[];
}

export interface SweptNames {
  /** Removed at any depth if they are new: `.vscode`, `.github/hooks`. */
  readonly taken: readonly string[];
  /** Folders below which they stay. */
  readonly packages: readonly string[];
  /** Folders for which the plan does not know what existed before. */
  readonly unsearched: readonly string[];
}

/** The result of the kernel for one start. */
export interface ConfineReport {
  readonly held: readonly ConfineStep[];
  readonly missing: readonly { readonly step: ConfineStep; readonly error: string }[];
}

export type ConfineAttempt = ConfineReport | { readonly failed: ConfineStep; readonly error: string };

/** Tries a confinement with a command that does nothing. */
export type AttemptConfinement = (spec: ConfinementSpec) => Promise<ConfineAttempt>;
