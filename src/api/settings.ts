// `hardshell/settings`: loading, checking, changing and importing settings files.

export type { Position as SettingsPosition } from '../config/document/document.ts';
export { describeProblem, type Problem as SettingsProblem, problemsOf } from '../config/document/problem.ts';
export type { Knowledge as SettingsValidators, RuleCheck } from '../config/document/validate.ts';
export type { LockOptions } from '../config/edit/lock.ts';
export {
  type Saved,
  type SaveOptions,
  type SaveRuleOptions,
  saveRule,
  saveSettings,
  trustFolder,
  type Untrusted,
  untrustFolder,
} from '../config/edit/save.ts';
export { effectiveSettings } from '../config/effective.ts';
export { type Imported, type ImportNote, importClaudeSettings } from '../config/import/claude-code.ts';
export type { Assembled as AssembledSettings } from '../config/layers/assemble.ts';
export type { Switches as ManagedSwitches } from '../config/layers/merge.ts';
export { type PathPlace, resolveSettingsPath } from '../config/layers/paths.ts';
export {
  listPlaces,
  type Place as SettingsPlace,
  type Places,
  projectFile,
  type Surroundings as SettingsSurroundings,
  standardPlaces,
} from '../config/layers/places.ts';
export { type FileText, type ReadFile, readSettingsFile } from '../config/layers/read.ts';
export {
  type LoadedSettings,
  type LoadOptions,
  loadSettings,
  type SettingsSource,
  validateSettingsFile,
} from '../config/load.ts';
export { SETTINGS_SCHEMA } from '../config/schema.ts';
export type { Schema as SettingsSchema } from '../config/schema-words.ts';
export type {
  AlertSettings,
  AuditSettings,
  EnvironmentSettings,
  FileLayer,
  Notice as SettingsNotice,
  RuleEntry,
  SandboxSettings,
  SettingOrigin,
  Settings,
  StagingStoreSettings,
  TelemetrySettings,
  UserSettings,
} from '../config/settings.ts';
export { SETTINGS_VALIDATORS } from '../terms/settings.ts';
