// Additions of a request make a policy stricter, never laxer.

import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { DEFAULT_POLICY } from '../core/default-policy.ts';
import type { Narrowing, Policy } from '../core/policy.ts';
import { thisMachine } from './machine.ts';
import { narrowPolicy } from './narrowing.ts';

const base = realpathSync(mkdtempSync(join(tmpdir(), 'hardshell-narrowing-')));
const at = (path: string) => join(base, path);
for (const folder of ['project/sub/deep', 'other']) mkdirSync(at(folder), { recursive: true });
symlinkSync(at('other'), at('project/link'));
afterAll(() => rmSync(base, { recursive: true }));

const machine = thisMachine({});
const held: Policy = { ...DEFAULT_POLICY, roots: [at('project')] };
const narrow = (narrowing: Narrowing | readonly Narrowing[], policy = held) =>
  narrowPolicy(policy, narrowing, at('project'), machine);

test('no additions change nothing', () => expect(narrowPolicy(held, undefined, at('project'), machine)).toBe(held));

describe('roots', () => {
  test.each<[string, string[], string[]]>([
    ['an inner folder', ['project/sub'], ['project/sub']],
    ['an outer folder gives only what was allowed before', ['.'], ['project']],
    ['another folder gives nothing', ['other'], []],
    ['a link to the outside gives nothing', ['project/link'], []],
    ['a folder that does not exist gives nothing', ['project/new'], []],
    ['a name with the same prefix gives nothing', ['project-x'], []],
    ['several', ['project/sub', 'other', 'project/sub/deep'], ['project/sub', 'project/sub/deep']],
  ])('%s', (_, wished, roots) => expect(narrow({ roots: wished.map(at) }).roots).toEqual(roots.map(at)));

  test('paths outside of them are denied, not asked about', () => {
    expect(narrow({ roots: [at('project')] }).checks).toMatchObject({
      'write-outside-roots': 'deny',
      'read-outside-roots': 'deny',
    });
  });

  test('two requests both apply', () => {
    expect(narrow([{ roots: [at('project/sub')] }, { roots: [at('project')] }]).roots).toEqual([at('project/sub')]);
  });
});

test('commands: the intersection of both lists', () => {
  expect(narrow({ allowedCommands: ['ls'] }).allowedCommands).toEqual(['ls']);
  expect(narrow({ allowedCommands: ['ls', 'rm'] }, { ...held, allowedCommands: ['ls'] }).allowedCommands).toEqual([
    'ls',
  ]);
  expect(narrow({ allowedCommands: [] }).allowedCommands).toEqual([]);
});

test('the blacklist only grows', () => {
  const policy = { ...held, blacklist: { commands: ['dd'], directories: ['/etc'] } };
  expect(narrow({ blacklist: { commands: ['ip', 'dd'] } }, policy).blacklist).toEqual({
    commands: ['dd', 'ip'],
    directories: ['/etc'],
  });
});

test('a required confirmation stays required', () => {
  expect(narrow({ requireConfirmation: true }).requireConfirmation).toBe(true);
  expect(narrow({}, { ...held, requireConfirmation: true }).requireConfirmation).toBe(true);
});
