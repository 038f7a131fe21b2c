// `hardshell/settings`: loading, checking, changing and importing settings files.

export { describeProblem, type Problem as SettingsProblem, problemsOf } from '../config/document/problem.ts';
export type { Knowledge as SettingsValidators, RuleCheck } from '../config/document/validate.ts';
export { type Saved, saveRule, saveSettings, trustFolder, type Untrusted, untrustFolder } from '../config/edit/save.ts';
export { effectiveSettings } from '../config/effective.ts';
export { type Imported, type ImportNote, importClaudeSettings } from '../config/import/claude-code.ts';
export { resolveSettingsPath } from '../config/layers/paths.ts';
export { listPlaces, type Places, projectFile, standardPlaces } from '../config/layers/places.ts';
export { readSettingsFile } from '../config/layers/read.ts';
export {
  type LoadedSettings,
  type LoadOptions,
  loadSettings,
  type SettingsSource,
  validateSettingsFile,
} from '../config/load.ts';
export { SETTINGS_SCHEMA } from '../config/schema.ts';
export type { Notice as SettingsNotice, RuleEntry, SettingOrigin, Settings } from '../config/settings.ts';
export { SETTINGS_VALIDATORS } from '../terms/settings.ts';
