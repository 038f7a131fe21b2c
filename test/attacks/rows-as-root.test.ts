// Every row that root can try.

import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { keeperStderr, keeperUnderTest } from '../contract/keeper-under-test.ts';
import { describeRows, ROWS } from './every-row.ts';
import { Subject } from './subject.ts';

test('names are unique, and there are many', () => {
  expect(new Set(ROWS.map(({ name }) => name)).size).toBe(ROWS.length);
  expect(ROWS.length).toBeGreaterThanOrEqual(150);
});

test("what others make in the temporary folder meanwhile is not taken for the command's", async (context) => {
  if (!keeperUnderTest.isAvailable) return context.skip('there is no keeper');
  const subject = new Subject(keeperUnderTest.path, keeperStderr, 'root');
  const other = mkdtempSync(join(tmpdir(), 'hs-other-'));
  try {
    const unavailable = await subject.open('landlock');
    if (unavailable !== null) return context.skip(unavailable);
    const run = subject.start('read line', { confinement: subject.specOf({}), stdin: 'open' });
    await run.started;
    mkdirSync(join(other, '.hardshell'));
    run.endInput();
    await run.done;
    expect(existsSync(join(other, '.hardshell'))).toBe(true);
  } finally {
    await subject.close();
    rmSync(other, { recursive: true });
  }
});

describeRows('root');
