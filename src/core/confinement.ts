// What confining holds, in words that every stage shares: guarantees, what a request may wish for, and what was refused.
// Data only; confine/ makes it true.

export const GUARANTEES = [
  /** No content of a file outside the writable folders changes, and no name there. */
  'writes-outside',
  /** Neither do modes, owners, times and attributes. */
  'metadata-outside',
  /** Hidden files cannot be read. */
  'hidden-content',
  /** Nor their names seen. */
  'hidden-names',
  /** Protected names that exist do not change. */
  'protected-existing',
  /** Protected names that do not exist are not made. */
  'protected-absent',
  'devices',
  'network',
  'unix-sockets',
  'signals-outside',
  'processes-unseen',
  'shared-ipc',
  'terminals',
  'privileges',
  'kernel-surface',
] as const;
export type ConfineGuarantee = (typeof GUARANTEES)[number];

export interface MissingGuarantee {
  readonly guarantee: ConfineGuarantee;
  readonly why: string;
}

/** By whom it is held: the keeper with namespaces or with Landlock alone, another program, or nobody. */
export const TIERS = ['namespaces', 'landlock', 'bubblewrap', 'seatbelt', 'none'] as const;
export type Tier = (typeof TIERS)[number];

export interface Enforcement {
  readonly tier: Tier;
  readonly held: readonly ConfineGuarantee[];
  readonly missing: readonly MissingGuarantee[];
}

export const BACKENDS = ['auto', 'keeper', 'landlock', 'bubblewrap', 'seatbelt'] as const;
/** By what a command is confined; `auto` takes the strongest that the machine has, `landlock` is the keeper without namespaces. */
export type BackendName = (typeof BACKENDS)[number];

/** `restricted`: reads only, no network. `workspace`: writes in the project. `unrestricted`: not confined at all. */
export const SANDBOXES = ['restricted', 'workspace', 'unrestricted'] as const;
export type SandboxName = (typeof SANDBOXES)[number];

/** What one request asks for beside the settings. It widens only what the machine's own settings leave open. */
export interface SandboxOverrides {
  readonly name?: SandboxName;
  /** Absolute paths, besides the roots. */
  readonly allowWrite?: readonly string[];
  /** Hosts, as in `domains.allow`. */
  readonly allowDomains?: readonly string[];
  /** Ports of this machine's loopback that the command may reach. */
  readonly allowPorts?: readonly number[];
  /** Ports on which the command may be reached from this machine's loopback. */
  readonly publishPorts?: readonly number[];
}

export const VIOLATION_KINDS = ['file', 'network', 'socket', 'protected-name', 'resource'] as const;

/** Something that the command tried and was kept from. */
export interface SandboxViolation {
  readonly kind: (typeof VIOLATION_KINDS)[number];
  /** `write`, `read`, `connect`, `create` … */
  readonly operation: string;
  /** The path, or `host:port`. */
  readonly target: string;
  /** What forbids it: a setting, or a guarantee of the sandbox. */
  readonly rule: string;
  /** What is allowed instead, or how to allow this. */
  readonly instead: string;
  /** `seen`: the kernel or the proxy told us. `told`: the command said so in its output. */
  readonly certainty: 'seen' | 'told';
}
