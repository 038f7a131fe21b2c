// `hardshell undo`, `redo`, `apply` and `drop`: shows what would change, asks, and does it.

import { type CompletedStage, openStagedCommands, type StagedCommand, type VerbAnswer } from '../../../host/stages.ts';
import { refuseInside } from '../config/surroundings.ts';
import { confirm } from '../confirm.ts';
import { EXIT, reportFailure, writeFailure } from '../failure.ts';
import { SCHEMA_VERSION, toLine } from '../json.ts';
import { process } from '../process.ts';
import { usageError } from '../refusal.ts';
import { createTerminal } from '../show/terminal.ts';
import { visible } from '../show/visible.ts';
import { age } from '../tasks/list.ts';
import { explainBlocked, findBlocker } from './blocked.ts';
import { countText, drawFiles, drawHeldBack, nearPath } from './drawing.ts';
import { choose, currentPlace, FITS, hasFiles, isOfFolder, NOTHING } from './find.ts';
import type { ChangeOptions } from './options.ts';

type Verb = 'undo' | 'redo' | 'apply' | 'drop';

const MAX_CONFLICTS = 10;

export async function change(verb: Verb, id: string | undefined, options: ChangeOptions): Promise<number> {
  try {
    return await perform(verb, id, options);
  } catch (error) {
    return reportFailure(error, { json: options.json === true, ownFailure: EXIT.internal });
  }
}

async function perform(verb: Verb, id: string | undefined, options: ChangeOptions): Promise<number> {
  refuseInside(`${verb} staged changes`);
  const stages = openStagedCommands();
  const interrupted = await stages.complete();
  const all = await stages.list();
  const completed = findCompleted(verb, id, interrupted, all);
  if (completed !== null) {
    report(verb, completed, { kind: 'done', conflicts: [], aside: [] }, options);
    return EXIT.ok;
  }
  const chosen = choose(all, id, verb, options);
  if (chosen === null) return NOTHING;
  const problem = whyNot(verb, chosen);
  if (problem !== null) return refuse(problem, options);
  if (!(await isAgreed(verb, chosen, options))) {
    process.stderr.write('hardshell: Nothing was changed.\n');
    return NOTHING;
  }
  const answer = await stages[verb](chosen.id, options.force ? { force: true } : {});
  if (answer.kind !== 'done') return refuse(await explain(verb, chosen, answer), options);
  const now = (await stages.get(chosen.id)) ?? chosen;
  if (verb === 'apply' && (now.state === 'held' || !hasFiles(now))) return refuse(explainHeld(now), options);
  report(verb, now, answer, options);
  return EXIT.ok;
}

const INTERRUPTED: Readonly<Record<Verb, string | null>> = {
  undo: 'undoing',
  redo: 'redoing',
  apply: 'landing',
  drop: null,
};

/** The same verb was interrupted, and has just been completed: it must not be used on the next one as well. */
function findCompleted(
  verb: Verb,
  id: string | undefined,
  interrupted: readonly CompletedStage[],
  all: readonly StagedCommand[],
): StagedCommand | null {
  const here = currentPlace();
  const ids = interrupted.filter(({ was }) => was === INTERRUPTED[verb]).map((stage) => stage.id);
  const isMeant = (stage: StagedCommand) => (id === undefined ? isOfFolder(stage, here) : stage.id === id);
  return all.find((stage) => ids.includes(stage.id) && isMeant(stage)) ?? null;
}

interface Problem {
  readonly code: string;
  readonly message: string;
  readonly hint: string | null;
}

/** For an id that was named: the state may not fit. */
function whyNot(verb: Verb, stage: StagedCommand): Problem | null {
  const { id, state, isBusy } = stage;
  if (isBusy) return busy(id);
  if (FITS[verb](stage) || (verb === 'drop' && (state === 'landed' || state === 'undone'))) return null;
  const { heldBack } = stage;
  const isOnlyHeld = !hasFiles(stage) && heldBack.length > 0;
  if (isOnlyHeld || (verb === 'apply' && state === 'landed' && heldBack.length > 0)) return explainHeld(stage);
  return { code: 'wrong-state', message: `Cannot ${verb} ${id}: its changes are ${state}.`, hint: nextStep(stage) };
}

function nextStep({ id, state }: StagedCommand): string | null {
  if (state === 'held') return `Apply them: hardshell apply ${id}`;
  if (state === 'landed') return `Undo them: hardshell undo ${id}`;
  return state === 'undone' ? `Make them again: hardshell redo ${id}` : null;
}

function busy(id: string): Problem {
  return {
    code: 'busy',
    message: `Another process works on ${id}, or the command still runs.`,
    hint: 'Try again later.',
  };
}

async function explain(verb: Verb, stage: StagedCommand, answer: VerbAnswer): Promise<Problem> {
  const { kind, conflicts } = answer;
  const { id } = stage;
  if (kind === 'busy') return busy(id);
  const here = currentPlace();
  const shown = conflicts.slice(0, MAX_CONFLICTS).map((path) => nearPath(path, here));
  const more = conflicts.length > shown.length ? ` and ${conflicts.length - shown.length} more` : '';
  const files = `${shown.join(', ')}${more}`;
  const blocker = verb === 'undo' || verb === 'redo' ? await blockerOf(verb, stage, conflicts) : null;
  if (blocker !== null)
    return {
      code: 'conflict',
      message: `Cannot ${verb} ${id}: another command changed the same files: ${files}.`,
      hint: `${blocker.verb === 'undo' ? 'Undo' : 'Redo'} ${blocker.id} first: hardshell ${blocker.verb} ${blocker.id}`,
    };
  const blocked = explainBlocked(verb, id, answer, (path) => nearPath(path, here));
  if (blocked !== null) return { code: 'conflict', ...blocked };
  return {
    code: 'conflict',
    message: `Cannot ${verb} ${id}: changed since then: ${files}.`,
    hint: `Keep the newer files aside and ${verb} anyway: hardshell ${verb} --force ${id}`,
  };
}

async function blockerOf(verb: 'undo' | 'redo', stage: StagedCommand, conflicts: readonly string[]) {
  const all = await openStagedCommands().list({ files: Number.MAX_SAFE_INTEGER });
  return findBlocker(verb, stage, conflicts, all);
}

/** Only what the sandbox does not allow is left. */
function explainHeld(stage: StagedCommand): Problem {
  const lines = drawHeldBack(stage, currentPlace()).slice(1);
  return {
    code: 'held-back',
    message: `Nothing else of ${stage.id} can be applied: ${lines.map((line) => line.trim()).join('; ')}.`,
    hint: `Make these changes yourself; they are shown by: hardshell changes --held ${stage.id}`,
  };
}

function refuse(problem: Problem, { json }: ChangeOptions): number {
  if (json) process.stdout.write(toLine({ schemaVersion: SCHEMA_VERSION, error: problem }));
  writeFailure(problem);
  return NOTHING;
}

const QUESTIONS: Readonly<Record<Verb, string>> = {
  undo: 'Undo these changes?',
  redo: 'Make these changes again?',
  apply: 'Apply these changes?',
  drop: 'Delete these changes?',
};

async function isAgreed(verb: Verb, stage: StagedCommand, options: ChangeOptions): Promise<boolean> {
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

const DONE: Readonly<Record<Verb, string>> = { undo: 'Undone', redo: 'Made again', apply: 'Applied', drop: 'Dropped' };

function report(verb: Verb, stage: StagedCommand, { aside }: VerbAnswer, options: ChangeOptions): void {
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
