import { describe, expect, test } from 'vitest';
import { HardshellError } from '../core/errors.ts';
import type { Shell } from '../core/facts.ts';
import { MAX_COMMAND_LENGTH } from '../parse/limits.ts';
import { analyze } from './analyze.ts';

describe('arguments', () => {
  test('a command that is not a string is refused', () => {
    for (const value of [42, null, undefined, {}, ['ls']]) {
      expect(() => analyze(value as unknown as string)).toThrow(HardshellError);
    }
  });

  test('a relative folder and an unknown shell are refused', () => {
    expect(() => analyze('ls', { cwd: 'src' })).toThrow(/absolute/);
    expect(() => analyze('ls', { shell: 'fish' as Shell })).toThrow(/bash, sh, zsh/);
  });

  test('without a folder, paths are relative to it', () => {
    const { effects } = analyze('cd a && rm b ../c');
    expect(effects.deletes.map((effect) => effect.path)).toEqual(['a/b', 'c']);
  });
});

describe('bounds', () => {
  test('fifty commands are analyzed, more are not', () => {
    expect(analyze('true\n'.repeat(50)).status).toBe('understood');
    const more = analyze('true\n'.repeat(51));
    expect(more.reasons.map((reason) => reason.id)).toEqual(['too-many-commands']);
    expect(more.commands).toHaveLength(51);
    expect(more.readOnly).toBe(false);
  });

  test('a loop that is followed item by item counts once', () => {
    const facts = analyze('for i in 1 2 3 4 5 6 7 8 9 10; do a; b; c; d; e; f; done');
    expect(facts.commands).toHaveLength(60);
    expect(facts.reasons).toEqual([]);
  });

  test('eight levels are followed, more are not', () => {
    const nest = (depth: number) => `${'env '.repeat(depth)}ls`;
    expect(analyze(nest(8)).status).toBe('understood');
    expect(analyze(nest(9)).reasons.map((reason) => reason.id)).toEqual(['too-deep']);
  });

  test.each([
    '',
    ' ',
    '\n',
    '\0',
    "'",
    '$(',
    '`',
    '{',
    '((',
    '[[',
    '&',
    '|',
    ';',
    '>',
    '\u202e',
    'a'.repeat(MAX_COMMAND_LENGTH + 1),
  ])('%j is cannot-tell', (text) => {
    expect(analyze(text)).toMatchObject({ status: 'cannot-tell', readOnly: false });
  });

  test.each(['#', '\\', '<<E', '!', '\ud800', '\udc00x', '~', '*', '=', '-'])('%j does not throw', (text) => {
    expect(analyze(text).command).toBe(text);
  });
});

describe('spans', () => {
  test('point into the text', () => {
    const text = 'ls && rm -rf $x; echo "$(cat f)"';
    const at = (name: string) => {
      const fact = analyze(text).commands.find((command) => command.name === name);
      return fact ? text.slice(...fact.span) : null;
    };
    expect(at('rm')).toBe('rm -rf $x');
    expect(at('cat')).toBe('cat f');
  });

  test('text inside text has the span of the word that contains it', () => {
    const text = "bash -c 'rm x'";
    const fact = analyze(text).commands.find((command) => command.name === 'rm');
    expect(text.slice(...(fact?.span ?? [0, 0]))).toBe("'rm x'");
  });

  test('of a reason is the uncertain place', () => {
    const text = 'ls; $x y';
    const [reason] = analyze(text).reasons;
    expect(text.slice(...(reason?.span ?? [0, 0]))).toBe('$x');
  });
});

test('commands know where they come from', () => {
  const { commands } = analyze('sudo env A=1 sh -c "ls $(pwd)"');
  expect(commands.map(({ argv, via, parent }) => ({ name: argv[0], via, parent }))).toEqual([
    { name: 'sudo', via: [], parent: null },
    { name: 'pwd', via: ['$( )'], parent: 0 },
    { name: 'env', via: ['sudo'], parent: 0 },
    { name: 'sh', via: ['sudo', 'env'], parent: 2 },
  ]);
});
