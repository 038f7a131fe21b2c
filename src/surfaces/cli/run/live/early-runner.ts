// The runner, started before the rest of the verb is loaded: the keeper gets ready meanwhile.

import { chooseRunner } from '../../../../host/running.ts';

export type EarlyRunner = ReturnType<typeof startRunner>;

export function startRunner() {
  const { runner } = chooseRunner();
  // Whoever needs it asks again, and is told what is wrong.
  runner.guarantees().catch(() => {});
  return runner;
}
