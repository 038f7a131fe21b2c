// One request on its way through the tool: its permission, its task, its observers, and its place in the queue.

import { HardshellError } from '../core/errors.ts';
import { createFailure } from '../core/failure.ts';
import type { ShellObserver } from '../core/observer.ts';
import type { RunResult } from '../core/running.ts';
import { defined } from '../core/values/defined.ts';
import { describeError } from '../core/values/error-text.ts';
import type { RunQueue, Slot } from '../run/queue.ts';
import { createTaskId, nameFiles, type TaskFiles } from '../tasks/names.ts';
import type { TaskFields } from '../tasks/registry.ts';
import type { Terms } from '../terms/terms.ts';
import { EventFeed, type Listeners } from './events/feed.ts';
import { ObservedRun } from './events/observed-run.ts';
import { cancelled } from './failures.ts';
import type { AnalyzedCommand } from './permission.ts';

export interface Run {
  readonly analyzed: AnalyzedCommand;
  readonly terms: Terms;
  readonly fields: TaskFields;
  /** Where outputs and records are stored. */
  readonly folder: string;
  readonly files: TaskFiles;
  /** Why there is no such folder: then the command does not start. */
  readonly problem: unknown;
  readonly feed: EventFeed;
  readonly observed: ObservedRun;
}

export function createRun(
  analyzed: AnalyzedCommand,
  tasks: { path(): string },
  observers: readonly ShellObserver[],
  listeners: Listeners,
): Run {
  const { terms } = analyzed;
  if (terms.requiresDescription && terms.description === null)
    throw new HardshellError('invalid-argument', `The profile ${terms.profile} requires a description.`, {
      hint: 'Pass as description what the command does.',
    });
  const { folder, problem } = findFolder(tasks);
  const { cwd, description, session } = terms;
  const id = createTaskId(folder, terms.args === null ? (terms.shell ?? 'bash') : 'run');
  const fields = { id, command: terms.text, description, cwd, session };
  const files = nameFiles(folder ?? '/nonexistent', id);
  const feed = new EventFeed(id, listeners);
  const observed = observe(id, terms, observers, feed);
  return { analyzed, terms, fields, folder: folder ?? '', files, problem, feed, observed };
}

/** To another folder, before it has files. */
export function moveRun(run: Run, folder: string): Run {
  return { ...run, folder, files: nameFiles(folder, run.fields.id) };
}

function findFolder(tasks: { path(): string }): { readonly folder: string | null; readonly problem: unknown } {
  try {
    return { folder: tasks.path(), problem: null };
  } catch (problem) {
    return { folder: null, problem };
  }
}

export function observe(
  task: string,
  terms: Terms,
  observers: readonly ShellObserver[],
  feed: EventFeed | null,
): ObservedRun {
  const { text: command, args, shell = null, cwd, session, user, profile, isBackground, description } = terms;
  const said = description === null ? {} : { description };
  const request = { task, command, args, shell, cwd, session, user, profile, isBackground, ...said };
  const complain = (error: unknown) =>
    void feed?.emit({ type: 'error', message: `Recording failed: ${describeError(error)}.`, violation: null });
  return new ObservedRun(observers, request, complain);
}

/** Why a command did not run. */
export type NotRun = Pick<RunResult, 'failure'> & Partial<Pick<RunResult, 'status'>>;

/** A free slot among the running commands, or why there is none. */
export type Turn = { readonly slot: Slot | null; readonly hasWaited: boolean } | { readonly notRun: NotRun };

export function findRoomForTask({ running, most }: { readonly running: number; readonly most: number }): Turn {
  if (running < most) return { slot: null, hasWaited: false };
  return noRoom(`${running} tasks are already running, which is the limit.`);
}

function noRoom(message: string): Turn {
  return { notRun: { failure: { ...createFailure('insufficient_resources'), message } } };
}

export async function waitForTurn(queue: RunQueue, { terms, feed, analyzed }: Run): Promise<Turn> {
  const { session, signal } = terms;
  try {
    const turn = queue.acquire({
      session: session ?? '',
      isReadOnly: analyzed.facts.readOnly,
      ...defined({ signal }),
    });
    let hasCome = false;
    const come = () => {
      hasCome = true;
    };
    turn.then(come, come);
    // A free slot is given at once; `come` was queued before the code that follows here.
    await null;
    const hasWaited = !hasCome;
    if (hasWaited) feed.emit({ type: 'status', status: 'waiting', pid: null });
    return { slot: await turn, hasWaited };
  } catch (error) {
    return signal?.aborted ? { notRun: cancelledBefore() } : noRoom(describeError(error));
  }
}

export function cancelledBefore(): NotRun {
  const { status, failure } = cancelled('The caller cancelled the command before it started.');
  return { status, failure };
}
