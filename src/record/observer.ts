// The activity of a shell tool → entries of the audit log. By default a request whose steps cannot be recorded is refused.

import { dirname } from 'node:path';
import type { Effects, PathEffect } from '../core/facts.ts';
import type { ObservedRequest, ObservedVerdict, ShellObserver } from '../core/observer.ts';
import { callback, checkOptions, oneOf } from '../core/option-checks.ts';
import type { RunResult, RunUsage } from '../core/running.ts';
import type { RunChanges } from '../core/staging.ts';
import { defined } from '../core/values/defined.ts';
import type { Audit } from './audit.ts';
import type { AuditEntry, AuditFinding, ExpectedOperations, RecordedChanges, RecordedUsage } from './entries.ts';
import { forgetOpenTask, noteOpenTask, type OpenTask } from './open-tasks.ts';

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
  const tasks = new OpenTasks(audit);
  return {
    onVerdict: (request, checked) => {
      tasks.judged(request, checked);
      return record(verdictEntry(request, checked));
    },
    onAnswer: (request, { verdict, by, scope, rule, reason }) => {
      tasks.answered(request, by);
      return record({ type: 'answer', ...subjectOf(request), verdict, by, scope, rule, reason });
    },
    onStart: async (request, { pid, enforcement, withheld }) => {
      await record({ type: 'start', ...subjectOf(request), pid, enforcement, withheld });
      if (request.isBackground) tasks.open(request, null);
    },
    onViolation: (request, violation) => record({ type: 'violation', ...subjectOf(request), ...violation }),
    onOperation: (request, { operation, target, address }) =>
      record({ type: 'operation', ...subjectOf(request), operation, target, address }),
    onEnd: async (request, result) => {
      await record(endEntry(request, result));
      // A foreground command may have become a task.
      if (result.status === 'running') tasks.open(request, result.outputFile);
      else tasks.close(request);
    },
  };
}

/** Tasks of this process whose end is not recorded: noted on disk, so that another process can record it. */
class OpenTasks {
  readonly #audit: Audit;
  readonly #known = new WeakMap<ObservedRequest, Pick<OpenTask, 'verdict' | 'risk' | 'answeredBy'>>();
  readonly #ended = new WeakSet<ObservedRequest>();
  readonly #open = new WeakSet<ObservedRequest>();

  constructor(audit: Audit) {
    this.#audit = audit;
  }

  judged(request: ObservedRequest, { verdict }: ObservedVerdict): void {
    this.#known.set(request, { verdict: verdict.decision, risk: verdict.risk, answeredBy: null });
  }

  answered(request: ObservedRequest, by: OpenTask['answeredBy']): void {
    const known = this.#known.get(request);
    if (known !== undefined) this.#known.set(request, { ...known, answeredBy: by });
  }

  /** A task may end before its start was told. */
  open(request: ObservedRequest, outputFile: string | null): void {
    const known = this.#known.get(request);
    if (known === undefined || this.#ended.has(request)) return;
    const { task, session, user, cwd } = request;
    this.#open.add(request);
    try {
      const tasksFolder = outputFile === null ? null : dirname(outputFile);
      noteOpenTask(this.#audit.folder, { task, session, user, cwd, ...known, tasksFolder });
    } catch {
      // The task runs, and this process records its end if it lives until then.
    }
  }

  close(request: ObservedRequest): void {
    this.#ended.add(request);
    if (this.#open.has(request)) forgetOpenTask(this.#audit.folder, request.task);
  }
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
  const { failure, files, answer, changes } = result;
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
    ...(changes ? { changes: recordedChanges(changes) } : {}),
  };
}

export function recordedChanges({ state, created, changed, deleted, heldBack }: RunChanges): RecordedChanges {
  return { state, created, changed, deleted, heldBack: heldBack.length };
}
