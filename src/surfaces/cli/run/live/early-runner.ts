// The runner, started before the rest of the verb is loaded: meanwhile the keeper gets ready and tries the sandbox.

import { chooseRunner, tryAhead } from '../../../../host/running.ts';

export type EarlyRunner = ReturnType<typeof startRunner>;

export function startRunner() {
  const { kind, runner } = chooseRunner();
  // Whoever needs it asks again, and is told what is wrong.
  runner.guarantees().catch(() => {});
  return kind === 'keeper' ? tryAhead(runner) : runner;
}
