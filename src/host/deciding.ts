// The part of the internal API that analyzes a command and decides about it. It runs nothing and asks no one, so that one
// check in a new process does not load the rest.

export { analyze } from '../analyze/analyze.ts';
export { isStricterMode } from '../config/layers/keys.ts';
export {
  type LoadedSettings,
  loadSettings,
  validateSettingsFile,
} from '../config/load.ts';
export type { Notice as SettingsNotice, SettingOrigin, Settings } from '../config/settings.ts';
export { DEFAULT_POLICY } from '../core/default-policy.ts';
export { HardshellError } from '../core/errors.ts';
export * from '../core/facts.ts';
export * from '../core/policy.ts';
export { PROFILES, type ProfileName } from '../core/profile-names.ts';
export type { Permission } from '../core/running.ts';
export * from '../core/verdict.ts';
export { MAX_COMMAND_LENGTH } from '../parse/limits.ts';
export { parse } from '../parse/script.ts';
export {
  authorize,
  type CheckResult,
  check,
  checkForAll,
  createMatcher,
  readRules,
} from '../pipeline/check.ts';
export { policyWith } from '../terms/policy.ts';
export { loadPolicy, SETTINGS_VALIDATORS } from '../terms/settings.ts';
