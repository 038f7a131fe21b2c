import { describe, expect, test } from 'vitest';
import { subjectOf } from '../../../test/deciding/subject.ts';
import type { Context, PolicyRule } from '../../core/policy.ts';
import type { VerdictName } from '../../core/verdict.ts';
import type { ExampleWith } from '../check.ts';
import { matchRules, type RuleMatch } from './match.ts';
import { compileRules } from './rule-index.ts';

const rule = (list: VerdictName, text: string, more: Partial<PolicyRule> = {}): PolicyRule => ({
  text,
  list,
  origin: { layer: 'user', file: null, line: null },
  until: null,
  base: null,
  because: null,
  ...more,
});

function matchesOf(one: PolicyRule, command: string, more: Omit<ExampleWith, 'command'> = {}): readonly RuleMatch[] {
  return matchRules(subjectOf({ ...more, command, policy: { rules: [one] } }));
}

/** Every command is covered, including the redirects of its output. */
function isCovered(text: string, command: string, more: Omit<ExampleWith, 'command'> = {}): boolean {
  const subject = subjectOf({ ...more, command, policy: { rules: [rule('allow', text)] } });
  const found = matchRules(subject);
  return subject.facts.commands.every((_, i) => found.some((match) => match.command === i && match.coversRedirects));
}

const ALLOW: readonly [rule: string, covered: readonly string[], not: readonly string[]][] = [
  ['Bash', ['ls', 'rm -rf x > y', 'FOO=1 a'], []],
  ['Bash(*)', ['git push'], []],
  [
    'Bash(git status)',
    ['git status', 'git "status"', "gi't' status"],
    ['git status -s', 'git', '/usr/bin/git status', './git status'],
  ],
  [
    'Bash(npm run:*)',
    ['npm run', 'npm run build', 'npm run $x'],
    ['npm runner', 'npm', 'npm "run build"', './npm run x'],
  ],
  ['Bash(npm run test:*)', ['npm run test', 'npm run test -- -u'], ['npm run test:unit', 'npm run build']],
  ['Bash(docker *)', ['docker', 'docker ps', 'docker $x'], ['dockerd', 'docker-compose up']],
  ['Bash(ls *)', ['ls', 'ls -la'], ['lsof']],
  ['Bash(ls*)', ['ls', 'lsof -i'], ['als']],
  [
    'Bash(git * main)',
    ['git push origin main', 'git checkout main'],
    ['git main', 'git push "origin main"', 'git push main x'],
  ],
  ['Bash(git * main *)', ['git push main', 'git push main -q'], ['git push mainline']],
  ['Bash(* --version)', ['node --version', 'foo --version'], ['/tmp/x --version', './x --version', 'node --version x']],
  ['Bash(./scripts/*)', ['./scripts/a.sh', './scripts/a.sh x'], ['./scripts/../../evil', 'scripts/a.sh']],
  ['Bash(/usr/bin/git push)', ['/usr/bin/git push'], ['git push', '/tmp/git push']],
  [
    'Bash(git commit -m "x y")',
    ["git commit -m 'x y'", 'git commit -m x\\ y'],
    ['git commit -m x y', 'git commit -m "x z"'],
  ],
  ['Bash(git commit -m "fix: *")', ['git commit -m "fix: a"'], ['git commit -m "feat: a"']],
  ["Bash(git commit -m 'fix: *')", ["git commit -m 'fix: *'"], ['git commit -m "fix: a"']],
  ['Bash(echo \\*)', ["echo '*'"], ['echo a']],
  [
    'Bash(echo:*)',
    ['echo a', 'echo a 2>&1', 'echo a > /dev/null', 'echo a 2>/dev/null'],
    ['echo a > f', 'echo a >> f', 'echo a &> f'],
  ],
  [
    'Bash(echo:* > build/**)',
    ['echo a > build/x', 'echo a >> build/a/b', 'echo a'],
    ['echo a > f', 'echo a > build/../f', 'echo a > $f', 'echo a > build/x > f'],
  ],
  ['Bash(npm test > out.log)', ['npm test > out.log'], ['npm test > other.log', 'npm test x > out.log']],
  ['Bash(psql < x.sql)', ['psql < x.sql'], ['psql < y.sql']],
  [
    'Bash(sed !-i)',
    ['sed -n p f', 'sed s/a/b/ f'],
    [
      'sed -i s/a/b/ f',
      'sed -ni p f',
      'sed --in-place p f',
      'sed --in-pl=.bak p f',
      'sed $x f',
      'sed --unheard-of p f',
    ],
  ],
  [
    'Bash(git push !--force !-f:*)',
    ['git push', 'git push origin main', 'git push --force-with-lease', 'git -C x push'],
    ['git push -f', 'git push --force', 'git push -qf', 'git push --forc', 'git push $x'],
  ],
  ['Bash(find:* !-exec !-delete)', ['find . -name x'], ['find . -delete', 'find . -name x -exec ls {} +']],
  ['Bash(foo !-x)', [], ['foo', 'foo -y']],
  ['Bash(rm +-i:*)', ['rm -i a', 'rm -fi a'], ['rm a', 'rm -i $x']],
  [
    'Bash(rm build/**)',
    ['rm build/a', 'rm -rf build/a build/b/c', 'rm ./build/a', 'rm build/*.o', 'rm "build/a b"'],
    [
      'rm build',
      'rm -r build',
      'rm build/a x',
      'rm build/../x',
      'rm $x',
      'rm build/$x',
      'rm build/*/../../x',
      'rm /etc/passwd',
      'rm ~/x',
      'rm link/x',
      'rm build/out/x',
    ],
  ],
  ['Bash(rm build/*)', ['rm build/a'], ['rm build/../x', 'rm build/a /etc/passwd', 'rm build/a $x']],
  [
    'Bash(git push origin topic/*)',
    ['git push origin topic/a'],
    ['git push origin main', 'git push origin topic/../x'],
  ],
  ['Bash(cat //tmp/**)', ['cat /tmp/a'], ['cat /tmpx/a', 'cat /etc/a', 'cat /tmp/../etc/a']],
  ['Bash(cat /tmp/**)', ['cat /tmp/a'], ['cat /etc/a']],
  ['Bash(cat ~/notes/**)', ['cat ~/notes/a', 'cat /home/u/notes/a/b'], ['cat ~/a', 'cat notes/a']],
  ['Bash(cat ~/a)', ['cat ~/a', 'cat /home/u/a', 'cat $HOME/a'], ['cat a']],
  ['Bash(cat $HOME/a)', ['cat ~/a'], ['cat a']],
  [
    'Bash(mytool src/**)',
    ['mytool src/a', 'mytool src/a src/b'],
    ['mytool --out=/etc/x src/a', 'mytool src/a /etc/x', 'mytool $x'],
  ],
  [
    'Bash(python3 scripts/**)',
    ['python3 scripts/a.py', 'python3 scripts/a.py x'],
    ['python3 scripts/a.py /etc/x', 'python3 a.py', 'python3 -c x'],
  ],
  [
    'Bash(git:* except git push:*, git reset:*)',
    ['git status', 'git log'],
    ['git push', 'git -C x push', 'git reset --hard', 'git $x', 'git -c a=b push'],
  ],
  [
    'Bash(git:* except git push +--force)',
    ['git push', 'git status'],
    ['git push -f', 'git push --forc', 'git push $x'],
  ],
  ['Bash(rm:* except rm /etc/*)', ['rm a'], ['rm /etc/a', 'rm /etc/a/b', 'rm -r /etc', 'rm $x']],
  [
    'Bash(git push:*)',
    ['git push', 'git -C x push', 'git --no-pager push', 'NODE_ENV=x git push', 'LC_ALL=C TZ=x git push'],
    [
      'git -c core.sshCommand=x push',
      'git --git-dir=x push',
      'git --exec-path=x push',
      'GIT_SSH=x git push',
      'PATH=. git push',
      'LD_PRELOAD=x git push',
      'FOO=1 git push',
      'env GIT_SSH=x git push',
      'export GIT_SSH=x; git push',
      'PATH=/tmp; git push',
      'git $x',
      'git() { ls; }; git push',
    ],
  ],
  [
    'Bash(FOO=1 git push)',
    ['FOO=1 git push', 'FOO=1 LANG=C git push'],
    ['git push', 'FOO=2 git push', 'FOO=1 BAR=1 git push'],
  ],
  ['Bash(FOO=* git push)', ['FOO=1 git push', 'FOO=$x git push'], ['git push']],
];

describe.each(ALLOW)('allow %s', (text, covered, not) => {
  const files = {
    '/home/u/project/build/out': { link: '/etc' },
    '/home/u/project/build/a': '',
    '/home/u/project/link': { link: '/etc' },
  };
  if (covered.length > 0) {
    test.each(covered)('covers %s', (command) => {
      const plain = text.includes('*.o') || command.includes('*.o') ? {} : files;
      expect(isCovered(text, command, { files: { ...plain, '/home/u/project/build/x.o': '' } })).toBe(true);
    });
  }
  if (not.length > 0)
    test.each(not)('does not cover %s', (command) => expect(isCovered(text, command, { files })).toBe(false));
});

const BAN: readonly [rule: string, hit: readonly string[], perhaps: readonly string[], not: readonly string[]][] = [
  ['Bash', ['ls', '$x'], [], []],
  [
    'Bash(rm:*)',
    [
      'rm x',
      '/bin/rm x',
      'sudo rm x',
      "r''m x",
      '\\rm x',
      "$'\\x72m' x",
      'find . -exec rm {} +',
      'xargs rm',
      'ssh h rm x',
      'X=rm; $X y',
      'eval "$z"; rm a',
      'unheard-of rm x',
      'unheard-of --run=rm',
      'unheard-of "sh -c /bin/rm"',
    ],
    ['python3 -c \'import os; os.system("rm x")\''],
    ['ls', 'npm run rmx', 'git commit -m "rm x"', 'echo rm'],
  ],
  [
    'Bash(git push)',
    ['git push', 'git -C x push', '/usr/bin/git push'],
    ['git push $x', 'git $x'],
    ['git push origin', 'git pull'],
  ],
  [
    'Bash(git push:*)',
    [
      'env FOO=1 timeout 5 git -C x push',
      'git push origin',
      'bash -c "git push"',
      'git -C push push',
      'git --no-pager -C "$x" push',
      'echo `git push`',
      'FOO=1 git push > f',
      'git push $x',
      'eval $x git push',
      'foo | $x "git push"',
      'unheard-of git push',
      'bash -c "$x; git push"',
      '{git,push}',
      'eval "${x}git" $IFS push; $y git${IFS}push',
    ],
    ['git $x', 'git "$x" origin', 'git pu*'],
    ['git pull $x', 'git status', 'echo git push', 'git "po$x"', 'gitx push', '$x'],
  ],
  [
    'Bash(git * main)',
    ['git push origin main', 'git push $x main'],
    ['git push $x', 'git push "$x"'],
    ['git push main x'],
  ],
  ['Bash(ls*)', ['lsof', 'ls'], [], ['als', '$x']],
  [
    'Bash(git push +--force)',
    ['git push --force', 'git push -f', 'git push --forc', 'git push -qf'],
    ['git push $x', 'git push -Zf', 'git $x'],
    ['git push', 'git push --force-with-lease', 'git push -- --force'],
  ],
  ['Bash(rm !-i)', ['rm a', 'rm $x'], ['rm -i $x'], ['rm -i a', 'rm -fi a', 'ls']],
  [
    'Bash(rm build/**)',
    ['rm build/a', 'rm build/a x', 'rm -r build', 'rm x/../build/a', 'rm link/a', 'rm -rf /home/u'],
    ['rm $x', 'rm build/*', 'rm b*/x'],
    ['rm x', 'rm build', 'ls build/a'],
  ],
  ['Bash(rm /etc/*)', ['rm /etc/a', 'rm /etc/a/b', 'rm -r /etc', 'rm x/../../../../etc/a'], ['rm $x'], ['rm etc/a']],
  ['Bash(unheard-of /etc/**)', ['unheard-of /etc/a', 'unheard-of -v /etc/a'], ['unheard-of $x'], ['unheard-of /usr']],
  ['Bash(rm -rf ~:*)', ['rm -rf ~', 'rm -rf /home/u', 'rm -rf $HOME'], [], ['rm -rf x']],
  ['Bash(echo:* > /etc/**)', ['echo a > /etc/x', 'echo a >> /etc/x'], ['echo a > $x'], ['echo a', 'echo a > x']],
  [
    'Bash(git:* except git status:*, git log)',
    ['git push', 'git log -p', 'git $x'],
    [],
    ['git status', 'git status -s', 'git log', 'git -C x status'],
  ],
  ['Bash(FOO=1 git push)', ['FOO=1 git push'], [], ['git push']],
  [
    'Read(.env)',
    ['cat .env', 'cat a/.env', 'cat < .env', 'cp .env x', 'cat .env/x'],
    [
      'cat $x',
      'cat "$(pick)"',
      'find . -name .env | xargs cat',
      'for f in */.env; do cat "$f"; done',
      'grep -r x .',
      'unheard-of .env',
      'unheard-of --file=.env',
      'cat .e*',
      '$x .env',
    ],
    [
      'cat .envrc',
      'cat /etc/.env',
      'cat *',
      'ls',
      'find . -name x',
      'echo .env',
      'for f in src/*.ts; do cat "$f"; done',
      'git ls-files | xargs grep -n x',
      'while read -r f; do head "$f"; done < list',
    ],
  ],
  ['Read(./.env)', ['cat .env', 'cat x/../.env', 'cat secret'], ['cat "$x"'], ['cat a/.env']],
  [
    'Read(~/.ssh/**)',
    ['cat ~/.ssh/id', 'cat ../.ssh/id', 'cat /home/u/.ssh/a/b'],
    ['tar cf x ~'],
    ['cat ~/.sshx', 'ls ~'],
  ],
  ['Read(//etc/*.key)', ['cat /etc/a.key', 'cat /etc/a.key/b'], ['cat /etc/*'], ['cat /etc/a', 'cat /etc/x/a.key']],
  ['Read(**/[ab]?.pem)', ['cat x/a1.pem', 'cat b2.pem'], [], ['cat c1.pem', 'cat a.pem']],
  [
    'Edit(src/**)',
    ['touch src/a', 'echo > src/a', '> src/a', 'rm src/a', 'rm -r src', 'sed -i s/a/b/ src/a'],
    ['touch $x', 'touch s*/x'],
    ['cat src/a', 'touch a'],
  ],
  ['Write(src/**)', ['touch src/a'], [], ['cat src/a']],
  ['Delete(src)', ['rm src', 'rm -r src', 'rm src/a', 'rm x/src'], ['rm $x'], ['touch src/a']],
  ['Delete', ['rm a'], [], ['touch a']],
  [
    'Network(example.com)',
    ['curl https://example.com/x', 'curl http://EXAMPLE.com.'],
    ['curl $x', 'git push'],
    ['curl https://a.example.com', 'curl https://example.com.evil.org', 'ls'],
  ],
  [
    'Network(*.example.com)',
    ['curl https://a.example.com', 'curl https://a.b.example.com'],
    [],
    ['curl https://example.com', 'curl https://xexample.com'],
  ],
  [
    'Network(10.0.0.0/8)',
    ['curl http://10.1.2.3/x', 'curl http://10.1', 'curl http://0x0a.1/', 'curl http://167837953/'],
    ['curl $x', 'git push'],
    ['curl http://11.0.0.1', 'curl https://10.example.com', 'curl "http://[fd00::1]/"', 'ls'],
  ],
  ['Network(127.0.0.1)', ['curl http://0x7f.1/', 'curl http://127.0.0.1:8080'], [], ['curl http://127.0.0.2']],
  ['WebFetch(domain:example.com)', ['curl https://example.com'], [], ['ls']],
  ['Network', ['curl https://example.com', 'git push'], [], ['ls']],
];

describe.each(BAN)('deny %s', (text, hit, perhaps, not) => {
  const files = {
    '/home/u/project/link': { link: 'build' },
    '/home/u/project/secret': { link: '.env' },
    '/home/u/project/.env': '',
    '/home/u/.ssh/id': '',
    '/home/u/project/build/a': '',
    '/etc/a': '',
  };
  const certainty = (command: string) =>
    matchesOf(rule('deny', text), command, { files }).map(({ isPossible }) => isPossible);
  test.each(hit)('hits %s', (command) => expect(certainty(command)).toContain(false));
  if (perhaps.length > 0) {
    test.each(perhaps)('may mean %s', (command) => {
      expect(certainty(command)).toContain(true);
      expect(certainty(command)).not.toContain(false);
    });
  }
  if (not.length > 0) test.each(not)('passes %s', (command) => expect(certainty(command)).toEqual([]));
});

describe('the content of a match', () => {
  const only = (one: PolicyRule, command: string, more: Omit<ExampleWith, 'command'> = {}) => {
    const found = matchesOf(one, command, more);
    expect(found).toHaveLength(1);
    return found[0] as RuleMatch;
  };
  test('the command, the span and that it is exact', () => {
    const one = rule('allow', 'Bash(git status)');
    expect(only(one, 'ls; git status')).toEqual({
      rule: one,
      command: 1,
      span: [4, 14],
      how: 'words',
      isExact: true,
      isPossible: false,
      coversRedirects: true,
    });
  });
  test('a prefix is not exact, even when nothing follows', () =>
    expect(only(rule('allow', 'Bash(git status:*)'), 'git status').isExact).toBe(false));
  test('words are covered where the redirect is not', () =>
    expect(only(rule('allow', 'Bash(echo:*)'), 'echo a > f')).toMatchObject({ how: 'words', coversRedirects: false }));
  test('the path of an effect', () =>
    expect(only(rule('allow', 'Edit(src/**)'), 'touch src/a')).toMatchObject({
      how: 'path',
      path: '/home/u/project/src/a',
    }));
  test('the host', () =>
    expect(only(rule('ask', 'Network(*.x.org)'), 'curl https://a.x.org')).toMatchObject({
      how: 'domain',
      host: 'a.x.org',
    }));
  test('the position of the words in a text that cannot be analyzed', () => {
    const found = matchesOf(rule('deny', 'Bash(git push:*)'), 'eval "$x; git  push -f"');
    expect(found).toContainEqual(expect.objectContaining({ command: null, how: 'any-words', span: [10, 19] }));
  });
});

describe('which rules count', () => {
  const count = (more: Omit<ExampleWith, 'command'>) => matchRules(subjectOf({ command: 'git push', ...more })).length;
  const one = rule('deny', 'Bash(git push)');
  test('grants of the session', () =>
    expect(count({ context: { grants: [rule('allow', 'Bash(git push)')] } })).toBe(1));
  test.each([
    [10, 11, 0],
    [10, 10, 1],
    [10, 9, 1],
    [null, 1e15, 1],
  ])('until %s at %s: %s', (until, now, expected) =>
    expect(count({ policy: { rules: [{ ...one, until }] }, context: { now } })).toBe(expected),
  );
  const users = { ann: { allow: ['Bash(git push)'], ask: [], deny: ['Bash(git push:*)'], roots: null, limits: {} } };
  test.each([
    ['ann', 2],
    ['bob', 0],
    [null, 0],
    ['__proto__', 0],
    ['constructor', 0],
  ])('rules of the user %s: %s', (user, expected) =>
    expect(count({ policy: { users }, context: { user } })).toBe(expected),
  );
  test('the index is built once for an array', () => {
    const rules = [one];
    expect(compileRules(rules)).toBe(compileRules(rules));
  });
  test('a rule that does not parse is an error that names it', () =>
    expect(() => compileRules([rule('deny', 'Bsh(x)')])).toThrow(/`Bsh\(x\)`.*Unknown rule type: `Bsh`/));
});

describe('folders of rules', () => {
  const base = '/home/u/project';
  test.each([
    ['Edit(/src/**)', '/home/u/project/sub', 'touch ../src/a', true],
    ['Edit(/src/**)', '/home/u/project/sub', 'touch src/a', false],
    ['Edit(src/**)', '/home/u/project/sub', 'touch src/a', true],
    ['Bash(touch src/**)', '/home/u/project/sub', 'touch ../src/a', true],
    ['Bash(touch src/**)', '/home/u/project/sub', 'touch src/a', false],
  ])('deny %s, in %s: %s is %s', (text, cwd, command, expected) => {
    expect(matchesOf(rule('deny', text, { base }), command, { cwd }).length > 0).toBe(expected);
  });
  test.each([
    ['a project behind a link', { '/home/u/project': { link: '/data/p' }, '/data/p/build/a': '' }, true],
    ['a folder that is a link to outside', { '/home/u/project/build': { link: '/etc' }, '/etc/a': '' }, false],
    ['a file that is a link to outside', { '/home/u/project/build/a': { link: '/etc/a' }, '/etc/a': '' }, false],
    ['a link that stays inside', { '/home/u/project/build/a': { link: 'b' }, '/home/u/project/build/b': '' }, true],
    ['a loop', { '/home/u/project/build/a': { link: 'a' } }, false],
  ])('an allowed folder and %s', (_, files, expected) => {
    const probe = { ...subjectOf({ command: 'x', files: { ...files } }).context.probe } as Context['probe'];
    for (const settled of [null, base]) {
      const subject = subjectOf({
        command: 'rm build/a',
        policy: { rules: [rule('allow', 'Bash(rm build/**)', { base: settled })] },
        context: { probe: files['/home/u/project' as keyof typeof files] === undefined ? probe : linked },
      });
      expect(matchRules(subject).length > 0).toBe(expected);
    }
  });
  /** The project itself is a link, which the test disk cannot represent next to its own file there. */
  const linked: Context['probe'] = {
    realPath: (path) => path.replace(/^\/home\/u\/project/, '/data/p'),
    kind: () => 'file',
    readText: () => null,
    readBytes: () => null,
    list: () => null,
  };
});
