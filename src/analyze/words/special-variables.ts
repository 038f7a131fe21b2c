// Variables that the shell itself sets: an assignment does not decide their value.

import { wordSet } from '../../core/values/once.ts';
import { ANY, INTEGER, type State, type Value } from '../state.ts';

const INTEGERS = wordSet(
  'RANDOM SRANDOM LINENO SECONDS EPOCHSECONDS BASHPID BASH_SUBSHELL HISTCMD PPID UID EUID # ? $',
);
/** They have the integer attribute, SECONDS once it was looked up: assigned values are evaluated (bash, variables.c). */
const INTEGER_ATTRIBUTE = wordSet('RANDOM SRANDOM BASHPID HISTCMD OPTIND SECONDS');
const OTHERS = wordSet(
  'EPOCHREALTIME BASH_COMMAND FUNCNAME GROUPS DIRSTACK PIPESTATUS BASH_ARGV0 BASH_ARGV BASH_ARGC BASH_SOURCE ' +
    'BASH_LINENO BASH_REMATCH BASH_VERSINFO BASHOPTS SHELLOPTS OPTARG OPTIND OPTERR COMP_WORDBREAKS REPLY MAPFILE ' +
    'COPROC READLINE_LINE BASH_EXECUTION_STRING _ - 0 ! PWD OLDPWD IFS',
);
const ARRAYS = wordSet(
  'FUNCNAME GROUPS DIRSTACK PIPESTATUS BASH_ARGV BASH_ARGC BASH_SOURCE BASH_LINENO BASH_REMATCH BASH_VERSINFO MAPFILE ' +
    'COPROC BASH_ALIASES BASH_CMDS COMPREPLY COMP_WORDS',
);

/** `undefined`: an ordinary variable. */
export function specialVariable(name: string, state: State): Value | undefined {
  if (INTEGERS.has(name)) return isOrdinary(name, state) ? ANY : INTEGER;
  if (name === 'PWD') return state.attributes.has('PWD') ? (state.variables.get(name) ?? ANY) : folderValue(state);
  if (name === 'OLDPWD') return state.variables.get('OLDPWD') ?? ANY;
  return OTHERS.has(name) ? ANY : undefined;
}

/** It was unset or made local, or came from the environment: the shell may no longer set it. */
function isOrdinary(name: string, state: State): boolean {
  return state.attributes.size > 0 && state.attributes.get(name)?.includes('m') === true;
}

export function isSpecialVariable(name: string): boolean {
  return INTEGERS.has(name) || OTHERS.has(name);
}

export function isSpecialInteger(name: string): boolean {
  return INTEGERS.has(name);
}

export function hasIntegerAttribute(name: string): boolean {
  return INTEGER_ATTRIBUTE.has(name);
}

/** The shell sets them to text of its own: with the integer attribute that would be evaluated. */
export function isSpecialText(name: string): boolean {
  return OTHERS.has(name) && name !== 'OPTIND';
}

export function isSpecialArray(name: string): boolean {
  return ARRAYS.has(name);
}

function folderValue(state: State): Value {
  const folder = state.folders?.length === 1 ? state.folders[0] : undefined;
  return folder === undefined || !folder.startsWith('/') ? { kind: 'path' } : { kind: 'text', text: folder };
}
