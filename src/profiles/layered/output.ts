// A result and the events of its run → `BashToolOutput`, with every group filled; and its schema.

import { constants } from 'node:os';
import type { Failure } from '../../core/failure.ts';
import type { RunResult } from '../../core/running.ts';
import { objectSchema } from '../shared/call.ts';
import type { Fields } from '../shared/input.ts';
import { parsedCommand } from './debug.ts';
import { userMessage } from './errors.ts';
import type { LayeredRequest } from './input.ts';
import { sumOf } from './resource-usage.ts';
import { riskOf, securityChecks } from './security-checks.ts';
import type { Sighting } from './sighting.ts';

const number = { type: 'number' };
const measured = (description: string) => ({
  type: ['number', 'null'],
  description: `${description}; null if not measured`,
});
const text = { type: 'string' };
const texts = { type: 'array', items: text };

export const OUTPUT_SCHEMA = objectSchema(
  {
    success: { type: 'boolean', description: 'it ended successfully; false while it is running' },
    exit_code: {
      type: 'integer',
      description: '128 plus the signal number, or -1 if it did not end on its own or is still running',
    },
    stdout: text,
    stderr: text,
    execution_info: objectSchema(
      {
        command: text,
        args: texts,
        execution_time: { ...number, description: 'milliseconds' },
        working_directory: text,
        environment_variables: { type: 'object', additionalProperties: text },
      },
      ['command', 'args', 'execution_time', 'working_directory', 'environment_variables'],
    ),
    resource_usage: objectSchema(
      {
        max_memory_used: measured(
          'bytes: the peak that the kernel counted for the command, without files in memory that others loaded, such as a program that already runs; without a control group, the peak of its processes',
        ),
        cpu_time: measured('milliseconds'),
        wall_time: { ...number, description: 'milliseconds' },
        disk_io_read: measured('bytes'),
        disk_io_write: measured('bytes'),
        file_operations: { type: 'null', description: 'always null: file operations are not counted' },
      },
      ['max_memory_used', 'cpu_time', 'wall_time', 'disk_io_read', 'disk_io_write', 'file_operations'],
    ),
    security_info: objectSchema(
      {
        validation_passed: { type: 'boolean' },
        risk_level: { type: 'string', enum: ['low', 'medium', 'high', 'critical'] },
        blocked_operations: texts,
        sandbox_used: { type: 'boolean' },
      },
      ['validation_passed', 'risk_level', 'sandbox_used'],
    ),
    process_info: objectSchema(
      {
        pid: { type: 'integer', description: '0 if nothing was started' },
        parent_pid: { type: 'integer', description: '0 if nothing was started' },
        child_processes: { type: 'array', items: { type: 'integer' } },
        signal: text,
      },
      ['pid', 'parent_pid'],
    ),
    error: objectSchema({ type: text, message: text, details: { type: 'object' }, recovery_suggestions: texts }, [
      'type',
      'message',
    ]),
    debug_info: { type: 'object' },
    task_id: {
      type: 'string',
      description: 'of a command that is still running; stdout, stderr and times are those so far',
    },
  },
  ['success', 'exit_code', 'stdout', 'stderr'],
);

/** What the profile knows of a run besides its result. */
export interface Drawn {
  readonly request: LayeredRequest;
  readonly seen: Sighting;
  readonly failure: Failure | null;
  readonly isCaptured: boolean;
}

export function drawOutput(result: RunResult, { request, seen, failure, isCaptured }: Drawn): Fields {
  const { status, verdict, enforcement, violations, details } = result;
  const blocked = [
    ...(status === 'denied' ? verdict.findings.filter((each) => each.verdict === verdict.decision) : []).map(
      ({ message }) => message,
    ),
    ...violations.map(({ operation, target }) => `${operation} ${target}`),
  ];
  const isAllowed = status !== 'denied';
  const limitPassed = failure?.type === 'resource_limit_exceeded' ? failure.message : null;
  const judged = { verdict, isAllowed, limitPassed, command: result.command };
  const risk = riskOf(judged);
  const usage = drawUsage(result, seen);
  return {
    success: status !== 'running' && !result.isError && failure === null,
    exit_code: exitCodeOf(result),
    stdout: isCaptured ? seen.text('stdout') : '',
    stderr: isCaptured ? seen.text('stderr') : '',
    execution_info: {
      command: request.command,
      args: [...request.args],
      execution_time: usage.wall_time,
      working_directory: request.options.cwd ?? seen.cwd,
      environment_variables: { ...details?.environment },
    },
    resource_usage: usage,
    security_info: {
      validation_passed: isAllowed,
      risk_level: risk,
      blocked_operations: blocked,
      sandbox_used: enforcement.tier !== 'none',
    },
    process_info: {
      pid: result.pid ?? 0,
      parent_pid: details?.parentPid ?? 0,
      child_processes: [...(details?.childPids ?? [])],
      ...(result.signal === null ? {} : { signal: result.signal }),
    },
    ...(failure === null
      ? {}
      : {
          error: {
            type: failure.type,
            message: userMessage(failure),
            details: { ...failure.context, ...(isAllowed ? {} : { findings: blocked }) },
            recovery_suggestions: [...failure.suggestions],
          },
        }),
    debug_info: {
      command_parsing: parsedCommand(result.facts, verdict, risk),
      security_checks: securityChecks(judged),
      execution_timeline: seen.timeline.events(),
    },
    ...(status === 'running' ? { task_id: result.task } : {}),
  };
}

/** At its end as the runner measured it; while it runs, as in the last update. */
function drawUsage({ usage, startedAt }: RunResult, seen: Sighting) {
  const now = usage ?? seen.lastUpdate?.usage ?? null;
  return {
    max_memory_used: seen.peakMemory(usage?.peakMemoryBytes ?? null),
    cpu_time: now === null ? null : sumOf(now.userMs, now.systemMs),
    wall_time: usage?.wallMs ?? (startedAt === null ? 0 : Date.now() - startedAt),
    disk_io_read: now?.readBytes ?? null,
    disk_io_write: now?.writeBytes ?? null,
    file_operations: null,
  };
}

function exitCodeOf({ exitCode, signal }: RunResult): number {
  if (exitCode !== null) return exitCode;
  const signals: Readonly<Record<string, number>> = constants.signals;
  return signal === null ? -1 : 128 + (signals[signal] ?? 0);
}
