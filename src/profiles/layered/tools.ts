// LAYER: one tool `bash` with `BashToolInput` and `BashToolOutput`.

import { createFailure, type Failure } from '../../core/failure.ts';
import { engineOf } from '../../core/profile-rules.ts';
import type { RunResult, SessionOptions, ShellEvent } from '../../core/running.ts';
import type { Calling, Profile, Surroundings, ToolAnswer } from '../profile.ts';
import { answer, createTool, MAY_DO_ANYTHING, runAsked } from '../shared/call.ts';
import { type Fields, readInput } from '../shared/input.ts';
import { describeSurroundings } from '../shared/surroundings.ts';
import { TASK_OUTPUT_TOOL, TASK_STOP_TOOL } from '../shared/task-tools.ts';
import { describeResult } from '../shared/wording.ts';
import { type BashConfiguration, completeConfiguration } from './configuration.ts';
import { findFailure } from './errors.ts';
import { inputSchema, readRequest } from './input.ts';
import { mergeConfiguration } from './integration.ts';
import { drawOutput, OUTPUT_SCHEMA } from './output.ts';
import { adaptFailure } from './recovery.ts';
import { Sighting } from './sighting.ts';

export function createLayered(given: Partial<BashConfiguration> = {}): Profile {
  const config = completeConfiguration(given);
  return {
    name: 'layered',
    engine: engineOf('layered', { layered: config }),
    tools: [
      createTool({
        name: 'bash',
        title: 'Run a command',
        inputSchema: inputSchema(config),
        outputSchema: OUTPUT_SCHEMA,
        annotations: MAY_DO_ANYTHING,
        describe: (surroundings) => describeTool(config, surroundings),
        perform: (input, calling) => performTool(input, calling, mergeConfiguration(calling, config)),
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
- It is ended after timeout milliseconds (default ${config.defaultTimeout}), past ${config.maxOutputSize} bytes of output, ${config.maxMemoryUsage} bytes of memory or ${config.maxProcesses} processes.
- It gets ${config.maxCpuUsage} % of a CPU: the kernel slows it down to that where control groups are available, otherwise it is ended above it.
- The text of output over 128 KB is its beginning and end; the fields stdout and stderr have all of it.
- A refusal has an error with its type and recovery_suggestions.

${describeSurroundings(surroundings)}`;
}

/** An answer, and what only the protocol of the document needs. */
export interface Performed {
  readonly answer: ToolAnswer;
  readonly result: RunResult | null;
  readonly failure: Failure | null;
  readonly peakMemoryBytes: number | null;
}

async function performTool(input: Fields, calling: Calling, config: BashConfiguration): Promise<ToolAnswer> {
  // The limits of a session may be lower than those that the schema was made with.
  const read = readInput(inputSchema(config), input);
  if (!read.ok) return refused(read.problem);
  return (await performLayered(input, calling, config)).answer;
}

export async function performLayered(
  input: Fields,
  calling: Calling,
  config: BashConfiguration,
  more: Pick<SessionOptions, 'user'> = {},
): Promise<Performed> {
  const { session, shell, onEvent } = calling;
  if (input.max_file_operations !== undefined) return unsupported(NOT_COUNTED);
  const request = readRequest(input, config, session.cwd);
  const seen = new Sighting(session.cwd, { limit: request.outputLimit, isMonitored: config.enableMonitoring });
  seen.timeline.add('requested', Date.now());
  const hear = (event: ShellEvent) => {
    seen.hear(event);
    return isForwarded(event, input, config) ? onEvent?.(event) : undefined;
  };
  const asked = { ...request, options: { ...request.options, ...more } };
  const result = await runAsked({ ...calling, onEvent: hear }, asked);
  seen.timeline.add('answered', Date.now());
  const isRunning = result.status === 'running';
  // The answer has all of it.
  if (!isRunning && result.outputFile !== null) await (await shell.task(result.task))?.remove();
  const isCaptured = input.capture_output !== false;
  const found = findFailure(result);
  const failure = found === null ? null : adaptFailure(found, { request, config, result });
  const data = drawOutput(result, { request, seen, failure, isCaptured });
  const shown = isCaptured ? {} : { output: isRunning ? '' : NOT_CAPTURED, image: null };
  // Any other exit code has a meaning of its own.
  const told = result.failure !== null || result.exitCode === 0 ? failure : null;
  const seenByModel = { ...result, failure: told, outputFile: isRunning ? result.outputFile : null, ...shown };
  const text = describeResult(seenByModel, null);
  const isCut = isCaptured && !isRunning && result.isTruncated;
  const whole = isCut ? '\n[the fields stdout and stderr of this result have the whole output]' : '';
  const next = isRunning ? `\nRead the rest with TaskOutput {"task_id": "${result.task}"}; end it with TaskStop.` : '';
  const image = isCaptured ? result.image : null;
  return {
    answer: { text: text + whole + next, data, isError: !isRunning && data.success !== true, image },
    result,
    failure,
    peakMemoryBytes: seen.peakMemory(result.usage?.peakMemoryBytes ?? null),
  };
}

const NOT_CAPTURED = '(the output was not captured)';
const NOT_COUNTED =
  'max_file_operations cannot be enforced: file operations are not counted. Remove it; allowed_paths limits which files can be changed.';

function unsupported(problem: string): Performed {
  const failure = { ...createFailure('invalid_configuration'), message: problem };
  return { answer: refused(problem), result: null, failure, peakMemoryBytes: null };
}

/** Which events a caller that listens gets: output only if the request asks for it, updates only with monitoring. */
function isForwarded({ type }: ShellEvent, { stream_output }: Fields, config: BashConfiguration): boolean {
  if (type === 'stdout' || type === 'stderr') return config.enableStreaming && stream_output === true;
  return type !== 'resource' || config.enableMonitoring;
}
