// Steps of a request, and `verify` reports → alerts, for those that are security events. Pure; secrets are removed.

import { randomUUID } from 'node:crypto';
import type { Answer } from '../../core/approval.ts';
import type { SandboxViolation } from '../../core/confinement.ts';
import { HardshellError } from '../../core/errors.ts';
import type { AlertKind, ObservedRequest } from '../../core/observer.ts';
import type { RunResult } from '../../core/running.ts';
import { shorten } from '../../core/values/shorten.ts';
import { type Finding, type Layer, SEVERITIES, type Severity, type Verdict } from '../../core/verdict.ts';
import type { Redactor } from '../redact/redactor.ts';
import type { AuditProblem } from '../verify/report.ts';

export interface Alert {
  /** The same for every attempt to deliver it. */
  readonly id: string;
  readonly kind: AlertKind;
  readonly severity: Severity;
  /** Milliseconds since 1970. */
  readonly at: number;
  /** A sentence for a person. */
  readonly message: string;
  readonly task: string | null;
  readonly session: string | null;
  readonly user: string | null;
  /** Without secrets, and not longer than 4,096 characters. */
  readonly command: string | null;
  readonly cwd: string | null;
  /** Ids of the checks that caused it. */
  readonly checks: readonly string[];
  readonly details: Readonly<Record<string, string>>;
  /** How many of this kind were suppressed before it because of the rate limit. */
  readonly heldBack: number;
}

/** The relevant part of a verification. */
export interface InspectedReport {
  readonly isIntact: boolean;
  readonly folder: string;
  readonly problems: readonly AuditProblem[];
  readonly moreProblems?: number;
}

/** An event that a program has detected and wants to report as an alert. */
export interface ReportedEvent {
  readonly severity: Severity;
  readonly message: string;
  readonly details?: Readonly<Record<string, string>>;
}

/** A refusal by rules, lists and modes is the policy working as configured, not an event. */
const SAFETY_LAYERS: ReadonlySet<Layer> = new Set([
  'safety',
  'confusion',
  'paths',
  'repository',
  'threats',
  'users',
  'sandbox',
  'classifier',
]);

const MAX_TEXT = 4096;
const MAX_CHECKS = 50;

export class AlertWriter {
  readonly #redactor: Redactor;

  constructor(redactor: Redactor) {
    this.#redactor = redactor;
  }

  ofVerdict(request: ObservedRequest, { decision, findings }: Verdict): Alert | null {
    const refusals = findings.filter((each) => each.verdict === 'deny' && SAFETY_LAYERS.has(each.layer));
    const critical = findings.filter(({ severity }) => severity === 'critical');
    if (decision === 'deny' && refusals.length > 0) {
      const worst = worstOf(refusals);
      const message = `A command was refused (${worst.id}): ${worst.message}`;
      return this.#write('refused', worst.severity, message, request, { checks: idsOf(refusals) });
    }
    if (critical.length === 0) return decision === 'deny' ? this.#ofPolicy(request, findings) : null;
    const worst = worstOf(critical);
    const message = `Critical finding in a command (${worst.id}): ${worst.message}`;
    return this.#write('critical', 'critical', message, request, {
      checks: idsOf(critical),
      details: { verdict: decision },
    });
  }

  #ofPolicy(request: ObservedRequest, findings: readonly Finding[]): Alert | null {
    const denials = findings.filter((each) => each.verdict === 'deny');
    if (denials.length === 0) return null;
    const worst = worstOf(denials);
    const message = `The policy denied a command (${worst.id}): ${worst.message}`;
    return this.#write('denied', worst.severity, message, request, { checks: idsOf(denials) });
  }

  ofEnd(request: ObservedRequest, { status, failure }: RunResult): Alert | null {
    if (status !== 'limited') return null;
    const message = `A command was killed because it exceeded a limit: ${failure?.message ?? 'its resources'}`;
    return this.#write('limited', 'medium', message, request, {});
  }

  ofAnswer(request: ObservedRequest, { by, reason }: Answer): Alert | null {
    if (by !== 'timeout') return null;
    const message = 'A question about a command was not answered in time. It was refused.';
    return this.#write('approval-timeout', 'medium', message, request, {
      details: reason === null ? {} : { reason },
    });
  }

  ofViolation(request: ObservedRequest, violation: SandboxViolation): Alert {
    const { kind, operation, target, rule } = violation;
    const message = `A command tried something that its sandbox forbids: ${operation} ${target}`;
    return this.#write('violation', 'high', message, request, { details: { kind, operation, target, rule } });
  }

  ofReport({ isIntact, folder, problems, moreProblems = 0 }: InspectedReport): Alert | null {
    if (isIntact) return null;
    const count = problems.length + moreProblems;
    const [first] = problems;
    const where = first === undefined ? '' : ` First: ${first.file}: ${first.message}`;
    const message = `The audit log was modified: ${count} ${count === 1 ? 'problem' : 'problems'}.${where}`;
    const kinds = [...new Set(problems.map(({ kind }) => kind))];
    return this.#write('tampered', 'critical', message, null, { checks: kinds, details: { folder } });
  }

  ofEvent({ severity, message, details = {} }: ReportedEvent): Alert {
    if (!SEVERITIES.includes(severity))
      throw new HardshellError('invalid-argument', `The severity must be one of ${SEVERITIES.join(', ')}.`);
    return this.#write('reported', severity, message, null, { details });
  }

  #write(
    kind: AlertKind,
    severity: Severity,
    message: string,
    request: ObservedRequest | null,
    more: { readonly checks?: readonly string[]; readonly details?: Readonly<Record<string, string>> },
  ): Alert {
    const { checks = [], details = {} } = more;
    return {
      id: `alert_${randomUUID()}`,
      kind,
      severity,
      at: Date.now(),
      message: this.#clean(message),
      task: request?.task ?? null,
      session: request?.session ?? null,
      user: request?.user ?? null,
      command: request === null ? null : this.#clean(request.command),
      cwd: request === null ? null : this.#clean(request.cwd),
      checks: checks.slice(0, MAX_CHECKS),
      details: Object.fromEntries(Object.entries(details).map(([name, text]) => [name, this.#clean(text)])),
      heldBack: 0,
    };
  }

  /** Cut only after redaction: the first half of a secret would not be recognized. */
  #clean(text: string): string {
    return shorten(this.#redactor.text(text), MAX_TEXT);
  }
}

function worstOf(findings: readonly Finding[]): Finding {
  const rank = ({ severity }: Finding) => SEVERITIES.indexOf(severity);
  return findings.reduce((worst, each) => (rank(each) > rank(worst) ? each : worst));
}

function idsOf(findings: readonly Finding[]): string[] {
  return [...new Set(findings.map(({ id }) => id))];
}
