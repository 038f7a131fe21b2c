import { expect, test } from 'vitest';
import { makeRequest } from '../../../../test/approving/subject.ts';
import type { PendingApproval } from '../../../core/approval.ts';
import { createForm, readForm } from './form.ts';

const pending = (
  changes: Parameters<typeof makeRequest>[0] = {},
  more: Partial<PendingApproval> = {},
): PendingApproval => ({
  code: 'k7mw',
  request: makeRequest(changes),
  askedAt: 0,
  deadline: 5,
  waiting: 1,
  scopes: ['once', 'session'],
  ...more,
});

const finding = {
  id: 'x',
  layer: 'safety',
  verdict: 'ask',
  severity: 'high',
  message: 'It deletes \u202eeverything.',
  instead: 'Name the files.',
  span: [4, 10],
  command: null,
  rule: null,
  confidence: null,
} as const;

test('the form shows the whole command, where it would run, why it is asked and the part that is meant', () => {
  const form = createForm(
    pending({ command: 'cd x\nrm -rf *\u200b', cwd: '/w', risk: 'high', findings: [finding], suggestions: [] }),
  );
  expect(form?.message).toBe(
    [
      'May this command run? (risk: high, question k7mw)',
      '',
      '    | cd x',
      '    | rm -rf *\\u{200b}',
      '',
      'Folder: /w',
      'Why: It deletes \\u{202e}everything.',
      '  risky part: \\nrm -r',
      '  instead: Name the files.',
    ].join('\n'),
  );
});

test('no line of a command can pass for one of the form', () => {
  const command = 'true\n\nFolder: /safe\nWhy: nothing\r\u2028Why: nothing';
  const form = createForm(pending({ command, cwd: '/w', findings: [] }));
  const own = form?.message.split('\n').filter((line) => !line.startsWith('    | '));
  expect(own).toEqual([expect.stringMatching(/^May this/), '', '', 'Folder: /w']);
});

test('rules are offered one by one, where answers may hold for a session', () => {
  const suggestions = ['Bash(a:*)', 'Bash(b)', 'Bash(c)', 'Bash(d)'];
  const choices = (more: Partial<PendingApproval>) =>
    createForm(pending({ suggestions }, more))?.requestedSchema.properties.decision.enum;
  expect(choices({})).toEqual([
    'allow once',
    'allow for this session: Bash(a:*)',
    'allow for this session: Bash(b)',
    'allow for this session: Bash(c)',
    'deny',
  ]);
  expect(choices({ scopes: ['once'] })).toEqual(['allow once', 'deny']);
});

test('a command that is too long to be read is not asked about here', () => {
  expect(createForm(pending({ command: 'x'.repeat(4_001) }))).toBeNull();
  expect(createForm(pending({ command: '\u200b'.repeat(1_000) }))).toBeNull();
});

test.each<[said: unknown, verdict: string, scope: string | undefined]>([
  [{ action: 'accept', content: { decision: 'allow once' } }, 'allow', undefined],
  [{ action: 'accept', content: { decision: 'allow for this session: Bash(a)' } }, 'allow', 'session'],
  [{ action: 'accept', content: { decision: 'deny' } }, 'deny', undefined],
  [{ action: 'accept', content: { decision: 'ALLOW ONCE' } }, 'deny', undefined],
  [{ action: 'accept', content: { decision: ['allow once'] } }, 'deny', undefined],
  [{ action: 'accept', content: { decision: 'constructor' } }, 'deny', undefined],
  [{ action: 'accept', content: {} }, 'deny', undefined],
  [{ action: 'accept' }, 'deny', undefined],
  [{ action: 'decline', content: { decision: 'allow once' } }, 'deny', undefined],
  [{ action: 'cancel' }, 'deny', undefined],
  [{ content: { decision: 'allow once' } }, 'deny', undefined],
  ['allow once', 'deny', undefined],
  [null, 'deny', undefined],
  [undefined, 'deny', undefined],
])('what the client says is taken at its word alone: %j', (said, verdict, scope) => {
  const form = createForm(pending({ suggestions: ['Bash(a)'] }));
  if (form === null) throw new Error('no form');
  const reply = readForm(form, said);
  expect([reply.verdict, reply.scope]).toEqual([verdict, scope]);
});
