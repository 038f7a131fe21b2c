// The internal door of our own surfaces: everything that they use. Not in the package's exports.
// host/ has the parts that can be loaded alone, so that a short command line loads little.

export { type Broker, createBroker } from './approve/broker.ts';
export { callbackSurface } from './approve/callback-surface.ts';
export {
  type AnswerReport,
  answerPending,
  type ListedApproval,
  listPending,
} from './approve/socket/socket-client.ts';
export { type ApprovalSocket, openApprovalSocket } from './approve/socket/socket-server.ts';
export { type WatchEvent, watchPending } from './approve/socket/socket-watch.ts';
export type { GiveAnswer, GiveUp, Surface } from './approve/surface.ts';
export { describeProblem, type Problem as SettingsProblem, problemsOf } from './config/document/problem.ts';
export type { Knowledge as SettingsValidators } from './config/document/validate.ts';
export { filesForAnswers, saveAnswer } from './config/edit/answers.ts';
export { saveRule, saveSettings, trustFolder, untrustFolder } from './config/edit/save.ts';
export { effectiveSettings } from './config/effective.ts';
export { importClaudeSettings } from './config/import/claude-code.ts';
export { listPlaces, projectFile, standardPlaces } from './config/layers/places.ts';
export { readSettingsFile } from './config/layers/read.ts';
export { SETTINGS_SCHEMA } from './config/schema.ts';
export * from './confine/doctor/diagnosis.ts';
export * from './core/approval.ts';
export * from './core/confinement.ts';
export * from './core/failure.ts';
export * from './core/running.ts';
export { diagnose } from './doctor/diagnose.ts';
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
export type * from './profiles/profile.ts';
export { type ProfileConfiguration, profileOf } from './profiles/profiles.ts';
export { describeNotes, describeResult, describeRunning } from './profiles/shared/wording.ts';
export {
  openRecording,
  type Recording,
} from './recording/recording.ts';
export { recordSettingsChange } from './recording/settings-change.ts';
export { runtimeFolder } from './sockets/runtime-folder.ts';
export { makePrivateFolder } from './tasks/folder.ts';
export {
  type ForegroundCommand,
  followForeground,
  listForeground,
  stopForeground,
} from './tasks/foreground/watching.ts';
