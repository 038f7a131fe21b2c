// The port for observers of a shell (audit, metrics, alerts): one call per step of a request.
// If an observer throws, the step does not happen: a command that must be recorded and cannot be is not run.

import type { Answer } from './approval.ts';
import type { Enforcement, SandboxViolation } from './confinement.ts';
import type { Facts, Shell } from './facts.ts';
import type { RunResult } from './running.ts';
import type { Verdict } from './verdict.ts';

export const AUDIT_LEVELS = ['basic', 'detailed'] as const;
/** `basic`: decisions and ends. `detailed`: also what the commands are expected to touch, and what was observed. */
export type AuditLevel = (typeof AUDIT_LEVELS)[number];

export const FSYNC_POLICIES = ['always', 'interval', 'never'] as const;
/** `always`: acknowledged means on disk. `interval`: a power failure loses at most one second. `never`: the operating system decides. */
export type FsyncPolicy = (typeof FSYNC_POLICIES)[number];

/**
 * `refused`: a safety check refused it. `denied`: rules, lists, modes or settings did; reported only on request.
 * `critical`: a critical finding in a command that was not refused. `violation`: a command tried something its
 * sandbox forbids. `limited`: it was killed because it exceeded a limit. `approval-timeout`: no answer in time. `tampered`: the
 * audit log was modified. `reported`: reported by another program.
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

/** The request that a step belongs to. All steps of one request get the same object. */
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
  /** In the caller's words. */
  readonly description?: string;
}

export interface ObservedVerdict {
  readonly facts: Facts;
  readonly verdict: Verdict;
  /** How long analysis and decision took, if measured. */
  readonly elapsedMs?: number;
}

export interface ObservedStart {
  readonly pid: number;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly enforcement: Enforcement | null;
  /** How long setting up the sandbox took, if measured. */
  readonly sandboxMs?: number;
  /** Names of variables that are withheld from the command. */
  readonly withheld: readonly string[];
}

/** What a command actually did, as far as it could be observed. */
export interface ObservedOperation {
  /** Connections that the proxy let through. Refused ones are violations; changed files come with the end. */
  readonly operation: 'connect';
  /** `host:port`. */
  readonly target: string;
  readonly address: string | null;
}

/** Every method is optional. A promise is awaited before the request goes on; a rejection counts as a throw. */
export interface ShellObserver {
  /** Before anything runs, and again if the verdict of a command that waited has changed. */
  onVerdict?(request: ObservedRequest, checked: ObservedVerdict): void | Promise<void>;
  onAnswer?(request: ObservedRequest, answer: Answer): void | Promise<void>;
  onStart?(request: ObservedRequest, started: ObservedStart): void | Promise<void>;
  onViolation?(request: ObservedRequest, violation: SandboxViolation): void | Promise<void>;
  /** Once for each host and port of a command. */
  onOperation?(request: ObservedRequest, operation: ObservedOperation): void | Promise<void>;
  /**
   * Once for every request that had a verdict, even if it never ran, and once more when a task that went on has ended.
   * Not for `permit`: there the caller decides whether to run the command.
   */
  onEnd?(request: ObservedRequest, result: RunResult): void | Promise<void>;
}
