// The record of a task → its status, in the words of results.

import type { RunStatus } from '../core/running.ts';
import type { TaskRecord } from '../run/record.ts';

/** How a lost task ended is not known: `failed`. */
export function statusOf({ state, cause, signal }: Pick<TaskRecord, 'state' | 'cause' | 'signal'>): RunStatus {
  if (state === 'running') return 'running';
  if (state === 'lost') return 'failed';
  return STATUSES[cause ?? 'none'] ?? (signal === null ? 'exited' : 'signalled');
}

/** Causes of an end that did not come from the command itself (native/record.c). */
const STATUSES: Readonly<Record<string, RunStatus>> = {
  timeout: 'timed-out',
  cancelled: 'cancelled',
  stopped: 'cancelled',
  'host-gone': 'failed',
  'output-limit': 'limited',
  'memory-limit': 'limited',
  'cpu-limit': 'limited',
  'cpu-time-limit': 'limited',
  'process-limit': 'limited',
  disk: 'failed',
  exposed: 'failed',
  'sandbox-killed': 'failed',
};
