// LAYER's errors: the engine's failures as its 17 types, with the user messages of its document.

import { createFailure, type Failure, type SecurityLevel } from '../../core/failure.ts';
import type { RunResult } from '../../core/running.ts';

/** `BashError` as data. */
export interface BashError {
  readonly type: Failure['type'];
  readonly message: string;
  readonly context: Failure['context'];
  readonly recoverable: boolean;
  readonly securityRelated: boolean;
  readonly securityLevel: SecurityLevel;
}

export function toBashError(failure: Failure): BashError {
  return {
    type: failure.type,
    message: userMessage(failure),
    context: failure.context,
    recoverable: failure.isRecoverable,
    securityRelated: failure.isSecurityRelated,
    securityLevel: failure.securityLevel,
  };
}

export function userMessage({ type, message, context }: Failure): string {
  const { command, timeoutMs, resource, current, limit } = context;
  switch (type) {
    case 'command_not_allowed':
      return command === undefined ? message : `Command '${command}' is not allowed by security policy`;
    case 'permission_denied':
      return command === undefined ? message : `Permission denied: Cannot execute '${command}'`;
    case 'execution_timeout':
      return timeoutMs === undefined ? message : `Command execution timed out after ${timeoutMs}ms`;
    case 'resource_limit_exceeded':
      return current === undefined ? message : `Resource limit exceeded: ${resource} (${current} > ${limit})`;
    case 'command_not_found':
      return command === undefined ? message : `Command not found: '${command}'`;
    default:
      return message;
  }
}

/** Also if a shell reports it by its exit code. Any other exit code is an outcome, not an error. */
export function findFailure(result: RunResult, command: string): Failure | null {
  const { failure, status, exitCode, signal } = result;
  if (failure !== null) return failure;
  if (status === 'signalled') return createFailure('process_terminated', signal === null ? {} : { signal });
  if (status !== 'exited') return null;
  const name = result.facts.commands.at(-1)?.name ?? command;
  if (exitCode === 127) return createFailure('command_not_found', { command: name });
  if (exitCode === 126) return createFailure('permission_denied', { command: name });
  return null;
}
