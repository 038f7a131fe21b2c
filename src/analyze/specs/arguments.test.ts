import { describe, expect, test } from 'vitest';
import type { WordValue } from '../../core/facts.ts';
import type { CommandSpec } from '../commands/spec.ts';
import { Arguments } from './arguments.ts';
import { compileSpec } from './compile.ts';

const examples = { readOnly: [], notReadOnly: [] };
const gnu: CommandSpec = {
  summary: 'test',
  class: 'read',
  flags: '-a --all -b',
  values: '-n --number',
  optional: '--color',
  options: { '-o --output': 'write', '-i --in-place': 'edit?' },
  operands: 'read*',
  numeric: true,
  examples,
};

function word(text: string): WordValue {
  if (text.startsWith('?')) return { kind: 'dynamic', head: text.slice(1), many: false, span: [0, 0] };
  return { kind: 'literal', value: text, span: [0, 0] };
}

function read(spec: CommandSpec, text: string) {
  const args = new Arguments(compileSpec(spec), text === '' ? [] : text.split(' ').map(word));
  const show = (value: WordValue | null) => (value === null ? '' : `=${value.kind === 'literal' ? value.value : '?'}`);
  return {
    options: args.options.map((option) => `${option.known ? '' : '!'}${option.name}${show(option.value)}`),
    operands: args.operands.map((operand) => (operand.kind === 'literal' ? operand.value : '?')),
    uncertain: args.uncertain,
  };
}

describe('gnu options', () => {
  test.each([
    ['-a -b x', ['-a', '-b'], ['x']],
    ['-ab x', ['-a', '-b'], ['x']],
    ['-of x', ['-o=f'], ['x']],
    ['-o f x', ['-o=f'], ['x']],
    ['-abof x', ['-a', '-b', '-o=f'], ['x']],
    ['--output=f x', ['-o=f'], ['x']],
    ['--output f x', ['-o=f'], ['x']],
    ['--outp=f x', ['-o=f'], ['x']],
    ['--ou f', ['-o=f'], []],
    ['x -o f', ['-o=f'], ['x']],
    ['-- -o f', [], ['-o', 'f']],
    ['-i x', ['-i'], ['x']],
    ['-i.bak x', ['-i=.bak'], ['x']],
    ['-n -o x', ['-n=-o'], ['x']],
    ['-20 x', ['-NUMBER'], ['x']],
    ['-a20', ['-a', '-NUMBER'], []],
    ['-', [], ['-']],
    ['-z x', ['!-z'], ['x']],
    ['--zzz', ['!--zzz'], []],
    ['--all=no', ['!--all=no'], []],
    ['-o', ['-o'], []],
  ])('%s', (text, options, operands) => {
    expect(read(gnu, text)).toEqual({ options, operands, uncertain: false });
  });

  test('a word that may be an option makes the rest uncertain', () => {
    expect(read(gnu, '? x').uncertain).toBe(true);
    expect(read(gnu, '?- x').uncertain).toBe(true);
    expect(read(gnu, '?./ x').uncertain).toBe(false);
    expect(read(gnu, '-- ? x').uncertain).toBe(false);
  });

  test('a literal option with an unknown value is certain', () => {
    expect(read(gnu, '?--output= x')).toEqual({ options: ['-o=?'], operands: ['x'], uncertain: false });
    expect(read(gnu, '?-n x')).toEqual({ options: ['-n=?'], operands: ['x'], uncertain: false });
  });
});

test('posix options stop at the first operand', () => {
  expect(read({ ...gnu, style: 'posix' }, '-a x -o f')).toEqual({
    options: ['-a'],
    operands: ['x', '-o', 'f'],
    uncertain: false,
  });
});

test('options that are words', () => {
  const spec: CommandSpec = { summary: 't', class: 'read', style: 'words', values: '-name', flags: '-print', examples };
  expect(read(spec, '-name x -print -name=y --print z')).toEqual({
    options: ['-name=x', '-print', '-name=y', '-print'],
    operands: ['z'],
    uncertain: false,
  });
});

test('a bundle without dash takes its values from the words that follow', () => {
  const spec: CommandSpec = { summary: 't', class: 'read', style: 'bundle', flags: '-x -z', values: '-f -C', examples };
  expect(read(spec, 'xzf a.tgz b')).toEqual({ options: ['-x', '-z', '-f=a.tgz'], operands: ['b'], uncertain: false });
  expect(read(spec, 'xfC a.tar d')).toEqual({ options: ['-x', '-f=a.tar', '-C=d'], operands: [], uncertain: false });
});

test('has() accepts every spelling, and lists', () => {
  const args = new Arguments(compileSpec(gnu), [word('--outp=f')]);
  expect(args.has('-o')).toBe(true);
  expect(args.has('--output')).toBe(true);
  expect(args.has('-a -b --output')).toBe(true);
  expect(args.has('-a -b')).toBe(false);
});
