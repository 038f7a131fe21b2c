// Steps of a request, and reports of `verify` → alerts, for those that are security events. Pure; secrets are taken out.

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
  /** Ids of the checks that said it. */
  readonly checks: readonly string[];
  readonly details: Readonly<Record<string, string>>;
  /** How many of this kind were held back before it because they came too fast. */
  readonly heldBack: number;
}

/** Of a verification: what matters here. */
export interface InspectedReport {
  readonly isIntact: boolean;
  readonly folder: string;
  readonly problems: readonly AuditProblem[];
  readonly moreProblems?: number;
}

/** What a program has noticed by itself and wants to be told like everything else. */
export interface ReportedEvent {
  readonly severity: Severity;
  readonly message: string;
  readonly details?: Readonly<Record<string, string>>;
}

/** A refusal by rules, lists and modes is policy at work, and no event. */
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
    const message = `Something critical was found in a command (${worst.id}): ${worst.message}`;
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
    const message = `A command was ended because it passed a limit: ${failure?.message ?? 'its resources'}`;
    return this.#write('limited', 'medium', message, request, {});
  }

  ofAnswer(request: ObservedRequest, { by, reason }: Answer): Alert | null {
    if (by !== 'timeout') return null;
    const message = 'Nobody answered in time whether a command may run. It was refused.';
    return this.#write('approval-timeout', 'medium', message, request, {
      details: reason === null ? {} : { reason },
    });
  }

  ofViolation(request: ObservedRequest, violation: SandboxViolation): Alert {
    const { kind, operation, target, rule, certainty } = violation;
    const message = `A command tried what its sandbox forbids: ${operation} ${target}`;
    // What a command says of itself may be made up.
    const severity = certainty === 'seen' ? 'high' : 'medium';
    return this.#write('violation', severity, message, request, {
      details: { kind, operation, target, rule, certainty },
    });
  }

  ofReport({ isIntact, folder, problems, moreProblems = 0 }: InspectedReport): Alert | null {
    if (isIntact) return null;
    const count = problems.length + moreProblems;
    const [first] = problems;
    const where = first === undefined ? '' : ` First: ${first.file}: ${first.message}`;
    const message = `The audit log is not as it was written: ${count} ${count === 1 ? 'problem' : 'problems'}.${where}`;
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

  /** Cut only afterwards: the first half of a secret looks like none. */
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
