// `for` and `select`: followed item by item if the items are known, else walked with an unknown item.

import type { CompoundList, For, Select, Word } from '../../parse/tree.ts';
import { checkScriptInput } from '../launch.ts';
import { type Exits, type Expansion, type Flow, type Machine, type Scope, spanOf } from '../machine.ts';
import { ANY, DIGITS, join, type State, type Value } from '../state.ts';
import { setByName } from '../variables.ts';
import { expandArgument } from '../words/expand.ts';
import { expandOutput } from '../words/output.ts';
import { merge, same } from './flow.ts';
import { repeat } from './loops.ts';

/** More items than this are not followed one by one. */
const MAX_FOLLOWED_ITEMS = 16;
const MAX_FOLLOWED_COMMANDS = 64;

export function runFor(node: For | Select, state: State, scope: Scope, machine: Machine): Flow {
  const x: Expansion = { machine, scope, state };
  const itemsMark = machine.recorder.mark();
  const items = node.wordlist === undefined ? positionalItems(x) : expandItems(node.wordlist, x);
  const item = node.wordlist !== undefined && areNumbers(node.wordlist, x, itemsMark) ? DIGITS : ANY;
  const name = node.name.value;
  if (node.type === 'Select') checkScriptInput({ span: spanOf(scope, node) }, x);
  const followed = node.type === 'For' ? items : null;
  if (followed !== null && followed.length > 0 && followed.length <= MAX_FOLLOWED_ITEMS) {
    const mark = machine.recorder.mark();
    const flow = runEach(name, followed, node.body, x.state, scope, machine);
    if (flow) return flow;
    machine.recorder.rewind(mark);
  }
  return repeat(x.state, scope, machine, (current, inner) => {
    const entered = assigned(name, item, node, current, inner, machine);
    return { next: merge(machine.runNode(node.body, entered, inner)), exit: current };
  });
}

function positionalItems(x: Expansion): readonly string[] | null {
  const { positional } = x.state;
  return positional?.every((word) => word.kind === 'literal') ? positional.map((word) => word.value) : null;
}

function expandItems(words: readonly Word[], x: Expansion): readonly string[] | null {
  const items: string[] = [];
  let isKnown = true;
  for (const word of words) {
    for (const value of expandArgument(word, x)) {
      if (value.kind === 'literal') items.push(value.value);
      else isKnown = false;
    }
  }
  return isKnown ? items : null;
}

/** `{1..100}` and `$(seq 100)`: every item is a number. */
function areNumbers(words: readonly Word[], x: Expansion, mark: number): boolean {
  return (
    x.state.splitting === 'default' &&
    words.every(({ text, parts }) => {
      if (/^(?:\d{1,9}|\{\d{1,9}\.\.\d{1,9}\})$/.test(text)) return true;
      const [part, more] = parts ?? [];
      if (part?.type !== 'CommandExpansion' || more !== undefined) return false;
      return expandOutput(part.script, x.machine.recorder, mark) === 'count';
    })
  );
}

/** The state after the shell itself set a variable: a loop variable, the name of a coprocess. */
export function assigned(
  name: string,
  value: Value,
  at: { readonly pos: number; readonly end: number },
  state: State,
  scope: Scope,
  machine: Machine,
): State {
  const x: Expansion = { machine, scope, state };
  setByName(name, value, spanOf(scope, at), x);
  return x.state;
}

/** Follows a loop item by item; `null` if that is too much work. */
function runEach(
  name: string,
  items: readonly string[],
  body: CompoundList,
  state: State,
  scope: Scope,
  machine: Machine,
): Flow | null {
  const exits: Exits = { states: [] };
  const inner: Scope = { ...scope, loops: [...scope.loops, exits] };
  const start = machine.recorder.mark();
  let current = state;
  for (const text of items) {
    const entered = assigned(name, { kind: 'text', text }, body, current, inner, machine);
    const before = exits.states.length;
    current = merge(machine.runNode(body, entered, inner));
    for (const early of exits.states.slice(before)) current = join(current, early);
    if (machine.recorder.mark() - start > MAX_FOLLOWED_COMMANDS) return null;
  }
  return same(exits.states.reduce(join, current));
}
