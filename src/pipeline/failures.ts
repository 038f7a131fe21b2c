// How a run ended, or why it could not start → its status, and a failure unless the command itself caused it.

import { statSync } from 'node:fs';
import { type Answer, SURFACE_NAMES } from '../core/approval.ts';
import { HardshellError } from '../core/errors.ts';
import { type Facts, isAnalyzed } from '../core/facts.ts';
import { createFailure, type Failure, failureOfVerdict } from '../core/failure.ts';
import type { RunStatus } from '../core/running.ts';
import { describeError } from '../core/values/error-text.ts';
import { adviceForWriting } from '../core/values/write-advice.ts';
import type { Verdict } from '../core/verdict.ts';
import { parse } from '../parse/script.ts';
import type { EndCause, RunExit } from '../run/port.ts';
import type { Limits } from '../terms/limits.ts';
import type { Terms } from '../terms/terms.ts';

export interface Ended {
  readonly status: RunStatus;
  readonly failure: Failure | null;
  /** The resource that it exceeded. */
  readonly exceeded: string | null;
}

/** Start parameters that its end depends on. */
interface Started {
  readonly limits: Limits;
  readonly timeoutMs: number | null;
  readonly sandbox: { readonly exposure: string | null };
}

export interface Violation {
  readonly limit: number;
  readonly seen: number;
}

interface Resource {
  readonly name: string;
  /** In `limits`. */
  readonly setting: keyof Limits;
  readonly show: (amount: number) => string;
}

const PROCESSOR_TIME: Resource = { name: 'processor time', setting: 'cpuSeconds', show: (seconds) => `${seconds} s` };
const RESOURCES: Readonly<Partial<Record<EndCause, Resource>>> = {
  'output-limit': { name: 'output', setting: 'outputBytes', show: showBytes },
  'memory-limit': { name: 'memory', setting: 'memoryBytes', show: showBytes },
  'cpu-limit': { name: 'processor share', setting: 'cpuPercent', show: (percent) => `${percent}%` },
  'process-limit': { name: 'processes', setting: 'processes', show: String },
  'cpu-time-limit': PROCESSOR_TIME,
};
const SIGKILL = 9;
const SIGXCPU = 24;
const SIGXFSZ = 25;

export function classifyEnd(exit: RunExit, launch: Started, outputFile: string, violation: Violation | null): Ended {
  const { cause, signal, exitCode } = exit;
  const { cpuSeconds, fileSizeBytes } = launch.limits;
  const isSignal = (number: number) => signal === number || exitCode === 128 + number;
  const usedMs = (exit.userMs ?? 0) + (exit.systemMs ?? 0);
  // SIGXCPU at the limit, SIGKILL a second later if it is ignored; the kernel's CPU clock is coarse.
  const isSpent = isSignal(SIGXCPU) || (isSignal(SIGKILL) && usedMs >= (cpuSeconds ?? 0) * 900);
  if (cpuSeconds !== undefined && isSpent && violation === null && (cause === 'none' || cause === 'cpu-limit'))
    return limited(PROCESSOR_TIME, { limit: cpuSeconds, seen: secondsOf(usedMs) });
  const resource = RESOURCES[cause];
  if (resource !== undefined) return limitedAtEnd(resource, exit, launch, violation);
  switch (cause) {
    case 'timeout': {
      const context = launch.timeoutMs === null ? {} : { timeoutMs: launch.timeoutMs };
      return { status: 'timed-out', failure: createFailure('execution_timeout', context), exceeded: null };
    }
    case 'cancelled':
      return cancelled('The caller cancelled the command.');
    case 'stopped':
      return cancelled('The command was stopped from another process.');
    case 'host-gone':
      return {
        status: 'failed',
        failure: createFailure('system_error', { reason: 'the host process ended' }),
        exceeded: null,
      };
    case 'exposed':
      return { status: 'failed', failure: exposedFailure(launch), exceeded: null };
    case 'disk':
      return { status: 'failed', failure: diskFailure(exit.spoolError, outputFile), exceeded: null };
  }
  if (fileSizeBytes !== undefined && isSignal(SIGXFSZ))
    return limited({ name: 'space in one file', setting: 'fileSizeBytes', show: showBytes }, null);
  const failure = exit.spoolError === null ? null : diskFailure(exit.spoolError, outputFile);
  return { status: signal === null ? 'exited' : 'signalled', failure, exceeded: null };
}

function exposedFailure({ sandbox }: Started): Failure {
  const why = sandbox.exposure ?? 'a hidden or protected file was replaced outside';
  return {
    ...createFailure('process_terminated'),
    isSecurityRelated: true,
    message: `The command was ended to protect a file: ${why}.`,
    suggestions: ['Run the command again: the file is then hidden or protected as before.'],
  };
}

/** A violation is reported when it is seen; until the end of the command, some values still grow. */
function limitedAtEnd(resource: Resource, exit: RunExit, { limits }: Started, violation: Violation | null): Ended {
  if (violation === null) return limited(resource, null);
  switch (resource.setting) {
    case 'outputBytes':
      return limited(resource, { ...violation, seen: Math.max(violation.seen, exit.output.totalBytes) });
    case 'cpuSeconds':
      return limited(resource, { ...violation, seen: secondsOf((exit.userMs ?? 0) + (exit.systemMs ?? 0)) });
    case 'processes':
      // The kernel's own limit is higher, and includes threads.
      return limited(
        violation.limit === limits.processes ? resource : { ...resource, name: 'processes and threads' },
        violation,
      );
    default:
      return limited(resource, violation);
  }
}

function limited({ name, setting, show }: Resource, violation: Violation | null): Ended {
  const context = violation === null ? {} : { current: violation.seen, limit: violation.limit };
  const failure = createFailure('resource_limit_exceeded', { resource: name, ...context });
  const numbers = violation === null ? '' : `: ${show(violation.seen)}, with a limit of ${show(violation.limit)}`;
  return {
    status: 'limited',
    failure: { ...failure, message: `The command used more ${name} than allowed${numbers} (limits.${setting}).` },
    exceeded: name,
  };
}

function secondsOf(ms: number): number {
  return Math.round(ms / 100) / 10;
}

function showBytes(bytes: number): string {
  const [size, unit] = (
    [
      [2 ** 30, 'GB'],
      [2 ** 20, 'MB'],
      [2 ** 10, 'KB'],
    ] as const
  ).find(([least]) => bytes >= least) ?? [1, 'bytes'];
  return `${Math.round((bytes / size) * 10) / 10} ${unit}`;
}

export function cancelled(message: string): Ended {
  return { status: 'cancelled', failure: { ...createFailure('process_terminated'), message }, exceeded: null };
}

function diskFailure(code: string | null, path: string): Failure {
  const reason = code === 'ENOSPC' || code === 'EDQUOT' ? 'the disk is full' : (code ?? 'it could not be written');
  const { suggestions, ...failure } = createFailure('io_error', { path, reason });
  const advice = adviceForWriting({ code }, '');
  return {
    ...failure,
    message: `The output could not be kept in ${path}: ${reason}.`,
    suggestions: advice === '' ? suggestions : [advice],
  };
}

type StartTerms = Pick<Terms, 'cwd' | 'args' | 'limits'>;

const START_ERRORS: ReadonlySet<string> = new Set([
  'cannot-start',
  'no-sandbox',
  'missing-dependency',
  'runner-lost',
  'no-output',
]);

/** Why it never ran, by the error of the runner or of the preparation. */
export function failureOfStart(error: unknown, command: string, terms: StartTerms): Failure {
  if (!(error instanceof HardshellError)) return createFailure('system_error', { reason: describeError(error) });
  const { code, message, hint } = error;
  // An impossible request is an invalid argument, not an outcome.
  if (!START_ERRORS.has(code)) throw error;
  const failure = startFailure(code, message, command, terms);
  return hint === null ? failure : { ...failure, suggestions: [hint, ...failure.suggestions] };
}

/** With less memory than this, the kernel may refuse to start a shell, with various errors. */
const SHELL_BYTES = 16 * 2 ** 20;
const WITHOUT_MEMORY = /E2BIG|EAGAIN|ENOBUFS|ENOMEM/;

function startFailure(code: string, message: string, command: string, { cwd, args, limits }: StartTerms): Failure {
  const { memoryBytes = SHELL_BYTES } = limits;
  if (memoryBytes < SHELL_BYTES && WITHOUT_MEMORY.test(message))
    return {
      ...createFailure('insufficient_resources'),
      message: `The command could not start with ${showBytes(memoryBytes)} of memory (limits.memoryBytes).`,
      suggestions: [`Set limits.memoryBytes to ${SHELL_BYTES} or more.`],
    };
  if (code === 'runner-lost') return lostFailure(message);
  if (code === 'missing-dependency') return { ...createFailure('missing_dependencies'), message };
  const there = statSync(cwd, { throwIfNoEntry: false });
  if (there === undefined)
    return {
      ...createFailure('working_directory_invalid', { path: cwd }),
      message: `The command was not run: the directory ${cwd} does not exist.`,
    };
  if (!there.isDirectory()) return createFailure('working_directory_invalid', { path: cwd });
  if (args !== null && message.includes('ENOENT')) return createFailure('command_not_found', { command });
  if (args !== null && message.includes('EACCES')) return createFailure('permission_denied', { command });
  if (message.includes('EAGAIN') || message.includes('ENOMEM'))
    return { ...createFailure('insufficient_resources'), message };
  const port = /cannot listen on [\d.]+:(\d+): EADDRINUSE/.exec(message)?.[1];
  if (port !== undefined)
    return {
      ...createFailure('environment_setup_failed', { reason: `port ${port} is already in use` }),
      suggestions: ['Choose another port, or stop the program that listens on it.'],
    };
  if (code === 'no-sandbox') return { ...createFailure('sandbox_creation_failed', { reason: message }), message };
  // A step of the sandbox that the kernel, or the container around it, refused.
  if (message.includes("for the confinement's"))
    return { ...createFailure('sandbox_creation_failed', { reason: message }), suggestions: [SEE_DOCTOR] };
  return createFailure('environment_setup_failed', { reason: message });
}

const SEE_DOCTOR = 'Run `hardshell doctor` to see what this machine refuses, and what to do.';

function lostFailure(reason: string): Failure {
  const failure = createFailure('system_error', { reason });
  return {
    ...failure,
    message: `The result of the command is not known: ${reason}.`,
    suggestions: ['Check what the command has changed before you run it again.'],
  };
}

/** The verdict was deny, or it was ask and no one approved. The message says which, and why. */
export function failureOfRefusal(verdict: Verdict, answer: Answer | null, facts: Facts): Failure {
  const failure = failureOfVerdict(verdict, { command: facts.display }) ?? createFailure('permission_denied');
  const problem = isAnalyzed(facts.shell) ? parse(facts.command).problem : null;
  if (problem?.id === 'syntax') {
    const message = `Invalid bash: ${problem.message} (character ${problem.pos + 1}).`;
    return { ...failure, message, suggestions: [CHECK_SYNTAX, ...failure.suggestions] };
  }
  if (answer === null || answer.verdict === 'allow') return failure;
  const asked = failure.context.reason === undefined ? '' : ` ${failure.context.reason}`;
  return { ...failure, message: `Not approved: ${whyNot(answer)}${asked}` };
}

const CHECK_SYNTAX = 'Check the quotes, brackets and keywords.';

/** Answers of people are quoted, those of hardshell continue the sentence. */
function whyNot({ by, reason }: Answer): string {
  if (reason === null) return 'the answer was no.';
  const isPerson = SURFACE_NAMES.some((name) => name === by);
  const text = isPerson ? reason : `${reason.charAt(0).toLowerCase()}${reason.slice(1)}`;
  return /[.!?…]$/.test(text) ? text : `${text}.`;
}

export function closedError(): HardshellError {
  return new HardshellError('closed', 'This shell tool was closed.', {
    hint: 'Create another one with createShell().',
  });
}
