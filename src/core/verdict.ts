// The vocabulary of decisions: what `decide` returns for a command, and why. Data only.

import type { Span } from './facts.ts';

export const VERDICTS = ['allow', 'ask', 'deny'] as const;
/** Ordered: the last of several is the strictest. */
export type VerdictName = (typeof VERDICTS)[number];

export const SEVERITIES = ['low', 'medium', 'high', 'critical'] as const;
export type Severity = (typeof SEVERITIES)[number];

/** Which layer decided. The list is closed: audit records and metrics refer to it. */
export const LAYERS = [
  'rules',
  'read-only',
  'analysis',
  'mode',
  'safety',
  'warnings',
  'confusion',
  'paths',
  'repository',
  'lists',
  'threats',
  'users',
  'sandbox',
  'classifier',
] as const;
export type Layer = (typeof LAYERS)[number];

export interface Finding {
  /** The id of the check: stable, documented in docs/checks.md. */
  readonly id: string;
  readonly layer: Layer;
  /** The verdict is at least this strict. For a warning it is `allow`. */
  readonly verdict: VerdictName;
  readonly severity: Severity;
  readonly message: string;
  /** A safer alternative, or how to allow it. */
  readonly instead: string | null;
  /** The text that it refers to; `null` if it refers to the whole command. */
  readonly span: Span | null;
  /** Index of the command in the facts. */
  readonly command: number | null;
  /** The rule that decided, or that answered the question. */
  readonly rule: RuleOrigin | null;
  /** How sure a threat rule or classifier is, 0 to 1. */
  readonly confidence: number | null;
  /** The entry of a blacklist that matched, as it was written. */
  readonly entry?: string;
  /** Of a threat rule of the caller. */
  readonly threat?: CallerThreat;
}

/** Which rule it was, and what it reported; a rule that failed reported nothing. */
export interface CallerThreat {
  readonly rule: string;
  readonly type: string | null;
  readonly evidence: string | null;
  readonly mitigations: readonly string[];
}

export const SETTINGS_LAYERS = ['managed', 'flags', 'session', 'local', 'project', 'user', 'defaults'] as const;
/** From strongest to weakest. */
export type SettingsLayer = (typeof SETTINGS_LAYERS)[number];

export interface Origin {
  readonly layer: SettingsLayer;
  readonly file: string | null;
  readonly line: number | null;
}

export interface RuleOrigin extends Origin {
  readonly text: string;
  readonly list: VerdictName;
}

export const ACTIONS = ['run', 'confirm', 'block'] as const;
export type Action = (typeof ACTIONS)[number];

/**
 * What a permission of the mode `auto` can be based on. If the run does not hold it, a person is asked after all.
 * - `writes-confined` nothing outside of the writable folders changes
 * - `code-protected` files that control what runs outside of the sandbox do not change
 * - `secrets-hidden` keys, tokens and other processes cannot be read
 * - `network-allowlist` only allowed hosts are reached, and no socket of another program
 * - `machine-apart` devices, processes, terminals and privileges of the machine are out of reach
 * - `undoable` every change of the project is staged
 */
export const RELIANCES = [
  'writes-confined',
  'code-protected',
  'secrets-hidden',
  'network-allowlist',
  'machine-apart',
  'undoable',
] as const;
export type Reliance = (typeof RELIANCES)[number];

export interface Verdict {
  readonly decision: VerdictName;
  readonly risk: Severity;
  /** 0 (harmless) to 100. */
  readonly score: number;
  readonly action: Action;
  readonly readOnly: boolean;
  readonly findings: readonly Finding[];
  /** Rules that would always allow it; empty if no rule should. */
  readonly suggestions: readonly string[];
  /** Variables that must be set for the verdict to be valid: `GIT_CONFIG_*` against a hostile repository. */
  readonly environment: Readonly<Record<string, string>>;
  /** The guarantees that the permission is based on; empty if it does not depend on how the command is confined. */
  readonly reliesOn: readonly Reliance[];
}

/** For sorting: refusals first, then questions. */
export function byStrictness(a: Pick<Finding, 'verdict'>, b: Pick<Finding, 'verdict'>): number {
  return VERDICTS.indexOf(b.verdict) - VERDICTS.indexOf(a.verdict);
}

export function strictest(verdicts: Iterable<VerdictName>): VerdictName {
  let worst = 0;
  for (const verdict of verdicts) worst = Math.max(worst, VERDICTS.indexOf(verdict));
  return VERDICTS[worst] as VerdictName;
}

/** Of two permissions, the guarantees of both are needed. */
export function stricterOf(one: Verdict, other: Verdict): Verdict {
  if (one.decision !== other.decision)
    return VERDICTS.indexOf(other.decision) > VERDICTS.indexOf(one.decision) ? other : one;
  return { ...one, reliesOn: RELIANCES.filter((each) => one.reliesOn.includes(each) || other.reliesOn.includes(each)) };
}
