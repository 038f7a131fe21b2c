// Whoever wants to know what a shell tool does (audit, metrics, alerts): one call per step of a request. Ports only.
// A step that an observer throws at does not happen: what must be recorded and cannot be is not run.

import type { Answer } from './approval.ts';
import type { Enforcement, SandboxViolation } from './confinement.ts';
import type { Facts, Shell } from './facts.ts';
import type { RunResult } from './running.ts';
import type { Verdict } from './verdict.ts';

export const AUDIT_LEVELS = ['basic', 'detailed'] as const;
/** `basic`: decisions and ends. `detailed`: also what the commands are expected to touch, and what was seen of it. */
export type AuditLevel = (typeof AUDIT_LEVELS)[number];

export const FSYNC_POLICIES = ['always', 'interval', 'never'] as const;
/** `always`: acknowledged means on disk. `interval`: at most a second is lost with the power. `never`: the system decides. */
export type FsyncPolicy = (typeof FSYNC_POLICIES)[number];

/**
 * `refused`: a safety check said no. `denied`: rules, lists, modes or settings did; told only where it is asked for.
 * `critical`: something critical was found in a command that was not refused for it. `violation`: a command tried what its
 * sandbox forbids. `limited`: it was ended because it passed a limit. `approval-timeout`: nobody answered. `tampered`: the
 * audit log was. `reported`: somebody else says so.
 */
export const ALERT_KINDS = [
  'refused',
  'denied',
  'critical',
  'violation',
  'limited',
  'approval-timeout',
  'tampered',
  'reported',
] as const;
export type AlertKind = (typeof ALERT_KINDS)[number];

/** Whose command it is. The same object goes with every step of one request. */
export interface ObservedRequest {
  readonly task: string;
  /** Exactly what would run, as shell text. */
  readonly command: string;
  /** The words of a command without a shell. */
  readonly args: readonly string[] | null;
  readonly shell: Shell | null;
  readonly cwd: string;
  readonly session: string | null;
  readonly user: string | null;
  readonly profile: string | null;
  readonly isBackground: boolean;
  /** In the words of whoever asked for it. */
  readonly description?: string;
}

export interface ObservedVerdict {
  readonly facts: Facts;
  readonly verdict: Verdict;
  /** How long understanding and deciding took, where it was measured. */
  readonly elapsedMs?: number;
}

export interface ObservedStart {
  readonly pid: number;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly enforcement: Enforcement | null;
  /** How long making its sandbox took, where it was measured. */
  readonly enclosureMs?: number;
  /** Names of variables that the command does not get. */
  readonly withheld: readonly string[];
}

/** What a command really did, as far as somebody could see it. */
export interface ObservedOperation {
  /** The proxy let it through. What it refused is a violation; files that changed come with the end. */
  readonly operation: 'connect';
  /** `host:port`. */
  readonly target: string;
  readonly address: string | null;
}

/** Every call may be missing. A promise is waited for before the request goes on; a rejection counts as a throw. */
export interface ShellObserver {
  /** Before anything runs, and again when a second look at a command that waited says something else. */
  onVerdict?(request: ObservedRequest, judged: ObservedVerdict): void | Promise<void>;
  onAnswer?(request: ObservedRequest, answer: Answer): void | Promise<void>;
  onStart?(request: ObservedRequest, started: ObservedStart): void | Promise<void>;
  onViolation?(request: ObservedRequest, violation: SandboxViolation): void | Promise<void>;
  /** Once for each host and port of a command. */
  onOperation?(request: ObservedRequest, operation: ObservedOperation): void | Promise<void>;
  /**
   * Once for every request that had a verdict, also when it never ran, and once more when a task that went on has ended.
   * Not for what was only asked about (`permit`): whoever asked runs it, or does not.
   */
  onEnd?(request: ObservedRequest, result: RunResult): void | Promise<void>;
}
