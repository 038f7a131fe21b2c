// The part of the internal door that understands a command and decides about it. It runs nothing and asks nobody, so that
// one question from a cold process does not load the rest.

export { type AnalyzeOptions, analyze } from '../analyze/analyze.ts';
export {
  type LoadedSettings,
  type LoadOptions,
  loadSettings,
  type SettingsSource,
  validateSettingsFile,
} from '../config/load.ts';
export type { Notice as SettingsNotice, RuleEntry, SettingOrigin, Settings } from '../config/settings.ts';
export { DEFAULT_CONTEXT, DEFAULT_POLICY } from '../core/default-policy.ts';
export { ERROR_CODES, type ErrorCode, HardshellError } from '../core/errors.ts';
export * from '../core/facts.ts';
export * from '../core/policy.ts';
export type { Probe } from '../core/probe.ts';
export { PROFILES, type ProfileName } from '../core/profile-names.ts';
export type { Permission } from '../core/running.ts';
export * from '../core/verdict.ts';
export { decide } from '../decide/decide.ts';
export { MAX_COMMAND_LENGTH } from '../parse/limits.ts';
export type { ParseProblem } from '../parse/problem.ts';
export { type ParseResult, parse, tokenize } from '../parse/script.ts';
export type { Token, TokenKind } from '../parse/tokens.ts';
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
} from '../pipeline/check.ts';
export { policyWith } from '../pipeline/terms/policy.ts';
export { loadPolicy, SETTINGS_VALIDATORS } from '../pipeline/terms/settings.ts';
export { createDiskProbe } from '../probe/disk.ts';
