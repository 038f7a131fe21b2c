// `hardshell tasks wait`, `stop` and `rm`: changes to a task, or waiting for one.

import type { TaskStore } from '../../../host/tasks.ts';
import type { TaskInfo } from '../../../host.ts';
import { EXIT, writeFailure } from '../failure.ts';
import { SCHEMA_VERSION, toLine } from '../json.ts';
import { process } from '../process.ts';
import { RUN_EXIT } from '../run/options.ts';
import { exitCodeOfTask } from '../run/outcome.ts';
import { settleEnds } from '../task-ends.ts';
import { writeNotes } from '../task-notes.ts';
import { findTask, UNKNOWN_TASK, withTasks } from './find.ts';
import type { RemoveOptions, StopOptions, WaitOptions } from './options.ts';

const NOT_REMOVED = 1;

export function wait(id: string, options: WaitOptions): Promise<number> {
  return withTasks(async (tasks) => {
    const task = await findTask(tasks, id, options);
    if (task === null) return UNKNOWN_TASK;
    const info = await task.wait(options.timeout === undefined ? {} : { timeout: options.timeout * 1_000 });
    if (options.json) process.stdout.write(toLine({ schemaVersion: SCHEMA_VERSION, task: info }));
    switch (info.state) {
      case 'running':
        if (!options.json) process.stderr.write(`hardshell: ${id} is still running.\n`);
        return RUN_EXIT.timedOut;
      case 'lost':
        writeFailure({
          code: 'task-lost',
          message: `The result of ${id} is not known: its supervisor was killed, or the machine was restarted.`,
          hint: `Its output until then: hardshell tasks logs ${id}`,
        });
        return RUN_EXIT.failed;
      case 'finished':
        if (!options.json && info.status === 'timed-out') process.stderr.write(`hardshell: ${id} timed out.\n`);
        if (!options.json && info.status === 'limited')
          process.stderr.write(`hardshell: ${id} exceeded a limit and was ended.\n`);
        if (!options.json) writeNotes(info);
        return exitCodeOfTask(info);
      default:
        return info.state satisfies never;
    }
  });
}

export function stop(id: string, options: StopOptions): Promise<number> {
  return withTasks(async (tasks) => {
    const task = await findTask(tasks, id, options);
    if (task === null) return UNKNOWN_TASK;
    const wasStopped = await task.stop();
    const info = await task.info();
    if (options.json) process.stdout.write(toLine({ schemaVersion: SCHEMA_VERSION, wasStopped, task: info }));
    else process.stdout.write(wasStopped ? `${id} was stopped.\n` : `${id} had already ended.\n`);
    return EXIT.ok;
  });
}

export function remove(ids: readonly string[], options: RemoveOptions): Promise<number> {
  return withTasks(async (tasks) => {
    await settleEnds();
    const removed: string[] = [];
    let exitCode: number = EXIT.ok;
    for (const id of options.finished ? await finishedIds(tasks) : new Set(ids)) {
      const task = options.finished ? await tasks.task(id) : await findTask(tasks, id, {});
      // With --finished another process may have been faster.
      if (task === null) {
        if (!options.finished) exitCode = UNKNOWN_TASK;
        continue;
      }
      const { state } = await task.info();
      if (state === 'running') {
        exitCode = NOT_REMOVED;
        writeFailure({
          code: 'task-running',
          message: `${id} is still running.`,
          hint: `Stop it first: hardshell tasks stop ${id}`,
        });
        continue;
      }
      await task.remove();
      removed.push(id);
    }
    if (options.json) process.stdout.write(toLine({ schemaVersion: SCHEMA_VERSION, removed }));
    else if (removed.length > 0) process.stdout.write(`Removed ${removed.join(', ')}.\n`);
    else if (options.finished) process.stdout.write('No ended tasks.\n');
    return exitCode;
  });
}

async function finishedIds(tasks: TaskStore): Promise<readonly string[]> {
  return (await tasks.tasks()).filter(({ state }: TaskInfo) => state !== 'running').map(({ id }) => id);
}
