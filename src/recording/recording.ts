// Settings → audit log, metrics and alerts for a tool. The log is opened with its first entry, and the
// webhook never delays a command.

import type { AlertSettings } from '../config/settings.ts';
import { HardshellError } from '../core/errors.ts';
import type { ShellObserver } from '../core/observer.ts';
import { type ChecksOf, callback, checkOptions, folder, text } from '../core/option-checks.ts';
import { defined } from '../core/values/defined.ts';
import { describeError } from '../core/values/error-text.ts';
import { type AlertOptions, type Alerts, createAlerts } from '../record/alerts/alerts.ts';
import { openAudit } from '../record/audit.ts';
import type { Metrics } from '../record/metrics/metrics.ts';
import { lateOtelObserver } from '../record/metrics/otel/late-observer.ts';
import { auditObserver } from '../record/observer.ts';
import { type Follower, openFollower } from '../record/query/scan.ts';
import type { AuditWatch } from '../record/verify/watch.ts';
import { loadPolicy } from '../terms/settings.ts';
import { watchLog } from './log-watch.ts';
import { recordTaskEnds } from './task-ends.ts';
import { readWebhookSecret } from './webhook-secret.ts';

export interface RecordingOptions {
  readonly cwd: string;
  readonly settingsFile?: string | undefined;
  /** Called in addition to the webhook of the settings. */
  readonly onAlert?: NonNullable<AlertOptions['onAlert']>;
  /** An alert that could not be delivered, an unusable webhook, a log that was changed. A sentence. */
  readonly onAlertProblem?: (message: string) => void;
}

export interface Recording {
  readonly observers: readonly ShellObserver[];
  /** Where the audit log is; `null` if it is switched off. */
  readonly auditFolder: string | null;
  /** `null`: alerts are not configured. */
  readonly alerts: Alerts | null;
  /** Starts verifying the log as configured; problems become alerts. For long-running processes. */
  watch(options?: { readonly metrics?: Metrics }): void;
  /** Counts new false-positive marks since the last call; the first time, since `watch`. */
  countMarks(metrics: Metrics): void;
  /** Tries once more to deliver queued alerts. `timeout` in milliseconds, default 2,000. */
  close(options?: { readonly timeout?: number }): Promise<RecordingClosed>;
}

export interface RecordingClosed {
  /** Alerts that were still queued, or were dropped. Like all that were given up earlier, they were passed to `onAlertProblem`. */
  readonly undelivered: number;
}

const CLOSE_MS = 2_000;
const VERIFY_MINUTES = 5;

const RECORDING_OPTIONS: ChecksOf<RecordingOptions> = {
  cwd: folder,
  settingsFile: text,
  onAlert: callback,
  onAlertProblem: callback,
};

/** `onProblem`: a record that could not be written; its command is refused. */
export function openRecording(options: RecordingOptions, onProblem?: (error: unknown) => void): Recording {
  checkOptions(options, RECORDING_OPTIONS);
  const { cwd, settingsFile, onAlertProblem = () => {} } = options;
  const settings = loadPolicy({ cwd, settingsFile });
  const { enabled = true, verifyMinutes = VERIFY_MINUTES, hook: _, ...log } = settings.audit;
  const alerts = openAlerts(settings.alerts, options);
  const audit = enabled ? openAudit(log) : null;
  const complain = (error: unknown): void => {
    const reason = describeError(error);
    alerts?.report({ severity: 'high', message: `An event could not be recorded: ${reason}` });
    onProblem?.(error);
  };
  // Ends of tasks whose process is gone; the next process tries again.
  const settled = audit === null ? null : recordTaskEnds(audit).catch(complain);
  let watching: AuditWatch | null = null;
  let marks: Follower | null = null;
  const { enabled: isTraced = true, withCommand = false } = settings.telemetry;
  return {
    observers: [
      // First: a command that it cannot record does not run.
      ...(audit === null ? [] : [auditObserver(audit, { onProblem: complain })]),
      ...(alerts === null ? [] : [alerts.observer]),
      ...(isTraced ? [lateOtelObserver({ withCommand })] : []),
    ],
    auditFolder: audit?.folder ?? null,
    alerts,
    watch({ metrics } = {}) {
      if (enabled && verifyMinutes > 0)
        watching ??= watchLog({ interval: verifyMinutes * 60_000, alerts, metrics, tell: onAlertProblem });
      if (audit !== null) marks ??= openFollower(audit.folder);
    },
    countMarks(metrics) {
      for (const record of marks?.({ types: ['false-positive'] }) ?? [])
        if (record.type === 'false-positive') metrics.markFalsePositive(record.finding);
    },
    async close({ timeout = CLOSE_MS } = {}) {
      await watching?.close();
      await settled;
      const [closed] = await Promise.all([alerts?.close({ timeout }), audit?.close()]);
      const undelivered = closed === undefined ? 0 : closed.left.length + closed.dropped;
      if (undelivered > 0) {
        const what = undelivered === 1 ? '1 alert was' : `${undelivered} alerts were`;
        onAlertProblem(`${what} not delivered to the webhook. \`hardshell audit query\` shows what happened.`);
      }
      return { undelivered };
    },
  };
}

/** An unusable webhook is reported, and stops nothing: its events are in the log anyway. */
function openAlerts(settings: AlertSettings, options: RecordingOptions): Alerts | null {
  const { kinds, minSeverity, perMinute, webhook } = settings;
  const { onAlert, onAlertProblem = () => {} } = options;
  const rule = { ...defined({ kinds, minSeverity }) };
  const common: AlertOptions = {
    rules: [rule],
    ...defined({ perMinute, onAlert }),
    onProblem: ({ message }) => onAlertProblem(message),
  };
  if (webhook !== undefined) {
    try {
      return createAlerts({ ...common, webhook: { url: urlOf(webhook), secret: readWebhookSecret(webhook) } });
    } catch (error) {
      const hint = error instanceof HardshellError && error.hint !== null ? ` ${error.hint}` : '';
      onAlertProblem(`Alerts are not sent: ${describeError(error)}${hint}`);
    }
  }
  return onAlert === undefined ? null : createAlerts(common);
}

function urlOf({ url }: NonNullable<AlertSettings['webhook']>): string {
  if (url !== undefined) return url;
  throw new Error('the settings have a secret for the webhook, but no alerts.webhook.url.');
}
