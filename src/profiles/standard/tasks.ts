// Background tasks: list them, read their output, write to their input, stop them.
// A session sees only its own tasks unless its surface allows more; other tasks do not exist for it.

import type { TaskHandle, TaskInfo } from '../../core/running.ts';
import type { Calling, ProfileTool, ToolAnswer } from '../profile.ts';
import { answer, createTool, ONLY_LOOKS, objectSchema } from '../shared/call.ts';
import type { Fields } from '../shared/input.ts';
import {
  describeTaskState,
  findTask,
  READ_SCHEMA,
  readOutput,
  STOP_SCHEMA,
  stopTask,
  TASK_ID,
  TASK_SCHEMA,
  taskFields,
  visibleTasks,
} from '../shared/tasks.ts';
import { judgeInput } from './task-input.ts';

const MAX_WAIT_MS = 600_000;

const refuse = (problem: string) => answer(problem, { error: problem }, true);
const noTask = (id: unknown) => refuse(`No such task: ${JSON.stringify(id)}. List tasks with task_list.`);

const ERROR = { type: 'string', description: 'What is wrong with the request.' };

export const TASK_OUTPUT: ProfileTool = createTool({
  name: 'task_output',
  title: 'Read the output of a task',
  inputSchema: objectSchema(
    {
      task_id: TASK_ID,
      wait_ms: {
        type: 'integer',
        minimum: 0,
        maximum: MAX_WAIT_MS,
        default: 0,
        description: 'Wait up to this many milliseconds for the task to end before reading.',
      },
      cursor: {
        type: 'integer',
        minimum: 0,
        default: 0,
        description: 'Where to continue reading: the cursor of the previous answer.',
      },
    },
    ['task_id'],
  ),
  outputSchema: objectSchema({ ...READ_SCHEMA, error: ERROR }),
  annotations: ONLY_LOOKS,
  describe: () =>
    'Reads the output of a background task from a cursor, and says whether the task is still running. wait_ms waits for its end; do not poll in a loop without it.',
  perform: async ({ task_id, wait_ms = 0, cursor = 0 }, calling) =>
    (await readOutput(calling, task_id as string, { waitMs: wait_ms as number, cursor: cursor as number })) ??
    noTask(task_id),
  refuse,
});

export const TASK_INPUT: ProfileTool = createTool({
  name: 'task_input',
  title: 'Write to the input of a task',
  inputSchema: objectSchema(
    {
      task_id: TASK_ID,
      text: { type: 'string', description: 'Written unchanged; end it with a newline if a line is expected.' },
      end: { type: 'boolean', default: false, description: 'Close the input afterwards.' },
    },
    ['task_id', 'text'],
  ),
  outputSchema: objectSchema({
    task_id: { type: 'string' },
    written: { type: 'boolean' },
    reasons: { type: 'array', items: { type: 'string' } },
    error: ERROR,
  }),
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
  describe: () =>
    'Writes to the input of a background task of this session that was started with keep_input_open. Input for a shell or an interpreter is checked like a command, together with all input written before.',
  perform: writeTask,
  refuse,
});

async function writeTask({ task_id, text, end }: Fields, calling: Calling): Promise<ToolAnswer> {
  const task = await findTask(calling, task_id as string);
  // Only the process that started it knows what it has already read.
  if (task === null || (await task.info()).session !== calling.session.id) return noTask(task_id);
  const refusal = await judgeInput(await task.info(), text as string, calling);
  if (refusal !== null)
    return answer(
      `Nothing was written. ${refusal.join('\n')}`,
      { task_id, written: false, reasons: [...refusal] },
      true,
    );
  return write(task, text as string, end === true);
}

async function write(task: TaskHandle, text: string, isEnd: boolean): Promise<ToolAnswer> {
  const isWritten = text === '' || (await task.write(text));
  if (isEnd) task.endInput();
  const { id } = task;
  if (isWritten) return answer(`Written to ${id}.`, { task_id: id, written: true, reasons: [] });
  const problem = `The input of ${id} is closed. Start it with keep_input_open to write to it.`;
  return answer(problem, { task_id: id, written: false, reasons: [problem] }, true);
}

export const TASK_STOP: ProfileTool = createTool({
  name: 'task_stop',
  title: 'Stop a task',
  inputSchema: objectSchema({ task_id: TASK_ID }, ['task_id']),
  outputSchema: objectSchema({ ...STOP_SCHEMA, error: ERROR }),
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
  describe: () => 'Ends a background task and every process that it started. Its output can still be read.',
  perform: async ({ task_id }, calling) => (await stopTask(calling, task_id as string)) ?? noTask(task_id),
  refuse,
});

export const TASK_LIST: ProfileTool = createTool({
  name: 'task_list',
  title: 'List tasks',
  inputSchema: objectSchema({
    state: { type: 'string', enum: ['running', 'finished', 'lost'], description: 'Only tasks in this state.' },
  }),
  outputSchema: objectSchema({
    tasks: { type: 'array', items: objectSchema(TASK_SCHEMA) },
    error: ERROR,
  }),
  annotations: ONLY_LOOKS,
  describe: () => 'Lists the background tasks, newest first, with their state, exit code and command.',
  perform: async ({ state }, calling) => {
    const all = await visibleTasks(calling);
    const shown = all.filter((task) => state === undefined || task.state === state);
    const line = (task: TaskInfo) => `${task.id}  ${describeTaskState(task)}  ${task.command}`;
    const text = shown.length === 0 ? 'No tasks.' : shown.map(line).join('\n');
    return answer(text, { tasks: shown.map(taskFields) });
  },
  refuse,
});
