// An alert → whether anybody wants it, and whether it comes too fast. What is held back is counted, and the next one says so.

import { HardshellError } from '../../core/errors.ts';
import { ALERT_KINDS, type AlertKind } from '../../core/observer.ts';
import { SEVERITIES, type Severity } from '../../core/verdict.ts';
import type { Alert } from './alert.ts';

/** What is left out holds for everything; but what is `denied` is policy at work, and told only where `kinds` names it. */
export interface AlertRule {
  readonly kinds?: readonly AlertKind[];
  readonly minSeverity?: Severity;
  /** One of these checks must have said it. */
  readonly checks?: readonly string[];
}

const MINUTE_MS = 60_000;

export class Gate {
  readonly #rules: readonly AlertRule[];
  readonly #perMinute: number;
  readonly #now: () => number;
  /** When the last ones of a kind went through; never more than `perMinute`. */
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

  /** As it goes on, or `null`. */
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
    if (!ALERT_KINDS.includes(kind)) throw wrong(`${kind} is no kind of alert: use ${ALERT_KINDS.join(', ')}.`);
  if (minSeverity !== undefined && !SEVERITIES.includes(minSeverity))
    throw wrong(`minSeverity must be one of ${SEVERITIES.join(', ')}.`);
}

function wrong(message: string): HardshellError {
  return new HardshellError('invalid-argument', message);
}
