// What `hardshell learn` receives from the command line, and what its exit codes are.

import type { RunVerbOptions } from '../run/options.ts';

export const TARGETS = ['user', 'project', 'local'] as const;

export interface LearnVerbOptions
  extends Pick<
    RunVerbOptions,
    | 'cwd'
    | 'shell'
    | 'mode'
    | 'settings'
    | 'profile'
    | 'timeout'
    | 'env'
    | 'json'
    | 'yes'
    | 'ask'
    | 'allowWrite'
    | 'allowDomain'
    | 'allowPort'
    | 'color'
  > {
  readonly runs?: number;
  readonly prove?: true;
  readonly withSecrets?: true;
  readonly write?: (typeof TARGETS)[number];
}

export const LEARN_EXIT = {
  learned: 0,
  /** It needed more than it had, and was not run again. */
  unsettled: 3,
} as const;
