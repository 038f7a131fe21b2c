// One simple command: expand, redirect, assign, then function, builtin or program, in bash's order.

import type { WordValue } from '../../core/facts.ts';
import { wordSet } from '../../core/values/once.ts';
import type { Assignment, Command } from '../../parse/tree.ts';
import type { Declared } from '../builtins/builtin.ts';
import { BUILTINS } from '../builtins/table.ts';
import { Draft } from '../effects/draft.ts';
import { checkScriptInput, launch } from '../launch.ts';
import { type Expansion, type Flow, inCommand, type Machine, type Scope, spanOf } from '../machine.ts';
import { ANY, join, type State } from '../state.ts';
import { endTemporary, markTemporary } from '../temporary.ts';
import { expandArgument } from '../words/expand.ts';
import { assign, evaluateAssignment } from './assignments.ts';
import { checkCommandDialect } from './dialect.ts';
import { joinFlows, same } from './flow.ts';
import { callFunction } from './functions.ts';
import { closeRedirects, openRedirects } from './redirects.ts';

export function runSimpleCommand(node: Command, state: State, scope: Scope, machine: Machine): Flow {
  if (scope.shell !== 'bash') checkCommandDialect(node, scope, machine.recorder);
  const assignments = node.prefix.length === 0 ? [] : node.prefix.filter((item) => item.type === 'Assignment');
  if (node.name === undefined && node.redirects.length === 0) {
    const x: Expansion = { machine, scope, state };
    for (const item of assignments) {
      // Each of them is traced, and the trace expands PS4.
      reportDoubt(x.state, machine);
      assign(item, x);
    }
    return same(x.state);
  }
  const span = spanOf(scope, node);
  reportDoubt(state, machine);
  const draft = new Draft(scope, state.folders, span);
  draft.origin = node;
  // The index is allocated before the words are walked, so that commands inside them can point to it.
  const index = machine.recorder.add(draft);
  const x: Expansion = { machine, scope: inCommand(scope, index, scope.stdin), state };
  const declared: Declared[] = [];
  const words = expandWords(node, x, declared);
  const opened = openRedirects(node.redirects, draft, x);
  draft.redirects = opened.facts;
  draft.words = words;
  // `bash <<< 'exec <f'`: the shell continues with the text of that file.
  if (opened.stdin !== null && scope.stdin.kind === 'script' && mayBeExec(words)) checkScriptInput(draft, x);
  const before = x.state;
  if (assignments.length > 0) draft.assignments = assignments.map((item) => assign(item, x));
  if (words.length === 0) {
    reportDoubt(x.state, machine);
    return same(closeRedirects(x.state, state, x.state));
  }
  if (assignments.length > 0) x.state = markTemporary(x.state, before, assignments);
  reportDoubt(x.state, machine);
  const inner = opened.stdin === null ? x.scope : inCommand(scope, index, opened.stdin);
  const entered = x.state;
  const inside: Expansion = { machine, scope: inner, state: x.state };
  const ran = dispatch(words, declared, draft, inside);
  const flow = node.redirects.length === 0 ? ran : afterRedirects(ran, words, state, entered);
  if (assignments.length === 0) return flow;
  const forget = scope.shell !== 'bash';
  const leave = (after: State) => endTemporary(after, assignments, { before, entered, forget });
  return { ok: leave(flow.ok), fail: leave(flow.fail) };
}

/** If a file cannot be opened, a builtin or function does not run. Files opened by `exec` stay open. */
function afterRedirects(ran: Flow, words: readonly WordValue[], outer: State, entered: State): Flow {
  const fail = join(ran.fail, entered);
  if (entered.descriptors === outer.descriptors) return { ok: ran.ok, fail };
  const at = words.findIndex((word) => word.kind === 'literal' && word.value === 'exec');
  if (at === 0) return { ok: ran.ok, fail };
  const closed = { ok: closeRedirects(ran.ok, outer, entered), fail: closeRedirects(fail, outer, entered) };
  // `command exec 3<f`, or an ordinary word.
  return at === -1 ? closed : joinFlows(closed, { ok: ran.ok, fail });
}

function mayBeExec(words: readonly WordValue[]): boolean {
  return words.some((word) => word.kind !== 'literal' || word.value === 'exec');
}

function reportDoubt(state: State, machine: Machine): void {
  if (state.doubt) machine.recorder.cannotTell(state.doubt.id, state.doubt.message, state.doubt.span);
}

function expandWords(node: Command, x: Expansion, declared: Declared[]): readonly WordValue[] {
  if (node.name === undefined) return [];
  const name = expandArgument(node.name, x);
  const args = node.args;
  if (args.length === 0) return name;
  const words: WordValue[] = [...name];
  for (const arg of args) {
    if (arg.type === 'Word') for (const word of expandArgument(arg, x)) words.push(word);
    else words.push(expandDeclaration(arg, x, declared));
  }
  return words;
}

/** `declare a=1`: the value is computed here, in order; the builtin assigns it afterwards. */
function expandDeclaration(arg: Assignment, x: Expansion, declared: Declared[]): WordValue {
  const span = spanOf(x.scope, arg);
  const evaluated = evaluateAssignment(arg, x);
  if (arg.index !== undefined && !/^\w+$/.test(arg.index.text)) {
    const message = 'the subscript of a declared element is expanded again';
    x.machine.recorder.cannotTell('arithmetic-evaluates', message, span);
  }
  // Here braces create several arguments, unlike in an assignment before a command.
  const value = arg.text.includes('{') ? ANY : evaluated;
  const word: WordValue = { kind: 'dynamic', head: arg.name, many: false, span };
  declared.push({
    word,
    name: arg.name,
    value,
    isList: arg.value.type === 'ArrayValue',
    isElement: arg.index !== undefined,
  });
  return word;
}

function dispatch(words: readonly WordValue[], declared: readonly Declared[], draft: Draft, x: Expansion): Flow {
  const name = words[0] as WordValue;
  if (name.kind !== 'literal') {
    draft.kind = 'program';
    x.machine.recorder.doubtCommand(draft, name);
    return same(x.state);
  }
  const called = x.state.functions.get(name.value);
  if (called === undefined) return runNamed(name.value, words, declared, draft, x);
  const flow = callFunction(called, name.value, words, draft, x);
  if (!called.maybeAbsent) return flow;
  const other = runNamed(name.value, words, declared, draft, x);
  return joinFlows(flow, other);
}

const BASH_BUILTINS = wordSet(
  'declare typeset let shopt mapfile readarray source pushd popd dirs builtin enable compgen complete bind caller',
);

/** Runs a builtin or a program, ignoring functions: as `command` and `builtin` do. */
function runNamed(
  name: string,
  words: readonly WordValue[],
  declared: readonly Declared[],
  draft: Draft,
  x: Expansion,
): Flow {
  const builtin = BUILTINS.get(name);
  if (builtin === undefined) {
    launch(words, draft, x);
    return runMissingHandler(words, draft, x);
  }
  if (x.scope.shell !== 'bash' && BASH_BUILTINS.has(name)) {
    x.machine.recorder.cannotTell('dialect', `${name} is not the same in every shell`, draft.span);
  }
  draft.kind = 'builtin';
  return builtin({ words, declared, draft, x, runNamed });
}

const MISSING_HANDLER = 'command_not_found_handle';

/** If a program is not found, bash calls a function of this name, in a subshell. */
function runMissingHandler(words: readonly WordValue[], draft: Draft, x: Expansion): Flow {
  const handler = x.state.functions.get(MISSING_HANDLER);
  if (handler) {
    const { kind, name, summary } = draft;
    callFunction(
      handler,
      MISSING_HANDLER,
      [{ kind: 'literal', value: MISSING_HANDLER, span: draft.span }, ...words],
      draft,
      x,
    );
    Object.assign(draft, { kind, name, summary });
  }
  return same(x.state);
}
