// The registry → one object with LAYER's metrics, under its names, and additional ones.
// Times are milliseconds, sizes bytes, shares 0 to 1. `null`: nothing was measured yet, or it cannot be.

import type { Tier } from '../../core/confinement.ts';
import { type Severity, VERDICTS, type VerdictName } from '../../core/verdict.ts';
import type { Distribution } from './distribution.ts';
import type { Consumption, Registry } from './registry.ts';

/** How often, by name. */
export type Counts = Readonly<Record<string, number>>;

export interface TypeStats {
  readonly count: number;
  readonly avgDuration: number | null;
  readonly medianDuration: number | null;
  readonly p95Duration: number | null;
  readonly p99Duration: number | null;
  readonly successRate: number;
  /** Averages of one execution. */
  readonly resourceUsage: {
    readonly memoryUsage: number | null;
    readonly cpuTime: number;
    readonly diskIO: number;
    readonly outputBytes: number;
  };
}

export interface MetricsSnapshot {
  /** Milliseconds since 1970: start of counting, and time of this snapshot. */
  readonly since: number;
  readonly at: number;
  readonly executionStats: {
    /** Commands that ran and have ended; commands that never ran are in `securityStats` and `requests`. */
    readonly totalExecutions: number;
    readonly successfulExecutions: number;
    /** All others, of which the next four are parts. */
    readonly failedExecutions: number;
    readonly timedOutExecutions: number;
    readonly cancelledExecutions: number;
    readonly limitedExecutions: number;
    readonly signalledExecutions: number;
    readonly runningExecutions: number;
    readonly avgExecutionTime: number | null;
    readonly medianExecutionTime: number | null;
    readonly p95ExecutionTime: number | null;
    readonly p99ExecutionTime: number | null;
    /** Every request that has ended, by its status: including those that never ran. */
    readonly requests: Counts;
  };
  readonly commandTypeStats: Readonly<Record<string, TypeStats>>;
  readonly securityStats: {
    readonly blockedCommands: number;
    readonly securityViolations: number;
    readonly threatDetections: number;
    readonly falsePositives: number;
    readonly verdicts: Readonly<Record<VerdictName, number>>;
    readonly risks: Readonly<Partial<Record<Severity, number>>>;
    readonly findingsByLayer: Counts;
    readonly threatsByCheck: Counts;
    readonly falsePositivesByCheck: Counts;
    readonly violationsByKind: Counts;
    readonly avgDecisionTime: number | null;
    readonly p95DecisionTime: number | null;
  };
  readonly resourceStats: {
    readonly avgMemoryUsage: number | null;
    readonly peakMemoryUsage: number | null;
    /** Percent of one core, over the run time of commands. */
    readonly avgCpuUsage: number | null;
    readonly totalCpuTime: number;
    readonly totalDiskIO: number;
    readonly totalDiskRead: number;
    readonly totalDiskWrite: number;
    /** Not measured. */
    /** To and from other hosts, of commands with a proxy. */
    readonly totalNetworkIO: number;
    readonly totalOutputBytes: number;
  };
  readonly sandboxStats: {
    readonly tiers: Readonly<Partial<Record<Tier, number>>>;
    /** Average of one command. */
    readonly sandboxCreationTime: number | null;
    readonly p95SandboxCreationTime: number | null;
    /** Share of the time of confined commands that was spent setting up their sandboxes. */
    readonly sandboxOverhead: number | null;
    /** Average share of the guarantees that were held; a command without a sandbox counts as 0. */
    readonly isolationEffectiveness: number | null;
    /** From the verdict, or the answer, to the start: including the wait for other commands of the session. */
    readonly avgStartDelay: number | null;
    readonly p95StartDelay: number | null;
  };
  readonly approvalStats: {
    readonly asked: number;
    readonly pending: number;
    readonly answered: number;
    readonly allowed: number;
    readonly denied: number;
    readonly answeredBy: Counts;
    readonly avgAnswerTime: number | null;
    readonly medianAnswerTime: number | null;
    readonly p95AnswerTime: number | null;
  };
  readonly auditStats: {
    readonly verifications: number;
    /** How many of them found a problem, and how many the last one found. */
    readonly brokenVerifications: number;
    readonly problems: number;
    readonly verifiedAt: number | null;
  };
}

export interface Gauges {
  readonly running: number;
  readonly pending: number;
}

export function describeRegistry(registry: Registry, { running, pending }: Gauges): MetricsSnapshot {
  const { all, types, startDelays, creationTimes, heldShares, confinedMs } = registry;
  const starts = registry.tiers.total;
  return {
    since: registry.since,
    at: Date.now(),
    executionStats: {
      totalExecutions: all.outcomes.total,
      successfulExecutions: all.outcomes.of('succeeded'),
      failedExecutions: all.outcomes.total - all.outcomes.of('succeeded'),
      timedOutExecutions: all.outcomes.of('timed-out'),
      cancelledExecutions: all.outcomes.of('cancelled'),
      limitedExecutions: all.outcomes.of('limited'),
      signalledExecutions: all.outcomes.of('signalled'),
      runningExecutions: running,
      avgExecutionTime: all.times.average,
      medianExecutionTime: all.times.quantile(0.5),
      p95ExecutionTime: all.times.quantile(0.95),
      p99ExecutionTime: all.times.quantile(0.99),
      requests: registry.statuses.toObject(),
    },
    commandTypeStats: Object.fromEntries([...types].map(([name, each]) => [name, describeType(each)])),
    securityStats: securityOf(registry),
    resourceStats: resourcesOf(all),
    sandboxStats: {
      tiers: registry.tiers.toObject(),
      sandboxCreationTime: creationTimes.average,
      p95SandboxCreationTime: creationTimes.quantile(0.95),
      sandboxOverhead: confinedMs === 0 ? null : creationTimes.sum / (creationTimes.sum + confinedMs),
      isolationEffectiveness: starts === 0 ? null : heldShares / starts,
      avgStartDelay: startDelays.average,
      p95StartDelay: startDelays.quantile(0.95),
    },
    approvalStats: approvalsOf(registry, pending),
    auditStats: {
      verifications: registry.verifications.total,
      brokenVerifications: registry.verifications.of('broken'),
      problems: registry.auditProblems,
      verifiedAt: registry.verifiedAt === 0 ? null : registry.verifiedAt,
    },
  };
}

function describeType({ times, outcomes, memoryBytes, memoryCount, ...sums }: Consumption): TypeStats {
  const count = outcomes.total;
  return {
    count,
    avgDuration: times.average,
    ...quantilesOf(times),
    successRate: outcomes.of('succeeded') / count,
    resourceUsage: {
      memoryUsage: memoryCount === 0 ? null : memoryBytes / memoryCount,
      cpuTime: (sums.userMs + sums.systemMs) / count,
      diskIO: (sums.readBytes + sums.writeBytes) / count,
      outputBytes: sums.outputBytes / count,
    },
  };
}

function quantilesOf(times: Distribution): Pick<TypeStats, 'medianDuration' | 'p95Duration' | 'p99Duration'> {
  return { medianDuration: times.quantile(0.5), p95Duration: times.quantile(0.95), p99Duration: times.quantile(0.99) };
}

function securityOf(registry: Registry): MetricsSnapshot['securityStats'] {
  const { threats, falsePositives, violations, decisionTimes } = registry;
  const [verdicts, risks] = splitCounts(registry.verdicts.entries());
  return {
    blockedCommands: registry.statuses.of('denied'),
    securityViolations: violations.total,
    threatDetections: threats.total,
    falsePositives: falsePositives.total,
    verdicts: Object.fromEntries(VERDICTS.map((name) => [name, verdicts[name] ?? 0])) as Record<VerdictName, number>,
    risks,
    findingsByLayer: registry.findings.toObject(),
    threatsByCheck: threats.toObject(),
    falsePositivesByCheck: falsePositives.toObject(),
    violationsByKind: violations.toObject(),
    avgDecisionTime: decisionTimes.average,
    p95DecisionTime: decisionTimes.quantile(0.95),
  };
}

function resourcesOf(all: Consumption): MetricsSnapshot['resourceStats'] {
  const cpuMs = all.userMs + all.systemMs;
  return {
    avgMemoryUsage: all.memoryCount === 0 ? null : all.memoryBytes / all.memoryCount,
    peakMemoryUsage: all.peakMemoryBytes,
    avgCpuUsage: all.wallMs === 0 ? null : (100 * cpuMs) / all.wallMs,
    totalCpuTime: cpuMs,
    totalDiskIO: all.readBytes + all.writeBytes,
    totalDiskRead: all.readBytes,
    totalDiskWrite: all.writeBytes,
    totalNetworkIO: all.sentBytes + all.receivedBytes,
    totalOutputBytes: all.outputBytes,
  };
}

function approvalsOf({ asked, answers, answerTimes }: Registry, pending: number): MetricsSnapshot['approvalStats'] {
  const [verdicts, answeredBy] = splitCounts(answers.entries());
  return {
    asked,
    pending,
    answered: answers.total,
    allowed: verdicts.allow ?? 0,
    denied: verdicts.deny ?? 0,
    answeredBy,
    avgAnswerTime: answerTimes.average,
    medianAnswerTime: answerTimes.quantile(0.5),
    p95AnswerTime: answerTimes.quantile(0.95),
  };
}

/** For keys of two words: the counts by the first, and those by the second. */
function splitCounts(
  entries: readonly (readonly [string, number])[],
): [Record<string, number>, Record<string, number>] {
  const sides: [Record<string, number>, Record<string, number>] = [{}, {}];
  for (const [name, count] of entries)
    name.split(' ').forEach((word, side) => {
      const counts = sides[side as 0 | 1];
      counts[word] = (counts[word] ?? 0) + count;
    });
  return sides;
}
