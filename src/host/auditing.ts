// The part of the internal door that writes, reads and verifies the audit log.

export * from '../core/observer.ts';
export { type Audit, openAudit } from '../record/audit.ts';
export type { AuditOptions } from '../record/audit-options.ts';
export * from '../record/entries.ts';
export { auditPlaces } from '../record/folder.ts';
export { auditObserver } from '../record/observer.ts';
export { type AuditFilter, cursorOf } from '../record/query/filter.ts';
export { type AuditQuery, type AuditReader, openAuditReader, queryAudit } from '../record/query/query.ts';
export { followAudit, tailAudit } from '../record/query/scan.ts';
export type { LaneHead, ProblemKind, VerifyReport } from '../record/verify/report.ts';
export { verifyAudit } from '../record/verify/verify.ts';
export {
  type AuditWatch,
  type AuditWatchOptions,
  readWatchReport,
  type WatchReport,
  watchAudit,
} from '../record/verify/watch.ts';
