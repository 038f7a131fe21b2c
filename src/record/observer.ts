// The activity of a shell tool → entries of the audit log. By default a request whose steps cannot be recorded is refused.

import type { Effects, PathEffect } from '../core/facts.ts';
import type { ObservedRequest, ObservedVerdict, ShellObserver } from '../core/observer.ts';
import { callback, checkOptions, oneOf } from '../core/option-checks.ts';
import type { RunResult, RunUsage } from '../core/running.ts';
import { defined } from '../core/values/defined.ts';
import type { Audit } from './audit.ts';
import type { AuditEntry, AuditFinding, ExpectedOperations, RecordedUsage } from './entries.ts';

export interface AuditObserverOptions {
  /** `refuse`: a command that cannot be recorded does not run. `continue`: it runs, and `onProblem` is called. */
  readonly whenUnwritable?: 'refuse' | 'continue';
  readonly onProblem?: (error: unknown) => void;
}

/** More of one kind are counted, not listed. */
const MAX_LISTED = 200;

export function auditObserver(audit: Audit, options: AuditObserverOptions = {}): Required<ShellObserver> {
  checkOptions(options, { whenUnwritable: oneOf(['refuse', 'continue']), onProblem: callback });
  const { whenUnwritable = 'refuse', onProblem } = options;
  const record = async (entry: AuditEntry): Promise<void> => {
    try {
      await audit.record(entry);
    } catch (error) {
      onProblem?.(error);
      if (whenUnwritable === 'refuse') throw error;
    }
  };
  return {
    onVerdict: (request, checked) => record(verdictEntry(request, checked)),
    onAnswer: (request, { verdict, by, scope, rule, reason }) =>
      record({ type: 'answer', ...subjectOf(request), verdict, by, scope, rule, reason }),
    onStart: (request, { pid, enforcement, withheld }) =>
      record({ type: 'start', ...subjectOf(request), pid, enforcement, withheld }),
    onViolation: (request, violation) => record({ type: 'violation', ...subjectOf(request), ...violation }),
    onOperation: (request, { operation, target, address }) =>
      record({ type: 'operation', ...subjectOf(request), operation, target, address }),
    onEnd: (request, result) => record(endEntry(request, result)),
  };
}

function subjectOf({ task, session, user, command, cwd }: ObservedRequest) {
  return { task, session, user, command, cwd };
}

function verdictEntry(request: ObservedRequest, { facts, verdict, elapsedMs }: ObservedVerdict): AuditEntry {
  const { args, shell, profile, isBackground, description } = request;
  return {
    type: 'verdict',
    ...subjectOf(request),
    args,
    shell,
    profile,
    isBackground,
    ...defined({ description }),
    verdict: verdict.decision,
    risk: verdict.risk,
    score: verdict.score,
    action: verdict.action,
    readOnly: verdict.readOnly,
    class: facts.class,
    reasons: [...new Set(facts.reasons.map(({ id }) => id))],
    findings: verdict.findings.slice(0, MAX_LISTED).map(
      ({ id, layer, verdict: said, severity, message, rule, confidence }): AuditFinding => ({
        id,
        layer,
        verdict: said,
        severity,
        message,
        rule,
        confidence,
      }),
    ),
    elapsedMs: elapsedMs ?? null,
    operations: expectedOperations(facts.effects),
  };
}

function expectedOperations({ reads, writes, deletes, network, unknown }: Effects): ExpectedOperations {
  let left = 0;
  const list = (items: readonly (string | null)[]): string[] => {
    const known = [...new Set(items.filter((item) => item !== null))];
    left += Math.max(0, known.length - MAX_LISTED);
    return known.slice(0, MAX_LISTED);
  };
  const paths = (effects: readonly PathEffect[]) => list(effects.map(({ path }) => path));
  const hosts = network.map(({ host, port }) => (host === null || port === undefined ? host : `${host}:${port}`));
  const lists = { reads: paths(reads), writes: paths(writes), deletes: paths(deletes), hosts: list(hosts) };
  const isNamed = [...reads, ...writes, ...deletes].every(({ path }) => path !== null) && !hosts.includes(null);
  return { ...lists, isComplete: isNamed && unknown.length === 0, left };
}

/** They are the same for every command. */
function withoutReasons({ unmeasured: _, ...usage }: RunUsage): RecordedUsage {
  return usage;
}

function endEntry(request: ObservedRequest, result: RunResult): AuditEntry {
  const { verdict, status, exitCode, signal, startedAt, usage, outputBytes, leftoversKilled, violations } = result;
  const { failure, files, answer } = result;
  return {
    type: 'end',
    ...subjectOf(request),
    verdict: verdict.decision,
    risk: verdict.risk,
    status,
    exit: exitCode,
    signal,
    ...(answer ? { answeredBy: answer.by } : {}),
    startedAt,
    usage: usage === null ? null : withoutReasons(usage),
    outputBytes,
    leftoversKilled,
    violations: violations.length,
    failure: failure === null ? null : { type: failure.type, message: failure.message },
    files: {
      created: files.created.slice(0, MAX_LISTED),
      changed: files.changed.slice(0, MAX_LISTED),
      deleted: files.deleted.slice(0, MAX_LISTED),
      isComplete:
        files.isComplete && [files.created, files.changed, files.deleted].every((list) => list.length <= MAX_LISTED),
    },
  };
}
