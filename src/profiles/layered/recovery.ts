// A failure of the engine → the same in terms of a request: its own values, and suggestions that name its fields.

import type { Failure } from '../../core/failure.ts';
import type { RunResult } from '../../core/running.ts';
import type { BashConfiguration } from './configuration.ts';
import type { LayeredRequest } from './input.ts';

interface Origin {
  readonly request: LayeredRequest;
  readonly config: BashConfiguration;
  readonly result: Pick<RunResult, 'usage'>;
}

const SPLIT = 'Split it into smaller commands.';

export function adaptFailure(failure: Failure, origin: Origin): Failure {
  const { request, result } = origin;
  const { context } = failure;
  switch (failure.type) {
    case 'execution_timeout': {
      const suggestions = ['Set a longer timeout (and max_execution_time, if it is shorter), in milliseconds.', SPLIT];
      return { ...failure, suggestions };
    }
    case 'resource_limit_exceeded': {
      const peak = context.resource === 'memory' ? (result.usage?.peakMemoryBytes ?? null) : null;
      const seen = peak === null ? context : { ...context, current: peak };
      return { ...failure, context: seen, suggestions: [...raiseLimit(failure, origin), SPLIT] };
    }
    case 'command_not_found': {
      // With `args` the command is one word, which the engine shows as the shell would quote it.
      if (request.options.args === undefined) return failure;
      const suggestions = /\s/.test(request.command) ? describeWords(request.command) : failure.suggestions;
      return { ...failure, context: { ...context, command: request.command }, suggestions };
    }
    default:
      return failure;
  }
}

/** Fields of a request by the resource that they limit. */
const FIELDS: Readonly<Record<string, readonly [string, keyof BashConfiguration, 'outputBytes' | 'memoryBytes']>> = {
  output: ['max_output_size', 'maxOutputSize', 'outputBytes'],
  memory: ['max_memory', 'maxMemoryUsage', 'memoryBytes'],
};

/** Only if the configuration allows more than the request did. */
function raiseLimit({ context }: Failure, { request, config }: Origin): readonly string[] {
  const [field, key, limit] = FIELDS[context.resource ?? ''] ?? [];
  if (field === undefined || key === undefined || limit === undefined) return [];
  const most = config[key] as number;
  return (request.options.limits?.[limit] ?? most) < most ? [`Set a higher ${field}, at most ${most}.`] : [];
}

function describeWords(command: string): readonly string[] {
  const [program, ...args] = command.trim().split(/\s+/);
  return [
    `Pass the arguments in args: "command": ${JSON.stringify(program)}, "args": ${JSON.stringify(args)}.`,
    'Or set enable_shell_features to true, so that the shell reads the command.',
  ];
}
