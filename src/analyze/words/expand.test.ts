import { spawnSync } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import { analyze } from '../analyze.ts';

const HOME = '/home/u';

/** The words that real bash passes to a function. */
function bashWords(setup: string, words: string): readonly string[] {
  const script = `show() { printf '%s\\0' "$#" "$@"; }; ${setup}show ${words}`;
  const { stdout } = spawnSync('/bin/bash', ['--norc', '--noprofile', '-c', script], {
    encoding: 'utf8',
    env: { PATH: '/usr/bin:/bin', HOME, LC_ALL: 'C.UTF-8' },
    cwd: '/',
  });
  return stdout.split('\0').slice(1, -1);
}

function ourWords(setup: string, words: string): readonly (string | null)[] {
  const facts = analyze(`${setup}show ${words}`, { cwd: '/', variables: { HOME } });
  expect(facts.reasons).toEqual([]);
  return facts.commands.find((command) => command.argv[0] === 'show')?.argv.slice(1) ?? [];
}

describe('words are what bash makes of them', () => {
  test.each([
    ['', `a 'b c' "d e" f\\ g`],
    ['', `a''b "" '' c""`],
    ['', `$'a\\tb' $'\\x41\\102\\u0043' $'it\\'s' $'a\\0b'`],
    ['', `a\\\nb "c\\\nd" 'e\\\nf'`],
    ['', `"\\$x" "\\a" "\\"" \\" '"' "'"`],
    ['', `\\# a#b "#"`],
    ['', `~ ~/x "~" '~' \\~ a~ ~"" x=~ x=a:~ x:~ ~/"a b"`],
    ['', `{a,b}c {1..3} {c..a} {01..3} {a,{b,c}} {a} {} a{,b} "{a,b}" {a,'b c'} {a,b`],
    ['x=1; ', `$x "$x" \${x} $x$x "a\${x}b" '$x' \\$x`],
    ['x="a b"; ', `$x "$x" $x"$x" "$x"$x`],
    ['x=" a  b "; ', `$x c$x $x"d" "$x"`],
    ['x=; ', `$x "$x" a$x ""$x $x""`],
    ['set -- a "b c"; ', `"$@" $2 "$2" "x$@y" "$*"`],
    ['set -- a b c; shift; ', '$1 "$@"'],
    ['a=(x "y z"); ', '"${a[@]}" ${a[1]} "${a[0]}" $a "${a[*]}"'],
    ['a=(x); a+=(y z); ', '"${a[@]}"'],
    ['x=a; x+=b; ', '$x'],
    ['x=a y=$x; ', '$y'],
    ['unset x; ', '"${x:-d}" "${x-e}"'],
    ['x=v; ', '"${x:-d}" ${x:-d} "${x-}"'],
    ['x=rm; ', '$x"" ""$x'],
    ['for i in a b; do x=$i; done; ', '"$i"'],
    ['f() { x=$1; }; f q; ', '$x'],
    ['x="{a,b}"; ', '"$x"'],
    ['x=~; ', '"$x"'],
    ['x=a:~/b; ', '"$x"'],
  ])('%s show %s', (setup, words) => {
    expect(ourWords(setup, words)).toEqual(bashWords(setup, words));
  });
});

describe('unknown values are null', () => {
  test.each([
    '$x',
    '"$x"',
    '$(ls)',
    '`ls`',
    '$((1+1))',
    '*.c',
    '[ab]',
    '${x%.c}',
    '${#x}',
    '"a$x"',
    '<(ls)',
    '$RANDOM',
    '$?',
    '~root',
    '$-',
  ])('%s', (word) => {
    expect(ourWords('', word)).toEqual([null]);
  });

  test.each([
    ['read x; ', '$x'],
    ['x=a; [ -f f ] && x=b; ', '$x'],
    ['x=a; while ls; do x=b; done; ', '$x'],
    ['x=a; if ls; then x=b; fi; ', '$x'],
    ['IFS=,; x=a; ', '$x'],
    ['x=a; f() { local x=b; }; f; ', '$x'],
    ['readonly x=a; x=b; ', '$x'],
    ['declare -u x=a; ', '$x'],
  ])('%s show %s', (setup, word) => {
    expect(ourWords(setup, word)).toEqual([null]);
  });
});

test('a value that doubles does not grow without limit', () => {
  const facts = analyze(`a=xxxxxxxx;${'a=$a$a;'.repeat(100)}echo $a`);
  expect(facts.commands.at(-1)?.argv).toEqual(['echo', null]);
});
