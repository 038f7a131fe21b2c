// Calling a function: its body with the words as positional parameters, for every body that the name may have.

import type { WordValue } from '../../core/facts.ts';
import type { Draft } from '../effects/draft.ts';
import { type Exits, type Expansion, type Flow, MAX_DEPTH, type Scope, sharedStdin, within } from '../machine.ts';
import { ANY, type FunctionBody, type FunctionValue, join, type State, setVariable } from '../state.ts';
import { joinFlows, same } from './flow.ts';

export function callFunction(
  called: FunctionValue,
  name: string,
  words: readonly WordValue[],
  draft: Draft,
  x: Expansion,
): Flow {
  draft.kind = 'function';
  draft.name = name;
  draft.summary = 'function defined in this command';
  if (x.scope.depth >= MAX_DEPTH || !x.machine.recorder.call()) {
    x.machine.recorder.cannotTell('recursion', `${name} calls itself, or calls go too deep`, draft.span);
    return same(x.state);
  }
  // Deeper calls are an error, which drops the rest of the line.
  if (x.state.attributes.has('FUNCNEST')) x.machine.noteAbort(x.state);
  const flows = called.bodies.map((body) => callBody(body, name, words.slice(1), x));
  const [first, ...others] = flows;
  if (first === undefined) return same(x.state);
  return others.reduce(joinFlows, first);
}

function callBody(body: FunctionBody, name: string, args: readonly WordValue[], x: Expansion): Flow {
  const exits: Exits = { states: [] };
  const locals = new Set<string>();
  const base = within(x.scope, `function ${name}`);
  const scope: Scope = {
    ...base,
    source: body.source,
    span: body.span,
    shell: body.shell,
    depth: base.depth + 1,
    stdin: sharedStdin(base.stdin),
    callee: exits,
    locals,
  };
  const positional = args.every((word) => word.kind === 'literal' || (word.kind === 'dynamic' && !word.many))
    ? args
    : null;
  const entry: State = { ...x.state, positional };
  const flow = x.machine.runNode(body.node.body, entry, scope);
  const early = exits.states;
  const finish = (state: State) =>
    state === entry && early.length === 0 ? x.state : leave(early.reduce(join, state), x.state, locals);
  return { ok: finish(flow.ok), fail: finish(flow.fail) };
}

/** Back in the caller: restores its positional parameters, and its variables if the function had local ones. */
function leave(after: State, caller: State, locals: ReadonlySet<string>): State {
  let state: State = { ...after, positional: caller.positional };
  for (const name of locals) {
    const before = caller.variables.get(name) ?? ANY;
    if (state.variables.get(name) !== before) state = setVariable(state, name, ANY);
  }
  return state;
}
