// How a command ended, or that it has not.

export const RUN_STATUSES = [
  'exited',
  'signalled',
  'timed-out',
  'cancelled',
  'limited',
  'running',
  'denied',
  'failed',
] as const;
/**
 * How a run ended. `limited`: it was killed because it exceeded a limit. `running`: it continues as a task.
 * `denied`: it never ran. `failed`: hardshell failed, not the command; see `failure`.
 */
export type RunStatus = (typeof RUN_STATUSES)[number];
