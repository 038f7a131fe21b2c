import { describe, expect, test } from 'vitest';
import { isEndlessAwk, isEndlessCalculation, isEndlessJq, isEndlessSed, keepsInputInAwk } from './programs.ts';

describe('awk programs that never end', () => {
  test.each([
    ['BEGIN{while(1);}', true],
    ['BEGIN { for (;;) print 1 }', true],
    ['BEGIN { while ("x") n++ }', true],
    ['BEGIN { do { print } while (1 == 1) }', true],
    ['BEGIN { while (i < 10) print i }', true],
    ['BEGIN { for (i = 0; j < 3; i++) print }', true],
    ['function f(x) { f(x) } BEGIN { f(1) }', true],
    ['BEGIN { while (i < 10) print i++ }', false],
    ['BEGIN { while (i++ < 10) print i }', false],
    ['BEGIN { for (i = 0; i < 3; i++) print i }', false],
    ['{ for (k in a) print k }', false],
    ['BEGIN { while (("ls" | getline x) > 0) print x }', false],
    ['{ while (match($0, /x/)) sub(/x/, "y") }', false],
    ['{ s = $0; while (sub(/x/, "", s)) n++ } END { print n }', false],
    ['BEGIN { while (1) { if (n++ > 3) break } }', false],
    ['BEGIN { while (0) print }', false],
    ['{ print "while(1)" }', false],
    ['function f(n) { if (n > 0) f(n - 1) } BEGIN { f(3) }', false],
  ])('%s → %s', (text, expected) => {
    expect(isEndlessAwk(text)).toBe(expected);
  });
});

describe('awk programs that keep their input', () => {
  test.each([
    ['{ x = x $0 }', true],
    ['{ a[NR] = $0 }', true],
    ['{ n++ }', true],
    ['END { print NR }', true],
    ['{ print }', false],
    ['{ print $1 }', false],
    ['/x/', false],
    ['{ $1 = "" } 1', false],
    ['{ n++; print n }', false],
  ])('%s → %s', (text, expected) => {
    expect(keepsInputInAwk(text)).toBe(expected);
  });
});

describe('jq programs that never end', () => {
  test.each([
    ['range(infinite)', true],
    ['[repeat(1)]', true],
    ['def f: f; f', true],
    ['[while(true; .)]', true],
    ['0 | until(false; . + 1)', true],
    ['[recurse(. + 1)]', true],
    ['limit(3; repeat(1))', false],
    ['first(range(infinite))', false],
    ['.[] | recurse', false],
    ['recurse(.children[])', false],
    ['[while(. < 10; . + 1)]', false],
    ['def f: .a; f', false],
    ['def f: if . > 3 then . else . + 1 | f end; f', false],
    ['"repeat(1)"', false],
  ])('%s → %s', (text, expected) => {
    expect(isEndlessJq(text)).toBe(expected);
  });
});

describe('sed scripts that never end', () => {
  test.each([
    [':a;ba', true],
    [':a;s/x/y/;ba', true],
    [':a;s/^/x/;ta', true],
    [':a;s/$/x/;ta', true],
    [':a\ns/x/y/\nb a', true],
    [':a;N;ba', false],
    [':a;N;$!ba;s/\\n/ /g', false],
    [':a;s/\\B[0-9]\\{3\\}\\>/,&/;ta', false],
    [':a;/x/{N;ba}', false],
    [':a;$q;N;ba', false],
    ['s/:a;ba//', false],
  ])('%s → %s', (text, expected) => {
    expect(isEndlessSed(text)).toBe(expected);
  });
});

describe('calculations that never end', () => {
  test.each([
    ['bc', 'while(1){}', true],
    ['bc', 'for(;;) 1', true],
    ['bc', '9^9^9', true],
    ['bc', '10^999999999', true],
    ['bc', 'scale=99999999; 1/3', true],
    ['dc', '[lax]sa lax', true],
    ['bc', '2^1000', false],
    ['bc', 'scale=2; 10/3', false],
    ['bc', 'for (i = 0; i < 3; i++) i', false],
    ['bc', 'while (i++ < 3) i', false],
    ['dc', '1 2 + p', false],
  ])('%s: %s → %s', (name, text, expected) => {
    expect(isEndlessCalculation(name, text)).toBe(expected);
  });
});
