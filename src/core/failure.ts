// Failures of hardshell, not of the command: a closed set of types, each with a message and suggestions.
// A nonzero exit code is never a failure: the command ran, and that is an outcome.

import { askTheUser, insteadForModel } from './values/refusal-advice.ts';
import { unreachable } from './values/unreachable.ts';
import type { Finding, Severity, Verdict } from './verdict.ts';
import { SEVERITIES } from './verdict.ts';

/** Closed and ordered: callers switch on these, and records keep them. */
export const FAILURE_TYPES = [
  'security_validation_failed',
  'command_not_allowed',
  'permission_denied',
  'sandbox_creation_failed',
  'command_not_found',
  'execution_timeout',
  'resource_limit_exceeded',
  'process_terminated',
  'working_directory_invalid',
  'environment_setup_failed',
  'path_not_accessible',
  'insufficient_resources',
  'system_error',
  'io_error',
  'network_error',
  'invalid_configuration',
  'missing_dependencies',
] as const;
export type FailureType = (typeof FAILURE_TYPES)[number];

export const SECURITY_LEVELS = ['none', 'low', 'medium', 'high'] as const;
export type SecurityLevel = (typeof SECURITY_LEVELS)[number];

/** Values for the message. If one is missing, the shorter message is used. */
export interface FailureContext {
  readonly command?: string;
  readonly path?: string;
  readonly reason?: string;
  readonly timeoutMs?: number;
  readonly resource?: string;
  readonly current?: string | number;
  readonly limit?: string | number;
  readonly signal?: string;
  readonly host?: string;
  readonly dependency?: string;
  readonly setting?: string;
}

export interface FailureKind {
  /** `{name}` stands for a value of the context. */
  readonly message: string;
  /** Used if one of those values is missing. */
  readonly shortMessage: string;
  /** The same request may succeed later, or after a change that the caller can make. */
  readonly isRecoverable: boolean;
  readonly isSecurityRelated: boolean;
  readonly securityLevel: SecurityLevel;
  readonly suggestions: readonly string[];
}

export interface Failure {
  readonly type: FailureType;
  readonly message: string;
  readonly isRecoverable: boolean;
  readonly isSecurityRelated: boolean;
  readonly securityLevel: SecurityLevel;
  readonly suggestions: readonly string[];
  readonly context: FailureContext;
}

export const FAILURES: Readonly<Record<FailureType, FailureKind>> = {
  security_validation_failed: {
    message: 'The command was refused because it is not safe: {reason}',
    shortMessage: 'The command was refused because it is not safe.',
    isRecoverable: false,
    isSecurityRelated: true,
    securityLevel: 'high',
    suggestions: ['Use the alternative that the finding names.', 'Ask the user to do it by hand.'],
  },
  command_not_allowed: {
    message: 'The policy does not allow `{command}`.',
    shortMessage: 'The policy does not allow this command.',
    isRecoverable: false,
    isSecurityRelated: true,
    securityLevel: 'high',
    suggestions: ['Use a command that the policy allows.', 'Ask the user to add a rule.'],
  },
  permission_denied: {
    message: 'Permission denied: {command}',
    shortMessage: 'Permission denied.',
    isRecoverable: true,
    isSecurityRelated: true,
    securityLevel: 'medium',
    suggestions: ['Ask for permission, then try again.', 'Check the owner and the mode of the file.'],
  },
  sandbox_creation_failed: {
    message: 'The sandbox could not be set up: {reason}',
    shortMessage: 'The sandbox could not be set up.',
    isRecoverable: false,
    isSecurityRelated: true,
    securityLevel: 'low',
    suggestions: ['Check that the system supports the sandbox that the settings require.'],
  },
  command_not_found: {
    message: 'Command not found: `{command}`.',
    shortMessage: 'Command not found.',
    isRecoverable: true,
    isSecurityRelated: false,
    securityLevel: 'none',
    suggestions: ['Check the spelling.', 'Install the program, or use its full path.'],
  },
  execution_timeout: {
    message: 'The command was stopped after {timeoutMs} ms because it ran longer than allowed.',
    shortMessage: 'The command was stopped because it ran longer than allowed.',
    isRecoverable: true,
    isSecurityRelated: false,
    securityLevel: 'none',
    suggestions: ['Ask for a longer timeout.', 'Run it in the background.', 'Split it into smaller commands.'],
  },
  resource_limit_exceeded: {
    message: 'The command used more {resource} than allowed: {current}, with a limit of {limit}.',
    shortMessage: 'The command used more than allowed.',
    isRecoverable: true,
    isSecurityRelated: false,
    securityLevel: 'none',
    suggestions: ['Split it into smaller commands.', 'Ask for a higher limit.'],
  },
  process_terminated: {
    message: 'The command was killed from outside by {signal}.',
    shortMessage: 'The command was killed from outside.',
    isRecoverable: true,
    isSecurityRelated: false,
    securityLevel: 'none',
    suggestions: ['Try again, unless someone stopped it on purpose.'],
  },
  working_directory_invalid: {
    message: 'The command cannot run in {path}: not a directory, or not accessible.',
    shortMessage: 'The folder for the command does not exist or is not accessible.',
    isRecoverable: true,
    isSecurityRelated: false,
    securityLevel: 'none',
    suggestions: ['Name a folder that exists.', 'Create the folder first.'],
  },
  environment_setup_failed: {
    message: 'The environment for the command could not be prepared: {reason}',
    shortMessage: 'The environment for the command could not be prepared.',
    isRecoverable: false,
    isSecurityRelated: false,
    securityLevel: 'none',
    suggestions: ['Check the variables and the shell that the settings name.'],
  },
  path_not_accessible: {
    message: '{path} is outside the folders in which commands may run, or it is protected.',
    shortMessage: 'The command uses a path that is outside the allowed folders, or protected.',
    isRecoverable: true,
    isSecurityRelated: true,
    securityLevel: 'low',
    suggestions: ['Use a path inside the allowed folders.', 'Ask the user to add the folder.'],
  },
  insufficient_resources: {
    message: 'Not enough {resource} to start the command.',
    shortMessage: 'Not enough resources to start the command.',
    isRecoverable: true,
    isSecurityRelated: false,
    securityLevel: 'none',
    suggestions: ['Wait for other tasks to end, or stop some.', 'Free some memory or disk space.'],
  },
  system_error: {
    message: 'The operating system refused: {reason}',
    shortMessage: 'The operating system refused.',
    isRecoverable: false,
    isSecurityRelated: false,
    securityLevel: 'none',
    suggestions: ['Try again; if it happens again, report it with the command.'],
  },
  io_error: {
    message: '{path} could not be read or written.',
    shortMessage: 'A file could not be read or written.',
    isRecoverable: true,
    isSecurityRelated: false,
    securityLevel: 'none',
    suggestions: ['Check that the file exists and that the disk is not full.'],
  },
  network_error: {
    message: '{host} could not be reached.',
    shortMessage: 'The network could not be reached.',
    isRecoverable: true,
    isSecurityRelated: false,
    securityLevel: 'none',
    suggestions: ['Check the address and the connection, then try again.', 'Check that the policy allows the host.'],
  },
  invalid_configuration: {
    message: 'The setting {setting} is not valid: {reason}',
    shortMessage: 'The settings are not valid.',
    isRecoverable: false,
    isSecurityRelated: false,
    securityLevel: 'none',
    suggestions: ['Run `hardshell config validate`, which shows the file and the line.'],
  },
  missing_dependencies: {
    message: '{dependency} is required but not installed.',
    shortMessage: 'A required program or library is not installed.',
    isRecoverable: false,
    isSecurityRelated: false,
    securityLevel: 'none',
    suggestions: ['Install it, then try again.'],
  },
};

export function createFailure(type: FailureType, context: FailureContext = {}): Failure {
  const { message, shortMessage, ...kind } = FAILURES[type];
  return { type, message: fill(message, context) ?? shortMessage, ...kind, context };
}

/** Why a command with this verdict was not run; `null` if it may run. An `ask` arrives here if it was not approved. */
export function failureOfVerdict(verdict: Verdict, context: FailureContext = {}): Failure | null {
  if (verdict.decision === 'allow') return null;
  const decisive = verdict.findings.filter((finding) => finding.verdict === verdict.decision);
  const finding = mostSevere(decisive);
  const type = verdict.decision === 'ask' ? 'permission_denied' : typeOfFinding(finding);
  const named = finding === undefined ? context : { reason: finding.message, ...context };
  const failure = { ...createFailure(type, named), ...(finding === undefined ? {} : messageFor(type, finding)) };
  const instead = decisive.flatMap((each) => insteadForModel(each) ?? []);
  // Models read these. A finding gives better advice than its type, including findings about files of other users.
  return { ...failure, suggestions: [...new Set([...instead, askTheUser(verdict)])] };
}

/** The reason, not only that there is one. The message of other types contains it already. */
function messageFor(type: FailureType, { message }: Finding): { readonly message?: string } {
  if (type === 'permission_denied') return { message: `Permission denied: ${message}` };
  if (type === 'command_not_allowed') return { message: `The policy does not allow this command: ${message}` };
  if (type === 'path_not_accessible') return { message: `The command uses a path that is not allowed: ${message}` };
  return {};
}

function mostSevere(findings: readonly Finding[]): Finding | undefined {
  const rank = (severity: Severity) => SEVERITIES.indexOf(severity);
  return findings.reduce<Finding | undefined>(
    (worst, each) => (worst === undefined || rank(each.severity) > rank(worst.severity) ? each : worst),
    undefined,
  );
}

function typeOfFinding(finding: Finding | undefined): FailureType {
  switch (finding?.layer) {
    case 'paths':
      return 'path_not_accessible';
    case 'users':
    case 'sandbox':
      return 'permission_denied';
    case 'rules':
    case 'lists':
    case 'mode':
    case 'classifier':
      return 'command_not_allowed';
    case undefined:
    case 'read-only':
    case 'analysis':
    case 'safety':
    case 'warnings':
    case 'confusion':
    case 'repository':
    case 'threats':
      return 'security_validation_failed';
    default:
      return unreachable(finding?.layer as never);
  }
}

function fill(template: string, context: FailureContext): string | null {
  let isComplete = true;
  const text = template.replace(/\{(\w+)\}/g, (_, name: keyof FailureContext) => {
    const value = Object.hasOwn(context, name) ? context[name] : undefined;
    if (value === undefined) isComplete = false;
    return String(value);
  });
  return isComplete ? text : null;
}
