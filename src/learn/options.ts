// What a learning run is asked for → complete values. Wrong ones are the caller's mistake and are thrown.

import { HardshellError } from '../core/errors.ts';
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
      | 'stdin'
      | 'timeoutMs'
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
      | 'settingsFile'
      | 'runner'
      | 'tasksFolder'
      | 'defaultTimeoutMs'
      | 'maxTimeoutMs'
      | 'hostEnvironment'
    > {
  /** Open from the first run on, besides the settings; of these folders only what is used is listed. */
  readonly sandbox?: Omit<NonNullable<RunOptions['sandbox']>, 'name'>;
  /** How often it may run at most, 1 to 20; each time with what the runs before asked for. Default 1. */
  readonly runs?: number;
  /** Asked before each further run, with what would be open in it. Without it, `runs` alone counts. */
  readonly onAgain?: (report: LearnReport) => boolean | Promise<boolean>;
  /** Runs it once more without each need, and drops the needs without which it ends the same. */
  readonly prove?: boolean;
  /** Puts hidden files that it tried to read into the settings; they are never open while it learns. */
  readonly withSecrets?: boolean;
}

const MAX_RUNS = 20;

export function checkLearnOptions({ runs = 1 }: LearnOptions): void {
  if (!Number.isInteger(runs) || runs < 1 || runs > MAX_RUNS)
    throw new HardshellError('invalid-argument', `runs must be a whole number from 1 to ${MAX_RUNS}.`);
}
