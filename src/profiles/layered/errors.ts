// LAYER's errors: the engine's failures as its 17 types, with the user messages of its document.

import { createFailure, type Failure, type SecurityLevel } from '../../core/failure.ts';
import type { RunResult } from '../../core/running.ts';
import { findAbsentProgram, findUnusableProgram } from './absent-programs.ts';

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
      if (current === undefined) return message;
      // The kernel refuses what would exceed a limit, so that the use may stay below it.
      if (Number(current) <= Number(limit)) return `Resource limit exceeded: ${resource} (limit ${limit})`;
      return `Resource limit exceeded: ${resource} (${current} > ${limit})`;
    case 'command_not_found':
      return command === undefined ? message : `Command not found: '${command}'`;
    default:
      return message;
  }
}

/** Also if an exit code says so. Any other exit code is an outcome, not an error. */
export function findFailure(result: RunResult): Failure | null {
  const { failure, status, exitCode, signal, isError } = result;
  if (failure !== null) return failure;
  if (status === 'signalled') return describeSignal(signal);
  if (status !== 'exited') return null;
  if (!isError) return findRefusedPage(result);
  const absent = exitCode === 127 ? findAbsentProgram(result) : null;
  if (absent !== null) return createFailure('command_not_found', { command: absent });
  const unusable = exitCode === 126 ? findUnusableProgram(result) : null;
  if (unusable !== null) return createFailure('permission_denied', { command: unusable });
  const host = findUnreachedHost(result);
  return host === null ? null : createFailure('network_error', { host });
}

/** Signals that a program causes by an error of its own. */
const CRASHES: ReadonlySet<string | null> = new Set('SIGSEGV SIGBUS SIGABRT SIGFPE SIGILL SIGTRAP SIGSYS'.split(' '));

function describeSignal(signal: string | null): Failure {
  const failure = createFailure('process_terminated', signal === null ? {} : { signal });
  if (!CRASHES.has(signal)) return failure;
  const suggestions = ['Look for the error in the program or its input; the same command is likely to crash again.'];
  return { ...failure, message: `The command crashed (${signal}).`, isRecoverable: false, suggestions };
}

/** Programs such as curl exit with 0 if a plain HTTP request is answered with the refusal of the proxy. */
function findRefusedPage({ violations, facts, output }: RunResult): Failure | null {
  const named = new Set(facts.effects.network.map(({ host }) => host));
  const refused = violations.find(({ kind, target }) => {
    if (kind !== 'network') return false;
    return named.has(target.replace(/:\d+$/, '')) || output.includes(`hardshell refused the connection to ${target}`);
  });
  return refused === undefined ? null : createFailure('network_error', { host: refused.target });
}

/** Exit codes that mean: the host was not found or not reached. From the manuals of the programs. */
const UNREACHED: ReadonlyMap<string | null, readonly (number | null)[]> = new Map([
  ['curl', [5, 6, 7]],
  ['wget', [4]],
]);

/** A connection that the sandbox refused, or a program that says so by its exit code. */
function findUnreachedHost({ violations, facts, exitCode }: RunResult): string | null {
  const refused = violations.find(({ kind }) => kind === 'network');
  if (refused !== undefined) return refused.target;
  const last = facts.commands.at(-1);
  if (last === undefined || !(UNREACHED.get(last.name) ?? []).includes(exitCode)) return null;
  return last.effects.network.find(({ host }) => host !== null)?.host ?? null;
}
