// Single decisions: what covers a command, what a mode changes, who has the last word.

import { describe, expect, test } from 'vitest';
import { DEFAULT_POLICY } from '../../src/core/default-policy.ts';
import type { Context, Policy, PolicyRule } from '../../src/core/policy.ts';
import type { Verdict, VerdictName } from '../../src/core/verdict.ts';
import { decide } from '../../src/decide/decide.ts';
import { subjectOf } from './subject.ts';

interface Circumstances {
  readonly allow?: readonly string[];
  readonly ask?: readonly string[];
  readonly deny?: readonly string[];
  readonly policy?: Partial<Policy>;
  readonly context?: Partial<Context>;
  readonly cwd?: string;
}

function judge(
  command: string,
  { allow = [], ask = [], deny = [], policy, context, cwd }: Circumstances = {},
): Verdict {
  const subject = subjectOf({ command, ...(cwd === undefined ? {} : { cwd }), ...(context ? { context } : {}) });
  const rules = [...allow.map(ruleIn('allow')), ...ask.map(ruleIn('ask')), ...deny.map(ruleIn('deny'))];
  return decide(subject.facts, { ...DEFAULT_POLICY, rules, ...policy }, subject.context);
}

function ruleIn(list: VerdictName): (text: string) => PolicyRule {
  return (text) => ({
    text,
    list,
    origin: { layer: 'user', file: '/home/u/.config/hardshell/settings.json', line: 3 },
    until: null,
    base: null,
    because: null,
  });
}

const ids = ({ findings }: Verdict) => findings.map((finding) => finding.id);

test.each<[string, Circumstances, VerdictName]>([
  ['git push', { allow: ['Bash(git push:*)'] }, 'allow'],
  ['NODE_ENV=x npm run build', { allow: ['Bash(npm run:*)'] }, 'allow'],
  ['MY_VAR=x npm run build', { allow: ['Bash(npm run:*)'] }, 'ask'],
  ['cd src && npm run build | tail -5', { allow: ['Bash(npm run:*)'] }, 'allow'],
  ['npm run build && git push', { allow: ['Bash(npm run:*)'] }, 'ask'],
  ['timeout 60 npm run build', { allow: ['Bash(npm run:*)'] }, 'allow'],
  ['nohup npm run build &', { allow: ['Bash(npm run:*)'] }, 'allow'],
  ['sudo npm run build', { allow: ['Bash(npm run:*)'] }, 'ask'],
  ['env FOO=1 timeout 5 git -C x push', { deny: ['Bash(git push:*)'], allow: ['Bash'] }, 'deny'],
  ['git push', { allow: ['Bash(git push)'], ask: ['Bash(git:*)'] }, 'ask'],
  ['echo x > out.txt', { allow: ['Bash(echo:*)'] }, 'ask'],
  ['echo x > out.txt', { allow: ['Bash(echo:*)'], cwd: '/tmp/project' }, 'ask'],
  ['npm test > /tmp/test.log 2>&1', { allow: ['Bash(npm test:*)'] }, 'allow'],
  ['npm test > /tmp/test.log', { allow: ['Bash(npm test:*)'], policy: { roots: ['/home/u/project'] } }, 'ask'],
  ['echo x > build/out.txt', { allow: ['Bash(echo:* > build/**)'] }, 'allow'],
  ['echo x > src/a.ts', { allow: ['Edit(src/**)'] }, 'allow'],
  ['rm src/a.ts', { allow: ['Edit(src/**)'] }, 'ask'],
  ['rm src/a.ts', { allow: ['Delete(src/**)'] }, 'allow'],
  ['curl https://example.com/a', { allow: ['Network(example.com)'] }, 'allow'],
  ['curl https://example.com/a', { policy: { domains: { allow: ['*.com'], deny: [] } } }, 'allow'],
  ['curl https://a.example.com', { policy: { domains: { allow: ['*'], deny: ['*.example.com'] } } }, 'deny'],
  ['curl -I https://example.com', { policy: { domains: { allow: [], deny: ['example.com'] } } }, 'deny'],
  ['curl https://example.com', { policy: { domains: { allow: ['*.example.com'], deny: [] } } }, 'ask'],
  ['curl -I https://example.com', {}, 'ask'],
  ['curl -I https://example.com', { allow: ['Network(example.com)'] }, 'allow'],
  ['wget -q --spider https://example.com', { allow: ['Network(example.com)'] }, 'allow'],
  ['git ls-remote https://example.com/a', { allow: ['Network(example.com)'] }, 'allow'],
  ['git ls-remote https://other.example/a', { allow: ['Network(example.com)'] }, 'ask'],
  ['git ls-remote origin', { allow: ['Network(example.com)'] }, 'ask'],
  ['npm view react', { allow: ['Network(registry.npmjs.org)'] }, 'allow'],
  ['npm view react --registry https://example.com', { allow: ['Network(registry.npmjs.org)'] }, 'ask'],
  ['curl https://example.com/a -o x', { allow: ['Network(example.com)'] }, 'ask'],
  ['curl https://example.com/a', { allow: ['Network(example.com:443)'] }, 'allow'],
  ['curl https://example.com:8443/a', { allow: ['Network(example.com:8443)'] }, 'allow'],
  ['curl https://example.com:8443/a', { allow: ['Network(example.com:443)'] }, 'ask'],
  ['curl https://example.com/a http://example.com/b', { allow: ['Network(example.com:443)'] }, 'ask'],
  ['curl example.com', { allow: ['Network(example.com:22)'] }, 'ask'],
  ['curl http://example.com:8080/', { allow: ['Network(example.com)'], deny: ['Network(example.com:8080)'] }, 'deny'],
  ['curl http://example.com/', { allow: ['Network(example.com)'], deny: ['Network(example.com:8080)'] }, 'allow'],
  ['cat .env', { allow: ['Bash(cat:*)'] }, 'ask'],
  ['cat .env', { allow: ['Bash(cat .env)'] }, 'allow'],
  ['rm -rf ~', { allow: ['Bash(rm -rf ~)', 'Bash'] }, 'deny'],
  ['bash -c "npm test"', { allow: ['Bash(bash -c "npm test")'] }, 'allow'],
  ['bash -c "npm test; npm publish"', { allow: ['Bash(npm test:*)'] }, 'ask'],
])('%s with %j: %s', (command, circumstances, expected) => {
  expect(judge(command, circumstances).decision).toBe(expected);
});

describe('modes', () => {
  test.each<[Policy['mode'], string, VerdictName]>([
    ['plan', 'git log | head', 'allow'],
    ['plan', 'touch x', 'deny'],
    ['plan', 'cat .env', 'ask'],
    ['plan', 'bash -c "$x"', 'deny'],
    ['accept-edits', 'mkdir -p a && touch a/b && mv a/b c && cp c d', 'allow'],
    ['accept-edits', "sed -i 's/a/b/' f && rm f", 'allow'],
    ['accept-edits', 'rm -r build', 'ask'],
    ['accept-edits', 'rm *.o', 'ask'],
    ['accept-edits', 'touch ../x', 'ask'],
    ['accept-edits', 'echo x > .git/hooks/pre-commit', 'deny'],
    ['accept-edits', 'npm test', 'ask'],
    ['dont-ask', 'npm test', 'deny'],
    ['dont-ask', 'ls', 'allow'],
    ['bypass', 'npm install && git push', 'allow'],
    ['bypass', 'git push --force', 'deny'],
    ['bypass', 'eval "$x"', 'ask'],
  ])('%s: %s is %s', (mode, command, expected) => {
    expect(judge(command, { policy: { mode } }).decision).toBe(expected);
  });

  test('an ask rule and a deny rule hold when questions are bypassed', () => {
    const policy = { mode: 'bypass' as const };
    const rules = [ruleIn('ask')('Bash(git push:*)')];
    expect(judge('git push', { policy: { ...policy, rules } }).decision).toBe('ask');
  });

  test('a policy can switch bypassing off', () => {
    const verdict = judge('npm install', { policy: { mode: 'bypass', allowBypass: false } });
    expect([verdict.decision, ids(verdict).includes('bypass-disabled')]).toEqual(['ask', true]);
  });

  test('what is risky can be asked about even where a rule allows it', () => {
    const policy = { requireConfirmation: true, rules: [ruleIn('allow')('Bash(git:*)')] };
    expect(judge('git reset --hard', { policy }).decision).toBe('ask');
    expect(judge('git status', { policy }).decision).toBe('allow');
  });
});

describe('the classifier', () => {
  const said = (behavior: VerdictName, confidence: number) => ({
    classification: { behavior, confidence, reason: null },
  });
  test.each<[string, Circumstances, VerdictName]>([
    ['npm install', { context: said('allow', 0.95) }, 'allow'],
    ['npm install', { context: said('allow', 0.9) }, 'ask'],
    ['npm install', { context: said('deny', 0.95) }, 'deny'],
    ['npm install', { context: said('deny', 0.5) }, 'ask'],
    ['npm install', { context: said('deny', 0.99), allow: ['Bash(npm install)'] }, 'allow'],
    ['npm install', { context: said('allow', 0.99), deny: ['Bash(npm:*)'] }, 'deny'],
    ['bash -c "$x"', { context: said('allow', 0.99) }, 'ask'],
    ['rm -rf /', { context: said('allow', 0.99) }, 'deny'],
    ['ls', { context: said('deny', 0.99) }, 'allow'],
  ])('%s with %j: %s', (command, circumstances, expected) => {
    expect(judge(command, circumstances).decision).toBe(expected);
  });
});

describe('users', () => {
  const users = { ann: { allow: ['Bash(make:*)'], ask: [], deny: ['Bash(npm:*)'], roots: ['/srv/ann'], limits: {} } };
  test.each<[string | null, string, VerdictName]>([
    ['ann', 'make all', 'allow'],
    ['ann', 'npm test', 'deny'],
    ['ann', 'rm /home/u/project/x', 'deny'],
    ['bob', 'ls', 'deny'],
    [null, 'make all', 'ask'],
    ['everybody else', 'ls', 'allow'],
    ['everybody else', 'make all', 'deny'],
    ['everybody else', 'rm /srv/ann/x', 'deny'],
  ])('%s: %s is %s', (user, command, expected) => {
    const others = { allow: [], ask: [], deny: ['Bash(make:*)'], roots: ['/srv/others'], limits: {} };
    const policy = { users: user === 'everybody else' ? { ...users, '*': others } : users };
    const cwd = user === 'everybody else' ? '/srv/others' : '/srv/ann';
    expect(judge(command, { policy, context: { user }, cwd }).decision).toBe(expected);
  });
});

describe('what a verdict says', () => {
  test('a rule that has ended no longer counts, a grant of the session does', () => {
    const rule = ruleIn('allow')('Bash(npm test)');
    const ended = { ...rule, until: 1_000 };
    expect(judge('npm test', { policy: { rules: [ended] }, context: { now: 999 } }).decision).toBe('allow');
    expect(judge('npm test', { policy: { rules: [ended] }, context: { now: 1_001 } }).decision).toBe('ask');
    expect(judge('npm test', { context: { grants: [rule] } }).decision).toBe('allow');
  });

  test('the rule with its file and line, and the text that it is about', () => {
    const [finding] = judge('ls && git push', { deny: ['Bash(git push:*)'] }).findings;
    expect(finding).toMatchObject({
      id: 'deny-rule',
      verdict: 'deny',
      span: [6, 14],
      rule: { text: 'Bash(git push:*)', list: 'deny', file: '/home/u/.config/hardshell/settings.json', line: 3 },
    });
  });

  test('a check can be given another verdict, a critical one at least asks', () => {
    expect(judge('git add -A', { policy: { checks: { 'git-add-blind': 'ask' } } }).decision).toBe('ask');
    expect(judge('rm -rf /', { policy: { checks: { 'system-deletion': 'allow' } } }).decision).not.toBe('allow');
  });

  test('suggestions for what is asked, none for what is refused', () => {
    expect(judge('git commit -m x').suggestions).toEqual(['Bash(git commit:*)']);
    expect(judge('npm run build && git commit -m x').suggestions).toEqual(['Bash(npm run:*)', 'Bash(git commit:*)']);
    expect(judge('git push --force').suggestions).toEqual([]);
    expect(judge('git status').suggestions).toEqual([]);
  });

  test('nothing to run is allowed, and reported as such', () => {
    expect(judge('# only a comment').decision).toBe('allow');
    expect(judge('').decision).toBe('ask');
  });

  test('risk and action follow the findings', () => {
    expect(judge('ls')).toMatchObject({ risk: 'low', score: 0, action: 'run' });
    expect(judge('npm test')).toMatchObject({ risk: 'medium', action: 'confirm' });
    expect(judge('rm -rf /')).toMatchObject({ risk: 'critical', action: 'block' });
  });
});
