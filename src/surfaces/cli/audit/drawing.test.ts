import { expect, test } from 'vitest';
import type { AuditRecord } from '../../../api/audit.ts';
import { createTerminal } from '../show/terminal.ts';
import { describe, drawRecord } from './drawing.ts';

test.each([
  [{ type: 'answer', verdict: 'deny', by: 'nobody', scope: 'once' }, 'answer', 'no (no one to ask)'],
  [{ type: 'answer', verdict: 'allow', by: 'cli', scope: 'session' }, 'answer', 'yes (cli), session'],
  [{ type: 'end', status: 'denied', exit: null, signal: null, usage: null }, 'denied', ''],
  [{ type: 'end', status: 'exited', exit: 3, signal: null, usage: { wallMs: 20 } }, 'end', 'exit 3, 20 ms'],
  [{ type: 'end', status: 'signalled', exit: null, signal: 'SIGKILL', usage: null }, 'signalled', 'SIGKILL'],
])('%j', (record, kind, note) => {
  expect(describe({ command: 'ls', ...record } as unknown as AuditRecord)).toMatchObject({ kind, note });
});

test('a line names its task; it is cut to the width of a terminal, and whole in a pipe', () => {
  const command = `echo ${'long '.repeat(60)}end`;
  const end = {
    type: 'end',
    status: 'exited',
    exit: 0,
    signal: null,
    usage: { wallMs: 20 },
    task: 'bash-k7mw2q',
    at: 0,
  };
  const record = { ...end, command } as unknown as AuditRecord;
  const draw = (isTTY: boolean, columns: number) =>
    drawRecord(record, createTerminal({ color: false }, { LANG: 'C.UTF-8' }, { isTTY, columns } as never));
  expect(draw(false, 80)).toMatch(/ end {8}exit 0, 20 ms +bash-k7mw2q {2}echo long .* end$/);
  for (const width of [80, 100, 120]) {
    const line = draw(true, width);
    expect([line.length <= width, line]).toEqual([true, expect.stringMatching(/bash-k7mw2q {2}echo long .*…$/)]);
  }
});
