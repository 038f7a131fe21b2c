// docs/checks.md says what the code does: it is written from it.

import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { CHECKS } from '../../src/decide/checks/table.ts';
import { describeChecks } from './checks-document.ts';

test('docs/checks.md lists every check as it is', () => {
  const path = fileURLToPath(new URL('../../docs/checks.md', import.meta.url));
  const text = describeChecks(CHECKS);
  if (process.env.UPDATE_DOCS) writeFileSync(path, text);
  expect(readFileSync(path, 'utf8')).toBe(text);
});
