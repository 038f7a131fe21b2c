import { expect, test } from 'vitest';
import { makeRequest } from '../../../test/approving/subject.ts';
import type { Effects } from '../../core/facts.ts';
import type { Finding } from '../../core/verdict.ts';
import { boundRequest, boundText } from './request.ts';

const finding = (changes: Partial<Finding>): Finding => ({
  id: 'x',
  layer: 'safety',
  verdict: 'ask',
  severity: 'low',
  message: 'm',
  instead: null,
  span: null,
  command: null,
  rule: null,
  confidence: null,
  ...changes,
});

const effects: Effects = {
  reads: [],
  writes: [],
  deletes: [],
  network: [],
  executes: [],
  privilege: false,
  changes: [],
  discloses: [],
  unknown: [],
};

test('an ordinary request stays as it is', () => {
  const request = makeRequest({
    findings: [finding({ span: [0, 3] })],
    effects: { ...effects, writes: [{ path: '/a', recursive: true }], network: [{ host: 'h', port: 1 }] },
  });
  expect(boundRequest(request)).toEqual(request);
});

test('many findings: the strictest stay, in their order', () => {
  const many = Array.from({ length: 200 }, (_, i) => finding({ id: `f${i}`, verdict: i >= 150 ? 'deny' : 'allow' }));
  const kept = boundRequest(makeRequest({ findings: many }))?.findings ?? [];
  expect(kept.map(({ id }) => id)).toEqual(Array.from({ length: 50 }, (_, i) => `f${150 + i}`));
});

test('long texts are cut, and marked as cut', () => {
  const long = 'y'.repeat(5_000);
  const [kept] = boundRequest(makeRequest({ findings: [finding({ message: long, instead: long })] }))?.findings ?? [];
  expect(kept?.message).toBe(`${'y'.repeat(1_000)} [4,000 more characters]`);
  expect(kept?.instead).toBe(kept?.message);
});

test('a pair of surrogates is not cut in two', () => {
  expect(boundText('ab\u{1f600}c', 3)).toBe('ab [3 more characters]');
});

test('many effects: the number of the others is listed as unknown', () => {
  const deletes = Array.from({ length: 1_234 }, (_, i) => ({ path: `/f${i}` }));
  const bounded = boundRequest(makeRequest({ effects: { ...effects, deletes, unknown: ['u'] } }))?.effects;
  expect(bounded?.deletes).toHaveLength(50);
  expect(bounded?.unknown).toEqual(['u', 'only 50 of 1,234 deletes are shown']);
});

test('a rule that is too long is left out, never cut', () => {
  const request = makeRequest({ suggestions: [`Bash(${'x'.repeat(1_000)})`, 'Bash(ls)'] });
  expect(boundRequest(request)?.suggestions).toEqual(['Bash(ls)']);
});

test.each(['command', 'cwd', 'session', 'user', 'profile'] as const)('a %s of any length cannot be shown', (field) => {
  expect(boundRequest(makeRequest({ [field]: 'z'.repeat(20_001) }))).toBeNull();
});
