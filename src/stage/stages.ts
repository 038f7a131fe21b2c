// The changes of staged commands, for everyone who shows them or decides about them: listed, compared, applied, undone.

import { HardshellError } from '../core/errors.ts';
import type { RunChanges, StageState } from '../core/staging.ts';
import { locateKeeper } from '../run/keeper/binary.ts';
import { isEmptyStage, summarizeChanges } from './changes.ts';
import { diffStage, type FileDiff } from './diff.ts';
import { findNewer } from './newer.ts';
import { hasAside, keptAside, markForced, removeStage } from './prune.ts';
import { findStage, listStages, readJournal, type Stage, stagesFolder } from './store.ts';
import { performVerb, type StageVerb, type VerbAnswer } from './verbs.ts';

/** A staged command and what it changed. */
export interface StagedCommand extends RunChanges {
  readonly command: string;
  readonly cwd: string;
  readonly session: string | null;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  /** When its changes landed, were undone or held: since when they are in their state. */
  readonly stateAt: number;
  readonly mode: 'apply' | 'review';
  /** Folders whose changes are staged. */
  readonly roots: readonly string[];
  /** A process works on it: the command itself, or an undo. */
  readonly isBusy: boolean;
}

export interface StagedCommandLookup {
  /** How many of the changed files are listed. Default 200. */
  readonly files?: number;
  /** `list` only: those in this state. Default: all. */
  readonly state?: StageState;
}

/** A stage that a killed process left unfinished, and its state then. */
export interface CompletedStage {
  readonly id: string;
  readonly was: StageState;
}

export interface StagedCommands {
  /** Completes what killed processes left unfinished, as all others do, and returns what that was. */
  complete(): Promise<readonly CompletedStage[]>;
  /** The newest first. */
  list(options?: StagedCommandLookup): Promise<readonly StagedCommand[]>;
  get(id: string, options?: StagedCommandLookup): Promise<StagedCommand | null>;
  /** Its changes as patches, one for each file: those that landed or can land, or those that were held back. */
  diff(id: string, part?: 'changed' | 'held-back'): Promise<Iterable<FileDiff>>;
  /** Held changes land in the project; what the sandbox does not allow stays held. */
  apply(id: string): Promise<VerbAnswer>;
  /** Held changes are deleted. Of landed ones, what they replaced is: they can no longer be undone. */
  drop(id: string): Promise<VerbAnswer>;
  undo(id: string, options?: { readonly force?: boolean }): Promise<VerbAnswer>;
  redo(id: string, options?: { readonly force?: boolean }): Promise<VerbAnswer>;
}

interface Forcible {
  readonly force?: boolean;
}

/** Those of this user. Holds nothing that must be closed. */
export function openStages(): StagedCommands {
  const stages = stagesFolder();
  const perform = async (verb: StageVerb, id: string, options: Forcible = {}): Promise<VerbAnswer> => {
    const stage = await completed(known(id));
    if (stage.isBusy) return { kind: 'busy', conflicts: [], aside: [] };
    const isForcedRedo = verb === 'redo' && options.force === true && stage.state === 'undone';
    if (isForcedRedo) markForced(stage, []);
    const answer = await performVerb(keeper(), verb, stage, options);
    if (isForcedRedo) markForced(stage, answer.aside.length > 0 ? answer.aside.map(({ movedTo }) => movedTo) : null);
    else if (verb === 'undo' && answer.kind === 'done') markForced(stage, null);
    return { ...answer, conflicts: answer.conflicts.flatMap((path) => findNewer(stage, path)) };
  };
  const known = (id: string): Stage => {
    const found = findStage(id, stages);
    if (found === null) throw new HardshellError('invalid-argument', `No staged changes: ${id}`);
    return found;
  };
  const shown = async (stage: Stage, files: number | undefined): Promise<StagedCommand | null> => {
    const now = findStage((await completed(stage)).id, stages);
    if (now === null) return null;
    const journal = readJournal(now);
    if (isEmptyStage(now, journal) && !now.isBusy && !hasAside(now) && removeStage(now)) return null;
    const { folder: _, ...meta } = now;
    return { ...meta, ...summarizeChanges(now, journal, files) };
  };
  return {
    async complete() {
      const unfinished = listStages(stages).filter(isUnfinished);
      const now = await Promise.all(unfinished.map(completed));
      return unfinished.flatMap(({ id, state }, at) => (now[at]?.isBusy === true ? [] : [{ id, was: state }]));
    },
    async list({ files, state } = {}) {
      const found = listStages(stages).filter((stage) => state === undefined || stage.state === state);
      const all = await Promise.all(found.map((stage) => shown(stage, files)));
      return all.filter((stage) => stage !== null);
    },
    async get(id, { files } = {}) {
      const stage = findStage(id, stages);
      return stage === null ? null : shown(stage, files);
    },
    async diff(id, part) {
      await completed(known(id));
      const stage = known(id);
      const journal = readJournal(stage);
      return journal === null ? [] : diffStage(stage, journal, part);
    },
    apply: (id) => perform('apply', id),
    async drop(id) {
      const stage = known(id);
      if (hasAside(stage))
        throw new HardshellError(
          'stage-failed',
          `Cannot drop ${id}: it has newer files that a forced undo or redo moved away.`,
          {
            hint: `Move them to where you want them first: ${keptAside(stage).join(' ')}`,
          },
        );
      return perform('drop', id);
    },
    undo: (id, options) => perform('undo', id, options),
    redo: (id, options) => perform('redo', id, options),
  };
}

const UNFINISHED: readonly Stage['state'][] = ['running', 'landing', 'undoing', 'redoing'];

function isUnfinished({ isBusy, state }: Stage): boolean {
  return !isBusy && UNFINISHED.includes(state);
}

/** A process that was killed left it unfinished: the next one completes it. */
async function completed(stage: Stage): Promise<Stage> {
  if (!isUnfinished(stage)) return stage;
  const answer = await performVerb(keeper(), 'recover', stage);
  return answer.kind === 'busy' ? { ...stage, isBusy: true } : (findStage(stage.id, stagesFolder()) ?? stage);
}

function keeper(): string {
  const found = locateKeeper();
  if (found.isAvailable) return found.program;
  throw new HardshellError('missing-dependency', `Staged changes need the keeper: ${found.reason}.`);
}
