import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseAwkProgram } from './awk-program.ts';

const NONE = {
  reads: [],
  writes: [],
  executes: [],
  pipesTo: [],
  network: [],
  environment: false,
  loads: [],
  readsUnknown: false,
};

describe('programs without any effect', () => {
  test.each([
    '',
    '{print $1}',
    '$3 > 100 {print $1}',
    '{ if ($1 > $2) print $1; else print $2 }',
    '{ print ($1 > $2) }',
    '{ print($1 > 2, $2) }',
    '{ print a[$1 > 2] }',
    '{ print; x = $1 > 2 }',
    '{ print\nx = $1 > 2 }',
    '{ print $1 } $2 > 5',
    '{ print $1 >= 5 }',
    'NR>1 && !seen[$0]++',
    '{ x = $1 / 2; y = x++ / 3; z = a[1] / (x) / 2 } /a > b/ { print "x" }',
    '{ n += /re/ + /x>"y/ } END { print n / 2 }',
    '$0 ~ /[/]"/ { print }',
    '/[^]/"]/ || /[[:alpha:]/"]/ || /\\/"/',
    '{ gsub(/"/, "\\""); print "a > b | c" }',
    '{ print } # > "out" | "sh" system("id")',
    '{ print > "/dev/stderr"; print > "/dev/stdout" }',
    'BEGIN { getline; getline x; getline a[1]; getline $2; if ((getline y) > 0) print y }',
    '{ while ((getline < "-") > 0) n++ }',
    'BEGIN { print ENVIRON["HOME"], ENVIRON["LC_ALL"] }',
    'FILENAME == ARGV[1] { print ARGV[2], ARGC; for (i in ARGV) n++; delete ARGV[1] }',
    'BEGIN { print PROCINFO["pid"]; PROCINFO["sorted_in"] = "@ind_str_asc" }',
    '@namespace "x"\n$1 ~ @/re/',
    'function f(a, b) { return a > b }\n{ print f($1,\n  $2) }',
    'BEGIN { switch (x) { case /a>"b/: print "c"; break; default: print } }',
    '{ printf("%s\\n", $1 > 3 ? "a" : "b") }',
    'BEGIN { x = 1 \\\n + 2; s = "a \\\n b" }',
    '{ do { x-- } while (x > 3); for (;;) break }',
    'BEGIN { systems = 1; x["system"] = 2 }',
  ])('%j', (source) => {
    expect(parseAwkProgram(source)).toEqual({ effects: NONE, error: null });
  });
});

describe('effects', () => {
  test.each([
    ['{print > "out"}', { writes: ['out'] }],
    ['{print>"out"}', { writes: ['out'] }],
    ['{print $1 >> "out";}', { writes: ['out'] }],
    ['{ printf("%s", $1) > ("out") }', { writes: ['out'] }],
    ['{ print(1)(2) > "out" }', { writes: ['out'] }],
    ['{ print (1 > 2) > "out" }', { writes: ['out'] }],
    ['{ print 1,\n\n 2 > "out" }', { writes: ['out'] }],
    ['{ print 1 &&\n 2 > "out" }', { writes: ['out'] }],
    ['{ print 1 ? 2 :\n 3 > "out" }', { writes: ['out'] }],
    ['{ print \\\n > "out" }', { writes: ['out'] }],
    ['{ if (1) print 2; else print 3 > "out" }', { writes: ['out'] }],
    ['{ print $1 > 5 }', { writes: ['5'] }],
    ['{ print > $1 }', { writes: [null] }],
    ['{ print > "a" "b" }', { writes: [null] }],
    ['{ print > ("a" $1) }', { writes: [null] }],
    ['{ print > x ? "a" : "b" }', { writes: [null] }],
    ['{ print > "a\\x41" }', { writes: [null] }],
    ['{ x = $1 / 2; print "a/b" > "out" }', { writes: ['out'] }],
    ['{ print x++ / 2 > "out" / 1 }', { writes: [null] }],
    ['{ print length() / 2 > "o/p" }', { writes: ['o/p'] }],
    ['{ print > "/dev/stdin"; print >> "/dev/fd/2" }', { writes: ['/dev/stdin', '/dev/fd/2'] }],
    ['{ print > "/inet/tcp/0/h/80" }', { network: ['/inet/tcp/0/h/80'] }],
    ['BEGIN { system("id") }', { executes: ['id'] }],
    ['BEGIN { x = system ("rm \\"x\\"\\n") }', { executes: ['rm "x"\n'] }],
    ['BEGIN { awk::system("id") }', { executes: ['id'] }],
    ['{ system("rm " $1) }', { executes: [null] }],
    ['{ system(("id")) }', { executes: [null] }],
    ['{ system("\\162m") }', { executes: [null] }],
    ['BEGIN { "date" | getline }', { executes: ['date'] }],
    ['BEGIN { while (("ls" | getline f) > 0) print f }', { executes: ['ls'] }],
    ['{ if (x) "a" | getline; else ("b") | getline }', { executes: ['a', 'b'] }],
    ['{ x "a" | getline }', { executes: [null] }],
    ['{ cmd | getline x }', { executes: [null] }],
    ['{ print "a", "b" | getline }', { executes: [null] }],
    ['{ "c" |& getline }', { executes: ['c'] }],
    ['{ print | "sort" }', { pipesTo: ['sort'] }],
    ['{ print $1 |& "sort"; close("sort", "to") }', { pipesTo: ['sort'] }],
    ['{ print | "sort" " -n" }', { pipesTo: [null] }],
    ['{ print "x" |& "/inet/tcp/0/h/80" }', { network: ['/inet/tcp/0/h/80'] }],
    ['{ "/inet6/udp/0/h/53" |& getline }', { network: ['/inet6/udp/0/h/53'] }],
    ['{ getline x < "names" }', { reads: ['names'] }],
    ['{ while ((getline line[n++] < "names") > 0) n }', { reads: ['names'] }],
    ['{ getline $++i < "names" }', { reads: ['names'] }],
    ['{ getline < "a" ".txt" }', { reads: [null] }],
    ['{ getline < f }', { reads: [null] }],
    ['{ getline x < "/inet/tcp/0/h/80" }', { network: ['/inet/tcp/0/h/80'] }],
    ['{ for (k in ENVIRON) print ENVIRON[k] }', { environment: true }],
    ['{ print ENVIRON["TOKEN"] }', { environment: true }],
    ['{ print PROCINFO["environ"] }', { environment: true }],
    ['{ print SYMTAB["x"] }', { environment: true, readsUnknown: true }],
    ['BEGIN { ARGV[1] = "x" }', { readsUnknown: true }],
    ['BEGIN { ARGV[ARGC++] = "x" }', { readsUnknown: true }],
    ['BEGIN { split("a b", ARGV) }', { readsUnknown: true }],
    ['BEGIN { sub(/a/, "b", ARGV[1]) }', { readsUnknown: true }],
    ['BEGIN { "c" | getline ARGV[1] }', { executes: ['c'], readsUnknown: true }],
    ['@include "lib"\n@load "ext"', { loads: ['lib', 'ext'] }],
    ['BEGIN { f = "system"; @f("id") }', { executes: [null] }],
    ['BEGIN { @include(1) }', { executes: [null] }],
  ])('%j', (source, effects) => {
    expect(parseAwkProgram(source)).toEqual({ effects: { ...NONE, ...effects }, error: null });
  });
});

describe('not understood', () => {
  test.each([
    '{ print "a }',
    '{ print "a\nb" }',
    '/a',
    '/[/',
    '/a\nb/',
    '/[a[/]; system("id") #]/',
    '/[[:x]/ || "/ ]/; system("id") #"',
    '{ print (1 }',
    '{ print 1) }',
    '{ print ]',
    '{ x = 0x1system("id") }',
    '{ x = 1e }',
    '{ if (x) /a/ }',
    '{ print length / 2; system("id") / 2 }',
    '{ getline / 2 }',
    '{ ++/a/ }',
    '{ a & b }',
    '{ é = 1 }',
    '{ x = \\ }',
    '{ `id` }',
    "{ print 'x' }",
  ])('%j', (source) => {
    expect(parseAwkProgram(source).error).not.toBeNull();
  });
});

const hasAwk = spawnSync('awk', ['BEGIN { exit 0 }']).status === 0;

type Symbols = 'leaf' | 'expression' | 'redirect' | 'simple' | 'statement' | 'program';
const { program } = fc.letrec<Record<Symbols, string>>((tie) => ({
  leaf: fc.constantFrom(
    'x',
    '1',
    '"s"',
    '$1',
    'NR',
    '/re/',
    'a[1]',
    '$NF',
    '(1 > 0)',
    'x++ / 2',
    'a[1 > 0]',
    '/[^/]*$/',
    '/\\/"/',
    '"a\\"b"',
  ),
  expression: fc.oneof(
    { weight: 4, arbitrary: tie('leaf') },
    fc.constantFrom(
      'system("touch m1")',
      '("touch m2" | getline)',
      '"touch m3" | getline',
      '(getline l < "in")',
      'length() / 2',
    ),
    fc
      .tuple(
        tie('expression'),
        fc.constantFrom('+', '/', ' / ', ' > ', ' < ', '&&', ' ~ ', ' ', '^', ' ? 1 : '),
        tie('expression'),
      )
      .map((parts) => parts.join('')),
    tie('expression').map((inner) => `(${inner})`),
  ),
  redirect: fc.constantFrom(
    '',
    '',
    ' > "o1"',
    '>"o2"',
    ' >> "o3"',
    ' | "touch m4"',
    ' | "cat > o4"',
    ' > ("o5")',
    ' > 3',
  ),
  simple: fc.oneof(
    fc
      .tuple(fc.constantFrom('print ', 'printf "%s", ', 'print 1,\n '), tie('expression'), tie('redirect'))
      .map((parts) => parts.join('')),
    fc.tuple(tie('expression'), tie('redirect')).map(([inner, to]) => `print(${inner})${to}`),
    tie('expression'),
    fc.constantFrom('print', 'print > "o6"', 'print 1 # > "o7"\n', 'x > 5', 'delete a'),
  ),
  statement: fc.oneof(
    { weight: 4, arbitrary: tie('simple') },
    fc.tuple(tie('expression'), tie('statement')).map(([condition, then]) => `if (${condition}) ${then}`),
    fc
      .tuple(tie('expression'), tie('statement'), tie('statement'))
      .map(([condition, a, b]) => `if (${condition}) ${a}; else ${b}`),
    tie('statement').map((inner) => `{ ${inner} }`),
  ),
  program: fc
    .tuple(
      fc.constantFrom('BEGIN ', '', 'END ', '$1 > 0 ', '/re/, /x/ '),
      fc.array(tie('statement'), { minLength: 1, maxLength: 3 }),
      fc.constantFrom('; ', '\n', ' ;\n'),
    )
    .map(([pattern, statements, separator]) => `${pattern}{ ${statements.join(separator)} }`),
}));

describe.skipIf(!hasAwk)('awk (the machine has none)', () => {
  test('every file that a random program creates was predicted', { timeout: 60_000 }, () => {
    const folder = mkdtempSync(join(tmpdir(), 'awk-program-'));
    try {
      fc.assert(
        fc.property(program, (source) => {
          const { effects, error } = parseAwkProgram(source);
          if (error !== null) return;
          spawnSync('awk', [source], { cwd: folder, input: 're a b\nx 1 2\n', timeout: 1000 });
          const texts = [...effects.executes, ...effects.pipesTo];
          for (const made of readdirSync(folder)) {
            rmSync(join(folder, made));
            const isPredicted =
              effects.writes.includes(made) ||
              [...effects.writes, ...texts].includes(null) ||
              texts.some((text) => text?.includes(made));
            expect(isPredicted, `${made} by ${JSON.stringify(source)}`).toBe(true);
          }
        }),
        { numRuns: 300, seed: 7 },
      );
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
