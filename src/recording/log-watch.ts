// The audit log, verified now and then → an alert when something new is wrong with it, and the figures.

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
      // The same problems again are no news.
      const news = JSON.stringify([problemCount, problems]);
      if (news === told) return;
      told = news;
      // One process tells it, not each of them.
      if (isIntact || !isOwn) return;
      alerts?.inspect({ isIntact, folder: places.folder, problems, moreProblems: problemCount - problems.length });
      tell(`The audit log was changed: ${problems[0]?.message ?? ''} \`hardshell audit verify\` says what, and where.`);
    },
  });
}
