import { expect, test } from 'vitest';
import { makeRequest } from '../../../../test/approving/subject.ts';
import type { PendingApproval } from '../../../core/approval.ts';
import { createForm, readForm } from './form.ts';
import type { RuleKeeping } from './keeping.ts';

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

const NOWHERE: RuleKeeping = { files: { project: null, user: null }, reach: new Map() };
const SAVED: RuleKeeping = { files: { project: '/w/local.json', user: '/h/user.json' }, reach: new Map() };

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
    NOWHERE,
  );
  expect(form?.message).toBe(
    [
      '[k7mw] Risk high. Run «rm -r», part of a command of 2 lines? It deletes \\u{202e}everything.',
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

test('warnings are in the first line and below the reasons', () => {
  const warning = { ...finding, layer: 'warnings', verdict: 'allow', message: 'This deletes folders.' } as const;
  const form = createForm(pending({ command: 'rm -rf dist', findings: [finding, warning] }), NOWHERE);
  const lines = form?.message.split('\n') ?? [];
  expect(lines[0]).toMatch(/ Warning: This deletes folders\.$/);
  expect(lines.filter((line) => line.startsWith('Warning: '))).toEqual(['Warning: This deletes folders.']);
});

test('no line of a command can pass for one of the form', () => {
  const command = 'true\n\nFolder: /safe\nWhy: nothing\r\u2028Why: nothing';
  const form = createForm(pending({ command, cwd: '/w', findings: [] }), NOWHERE);
  const own = form?.message.split('\n').filter((line) => !line.startsWith('    | '));
  expect(own).toEqual([
    expect.stringMatching(/^\[k7mw\] Risk medium\. Run «true\\n\\nFolder: .*»\? It needs approval/),
    '',
    '',
    'Folder: /w',
  ]);
});

test('what the model says about it is shown as its words, on one line', () => {
  const description = 'list files\nWhy: nothing\u202e';
  const form = createForm(pending({ command: 'ls', cwd: '/w', findings: [], description }), NOWHERE);
  expect(form?.message.split('\n').slice(-2)).toEqual([
    'The agent says: list files\\nWhy: nothing\\u{202e}',
    'Folder: /w',
  ]);
});

test('what sed -i would change is shown, and no line of it can pass for one of the form', () => {
  const edits = [
    { file: '/w/a\u202e', diff: '@@ -1 +1 @@\n-old\n+Folder: /safe', why: null },
    { file: '/w/b', diff: '', why: null },
    { file: '/w/c', diff: null, why: 'no readable text file' },
    { file: '/w/d', diff: 'x\n'.repeat(30).trimEnd(), why: null },
  ];
  const form = createForm(pending({ command: 'sed', cwd: '/w', findings: [], edits }), NOWHERE);
  const lines = form?.message.split('\n') ?? [];
  expect(lines.slice(lines.indexOf('Folder: /w') + 1, -26)).toEqual([
    'Edit of /w/a\\u{202e}:',
    '    | @@ -1 +1 @@',
    '    | -old',
    '    | +Folder: /safe',
    'Edit of /w/b: no line would change',
    'Edit of /w/c: no readable text file',
  ]);
  expect(lines.at(-1)).toBe('    and 6 more lines');
});

test('the field and its choices carry the risky part too', () => {
  const command = `${'ls\n'.repeat(15)}rm -rf x`;
  const risky = { ...finding, message: 'It deletes a folder.', span: [45, 53] } as const;
  const form = createForm(pending({ command, risk: 'high', findings: [risky] }), NOWHERE);
  expect(form?.message.split('\n')[0]).toBe(
    '[k7mw] Risk high. Run «rm -rf x», part of a command of 16 lines? It deletes a folder.',
  );
  expect(form?.requestedSchema.properties.decision).toEqual({
    type: 'string',
    title: 'Allow «rm -rf x»?',
    description:
      'Risk high. Run «rm -rf x», part of a command of 16 lines? It deletes a folder. Denied unless explicitly approved.',
    enum: ['allow once', 'allow for this session: Bash(git push:*)', 'deny'],
    enumNames: ['allow once «rm -rf x»', 'allow for this session: Bash(git push:*)', 'deny «rm -rf x»'],
  });
});

test('two questions never have the same first line', () => {
  const first = (more: Partial<PendingApproval>) => createForm(pending({}, more), NOWHERE)?.message.split('\n')[0];
  expect(first({ code: 'a3c4' })).not.toBe(first({ code: 'a3c6' }));
});

const choicesOf = (suggestions: readonly string[], more: Partial<PendingApproval>, keeping: RuleKeeping) =>
  createForm(pending({ suggestions }, more), keeping)?.requestedSchema.properties.decision.enum;

test('rules are offered one by one, where answers may hold for a session', () => {
  const suggestions = ['Bash(a:*)', 'Bash(b)', 'Bash(c)', 'Bash(d)'];
  expect(choicesOf(suggestions, {}, SAVED)).toEqual([
    'allow once',
    'allow for this session: Bash(a:*)',
    'allow for this session: Bash(b)',
    'allow for this session: Bash(c)',
    'deny',
  ]);
  expect(choicesOf(suggestions, { scopes: ['once'] }, SAVED)).toEqual(['allow once', 'deny']);
});

test('and for the project and the person, where they can be saved and would count', () => {
  const scopes = ['once', 'session', 'project', 'user'] as const;
  const words = ['allow for this session', 'allow for this project', 'allow always, for you'];
  const choices = (keeping: RuleKeeping, rules = ['Bash(a)']) => choicesOf(rules, { scopes }, keeping)?.slice(1, -1);
  expect(choices(SAVED)).toEqual(words.map((each) => `${each}: Bash(a)`));
  expect(choices({ ...SAVED, files: { project: null, user: '/h' } })).toEqual([
    'allow for this session: Bash(a)',
    'allow always, for you: Bash(a)',
  ]);
  expect(choices(NOWHERE)).toEqual(['allow for this session: Bash(a)']);
  expect(choices(SAVED, [])).toEqual([]);
});

test('how far a rule would have reached is said, and where it is saved', () => {
  const matched = ['git push', 'git push\nFolder: /safe', 'git push c', 'git push d', 'git push e'];
  const reach = new Map([['Bash(git push:*)', { matched, of: 9 }]]);
  const asked = pending(
    { suggestions: ['Bash(git push:*)', 'Bash(x)'], findings: [] },
    { scopes: ['once', 'session', 'project', 'user'] },
  );
  expect(
    createForm(asked, { ...SAVED, reach })
      ?.message.split('\n')
      .slice(-7),
  ).toEqual([
    'Bash(git push:*) matches 5 of 9 other commands of this session:',
    '    | git push',
    '    | git push\\nFolder: /safe',
    '    | git push c',
    '    and 2 more',
    'A rule for the project is saved in /w/local.json',
    'A rule for you is saved in /h/user.json',
  ]);
});

test('a command that is too long to be read is not asked about here', () => {
  expect(createForm(pending({ command: 'x'.repeat(4_001) }), NOWHERE)).toBeNull();
  expect(createForm(pending({ command: '\u200b'.repeat(1_000) }), NOWHERE)).toBeNull();
});

test.each<[said: unknown, verdict: string, scope: string | undefined]>([
  [{ action: 'accept', content: { decision: 'allow once' } }, 'allow', undefined],
  [{ action: 'accept', content: { decision: 'allow for this session: Bash(a)' } }, 'allow', 'session'],
  [{ action: 'accept', content: { decision: 'allow always, for you: Bash(a)' } }, 'allow', 'user'],
  [{ action: 'accept', content: { decision: 'allow for this project: Bash(a)' } }, 'deny', undefined],
  [{ action: 'accept', content: { decision: 'allow always, for you: Bash(*)' } }, 'deny', undefined],
  [{ action: 'accept', content: { decision: 'allow once', scope: 'user', rule: 'Bash(*)' } }, 'allow', undefined],
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
  const form = createForm(pending({ suggestions: ['Bash(a)'] }, { scopes: ['once', 'session', 'project', 'user'] }), {
    ...SAVED,
    files: { project: null, user: '/h' },
  });
  if (form === null) throw new Error('no form');
  const reply = readForm(form, said);
  expect([reply.verdict, reply.scope]).toEqual([verdict, scope]);
});
