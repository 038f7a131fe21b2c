// The internal door of our own surfaces: everything that they use. Not in the package's exports.
// host/ has the parts that can be loaded alone, so that a short command line loads little.

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
export { SETTINGS_SCHEMA } from './config/schema.ts';
export * from './confine/doctor/diagnosis.ts';
export * from './core/approval.ts';
export * from './core/confinement.ts';
export * from './core/failure.ts';
export * from './core/running.ts';
export { diagnose } from './doctor/diagnose.ts';
export type { DiagnoseOptions } from './doctor/options.ts';
export * from './host/auditing.ts';
export * from './host/deciding.ts';
export * from './host/measuring.ts';
export * from './host/preview.ts';
export * from './host/refusing.ts';
export * from './host/running.ts';
export * from './host/showing.ts';
export * from './host/tasks.ts';
export { learn } from './learn/learn.ts';
export type { LearnOptions } from './learn/options.ts';
export * from './learn/report.ts';
export { createShell, type ShellOptions } from './pipeline/shell.ts';
export { effectiveSandbox } from './pipeline/terms/sandbox.ts';
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
export {
  openRecording,
  type Recording,
  type RecordingClosed,
  type RecordingOptions,
} from './recording/recording.ts';
export { recordSettingsChange } from './recording/settings-change.ts';
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
