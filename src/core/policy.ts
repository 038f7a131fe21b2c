// Everything a verdict depends on besides the command: the policy (what is wanted) and the context (where it runs).

import type { Facts } from './facts.ts';
import type { Probe } from './probe.ts';
import type { Origin, Reliance, RuleOrigin, Severity, VerdictName } from './verdict.ts';

export const MODES = ['plan', 'default', 'accept-edits', 'auto', 'dont-ask', 'bypass'] as const;
export type Mode = (typeof MODES)[number];

export interface PolicyRule {
  /** As written: `Bash(git push:*)`, `Read(~/.ssh/**)`. */
  readonly text: string;
  readonly list: VerdictName;
  readonly origin: Origin;
  /** Milliseconds since 1970 after which it expires; `null`: never. */
  readonly until: number | null;
  /** Base folder of relative paths in the rule; `null`: the folder of the request. */
  readonly base: string | null;
  /** Why it exists, in the words of its author. */
  readonly because: string | null;
  /** Changes of the commands that it matches are staged at least like this. */
  readonly staging?: 'apply' | 'review';
}

/** What a finding reports about the rule. */
export function originOf({ origin, text, list }: PolicyRule): RuleOrigin {
  return { ...origin, text, list };
}

export interface UserPolicy {
  readonly allow: readonly string[];
  readonly ask: readonly string[];
  readonly deny: readonly string[];
  /** `null`: the roots of the policy. */
  readonly roots: readonly string[] | null;
  readonly limits: Readonly<Record<string, number>>;
}

/** The entry of a user, else `*`; `null` if the policy has neither. */
export function userPolicyOf({ users }: Pick<Policy, 'users'>, user: string | null): UserPolicy | null {
  if (user === null) return null;
  // Own properties only: a user named `constructor` has no entry.
  const name = Object.hasOwn(users, user) ? user : '*';
  return Object.hasOwn(users, name) ? (users[name] as UserPolicy) : null;
}

/** What one of LAYER's threat rules found. */
export interface Threat {
  readonly type: string;
  readonly severity: Severity;
  readonly confidence: number;
  readonly description: string;
  readonly evidence: string | null;
  readonly mitigations: readonly string[];
}

/** A caller's own threat rule. If it throws, rejects or takes too long, the command is refused, in every mode. */
export interface ThreatRule {
  readonly id: string;
  /** How long an answer that is a promise may take. Default 5000. */
  readonly timeout?: number;
  detect(facts: Facts, context: Context): Threat | null | Promise<Threat | null>;
}

/** The answer of a threat rule, or why there is none. */
export type ThreatOutcome = { readonly found: Threat | null } | { readonly failed: string };

export interface Policy {
  readonly mode: Mode;
  readonly rules: readonly PolicyRule[];
  /** Folders in which files may be changed. `null`: the folder of the request and the temporary folders. */
  readonly roots: readonly string[] | null;
  /** Reading outside the roots is asked about too. Implied when roots are given. */
  readonly confineReads: boolean;
  /** Paths (globs) that are never written, besides the built-in ones. */
  readonly protectedPaths: readonly string[];
  /** Paths (globs) whose content is a secret, besides the built-in ones. */
  readonly secretPaths: readonly string[];
  /** When set, only these programs may run. */
  readonly allowedCommands: readonly string[] | null;
  readonly blacklist: Blacklist;
  readonly domains: { readonly allow: readonly string[]; readonly deny: readonly string[] };
  readonly users: Readonly<Record<string, UserPolicy>>;
  /** Another verdict for a check, by its id. A critical check can be made `ask`, not `allow`. */
  readonly checks: Readonly<Record<string, VerdictName>>;
  readonly threatRules: readonly ThreatRule[];
  /** Risky commands are asked about, even if a rule allows them. */
  readonly requireConfirmation: boolean;
  readonly allowBypass: boolean;
}

/** What one request adds to the effective policy. It can only make it stricter. */
export interface Narrowing {
  /** Restricts the allowed programs to these. */
  readonly allowedCommands?: readonly string[];
  /** Restricts the roots to these absolute folders. */
  readonly roots?: readonly string[];
  readonly blacklist?: Partial<Blacklist>;
  readonly requireConfirmation?: true;
}

export interface Blacklist {
  readonly commands: readonly string[];
  readonly directories: readonly string[];
}

export interface Classification {
  readonly behavior: VerdictName;
  /** 0 to 1; only values above 0.9 count. */
  readonly confidence: number;
  readonly reason: string | null;
}

/** What confines a command when it runs. */
export interface Confinement {
  readonly held: readonly Reliance[];
  /** The others, and why. */
  readonly missing: readonly MissingReliance[];
}

export interface MissingReliance {
  readonly guarantee: Reliance;
  readonly why: string;
}

export interface Context {
  /** Absolute folder in which the command would start. */
  readonly cwd: string;
  /** Absolute project folder of the session, in which files may be changed; `null`: the folder above. */
  readonly project: string | null;
  readonly home: string | null;
  /** Folders for temporary files. */
  readonly temporary: readonly string[];
  readonly user: string | null;
  /** Milliseconds since 1970: rules may have expired. */
  readonly now: number;
  /** Questions about the disk; without it, anything that only the disk can answer is asked about where it matters. */
  readonly probe: Probe | null;
  /** Answers that apply to this session. */
  readonly grants: readonly PolicyRule[];
  readonly classification: Classification | null;
  /** Results of asynchronous threat rules; synchronous ones run during the decision, which cannot wait. */
  readonly threats?: ReadonlyMap<ThreatRule, ThreatOutcome>;
  /** The caller that runs the command will set `verdict.environment`. */
  readonly canSetEnvironment: boolean;
  /** In the mode `auto`, what this holds is not asked about. Absent: nothing confines the command. */
  readonly confinement?: Confinement;
}
