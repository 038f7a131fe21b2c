// How `check` and `explain` decide: by the policy of the folder or, with --profile or in the mode auto, exactly as the tool
// does that runs commands. It knows more than the policy: its sandbox answers some questions. It is loaded only then.

import { resolve } from 'node:path';
import {
  type CheckResult,
  check,
  type LoadedSettings,
  loadPolicy,
  type Mode,
  type Permission,
  type Policy,
  type PolicyRule,
  policyWith,
  type Shell,
} from '../../host/deciding.ts';
import { defined } from '../../host/values.ts';
import type { Broker, RunOptions, ShellTool } from '../../host.ts';
import { readFolder } from './input.ts';
import type { CheckOptions } from './options.ts';

export interface Question {
  readonly command: string;
  readonly cwd: string;
  readonly shell: Shell;
  readonly variables: Readonly<Record<string, string>>;
  readonly user: string | null;
  /** Instead of those of the settings and of the command line. */
  readonly mode?: Mode | undefined;
  readonly roots?: readonly string[] | undefined;
  /** In addition to those of the settings. */
  readonly rules?: readonly PolicyRule[] | undefined;
}

export type Decide = (question: Question) => CheckResult;

export async function createDecider(options: CheckOptions): Promise<Decide> {
  const policies = new Map<string, Policy>();
  const policyIn = (cwd: string): Policy => {
    const policy = policies.get(cwd) ?? policyFor(cwd, options);
    policies.set(cwd, policy);
    return policy;
  };
  const isAuto = policyIn(readFolder(options.cwd)).mode === 'auto';
  if (options.profile !== undefined || isAuto) {
    const tool = await createTool(options);
    return (question) => tool.check(question.command, callOf(question, options));
  }
  return (question) => {
    const { command, cwd, shell, variables, user } = question;
    const policy = policyIn(cwd);
    return check(command, { cwd, shell, variables, policy: withOwn(policy, question), context: { user } });
  };
}

/** As the tool of the profile does before it runs a command: the user is asked through the broker. */
export async function permitAsTool(question: Question, broker: Broker, options: CheckOptions): Promise<Permission> {
  const { timeout } = options;
  const ask: Broker['ask'] = (request, how) =>
    broker.ask(request, { ...how, ...(timeout === undefined ? {} : { timeout: timeout * 1_000 }) });
  const tool = await createTool(options, { ...broker, ask });
  try {
    return await tool.permit(question.command, callOf(question, options));
  } finally {
    await tool.close();
  }
}

/** Settings of the folder, then what the command line says. */
export function policyFor(cwd: string, options: CheckOptions): Policy {
  const { root } = options;
  const policy = policyWith(loadFor(cwd, options), cwd, options);
  return root === undefined ? policy : { ...policy, roots: rootsOf(root) };
}

export function loadFor(cwd: string, { settings }: CheckOptions): LoadedSettings {
  return loadPolicy({ cwd, settingsFile: settings === undefined ? undefined : resolve(settings) });
}

const rootsOf = (root: readonly string[]) => root.map((folder) => readFolder(folder, '--root'));

function withOwn(policy: Policy, { mode, roots, rules = [] }: Question): Policy {
  return { ...policy, ...defined({ mode, roots }), rules: [...policy.rules, ...rules] };
}

async function createTool({ profile, mode, settings }: CheckOptions, broker?: Broker): Promise<ShellTool> {
  const { createShell } = await import('../../host.ts');
  const settingsFile = settings === undefined ? undefined : resolve(settings);
  return createShell({ recording: false, ...defined({ profile, mode, settingsFile, broker }) });
}

/** The tool loads the settings itself, unless something replaces a part of them. */
function callOf(question: Question, options: CheckOptions): RunOptions {
  const { cwd, shell, user, mode, rules } = question;
  const roots = question.roots ?? (options.root === undefined ? undefined : rootsOf(options.root));
  const isOwn = roots !== undefined || rules !== undefined;
  const policy = isOwn ? withOwn(loadFor(cwd, options).policy, { ...question, roots, mode: undefined }) : undefined;
  return { cwd, shell, ...defined({ mode, policy }), ...(user === null ? {} : { user }) };
}
