// CC: the tool `Bash`, and the two that its background tasks need. Results use the field names of its document.

import { engineOf } from '../../core/profile-rules.ts';
import type { RunResult, SessionOptions } from '../../core/running.ts';
import type { Calling, Profile, Surroundings, ToolAnswer } from '../profile.ts';
import { answer, createTool, MAY_DO_ANYTHING, objectSchema, runAsked } from '../shared/call.ts';
import type { Fields } from '../shared/input.ts';
import { describeSurroundings } from '../shared/surroundings.ts';
import { TASK_OUTPUT_TOOL, TASK_STOP_TOOL } from '../shared/task-tools.ts';
import { describeResult } from '../shared/wording.ts';
import { nameMeaning, nameWarnings } from './wording.ts';

const DEFAULT_MS = 120_000;
const MAX_MS = 600_000;
/** The document's ASSISTANT_BLOCKING_BUDGET_MS: a command that takes longer continues in the background. */
const BLOCKING_BUDGET_MS = 15_000;

const optional = (type: string, description: string) => ({ type: [type, 'null'], description });

const OUTPUT = objectSchema(
  {
    stdout: { type: 'string' },
    stderr: { type: 'string', description: 'ends with a block that lists everything the sandbox refused' },
    code: optional('integer', 'the exit code; null if there is none, or the command is still running'),
    interrupted: { type: 'boolean', description: 'ended by its timeout, a limit or the caller' },
    isError: { type: 'boolean', description: 'false if the exit code is not a failure, such as 1 from grep' },
    returnCodeInterpretation: optional('string', 'what the exit code means for this command'),
    isImage: { type: 'boolean' },
    backgroundTaskId: optional('string', 'for TaskOutput and TaskStop'),
    assistantAutoBackgrounded: { type: 'boolean', description: 'it took too long and continues as a task' },
    persistedOutputPath: optional('string', 'path of output over 30 KB; at most 64 MB of it are kept'),
    persistedOutputSize: optional('integer', 'the size of the output in bytes'),
    cwd: { type: 'string', description: 'where the next command starts' },
    sandboxed: { type: 'boolean' },
    warnings: { type: 'array', items: { type: 'string' }, description: 'destructive commands that were allowed' },
    hints: { type: 'array', items: { type: 'object' }, description: 'claude-code-hint tags, removed from the output' },
    changedFiles: { type: 'array', items: { type: 'string' }, description: 'known to be created, changed or deleted' },
    changedFilesComplete: { type: 'boolean', description: 'false if other files may have changed, too' },
    error: { type: ['object', 'null'] },
  },
  ['stdout', 'stderr', 'interrupted'],
);

export const CLAUDE_CODE: Profile = {
  name: 'claude-code',
  engine: engineOf('claude-code'),
  tools: [
    createTool({
      name: 'Bash',
      title: 'Bash',
      inputSchema: objectSchema(
        {
          command: { type: 'string', minLength: 1, description: 'The command to execute' },
          description: {
            type: 'string',
            description: 'Clear, concise description of what this command does in active voice, 5-10 words',
          },
          timeout: {
            type: 'number',
            minimum: 1,
            maximum: MAX_MS,
            description: `Optional timeout in milliseconds (max ${MAX_MS})`,
          },
          run_in_background: {
            type: 'boolean',
            description: 'Set to true to run this command in the background. Use TaskOutput to read the output later.',
          },
          dangerouslyDisableSandbox: {
            type: 'boolean',
            description: 'Set to true to ask for a run without the sandbox; the policy must allow such requests.',
          },
        },
        ['command'],
      ),
      outputSchema: OUTPUT,
      annotations: MAY_DO_ANYTHING,
      describe: describeTool,
      perform,
      refuse: (problem) =>
        answer(
          problem,
          {
            stdout: '',
            stderr: problem,
            interrupted: false,
            isError: true,
            error: { type: 'invalid_input', message: problem },
          },
          true,
        ),
    }),
    TASK_OUTPUT_TOOL,
    TASK_STOP_TOOL,
  ],
};

function describeTool(surroundings: Surroundings): string {
  return `Executes a bash command and returns its output. The working directory persists between commands; the state of the shell does not.

- timeout: milliseconds, up to ${MAX_MS} (10 minutes). Default ${DEFAULT_MS} (2 minutes).
- A command that takes longer than ${BLOCKING_BUDGET_MS / 1000} seconds continues as a background task.
- run_in_background: returns at once with a task id; read it with TaskOutput, end it with TaskStop.
- Output over 30 KB is kept in a file (at most 64 MB) and shown as a preview with its path.
- Quote paths with spaces. Join commands that depend on each other with &&.
- Read-only commands run without a question; others may need approval or be refused, with the reason.

${describeSurroundings(surroundings)}`;
}

async function perform(input: Fields, calling: Calling): Promise<ToolAnswer> {
  const { command, description, timeout, run_in_background, dangerouslyDisableSandbox } = input;
  const isBackground = run_in_background === true;
  const options: SessionOptions = {
    profile: 'claude-code',
    view: 'claude-code',
    streams: isBackground ? 'merged' : 'split',
    ...(description === undefined ? {} : { description: description as string }),
    ...(timeout === undefined ? {} : { timeout: Math.ceil(timeout as number) }),
    ...(dangerouslyDisableSandbox === true ? { withoutSandbox: true } : {}),
  };
  const asked = { command: command as string, options, isBackground, holdsTimeout: timeout !== undefined };
  const answerWithin = Math.min(calling.answerWithin ?? BLOCKING_BUDGET_MS, BLOCKING_BUDGET_MS);
  const ended = await runAsked({ ...calling, answerWithin }, asked);
  const result = { ...ended, meaning: nameMeaning(ended.meaning) };
  const next =
    result.status === 'running'
      ? `\nRead the rest with TaskOutput {"task_id": "${result.task}"}; end it with TaskStop.`
      : '';
  return {
    text: describeResult(result) + next,
    data: fieldsOf(result, isBackground),
    isError: result.isError,
    image: result.image,
  };
}

const INTERRUPTED = new Set(['timed-out', 'cancelled', 'limited']);

function fieldsOf(result: RunResult, isBackground: boolean): Fields {
  const { status, failure, files, enforcement, verdict } = result;
  const isTask = status === 'running';
  const problem = failure === null ? [] : [failure.message];
  return {
    stdout: result.stdout ?? result.output,
    stderr: [result.stderr ?? '', ...problem].filter((text) => text !== '').join('\n'),
    code: result.exitCode,
    interrupted: INTERRUPTED.has(status),
    isError: result.isError,
    returnCodeInterpretation: result.meaning,
    isImage: result.image !== null,
    backgroundTaskId: isTask ? result.task : null,
    assistantAutoBackgrounded: isTask && !isBackground,
    persistedOutputPath: isTask ? null : result.outputFile,
    persistedOutputSize: isTask || result.outputFile === null ? null : result.outputBytes,
    cwd: result.cwd,
    sandboxed: enforcement.tier !== 'none',
    warnings: nameWarnings(verdict.findings, result.facts)
      .filter(({ layer }) => layer === 'warnings')
      .map(({ message }) => message),
    hints: [...result.hints],
    changedFiles: [...files.created, ...files.changed, ...files.deleted],
    changedFilesComplete: files.isComplete && !isTask,
    error:
      failure === null ? null : { type: failure.type, message: failure.message, suggestions: [...failure.suggestions] },
  };
}
