/// <reference lib="esnext.disposable" preserve="true" />
// The public API: understanding a command, deciding about it, asking, running it confined, and what can go wrong.
// `hardshell/audit`, `hardshell/settings`, `hardshell/profiles` and `hardshell/adapters` are separate entry points.

export { type AnalyzeOptions, analyze } from './analyze/analyze.ts';
export { previewSedEdit, type SedPreview } from './analyze/languages/sed-edit.ts';
export type { CheckRule } from './approve/asking/reply.ts';
export {
  type ApprovalLookup,
  type AskOptions,
  type Broker,
  type BrokerOptions,
  createBroker,
} from './approve/broker.ts';
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
export type { LoadedSettings, LoadOptions } from './config/load.ts';
export type * from './confine/doctor/diagnosis.ts';
export type * from './core/approval.ts';
export type * from './core/confinement.ts';
export { GUARANTEES, SANDBOXES } from './core/confinement.ts';
export { DEFAULT_CONTEXT, DEFAULT_POLICY } from './core/default-policy.ts';
export { ERROR_CODES, type ErrorCode, HardshellError } from './core/errors.ts';
export type * from './core/facts.ts';
export type * from './core/failure.ts';
export type * from './core/observer.ts';
export type * from './core/policy.ts';
export { MODES } from './core/policy.ts';
export type { Probe } from './core/probe.ts';
export type { ProfileName } from './core/profile-names.ts';
export type * from './core/running.ts';
export { RUN_STATUSES } from './core/running.ts';
export type * from './core/verdict.ts';
export { SEVERITIES, VERDICTS } from './core/verdict.ts';
export { decide } from './decide/decide.ts';
export { diagnose } from './doctor/diagnose.ts';
export type { DiagnoseOptions } from './doctor/options.ts';
export { learn } from './learn/learn.ts';
export type { LearnOptions } from './learn/options.ts';
export type * from './learn/report.ts';
export { createDiskProbe } from './local/disk.ts';
export type { SocketHost } from './local/sockets/hosts.ts';
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
} from './pipeline/check.ts';
export { createShell, type ShellDefaults, type ShellOptions, type ShellRecording } from './pipeline/shell.ts';
export { openStagedCommands } from './recording/staged-commands.ts';
export { type Headline, headlineOf } from './render/headline.ts';
export type { QueueLimits } from './run/queue.ts';
export type { FileDiff } from './stage/diff.ts';
export type {
  CompletedStage,
  StagedCommand,
  StagedCommandLookup,
  StagedCommands,
} from './stage/stages.ts';
export type { BlockedFile, VerbAnswer } from './stage/verbs.ts';
export type { ListedCommand } from './tasks/foreground/messages.ts';
export {
  type FollowOptions as FollowForegroundOptions,
  type ForegroundCommand,
  type ForegroundListing,
  followForeground,
  listForeground,
  stopForeground,
} from './tasks/foreground/watching.ts';
export type { Piece as OutputPiece } from './tasks/piece.ts';
export { loadPolicy, type PolicyOptions } from './terms/settings.ts';
