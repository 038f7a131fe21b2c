// The complete options of a call → a request.
// `asked` is only for resolve(): the terms contain what applies of it.

import { quoteWord } from '../core/values/shell-words.ts';
import type { Request } from '../terms/request.ts';
import type { CompleteOptions } from './call-options.ts';
import type { ShellSetup } from './shell-options.ts';

export function createRequest(
  command: string,
  options: CompleteOptions,
  setup: Pick<ShellSetup, 'broker' | 'timeout' | 'maxTimeout' | 'keepBytes'>,
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
      view: options.view,
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
