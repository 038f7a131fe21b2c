// cd, pushd, popd: the folder of the shell afterwards, for success and failure.

import { CLIMBS_AFTER_NAME, foldPath, inFolder } from '../effects/paths.ts';
import { describeProgram } from '../launch.ts';
import type { Flow } from '../machine.ts';
import { forgetFolder, moveTo, type State, setVariable, type Value } from '../state.ts';
import { knownText, lookup } from '../words/lookup.ts';
import { type Builtin, type BuiltinCall, splitOptions } from './builtin.ts';

export const cd: Builtin = (call) => {
  describeProgram(call.words, call.draft, call.x);
  return changeFolder(call);
};

export const pushd: Builtin = (call) => {
  describeProgram(call.words, call.draft, call.x);
  const target = call.words[1];
  const isPlain = call.words.length === 2 && target?.kind === 'literal' && !/^[-+]/.test(target.value);
  return isPlain ? changeFolder(call) : { ok: forgetFolder(call.x.state), fail: call.x.state };
};

export const popd: Builtin = (call) => {
  describeProgram(call.words, call.draft, call.x);
  return { ok: forgetFolder(call.x.state), fail: call.x.state };
};

function changeFolder(call: BuiltinCall): Flow {
  const { state } = call.x;
  const folders = destination(call);
  return { ok: setVariable(moveTo(state, folders), 'OLDPWD', oldFolder(state)), fail: state };
}

function oldFolder(state: State): Value {
  const only = state.folders?.length === 1 ? state.folders[0] : undefined;
  const isProtected = /[rulci]/.test(state.attributes.get('OLDPWD') ?? '');
  return only === undefined || isProtected ? { kind: 'any' } : { kind: 'text', text: only };
}

function destination(call: BuiltinCall): readonly string[] | null {
  const { state } = call.x;
  const split = splitOptions(call.words);
  // With CDPATH a name may lead to another folder; -P follows links, which text cannot.
  if (split === null || split.options.includes('P') || state.attributes.has('CDPATH') || split.operands.length > 1)
    return null;
  const operand = split.operands[0];
  let path: string | null;
  if (operand === undefined) path = knownText(lookup('HOME', state));
  else path = operand.kind === 'literal' ? operand.value : null;
  if (path === '-' && operand !== undefined) path = knownText(lookup('OLDPWD', state));
  if (path === null || CLIMBS_AFTER_NAME.test(path)) return null;
  if (path.startsWith('/')) return [foldPath(path)];
  if (path === '') return state.folders;
  const target = path;
  return state.folders?.map((folder) => foldPath(inFolder(folder, target))) ?? null;
}
