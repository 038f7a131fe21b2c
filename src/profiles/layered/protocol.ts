// LAYER's messages: a request, responses while it runs and at its end, and stream chunks.

import { HardshellError } from '../../core/errors.ts';
import { createFailure } from '../../core/failure.ts';
import { recordedBySettings, securityLevel } from '../../core/profile-configuration.ts';
import type { ShellEvent } from '../../core/running.ts';
import { defined } from '../../core/values/defined.ts';
import type { Calling } from '../profile.ts';
import { objectSchema } from '../shared/call.ts';
import { type Fields, readInput } from '../shared/input.ts';
import { type BashConfiguration, completeConfiguration } from './configuration.ts';
import { type BashError, toBashError } from './errors.ts';
import { inputSchema } from './input.ts';
import { mergeConfiguration } from './integration.ts';
import { finalUsage, NO_USAGE, type ResourceUsage, usageOf } from './resource-usage.ts';
import { type SecurityEvent, securityEventsOf } from './security-events.ts';
import { performLayered } from './tools.ts';

export interface CommandExecutionRequest {
  readonly requestId: string;
  readonly timestamp: number;
  readonly command: string;
  readonly args: readonly string[];
  /** `BashToolInput`; `command` and `args`, if given, must be those of the request. */
  readonly options?: Fields;
  readonly context?: {
    /** Must be the session of the call. */
    readonly sessionId?: string;
    /** Whose rules and limits of the settings apply (`users`). */
    readonly userId?: string;
    readonly workingDirectory?: string;
    readonly environmentVariables?: Readonly<Record<string, string>>;
  };
  readonly securityContext?: {
    /** Empty: the settings grant permissions, by user. */
    readonly permissions?: readonly never[];
    /** As in the configuration: `medium` or `high`. */
    readonly securityLevel?: string;
    readonly allowedCommands?: readonly string[];
    readonly allowedPaths?: readonly string[];
  };
  readonly monitoring?: {
    readonly enableResourceMonitoring?: boolean;
    readonly enableOutputCapture?: boolean;
    /** Always true: the settings decide what is recorded. */
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
    readonly resourceUsage: ResourceUsage;
    readonly securityEvents: readonly SecurityEvent[];
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

const REQUEST = objectSchema(
  {
    requestId: { type: 'string', minLength: 1 },
    timestamp: { type: 'number' },
    command: { type: 'string', minLength: 1 },
    args: { type: 'array', items: { type: 'string' } },
    options: { type: 'object' },
    context: objectSchema({
      sessionId: { type: 'string' },
      userId: { type: 'string', minLength: 1 },
      workingDirectory: { type: 'string', minLength: 1 },
      environmentVariables: { type: 'object', additionalProperties: { type: 'string' } },
    }),
    securityContext: objectSchema({
      permissions: { type: 'array' },
      securityLevel: { type: 'string' },
      allowedCommands: { type: 'array', items: { type: 'string' } },
      allowedPaths: { type: 'array', items: { type: 'string' } },
    }),
    monitoring: objectSchema({
      enableResourceMonitoring: { type: 'boolean' },
      enableOutputCapture: { type: 'boolean' },
      enableSecurityLogging: { type: 'boolean' },
    }),
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
  const merged = mergeConfiguration(calling, completeConfiguration(options.configuration));
  const config = isMonitored(request) ? merged : { ...merged, enableMonitoring: false };
  let securityEvents: readonly SecurityEvent[] = [];
  let resourceUsage = NO_USAGE;
  const respond = (rest: Pick<CommandExecutionResponse, 'status'> & Partial<CommandExecutionResponse>) => ({
    requestId: typeof request?.requestId === 'string' ? request.requestId : '',
    timestamp: Date.now(),
    statistics: { startTime, resourceUsage, securityEvents },
    ...rest,
  });
  const refuse = (message: string) =>
    respond({ status: 'failed', error: { ...toBashError(createFailure('invalid_configuration')), message } });
  const read = readInput(REQUEST, request);
  if (!read.ok) return refuse(read.problem);
  const problem = findUnsupported(request, calling);
  if (problem !== null) return refuse(problem);
  const input = readInput(inputSchema(config), inputOf(request));
  if (!input.ok) return refuse(input.problem);

  let sequenceNumber = 0;
  const hear = (event: ShellEvent) => {
    // Not the engine's: it also counts events that are not sent here.
    const piece = { ...streamData(event), sequenceNumber: sequenceNumber++ };
    if (event.type === 'resource') resourceUsage = usageOf(event);
    if (event.type === 'violation')
      securityEvents = [...securityEvents, ...securityEventsOf({ violations: [event] }, event.time)];
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
  const user = request.context?.userId;
  const asked = { ...calling, onEvent: hear };
  const performed = await performLayered(input.value, asked, config, defined({ user })).catch(messageOf);
  if (typeof performed === 'string') return refuse(performed);
  const { answer, result, failure, peakMemoryBytes } = performed;
  const endTime = Date.now();
  const statistics = {
    startTime,
    ...(result?.status === 'running' ? {} : { endTime }),
    resourceUsage: (result === null ? null : finalUsage(result, peakMemoryBytes)) ?? resourceUsage,
    securityEvents: result === null ? [] : securityEventsOf({ ...result, failure }, endTime),
  };
  return respond({
    status: statusOf(answer.data, failure?.type),
    data: answer.data,
    statistics,
    ...(failure === null ? {} : { error: toBashError(failure) }),
  });
}

function isMonitored(request: CommandExecutionRequest): boolean {
  return request?.monitoring?.enableResourceMonitoring !== false;
}

/** Values that are valid and would have no effect. */
function findUnsupported(
  { command, args, options, context, securityContext, monitoring }: CommandExecutionRequest,
  { session }: Calling,
): string | null {
  const { user } = session.complete();
  if (options?.command !== undefined && options.command !== command)
    return 'options.command is not the command of the request. Leave it out.';
  if (options?.args !== undefined && JSON.stringify(options.args) !== JSON.stringify(args))
    return 'options.args are not the args of the request. Leave them out.';
  if (context?.sessionId !== undefined && context.sessionId !== session.id)
    return `context.sessionId is ${context.sessionId}, but this call belongs to the session ${session.id}.`;
  if (context?.userId !== undefined && user !== undefined && context.userId !== user)
    return `context.userId is ${context.userId}, but this session belongs to the user ${user}.`;
  if ((securityContext?.permissions ?? []).length > 0)
    return 'securityContext.permissions is not supported: the settings grant permissions, by user. Leave it empty; allowedCommands and allowedPaths restrict a request.';
  try {
    if (securityContext?.securityLevel !== undefined)
      securityLevel('securityContext.securityLevel', securityContext.securityLevel);
    if (monitoring?.enableSecurityLogging !== undefined)
      recordedBySettings('monitoring.enableSecurityLogging', monitoring.enableSecurityLogging);
    return null;
  } catch (error) {
    return messageOf(error);
  }
}

/** Of an invalid request or setting; all other errors are thrown. */
function messageOf(error: unknown): string {
  if (!(error instanceof HardshellError)) throw error;
  return error.hint === null ? error.message : `${error.message} ${error.hint}`;
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
