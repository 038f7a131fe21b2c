// A result → LAYER's `SecurityEvent`s: what the checks found, what the sandbox refused, and limits that were exceeded.

import type { Failure } from '../../core/failure.ts';
import type { RunResult } from '../../core/running.ts';
import type { Finding, Severity } from '../../core/verdict.ts';

export interface SecurityEvent {
  readonly type: 'finding' | 'violation' | 'limit';
  readonly severity: Severity;
  /** Id of the check, the refused operation, or the resource. */
  readonly id: string;
  readonly message: string;
  /** The refused path, host or process; `null` for others. */
  readonly target: string | null;
  readonly timestamp: number;
}

type Seen = Pick<RunResult, 'violations'> &
  Partial<Pick<RunResult, 'verdict' | 'status'>> & { readonly failure?: Failure | null };

export function securityEventsOf(
  { verdict, status, violations, failure = null }: Seen,
  timestamp: number,
): SecurityEvent[] {
  const findings = verdict?.findings ?? [];
  // Rules and modes are the policy as configured; a low finding is information, unless the command was refused for it.
  const hasRefused = (finding: Finding) => status === 'denied' && finding.verdict === verdict?.decision;
  const events = findings.filter((each) => !POLICY.has(each.layer) && (each.severity !== 'low' || hasRefused(each)));
  return [
    ...events.map(({ id, severity, message }) => ({
      type: 'finding' as const,
      ...{ severity, id, message, target: null, timestamp },
    })),
    ...violations.map(({ operation, target, rule }) => ({
      type: 'violation' as const,
      ...{ severity: 'medium' as const, id: operation, message: `${operation} ${target}: ${rule}`, target, timestamp },
    })),
    ...(failure?.type === 'resource_limit_exceeded'
      ? [
          {
            type: 'limit' as const,
            ...{ severity: 'medium' as const, id: failure.context.resource ?? 'resource', target: null, timestamp },
            message: failure.message,
          },
        ]
      : []),
  ];
}

const POLICY: ReadonlySet<string> = new Set(['rules', 'read-only', 'mode']);
