// The activity of a shell tool → counts, times and quantiles, in memory, for the lifetime of the process.
// Counting never prevents a command from running.

import { HardshellError } from '../../core/errors.ts';
import type { ObservedRequest, ShellObserver } from '../../core/observer.ts';
import { callback, checkOptions, texts, unchecked } from '../../core/option-checks.ts';
import type { WatchReport } from '../verify/watch.ts';
import { classifyCommand } from './command-type.ts';
import { exposeRegistry } from './exposition.ts';
import { harmless } from './harmless.ts';
import { writeFamilies } from './prometheus.ts';
import { Registry } from './registry.ts';
import { describeRegistry, type MetricsSnapshot } from './snapshot.ts';

export interface MetricsOptions {
  /** How many programs get their own metrics; later ones count as `other`. Default 64. */
  readonly maxCommandTypes?: number;
  /** Programs unknown to hardshell that get their own metrics anyway. */
  readonly programs?: readonly string[];
  /** Milliseconds of a monotonic clock. For tests. */
  readonly now?: () => number;
}

export interface Metrics {
  readonly observer: Required<ShellObserver>;
  snapshot(): MetricsSnapshot;
  /** The text format 0.0.4, for the type PROMETHEUS_TYPE. */
  prometheus(): string;
  /** A person marked the finding of this check as wrong. */
  markFalsePositive(check: string): void;
  /** The audit log was verified, by any process. */
  noteVerification(report: Pick<WatchReport, 'isIntact' | 'problemCount' | 'at'>): void;
  /** Starts over; running and pending requests stay counted. */
  reset(): void;
}

/** State of a request in progress. */
interface Flight {
  readonly findings: Set<string>;
  type: string;
  /** When it was decided, and answered. */
  decidedAt: number | null;
  isAsking: boolean;
  isStarted: boolean;
  isMeasured: boolean;
  isOver: boolean;
}

const MAX_COMMAND_TYPES = 64;
const MAX_CHECK_NAME = 100;

export function createMetrics(options: MetricsOptions = {}): Metrics {
  checkOptions(options, { maxCommandTypes: unchecked, programs: texts, now: callback });
  const { maxCommandTypes = MAX_COMMAND_TYPES, programs = [], now = () => performance.now() } = options;
  if (!Number.isSafeInteger(maxCommandTypes) || maxCommandTypes < 1 || maxCommandTypes > 1000)
    throw new HardshellError('invalid-argument', 'maxCommandTypes must be a whole number from 1 to 1000.');
  const extra = new Set(programs);
  let registry = new Registry(maxCommandTypes);
  const gauges = { running: 0, pending: 0 };
  // Every step of a request has the same object, which is collected with it.
  const flights = new WeakMap<ObservedRequest, Flight>();
  const flightOf = (request: ObservedRequest): Flight => {
    const known = flights.get(request);
    if (known !== undefined) return known;
    const flight: Flight = {
      findings: new Set(),
      type: 'other',
      decidedAt: null,
      isAsking: false,
      isStarted: false,
      isMeasured: false,
      isOver: false,
    };
    flights.set(request, flight);
    return flight;
  };
  const setAsking = (flight: Flight, isAsking: boolean): void => {
    if (flight.isAsking !== isAsking) gauges.pending += isAsking ? 1 : -1;
    flight.isAsking = isAsking;
  };

  const observer: ShellObserver = {
    onVerdict(request, { facts, verdict, elapsedMs }) {
      const flight = flightOf(request);
      flight.type = classifyCommand(facts, extra);
      flight.decidedAt = now();
      setAsking(flight, verdict.decision === 'ask');
      registry.addVerdict(verdict, elapsedMs, flight.findings);
    },
    onAnswer(request, answer) {
      const flight = flightOf(request);
      setAsking(flight, false);
      const answeredAt = now();
      registry.addAnswer(answer, flight.decidedAt === null ? null : answeredAt - flight.decidedAt);
      flight.decidedAt = answeredAt;
    },
    onStart(request, { enforcement, sandboxMs }) {
      const flight = flightOf(request);
      setAsking(flight, false);
      if (!flight.isStarted && !flight.isOver) gauges.running += 1;
      flight.isStarted = true;
      flight.isMeasured = sandboxMs !== undefined && (enforcement?.tier ?? 'none') !== 'none';
      registry.addStart(enforcement, flight.decidedAt === null ? null : now() - flight.decidedAt, sandboxMs);
    },
    onViolation(_, violation) {
      registry.addViolation(violation);
    },
    onEnd(request, result) {
      const flight = flightOf(request);
      setAsking(flight, false);
      // It continues as a task, or a quick task has ended before this was reported.
      if (result.status === 'running' || flight.isOver) return;
      flight.isOver = true;
      if (flight.isStarted) gauges.running -= 1;
      registry.addEnd(result, flight.isStarted || result.startedAt !== null ? flight : null);
    },
  };
  return {
    observer: harmless(observer),
    snapshot: () => describeRegistry(registry, gauges),
    prometheus: () => writeFamilies(exposeRegistry(registry, gauges)),
    markFalsePositive: (check) => registry.falsePositives.add(check.slice(0, MAX_CHECK_NAME)),
    noteVerification: (report) => registry.addVerification(report),
    reset() {
      registry = new Registry(maxCommandTypes);
    },
  };
}
