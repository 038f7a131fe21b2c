// The internal door of our own surfaces: everything that they use. It is not in the package's exports.

export { type AnalyzeOptions, analyze } from './analyze/analyze.ts';
export { previewSedEdit, type SedPreview } from './analyze/languages/sed-edit.ts';
export type { CheckRule } from './approve/asking/reply.ts';
export { type AskOptions, type Broker, type BrokerOptions, createBroker, type Found } from './approve/broker.ts';
export { type AskDetails, callbackSurface, type OnAsk } from './approve/callback-surface.ts';
export type { SaveRule, SetTimer } from './approve/saving.ts';
export {
  type AnswerPendingOptions,
  type AnswerReport,
  type ApprovalHost,
  answerPending,
  type ClientOptions,
  type ListedApproval,
  type Listing,
  listPending,
} from './approve/socket/socket-client.ts';
export { type ApprovalSocket, openApprovalSocket, type SocketOptions } from './approve/socket/socket-server.ts';
export { type WatchEvent, type WatchOptions, watchPending } from './approve/socket/socket-watch.ts';
export type { GiveAnswer, GiveUp, Surface } from './approve/surface.ts';
export { describeProblem, type Problem as SettingsProblem, problemsOf } from './config/document/problem.ts';
export type { Knowledge as SettingsValidators, RuleCheck } from './config/document/validate.ts';
export { filesForAnswers, type SavedScope, saveAnswer } from './config/edit/answers.ts';
export { type Saved, saveRule, saveSettings, trustFolder, type Untrusted, untrustFolder } from './config/edit/save.ts';
export { effectiveSettings } from './config/effective.ts';
export { type Imported, type ImportNote, importClaudeSettings } from './config/import/claude-code.ts';
export { resolveSettingsPath } from './config/layers/paths.ts';
export { listPlaces, type Places, projectFile, standardPlaces } from './config/layers/places.ts';
export { readSettingsFile } from './config/layers/read.ts';
export {
  type LoadedSettings,
  type LoadOptions,
  loadSettings,
  type SettingsSource,
  validateSettingsFile,
} from './config/load.ts';
export { SETTINGS_SCHEMA } from './config/schema.ts';
export type { Notice as SettingsNotice, RuleEntry, SettingOrigin, Settings } from './config/settings.ts';
export * from './confine/doctor/diagnosis.ts';
export * from './core/approval.ts';
export * from './core/confinement.ts';
export { DEFAULT_CONTEXT, DEFAULT_POLICY } from './core/default-policy.ts';
export { ERROR_CODES, type ErrorCode, HardshellError } from './core/errors.ts';
export * from './core/facts.ts';
export * from './core/failure.ts';
export * from './core/observer.ts';
export * from './core/policy.ts';
export type { Probe } from './core/probe.ts';
export { PROFILES, type ProfileName } from './core/profile-names.ts';
export type { Permission } from './core/running.ts';
export * from './core/running.ts';
export { askTheUser, insteadForModel } from './core/values/refusal-advice.ts';
export * from './core/verdict.ts';
export { decide } from './decide/decide.ts';
export { diagnose } from './doctor/diagnose.ts';
export type { DiagnoseOptions } from './doctor/options.ts';
export { learn } from './learn/learn.ts';
export type { LearnOptions } from './learn/options.ts';
export * from './learn/report.ts';
export { MAX_COMMAND_LENGTH } from './parse/limits.ts';
export type { ParseProblem } from './parse/problem.ts';
export { type ParseResult, parse, tokenize } from './parse/script.ts';
export type { Token, TokenKind } from './parse/tokens.ts';
export {
  type AuthorizeRequest,
  authorize,
  type CheckRequest,
  type CheckResult,
  type Classifier,
  check,
  checkForAll,
  checkWithClassifier,
  matcherOf,
  rulesOf,
} from './pipeline/check.ts';
export { createShell, type ShellOptions } from './pipeline/shell.ts';
export { openTasks, type TaskStore } from './pipeline/task-store.ts';
export { policyWith } from './pipeline/terms/policy.ts';
export { effectiveSandbox } from './pipeline/terms/sandbox.ts';
export { loadPolicy, SETTINGS_VALIDATORS } from './pipeline/terms/settings.ts';
export { createDiskProbe } from './probe/disk.ts';
export { createProgress, type Progress } from './profiles/claude-code/progress.ts';
export { type BashConfiguration, DEFAULT_BASH_CONFIGURATION } from './profiles/layered/configuration.ts';
export type { BashError } from './profiles/layered/errors.ts';
export { createLayeredIntegration, type LayeredIntegration } from './profiles/layered/integration.ts';
export {
  type CommandExecutionRequest,
  type CommandExecutionResponse,
  executeRequest as executeLayeredRequest,
  type ProtocolOptions as LayeredProtocolOptions,
  type StreamOutputData,
} from './profiles/layered/protocol.ts';
export type * from './profiles/profile.ts';
export { type ProfileConfiguration, profileOf } from './profiles/profiles.ts';
export { type BashConfig, DEFAULT_BASH_CONFIG } from './profiles/proposal-0028/configuration.ts';
export { type StreamEvent, streamProposal0028 } from './profiles/proposal-0028/streaming.ts';
export { describeNotes, describeResult, describeRunning } from './profiles/shared/wording.ts';
export type { Alert, InspectedReport, ReportedEvent } from './record/alerts/alert.ts';
export {
  type AlertOptions,
  type AlertProblem,
  type AlertStats,
  type Alerts,
  type AlertsClosed,
  createAlerts,
} from './record/alerts/alerts.ts';
export type { AlertRule } from './record/alerts/gate.ts';
export type { WebhookOptions } from './record/alerts/webhook.ts';
export { type Audit, type AuditReceipt, openAudit } from './record/audit.ts';
export type { AuditOptions } from './record/audit-options.ts';
export * from './record/entries.ts';
export { type AuditPlaces, auditPlaces } from './record/folder.ts';
export { createMetrics, type Metrics, type MetricsOptions } from './record/metrics/metrics.ts';
export type { OtelApi } from './record/metrics/otel/api.ts';
export { type OtelOptions, otelObserver } from './record/metrics/otel/observer.ts';
export { PROMETHEUS_TYPE } from './record/metrics/prometheus.ts';
export type { MetricsSnapshot, TypeStats } from './record/metrics/snapshot.ts';
export { type AuditObserverOptions, auditObserver } from './record/observer.ts';
export { type AuditFilter, cursorOf } from './record/query/filter.ts';
export { type AuditQuery, type AuditReader, openAuditReader, queryAudit } from './record/query/query.ts';
export { followAudit, tailAudit } from './record/query/scan.ts';
export type { AuditProblem, LaneHead, ProblemKind, VerifyReport } from './record/verify/report.ts';
export { type VerifyOptions, verifyAudit } from './record/verify/verify.ts';
export {
  type AuditWatch,
  type AuditWatchOptions,
  readWatchReport,
  type WatchReport,
  watchAudit,
} from './record/verify/watch.ts';
export {
  openRecording,
  type Recording,
  type RecordingClosed,
  type RecordingOptions,
} from './recording/recording.ts';
export { recordSettingsChange } from './recording/settings-change.ts';
export { type Headline, headlineOf } from './render/headline.ts';
export { visible, visibleJson } from './render/visible.ts';
export { type ChosenRunner, chooseRunner } from './run/runner.ts';
export type { SocketHost } from './sockets/hosts.ts';
export { runtimeFolder } from './sockets/runtime-folder.ts';
export { makePrivateFolder } from './tasks/folder.ts';
export type { ListedCommand } from './tasks/foreground/messages.ts';
export {
  type FollowOptions,
  type ForegroundCommand,
  type ForegroundListing,
  followForeground,
  listForeground,
  stopForeground,
} from './tasks/foreground/watching.ts';
