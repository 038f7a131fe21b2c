// What a shell tool does → counts, times and quantiles, in memory, for as long as the process lives.
// Counting never keeps a command from running.

import { HardshellError } from '../../core/errors.ts';
import type { ObservedRequest, ShellObserver } from '../../core/observer.ts';
import type { WatchReport } from '../verify/watch.ts';
import { commandTypeOf } from './command-type.ts';
import { exposeRegistry } from './exposition.ts';
import { harmless } from './harmless.ts';
import { writeFamilies } from './prometheus.ts';
import { Registry } from './registry.ts';
import { describeRegistry, type MetricsSnapshot } from './snapshot.ts';

export interface MetricsOptions {
  /** How many programs get figures of their own; those that come later are counted as `other`. Default 64. */
  readonly maxCommandTypes?: number;
  /** Programs that hardshell does not know and that get figures of their own all the same. */
  readonly programs?: readonly string[];
  /** Milliseconds on a clock that never goes back. For tests. */
  readonly now?: () => number;
}

export interface Metrics {
  readonly observer: Required<ShellObserver>;
  snapshot(): MetricsSnapshot;
  /** The text format 0.0.4, for the type PROMETHEUS_TYPE. */
  prometheus(): string;
  /** A person says that the finding of this check was wrong. */
  markFalsePositive(check: string): void;
  /** The audit log was verified, by whomever. */
  noteVerification(report: Pick<WatchReport, 'isIntact' | 'problemCount' | 'at'>): void;
  /** Begins anew; what runs and waits now stays counted as such. */
  reset(): void;
}

/** What is known of a request while it is on its way. */
interface Flight {
  readonly findings: Set<string>;
  type: string;
  /** When it was judged, and answered. */
  judgedAt: number | null;
  isAsking: boolean;
  isStarted: boolean;
  isMeasured: boolean;
  isOver: boolean;
}

const MAX_COMMAND_TYPES = 64;
const MAX_CHECK_NAME = 100;

export function createMetrics(options: MetricsOptions = {}): Metrics {
  const { maxCommandTypes = MAX_COMMAND_TYPES, programs = [], now = () => performance.now() } = options;
  if (!Number.isSafeInteger(maxCommandTypes) || maxCommandTypes < 1 || maxCommandTypes > 1000)
    throw new HardshellError('invalid-argument', 'maxCommandTypes must be a whole number from 1 to 1000.');
  const extra = new Set(programs);
  let registry = new Registry(maxCommandTypes);
  const gauges = { running: 0, pending: 0 };
  // The same object goes with every step of a request, and is forgotten with it.
  const flights = new WeakMap<ObservedRequest, Flight>();
  const flightOf = (request: ObservedRequest): Flight => {
    const known = flights.get(request);
    if (known !== undefined) return known;
    const flight: Flight = {
      findings: new Set(),
      type: 'other',
      judgedAt: null,
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
      flight.type = commandTypeOf(facts, extra);
      flight.judgedAt = now();
      setAsking(flight, verdict.decision === 'ask');
      registry.addVerdict(verdict, elapsedMs, flight.findings);
    },
    onAnswer(request, answer) {
      const flight = flightOf(request);
      setAsking(flight, false);
      const answeredAt = now();
      registry.addAnswer(answer, flight.judgedAt === null ? null : answeredAt - flight.judgedAt);
      flight.judgedAt = answeredAt;
    },
    onStart(request, { enforcement, enclosureMs }) {
      const flight = flightOf(request);
      setAsking(flight, false);
      if (!flight.isStarted && !flight.isOver) gauges.running += 1;
      flight.isStarted = true;
      flight.isMeasured = enclosureMs !== undefined && (enforcement?.tier ?? 'none') !== 'none';
      registry.addStart(enforcement, flight.judgedAt === null ? null : now() - flight.judgedAt, enclosureMs);
    },
    onViolation(_, violation) {
      registry.addViolation(violation);
    },
    onEnd(request, result) {
      const flight = flightOf(request);
      setAsking(flight, false);
      // It goes on as a task, or a task that was quick has ended before this was said.
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
