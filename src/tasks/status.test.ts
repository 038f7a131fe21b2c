import { expect, test } from 'vitest';
import type { RunStatus } from '../core/running.ts';
import { statusOf } from './status.ts';

test.each<[Parameters<typeof statusOf>[0], RunStatus]>([
  [{ state: 'running', cause: null, signal: null }, 'running'],
  [{ state: 'lost', cause: null, signal: null }, 'failed'],
  [{ state: 'finished', cause: 'none', signal: null }, 'exited'],
  [{ state: 'finished', cause: null, signal: 15 }, 'signalled'],
  [{ state: 'finished', cause: 'timeout', signal: 15 }, 'timed-out'],
  [{ state: 'finished', cause: 'stopped', signal: 15 }, 'cancelled'],
  [{ state: 'finished', cause: 'memory-limit', signal: 9 }, 'limited'],
  [{ state: 'finished', cause: 'sandbox-killed', signal: 9 }, 'failed'],
  [{ state: 'finished', cause: 'output-limit', signal: 9 }, 'limited'],
])('%j is %s', (record, status) => {
  expect(statusOf(record)).toBe(status);
});
