import { describe, expect, test } from 'vitest';
import { createFailure, FAILURE_TYPES, FAILURES, failureOfVerdict, SECURITY_LEVELS } from './failure.ts';
import { type Finding, LAYERS, type Verdict } from './verdict.ts';

test('the types, their order and their security are pinned', () => {
  expect(FAILURE_TYPES.map((type) => `${type}: ${FAILURES[type].securityLevel}`)).toEqual([
    'security_validation_failed: high',
    'command_not_allowed: high',
    'permission_denied: medium',
    'sandbox_creation_failed: low',
    'command_not_found: none',
    'execution_timeout: none',
    'resource_limit_exceeded: none',
    'process_terminated: none',
    'working_directory_invalid: none',
    'environment_setup_failed: none',
    'path_not_accessible: low',
    'insufficient_resources: none',
    'system_error: none',
    'io_error: none',
    'network_error: none',
    'invalid_configuration: none',
    'missing_dependencies: none',
  ]);
  expect(Object.keys(FAILURES)).toEqual([...FAILURE_TYPES]);
  expect(SECURITY_LEVELS).toEqual(['none', 'low', 'medium', 'high']);
});

test.each(FAILURE_TYPES)('%s has a complete message and suggestions', (type) => {
  const { message, shortMessage, suggestions, isSecurityRelated, securityLevel } = FAILURES[type];
  expect(shortMessage).toMatch(/^[A-Z][^{}]*\.$/);
  expect(message).toMatch(/\{\w+\}/);
  expect(suggestions.length).toBeGreaterThan(0);
  for (const suggestion of suggestions) expect(suggestion).toMatch(/^[A-Z].*\.$/);
  expect(isSecurityRelated).toBe(securityLevel !== 'none');
});

test.each([
  [
    'execution_timeout',
    { timeoutMs: 5000 },
    'The command was stopped after 5000 ms because it ran longer than allowed.',
  ],
  ['execution_timeout', {}, 'The command was stopped because it ran longer than allowed.'],
  [
    'resource_limit_exceeded',
    { resource: 'memory', current: '2 GB', limit: '1 GB' },
    'The command used more memory than allowed: 2 GB, with a limit of 1 GB.',
  ],
  ['resource_limit_exceeded', { resource: 'memory' }, 'The command used more than allowed.'],
  ['command_not_found', { command: "$& {path} '" }, "Command not found: `$& {path} '`."],
] as const)('%s with %j', (type, context, message) => {
  expect(createFailure(type, context)).toMatchObject({ type, message, context });
});

const finding = (parts: Partial<Finding>): Finding => ({
  id: 'x',
  layer: 'safety',
  verdict: 'deny',
  severity: 'high',
  message: 'It is bad.',
  instead: null,
  span: null,
  command: null,
  rule: null,
  confidence: null,
  ...parts,
});

const verdict = (name: Verdict['decision'], findings: readonly Finding[]): Verdict => ({
  decision: name,
  risk: 'high',
  score: 80,
  action: 'block',
  readOnly: false,
  findings,
  suggestions: [],
  environment: {},
  reliesOn: [],
});

describe('the failure of a verdict', () => {
  test('an allowed command is not a failure', () => {
    expect(failureOfVerdict(verdict('allow', [finding({ verdict: 'allow' })]))).toBeNull();
  });
  test('every layer has a type', () => {
    const types = LAYERS.map((layer) => [layer, failureOfVerdict(verdict('deny', [finding({ layer })]))?.type]);
    expect(Object.fromEntries(types)).toEqual({
      rules: 'command_not_allowed',
      'read-only': 'security_validation_failed',
      analysis: 'security_validation_failed',
      mode: 'command_not_allowed',
      safety: 'security_validation_failed',
      warnings: 'security_validation_failed',
      confusion: 'security_validation_failed',
      paths: 'path_not_accessible',
      repository: 'security_validation_failed',
      lists: 'command_not_allowed',
      threats: 'security_validation_failed',
      users: 'permission_denied',
      sandbox: 'permission_denied',
      classifier: 'command_not_allowed',
    });
  });
  test('the most severe of the findings that decided gives the type, and all of them say what to do', () => {
    const failure = failureOfVerdict(
      verdict('deny', [
        finding({ layer: 'warnings', verdict: 'ask', severity: 'critical', instead: 'Not this.' }),
        finding({ layer: 'paths', severity: 'medium', instead: 'Stay inside.' }),
        finding({ layer: 'safety', severity: 'critical', message: 'It deletes all.', instead: 'Delete less.' }),
      ]),
      { command: 'rm -rf /' },
    );
    expect(failure?.type).toBe('security_validation_failed');
    expect(failure?.message).toBe('The command was refused because it is not safe: It deletes all.');
    expect(failure?.suggestions.slice(0, 2)).toEqual(['Stay inside.', 'Delete less.']);
  });
  test('an unanswered question is a missing permission', () => {
    expect(failureOfVerdict(verdict('ask', []), { command: 'make' })).toMatchObject({
      type: 'permission_denied',
      message: 'Permission denied: make',
      isRecoverable: true,
    });
  });
  test('a denial without a finding is still a failure', () => {
    expect(failureOfVerdict(verdict('deny', []))?.type).toBe('security_validation_failed');
  });
});
