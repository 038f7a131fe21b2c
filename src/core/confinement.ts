// The vocabulary of confinement, shared by all stages: guarantees, sandbox overrides of a request, and violations.
// Data only; confine/ implements it.

export const GUARANTEES = [
  /** No file outside the writable folders changes its content, and no name there changes. */
  'writes-outside',
  /** Nor do modes, owners, times and attributes. */
  'metadata-outside',
  /** Hidden files cannot be read. */
  'hidden-content',
  /** Nor can their names be seen. */
  'hidden-names',
  /** Protected names that exist are not changed. */
  'protected-existing',
  /** Protected names that do not exist are not created. */
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

/** What enforces it: the keeper with namespaces or with Landlock alone, another program, or nothing. */
export const TIERS = ['namespaces', 'landlock', 'bubblewrap', 'seatbelt', 'none'] as const;
export type Tier = (typeof TIERS)[number];

/** Refusals of the kernel that become violations: calls that change files, connections, signals to other processes. */
export type ReportedRefusal = 'changes' | 'connections' | 'signals';

export interface Enforcement {
  readonly tier: Tier;
  readonly held: readonly ConfineGuarantee[];
  readonly missing: readonly MissingGuarantee[];
  /** What is not listed here is refused without a violation. Refused reads never have one. */
  readonly reported: readonly ReportedRefusal[];
  /** Why the command shares no processes, or not even a network, with others of its session. Absent if it does, or never would. */
  readonly apart?: string;
}

export const BACKENDS = ['auto', 'keeper', 'landlock', 'bubblewrap', 'seatbelt'] as const;
/** The backend that confines a command; `auto` takes the strongest one available, `landlock` is the keeper without namespaces. */
export type BackendName = (typeof BACKENDS)[number];

/** `restricted`: reads only, no network. `workspace`: writes in the project. `unrestricted`: not confined. */
export const SANDBOXES = ['restricted', 'workspace', 'unrestricted'] as const;
export type SandboxName = (typeof SANDBOXES)[number];

/** What one request asks for in addition to the settings. It widens only what the managed settings leave open. */
export interface SandboxOverrides {
  readonly name?: SandboxName;
  /** Absolute paths, in addition to the roots. */
  readonly allowWrite?: readonly string[];
  /** Hosts, as in `domains.allow`. */
  readonly allowDomains?: readonly string[];
  /** Loopback ports of the host that the command may connect to. */
  readonly allowPorts?: readonly number[];
  /** Ports of the command that are reachable from the loopback of the host. */
  readonly publishPorts?: readonly number[];
}

export const VIOLATION_KINDS = ['file', 'network', 'socket', 'process', 'protected-name', 'resource'] as const;

/** An action that the sandbox refused, as seen by the kernel, the proxy or on the disk; never taken from the output. */
export interface SandboxViolation {
  readonly kind: (typeof VIOLATION_KINDS)[number];
  /** `write`, `create`, `delete`, `change`, `connect`, `signal` … */
  readonly operation: string;
  /** The path, `host:port`, or `process 123`. */
  readonly target: string;
  /** What forbids it: a setting, or a guarantee of the sandbox. */
  readonly rule: string;
  /** What is allowed instead, or how to allow this. */
  readonly instead: string;
}
