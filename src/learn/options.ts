// Options of a learning run → complete values. Invalid ones are thrown.

import type { SandboxOverrides } from '../core/confinement.ts';
import { HardshellError } from '../core/errors.ts';
import { type ChecksOf, callback, checkOptions, flag, recordOf, unchecked } from '../core/option-checks.ts';
import type { RunOptions } from '../core/running.ts';
import type { ShellOptions } from '../pipeline/shell-options.ts';
import type { LearnReport } from './report.ts';

export interface LearnOptions
  extends Pick<
      RunOptions,
      | 'cwd'
      | 'shell'
      | 'args'
      | 'env'
      | 'input'
      | 'timeout'
      | 'mode'
      | 'profile'
      | 'user'
      | 'session'
      | 'signal'
      | 'assumeYes'
      | 'onEvent'
    >,
    Pick<
      ShellOptions,
      | 'broker'
      | 'classifier'
      | 'observers'
      | 'recording'
      | 'settingsFile'
      | 'runner'
      | 'tasksFolder'
      | 'maxTimeout'
      | 'hostEnvironment'
    > {
  /** Writable from the first run, in addition to the settings; only folders that the command uses are listed. */
  readonly sandbox?: Omit<SandboxOverrides, 'name'>;
  /** Maximum number of runs, 1 to 20; each with what earlier runs asked for. Default 1. */
  readonly runs?: number;
  /** Called before each further run, with what would be open in it. Without it, only `runs` decides. */
  readonly onAgain?: (report: LearnReport) => boolean | Promise<boolean>;
  /** Runs the command once more without each need, and drops needs without which it ends the same. */
  readonly prove?: boolean;
  /** Adds hidden files that it tried to read to the settings; they stay hidden in every run. */
  readonly withSecrets?: boolean;
}

/** With `cwd` filled in. */
export type CompleteLearnOptions = LearnOptions & { readonly cwd: string };

const MAX_RUNS = 20;

/** Values that are passed on are checked by the shell tool. */
const LEARN_OPTIONS: ChecksOf<LearnOptions> = {
  cwd: unchecked,
  shell: unchecked,
  args: unchecked,
  env: unchecked,
  input: unchecked,
  timeout: unchecked,
  mode: unchecked,
  profile: unchecked,
  user: unchecked,
  session: unchecked,
  signal: unchecked,
  assumeYes: unchecked,
  onEvent: unchecked,
  broker: unchecked,
  classifier: unchecked,
  observers: unchecked,
  recording: unchecked,
  settingsFile: unchecked,
  runner: unchecked,
  tasksFolder: unchecked,
  maxTimeout: unchecked,
  hostEnvironment: unchecked,
  sandbox: recordOf({
    allowWrite: unchecked,
    allowDomains: unchecked,
    allowPorts: unchecked,
    publishPorts: unchecked,
  } satisfies ChecksOf<Omit<SandboxOverrides, 'name'>>),
  runs: unchecked,
  onAgain: callback,
  prove: flag,
  withSecrets: flag,
};

export function checkLearnOptions(options: LearnOptions): void {
  checkOptions(options, LEARN_OPTIONS);
  const { runs = 1 } = options;
  if (!Number.isInteger(runs) || runs < 1 || runs > MAX_RUNS)
    throw new HardshellError('invalid-argument', `runs must be a whole number from 1 to ${MAX_RUNS}.`);
}
