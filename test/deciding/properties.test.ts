// What must hold for every command and every policy, tried with many of each.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { DEFAULT_POLICY } from '../../src/core/default-policy.ts';
import { MODES, type Policy, type PolicyRule } from '../../src/core/policy.ts';
import { VERDICTS, type VerdictName } from '../../src/core/verdict.ts';
import { decide } from '../../src/decide/decide.ts';
import { subjectOf } from './subject.ts';

const RUNS = { numRuns: 300, seed: 20240229 };

const COMMANDS = [
  'ls',
  'git status',
  'git push origin main',
  'npm run build',
  'rm -r build',
  'rm x',
  'cat a | sort > out.txt',
  'timeout 5 make test',
  'find . -name "*.o" -exec rm {} +',
  'echo $(git log -1)',
  'sed -i s/a/b/ f',
  'for f in a b; do git add "$f"; done',
  'bash -c "$x"',
  'curl https://example.com',
  'docker run --rm alpine ls',
  'cd src && git commit -m "x"',
];
const RULES = [
  'Bash',
  'Bash(git:*)',
  'Bash(git push:*)',
  'Bash(git status)',
  'Bash(npm run:*)',
  'Bash(rm:*)',
  'Bash(rm build/**)',
  'Bash(sed !-i)',
  'Bash(docker *)',
  'Bash(make:*)',
  'Bash(ls)',
  'Bash(curl:*)',
  'Edit(src/**)',
  'Read(~/.ssh/**)',
  'Network(example.com)',
];

const command = fc.constantFrom(...COMMANDS);
const rule = fc.record({ text: fc.constantFrom(...RULES), list: fc.constantFrom(...VERDICTS) });
const rules = fc.array(rule, { maxLength: 6 });

function toRule({ text, list }: { text: string; list: VerdictName }): PolicyRule {
  return { text, list, origin: { layer: 'user', file: null, line: null }, until: null, base: null, because: null };
}

function judge(text: string, policy: Partial<Policy>): VerdictName {
  const { facts, context } = subjectOf(text);
  return decide(facts, { ...DEFAULT_POLICY, ...policy }, context).decision;
}

const rank = (verdict: VerdictName) => VERDICTS.indexOf(verdict);

describe('rules', () => {
  test('adding a deny or an ask never loosens', () => {
    fc.assert(
      fc.property(command, rules, rule, fc.constantFrom(...MODES), (text, list, added, mode) => {
        fc.pre(added.list !== 'allow');
        const before = judge(text, { mode, rules: list.map(toRule) });
        const after = judge(text, { mode, rules: [...list, added].map(toRule) });
        expect(rank(after)).toBeGreaterThanOrEqual(rank(before));
      }),
      RUNS,
    );
  });

  test('the order of rules does not matter', () => {
    fc.assert(
      fc.property(
        command,
        rules.chain((list) => fc.tuple(fc.constant(list), fc.shuffledSubarray(list, { minLength: list.length }))),
        (text, [list, shuffled]) => {
          expect(judge(text, { rules: shuffled.map(toRule) })).toBe(judge(text, { rules: list.map(toRule) }));
        },
      ),
      RUNS,
    );
  });

  test('the verdict is the strictest finding', () => {
    fc.assert(
      fc.property(command, rules, fc.constantFrom(...MODES), (text, list, mode) => {
        const { facts, context } = subjectOf(text);
        const { decision: verdict, findings } = decide(
          facts,
          { ...DEFAULT_POLICY, mode, rules: list.map(toRule) },
          context,
        );
        expect(findings.length).toBeGreaterThan(0);
        expect(rank(verdict)).toBe(Math.max(...findings.map((finding) => rank(finding.verdict))));
      }),
      RUNS,
    );
  });

  test('commands that cannot be analyzed are never allowed, in any mode or by any rule', () => {
    const unknown = fc.constantFrom('bash -c "$x"', '$x', 'eval "$(cat f)"', 'echo x | sh', 'source ./env.sh', 'ls "');
    fc.assert(
      fc.property(unknown, rules, fc.constantFrom(...MODES), (text, list, mode) => {
        expect(judge(text, { mode, rules: list.map(toRule) })).not.toBe('allow');
      }),
      RUNS,
    );
  });
});

/** Programs that run another one. */
const WRAPPERS: readonly ((text: string) => string)[] = [
  (text) => `timeout 5 ${text}`,
  (text) => `nice -n 5 ${text}`,
  (text) => `nohup ${text}`,
  (text) => `env A=1 ${text}`,
  (text) => `env -u X ${text}`,
  (text) => `command ${text}`,
  (text) => `exec ${text}`,
  (text) => `stdbuf -oL ${text}`,
  (text) => `setsid ${text}`,
  (text) => `sudo ${text}`,
  (text) => `sudo -u root -- ${text}`,
  (text) => `busybox ${text}`,
  (text) => `bash -c ${quote(text)}`,
  (text) => `sh -c "${text.replace(/["\\$`]/g, '\\$&')}"`,
  (text) => `eval ${quote(text)}`,
];
/** Shell syntax around a command. */
const SYNTAX: readonly ((text: string) => string)[] = [
  (text) => `(${text})`,
  (text) => `{ ${text}; }`,
  (text) => `true && ${text}`,
  (text) => `false || ${text}`,
  (text) => `${text} &`,
  (text) => `! ${text}`,
  (text) => `time ${text}`,
  (text) => `if true; then ${text}; fi`,
  (text) => `echo "$(${text})"`,
  (text) => `cat <(${text})`,
  (text) => `f() { ${text}; }; f`,
  (text) => `while ${text}; do break; done`,
  (text) => `bash <<'EOF'\n${text}\nEOF`,
];

function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** A command in up to two wrappers, inside up to two pieces of syntax. */
const disguises = fc.tuple(
  fc.array(fc.constantFrom(...WRAPPERS), { maxLength: 2 }),
  fc.array(fc.constantFrom(...SYNTAX), { maxLength: 2 }),
);

function disguise(text: string, [wrappers, syntax]: readonly (readonly ((text: string) => string)[])[]): string {
  return [...(wrappers ?? []), ...(syntax ?? [])].reduce((inner, change) => change(inner), text);
}

const SPELLINGS = [
  'rm',
  '\\rm',
  "r''m",
  '"rm"',
  "'r'm",
  "$'rm'",
  "$'\\x72m'",
  '/bin/rm',
  '/usr/bin/../bin/rm',
  'r\\\nm',
];
const TARGETS = [
  '-rf /',
  '-fr /',
  '-r -f /',
  '--recursive --force /',
  '-rf ~',
  '-rf "$HOME"',
  '-rf .git',
  '-rf *',
  '-rfv -- /etc',
];

describe('a forbidden rm', () => {
  test('stays forbidden however it is written or wrapped', () => {
    fc.assert(
      fc.property(fc.constantFrom(...SPELLINGS), fc.constantFrom(...TARGETS), disguises, (spelling, target, ways) => {
        const text = disguise(`${spelling} ${target}`, ways);
        expect(judge(text, { mode: 'bypass' }), text).not.toBe('allow');
        // Only unreadable text may be a question instead of a refusal.
        if (ways.flat().length === 0) expect(judge(text, {}), text).toBe('deny');
      }),
      { numRuns: 1_000, seed: 7 },
    );
  });

  test('a deny rule for rm holds in every disguise', () => {
    const denied = [
      { text: 'Bash(rm:*)', list: 'deny' as const },
      { text: 'Bash', list: 'allow' as const },
    ].map(toRule);
    fc.assert(
      fc.property(fc.constantFrom(...SPELLINGS), disguises, (spelling, ways) => {
        const text = disguise(`${spelling} x`, ways);
        expect(judge(text, { rules: denied }), text).not.toBe('allow');
      }),
      { numRuns: 1_000, seed: 7 },
    );
  });
});
