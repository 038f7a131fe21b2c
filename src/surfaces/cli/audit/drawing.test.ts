import { expect, test } from 'vitest';
import type { AuditRecord } from '../../../api/audit.ts';
import { describe } from './drawing.ts';

test.each([
  [{ type: 'answer', verdict: 'deny', by: 'nobody', scope: 'once' }, 'answer', 'no (no one to ask)'],
  [{ type: 'answer', verdict: 'allow', by: 'cli', scope: 'session' }, 'answer', 'yes (cli), session'],
  [{ type: 'end', status: 'denied', exit: null, signal: null, usage: null }, 'denied', ''],
  [{ type: 'end', status: 'exited', exit: 3, signal: null, usage: { wallMs: 20 } }, 'end', 'exit 3, 20 ms'],
  [{ type: 'end', status: 'signalled', exit: null, signal: 'SIGKILL', usage: null }, 'signalled', 'SIGKILL'],
])('%j', (record, kind, note) => {
  expect(describe({ command: 'ls', ...record } as unknown as AuditRecord)).toMatchObject({ kind, note });
});
