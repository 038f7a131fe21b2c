// What a verdict depends on besides the command: the policy (what is wanted) and the context (where we are).

import type { Facts } from './facts.ts';
import type { Probe } from './probe.ts';
import type { Origin, RuleOrigin, Severity, VerdictName } from './verdict.ts';

export const MODES = ['plan', 'default', 'accept-edits', 'dont-ask', 'bypass'] as const;
export type Mode = (typeof MODES)[number];

export interface PolicyRule {
  /** As written: `Bash(git push:*)`, `Read(~/.ssh/**)`. */
  readonly text: string;
  readonly list: VerdictName;
  readonly origin: Origin;
  /** Milliseconds since 1970 after which it no longer counts; `null`: never. */
  readonly until: number | null;
  /** Folder that relative paths in the rule are relative to; `null`: the folder of the request. */
  readonly base: string | null;
  /** Why it is there, in the words of whoever wrote it. */
  readonly because: string | null;
}

/** What a finding says about the rule. */
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

/** What holds for a user: their own entry, else `*`; `null` where the policy says nothing about them. */
export function userPolicyOf({ users }: Pick<Policy, 'users'>, user: string | null): UserPolicy | null {
  if (user === null) return null;
  // A user named `constructor` has no entry.
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

/** What a threat rule said, or why it said nothing. */
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
  /** When set, only these programs may run at all. */
  readonly allowedCommands: readonly string[] | null;
  readonly blacklist: Blacklist;
  readonly domains: { readonly allow: readonly string[]; readonly deny: readonly string[] };
  readonly users: Readonly<Record<string, UserPolicy>>;
  /** Another verdict for a check, by its id. A critical check can be made `ask`, not `allow`. */
  readonly checks: Readonly<Record<string, VerdictName>>;
  readonly threatRules: readonly ThreatRule[];
  /** Whatever is risky is asked about, even when a rule allows it. */
  readonly requireConfirmation: boolean;
  readonly allowBypass: boolean;
}

/** What one request adds to the policy that holds. It can only make it stricter. */
export interface Narrowing {
  /** Of the programs that may run, only these. */
  readonly allowedCommands?: readonly string[];
  /** Of the roots, only what lies below these absolute folders. */
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
  /** 0 to 1; only what is over 0.9 counts. */
  readonly confidence: number;
  readonly reason: string | null;
}

export interface Context {
  /** Absolute folder in which the command would start. */
  readonly cwd: string;
  /** Absolute folder that the session is about, in which files may be changed; `null`: the one above. */
  readonly project: string | null;
  readonly home: string | null;
  /** Folders for temporary files. */
  readonly temporary: readonly string[];
  readonly user: string | null;
  /** Milliseconds since 1970: rules may have ended. */
  readonly now: number;
  /** Questions about the disk; without it, what only the disk can tell is asked about where it matters. */
  readonly probe: Probe | null;
  /** Answers that hold for this session. */
  readonly grants: readonly PolicyRule[];
  readonly classification: Classification | null;
  /** What threat rules said that were waited for; the others are asked while deciding, which cannot wait. */
  readonly threats?: ReadonlyMap<ThreatRule, ThreatOutcome>;
  /** Whoever runs the command will set `verdict.environment`. */
  readonly canSetEnvironment: boolean;
}
