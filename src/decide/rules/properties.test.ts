// Invariants for any rules and commands: order does not matter, no ban is lost, the index finds what a scan finds.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { subjectOf } from '../../../test/deciding/subject.ts';
import type { PolicyRule } from '../../core/policy.ts';
import { VERDICTS } from '../../core/verdict.ts';
import { matchRules, type RuleMatch } from './match.ts';
import { parseRule } from './patterns/grammar.ts';

const origin = { layer: 'user', file: null, line: null } as const;
const word = fc.constantFrom(
  'git',
  'push',
  'rm',
  'ls',
  'npm',
  'run',
  'main',
  '-f',
  'a',
  'build/a',
  'src/x',
  '/etc/a',
  '-i',
);
const words = fc.array(word, { minLength: 1, maxLength: 4 }).map((list) => list.join(' '));
const pattern = fc.oneof(
  words,
  words.map((text) => `${text}:*`),
  words.map((text) => `${text} *`),
  words.map((text) => `${text}*`),
  fc.tuple(words, words).map(([a, b]) => `${a} * ${b}`),
  fc.tuple(words, fc.constantFrom('!-f', '+-f', '+--force', '!-i')).map(([text, flag]) => `${text} ${flag}`),
  fc.tuple(words, fc.constantFrom('build/**', 'src/*', '/etc/**')).map(([text, scope]) => `${text} ${scope}`),
  fc.tuple(words, words).map(([a, b]) => `${a}:* except ${a} ${b}:*`),
  words.map((text) => `${text}:* > build/**`),
);
const ruleText = fc.oneof(
  { weight: 6, arbitrary: pattern.map((text) => `Bash(${text})`) },
  fc
    .tuple(
      fc.constantFrom('Read', 'Edit', 'Delete'),
      fc.constantFrom('**/a', 'build/**', 'src/*', '//etc/**', 'x', '~/**', '*', './a', 's*/x'),
    )
    .map(([tool, path]) => `${tool}(${path})`),
  fc.constantFrom('Bash', 'Network(x.org)', 'Network(*.x.org)', 'Network'),
);
const rule = fc
  .tuple(ruleText, fc.constantFrom(...VERDICTS))
  .map(([text, list]): PolicyRule => ({ text, list, origin, until: null, base: null, because: null }));
const piece = fc.oneof(
  { weight: 8, arbitrary: word },
  fc.constantFrom('$x', '"$x"', '"bu$x"', '*', 'build/*', '../a', 'https://a.x.org'),
);
const simple = fc
  .tuple(
    fc.constantFrom('', '', 'sudo ', 'timeout 5 ', 'FOO=1 ', 'unheard-of '),
    fc.array(piece, { minLength: 1, maxLength: 5 }),
    fc.constantFrom('', '', ' > build/o', ' > o'),
  )
  .map(([before, list, after]) => `${before}${list.join(' ')}${after}`);
const command = fc.oneof(
  { weight: 6, arbitrary: simple },
  fc.tuple(simple, fc.constantFrom(' | ', ' && ', '; '), simple).map((parts) => parts.join('')),
  simple.map((text) => `eval "$y"; ${text}`),
);

const keyOf = ({
  rule: { text, list },
  command: index,
  how,
  isPossible,
  isExact,
  coversRedirects,
  path,
  host,
}: RuleMatch) => JSON.stringify([text, list, index, how, isPossible, isExact, coversRedirects, path, host]);
const keysOf = (text: string, rules: readonly PolicyRule[]) =>
  [...new Set(matchRules(subjectOf({ command: text, policy: { rules } })).map(keyOf))].sort();
/** Only a few possible matches are kept for each command, so if there are more, which ones is undefined. */
const MAX_POSSIBLE = 8;
const isPossible = (key: string) => JSON.parse(key)[4] === true;
function comparable(keys: readonly string[], all: readonly string[]): readonly string[] {
  return all.filter(isPossible).length > MAX_POSSIBLE ? keys.filter((key) => !isPossible(key)) : keys;
}

test('every generated rule is valid', () => {
  fc.assert(
    fc.property(ruleText, (text) => {
      expect(parseRule(text)).toMatchObject({ ok: true });
    }),
  );
});

test('the index finds what a scan of all rules finds', () => {
  fc.assert(
    fc.property(fc.array(rule, { maxLength: 15 }), command, (rules, text) => {
      const alone = [...new Set(rules.flatMap((one) => keysOf(text, [one])))].sort();
      expect(comparable(keysOf(text, rules), alone)).toEqual(comparable(alone, alone));
    }),
    { numRuns: 400 },
  );
});

test('the order of rules does not matter', () => {
  fc.assert(
    fc.property(fc.array(rule, { maxLength: 15 }), command, (rules, text) => {
      const alone = rules.flatMap((one) => keysOf(text, [one]));
      expect(comparable(keysOf(text, [...rules].reverse()), alone)).toEqual(comparable(keysOf(text, rules), alone));
    }),
    { numRuns: 200 },
  );
});

describe('a ban is not lost by wrapping or quoting', () => {
  const banned = fc.constantFrom('rm -rf x', 'git push', 'git push origin main', 'npm run a');
  const quoted = fc.constantFrom(
    (name: string) => name,
    (name: string) => `${name[0]}''${name.slice(1)}`,
    (name: string) => `\\${name}`,
    (name: string) => `"${name}"`,
    (name: string) => `$'${name}'`,
    (name: string) => `$'\\x${name.charCodeAt(0).toString(16)}${name.slice(1)}'`,
    (name: string) => `/usr/bin/${name}`,
    (name: string) => `{${name},}`.replace(/^\{(.*),\}$/, '$1'),
  );
  const wrapper = fc.constantFrom(
    (text: string) => text,
    (text: string) => `timeout 5 ${text}`,
    (text: string) => `nice ${text}`,
    (text: string) => `nice -n 5 ${text}`,
    (text: string) => `env A=1 ${text}`,
    (text: string) => `command ${text}`,
    (text: string) => `sudo ${text}`,
    (text: string) => `A=1 ${text} > /dev/null`,
    (text: string) => `true && { ${text}; }`,
    (text: string) => `(${text}) | cat`,
    (text: string) => `echo "$(${text})"`,
    (text: string) => `bash -c ${quote(text)}`,
    (text: string) => `eval ${quote(text)}`,
    (text: string) => `unheard-of ${text}`,
    (text: string) => `$x; ${text}`,
  );
  const quote = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;
  const rules = ['Bash(rm:*)', 'Bash(git push:*)', 'Bash(npm *)', 'Bash(git * main)', 'Bash(npm run*)'].map(
    (text): PolicyRule => ({ text, list: 'deny', origin, until: null, base: null, because: null }),
  );
  const hits = (text: string) =>
    new Set(
      matchRules(subjectOf({ command: text, policy: { rules } }))
        .filter(({ isPossible }) => !isPossible)
        .map((match) => match.rule.text),
    );
  test('with any text around it', () => {
    fc.assert(
      fc.property(banned, quoted, fc.array(wrapper, { maxLength: 3 }), (text, spell, wrappers) => {
        const [name = '', ...rest] = text.split(' ');
        const spelled = [spell(name), ...rest].join(' ');
        const wrapped = wrappers.reduce((inner, wrap) => wrap(inner), spelled);
        for (const hit of hits(text))
          expect([wrapped, [...hits(wrapped)]]).toEqual([wrapped, expect.arrayContaining([hit])]);
      }),
      { numRuns: 500 },
    );
  });
});
