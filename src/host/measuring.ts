// The part of the internal door that counts, reports and alerts.

export type { Alert } from '../record/alerts/alert.ts';
export {
  type AlertOptions,
  type AlertProblem,
  type Alerts,
  createAlerts,
} from '../record/alerts/alerts.ts';
export type { WebhookOptions } from '../record/alerts/webhook.ts';
export { createMetrics, type Metrics } from '../record/metrics/metrics.ts';
export type { OtelApi } from '../record/metrics/otel/api.ts';
export { otelObserver } from '../record/metrics/otel/observer.ts';
export { PROMETHEUS_TYPE } from '../record/metrics/prometheus.ts';
