// The audit log, verified periodically → an alert if there is a new problem, and the metrics.

import { describeError } from '../core/values/error-text.ts';
import { auditPlaces } from '../local/places.ts';
import type { Alerts } from '../record/alerts/alerts.ts';
import type { Metrics } from '../record/metrics/metrics.ts';
import { type AuditWatch, watchAudit } from '../record/verify/watch.ts';

export interface LogWatchOptions {
  readonly interval: number;
  readonly alerts: Alerts | null;
  readonly metrics?: Metrics | undefined;
  /** A sentence. */
  readonly tell: (message: string) => void;
}

export function watchLog({ interval, alerts, metrics, tell }: LogWatchOptions): AuditWatch {
  const places = auditPlaces();
  let told = '';
  return watchAudit({
    ...places,
    interval,
    onProblem: (error) => tell(`The audit log cannot be verified: ${describeError(error)}`),
    onReport(report, { isOwn }) {
      metrics?.noteVerification(report);
      const { isIntact, problems, problemCount } = report;
      // The same problems are not reported again.
      const news = JSON.stringify([problemCount, problems]);
      if (news === told) return;
      told = news;
      // One process reports it, not all of them.
      if (isIntact || !isOwn) return;
      alerts?.inspect({ isIntact, folder: places.folder, problems, moreProblems: problemCount - problems.length });
      tell(`The audit log was changed: ${problems[0]?.message ?? ''} \`hardshell audit verify\` shows the details.`);
    },
  });
}
