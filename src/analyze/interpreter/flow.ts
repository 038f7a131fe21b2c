// Small steps with pairs of states.

import type { Flow } from '../machine.ts';
import { join, type State } from '../state.ts';

/** The state after a command, for any exit status. */
export function merge(flow: Flow): State {
  return flow.ok === flow.fail ? flow.ok : join(flow.ok, flow.fail);
}

export function same(state: State): Flow {
  return { ok: state, fail: state };
}

export function joinFlows(a: Flow, b: Flow): Flow {
  return { ok: join(a.ok, b.ok), fail: join(a.fail, b.fail) };
}
