// The runner, started before the rest of the verb is loaded: the keeper starts and tries the sandbox in the meantime.

import { chooseRunner, tryAhead } from '../../../../host/running.ts';

export type EarlyRunner = ReturnType<typeof startRunner>;

export function startRunner() {
  const { kind, runner } = chooseRunner();
  // The code that needs it asks again, and gets the error.
  runner.guarantees().catch(() => {});
  return kind === 'keeper' ? tryAhead(runner) : runner;
}
