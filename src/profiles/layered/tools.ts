// LAYER: one tool `bash` with `BashToolInput` and `BashToolOutput`.

import { createFailure, type Failure } from '../../core/failure.ts';
import type { RunResult, ShellEvent } from '../../core/running.ts';
import type { Calling, Profile, Surroundings, ToolAnswer } from '../profile.ts';
import { answer, createTool, MAY_DO_ANYTHING, runAsked } from '../shared/call.ts';
import type { Fields } from '../shared/input.ts';
import { describeSurroundings } from '../shared/surroundings.ts';
import { TASK_OUTPUT_TOOL, TASK_STOP_TOOL } from '../shared/task-tools.ts';
import { describeResult } from '../shared/wording.ts';
import { type BashConfiguration, DEFAULT_BASH_CONFIGURATION, MAX_TIMEOUT_MS } from './configuration.ts';
import { userMessage } from './errors.ts';
import { inputSchema, type LayeredRequest, readRequest } from './input.ts';
import { mergeConfiguration } from './integration.ts';
import { drawOutput, OUTPUT_SCHEMA } from './output.ts';
import { Sighting } from './sighting.ts';

export function createLayered(given: Partial<BashConfiguration> = {}): Profile {
  const config: BashConfiguration = { ...DEFAULT_BASH_CONFIGURATION, ...given };
  return {
    name: 'layered',
    engine: { view: 'req', timeout: config.defaultTimeout, maxTimeout: MAX_TIMEOUT_MS },
    tools: [
      createTool({
        name: 'bash',
        title: 'Run a command',
        inputSchema: inputSchema(config),
        outputSchema: OUTPUT_SCHEMA,
        annotations: MAY_DO_ANYTHING,
        describe: (surroundings) => describeTool(config, surroundings),
        perform: (input, calling) => performLayered(input, calling, mergeConfiguration(calling, config)),
        refuse: (problem) => refused(problem),
      }),
      // For commands that took longer than the surface could wait.
      TASK_OUTPUT_TOOL,
      TASK_STOP_TOOL,
    ],
  };
}

function refused(problem: string): ToolAnswer {
  const { type } = createFailure('invalid_configuration');
  const error = { type, message: problem, recovery_suggestions: ['Correct the input, then try again.'] };
  return answer(problem, { success: false, exit_code: -1, stdout: '', stderr: '', error }, true);
}

function describeTool(config: BashConfiguration, surroundings: Surroundings): string {
  return `Executes a command in a controlled environment and reports what it used and what was checked.

- command is a program and args are its arguments; nothing is expanded. With enable_shell_features the shell reads the command.
- It is ended after timeout milliseconds (default ${config.defaultTimeout}), past ${config.maxOutputSize} bytes of output, ${config.maxMemoryUsage} bytes of memory, ${config.maxCpuUsage} % of a CPU or ${config.maxProcesses} processes.
- A refusal has an error with its type and recovery_suggestions.

${describeSurroundings(surroundings)}`;
}

export async function performLayered(input: Fields, calling: Calling, config: BashConfiguration): Promise<ToolAnswer> {
  const { session, shell, onEvent } = calling;
  const request = readRequest(input, config, session.cwd);
  const seen = new Sighting(session.cwd, request.outputLimit);
  seen.timeline.add('requested', Date.now());
  const tooMany = input.max_file_operations === undefined ? null : (input.max_file_operations as number);
  const early = tooMany === null ? null : predictedExcess(request, calling, tooMany);
  if (early !== null) return refused(`${userMessage(early)}. The command was not run.`);
  const hear = (event: ShellEvent) => {
    seen.hear(event);
    return onEvent?.(event);
  };
  const result = await runAsked({ ...calling, onEvent: hear }, request);
  seen.timeline.add('answered', Date.now());
  seen.failure = tooMany === null ? null : measuredExcess(result, tooMany);
  // The answer has all of it.
  if (result.status !== 'running' && result.outputFile !== null) await (await shell.task(result.task))?.remove();
  const data = drawOutput(result, request, seen, input.capture_output !== false);
  const text = describeResult({ ...result, outputFile: result.status === 'running' ? result.outputFile : null });
  const note = seen.failure === null ? '' : `\n[${userMessage(seen.failure)}]`;
  const isRunning = result.status === 'running';
  const next = isRunning ? `\nRead the rest with TaskOutput {"task_id": "${result.task}"}; end it with TaskStop.` : '';
  return { text: text + next + note, data, isError: !isRunning && data.success !== true, image: result.image };
}

const excess = (current: number, limit: number): Failure =>
  createFailure('resource_limit_exceeded', { resource: 'file operations', current, limit });

/** The kernel does not count these: effects known from the command are counted before, changes on disk after. */
function predictedExcess(
  { command, options }: LayeredRequest,
  { shell, session }: Calling,
  limit: number,
): Failure | null {
  const { effects } = shell.check(command, session.complete(options)).facts;
  const count = new Set([...effects.writes, ...effects.deletes].map(({ path }) => path)).size;
  return count > limit ? excess(count, limit) : null;
}

function measuredExcess({ files }: RunResult, limit: number): Failure | null {
  const count = files.created.length + files.changed.length + files.deleted.length;
  return count > limit ? excess(count, limit) : null;
}
