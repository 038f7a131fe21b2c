// A complete request: everything that a caller asks for, checked. pipeline/request.ts makes it.
// `asked` is only for resolve(): the terms contain what applies of it.

import type { Shell } from '../core/facts.ts';
import type { ProfileName } from '../core/profile-names.ts';
import type { CompleteRunOptions, OutputView } from '../core/running.ts';
import type { AskedLimits } from './limits.ts';

export interface Request {
  /** As the caller wrote it; in argv mode the program. */
  readonly command: string;
  /** Exactly what would run, as shell text: this is checked, asked about and recorded. */
  readonly text: string;
  /** In argv mode; `null`: a shell reads the command. */
  readonly args: readonly string[] | null;
  readonly shell: Shell | undefined;
  readonly isBackground: boolean;
  readonly cwd: string;
  /** Where the session started. */
  readonly originalCwd: string | null;
  readonly session: string | null;
  readonly user: string | null;
  readonly profile: ProfileName | null;
  /** The surface call that it comes from. */
  readonly caller: string | undefined;
  readonly description: string | null;
  readonly signal: AbortSignal | undefined;
  readonly input: Input;
  readonly output: AskedForm;
  readonly asked: Asked;
}

export interface Input {
  readonly bytes: Uint8Array | null;
  /** For a task: its input stays open. */
  readonly isOpen: boolean;
}

export interface OutputForm extends AskedForm {
  readonly view: OutputView;
  /** Tags with hints for the host are removed from the output. */
  readonly readsHints: boolean;
}

export interface AskedForm {
  /** `undefined`: as the profile says. */
  readonly view: OutputView | undefined;
  readonly viewCharacters: number | undefined;
  readonly streams: 'merged' | 'split';
  readonly stripAnsi: boolean;
  readonly wantsDetails: boolean;
  /** How much is kept on disk. */
  readonly keepBytes: number;
}

export interface Asked
  extends AskedLimits,
    Pick<
      CompleteRunOptions,
      | 'policy'
      | 'mode'
      | 'profiles'
      | 'narrowing'
      | 'sandbox'
      | 'withoutSandbox'
      | 'env'
      | 'preserveEnvironment'
      | 'keepOutput'
      | 'staging'
    > {
  readonly assumeYes: boolean;
  /** The tool has a broker, so that questions can be asked. */
  readonly hasBroker: boolean;
}
