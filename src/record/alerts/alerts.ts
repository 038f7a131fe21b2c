// Security events of a shell tool → a callback and a webhook. Alerting holds no command up and stops none.

import { asyncDispose } from '../../core/disposal.ts';
import type { ShellObserver } from '../../core/observer.ts';
import { refuseRenamed } from '../../core/option-names.ts';
import { describeError } from '../../core/values/error-text.ts';
import { harmless } from '../metrics/harmless.ts';
import { createRedactor } from '../redact/redactor.ts';
import { type Alert, AlertWriter, type InspectedReport, type ReportedEvent } from './alert.ts';
import { Delivery, type DeliveryCounts } from './delivery.ts';
import { type AlertRule, Gate } from './gate.ts';
import { checkWebhook, type WebhookOptions } from './webhook.ts';

export interface AlertOptions {
  /** An alert is told when one of them wants it. Without rules: every one. */
  readonly rules?: readonly AlertRule[];
  /** At most so many of one kind in a minute. Default 30. */
  readonly perMinute?: number;
  readonly onAlert?: (alert: Alert) => void | Promise<void>;
  readonly webhook?: WebhookOptions;
  /** An alert that could not be delivered, or a callback that threw. */
  readonly onProblem?: (problem: AlertProblem) => void;
  /** Whose secret values are taken out. Default `process.env`. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** Milliseconds on a clock that never goes back. For tests. */
  readonly now?: () => number;
}

export interface AlertProblem {
  readonly message: string;
  readonly alert: Alert | null;
}

export interface AlertStats extends Readonly<DeliveryCounts> {
  /** Told, to whoever is there. */
  readonly raised: number;
  /** They came too fast. */
  readonly heldBack: number;
  /** They wait for the webhook. */
  readonly queued: number;
}

export interface AlertsClosed extends AlertStats {
  /** What did not reach the webhook in time. */
  readonly left: readonly Alert[];
}

export interface Alerts {
  readonly observer: Required<ShellObserver>;
  /** Alerts when the audit log is not intact. */
  inspect(report: InspectedReport): void;
  /** An event that hardshell cannot know of. */
  report(event: ReportedEvent): void;
  stats(): AlertStats;
  /** Tries once more to deliver what waits, and says what is left. `timeout` in milliseconds, default 5,000. */
  close(options?: { readonly timeout?: number }): Promise<AlertsClosed>;
  [Symbol.asyncDispose](): Promise<void>;
}

const CLOSE_MS = 5000;

export function createAlerts(options: AlertOptions = {}): Alerts {
  const { rules = [{}], perMinute = 30, onAlert, webhook, onProblem, environment = process.env } = options;
  const gate = new Gate(rules, perMinute, options.now ?? (() => performance.now()));
  const writer = new AlertWriter(createRedactor(environment));
  const complain = (message: string, alert: Alert | null): void => {
    try {
      onProblem?.({ message, alert });
    } catch {
      // Whoever hears of problems has one. There is nobody left to tell.
    }
  };
  const delivery = webhook === undefined ? null : new Delivery(checkWebhook(webhook), complain);
  const telling = new Set<Promise<void>>();
  let raised = 0;
  let droppedAfter = 0;
  let isClosed = false;

  const tell = async (alert: Alert): Promise<void> => {
    try {
      await onAlert?.(alert);
    } catch (error) {
      complain(`The callback for alerts failed: ${describeError(error)}`, alert);
    }
  };
  const raise = (alert: Alert | null): void => {
    const passed = alert === null ? null : gate.pass(alert);
    if (passed === null) return;
    if (isClosed) {
      droppedAfter += 1;
      return;
    }
    raised += 1;
    delivery?.offer(passed);
    const told = tell(passed);
    telling.add(told);
    told.finally(() => telling.delete(told));
  };
  const stats = (): AlertStats => {
    const { dropped, ...counts } = delivery?.counts ?? { delivered: 0, retried: 0, failed: 0, dropped: 0 };
    const queued = delivery?.queued ?? 0;
    return { raised, heldBack: gate.heldBack, queued, ...counts, dropped: dropped + droppedAfter };
  };
  const observer: ShellObserver = {
    onVerdict: (request, { verdict }) => raise(writer.ofVerdict(request, verdict)),
    onAnswer: (request, answer) => raise(writer.ofAnswer(request, answer)),
    onViolation: (request, violation) => raise(writer.ofViolation(request, violation)),
    onEnd: (request, result) => raise(writer.ofEnd(request, result)),
  };
  const close: Alerts['close'] = async (how = {}) => {
    refuseRenamed(how);
    const { timeout = CLOSE_MS } = how;
    isClosed = true;
    const [left] = await Promise.all([delivery?.close(timeout) ?? [], within(Promise.all(telling), timeout)]);
    return { ...stats(), queued: 0, left };
  };
  return {
    observer: harmless(observer, (error) => complain(`An alert could not be made: ${String(error)}`, null)),
    inspect: (report) => raise(writer.ofReport(report)),
    report: (event) => raise(writer.ofEvent(event)),
    stats,
    close,
    async [asyncDispose]() {
      await close();
    },
  };
}

async function within(work: Promise<unknown>, ms: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  await Promise.race([work, late]);
  clearTimeout(timer);
}
