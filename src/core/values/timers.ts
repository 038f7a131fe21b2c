/** Node's timers cannot wait longer. */
export const MAX_TIMER_MS = 2 ** 31 - 1;
