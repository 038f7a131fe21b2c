/// <reference lib="esnext.disposable" preserve="true" />
// `hardshell/audit`: writing, reading and verifying the audit log, and counting, reporting and alerting.

export * from '../core/observer.ts';
export { type AuditPlaces, auditPlaces } from '../local/places.ts';
export type { Alert, InspectedReport, ReportedEvent } from '../record/alerts/alert.ts';
export {
  type AlertOptions,
  type AlertProblem,
  type AlertStats,
  type Alerts,
  type AlertsClosed,
  createAlerts,
} from '../record/alerts/alerts.ts';
export type { DeliveryCounts } from '../record/alerts/delivery.ts';
export type { AlertRule } from '../record/alerts/gate.ts';
export type { WebhookOptions } from '../record/alerts/webhook.ts';
export { type Audit, type AuditReceipt, openAudit } from '../record/audit.ts';
export type { AuditOptions } from '../record/audit-options.ts';
export * from '../record/entries.ts';
export { createMetrics, type Metrics, type MetricsOptions } from '../record/metrics/metrics.ts';
export type * from '../record/metrics/otel/api.ts';
export { type OtelOptions, otelObserver } from '../record/metrics/otel/observer.ts';
export { PROMETHEUS_TYPE } from '../record/metrics/prometheus.ts';
export type { Counts as MetricCounts, MetricsSnapshot, TypeStats } from '../record/metrics/snapshot.ts';
export { type AuditObserverOptions, auditObserver } from '../record/observer.ts';
export { type AuditFilter, cursorOf, type Position as AuditPosition } from '../record/query/filter.ts';
export { type AuditQuery, type AuditReader, openAuditReader, queryAudit } from '../record/query/query.ts';
export { type FollowAuditOptions, followAudit, tailAudit } from '../record/query/scan.ts';
export type { AuditProblem, LaneHead, ProblemKind, VerifyReport } from '../record/verify/report.ts';
export { type VerifyOptions, verifyAudit } from '../record/verify/verify.ts';
export {
  type AuditWatch,
  type AuditWatchOptions,
  readWatchReport,
  type WatchReport,
  watchAudit,
} from '../record/verify/watch.ts';
export { openRecording, type Recording, type RecordingClosed, type RecordingOptions } from '../recording/recording.ts';
