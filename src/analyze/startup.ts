// Names in the environment of a shell that starts → their effect before its first command.
// Functions, options and files from there are not followed.

import type { ReasonId, Span } from '../core/facts.ts';
import { CHARACTERS_CHANGED, setsCharacters } from './environment.ts';
import type { Recorder } from './recorder.ts';
import { isSpecialInteger } from './words/special-variables.ts';

const NO_ATTRIBUTES: ReadonlyMap<string, string> = new Map();

/** The attributes at the start of the shell; see variables.ts. */
export function readStartup(
  given: readonly (readonly [name: string, value: string | null])[],
  recorder: Recorder,
  span: Span,
): ReadonlyMap<string, string> {
  if (given.length === 0) return NO_ATTRIBUTES;
  const attributes = new Map<string, string>();
  for (const [name, value] of given) {
    const doubt = startupDoubt(name);
    if (setsCharacters(name, value)) recorder.cannotTell('shell-option', CHARACTERS_CHANGED, span);
    if (doubt) recorder.cannotTell(...doubt, span);
    // Some of them keep the inherited text (UID), and arithmetic evaluates it.
    if (isSpecialInteger(name)) attributes.set(name, 'm');
    else if (name === 'FUNCNEST') attributes.set(name, 'w');
  }
  return attributes;
}

function startupDoubt(name: string): [ReasonId, string] | null {
  switch (name) {
    case 'BASH_ENV':
    case 'ENV':
      return ['sourced-file', `${name} names a file that the shell runs first`];
    case 'POSIXLY_CORRECT':
    case 'POSIX_PEDANTIC':
    case 'SHELLOPTS':
    case 'BASHOPTS':
    case 'BASH_COMPAT':
      return ['shell-option', `${name} changes how the shell parses commands`];
    case 'PS4':
      return ['prompt-expansion', 'PS4 is expanded, which runs the substitutions in it'];
    case 'TEXTDOMAIN':
    case 'TEXTDOMAINDIR':
      return ['dynamic-code', 'a translation of $"…" is expanded again'];
    default:
      return name.startsWith('BASH_FUNC_')
        ? ['exported-function', 'a function comes in through the environment']
        : null;
  }
}
