// LAYER's messages: a request, responses while it runs and at its end, and stream chunks.

import { createFailure } from '../../core/failure.ts';
import type { ShellEvent } from '../../core/running.ts';
import { defined } from '../../core/values/defined.ts';
import type { Calling } from '../profile.ts';
import { objectSchema } from '../shared/call.ts';
import { type Fields, readInput } from '../shared/input.ts';
import { type BashConfiguration, DEFAULT_BASH_CONFIGURATION } from './configuration.ts';
import { type BashError, toBashError } from './errors.ts';
import { inputSchema } from './input.ts';
import { mergeConfiguration } from './integration.ts';
import { performLayered } from './tools.ts';

export interface CommandExecutionRequest {
  readonly requestId: string;
  readonly timestamp: number;
  readonly command: string;
  readonly args: readonly string[];
  /** `BashToolInput`; `command` and `args` of the request take precedence. */
  readonly options?: Fields;
  readonly context?: {
    readonly sessionId?: string;
    readonly userId?: string;
    readonly workingDirectory?: string;
    readonly environmentVariables?: Readonly<Record<string, string>>;
  };
  readonly securityContext?: {
    readonly permissions?: readonly string[];
    readonly securityLevel?: string;
    readonly allowedCommands?: readonly string[];
    readonly allowedPaths?: readonly string[];
  };
  readonly monitoring?: {
    readonly enableResourceMonitoring?: boolean;
    readonly enableOutputCapture?: boolean;
    readonly enableSecurityLogging?: boolean;
  };
}

export interface StreamOutputData {
  readonly streamId: string;
  readonly sequenceNumber: number;
  readonly timestamp: number;
  readonly type: 'stdout' | 'stderr' | 'status' | 'resource' | 'error';
  readonly content: string | object;
  readonly metadata?: { readonly lineNumber?: number; readonly byteOffset?: number; readonly encoding?: string };
}

export interface CommandExecutionResponse {
  readonly requestId: string;
  readonly timestamp: number;
  readonly status: 'running' | 'completed' | 'failed' | 'terminated';
  readonly data?: Fields;
  readonly error?: BashError;
  readonly streamData?: {
    readonly type: 'stdout' | 'stderr' | 'resource_update' | 'status_change';
    readonly content: string | object;
    readonly timestamp: number;
  };
  readonly statistics: {
    readonly startTime: number;
    readonly endTime?: number;
    readonly resourceUsage: Fields;
    readonly securityEvents: readonly object[];
  };
}

export interface ProtocolOptions {
  readonly configuration?: Partial<BashConfiguration>;
  /** Called with a response for every event, if `enableStreaming` is set. */
  readonly onResponse?: (response: CommandExecutionResponse) => void;
  /** Called with the same as stream chunks. */
  readonly onStream?: (data: StreamOutputData) => void;
}

export function streamData(event: ShellEvent): StreamOutputData {
  const { task: streamId, sequence: sequenceNumber, time: timestamp } = event;
  const base = { streamId, sequenceNumber, timestamp };
  switch (event.type) {
    case 'stdout':
    case 'stderr': {
      const metadata = { lineNumber: event.line, byteOffset: event.byteOffset, encoding: 'utf-8' };
      return { ...base, type: event.type, content: event.text, metadata };
    }
    case 'status':
      return { ...base, type: 'status', content: { status: event.status, pid: event.pid } };
    case 'resource':
      return { ...base, type: 'resource', content: usageOf(event) };
    case 'violation': {
      const { kind, operation, target, rule } = event;
      return { ...base, type: 'error', content: { kind, operation, target, rule } };
    }
    case 'error':
      return { ...base, type: 'error', content: { message: event.message, violation: event.violation } };
  }
}

function usageOf(event: Extract<ShellEvent, { type: 'resource' }>): Fields {
  const { elapsedMs, cpuPercent, memoryBytes, processes, outputBytes } = event;
  return { elapsedMs, cpuUsage: cpuPercent, memoryUsage: memoryBytes, processes, outputSize: outputBytes };
}

const REQUEST = objectSchema(
  {
    requestId: { type: 'string', minLength: 1 },
    timestamp: { type: 'number' },
    command: { type: 'string', minLength: 1 },
    args: { type: 'array', items: { type: 'string' } },
    options: { type: 'object' },
    context: {
      type: 'object',
      properties: {
        sessionId: { type: 'string' },
        userId: { type: 'string' },
        workingDirectory: { type: 'string' },
        environmentVariables: { type: 'object', additionalProperties: { type: 'string' } },
      },
    },
    securityContext: {
      type: 'object',
      properties: {
        allowedCommands: { type: 'array', items: { type: 'string' } },
        allowedPaths: { type: 'array', items: { type: 'string' } },
      },
    },
    monitoring: { type: 'object' },
  },
  ['requestId', 'timestamp', 'command', 'args'],
);

/** Answers every request with a final response, including invalid ones. */
export async function executeRequest(
  request: CommandExecutionRequest,
  calling: Calling,
  options: ProtocolOptions = {},
): Promise<CommandExecutionResponse> {
  const startTime = Date.now();
  const config = mergeConfiguration(calling, { ...DEFAULT_BASH_CONFIGURATION, ...options.configuration });
  const securityEvents: object[] = [];
  let resourceUsage: Fields = {};
  const respond = (rest: Pick<CommandExecutionResponse, 'status'> & Partial<CommandExecutionResponse>) => ({
    requestId: typeof request?.requestId === 'string' ? request.requestId : '',
    timestamp: Date.now(),
    statistics: { startTime, resourceUsage, securityEvents: [...securityEvents] },
    ...rest,
  });
  const read = readInput(REQUEST, request);
  const input = read.ok ? readInput(inputSchema(config), inputOf(request)) : read;
  if (!input.ok)
    return respond({
      status: 'failed',
      error: { ...toBashError(createFailure('invalid_configuration')), message: input.problem },
    });

  const hear = (event: ShellEvent) => {
    const piece = streamData(event);
    if (event.type === 'resource') resourceUsage = usageOf(event);
    if (event.type === 'violation') securityEvents.push(piece.content as object);
    if (config.enableStreaming) {
      options.onStream?.(piece);
      if (event.type !== 'violation' && event.type !== 'error') {
        const type =
          event.type === 'resource' ? 'resource_update' : event.type === 'status' ? 'status_change' : event.type;
        options.onResponse?.(
          respond({ status: 'running', streamData: { type, content: piece.content, timestamp: event.time } }),
        );
      }
    }
    return calling.onEvent?.(event);
  };
  const { data } = await performLayered(input.value, { ...calling, onEvent: hear }, config);
  const error = data.error as { type: Parameters<typeof createFailure>[0]; message: string } | undefined;
  resourceUsage = (data.resource_usage as Fields | undefined) ?? resourceUsage;
  const statistics = { startTime, endTime: Date.now(), resourceUsage, securityEvents };
  return respond({
    status: statusOf(data, error?.type),
    data,
    statistics,
    ...(error === undefined ? {} : { error: { ...toBashError(createFailure(error.type)), message: error.message } }),
  });
}

const TERMINATED = new Set(['execution_timeout', 'resource_limit_exceeded', 'process_terminated']);

function statusOf(data: Fields, error: string | undefined): CommandExecutionResponse['status'] {
  if (data.task_id !== undefined) return 'running';
  if (error === undefined) return 'completed';
  return TERMINATED.has(error) ? 'terminated' : 'failed';
}

/** Values outside of `options` take precedence; lists from both are combined. */
function inputOf({
  command,
  args,
  options = {},
  context,
  securityContext,
  monitoring,
}: CommandExecutionRequest): Fields {
  const both = (one: readonly string[] | undefined, other: unknown) =>
    one === undefined || !Array.isArray(other) ? (one ?? other) : one.filter((each) => other.includes(each));
  const commands = both(securityContext?.allowedCommands, options.allowed_commands);
  const paths = both(securityContext?.allowedPaths, options.allowed_paths);
  const env = { ...(options.env as object | undefined), ...context?.environmentVariables };
  return {
    ...options,
    command,
    args,
    ...(context?.workingDirectory === undefined ? {} : { cwd: context.workingDirectory }),
    ...(Object.keys(env).length === 0 ? {} : { env }),
    ...defined({ allowed_commands: commands, allowed_paths: paths }),
    ...(securityContext?.securityLevel === 'high' ? { require_confirmation: true } : {}),
    ...(monitoring?.enableOutputCapture === false ? { capture_output: false } : {}),
  };
}
