// eval, source, trap, exec, command, builtin, and the ways to leave a loop, a function or the shell.

import type { WordValue } from '../../core/facts.ts';
import { Draft } from '../effects/draft.ts';
import { describeProgram } from '../launch.ts';
import { type Expansion, type Flow, MAX_DEPTH, sharedStdin, within } from '../machine.ts';
import { forgetFolder, forgetVariables } from '../state.ts';
import { type Builtin, type BuiltinCall, unchanged } from './builtin.ts';

export const evalBuiltin: Builtin = (call) => {
  describeProgram(call.words, call.draft, call.x);
  const { x, draft } = call;
  const texts = call.words.slice(1).map((word) => (word.kind === 'literal' ? word.value : null));
  if (texts.includes(null)) {
    draft.add('executes', { kind: 'shell', text: null });
    x.machine.recorder.cannotTell('dynamic-code', 'eval runs text that is known only at run time', draft.span);
    x.state = forgetFolder(forgetVariables(x.state));
    return unchanged(call);
  }
  if (texts[0] === '--') {
    if (x.scope.shell !== 'bash')
      x.machine.recorder.cannotTell('dialect', 'eval -- runs -- in some shells', draft.span);
    texts.shift();
  }
  if (x.scope.depth >= MAX_DEPTH) return tooDeep(call);
  const inside = within(x.scope, 'eval');
  const scope = { ...inside, stdin: sharedStdin(inside.stdin), span: draft.span, depth: x.scope.depth + 1 };
  return x.machine.evaluate(texts.join(' '), x.state, scope);
};

export const source: Builtin = (call) => {
  describeProgram(call.words, call.draft, call.x);
  const { x, draft } = call;
  const message = 'a sourced file can define functions and variables that change everything after it';
  x.machine.recorder.cannotTell('sourced-file', message, draft.span);
  x.state = forgetFolder(forgetVariables(x.state));
  return unchanged(call);
};

export const trap: Builtin = (call) => {
  describeProgram(call.words, call.draft, call.x);
  const { x, draft } = call;
  const isEnded = call.words[1]?.kind === 'literal' && call.words[1].value === '--';
  const [action, ...signals] = call.words.slice(isEnded ? 2 : 1);
  if (action === undefined) return unchanged(call);
  if (action.kind !== 'literal') {
    draft.add('executes', { kind: 'shell', text: null });
    x.machine.recorder.cannotTell('dynamic-code', 'a trap runs text that is known only at run time', action.span);
  } else if (signals.length > 0 && action.value !== '-' && (isEnded || !/^-[lpP]/.test(action.value))) {
    x.machine.deferTrap(action.value, { ...within(x.scope, 'trap'), span: draft.span, depth: x.scope.depth + 1 });
  }
  return unchanged(call);
};

export const exec: Builtin = (call) => {
  describeProgram(call.words, call.draft, call.x);
  const first = call.words[1];
  if (call.x.scope.shell !== 'bash' && first?.kind === 'literal' && first.value.startsWith('-')) {
    call.x.machine.recorder.cannotTell('dialect', 'exec has no options in some shells', call.draft.span);
  }
  const command = afterOptions(call, 'a');
  if (command !== null && command.length > 0) {
    checkName(call, command);
    const scope = { ...within(call.x.scope, 'exec'), depth: call.x.scope.depth + 1 };
    call.x.machine.runProgram(command, call.x.state, scope, {});
  }
  return unchanged(call);
};

/** A shell named `sh` expands aliases, one named `-bash` runs the profile; `git-push`, `pkill`, `gunzip` are names too. */
function checkName(call: BuiltinCall, command: readonly WordValue[]): void {
  const options = call.words.slice(1, call.words.length - command.length);
  if (!options.some((word) => word.kind === 'literal' && /^-[cl]*[al]/.test(word.value))) return;
  const message = 'exec gives the program another name, which may make it another program';
  call.x.machine.recorder.cannotTell('wrapper-arguments', message, call.draft.span);
}

export const command: Builtin = (call) => {
  describeProgram(call.words, call.draft, call.x);
  const first = call.words[1];
  if (first?.kind === 'literal' && /^-p?[vV]/.test(first.value)) return unchanged(call);
  return runPastFunctions(call, 'command');
};

export const builtin: Builtin = (call) => {
  describeProgram(call.words, call.draft, call.x);
  return runPastFunctions(call, 'builtin');
};

/** Runs the words after the options, bypassing functions of that name. */
export function runPastFunctions(call: BuiltinCall, via: string): Flow {
  const words = afterOptions(call, '');
  const name = words?.[0];
  if (words === null || name === undefined) return unchanged(call);
  const { x, draft: outer } = call;
  if (x.scope.depth >= MAX_DEPTH) return tooDeep(call);
  const scope = within(x.scope, via);
  const draft = new Draft(scope, x.state.folders, outer.span);
  const index = x.machine.recorder.add(draft);
  draft.words = words;
  draft.assignments = outer.assignments;
  const inside: Expansion = {
    machine: x.machine,
    scope: { ...scope, parent: index, depth: scope.depth + 1 },
    state: x.state,
  };
  if (name.kind !== 'literal') {
    x.machine.recorder.doubtCommand(draft, name);
    return { ok: forgetFolder(forgetVariables(x.state)), fail: x.state };
  }
  return call.runNamed(name.value, words, [], draft, inside);
}

/** The words after the builtin's own options; `null`, with a reason, if an unknown word may be one. */
function afterOptions(call: BuiltinCall, valueLetters: string): readonly WordValue[] | null {
  const { words } = call;
  for (let i = 1; i < words.length; i++) {
    const word = words[i] as WordValue;
    if (word.kind !== 'literal') {
      call.x.machine.recorder.doubtCommand(call.draft, word);
      return null;
    }
    if (word.value === '--') return words.slice(i + 1);
    if (!/^-./.test(word.value)) return words.slice(i);
    const at = valueLetters === '' ? -1 : word.value.indexOf(valueLetters);
    if (at !== -1 && at === word.value.length - 1) i++;
  }
  return [];
}

function tooDeep(call: BuiltinCall): Flow {
  call.x.machine.recorder.cannotTell('too-deep', 'commands run commands too deeply', call.draft.span);
  return unchanged(call);
}

/** `break` and `continue`: this state may arrive at their target; the text after them is walked anyway. */
export const leaveLoop: Builtin = (call) => {
  describeProgram(call.words, call.draft, call.x);
  for (const exits of call.x.scope.loops) exits.states.push(call.x.state);
  return unchanged(call);
};

export const leaveFunction: Builtin = (call) => {
  describeProgram(call.words, call.draft, call.x);
  call.x.scope.callee?.states.push(call.x.state);
  return unchanged(call);
};
