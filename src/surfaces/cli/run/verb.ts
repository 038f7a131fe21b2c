// `hardshell run`: verdict first, then the command's own output on our streams, then its exit code as ours.
// Invalid options or input: exit code 2, as in the other verbs. Failures of hardshell itself: 125, as `env` and `timeout` do.

import { resolve } from 'node:path';
import { defined } from '../../../host/values.ts';
import type { ProfileName, RunOptions } from '../../../host.ts';
import { gatherPeople, type PeopleOptions } from '../approvals/people.ts';
import { EXIT, reportFailure, writeFailure } from '../failure.ts';
import { findMistake, readCommand, readFolder } from '../input.ts';
import { SCHEMA_VERSION, toLine } from '../json.ts';
import { process } from '../process.ts';
import { readSandboxOverrides } from '../sandbox-overrides.ts';
import type { EarlyRunner } from './live/early-runner.ts';
import { RUN_EXIT, type RunVerbOptions } from './options.ts';
import { type PerformOptions, perform } from './perform.ts';
import { runTicketed } from './ticketed.ts';

/** Options of the command line, and what was started while this was loaded. */
interface Given extends RunVerbOptions {
  readonly runner: EarlyRunner;
}

/** `args`: the arguments of a program that runs without a shell. */
export async function run(command: string, args: readonly string[] | null, options: Given): Promise<number> {
  try {
    return await runOne(command, args, options);
  } catch (error) {
    const json = options.json === true || options.stream === true;
    return reportFailure(error, { json, ownFailure: RUN_EXIT.failed });
  }
}

async function runOne(argument: string, args: readonly string[] | null, options: Given): Promise<number> {
  const { ticket } = options;
  if (ticket !== undefined) return runTicketed(argument, { ...options, ticket });
  const cwd = readFolder(options.cwd);
  const command = args === null ? await readCommand(argument) : argument;
  const people = { cwd, color: options.color, waits: options.ask === true };
  if (options.profile !== undefined) return runAsTool(command, args, { ...options, profile: options.profile }, people);
  const failure = args === null ? findMistake(command, cwd, options.shell) : null;
  if (failure !== null) {
    if (options.json || options.stream) process.stdout.write(toLine({ schemaVersion: SCHEMA_VERSION, error: failure }));
    writeFailure(failure);
    return EXIT.badInput;
  }
  return withPeople(people, options, (all) => perform(command, requestFor(cwd, args, options), all));
}

async function runAsTool(
  command: string,
  args: readonly string[] | null,
  options: Given & { readonly profile: ProfileName },
  people: PeopleOptions,
): Promise<number> {
  const { profile } = options;
  const { performProfile } = await import('./perform-profile.ts');
  return withPeople(people, options, (all) => performProfile(command, args, { ...all, profile, cwd: people.cwd }));
}

async function withPeople(
  people: PeopleOptions,
  options: Given,
  work: (options: PerformOptions) => Promise<number>,
): Promise<number> {
  const { broker, close } = gatherPeople(people);
  try {
    return await work({
      ...options,
      broker,
      ...(options.settings === undefined ? {} : { settingsFile: resolve(options.settings) }),
    });
  } finally {
    await close();
  }
}

function requestFor(
  cwd: string,
  args: readonly string[] | null,
  options: RunVerbOptions,
): RunOptions & { readonly cwd: string } {
  const { mode, timeout, env, yes, shell, description, staging } = options;
  return {
    cwd,
    ...defined({ mode, description, staging }),
    ...(args === null ? { shell } : { args }),
    ...(timeout === undefined ? {} : { timeout: Math.ceil(timeout * 1_000) }),
    ...defined({ env }),
    ...(yes === undefined ? {} : { assumeYes: true }),
    ...(options.dangerouslyDisableSandbox === undefined ? {} : { withoutSandbox: true }),
    sandbox: readSandboxOverrides(options),
  };
}
