// Name → builtin. A builtin whose effects are fully described by its table row needs no code.

import { describeProgram } from '../launch.ts';
import { type Builtin, unchanged } from './builtin.ts';
import { builtin, command, evalBuiltin, exec, leaveFunction, leaveLoop, source, trap } from './control.ts';
import { declare } from './declarations.ts';
import { cd, popd, pushd } from './directories.ts';
import { getopts, letBuiltin, mapfile, printf, read, wait } from './input.ts';
import { jobs } from './jobs.ts';
import { alias, compgen, enable, hash, set, shift, shopt } from './options.ts';
import { unset } from './unset.ts';

const plain: Builtin = (call) => {
  describeProgram(call.words, call.draft, call.x);
  return unchanged(call);
};

const PLAIN_NAMES =
  ': [ bg bind caller compopt complete dirs disown echo false fc fg help history kill logout pwd suspend test times true ' +
  'type ulimit umask unalias exit';

export const BUILTINS: ReadonlyMap<string, Builtin> = new Map<string, Builtin>([
  ...PLAIN_NAMES.split(' ').map((name): [string, Builtin] => [name, plain]),
  ['cd', cd],
  ['pushd', pushd],
  ['popd', popd],
  ['declare', declare],
  ['typeset', declare],
  ['local', declare],
  ['export', declare],
  ['readonly', declare],
  ['unset', unset],
  ['read', read],
  ['mapfile', mapfile],
  ['readarray', mapfile],
  ['getopts', getopts],
  ['wait', wait],
  ['jobs', jobs],
  ['printf', printf],
  ['let', letBuiltin],
  ['eval', evalBuiltin],
  ['source', source],
  ['.', source],
  ['trap', trap],
  ['exec', exec],
  ['command', command],
  ['builtin', builtin],
  ['break', leaveLoop],
  ['continue', leaveLoop],
  ['return', leaveFunction],
  ['set', set],
  ['shift', shift],
  ['shopt', shopt],
  ['alias', alias],
  ['enable', enable],
  ['hash', hash],
  ['compgen', compgen],
]);
