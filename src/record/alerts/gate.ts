// An alert → whether a rule matches it, and whether it exceeds the rate limit. Suppressed alerts are counted in the next one.

import { HardshellError } from '../../core/errors.ts';
import { ALERT_KINDS, type AlertKind } from '../../core/observer.ts';
import { SEVERITIES, type Severity } from '../../core/verdict.ts';
import type { Alert } from './alert.ts';

/** Omitted fields match everything; but `denied` is the policy working as configured, and sent only if `kinds` has it. */
export interface AlertRule {
  readonly kinds?: readonly AlertKind[];
  readonly minSeverity?: Severity;
  /** One of these checks must have caused it. */
  readonly checks?: readonly string[];
}

const MINUTE_MS = 60_000;

export class Gate {
  readonly #rules: readonly AlertRule[];
  readonly #perMinute: number;
  readonly #now: () => number;
  /** Times of the last alerts of a kind; never more than `perMinute`. */
  readonly #passed = new Map<AlertKind, number[]>();
  readonly #held = new Map<AlertKind, number>();
  heldBack = 0;

  constructor(rules: readonly AlertRule[], perMinute: number, now: () => number) {
    for (const rule of rules) checkRule(rule);
    if (!Number.isSafeInteger(perMinute) || perMinute < 1 || perMinute > 10_000)
      throw wrong('perMinute must be a whole number from 1 to 10000.');
    this.#rules = rules;
    this.#perMinute = perMinute;
    this.#now = now;
  }

  /** The alert to send, or `null`. */
  pass(alert: Alert): Alert | null {
    if (!this.#rules.some((rule) => isWanted(rule, alert))) return null;
    const { kind } = alert;
    const now = this.#now();
    const recent = (this.#passed.get(kind) ?? []).filter((time) => now - time < MINUTE_MS);
    this.#passed.set(kind, recent);
    if (recent.length >= this.#perMinute) {
      this.#held.set(kind, (this.#held.get(kind) ?? 0) + 1);
      this.heldBack += 1;
      return null;
    }
    recent.push(now);
    const heldBack = this.#held.get(kind) ?? 0;
    this.#held.delete(kind);
    return { ...alert, heldBack };
  }
}

function isWanted({ kinds, minSeverity, checks }: AlertRule, alert: Alert): boolean {
  return (
    (kinds?.includes(alert.kind) ?? alert.kind !== 'denied') &&
    (minSeverity === undefined || SEVERITIES.indexOf(alert.severity) >= SEVERITIES.indexOf(minSeverity)) &&
    (checks === undefined || checks.some((check) => alert.checks.includes(check)))
  );
}

function checkRule({ kinds = [], minSeverity }: AlertRule): void {
  for (const kind of kinds)
    if (!ALERT_KINDS.includes(kind)) throw wrong(`Unknown kind of alert: ${kind}. Use ${ALERT_KINDS.join(', ')}.`);
  if (minSeverity !== undefined && !SEVERITIES.includes(minSeverity))
    throw wrong(`minSeverity must be one of ${SEVERITIES.join(', ')}.`);
}

function wrong(message: string): HardshellError {
  return new HardshellError('invalid-argument', message);
}
