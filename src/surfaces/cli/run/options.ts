// What `hardshell run` receives from the command line, and what its exit codes are.

import type { CheckOptions, STAGING_NAMES } from '../options.ts';
import type { SandboxOptions } from '../sandbox-overrides.ts';

export interface RunVerbOptions
  extends Pick<CheckOptions, 'cwd' | 'shell' | 'mode' | 'settings' | 'profile'>,
    SandboxOptions {
  readonly timeout?: number;
  readonly env?: Readonly<Record<string, string>>;
  readonly background?: true;
  readonly json?: true;
  readonly stream?: true;
  readonly argv?: true;
  readonly verbose?: true;
  readonly yes?: true;
  /** Without a terminal, a question waits for another terminal. */
  readonly ask?: true;
  readonly dangerouslyDisableSandbox?: true;
  readonly staging?: (typeof STAGING_NAMES)[number];
  /** Of the hook that let it pass. */
  readonly ticket?: string;
  /** What the command does, for the person who is asked and for the record. */
  readonly description?: string;
  /** With --profile: further fields of its tool. */
  readonly field?: readonly (readonly [name: string, value: string])[];
  /** False after --no-color. */
  readonly color: boolean;
}

/** Those of `timeout`, `env` and the shell: callers may already know them. */
export const RUN_EXIT = {
  /** The output cannot be written: the same code as in all other verbs. */
  unwritable: 74,
  timedOut: 124,
  failed: 125,
  denied: 126,
  notFound: 127,
  interrupted: 130,
  /** 128 + SIGPIPE: the reader of our output is gone. */
  readerGone: 141,
} as const;
