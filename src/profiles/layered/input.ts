// `BashToolInput` → the request to the engine. Without shell features the command is a program and nothing is expanded.

import type { Narrowing } from '../../core/policy.ts';
import type { SessionOptions } from '../../core/running.ts';
import { defined } from '../../core/values/defined.ts';
import { quoteWord } from '../../core/values/shell-words.ts';
import { MAX_TIMER_MS } from '../../core/values/timers.ts';
import { type Asked, objectSchema } from '../shared/call.ts';
import { resolveFolder } from '../shared/folders.ts';
import type { Fields } from '../shared/input.ts';
import { type BashConfiguration, findShell } from './configuration.ts';

const text = (description: string) => ({ type: 'string', description });
const texts = (description: string) => ({ type: 'array', items: { type: 'string' }, description });
const flag = (description: string, value: boolean) => ({ type: 'boolean', default: value, description });
const count = (description: string, more = {}) => ({ type: 'integer', minimum: 1, description, ...more });
const record = (description: string) => ({ type: 'object', additionalProperties: { type: 'string' }, description });

export function inputSchema(config: BashConfiguration) {
  return objectSchema(
    {
      command: {
        type: 'string',
        minLength: 1,
        description: 'the command to execute: a program, or shell text with enable_shell_features',
      },
      args: texts('its arguments'),
      description: text('what it does, for the log'),
      cwd: { type: 'string', minLength: 1, description: 'working directory' },
      env: record('environment variables'),
      timeout: count(`milliseconds; default ${config.defaultTimeout}`, { maximum: MAX_TIMER_MS }),
      capture_output: flag('capture the output', true),
      stream_output: flag('send the output while it runs, to a caller that listens', false),
      max_output_size: count('bytes', { maximum: config.maxOutputSize }),
      allowed_commands: texts('the only commands that may run'),
      allowed_paths: texts('the only folders that may be used'),
      require_confirmation: flag('ask before anything risky', false),
      max_memory: count('bytes', { maximum: config.maxMemoryUsage }),
      max_cpu_usage: { type: 'number', minimum: 1, maximum: config.maxCpuUsage, description: 'percent of one CPU' },
      max_execution_time: count('milliseconds', { maximum: MAX_TIMER_MS }),
      max_file_operations: count('not supported, because file operations are not counted: do not set it'),
      enable_sandbox: flag('run in the sandbox; false works only if the settings allow such requests', true),
      preserve_environment: flag('keep the variables of the host, without secrets', config.preserveEnvironment),
      enable_shell_features: flag('read the command with the shell', false),
    },
    ['command'],
  );
}

export interface LayeredRequest extends Asked {
  readonly command: string;
  readonly args: readonly string[];
  readonly options: SessionOptions;
  readonly outputLimit: number;
  readonly timeoutMs: number;
}

export function readRequest(input: Fields, config: BashConfiguration, sessionCwd: string): LayeredRequest {
  const command = input.command as string;
  const args = (input.args ?? []) as string[];
  const usesShell = input.enable_shell_features === true;
  const base = resolveFolder(config.defaultWorkingDirectory || '.', sessionCwd);
  const cwd = input.cwd === undefined ? base : resolveFolder(input.cwd as string, base);
  const least = (wished: unknown, limit: number) => Math.floor(Math.min((wished as number) ?? limit, limit));
  const outputLimit = least(input.max_output_size, config.maxOutputSize);
  const timeoutMs = least(input.max_execution_time, (input.timeout as number | undefined) ?? config.defaultTimeout);
  const isConfined = input.enable_sandbox === undefined ? config.enableSandbox : input.enable_sandbox === true;
  const keepsEnvironment = (input.preserve_environment ?? config.preserveEnvironment) === true;
  return {
    command: usesShell ? [command, ...args.map(quoteWord)].join(' ') : command,
    args,
    outputLimit,
    timeoutMs,
    holdsTimeout: true,
    options: {
      profile: 'layered',
      profiles: { layered: config },
      streams: 'split',
      wantsDetails: true,
      timeout: timeoutMs,
      ...(usesShell ? { shell: findShell(config) } : { args }),
      ...(cwd === sessionCwd ? {} : { cwd }),
      ...(input.description === undefined ? {} : { description: input.description as string }),
      ...(input.env === undefined ? {} : { env: input.env as Record<string, string> }),
      ...(keepsEnvironment === config.preserveEnvironment ? {} : { preserveEnvironment: keepsEnvironment }),
      ...(isConfined === config.enableSandbox ? {} : { withoutSandbox: !isConfined }),
      narrowing: narrowingOf(input, cwd),
      limits: {
        outputBytes: outputLimit,
        memoryBytes: least(input.max_memory, config.maxMemoryUsage),
        cpuPercent: Math.max(1, least(input.max_cpu_usage, config.maxCpuUsage)),
        processes: config.maxProcesses,
        openFiles: config.maxFileDescriptors,
      },
    },
  };
}

/** In addition to the configuration, which the engine applies. An empty list allows nothing. */
function narrowingOf(input: Fields, cwd: string): Narrowing {
  const paths = input.allowed_paths as string[] | undefined;
  return {
    ...defined({ allowedCommands: input.allowed_commands as string[] | undefined }),
    ...(paths === undefined ? {} : { roots: paths.map((path) => resolveFolder(path, cwd)) }),
    ...(input.require_confirmation === true ? { requireConfirmation: true } : {}),
  };
}
