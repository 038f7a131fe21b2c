// The complete options of a call → a request.
// `asked` is for resolve() alone: what holds of it is in the terms.

import type { Shell } from '../core/facts.ts';
import type { ProfileName } from '../core/profile-names.ts';
import type { OutputView, RunOptions } from '../core/running.ts';
import { quoteWord } from '../core/values/shell-words.ts';
import type { CompleteOptions } from './call-options.ts';
import type { ShellSetup } from './shell-options.ts';
import type { AskedLimits } from './terms/limits.ts';

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
  readonly output: OutputForm;
  readonly asked: Asked;
}

export interface Input {
  readonly bytes: Uint8Array | null;
  /** For a task: its input stays open. */
  readonly isOpen: boolean;
}

export interface OutputForm {
  readonly view: OutputView;
  readonly viewCharacters: number | undefined;
  readonly streams: 'merged' | 'split';
  readonly stripAnsi: boolean;
  readonly wantsDetails: boolean;
  /** How much is kept on disk. */
  readonly keepBytes: number;
}

export interface Asked
  extends AskedLimits,
    Pick<RunOptions, 'policy' | 'mode' | 'narrowing' | 'sandbox' | 'withoutSandbox' | 'env' | 'preserveEnvironment'> {
  readonly assumeYes: boolean;
  /** The tool has a broker, so that questions can be asked. */
  readonly hasBroker: boolean;
}

export function createRequest(
  command: string,
  options: CompleteOptions,
  setup: ShellSetup,
  { isBackground = false }: { readonly isBackground?: boolean } = {},
): Request {
  const { args = null, originalCwd, input } = options;
  const { timeout, maxTimeout, keepBytes } = setup;
  return {
    command,
    text: args === null ? command : quoteCommand(command, args),
    args,
    shell: options.shell,
    isBackground,
    cwd: options.cwd,
    originalCwd: originalCwd ?? null,
    session: options.session ?? null,
    user: options.user ?? null,
    profile: options.profile ?? null,
    caller: options.caller,
    description: options.description ?? null,
    signal: options.signal,
    input: {
      bytes: input === undefined ? null : typeof input === 'string' ? Buffer.from(input) : input,
      isOpen: isBackground && options.isInputOpen === true,
    },
    output: {
      view: options.view ?? 'req',
      viewCharacters: options.viewCharacters,
      streams: options.streams ?? 'merged',
      stripAnsi: options.stripAnsi === true,
      wantsDetails: options.wantsDetails === true,
      keepBytes,
    },
    asked: {
      ...options,
      assumeYes: options.assumeYes === true,
      hasBroker: setup.broker !== undefined,
      defaultTimeoutMs: timeout,
      maxTimeoutMs: maxTimeout,
    },
  };
}

/** Words that a shell would take for something else where a command begins. */
const RESERVED = new Set(
  'if then elif else fi time for in until while do done case esac coproc select function'.split(' '),
);

/** argv mode → equivalent shell text, to be checked and shown. */
export function quoteCommand(program: string, args: readonly string[]): string {
  const quote = (word: string) => (/^[\w@%+:,./-]+$/.test(word) ? word : quoteWord(word));
  const first = RESERVED.has(program) ? quoteWord(program) : quote(program);
  // `--option=value` is more readable unquoted; before the program it would be an assignment.
  const rest = args.map((word) => (/^-[\w-]+=[\w@%+:,./-]*$/.test(word) ? word : quote(word)));
  return [first, ...rest].join(' ');
}
