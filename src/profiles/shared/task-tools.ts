// `TaskOutput` and `TaskStop`: tools for documents that have background tasks.

import type { ProfileTool } from '../profile.ts';
import { answer, createTool, ONLY_LOOKS, objectSchema } from './call.ts';
import { READ_SCHEMA, readOutput, STOP_SCHEMA, stopTask, TASK_ID } from './tasks.ts';

const WAIT_MS = 30_000;
const MAX_WAIT_MS = 600_000;
const ERROR = { type: 'string', description: 'What is wrong with the request.' };

const refuse = (problem: string) => answer(problem, { error: problem }, true);
const noTask = (id: unknown) => refuse(`No such task: ${JSON.stringify(id)}.`);

export const TASK_OUTPUT_TOOL: ProfileTool = createTool({
  name: 'TaskOutput',
  title: 'Output of a background task',
  inputSchema: objectSchema(
    {
      task_id: TASK_ID,
      block: { type: 'boolean', default: true, description: 'Wait for the task to end.' },
      timeout: {
        type: 'number',
        minimum: 0,
        maximum: MAX_WAIT_MS,
        default: WAIT_MS,
        description: 'How long to wait, in milliseconds.',
      },
      cursor: { type: 'integer', minimum: 0, default: 0, description: 'Where to continue reading.' },
    },
    ['task_id'],
  ),
  outputSchema: objectSchema({ ...READ_SCHEMA, error: ERROR }),
  annotations: ONLY_LOOKS,
  describe: () =>
    'Reads the output of a background task and says whether it is still running. Waits for its end unless block is false.',
  perform: async ({ task_id, block = true, timeout = WAIT_MS, cursor = 0 }, calling) => {
    const waitMs = block === true ? (timeout as number) : 0;
    return (await readOutput(calling, task_id as string, { waitMs, cursor: cursor as number })) ?? noTask(task_id);
  },
  refuse,
});

export const TASK_STOP_TOOL: ProfileTool = createTool({
  name: 'TaskStop',
  title: 'Stop a background task',
  inputSchema: objectSchema({ task_id: TASK_ID }, ['task_id']),
  outputSchema: objectSchema({ ...STOP_SCHEMA, error: ERROR }),
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
  describe: () => 'Ends a background task and every process that it started.',
  perform: async ({ task_id }, calling) => (await stopTask(calling, task_id as string)) ?? noTask(task_id),
  refuse,
});
