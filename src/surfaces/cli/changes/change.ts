// `hardshell undo`, `redo`, `apply` and `drop`: shows what would change, asks, and does it.

import { actOnChanges, recordAct } from '../../../host/changes-acts.ts';
import {
  type ActProblem,
  type CompletedStage,
  openStages,
  type StagedCommand,
  type VerbAnswer,
  whyNotAct,
} from '../../../host/stages.ts';
import type { ChangesAct } from '../../../host/values.ts';
import { refuseInside } from '../config/surroundings.ts';
import { confirm } from '../confirm.ts';
import { EXIT, reportFailure, writeFailure } from '../failure.ts';
import { SCHEMA_VERSION, toLine } from '../json.ts';
import { process } from '../process.ts';
import { usageError } from '../refusal.ts';
import { createTerminal } from '../show/terminal.ts';
import { visible } from '../show/visible.ts';
import { age } from '../tasks/list.ts';
import { countText, drawFiles, drawHeldBack, nearPath } from './drawing.ts';
import { choose, currentPlace, isOfFolder, NOTHING } from './find.ts';
import type { ChangeOptions } from './options.ts';

export async function change(verb: ChangesAct, id: string | undefined, options: ChangeOptions): Promise<number> {
  try {
    return await perform(verb, id, options);
  } catch (error) {
    return reportFailure(error, { json: options.json === true, ownFailure: EXIT.internal });
  }
}

async function perform(verb: ChangesAct, id: string | undefined, options: ChangeOptions): Promise<number> {
  refuseInside(`${verb} staged changes`);
  const stages = openStages();
  const interrupted = await stages.complete();
  const all = await stages.list();
  const completed = findCompleted(verb, id, interrupted, all);
  if (completed !== null) {
    complainUnrecorded(await recordAct({ act: verb, by: 'cli' }, completed, { outcome: 'done' }));
    report(verb, completed, [], options);
    return EXIT.ok;
  }
  const chosen = choose(all, id, verb, options);
  if (chosen === null) return NOTHING;
  const here = currentPlace();
  const show = (path: string) => nearPath(path, here);
  // What cannot be done is not asked about.
  if (whyNotAct(verb, chosen, show) === null && !(await isAgreed(verb, chosen, options))) {
    process.stderr.write('hardshell: Nothing was changed.\n');
    return NOTHING;
  }
  const outcome = await actOnChanges({ act: verb, id: chosen.id, by: 'cli', force: options.force === true, show });
  complainUnrecorded(outcome.unrecorded);
  if (outcome.kind === 'refused') return refuse(outcome.problem, options);
  report(verb, outcome.stage, outcome.aside, options);
  return EXIT.ok;
}

function complainUnrecorded(reason: string | null): void {
  if (reason !== null) process.stderr.write(`hardshell: This could not be recorded: ${visible(reason)}\n`);
}

const INTERRUPTED: Readonly<Record<ChangesAct, string | null>> = {
  undo: 'undoing',
  redo: 'redoing',
  apply: 'landing',
  drop: null,
};

/** The same verb was interrupted, and has just been completed: it must not be used on the next one as well. */
function findCompleted(
  verb: ChangesAct,
  id: string | undefined,
  interrupted: readonly CompletedStage[],
  all: readonly StagedCommand[],
): StagedCommand | null {
  const here = currentPlace();
  const ids = interrupted.filter(({ was }) => was === INTERRUPTED[verb]).map((stage) => stage.id);
  const isMeant = (stage: StagedCommand) => (id === undefined ? isOfFolder(stage, here) : stage.id === id);
  return all.find((stage) => ids.includes(stage.id) && isMeant(stage)) ?? null;
}

const INSTEAD: Readonly<Record<ChangesAct, string>> = {
  undo: 'Undo them',
  redo: 'Make them again',
  apply: 'Apply them',
  drop: 'Delete them',
};

/** As a person would do it. */
function adviceFor({ code, hint, next }: ActProblem): string | null {
  if (next === null) return hint;
  const { act, id, force } = next;
  const typed = `hardshell ${act} ${force ? '--force ' : ''}${id}`;
  if (force) return `Keep the newer files aside and ${act} anyway: ${typed}`;
  if (code !== 'conflict') return `${INSTEAD[act]}: ${typed}`;
  return `${act === 'undo' ? 'Undo' : 'Redo'} ${id} first: ${typed}`;
}

function refuse(problem: ActProblem, { json }: ChangeOptions): number {
  const { code, message } = problem;
  const failure = { code, message, hint: adviceFor(problem) };
  if (json) process.stdout.write(toLine({ schemaVersion: SCHEMA_VERSION, error: failure }));
  writeFailure(failure);
  return NOTHING;
}

const QUESTIONS: Readonly<Record<ChangesAct, string>> = {
  undo: 'Undo these changes?',
  redo: 'Make these changes again?',
  apply: 'Apply these changes?',
  drop: 'Delete these changes?',
};

async function isAgreed(verb: ChangesAct, stage: StagedCommand, options: ChangeOptions): Promise<boolean> {
  if (options.yes) return true;
  if (options.json || process.stdin.isTTY !== true || process.stderr.isTTY !== true)
    throw usageError(
      'No terminal to ask in, so nothing was changed.',
      `Add --yes: hardshell ${verb} --yes ${stage.id}`,
    );
  const output: NodeJS.WriteStream = process.stderr;
  const terminal = createTerminal(options, process.env, output as typeof process.stdout);
  const title = `${visible(stage.id)}  ${age(Date.now() - stage.startedAt)} ago  ${visible(stage.command)}`;
  const question =
    verb === 'drop' && stage.state !== 'held' ? 'Keep these changes and make them final?' : QUESTIONS[verb];
  process.stderr.write(`${[title, ...drawFiles(stage, currentPlace(), terminal)].join('\n')}\n`);
  return confirm(question);
}

const DONE: Readonly<Record<ChangesAct, string>> = {
  undo: 'Undone',
  redo: 'Made again',
  apply: 'Applied',
  drop: 'Dropped',
};

function report(verb: ChangesAct, stage: StagedCommand, aside: VerbAnswer['aside'], options: ChangeOptions): void {
  const { id, state } = stage;
  if (options.json) {
    process.stdout.write(toLine({ schemaVersion: SCHEMA_VERSION, ...stage, aside }));
    return;
  }
  const back =
    verb === 'undo' ? ` Redo: hardshell redo ${id}` : state === 'landed' ? ` Undo: hardshell undo ${id}` : '';
  process.stdout.write(`${DONE[verb]}: ${id}, ${countText(stage)}.${back}\n`);
  const here = currentPlace();
  for (const { path, movedTo } of aside)
    process.stdout.write(`  ${visible(nearPath(path, here))} was newer, and is now ${visible(movedTo)}\n`);
  const held = verb === 'apply' ? drawHeldBack(stage, here) : [];
  if (held.length > 0) process.stderr.write(`${held.join('\n')}\n`);
}
