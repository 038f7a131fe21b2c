// Loops with an unknown number of iterations: the body is walked until the state no longer changes.

import type { Exits, Flow, Machine, Scope } from '../machine.ts';
import { forgetFolder, forgetVariables, isSameState, join, type State } from '../state.ts';

/** One iteration: the state that the next one starts with, and the one in which the loop may end. */
export type Round = (state: State, scope: Scope) => { readonly next: State; readonly exit: State };

const PRECISE_ROUNDS = 2;
const MAX_ROUNDS = 8;

export function repeat(state: State, scope: Scope, machine: Machine, round: Round): Flow {
  const mark = machine.recorder.mark();
  let current = state;
  for (let i = 0; i < MAX_ROUNDS; i++) {
    machine.recorder.rewind(mark);
    const exits: Exits = { states: [] };
    const { next, exit } = round(current, { ...scope, loops: [...scope.loops, exits] });
    const again = exits.states.reduce(join, join(current, next));
    if (isSameState(again, current)) {
      const end = exits.states.reduce(join, join(exit, current));
      return { ok: end, fail: end };
    }
    current = i < PRECISE_ROUNDS ? again : forgetFolder(forgetVariables(again));
    if (!machine.recorder.step()) break;
  }
  machine.recorder.giveUp();
  return { ok: current, fail: current };
}
