// Tasks in the profiles: which tasks a session sees, and the fields of one.

import type { TaskHandle, TaskInfo } from '../../core/running.ts';
import { defined } from '../../core/values/defined.ts';
import type { Calling, ToolAnswer } from '../profile.ts';
import { answer } from './call.ts';
import type { Fields } from './input.ts';

export const TASK_ID = { type: 'string', minLength: 1, description: 'The task_id of the answer that started it.' };

const text = { type: 'string' };
const count = { type: 'integer' };
export const TASK_SCHEMA = {
  task_id: text,
  state: { type: 'string', enum: ['running', 'finished', 'lost'] },
  command: text,
  description: { type: ['string', 'null'] },
  cwd: text,
  pid: count,
  exit_code: { type: ['integer', 'null'] },
  signal: { type: ['string', 'null'] },
  cause: { type: ['string', 'null'], description: 'why hardshell ended it: timeout, stopped, memory-limit, …' },
  started_at: { type: 'string', description: 'ISO 8601' },
  finished_at: { type: ['string', 'null'] },
  output_file: text,
  output_bytes: count,
} as const;

export function taskFields(task: TaskInfo): Fields {
  return {
    task_id: task.id,
    state: task.state,
    command: task.command,
    description: task.description,
    cwd: task.cwd,
    pid: task.pid,
    exit_code: task.exitCode,
    signal: task.signal,
    cause: task.cause,
    started_at: new Date(task.startedAt).toISOString(),
    finished_at: task.finishedAt === null ? null : new Date(task.finishedAt).toISOString(),
    output_file: task.outputFile,
    output_bytes: task.outputBytes,
  };
}

/** Ends that did not come from the command itself. */
const CAUSES: Readonly<Record<string, string>> = {
  timeout: 'its timeout ended it',
  cancelled: 'it was cancelled',
  stopped: 'it was stopped',
  'output-limit': 'ended because it wrote more output than allowed',
  'memory-limit': 'ended because it used more memory than allowed',
  'cpu-limit': 'ended because it used more CPU than allowed',
  'cpu-time-limit': 'ended because it used more CPU time than allowed',
  'process-limit': 'ended because it started more processes than allowed',
  disk: 'ended because its output could not be stored',
  exposed: 'ended to protect a file that was replaced outside of the sandbox',
};

export function describeTaskState({ state, exitCode, signal, cause }: TaskInfo): string {
  if (state !== 'finished') return state === 'lost' ? 'lost: its supervisor is gone' : 'running';
  const by = signal === null ? `exit code ${exitCode}` : signal;
  if (cause !== null) return `finished: ${CAUSES[cause] ?? `hardshell ended it: ${cause}`} (${by})`;
  return signal === null ? `finished with exit code ${exitCode}` : `finished: ended by ${signal}`;
}

function isVisible(task: TaskInfo, { visibleTasks: which = 'session', session }: Calling): boolean {
  return which === 'all' || task.session === session.id;
}

/** Newest first. */
export async function visibleTasks(calling: Calling): Promise<readonly TaskInfo[]> {
  const all = await calling.shell.tasks();
  return all.filter((task) => isVisible(task, calling));
}

/** `null` for a task that does not exist or that this session must not see. */
export async function findTask(calling: Calling, id: string): Promise<TaskHandle | null> {
  const task = await calling.shell.task(id);
  return task !== null && isVisible(await task.info(), calling) ? task : null;
}

const READ_BYTES = 30_000;

export const READ_SCHEMA = {
  ...TASK_SCHEMA,
  output: { type: 'string', description: 'What was written after the cursor.' },
  cursor: { type: 'integer', description: 'Where to continue reading.' },
  at_end: { type: 'boolean', description: 'The task has ended, and this is the last of its output.' },
} as const;

/** Waits for its end, then reads; `null` for a task that does not exist. */
export async function readOutput(
  calling: Calling,
  id: string,
  { waitMs, cursor }: { readonly waitMs: number; readonly cursor: number },
): Promise<ToolAnswer | null> {
  const task = await findTask(calling, id);
  if (task === null) return null;
  const { signal, answerWithin = Number.POSITIVE_INFINITY } = calling;
  const timeout = Math.min(waitMs, answerWithin);
  if (timeout > 0) await task.wait({ timeout, ...defined({ signal }) });
  const read = await task.read({ cursor, limitBytes: READ_BYTES });
  const info = await task.info();
  const state = `[${describeTaskState(info)}${read.isAtEnd ? '' : `; continue with cursor ${read.cursor}`}]`;
  const text = read.text === '' ? '(no new output)\n' : read.text.endsWith('\n') ? read.text : `${read.text}\n`;
  const fields = { ...taskFields(info), output: read.text, cursor: read.cursor, at_end: read.isAtEnd };
  const notes = read.isAtEnd ? info.notes.map((note) => `\n[${note}]`) : [];
  return answer(text + state + notes.join(''), fields);
}

export async function stopTask(calling: Calling, id: string): Promise<ToolAnswer | null> {
  const task = await findTask(calling, id);
  if (task === null) return null;
  const stopped = await task.stop();
  const info = await task.info();
  const text = stopped ? `${info.id} was stopped.` : `${info.id} had already ended: ${describeTaskState(info)}.`;
  return answer(text, { ...taskFields(info), stopped });
}

export const STOP_SCHEMA = { ...TASK_SCHEMA, stopped: { type: 'boolean' } } as const;
