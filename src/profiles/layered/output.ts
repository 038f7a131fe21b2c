// A result and the events of its run → `BashToolOutput`, with every group filled; and its schema.

import { constants } from 'node:os';
import type { RunResult } from '../../core/running.ts';
import { objectSchema } from '../shared/call.ts';
import type { Fields } from '../shared/input.ts';
import { parsedCommand, securityChecks } from './debug.ts';
import { findFailure, userMessage } from './errors.ts';
import type { LayeredRequest } from './input.ts';
import type { Sighting } from './sighting.ts';

const number = { type: 'number' };
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
        max_memory_used: { ...number, description: 'bytes' },
        cpu_time: { ...number, description: 'milliseconds' },
        wall_time: { ...number, description: 'milliseconds' },
        disk_io_read: { ...number, description: 'bytes' },
        disk_io_write: { ...number, description: 'bytes' },
        file_operations: { ...number, description: 'files that were created, changed or deleted' },
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
        parent_pid: { type: 'integer' },
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

export function drawOutput(result: RunResult, request: LayeredRequest, seen: Sighting, isCaptured: boolean): Fields {
  const { status, usage, verdict, enforcement, violations, files, details, failure } = result;
  const problem = seen.failure ?? findFailure(result, request.command);
  const blocked = [
    ...(status === 'denied' ? verdict.findings.filter((each) => each.verdict === verdict.decision) : []).map(
      ({ message }) => message,
    ),
    ...violations.map(({ operation, target }) => `${operation} ${target}`),
  ];
  const isAllowed = status !== 'denied';
  const wallMs = usage?.wallMs ?? (result.startedAt === null ? 0 : Date.now() - result.startedAt);
  const limitPassed = failure?.type === 'resource_limit_exceeded' ? failure.message : null;
  return {
    success: status !== 'running' && !result.isError && seen.failure === null,
    exit_code: exitCodeOf(result),
    stdout: isCaptured ? seen.text('stdout') : '',
    stderr: isCaptured ? seen.text('stderr') : '',
    execution_info: {
      command: request.command,
      args: [...request.args],
      execution_time: wallMs,
      working_directory: request.options.cwd ?? seen.cwd,
      environment_variables: { ...details?.environment },
    },
    resource_usage: {
      max_memory_used: Math.max(usage?.peakMemoryBytes ?? 0, seen.peakMemoryBytes),
      cpu_time: (usage?.userMs ?? 0) + (usage?.systemMs ?? 0),
      wall_time: wallMs,
      disk_io_read: usage?.readBytes ?? 0,
      disk_io_write: usage?.writeBytes ?? 0,
      file_operations: files.created.length + files.changed.length + files.deleted.length,
    },
    security_info: {
      validation_passed: isAllowed,
      risk_level: verdict.risk,
      blocked_operations: blocked,
      sandbox_used: enforcement.tier !== 'none',
    },
    process_info: {
      pid: result.pid ?? 0,
      parent_pid: details?.parentPid ?? process.pid,
      child_processes: [...(details?.childPids ?? [])],
      ...(result.signal === null ? {} : { signal: result.signal }),
    },
    ...(problem === null
      ? {}
      : {
          error: {
            type: problem.type,
            message: userMessage(problem),
            details: { ...problem.context, ...(isAllowed ? {} : { findings: blocked }) },
            recovery_suggestions: [...problem.suggestions],
          },
        }),
    debug_info: {
      command_parsing: parsedCommand(result.facts, verdict),
      security_checks: securityChecks(verdict, isAllowed, limitPassed),
      execution_timeline: seen.timeline.events(),
    },
    ...(status === 'running' ? { task_id: result.task } : {}),
  };
}

function exitCodeOf({ exitCode, signal }: RunResult): number {
  if (exitCode !== null) return exitCode;
  const signals: Readonly<Record<string, number>> = constants.signals;
  return signal === null ? -1 : 128 + (signals[signal] ?? 0);
}
