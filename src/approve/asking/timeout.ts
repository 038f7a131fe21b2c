// How long a question may wait.

import { HardshellError } from '../../core/errors.ts';
import { MAX_TIMER_MS } from '../../core/values/timers.ts';

export function checkTimeout(timeoutMs: number): number {
  if (typeof timeoutMs !== 'number' || Number.isNaN(timeoutMs) || timeoutMs < 0) {
    throw new HardshellError('invalid-argument', `timeout must be a number >= 0, not ${timeoutMs}.`, {
      hint: '0 denies at once; omit it for five minutes.',
    });
  }
  return Math.min(timeoutMs, MAX_TIMER_MS);
}
