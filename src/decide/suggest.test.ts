import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { subjectOf } from '../../test/deciding/subject.ts';
import type { PolicyRule } from '../core/policy.ts';
import type { Subject } from './check.ts';
import { matchRules } from './rules/match.ts';
import { parseRule } from './rules/patterns/grammar.ts';
import { suggestRules } from './suggest.ts';

const ruleOf = (text: string): PolicyRule => ({
  text,
  list: 'allow',
  origin: { layer: 'session', file: null, line: null },
  until: null,
  base: null,
  because: null,
});
const uncoveredIn = ({ facts }: Subject) => facts.commands.flatMap(({ readOnly }, i) => (readOnly ? [] : [i]));
const suggestFor = (command: string) => {
  const subject = subjectOf(command);
  return suggestRules(subject, uncoveredIn(subject));
};

test.each<[string, readonly string[]]>([
  ['git commit -m x', ['Bash(git commit:*)']],
  ['git commit -m "$msg"', ['Bash(git commit:*)']],
  ['NODE_ENV=prod npm run build', ['Bash(npm run:*)']],
  ['npm run build && npm test', ['Bash(npm run:*)', 'Bash(npm test:*)']],
  ['npm run a; npm run b', ['Bash(npm run:*)']],
  ['FOO=1 npm run build', ['Bash(FOO=1 npm run build)']],
  ['FOO=$x npm run build', []],
  ['GIT_SSH=./x git push', ['Bash(GIT_SSH=./x git push)']],
  ['npm run build > dist/log/a.txt', ['Bash(npm run:* > dist/log/**)']],
  ['npm run build > out.txt 2>&1', ['Bash(npm run:* > out.txt)']],
  ['npm run build > /tmp/x', ['Bash(npm run:* > /tmp/x)']],
  ['npm run build > $x', []],
  ['npm run build > ../x', []],
  ['docker compose up -d', ['Bash(docker compose up:*)']],
  ['mytool deploy --now', ['Bash(mytool deploy:*)']],
  ['mytool run x', ['Bash(mytool run x)']],
  ['mytool rm x', ['Bash(mytool rm x)']],
  ['mytool', ['Bash(mytool)']],
  ['mytool $x', []],
  ["mytool 'a b' '!-f' '*'", ["Bash(mytool 'a b' '!-f' '*')"]],
  ['mytool except +-f', ["Bash(mytool 'except':*)"]],
  ['mkdir -p a/b', ['Bash(mkdir -p a/b)']],
  ['sed -n p f', []],
  ['sed -i s/a/b/ f', ['Bash(sed -i s/a/b/ f)']],
  ['python3 x.py', ['Bash(python3 x.py)']],
  ["python3 -c 'import a'", ["Bash(python3 -c 'import a')"]],
  ['npx tsc', ['Bash(npx tsc)']],
  ['pnpm dlx x', ['Bash(pnpm dlx x)']],
  ['docker run x', ['Bash(docker run x)']],
  ['docker exec web ls', ['Bash(docker exec web ls)']],
  ['chmod +x a', ['Bash(chmod +x a)']],
  ['kill 5', ['Bash(kill 5)']],
  ['curl -o f https://x.org', ['Bash(curl -o f https://x.org)']],
  ['git config user.name x', ['Bash(git config user.name x)']],
  ['git -C x push', ['Bash(git -C x push)']],
  ['/usr/bin/git push', ['Bash(/usr/bin/git push)']],
  ['rm x', []],
  ['rmdir x', []],
  ['npm run build && rm x', []],
  ['sudo npm run build', []],
  ['sudo rm x', []],
  ['dd if=a of=b', []],
  ['mkfs.ext4 /dev/sda', []],
  ['eval "$x"', []],
  ['$x a', []],
  ['npm run a\nnpm run b', []],
  [`npm run ${'a'.repeat(500)}`, []],
  ['export FOO=1; npm run build', []],
  ['env FOO=1 timeout 5 npm run build', []],
  ['> out.txt', ['Edit(//home/u/project/out.txt)']],
])('%s → %j', (command, expected) => expect(suggestFor(command)).toEqual(expected));

describe('the effect of a suggestion', () => {
  const part = fc.constantFrom(
    'git commit -m x',
    'git push origin main',
    'npm run build',
    'npm test',
    'cargo build --release',
    'mytool deploy a',
    'mytool run b',
    'FOO=1 mytool',
    'CI=1 npm run x',
    'npm run a > dist/b/c',
    'python3 x.py',
    'bash x.sh',
    'npx tsc',
    'docker compose up',
    'docker run x ls',
    'mkdir a',
    "mytool 'a b'",
    'curl -X POST https://x.org',
    'make build',
    'find . -name x -fprint y',
    'kill 5',
    'chmod +x a',
    'go test ./...',
    'node a.js > o',
    '> a/b',
    'xargs touch',
    'env A=1 make',
    'timeout 5 make',
    'uv run x',
    'tee a/b',
    'kubectl apply -f x',
    'rm a',
    'sudo ls',
  );
  const line = fc
    .tuple(fc.array(part, { minLength: 1, maxLength: 3 }), fc.constantFrom(' && ', '; ', ' | '))
    .map(([parts, by]) => parts.join(by));
  const NEVER = [
    "bash -c 'rm -rf /'",
    'sudo rm x',
    'rm -rf x',
    'python3 -c x',
    'env x',
    'xargs rm',
    'npx evil',
    'bash evil.sh',
    'curl https://evil.org',
    'docker run evil',
    'find . -delete',
    'git config core.pager x',
    'uv run evil',
    'mytool run evil',
    'git -c core.sshCommand=x push',
  ];

  test('exactly these commands, and never what runs anything', () => {
    fc.assert(
      fc.property(line, (command) => {
        const subject = subjectOf(command);
        const uncovered = uncoveredIn(subject);
        const rules = suggestRules(subject, uncovered).map(ruleOf);
        for (const { text } of rules) expect(parseRule(text)).toMatchObject({ ok: true });
        if (rules.length === 0) return;
        const covered = (text: string) => {
          const other = subjectOf({ command: text, policy: { rules } });
          const found = matchRules(other);
          const own = (at: number) =>
            found.filter(
              ({ command: index, coversRedirects, how }) => index === at && (coversRedirects || how === 'path'),
            );
          return other.facts.commands.map(({ parent }, i) => {
            if (own(i).length > 0) return true;
            // As in the decision: what an exact command runs is allowed with it.
            for (let at = parent; at !== null; at = other.facts.commands[at]?.parent ?? null) {
              if (own(at).some(({ isExact }) => isExact)) return true;
            }
            return false;
          });
        };
        const answers = covered(command);
        for (const index of uncovered) expect([command, index, answers[index]]).toEqual([command, index, true]);
        for (const text of NEVER)
          expect([rules.map((one) => one.text), text, covered(text)[0]]).toEqual([
            rules.map((one) => one.text),
            text,
            false,
          ]);
      }),
      { numRuns: 300 },
    );
  });
});
