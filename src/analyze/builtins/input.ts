// read, mapfile, getopts, printf -v, let, wait -p: builtins that set variables from other sources.

import type { WordValue } from '../../core/facts.ts';
import { checkScriptInput, describeProgram } from '../launch.ts';
import type { Flow } from '../machine.ts';
import { ANY, forgetVariables, setVariable } from '../state.ts';
import { addAttributes, makeOrdinary, setByName } from '../variables.ts';
import { evaluateText } from '../words/arithmetic.ts';
import { VARIABLE_NAME } from '../words/lookup.ts';
import { type Builtin, type BuiltinCall, doubtNames, unchanged } from './builtin.ts';

/** Options of each builtin that take a value, then those that name an array. */
export const read: Builtin = (call) => setNames(call, 'dinNptu', 'a');
export const mapfile: Builtin = (call) => {
  const callback = call.words.some((word) => word.kind !== 'literal' || /^-[a-zA-Z]*C/.test(word.value));
  if (callback) call.x.machine.recorder.cannotTell('dynamic-code', 'mapfile -C runs a callback', call.draft.span);
  setNames(call, 'dnOsucC', '');
  const name = call.words.at(-1);
  if (name?.kind === 'literal') call.x.state = addAttributes(call.x.state, name.value, 'a');
  return unchanged(call);
};

export const getopts: Builtin = (call) => {
  describeProgram(call.words, call.draft, call.x);
  const first = call.words[1];
  const isEnded = first?.kind === 'literal' && first.value === '--';
  // Any number of words before it: it is unknown which one names the variable.
  if (isEnded && call.x.scope.shell !== 'bash') return doubtNames(call);
  if (call.words.slice(1, isEnded ? 3 : 2).some((word) => word.kind !== 'literal')) return doubtNames(call);
  return setVariableByWord(call.words[isEnded ? 3 : 2], call);
};

export const wait: Builtin = (call) => {
  describeProgram(call.words, call.draft, call.x);
  const { words } = call;
  for (let i = 1; i < words.length; i++) {
    const word = words[i] as WordValue;
    // `-p` may be the beginning of an unknown word.
    if (word.kind !== 'literal') return doubtNames(call);
    if (word.value === '--' || !/^-./.test(word.value)) return unchanged(call);
    const at = word.value.indexOf('p');
    if (at === -1) continue;
    const name = at < word.value.length - 1 ? { ...word, value: word.value.slice(at + 1) } : words[++i];
    // It is unset first: a special variable of bash is then an ordinary one.
    if (name?.kind === 'literal') call.x.state = setVariable(makeOrdinary(call.x.state, name.value), name.value, ANY);
    setVariableByWord(name, call);
  }
  return unchanged(call);
};

export const printf: Builtin = (call) => {
  describeProgram(call.words, call.draft, call.x);
  const { words } = call;
  for (let i = 1; i < words.length; i++) {
    const word = words[i] as WordValue;
    if (word.kind !== 'literal') {
      const isMany = word.kind === 'dynamic' && word.many;
      const mayBeOption = isMany || '-v'.startsWith(word.head) || word.head.startsWith('-v');
      return mayBeOption ? doubtNames(call) : unchanged(call);
    }
    if (!word.value.startsWith('-v')) return unchanged(call);
    const name = word.value === '-v' ? words[++i] : { ...word, value: word.value.slice(2) };
    setVariableByWord(name, call);
  }
  return unchanged(call);
};

export const letBuiltin: Builtin = (call) => {
  describeProgram(call.words, call.draft, call.x);
  for (const word of call.words.slice(1)) {
    if (word.kind !== 'literal') {
      const message = 'an unknown value is evaluated as arithmetic';
      call.x.machine.recorder.cannotTell('arithmetic-evaluates', message, word.span);
      call.x.state = forgetVariables(call.x.state);
    } else evaluateText(word.value, { pos: word.span[0], end: word.span[1] }, call.x);
  }
  return unchanged(call);
};

function setNames(call: BuiltinCall, valueLetters: string, nameLetters: string): Flow {
  describeProgram(call.words, call.draft, call.x);
  checkScriptInput(call.draft, call.x);
  const { words } = call;
  let i = 1;
  for (; i < words.length; i++) {
    const word = words[i] as WordValue;
    if (word.kind !== 'literal') return doubtNames(call);
    if (word.value === '--') {
      i++;
      break;
    }
    if (!/^-./.test(word.value)) break;
    const letters = word.value.slice(1);
    const at = [...letters].findIndex((letter) => (valueLetters + nameLetters).includes(letter));
    if (at === -1) continue;
    const attached = letters.slice(at + 1);
    const value = attached === '' ? words[++i] : { ...word, value: attached };
    if (nameLetters.includes(letters[at] as string)) {
      setVariableByWord(value, call);
      if (value?.kind === 'literal') call.x.state = addAttributes(call.x.state, value.value, 'a');
    } else if (value?.kind === 'dynamic' && value.many) return doubtNames(call);
  }
  for (const word of words.slice(i)) setVariableByWord(word, call);
  return unchanged(call);
}

function setVariableByWord(word: WordValue | undefined, call: BuiltinCall): Flow {
  if (word === undefined) return unchanged(call);
  if (word.kind !== 'literal' || word.value.includes('[')) return doubtNames(call);
  if (!VARIABLE_NAME.test(word.value)) return unchanged(call);
  setByName(word.value, ANY, word.span, call.x);
  return unchanged(call);
}
