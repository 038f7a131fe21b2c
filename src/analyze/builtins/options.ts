// set, shift, shopt, alias, enable, hash: how the shell behaves after them.
// Options that change how text is parsed or how commands are found make the result uncertain.

import type { WordValue } from '../../core/facts.ts';
import { wordSet } from '../../core/values/once.ts';
import { describeProgram } from '../launch.ts';
import type { Flow } from '../machine.ts';
import { doubtLater, forgetVariables, noteChange } from '../state.ts';
import { type Builtin, type BuiltinCall, unchanged } from './builtin.ts';

const HARMLESS_LETTERS = /^[abefhmnpuvxCEPT]*$/;
const HARMLESS_NAMES = wordSet(
  'allexport errexit errtrace functrace hashall ignoreeof monitor noclobber noexec noglob nolog notify nounset pipefail ' +
    'physical privileged verbose xtrace vi emacs',
);
const HARMLESS_SHOPTS = wordSet(
  'nullglob dotglob globstar nocaseglob nocasematch globasciiranges inherit_errexit checkwinsize cmdhist ' +
    'lithist histappend histreedit histverify huponexit xpg_echo checkhash checkjobs execfail gnu_errfmt mailwarn ' +
    'no_empty_cmd_completion progcomp promptvars restricted_shell shift_verbose sourcepath direxpand dirspell autocd cdspell ' +
    'complete_fullquote force_fignore hostcomplete interactive_comments globskipdots noexpand_translation',
);

export const set: Builtin = (call) => {
  describeProgram(call.words, call.draft, call.x);
  const { words } = call;
  if (words.length === 1) {
    call.draft.add('discloses', 'environment');
    return unchanged(call);
  }
  for (let i = 1; i < words.length; i++) {
    const word = words[i] as WordValue;
    if (word.kind !== 'literal') {
      if (word.kind === 'dynamic' && !word.many && word.head !== '' && !/^[-+]/.test(word.head))
        return setPositional(call, i);
      return doubt(call, 'set gets words that may be options');
    }
    if (word.value === '--' || word.value === '-') return setPositional(call, i + 1);
    if (!/^[-+]./.test(word.value)) return setPositional(call, i);
    const letters = word.value.slice(1).replaceAll('o', '');
    if (!HARMLESS_LETTERS.test(letters.replace(word.value.startsWith('-') ? 'B' : '', ''))) {
      return doubt(call, `set ${word.value} changes how the shell parses commands`);
    }
    const isOn = word.value.startsWith('-');
    if (letters.includes('a')) setExporting(call, isOn);
    if (word.value.includes('o')) {
      const name = words[++i];
      if (name?.kind === 'literal' && name.value === 'allexport') setExporting(call, isOn);
      const isHarmless = name === undefined || (name.kind === 'literal' && HARMLESS_NAMES.has(name.value));
      if (!isHarmless) return doubt(call, 'set -o changes how the shell parses commands');
    }
  }
  return unchanged(call);
};

/** `set -a`: everything assigned later is exported. */
function setExporting(call: BuiltinCall, isOn: boolean): void {
  if (call.x.state.exportsAll !== isOn) call.x.state = noteChange({ ...call.x.state, exportsAll: isOn });
}

function setPositional(call: BuiltinCall, from: number): Flow {
  const words = call.words.slice(from);
  const isCounted = words.every((word) => word.kind === 'literal' || (word.kind === 'dynamic' && !word.many));
  call.x.state = noteChange({ ...call.x.state, positional: isCounted ? words : null });
  return unchanged(call);
}

export const shift: Builtin = (call) => {
  describeProgram(call.words, call.draft, call.x);
  const { state } = call.x;
  const word = call.words[1];
  const count =
    word === undefined ? 1 : word.kind === 'literal' && /^[0-9]{1,6}$/.test(word.value) ? Number(word.value) : null;
  if (state.positional === null) return unchanged(call);
  if (count === null) return { ok: { ...state, positional: null }, fail: state };
  // Shifting by more than there are fails and leaves them unchanged.
  if (count > state.positional.length) return unchanged(call);
  const shifted = noteChange({ ...state, positional: state.positional.slice(count) });
  return { ok: shifted, fail: shifted };
};

export const shopt: Builtin = (call) => {
  describeProgram(call.words, call.draft, call.x);
  const words = call.words.slice(1);
  const isChange = words.some((word) => word.kind !== 'literal' || /^-[a-z]*[su]/.test(word.value));
  if (!isChange) return unchanged(call);
  const usesSetNames = words.some((word) => word.kind === 'literal' && /^-[a-z]*o/.test(word.value));
  for (const word of words) {
    if (word.kind === 'literal' && word.value.startsWith('-')) continue;
    const name = word.kind === 'literal' ? word.value : null;
    if (name === 'allexport' && usesSetNames) setExporting(call, true);
    if (name === 'lastpipe') call.x.state = { ...call.x.state, lastPipe: true };
    else if (name === null || !(usesSetNames ? HARMLESS_NAMES : HARMLESS_SHOPTS).has(name)) {
      const isAlias = name === 'expand_aliases';
      const message = isAlias
        ? 'aliases change what command names mean'
        : 'an option changes how the shell parses commands';
      call.x.state = doubtLater(call.x.state, isAlias ? 'aliases' : 'shell-option', message, call.draft.span);
    }
  }
  return unchanged(call);
};

/** Aliases are off in `bash -c`; other shells expand them. */
export const alias: Builtin = (call) => {
  describeProgram(call.words, call.draft, call.x);
  const defines = call.words.slice(1).some((word) => word.kind !== 'literal' || word.value.includes('='));
  if (defines && call.x.scope.shell !== 'bash') {
    call.x.state = doubtLater(call.x.state, 'aliases', 'an alias changes what a command name means', call.draft.span);
  }
  return unchanged(call);
};

export const enable: Builtin = (call) => {
  describeProgram(call.words, call.draft, call.x);
  const isListing = call.words.slice(1).every((word) => word.kind === 'literal' && /^-[aps]+$/.test(word.value));
  if (!isListing) {
    // A name that is not a builtin is searched as a library, and its code is loaded.
    call.draft.add('executes', { kind: 'file', text: null });
    const message = 'builtins are enabled, disabled or loaded, so names may mean other commands';
    call.x.state = doubtLater(call.x.state, 'lookup-changed', message, call.draft.span);
  }
  return unchanged(call);
};

export const hash: Builtin = (call) => {
  describeProgram(call.words, call.draft, call.x);
  const given = call.words.slice(1).some((word) => word.kind !== 'literal' || /^-[a-z]*p/.test(word.value));
  if (given) {
    call.x.state = doubtLater(call.x.state, 'lookup-changed', 'hash -p makes a name run another file', call.draft.span);
  }
  return unchanged(call);
};

/** compgen expands and runs the values of its options, even without completion. */
export const compgen: Builtin = (call) => {
  describeProgram(call.words, call.draft, call.x);
  const runs = call.words.slice(1).some((word) => word.kind !== 'literal' || /^-[a-z]*[CFVW]/.test(word.value));
  if (runs) call.x.machine.recorder.cannotTell('dynamic-code', 'compgen runs its argument', call.draft.span);
  return unchanged(call);
};

function doubt(call: BuiltinCall, message: string): Flow {
  call.x.state = forgetVariables(doubtLater(call.x.state, 'shell-option', message, call.draft.span));
  return unchanged(call);
}
