// What staged commands changed: those that are held for review, one of them with its diff, and undo, redo, apply, drop.

import {
  type ActProblem,
  actOnChanges,
  CHANGES_ACTS,
  describeHeldBack,
  type FileDiff,
  HardshellError,
  openStages,
  type StagedCommand,
  whyNotAct,
} from '../../../host.ts';
import { Refused } from '../refused.ts';
import type { ActReport, ChangedFileDiff, ChangesPage, HeldCommand } from '../wire.ts';

const MAX_HELD = 50;
const PAGE_FILES = 50;
const PAGE_CHARACTERS = 400_000;
const MAX_LINES = 1_500;
const MAX_LINE = 1_000;

const samePath = (path: string) => path;

/** The newest first. */
export async function listHeld(): Promise<readonly HeldCommand[]> {
  const held = await openStages().list({ files: 0, state: 'held' });
  return held
    .slice(0, MAX_HELD)
    .map(({ id, command, cwd, stateAt: at, created, changed, deleted, folders, heldBack }) => {
      return { id, command, cwd, at, created, changed, deleted, folders, heldBack: heldBack.length };
    });
}

/** From the file with the number `from`. */
export async function readChanges(id: string, from: number): Promise<ChangesPage> {
  const stages = openStages();
  const stage = await stages.get(id, { files: Number.MAX_SAFE_INTEGER });
  if (stage === null) throw new Refused(404, 'No staged changes of this command.');
  const { state, command, cwd, startedAt, created, changed, deleted, folders, isBusy, roots } = stage;
  const kinds = new Map(stage.files.map((file) => [file.path, file]));
  const files: ChangedFileDiff[] = [];
  let [at, size, isMore] = [0, 0, false];
  for (const diff of await stages.diff(id)) {
    at += 1;
    if (at <= from) continue;
    const shown = shorten(diff, kinds.get(`${diff.root}/${diff.path}`));
    size += shown.lines.reduce((sum, line) => sum + line.length, 0);
    if (files.length > 0 && (files.length === PAGE_FILES || size > PAGE_CHARACTERS)) {
      isMore = true;
      break;
    }
    files.push(shown);
  }
  return {
    id,
    state,
    command,
    cwd,
    startedAt,
    counts: { created, changed, deleted, folders },
    isBusy,
    roots,
    acts: CHANGES_ACTS.filter((act) => whyNotAct(act, stage, samePath) === null),
    files,
    next: isMore ? from + files.length : null,
    heldBack: describeHeldBack(stage, samePath),
  };
}

function shorten({ root, path, lines, isNewer }: FileDiff, file: StagedCommand['files'][number] | undefined) {
  const shown = lines.slice(0, MAX_LINES).map((line) => {
    const text = Buffer.from(line, 'latin1').toString('utf8');
    return text.length > MAX_LINE ? `${text.slice(0, MAX_LINE)}… (${text.length - MAX_LINE} more characters)` : text;
  });
  return {
    root,
    path,
    change: file?.change ?? 'changed',
    lines: shown,
    omittedLines: lines.length - shown.length,
    isNewer,
  } as const;
}

/** The same refusals as on the command line. */
export async function actOn(body: Readonly<Record<string, unknown>>): Promise<ActReport> {
  const act = CHANGES_ACTS.find((each) => each === body.act);
  if (act === undefined || typeof body.id !== 'string')
    throw new Refused(400, `Name the id, and one of ${CHANGES_ACTS.join(', ')}.`);
  const force = body.force === true;
  if (force && act !== 'undo' && act !== 'redo') throw new Refused(400, `${act} cannot be forced.`);
  try {
    const outcome = await actOnChanges({ act, id: body.id, by: 'dashboard', force });
    const { unrecorded } = outcome;
    if (outcome.kind === 'done') return { kind: 'done', state: outcome.stage.state, aside: outcome.aside, unrecorded };
    return { kind: 'refused', ...explain(outcome.problem), unrecorded };
  } catch (error) {
    if (!(error instanceof HardshellError)) throw error;
    throw new Refused(409, error.hint === null ? error.message : `${error.message} ${error.hint}`);
  }
}

function explain({ message, hint, next, conflicts }: ActProblem) {
  return { message, hint, next, conflicts: conflicts.slice(0, PAGE_FILES) };
}
