import { describe, expect, test } from 'vitest';
import { parseRule } from './grammar.ts';

/** The parts of a Bash rule that a row is about. */
function bashOf(text: string) {
  const parsed = parseRule(text);
  if (!parsed.ok || parsed.rule.tool !== 'bash' || parsed.rule.bash === null)
    throw new Error(`not a Bash rule: ${text}`);
  const { pattern, except } = parsed.rule.bash;
  return {
    words: pattern.words,
    tail: pattern.tail.kind,
    flags: pattern.flags.map(({ flag }) => flag),
    scope: pattern.scope !== null,
    redirects: pattern.redirects.length,
    except: except.length,
  };
}

const plain = { tail: 'end', flags: [], scope: false, redirects: 0, except: 0 };

test.each([
  ['Bash(git status)', { ...plain, words: ['git', 'status'] }],
  ['Bash( git  status )', { ...plain, words: ['git', 'status'] }],
  ['Bash(npm run:*)', { ...plain, words: ['npm', 'run'], tail: 'any' }],
  ['Bash(npm run :*)', { ...plain, words: ['npm', 'run'], tail: 'any' }],
  ['Bash(npm run *)', { ...plain, words: ['npm', 'run'], tail: 'any' }],
  ['Bash(npm run*)', { ...plain, words: ['npm'], tail: 'globs' }],
  ['Bash(npm run test:*)', { ...plain, words: ['npm', 'run', 'test'], tail: 'any' }],
  ['Bash(npm run test:unit)', { ...plain, words: ['npm', 'run', 'test:unit'] }],
  ['Bash(npm run test:unit:*)', { ...plain, words: ['npm', 'run', 'test:unit'], tail: 'any' }],
  ['Bash(git commit -m "x y")', { ...plain, words: ['git', 'commit', '-m', 'x y'] }],
  ["Bash(git commit -m 'it''s')", { ...plain, words: ['git', 'commit', '-m', 'its'] }],
  ['Bash(echo \\* a\\ b)', { ...plain, words: ['echo', '*', 'a b'] }],
  ["Bash(echo 'a:*')", { ...plain, words: ['echo', 'a:*'] }],
  ['Bash(find . \\( -name x \\))', { ...plain, words: ['find', '.', '(', '-name', 'x', ')'] }],
  ['Bash(find . -exec ls {} +)', { ...plain, words: ['find', '.', '-exec', 'ls', '{}', '+'] }],
  ["Bash(grep 'a|b' f)", { ...plain, words: ['grep', 'a|b', 'f'] }],
  ['Bash(grep foo$ f)', { ...plain, words: ['grep', 'foo$', 'f'] }],
  ['Bash(date +%s)', { ...plain, words: ['date', '+%s'] }],
  ['Bash(ls $HOME/x)', { ...plain, words: ['ls', '~/x'] }],
  ['Bash(sed !-i)', { ...plain, words: ['sed'], tail: 'any', flags: ['-i'] }],
  ["Bash(sed '!-i')", { ...plain, words: ['sed', '!-i'] }],
  ['Bash(git push !--force !-f:*)', { ...plain, words: ['git', 'push'], tail: 'any', flags: ['--force', '-f'] }],
  ['Bash(find:* !-exec)', { ...plain, words: ['find'], tail: 'any', flags: ['-exec'] }],
  ['Bash(rm +-i:*)', { ...plain, words: ['rm'], tail: 'any', flags: ['-i'] }],
  ['Bash(rm build/**)', { ...plain, words: ['rm'], tail: 'any', scope: true }],
  [
    'Bash(rm !-r build/**)'.replace('!-r build/**', 'build/** !-r'),
    { ...plain, words: ['rm'], tail: 'any', scope: true, flags: ['-r'] },
  ],
  ['Bash(rm **)', { ...plain, words: ['rm'], tail: 'any', scope: true }],
  ['Bash(rm build/*)', { ...plain, words: ['rm'], tail: 'globs', scope: true }],
  ['Bash(./scripts/*)', { ...plain, words: [], tail: 'globs' }],
  ['Bash(curl https://x.org/*)', { ...plain, words: ['curl'], tail: 'globs' }],
  ['Bash(npm i @types/*)', { ...plain, words: ['npm', 'i'], tail: 'globs' }],
  ['Bash(x --out=a/*)', { ...plain, words: ['x'], tail: 'globs' }],
  ['Bash(echo:* > build/**)', { ...plain, words: ['echo'], tail: 'any', redirects: 1 }],
  ['Bash(echo a >f)', { ...plain, words: ['echo', 'a'], redirects: 1 }],
  ['Bash(npm test 2>&1)', { ...plain, words: ['npm', 'test'] }],
  ['Bash(npm test >/dev/null 2>&1)', { ...plain, words: ['npm', 'test'] }],
  ['Bash(git:* except git push:*, git reset:*)', { ...plain, words: ['git'], tail: 'any', except: 2 }],
  ['Bash(echo all except one)', { ...plain, words: ['echo', 'all', 'except', 'one'] }],
  ['Bash(echo a, b)', { ...plain, words: ['echo', 'a,', 'b'] }],
  ['Bash(FOO=1 make)', { ...plain, words: ['make'] }],
])('%s is read', (text, expected) => expect(bashOf(text)).toEqual(expected));

test.each([
  'Bash',
  'Bash(*)',
  'Read',
  'Read(**)',
  'Read(*)',
  'Edit(src/**)',
  'Write(~/x)',
  'Delete(//tmp/**)',
  'Edit(/docs/*.md)',
  'Read(./.env)',
  'Read(*.pem)',
  'Read(a/[bc]?.txt)',
  'Read(dir/)',
  'Read(app/(group)/page.tsx)',
  'Network',
  'Network(*)',
  'Network(example.com)',
  'Network(*.example.com)',
  'Network(127.0.0.1)',
  'Network(::1)',
  'Network(localhost)',
  'WebFetch',
  'WebFetch(domain:example.com)',
  'WebFetch(domain:*.example.com)',
])('%s is accepted', (text) => expect(parseRule(text)).toMatchObject({ ok: true }));

describe('what is refused says why and what to write', () => {
  test.each([
    ['', /no name/, /Bash\(/],
    ['Bash()', /empty/, /`Bash` alone/],
    ['Bash(   )', /empty/, /alone/],
    ['Read()', /empty/, /alone/],
    ['Bash(ls', /not balanced/, /ends in/],
    ['Bash(ls))', /not balanced/, /\\\)/],
    ['Bash(ls)(x)', /not balanced/, /\\\)/],
    ['Bash(ls) x', /not balanced/, /ends in/],
    ['Bash(:*)', /no command/, /`Bash`/],
    ['Bash(*:*)', /no command/, /`Bash`/],
    ['Bash(FOO=1)', /no command/, /name one/],
    ['Bash(npm:* run)', /middle/, /at the end/],
    ['Bash(sed !-i f)', /middle/, /at the end/],
    ['Bash(echo > a b)', /after the redirect/, /last/],
    ['Bash(echo >)', /Nothing follows/, /Name the file/],
    ['Bash(a | b)', /one simple command/, /one rule for each/],
    ['Bash(a && b)', /one simple command/, /one rule for each/],
    ['Bash(a; b)', /one simple command/, /one rule for each/],
    ['Bash(echo $x)', /after expansion/, /single quotes/],
    ['Bash(echo "$(date)")', /after expansion/, /single quotes/],
    ['Bash(echo `date`)', /after expansion/, /single quotes/],
    ['Bash(rm {a,b})', /Braces/, /one rule for each/],
    ['Bash(echo "a)', /not closed/, /Close/],
    ["Bash(echo don't:*)", /not closed/, /backslash/],
    ['Bash(echo \\)', /backslash/, /\\\\/],
    ['Bash(git:* except)', /no command/, /Bash/],
    ['Bash(git:* except git a > f)', /exception/, /before `except`/],
    ['Bash(rm ../**)', /`\.\.`/, /folder itself/],
    ['Bash(A=x* b)', /in full/, /A=\*/],
    ['Read(../x)', /`\.\.`/, /folder itself/],
    ['Read(!x)', /negated/, /deny list/],
    ['bash(ls)', /no `bash`/, /Did you mean `Bash\(ls\)`/],
    ['Bsh(ls)', /no `Bsh`/, /Did you mean `Bash\(ls\)`/],
    ['Reed(x)', /no `Reed`/, /Read\(x\)/],
    ['Task(x)', /no `Task`/, /one of Bash/],
    ['git push', /in parentheses/, /Bash\(git push\)/],
    [' Bash(ls)', /blanks/, /`Bash\(ls\)`/],
    ['Bash (ls)', /blanks/, /`Bash\(ls\)`/],
    ['Bash(a\nb)', /U\+000A/, /by hand/],
    ['Bash(a\tb)', /U\+0009/, /by hand/],
    ['Bash(a\u0000b)', /U\+0000/, /by hand/],
    ['Bash(a\u200bb)', /U\+200B/, /by hand/],
    ['Bash(a\u00a0b)', /U\+00A0/, /by hand/],
    ['Bash(a\u202eb)', /U\+202E/, /by hand/],
    ['Bash(a\ufeffb)', /U\+FEFF/, /by hand/],
    ['Bash(a\u{e0041}b)', /U\+E0041/, /by hand/],
    ['Bash(a\ud800b)', /U\+D800/, /by hand/],
    [`Bash(${'a'.repeat(2000)})`, /longer than 2000/, /prefix/],
    ['Network(https://x.org/a)', /not the name of a host/, /Network\(x\.org\)/],
    ['Network(a.*.org)', /not the name of a host/, /example/],
    ['WebFetch(x.org)', /takes a domain/, /domain:x\.org/],
  ])('%j', (text, why, hint) => {
    const parsed = parseRule(text);
    expect(parsed.ok ? 'accepted' : parsed.why).toMatch(why);
    expect(parsed.ok ? 'accepted' : parsed.hint).toMatch(hint);
  });
});
