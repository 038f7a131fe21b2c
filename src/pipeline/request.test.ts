import { spawnSync } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import { quoteCommand } from './request.ts';

describe('quoteCommand', () => {
  test.each<[string, string[], string]>([
    ['git', ['log', '--format=%h', '-n', '1'], 'git log --format=%h -n 1'],
    ['echo', ['$HOME', '`id`', '*', '~', 'a b', ''], "echo '$HOME' '`id`' '*' '~' 'a b' ''"],
    ['A=1', ['x'], "'A=1' x"],
    ['time', ['ls'], "'time' ls"],
    ["it's", [], "'it'\\''s'"],
    ['x', ['A=1', '-a=$(id)', '--b={1,2}', '#no', '!x'], "x 'A=1' '-a=$(id)' '--b={1,2}' '#no' '!x'"],
  ])('%s %j', (program, args, expected) => {
    expect(quoteCommand(program, args)).toBe(expected);
  });

  test('bash reads back exactly the same words', () => {
    const words = [
      'a b',
      "'",
      '"',
      '\\',
      '$x',
      '~/x',
      '{1,2}',
      '*',
      '\n',
      '-x=~',
      '<(y)',
      '#',
      '!',
      '%',
      '=',
      'ü',
      ';',
      '&&',
    ];
    const text = quoteCommand('printf', ['%s\\0', ...words]);
    const { stdout } = spawnSync('bash', ['-c', text], { encoding: 'utf8' });
    expect(stdout.split('\0')).toEqual([...words, '']);
  });
});
