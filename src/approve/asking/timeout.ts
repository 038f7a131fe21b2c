// How long a question may wait.

import { HardshellError } from '../../core/errors.ts';

/** Node's timers cannot wait longer. */
const MAX_TIMEOUT_MS = 2 ** 31 - 1;

export function checkTimeout(timeoutMs: number): number {
  if (typeof timeoutMs !== 'number' || Number.isNaN(timeoutMs) || timeoutMs < 0) {
    throw new HardshellError('invalid-argument', `timeout must be a number >= 0, not ${timeoutMs}.`, {
      hint: '0 denies at once; omit it for five minutes.',
    });
  }
  return Math.min(timeoutMs, MAX_TIMEOUT_MS);
}
