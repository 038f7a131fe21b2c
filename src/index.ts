// The public API.

export { type AnalyzeOptions, analyze } from './analyze/analyze.ts';
export { previewSedEdit, type SedPreview } from './analyze/languages/sed-edit.ts';
export type { CheckRule } from './approve/asking/reply.ts';
export { type AskOptions, type Broker, type BrokerOptions, createBroker, type Found } from './approve/broker.ts';
export { type AskDetails, callbackSurface, type OnAsk } from './approve/callback-surface.ts';
export type { SaveRule, SetTimer } from './approve/saving.ts';
export {
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
export type { GiveAnswer, Surface } from './approve/surface.ts';
export { describeProblem, type Problem as SettingsProblem, problemsOf } from './config/document/problem.ts';
export type { Knowledge as SettingsKnowledge, RuleCheck } from './config/document/validate.ts';
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
export * from './core/approval.ts';
export * from './core/confinement.ts';
export { DEFAULT_CONTEXT, DEFAULT_POLICY } from './core/default-policy.ts';
export { ERROR_CODES, type ErrorCode, HardshellError } from './core/errors.ts';
export * from './core/facts.ts';
export * from './core/failure.ts';
export * from './core/policy.ts';
export type { Probe } from './core/probe.ts';
export { PROFILES, type ProfileName } from './core/profile-names.ts';
export * from './core/running.ts';
export * from './core/verdict.ts';
export { decide } from './decide/decide.ts';
export { MAX_COMMAND_LENGTH } from './parse/limits.ts';
export type { ParseProblem } from './parse/problem.ts';
export { type ParseResult, parse, tokenize } from './parse/script.ts';
export type { Token, TokenKind } from './parse/tokens.ts';
export {
  type Authorized,
  type AuthorizeRequest,
  authorize,
  type Checked,
  type CheckRequest,
  type Classifier,
  check,
  checkWithClassifier,
  loadPolicy,
  policyWith,
  rulesOf,
  SETTINGS_KNOWLEDGE,
} from './pipeline/check.ts';
export { createShell, type ShellOptions } from './pipeline/shell.ts';
export { createDiskProbe } from './probe/disk.ts';
export type * from './profiles/profile.ts';
export { type ChosenRunner, chooseRunner } from './run/runner.ts';
