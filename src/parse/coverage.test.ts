import { describe, expect, test } from 'vitest';
import { MAX_COMMAND_LENGTH } from './limits.ts';
import { parse, tokenize } from './script.ts';

describe('a tree must account for every character', () => {
  test.each([
    'ls (',
    'ls ;; rm x',
    'a; }',
    '(a',
    'a)',
    '{ a }',
    "echo 'a",
    'for',
    'f() ls',
    'a=($(c0))1',
    'a b\\ <(c)',
    'a \\;>(c)',
    'done',
    'a | | b',
    '&& a',
    'a && ',
    'x="$(<<\'E\')"; y\n',
    'echo "$\\\nz"',
    'echo "$a\\\nb"',
    'echo "$\\\n{a[$(rm x)]}"',
    'echo "$\\\n\\\nz"',
    'cat <<E\n$a\\\nb\nE',
  ])('%s is refused', (text) => {
    expect(parse(text).problem?.id).toBe('syntax');
  });

  test.each([
    'if a;then b;fi >f',
    'f(){ a;};f',
    'for ((i=0;i<3;i++)); do c; done',
    'case x in a|b) c;; (d) e;; esac',
    'cat <<A|sort\nx $(ls)\nA\nrm y',
    'cat <<A <<B; rm z\na\nA\nb\nB\nls',
    '$(cat <<A\nx\nA\n)',
    'coproc X { a; }',
    'time -p ls|wc',
    'a\\\n b',
    'a # c\nb #x',
    '[[ a == b && ( -f c || ! d ) ]] && e',
    'function f() (a)',
    'for i in x; { a; }',
    'a=([1]=x [2]=y)',
    '`a \\`b\\``',
    'cat <<-A\n\tx\n\tA\nls',
    'a &&\n# c\nb',
    'echo {a,b}"c"$x',
    'a() { :; } >f',
    'rm>f x',
    'ls \\',
    '#x',
    'cat <<A\nfoo',
  ])('%s is read', (text) => {
    expect(parse(text).problem).toBeNull();
  });
});

test.each([
  ['a=(1 2', 'unterminated array', 1],
  ['declare -a b+=(1', 'unterminated array', 13],
  ['echo !(a', 'unterminated extended glob', 5],
])('%s: %s', (text, message, pos) => {
  expect(parse(text).problem).toEqual({ id: 'syntax', message, pos });
});

describe('bounds', () => {
  test('length, NUL and depth are refused before parsing', () => {
    expect(parse('a'.repeat(MAX_COMMAND_LENGTH + 1)).problem?.id).toBe('too-long');
    expect(parse('a\0b').problem?.id).toBe('nul');
    expect(parse('$('.repeat(2000)).problem?.id).toBe('too-deep');
    expect(parse('"$('.repeat(2000)).problem?.id).toBe('too-deep');
    expect(parse('{a,'.repeat(2000)).problem?.id).toBe('too-deep');
    expect(parse('f()'.repeat(3000)).problem).not.toBeNull();
  });

  test('twenty levels are fine', () => {
    expect(parse(`${'$('.repeat(20)}ls${')'.repeat(20)}`).problem).toBeNull();
  });
});

test('tokens come in order and cover words, operators and comments', () => {
  const tokens = tokenize('a=1 ls -l "x y" > f && cat <<E | wc # c\nbody\nE\n');
  expect(tokens.map(({ kind, text }) => `${kind} ${text}`)).toEqual([
    'assignment a=1',
    'word ls',
    'word -l',
    'word "x y"',
    'redirect > f',
    'syntax &&',
    'word cat',
    'redirect <<E',
    'syntax |',
    'word wc',
    'comment # c',
    'heredoc-body body\nE',
  ]);
});
