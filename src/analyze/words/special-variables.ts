// Variables that the shell itself gives a value to: an assignment does not decide what they expand to.

import { wordSet } from '../../core/values/once.ts';
import { ANY, INTEGER, type State, type Value } from '../state.ts';

const INTEGERS = wordSet(
  'RANDOM SRANDOM LINENO SECONDS EPOCHSECONDS BASHPID BASH_SUBSHELL HISTCMD PPID UID EUID # ? $',
);
const OTHERS = wordSet(
  'EPOCHREALTIME BASH_COMMAND FUNCNAME GROUPS DIRSTACK PIPESTATUS BASH_ARGV0 BASH_ARGV BASH_ARGC BASH_SOURCE ' +
    'BASH_LINENO BASH_REMATCH BASH_VERSINFO BASHOPTS SHELLOPTS OPTARG OPTIND OPTERR COMP_WORDBREAKS REPLY MAPFILE ' +
    'COPROC READLINE_LINE BASH_EXECUTION_STRING _ - 0 ! PWD OLDPWD IFS',
);

/** `undefined`: an ordinary variable. */
export function specialVariable(name: string, state: State): Value | undefined {
  if (INTEGERS.has(name)) return INTEGER;
  if (name === 'PWD') return state.attributes.has('PWD') ? (state.variables.get(name) ?? ANY) : folderValue(state);
  if (name === 'OLDPWD') return state.variables.get('OLDPWD') ?? ANY;
  return OTHERS.has(name) ? ANY : undefined;
}

export function isSpecialVariable(name: string): boolean {
  return INTEGERS.has(name) || OTHERS.has(name);
}

function folderValue(state: State): Value {
  const folder = state.folders?.length === 1 ? state.folders[0] : undefined;
  return folder === undefined || !folder.startsWith('/') ? { kind: 'path' } : { kind: 'text', text: folder };
}
