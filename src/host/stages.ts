// The changes of staged commands, for surfaces that neither decide nor run anything. Loads nothing else.

export type { FileDiff } from '../stage/diff.ts';
export { type CompletedStage, openStagedCommands, type StagedCommand, type StagedCommands } from '../stage/stages.ts';
export type { VerbAnswer } from '../stage/verbs.ts';
