import { expect, test } from 'vitest';
import { analyze } from '../../analyze/analyze.ts';
import { DEFAULT_CONTEXT, DEFAULT_POLICY } from '../../core/default-policy.ts';
import type { PolicyRule } from '../../core/policy.ts';
import { stagingOfRules } from './staging.ts';

const rule = (list: 'allow' | 'ask', text: string, staging?: 'apply' | 'review'): PolicyRule => ({
  text,
  list,
  origin: { layer: 'user', file: null, line: null },
  until: null,
  base: null,
  because: null,
  ...(staging === undefined ? {} : { staging }),
});

const RULES = [
  rule('allow', 'Bash(npm run:*)', 'review'),
  rule('allow', 'Bash(npm:*)', 'apply'),
  rule('ask', 'Edit(//w/src/**)', 'review'),
  rule('allow', 'Bash(make:*)'),
  { ...rule('allow', 'Bash(old:*)', 'review'), until: 1 },
];

test.each([
  ['npm run build', 'review'],
  ['npm install', 'apply'],
  ['make', 'off'],
  ['ls', 'off'],
  // The strictest part counts, wherever it is.
  ['make && npm install; echo x | npm run build', 'review'],
  ['bash -c "npm run build"', 'review'],
  // An allow rule would not cover these; for staging it matches like a ban.
  ['EVIL=1 npm run build', 'review'],
  ['npm run build > out', 'review'],
  ['npm $x', 'review'],
  ['eval "$x; npm run build"', 'review'],
  ['some-unknown-program npm run build', 'review'],
  ['echo x > /w/src/a', 'review'],
  ['echo x > /w/doc', 'off'],
  ['old thing', 'off'],
])('%s: %s', (command, expected) => {
  const facts = analyze(command, { cwd: '/w' });
  const context = { ...DEFAULT_CONTEXT, cwd: '/w', now: 1_000 };
  expect(stagingOfRules({ facts, policy: { ...DEFAULT_POLICY, rules: RULES }, context })).toBe(expected);
});

test('without such a rule nothing is matched', () => {
  const facts = analyze('make', { cwd: '/w' });
  expect(stagingOfRules({ facts, policy: DEFAULT_POLICY, context: { ...DEFAULT_CONTEXT, cwd: '/w' } })).toBe('off');
});
