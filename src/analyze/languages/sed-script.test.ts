import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseSedScript } from './sed-script.ts';

const NONE = { reads: [], writes: [], executes: [], executesPattern: false };

describe('scripts without any effect', () => {
  test.each([
    '',
    'p',
    '1,40p',
    '$!d',
    '/x/I,+3p',
    '2~3,~4{p;d}',
    '0,/x/s//y/',
    '1!{/a/!{p};d}',
    's/a/b/2gIMp',
    's,a\\,b,c,',
    's/[/w]/x/',
    's/[]/w]/x/;s/[^]/w]/x/;s/[[:alpha:]/w]/x/',
    's|\\|w|x|',
    's/a/w out/',
    's/a/b\\\nw out/',
    'y/abc/xyz/;y,a\\,,bc,',
    ':a;N;$!ba;s/\\n/ /g',
    ':a N;ta',
    'a w out',
    'a\\\nw out\\\ne id',
    'a\\\n  indented\nd',
    '1i\\  w out',
    '$c foo',
    '$a\\',
    '# w out\np',
    'p # w out',
    's/a/b/ # w out',
    '{p}',
    '{p;};d',
    '/a\\/w x/d',
    '\\,a/b,d',
    'w /dev/stdout',
    's/a/b/w /dev/stderr',
    'R /dev/stdin',
    'l 5;q5',
    'v 4.2',
    'z;F;=;x;g;G;h;H;n;N;D;P',
    's/w out/e id/;/e id/d',
  ])('%j', (script) => {
    const { effects, error } = parseSedScript(script);
    expect({ effects, error }).toEqual({ effects: NONE, error: null });
  });
});

describe('effects', () => {
  test.each([
    ['w out', { writes: ['out'] }],
    ['/x/ w out ; p', { writes: ['out ; p'] }],
    ['w out}', { writes: ['out}'] }],
    ['w /dev/stdin\ns/a/b/w /dev/stdin', { writes: ['/dev/stdin'] }],
    ['1{w a\n}\n$W b', { writes: ['a', 'b'] }],
    ['s/a/b/w out', { writes: ['out'] }],
    ['s/a/b/ g w out', { writes: ['out'] }],
    ['s/a/b/ew out', { writes: ['out'], executesPattern: true }],
    ['r in\nR list', { reads: ['in', 'list'] }],
    ['0r in', { reads: ['in'] }],
    ['e', { executesPattern: true }],
    ['e\\', { executesPattern: true }],
    ['1e\np', { executesPattern: true }],
    ['s/a/b/e', { executesPattern: true }],
    ['s/a/b/ge # x', { executesPattern: true }],
    ['e id', { executes: ['id'] }],
    ['1 e exec sh 1>&0', { executes: ['exec sh 1>&0'] }],
    ['e touch a;p }', { executes: ['touch a;p }'] }],
    ['e echo \\x41\\\nid', { executes: ['echo A\nid'] }],
    ['e\\\nid', { executes: ['id'] }],
    ['bx w out\n:x', { writes: ['out'] }],
    ['a text\nw out', { writes: ['out'] }],
    ['a\\\ntext\nw out', { writes: ['out'] }],
    [':a\nw out\nba', { writes: ['out'] }],
    ['s/[\\/]/x/w out', { writes: ['out'] }],
    ['/[/]w a/w out', { writes: ['out'] }],
    ['sxaxbxw out', { writes: ['out'] }],
    ['$!{s/a/b/\nw out\n}', { writes: ['out'] }],
    ['v 4.2 w out', { writes: ['out'] }],
    ['y/w/e/;w out', { writes: ['out'] }],
  ])('%j', (script, effects) => {
    const parsed = parseSedScript(script);
    expect({ effects: parsed.effects, error: parsed.error }).toEqual({ effects: { ...NONE, ...effects }, error: null });
  });
});

describe('not understood', () => {
  test.each([
    's/a/b',
    's/a/b/k',
    's/a/b/gg',
    's/a/b/0',
    's/a\nb/c/',
    's/[/]/x',
    's/[[:alpha/]/x/',
    's\\a\\b\\',
    'séaébé',
    'sxaxb\\',
    'y/abc/xy/',
    'p d',
    'k',
    '1',
    '1,p',
    '+1p',
    '0p',
    '1,2q',
    '{p',
    'p}',
    '1}',
    'ba',
    ':',
    ':a;:a',
    '1:a',
    ':a# w out',
    'a',
    'a\\\\',
    'a foo\\',
    'a\\\\\nw out',
    'a x\\c0',
    'w',
    'r ',
    '1!!p',
    '//I p',
    'e echo \\xff',
  ])('%j', (script) => {
    expect(parseSedScript(script).error).not.toBeNull();
  });
});

test('commands carry their addresses and parts', () => {
  const { commands, quiet } = parseSedScript('#n\n2,/x\\,/I!{s,a\\,b,[&],3gp\n}\n$a\\\n hi');
  const regex = { multiline: false };
  expect(quiet).toBe(true);
  expect(commands).toEqual([
    {
      name: '{',
      end: 2,
      first: { kind: 'line', line: 2 },
      second: { kind: 'regex', regex: { ...regex, source: 'x\\,', ignoreCase: true, escapedDelimiter: null } },
      negated: true,
    },
    {
      name: 's',
      regex: { ...regex, source: 'a,b', ignoreCase: false, escapedDelimiter: ',' },
      replacement: '[&]',
      global: true,
      print: true,
      evaluate: false,
      occurrence: 3,
      file: null,
      first: null,
      second: null,
      negated: false,
    },
    { name: '}', first: null, second: null, negated: false },
    { name: 'a', text: ' hi\n', first: { kind: 'last' }, second: null, negated: false },
  ]);
});

const isGnuSed = spawnSync('sed', ['--version'], { encoding: 'utf8' }).stdout?.includes('GNU sed') ?? false;

const PIECES = [
  ...['w o1', 'w o2\n', 'e touch m1', 'e touch m2\n', 's/a/b/w o3\n', 's/a/b/', 's/.*/touch m3/e', 's/a/touch m4/;'],
  ...[
    's,[,],x,',
    's/[/]w o4/x/',
    's|a\\|b|c|',
    'y/a/b/',
    'a foo',
    'a\\\n',
    'a\\',
    'i\\',
    'c ',
    'text',
    '\\\n',
    '\n',
    '\n',
  ],
  ...[
    ';',
    ';',
    '}',
    '{',
    '{',
    '#',
    '# w o5',
    'b',
    'ba',
    't x',
    ':a',
    ':a ',
    ':x',
    '1',
    '$',
    '/a/',
    '/a/I',
    '\\,a,',
    '1,2',
  ],
  ...[
    '2,+1',
    '0~2',
    '!',
    ' ',
    '\t',
    'p',
    'd',
    'n',
    'N',
    'q',
    'l',
    '=',
    'r in',
    'W o6\n',
    'v 4.2',
    'z',
    'x',
    'e\n',
    'e',
  ],
  ...['m', 'w', '\\', '/', '[', 's/x/\\\n/', '-'],
];

describe.skipIf(!isGnuSed)('GNU sed (the machine has another one)', () => {
  test('whatever file a random script makes was predicted', { timeout: 60_000 }, () => {
    const folder = mkdtempSync(join(tmpdir(), 'sed-script-'));
    const scripts = fc
      .tuple(
        fc.array(fc.constantFrom(...PIECES), { minLength: 1, maxLength: 7 }),
        fc.constantFrom('', '', ' ', '\n', ';'),
      )
      .map(([pieces, separator]) => pieces.join(separator));
    try {
      fc.assert(
        fc.property(scripts, (script) => {
          const { effects, error } = parseSedScript(script);
          if (error !== null) return;
          spawnSync('sed', ['-n', '-e', script], { cwd: folder, input: 'a\nab\ntouch m9\n', timeout: 1000 });
          for (const made of readdirSync(folder)) {
            rmSync(join(folder, made));
            const isPredicted =
              effects.executesPattern ||
              effects.writes.includes(made) ||
              effects.executes.some((text) => text.includes(made));
            expect(isPredicted, `${made} by ${JSON.stringify(script)}`).toBe(true);
          }
        }),
        { numRuns: 400, seed: 7 },
      );
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
