import { spawnSync } from 'node:child_process';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { previewSedEdit } from './sed-edit.ts';

const isGnuSed = spawnSync('sed', ['--version'], { encoding: 'utf8' }).stdout?.includes('GNU sed') ?? false;

function runSed(script: string, extended: boolean, content: string): string {
  const result = spawnSync('sed', [...(extended ? ['-E'] : []), '-s', '-e', script], {
    input: content,
    encoding: 'utf8',
    env: { ...process.env, LC_ALL: 'C.UTF-8' },
    timeout: 5000,
  });
  if (result.status !== 0) throw new Error(`sed: ${result.stderr}`);
  return result.stdout;
}

const TEXT = 'foo bar\n  foo=1\n# note\n\nBar: a-b-c\nend, foo.\n';

/** Script, its result for TEXT, and `E` for extended expressions. */
const EXACT: readonly (readonly [string, string, string?])[] = [
  ['s/foo/baz/', 'baz bar\n  baz=1\n# note\n\nBar: a-b-c\nend, baz.\n'],
  ['s/o/0/g', 'f00 bar\n  f00=1\n# n0te\n\nBar: a-b-c\nend, f00.\n'],
  ['s/o/0/2', 'fo0 bar\n  fo0=1\n# note\n\nBar: a-b-c\nend, fo0.\n'],
  ['s/-/+/2g', 'foo bar\n  foo=1\n# note\n\nBar: a-b+c\nend, foo.\n'],
  ['s/bar/X/I', 'foo X\n  foo=1\n# note\n\nX: a-b-c\nend, foo.\n'],
  ['s/^ *//;/^$/d', 'foo bar\nfoo=1\n# note\nBar: a-b-c\nend, foo.\n'],
  ['/^#/d', 'foo bar\n  foo=1\n\nBar: a-b-c\nend, foo.\n'],
  ['2,3d', 'foo bar\n\nBar: a-b-c\nend, foo.\n'],
  ['2,$d', 'foo bar\n'],
  ['/foo=/,/^$/d', 'foo bar\nBar: a-b-c\nend, foo.\n'],
  ['/note/!d', '# note\n'],
  ['0~2d', 'foo bar\n# note\nBar: a-b-c\n'],
  ['$d;1p', 'foo bar\nfoo bar\n  foo=1\n# note\n\nBar: a-b-c\n'],
  ['3q', 'foo bar\n  foo=1\n# note\n'],
  ['3Q', 'foo bar\n  foo=1\n'],
  ['1i\\\ntop', 'top\nfoo bar\n  foo=1\n# note\n\nBar: a-b-c\nend, foo.\n'],
  ['1a\\  in\\ndented', 'foo bar\n  in\ndented\n  foo=1\n# note\n\nBar: a-b-c\nend, foo.\n'],
  ['/note/c changed', 'foo bar\n  foo=1\nchanged\n\nBar: a-b-c\nend, foo.\n'],
  ['2,4c once', 'foo bar\nonce\nBar: a-b-c\nend, foo.\n'],
  ['$a last', `${TEXT}last\n`],
  ['y/abc/xyz/', 'foo yxr\n  foo=1\n# note\n\nBxr: x-y-z\nend, foo.\n'],
  ['/foo/{s//X/;s/bar/Y/}', 'X Y\n  X=1\n# note\n\nBar: a-b-c\nend, X.\n'],
  ['s/\\(foo\\).*\\(.\\)$/\\2\\1/', 'rfoo\n  1foo\n# note\n\nBar: a-b-c\nend, .foo\n'],
  ['s/(f)(o+)/\\2\\1/', 'oof bar\n  oof=1\n# note\n\nBar: a-b-c\nend, oof.\n', 'E'],
  ['s/(.*)-(.*)/[\\1|\\2]/', 'foo bar\n  foo=1\n# note\n\n[Bar: a-b|c]\nend, foo.\n', 'E'],
  ['s/(foo|bar|end)/<&>/g', '<foo> <bar>\n  <foo>=1\n# note\n\nBar: a-b-c\n<end>, <foo>.\n', 'E'],
  ['s/a|a-b|a-b-c/X/', 'foo bXr\n  foo=1\n# note\n\nBXr: a-b-c\nend, foo.\n', 'E'],
  ['s/fo\\{2\\}\\b/X/;s/no\\+te\\?/Y/', 'X bar\n  X=1\n# Y\n\nBar: a-b-c\nend, X.\n'],
  ['s/\\<./\\u&/g', 'Foo Bar\n  Foo=1\n# Note\n\nBar: A-B-C\nEnd, Foo.\n'],
  ['s/\\w\\+/\\U&/2;s/B\\w*/\\L&\\E!/', 'foo bar!\n  foo=1\n# note\n\nbar!: A-b-c\nend, FOO.\n'],
  ['s/[[:space:]]/_/g', 'foo_bar\n__foo=1\n#_note\n\nBar:_a-b-c\nend,_foo.\n'],
  ['s/[^a-z]//g', 'foobar\nfoo\nnote\n\narabc\nendfoo\n'],
  ['s/x*/-/g;3,$d', '-f-o-o- -b-a-r-\n- - -f-o-o-=-1-\n'],
  ['s/a*\\(b*\\)/[\\1]/2;2,$d', 'f[]oo bar\n'],
  ['s/$/;/;s/^/> /', '> foo bar;\n>   foo=1;\n> # note;\n> ;\n> Bar: a-b-c;\n> end, foo.;\n'],
  ['s/ /\\\n/;s/ /\\n/', 'foo\nbar\n\n\nfoo=1\n#\nnote\n\nBar:\na-b-c\nend,\nfoo.\n'],
  ['s/a^b\\|a$b\\|*x/X/;s/=\\x31/\\x26/', 'foo bar\n  foo&\n# note\n\nBar: a-b-c\nend, foo.\n'],
  ['s|/|\\||;s,a\\,b,X,;s/\\./\\&/', 'foo bar\n  foo=1\n# note\n\nBar: a-b-c\nend, foo&\n'],
  ['N;s/\\n/+/;P;D', 'foo bar+  foo=1\n# note+\nBar: a-b-c+end, foo.\n'],
  [':a;N;$!ba;s/\\n/,/g', 'foo bar,  foo=1,# note,,Bar: a-b-c,end, foo.\n'],
  ['1!G;h;$!d', 'end, foo.\nBar: a-b-c\n\n# note\n  foo=1\nfoo bar\n'],
  ['#n\n/foo/p', 'foo bar\n  foo=1\nend, foo.\n'],
  ['=;n;d', '1\nfoo bar\n3\n# note\n5\nBar: a-b-c\n'],
  ['2,1d', 'foo bar\n# note\n\nBar: a-b-c\nend, foo.\n'],
  ['0,/foo/d', '  foo=1\n# note\n\nBar: a-b-c\nend, foo.\n'],
  ['/foo/,+1d', '# note\n\nBar: a-b-c\n'],
  ['s/foo/x/;ta;d;:a', 'x bar\n  x=1\nend, x.\n'],
];

describe('exact previews', () => {
  test.each(EXACT.map(([script, content, mode]) => ({ script, content, mode })))(
    '$script',
    ({ script, content, mode }) => {
      const preview = previewSedEdit(TEXT, { script, extended: mode === 'E' });
      expect(preview).toMatchObject({ ok: true, content });
      if (isGnuSed) expect(runSed(script, mode === 'E', TEXT)).toBe(content);
    },
  );

  test('a missing newline at the end stays missing, unless something is appended', () => {
    const last = (script: string) => previewSedEdit('a\nb', { script, extended: false });
    expect(last('s/b/c/')).toMatchObject({ content: 'a\nc' });
    expect(last('$a c')).toMatchObject({ content: 'a\nb\nc\n' });
    expect(last('$a\\')).toMatchObject({ content: 'a\nb\n' });
    expect(last('$p')).toMatchObject({ content: 'a\nb\nb' });
    expect(last('$d')).toMatchObject({ content: 'a\n' });
    expect(previewSedEdit('', { script: '$a x', extended: false })).toEqual({ ok: true, content: '', diff: '' });
  });

  test('characters beyond ASCII', () => {
    const preview = previewSedEdit('naïve — 😀x\n', { script: 's/ï/i/;s/.x$/[&]/;s/[—]/-/', extended: false });
    expect(preview).toMatchObject({ ok: true, content: 'naive - [😀x]\n' });
  });

  test('the diff is unified', () => {
    const preview = previewSedEdit('1\n2\n3\n4\n5\n6\n7\n8\n9', { script: '2s/$/!/;$d', extended: false });
    expect(preview).toMatchObject({
      diff: '--- before\n+++ after\n@@ -1,9 +1,8 @@\n 1\n-2\n+2!\n 3\n 4\n 5\n 6\n 7\n 8\n-9\n\\ No newline at end of file\n',
    });
  });
});

describe('refuses uncertain scripts', () => {
  test.each([
    ['s/\\(a\\)\\1/x/', 'back-reference', ''],
    ['s/a**/x/', 'quantifier', ''],
    ['s/(a|ab)(c|bcd)(d*)/\\1/', 'more than one way', 'E'],
    ['s/(a*)*b/\\1/', 'repeated group', 'E'],
    ['s/(^a)*/x/', 'anchor is repeated', 'E'],
    ['s/[A-z]/x/', 'range', ''],
    ['s/[[.a.]]/x/', 'collating', ''],
    ['s/[[:foo:]]/x/', 'class', ''],
    ['s/[:space:]/x/', 'class', ''],
    ['s/a/\\2/', 'group', ''],
    ['s/a/\\u\\L&/', '\\L', ''],
    ['s|a\\|b|x|', 'delimiter', ''],
    ['s/\\w/x/5', 'locale', ''],
    ['s/b*/x/g', 'empty match', ''],
    ['s/./\\U&/g', 'case', ''],
    ['s/a/b/w out', 's with e or w', ''],
    ['s/a/b/e', 's with e or w', ''],
    ['1r other', 'command r', ''],
    ['e id', 'command e', ''],
    ['l', 'command l', ''],
    ['s/a/b/M', 'M flag', ''],
    ['2,~4d', '~N', ''],
    ['s//x/', 'no previous', ''],
    ['s/a/b', 'not understood', ''],
    ['#nothing\np', '#n', ''],
    [':a;ba', 'too much work', ''],
    [':a;s/^/x/;ta', 'too much work', ''],
    ['y/aa/bc/', 'twice', ''],
    ['$q', 'no newline', ''],
    ['x', 'hold space', ''],
  ])('%j: %s', (script, why, mode) => {
    const preview = previewSedEdit('abcd é\nmore', { script, extended: mode === 'E' });
    expect(preview).toMatchObject({ ok: false, why: expect.stringContaining(why) });
  });

  test.each(['a\0b', 'a\ufffdb', 'a\ud800b'])('content %j', (content) => {
    expect(previewSedEdit(content, { script: 's/a/b/', extended: false }).ok).toBe(false);
  });

  test('a pattern with catastrophic backtracking in other engines finishes', () => {
    const preview = previewSedEdit(`${'a'.repeat(5000)}\n`, { script: 's/(a*)*(a*)*(a*)*b/x/', extended: true });
    expect(preview.ok ? preview.diff : preview.why).toMatch(/^(|too much work.*)$/);
  });
});

type Symbols =
  | 'single'
  | 'group'
  | 'atom'
  | 'quantifier'
  | 'branch'
  | 'regex'
  | 'replacement'
  | 'substitution'
  | 'point'
  | 'address'
  | 'action'
  | 'script';

describe.skipIf(!isGnuSed)('GNU sed (the machine has another one)', () => {
  const { regex, replacement, script } = fc.letrec<Record<Symbols, string>>((tie) => ({
    single: fc.oneof(
      { weight: 6, arbitrary: fc.constantFrom('a', 'b', 'c', 'A', ' ', '1', 'x', '_', '-') },
      { weight: 2, arbitrary: fc.constant('.') },
      fc.constantFrom(
        '[ab]',
        '[^a]',
        '[a-c]',
        '[0-9]',
        '[[:space:]]',
        '[[:upper:]b]',
        '[]a]',
        '[^]a]',
        '[a-]',
        '[/]',
        '[*]',
      ),
      fc.constantFrom('\\w', '\\s', '\\W', '\\.', '\\*', '\\n', '\\/', '\\x61', '\\b', '\\<', '\\>', '*', '^', '$'),
    ),
    group: fc.tuple(tie('regex')).map(([inner]) => `\\(${inner}\\)`),
    atom: fc.oneof({ weight: 5, arbitrary: tie('single') }, { weight: 1, arbitrary: tie('group') }),
    quantifier: fc.constantFrom('', '', '', '*', '\\+', '\\?', '\\{2\\}', '\\{1,2\\}', '\\{0,2\\}'),
    branch: fc
      .array(fc.tuple(tie('atom'), tie('quantifier')), { minLength: 1, maxLength: 4 })
      .map((parts) => parts.flat().join('')),
    regex: fc.oneof(
      { weight: 4, arbitrary: tie('branch') },
      { weight: 1, arbitrary: fc.tuple(tie('branch'), tie('branch')).map(([a, b]) => `${a}\\|${b}`) },
    ),
    replacement: fc
      .array(fc.constantFrom('X', 'y', '&', '\\1', '\\2', '\\n', '\\t', '\\U', '\\L', '\\E', '\\u', '\\&', '\\\n'), {
        maxLength: 3,
      })
      .map((parts) => parts.join('')),
    substitution: fc
      .tuple(tie('regex'), tie('replacement'), fc.constantFrom('', '', 'g', '2', 'I', 'p', '2g'))
      .map(([from, to, flags]) => `s/${from}/${to}/${flags}`),
    point: fc.oneof(
      fc.constantFrom('1', '2', '3', '$', '/a/', '/b/I', '0~2', '/^$/'),
      tie('regex').map((each) => `/${each}/`),
    ),
    address: fc.oneof(
      fc.constantFrom('', '', '0,/a/', '1,2!', '2,+1'),
      tie('point'),
      fc.tuple(tie('point'), tie('point'), fc.constantFrom('', '!')).map(([a, b, not]) => `${a},${b}${not}`),
    ),
    action: fc.oneof(
      { weight: 4, arbitrary: tie('substitution') },
      fc.constantFrom(
        'd',
        'p',
        '=',
        'n',
        'N',
        'D',
        'P',
        'h',
        'H',
        'g',
        'G',
        'x',
        'z',
        'b',
        't',
        'T',
        'y/abx/bax/',
        's//Z/',
      ),
      fc.constantFrom('a foo\n', 'i\\\nfoo\\\nbar\n', 'c\\  x\\ty\n'),
      { weight: 1, arbitrary: fc.tuple(tie('script')).map(([inner]) => `{${inner}\n}`) },
    ),
    script: fc
      .array(fc.tuple(tie('address'), tie('action')), { minLength: 1, maxLength: 3 })
      .map((commands) => commands.map((parts) => parts.join('')).join('\n')),
  }));
  const line = fc.string({ unit: fc.constantFrom(...'abcAB 12.x_-é'), maxLength: 9 });
  const content = fc
    .tuple(fc.array(line, { maxLength: 6 }), fc.constantFrom('\n', '\n', ''))
    .map(([lines, end]) => (lines.length === 0 ? '' : lines.join('\n') + end));

  function agrees(text: string, source: string): void {
    const preview = previewSedEdit(text, { script: source, extended: false });
    if (preview.ok) expect(preview.content, JSON.stringify({ source, text })).toBe(runSed(source, false, text));
  }

  test('random scripts', { timeout: 60_000 }, () => {
    fc.assert(fc.property(content, script, agrees), { numRuns: 250, seed: 7 });
  });

  test('random substitutions with groups', { timeout: 60_000 }, () => {
    const grouped = fc.tuple(regex, regex, replacement).map(([a, b, to]) => `s/\\(${a}\\)\\(${b}\\)/[\\2|\\1]${to}/g`);
    fc.assert(fc.property(content, grouped, agrees), { numRuns: 250, seed: 7 });
  });
});
