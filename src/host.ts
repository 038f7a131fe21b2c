// The internal API for surfaces: the public API, and what only surfaces use. Not in the package's exports.
// host/ has the parts that can be loaded alone, so that a short command line loads little.

export * from './api/audit.ts';
export * from './api/profiles.ts';
export * from './api/settings.ts';
export { filesForAnswers, saveAnswer } from './config/edit/answers.ts';
export { writeInNewFolder } from './config/edit/new-folder.ts';
export * from './confine/doctor/diagnosis.ts';
export { TAKEN_AWAY as REMOVED_AGAIN } from './confine/plan.ts';
export * from './core/approval.ts';
export * from './core/confinement.ts';
export { asyncDispose } from './core/disposal.ts';
export * from './core/failure.ts';
export {
  type ChecksOf,
  callback,
  checkOptions,
  milliseconds,
  oneOf,
  orNull,
  text,
  unchecked,
} from './core/option-checks.ts';
export * from './core/running.ts';
export * from './host/changes-acts.ts';
export * from './host/deciding.ts';
export * from './host/outputs.ts';
export * from './host/preview.ts';
export { profileHere } from './host/profiles.ts';
export * from './host/refusing.ts';
export * from './host/running.ts';
export { offeredTools, openSessionChanges } from './host/session-changes.ts';
export * from './host/showing.ts';
export * from './host/stages.ts';
export { findSurroundings } from './host/surroundings.ts';
export * from './host/tasks.ts';
export * from './host/values.ts';
export * from './index.ts';
export * from './learn/report.ts';
export { runtimeFolder } from './local/places.ts';
export { makePrivateFolder } from './local/private-folder.ts';
export { createWhole } from './local/whole-file.ts';
export { recordSettingsChange } from './recording/settings-change.ts';
export { homeSecrets } from './sandbox/paths/known-places.ts';
export { whyNeverWritable } from './sandbox/protected-writes.ts';
