// P28: `Bash` with its six fields and `BashOutput`, `TaskOutput`, and `Tasks` for its /tasks.

import { engineOf } from '../../core/profile-rules.ts';
import type { RunResult, SessionOptions } from '../../core/running.ts';
import { insteadForModel } from '../../core/values/refusal-advice.ts';
import type { Calling, Profile, Surroundings, ToolAnswer } from '../profile.ts';
import { answer, createTool, MAY_DO_ANYTHING, ONLY_LOOKS, objectSchema, runAsked } from '../shared/call.ts';
import { resolveFolder } from '../shared/folders.ts';
import type { Fields } from '../shared/input.ts';
import { describeSurroundings } from '../shared/surroundings.ts';
import { TASK_OUTPUT_TOOL, TASK_STOP_TOOL } from '../shared/task-tools.ts';
import { TASK_SCHEMA, taskFields, visibleTasks } from '../shared/tasks.ts';
import {
  decisiveFindings,
  describeNotes,
  describeRefusal,
  describeRunning,
  describeWithheld,
  withNotes,
} from '../shared/wording.ts';
import { type BashConfig, completeConfig, DEFAULT_BASH_CONFIG } from './configuration.ts';
import { drawBackground, drawBlocked, drawCompleted, drawTasks, type Ended } from './screens.ts';

export function createProposal0028(given: Partial<BashConfig> = {}): Profile {
  const config = completeConfig(given);
  return {
    name: 'proposal-0028',
    engine: engineOf('proposal-0028', { 'proposal-0028': config }),
    tools: [
      createTool({
        name: 'Bash',
        title: 'Bash',
        inputSchema: inputSchema(config),
        outputSchema: OUTPUT,
        annotations: MAY_DO_ANYTHING,
        describe: (surroundings) => describeTool(config, surroundings),
        perform: (input, calling) => perform(input, calling, config),
        refuse: (problem) => answer(problem, { ...NOTHING, stderr: problem }, true),
      }),
      TASK_OUTPUT_TOOL,
      TASK_STOP_TOOL,
      TASKS_TOOL,
    ],
  };
}

const NOTHING: Ended = { success: false, stdout: '', stderr: '', exit_code: -1, duration_ms: 0 };

const OUTPUT = objectSchema(
  {
    success: { type: 'boolean', description: 'true only with exit code 0' },
    stdout: { type: 'string' },
    stderr: { type: 'string' },
    exit_code: { type: 'integer', description: '-1 if it was not run, or is still running' },
    duration_ms: { type: 'integer' },
    truncated: { type: 'boolean' },
    task_id: { type: 'string', description: 'of a background task, and of a command that is still running' },
    output_file: { type: 'string', description: 'of a background task, or of output that was truncated' },
  },
  ['success', 'stdout', 'stderr', 'exit_code', 'duration_ms'],
);

function inputSchema(config: BashConfig) {
  const { maxTimeout, requireDescription } = config;
  return objectSchema(
    {
      command: { type: 'string', minLength: 1, description: 'The command to execute (required)' },
      description: { type: 'string', description: 'What this command does (recommended)' },
      timeout: {
        type: 'number',
        minimum: 0,
        // A timeout over `maxTimeout` is cut, not refused.
        maximum: Math.max(DEFAULT_BASH_CONFIG.maxTimeout, maxTimeout),
        description: describeTimeout(config),
      },
      run_in_background: { type: 'boolean', description: 'Run without waiting (returns task_id)' },
      cwd: { type: 'string', minLength: 1, description: 'Working directory override' },
      env: {
        type: 'object',
        additionalProperties: { type: 'string' },
        description: 'Additional environment variables',
      },
    },
    requireDescription ? ['command', 'description'] : ['command'],
  );
}

function describeTimeout({ defaultTimeout, maxTimeout }: BashConfig): string {
  return `Timeout in milliseconds (default: ${Math.min(defaultTimeout, maxTimeout)}, max: ${maxTimeout})`;
}

function describeTool(config: BashConfig, surroundings: Surroundings): string {
  return `Execute shell commands with configurable options.

Parameters:
- command: The command to execute (required)
- description: What this command does (recommended)
- timeout: ${describeTimeout(config)}
- run_in_background: Run without waiting (returns task_id)
- cwd: Working directory override
- env: Additional environment variables

Best practices:
- Always quote paths with spaces
- Use absolute paths when possible
- Use && to chain dependent commands
- Use ; to run commands regardless of previous success
- Prefer dedicated tools over: find, grep, cat, head, tail

For long-running commands, use run_in_background: true
and TaskOutput tool to check results.

${describeSurroundings(surroundings)}`;
}

async function perform(input: Fields, calling: Calling, config: BashConfig): Promise<ToolAnswer> {
  const { command, description, timeout, run_in_background, cwd, env } = input;
  const isBackground = run_in_background === true;
  const timeoutMs = Math.min(Math.ceil(timeout as number) || config.defaultTimeout, config.maxTimeout);
  const options: SessionOptions = {
    profile: 'proposal-0028',
    profiles: { 'proposal-0028': config },
    streams: isBackground ? 'merged' : 'split',
    ...(isBackground && timeout === undefined ? {} : { timeout: timeoutMs }),
    ...(description === undefined ? {} : { description: description as string }),
    ...(cwd === undefined ? {} : { cwd: resolveFolder(cwd as string, calling.session.cwd) }),
    ...(env === undefined ? {} : { env: env as Record<string, string> }),
  };
  const asked = { command: command as string, options, isBackground, holdsTimeout: true };
  const result = await runAsked(calling, asked);
  if (result.status === 'running') return isBackground ? started(result) : stillRunning(result);
  return answerWith(result, (description ?? command) as string);
}

/** The document's text for an explicit start; success refers to the start. */
function started(result: RunResult): ToolAnswer {
  const { task, command, outputFile } = result;
  const notes = describeWithheld(result);
  const ended = { success: true, stdout: `Background task started: ${task}`, stderr: notes.join('\n') };
  const file = outputFile ?? '';
  const box = drawBackground({ id: task, command, outputFile: file });
  return answer(withNotes(box, notes), { ...ended, exit_code: 0, duration_ms: 0, task_id: task, output_file: file });
}

/** The command became a task without being asked to, and its end is not known. */
function stillRunning(result: RunResult): ToolAnswer {
  const { task, outputFile, output, stdout, stderr, startedAt, isTruncated } = result;
  const notes = [
    ...describeRunning(result),
    `Read the rest with TaskOutput {"task_id": "${task}"}; end it with TaskStop.`,
  ];
  const data = {
    ...NOTHING,
    stdout: stdout ?? output,
    stderr: withNotes(stderr ?? '', notes),
    duration_ms: startedAt === null ? 0 : Date.now() - startedAt,
    truncated: isTruncated,
    task_id: task,
    output_file: outputFile ?? '',
  };
  return answer(withNotes(output, notes), data);
}

function answerWith(result: RunResult, what: string): ToolAnswer {
  const { outputFile } = result;
  if (result.status === 'denied') return answer(drawRefusal(result), { ...NOTHING, stderr: reasonOf(result) }, true);
  const ended = endedOf(result);
  // Withheld variables are in stderr.
  const notes = [...describeMeaning(result), ...describeNotes({ ...result, withheld: [] })];
  const text = [drawCompleted(what, ended), ...notes].join('\n');
  const file = outputFile === null ? {} : { output_file: outputFile };
  return { text, data: { ...ended, ...file }, isError: !ended.success, image: result.image };
}

function describeMeaning({ status, exitCode, meaning }: RunResult): readonly string[] {
  return status === 'exited' && meaning !== null ? [`[exit code ${exitCode}: ${meaning}]`] : [];
}

function endedOf(result: RunResult): Ended {
  const { isError, stdout, output, stderr, exitCode, usage, isTruncated, failure, status } = result;
  const said = [...(failure === null ? [] : [failure.message]), ...describeWithheld(result)];
  return {
    // As in the document: 1 from grep or diff is not a success. What the code means is a note.
    success: !isError && exitCode === 0,
    stdout: stdout ?? output,
    stderr: withNotes(stderr ?? '', said),
    exit_code: exitCode ?? (status === 'failed' ? -1 : 1),
    duration_ms: Math.round(usage?.wallMs ?? 0),
    truncated: isTruncated,
  };
}

/** The document's descriptions of its patterns. */
const REASONS: Readonly<Record<string, string>> = {
  'system-deletion': 'Recursive delete from root',
  'device-write': 'Writing to block device',
  'world-writable': 'Insecure permissions',
};

function reasonOf({ verdict, failure }: RunResult): string {
  const findings = decisiveFindings(verdict);
  const listed = findings.find(({ id }) => id === 'blacklisted-command');
  if (listed?.entry !== undefined) return `Command contains blocked pattern: ${listed.entry}`;
  const known = findings.find(({ id }) => REASONS[id] !== undefined);
  return known === undefined ? (failure?.message ?? 'The command was not run.') : (REASONS[known.id] as string);
}

function drawRefusal(result: RunResult): string {
  const { verdict, facts } = result;
  if (verdict.decision !== 'deny') return describeRefusal(result);
  const findings = decisiveFindings(verdict);
  const known = findings.filter(({ id }) => REASONS[id] !== undefined);
  const shown = known.length > 0 ? known : findings;
  const matches = shown.map(({ entry, span, message, id }) => ({
    pattern: entry ?? (span === null ? facts.command : facts.command.slice(...span)),
    // The message of a listed command repeats the entry.
    reason: REASONS[id] ?? (entry === undefined ? message : 'Blocked command'),
  }));
  const instead = [...new Set(shown.flatMap((finding) => insteadForModel(finding) ?? []))];
  const isDeletion = findings.some(({ id }) => /delet/.test(id));
  return drawBlocked(matches, isDeletion ? ['If you need to delete files, specify exact paths.'] : instead);
}

const TASKS_TOOL = createTool({
  name: 'Tasks',
  title: 'Background tasks',
  inputSchema: objectSchema({}),
  outputSchema: objectSchema({ tasks: { type: 'array', items: objectSchema(TASK_SCHEMA) }, error: { type: 'string' } }),
  annotations: ONLY_LOOKS,
  describe: () => 'Lists background tasks and their status (/tasks).',
  perform: async (_, calling) => {
    const tasks = await visibleTasks(calling);
    return answer(drawTasks(tasks), { tasks: tasks.map(taskFields) });
  },
  refuse: (problem) => answer(problem, { error: problem }, true),
});
