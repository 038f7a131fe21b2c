// The part of the internal API with what every surface needs for small values and texts. Loads nothing else.

export { CHANGES_ACTS, type ChangesAct, NOT_STAGED } from '../core/staging.ts';
export { describeCounts } from '../core/values/changes-text.ts';
export { isAtOrBelow } from '../core/values/containment.ts';
export { defined } from '../core/values/defined.ts';
export { describeError } from '../core/values/error-text.ts';
export { describeLeftovers } from '../core/values/leftovers.ts';
export { quoteIfNeeded, quoteWord } from '../core/values/shell-words.ts';
export { shorten } from '../core/values/shorten.ts';
export { MAX_TIMER_MS } from '../core/values/timers.ts';
export { whyWithoutSandbox } from '../core/values/without-sandbox.ts';
export { adviceForWriting } from '../core/values/write-advice.ts';
