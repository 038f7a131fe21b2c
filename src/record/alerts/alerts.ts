// Security events of a shell tool → a callback and a webhook. Alerts never delay or stop a command.

import { asyncDispose } from '../../core/disposal.ts';
import type { ShellObserver } from '../../core/observer.ts';
import {
  type ChecksOf,
  callback,
  checkOptions,
  environment,
  listOf,
  recordOf,
  unchecked,
} from '../../core/option-checks.ts';
import { describeError } from '../../core/values/error-text.ts';
import { harmless } from '../metrics/harmless.ts';
import { createRedactor } from '../redact/redactor.ts';
import { type Alert, AlertWriter, type InspectedReport, type ReportedEvent } from './alert.ts';
import { Delivery, type DeliveryCounts } from './delivery.ts';
import { type AlertRule, Gate } from './gate.ts';
import { checkWebhook, type WebhookOptions } from './webhook.ts';

export interface AlertOptions {
  /** An alert is sent if one of them matches. Without rules: every alert. */
  readonly rules?: readonly AlertRule[];
  /** Maximum number of one kind per minute. Default 30. */
  readonly perMinute?: number;
  readonly onAlert?: (alert: Alert) => void | Promise<void>;
  readonly webhook?: WebhookOptions;
  /** An alert that could not be delivered, or a callback that threw. */
  readonly onProblem?: (problem: AlertProblem) => void;
  /** Whose secret values are removed. Default `process.env`. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** Milliseconds of a monotonic clock. For tests. */
  readonly now?: () => number;
}

/** Their values are checked by the gate. */
const ALERT_RULE: ChecksOf<AlertRule> = { kinds: unchecked, minSeverity: unchecked, checks: unchecked };

const ALERT_OPTIONS: ChecksOf<AlertOptions> = {
  rules: listOf(recordOf(ALERT_RULE), 'rules'),
  perMinute: unchecked,
  onAlert: callback,
  webhook: unchecked,
  onProblem: callback,
  environment,
  now: callback,
};

export interface AlertProblem {
  readonly message: string;
  readonly alert: Alert | null;
}

export interface AlertStats extends Readonly<DeliveryCounts> {
  /** Sent to the callback or the webhook. */
  readonly raised: number;
  /** Suppressed by the rate limit. */
  readonly heldBack: number;
  /** Queued for the webhook. */
  readonly queued: number;
}

export interface AlertsClosed extends AlertStats {
  /** Alerts that did not reach the webhook in time. */
  readonly left: readonly Alert[];
}

export interface Alerts {
  readonly observer: Required<ShellObserver>;
  /** Raises an alert if the audit log is not intact. */
  inspect(report: InspectedReport): void;
  /** An event that hardshell cannot detect. */
  report(event: ReportedEvent): void;
  stats(): AlertStats;
  /** Tries once more to deliver queued alerts, and returns those that are left. `timeout` in milliseconds, default 5,000. */
  close(options?: { readonly timeout?: number }): Promise<AlertsClosed>;
  [Symbol.asyncDispose](): Promise<void>;
}

const CLOSE_MS = 5000;

export function createAlerts(options: AlertOptions = {}): Alerts {
  checkOptions(options, ALERT_OPTIONS);
  const { rules = [{}], perMinute = 30, onAlert, webhook, onProblem } = options;
  const gate = new Gate(rules, perMinute, options.now ?? (() => performance.now()));
  const writer = new AlertWriter(createRedactor(options.environment ?? process.env));
  const complain = (message: string, alert: Alert | null): void => {
    try {
      onProblem?.({ message, alert });
    } catch {
      // The problem handler itself failed. There is nothing left to report to.
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
    checkOptions(how, { timeout: unchecked });
    const { timeout = CLOSE_MS } = how;
    isClosed = true;
    const [left] = await Promise.all([delivery?.close(timeout) ?? [], within(Promise.all(telling), timeout)]);
    return { ...stats(), queued: 0, left };
  };
  return {
    observer: harmless(observer, (error) => complain(`An alert could not be created: ${String(error)}`, null)),
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
