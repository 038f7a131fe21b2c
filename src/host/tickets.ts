// The part of the internal API for a hook that hands a command to a run. Loads nothing that runs commands.

export { makeTicketsFolder } from '../local/state-folders.ts';
export { createWhole } from '../local/whole-file.ts';
export { checkForRun } from '../pipeline/check-for-run.ts';
export { mayChangeFolder } from '../pipeline/folder-change.ts';
