// The caller's options → a complete request. Invalid values are thrown.
// `asked` is only for resolve(): the terms contain what applies of it.

import { parseRule as parseDomain } from '../confine/network/rules/rules.ts';
import { SANDBOXES } from '../core/confinement.ts';
import { HardshellError } from '../core/errors.ts';
import { SHELLS, type Shell } from '../core/facts.ts';
import { MODES } from '../core/policy.ts';
import type { ProfileName } from '../core/profile-names.ts';
import { OUTPUT_VIEWS, type OutputView, type RunOptions } from '../core/running.ts';
import { quoteWord } from '../core/values/shell-words.ts';
import { checkFolder, checkMilliseconds, type ShellSetup, wrong } from './shell-options.ts';
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
  options: RunOptions,
  setup: ShellSetup,
  { isBackground = false }: { readonly isBackground?: boolean } = {},
): Request {
  const { args = null, originalCwd = setup.originalCwd, stdin } = options;
  const { defaultTimeoutMs, maxTimeoutMs, keepBytes } = setup;
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
      bytes: stdin === undefined ? null : typeof stdin === 'string' ? Buffer.from(stdin) : stdin,
      isOpen: isBackground && options.isInputOpen === true,
    },
    output: {
      view: options.view ?? setup.view,
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
      defaultTimeoutMs,
      maxTimeoutMs,
    },
  };
}

/** Types are not trusted: requests may come from untyped programs. */
export function checkRequest(command: string, options: RunOptions): void {
  if (typeof command !== 'string') throw wrong('The command must be a string.');
  if (command.trim() === '')
    throw new HardshellError('empty', 'The command is empty.', { hint: 'Pass a command, for example `ls -l`.' });
  if (typeof options !== 'object' || options === null) throw wrong('The options must be an object with `cwd`.');
  checkFolder('cwd', options.cwd);
  if (options.originalCwd !== undefined) checkFolder('originalCwd', options.originalCwd);
  if (options.view !== undefined && !OUTPUT_VIEWS.includes(options.view))
    throw wrong(`view must be one of ${OUTPUT_VIEWS.join(', ')}.`);
  if (options.mode !== undefined && !MODES.includes(options.mode))
    throw wrong(`mode must be one of ${MODES.join(', ')}.`);
  const { viewCharacters } = options;
  if (viewCharacters !== undefined && !(viewCharacters >= 2 && viewCharacters <= 30_000))
    throw wrong('viewCharacters must be a number from 2 to 30000.');
  const { args, shell, timeoutMs, backgroundAfterMs, env, stdin, streams } = options;
  if (args !== undefined && !(Array.isArray(args) && args.every((word) => typeof word === 'string')))
    throw wrong('args must be a list of strings.');
  if (args !== undefined && shell !== undefined)
    throw wrong('args and shell cannot be combined: leave one of them out.');
  if (shell !== undefined && !SHELLS.includes(shell)) throw wrong(`shell must be one of ${SHELLS.join(', ')}.`);
  if (timeoutMs !== undefined) checkMilliseconds('timeoutMs', timeoutMs);
  if (backgroundAfterMs !== undefined) checkMilliseconds('backgroundAfterMs', backgroundAfterMs);
  if (env !== undefined && Object.values(env).some((value) => typeof value !== 'string'))
    throw wrong('env must be an object of strings.');
  if (stdin !== undefined && typeof stdin !== 'string' && !(stdin instanceof Uint8Array))
    throw wrong('stdin must be a string or bytes.');
  checkSandbox(options);
  if (streams !== undefined && streams !== 'merged' && streams !== 'split')
    throw wrong('streams must be merged or split.');
  for (const [name, value] of Object.entries(options.limits ?? {}))
    if (value !== undefined && !(Number.isSafeInteger(value) && value > 0))
      throw wrong(`limits.${name} must be a whole number greater than 0.`);
}

function checkSandbox({ sandbox }: RunOptions): void {
  const { name, allowWrite = [], allowDomains = [], allowPorts = [], publishPorts = [] } = sandbox ?? {};
  if (name !== undefined && !SANDBOXES.includes(name))
    throw wrong(`sandbox.name must be one of ${SANDBOXES.join(', ')}.`);
  for (const path of allowWrite) checkFolder('sandbox.allowWrite', path);
  // Throws if a pattern is invalid.
  for (const host of allowDomains) parseDomain(host);
  for (const port of [...allowPorts, ...publishPorts])
    if (!Number.isInteger(port) || port < 1 || port > 65_535) throw wrong(`${port} is not a port.`);
  const wider = [allowWrite, allowDomains, allowPorts, publishPorts].some((list) => list.length > 0);
  if (name === 'restricted' && wider)
    throw new HardshellError('invalid-argument', 'The restricted sandbox cannot be widened.', {
      hint: 'Use the sandbox workspace, which can write to the folders and reach the hosts that you name.',
    });
}

/** Words that a shell would interpret at the start of a command. */
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
