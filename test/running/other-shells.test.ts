// PowerShell and cmd: they can be chosen, and nothing about their commands is taken for known.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { DEFAULT_POLICY } from '../../src/core/default-policy.ts';
import { readRules } from '../../src/pipeline/check.ts';
import { profileOf } from '../../src/profiles/profiles.ts';
import { createSubject, FREE, type Subject } from '../profiles/subject.ts';

let subject: Subject;
beforeAll(() => {
  subject = createSubject(profileOf(null), { policy: FREE });
});
afterAll(() => subject.close());

describe.each(['powershell', 'cmd'] as const)('%s', (shell) => {
  test.each(['echo a', 'ls', "Write-Output 'it''s'", 'if (1) { "x" }'])(
    'it is not known what %s does, even where bash knows',
    (command) => {
      const { facts, verdict } = subject.shell.check(command, { cwd: subject.folder, shell, policy: FREE });
      expect([facts.shell, facts.status, facts.readOnly, facts.commands]).toEqual([shell, 'cannot-tell', false, []]);
      expect(facts.reasons).toMatchObject([{ id: 'dialect', message: `commands for ${shell} are not analyzed` }]);
      expect(verdict.decision).toBe('ask');
    },
  );

  test('no rule allows it, and a rule that denies a word of it holds', () => {
    const rules = readRules({ allow: ['Bash(echo:*)', 'Bash(*)'], deny: ['Bash(rm:*)'] }, 'session');
    const judge = (command: string) =>
      subject.shell.check(command, { cwd: subject.folder, shell, policy: { ...DEFAULT_POLICY, rules } }).verdict;
    expect(judge('echo a').decision).toBe('ask');
    expect(judge('rm a').findings.map(({ id }) => id)).toContain('deny-rule');
  });

  test('unasked, it does not run, and the refusal does not call it invalid bash', async () => {
    const result = await subject.calling.session.run('if (1) { echo x > made }', { shell });
    expect([result.status, existsSync(join(subject.folder, 'made'))]).toEqual(['denied', false]);
    expect(result.failure?.message).not.toContain('bash');
  });
});

const pwsh = ['/usr/bin/pwsh', '/usr/local/bin/pwsh', '/opt/microsoft/powershell/7/pwsh'].find((path) =>
  existsSync(path),
);

test('approved, PowerShell runs it', async (context) => {
  if (pwsh === undefined) context.skip('pwsh is not installed');
  const result = await subject.calling.session.run('Write-Output "a$(1+1)"', { shell: 'powershell', assumeYes: true });
  expect(result.output).toBe('a2\n');
});

test('approved where it is not installed, the answer names it', async (context) => {
  if (pwsh !== undefined) context.skip('pwsh is installed');
  const result = await subject.calling.session.run('Write-Output a', { shell: 'powershell', assumeYes: true });
  expect([result.status, result.failure?.message]).toEqual(['failed', expect.stringContaining('powershell')]);
});
