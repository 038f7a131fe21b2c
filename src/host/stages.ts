// The changes of staged commands, for surfaces that neither decide nor run anything. Loads nothing else.

export type { FileDiff } from '../stage/diff.ts';
export {
  type ActProblem,
  describeHeldBack,
  FITS,
  hasFiles,
  type NextAct,
  whyNotAct,
} from '../stage/refusals.ts';
export { type CompletedStage, openStages, type StagedCommand, type StagedCommands } from '../stage/stages.ts';
export type { VerbAnswer } from '../stage/verbs.ts';
