// Tests a confinement on a runner: a command that does nothing is started under it, and the kernel's answer counts.

import type { AttemptConfinement, ConfineAttempt } from '../confine/port.ts';
import { HardshellError } from '../core/errors.ts';
import type { Runner } from './port.ts';

/** It takes milliseconds. The kernel's answer is known when it has started; one that does not end is ended. */
const PATIENCE_MS = 1_000;

function isFailure(cause: unknown): cause is Extract<ConfineAttempt, { failed: unknown }> {
  return typeof cause === 'object' && cause !== null && 'failed' in cause;
}

export function attemptConfinement(runner: Runner, path = '/usr/local/bin:/usr/bin:/bin'): AttemptConfinement {
  return async (confinement) => {
    try {
      const limits = { timeoutMs: PATIENCE_MS, graceMs: 0 };
      const request = { program: 'true', argv: ['true'], cwd: '/', env: { PATH: path }, confinement, ...limits };
      const handle = runner.start(request);
      // Without this, a caller that awaits only `started` would leave a rejection unhandled.
      handle.done.catch(() => {});
      const { confinement: report } = await handle.started;
      await handle.done;
      return report ?? { failed: 'none', error: 'the runner confines nothing' };
    } catch (error) {
      if (error instanceof HardshellError && isFailure(error.cause)) return error.cause;
      throw error;
    }
  };
}
