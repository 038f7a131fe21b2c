import { expect, test } from 'vitest';
import { CHECKS } from '../../decide/checks/table.ts';
import { insteadForModel } from './refusal-advice.ts';

const LEAVING = { id: 'outside-sandbox', instead: 'Set sandbox.allowUnsandboxed to true in your own settings.' };

test('no advice tells a model to change the settings of hardshell', () => {
  const advised = [...CHECKS, LEAVING].map(({ id, instead }) => insteadForModel({ id, instead }) ?? '');
  expect(advised.length).toBeGreaterThan(100);
  expect(
    advised.filter((text) => /in (?:the|your(?: own)?) settings|`roots`|hardshell config|sandbox\.[a-z]/.test(text)),
  ).toEqual([]);
});

test.each(['read-outside-roots', 'write-outside-roots', 'delete-outside-roots', 'symlink-escapes', 'outside-sandbox'])(
  '%s: a better way, and what to ask the user for',
  (id) =>
    expect(insteadForModel({ id, instead: 'x' })).toMatch(/^(?:Run|Read|Write|Delete|Use) .* ask the user to allow/),
);
