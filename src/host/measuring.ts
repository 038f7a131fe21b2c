// The part of the internal door that counts, reports and alerts.

export type { Alert, InspectedReport, ReportedEvent } from '../record/alerts/alert.ts';
export {
  type AlertOptions,
  type AlertProblem,
  type AlertStats,
  type Alerts,
  type AlertsClosed,
  createAlerts,
} from '../record/alerts/alerts.ts';
export type { AlertRule } from '../record/alerts/gate.ts';
export type { WebhookOptions } from '../record/alerts/webhook.ts';
export { createMetrics, type Metrics, type MetricsOptions } from '../record/metrics/metrics.ts';
export type { OtelApi } from '../record/metrics/otel/api.ts';
export { type OtelOptions, otelObserver } from '../record/metrics/otel/observer.ts';
export { PROMETHEUS_TYPE } from '../record/metrics/prometheus.ts';
export type { MetricsSnapshot, TypeStats } from '../record/metrics/snapshot.ts';
