// Where a path is: every disguise of a path, with a disk and without one.

import { expect, test } from 'vitest';
import { subjectOf } from '../../../test/deciding/subject.ts';
import type { PathEffect } from '../../core/facts.ts';
import type { ExampleWith } from '../check.ts';
import { judgePath, type PathUse, rootsOf } from './place.ts';

const P = '/home/u/project';
const FILES = {
  [`${P}/src/a.ts`]: '',
  [`${P}/out`]: { link: '/srv/data' },
  [`${P}/near`]: { link: 'src' },
  [`${P}/loop`]: { link: 'loop' },
  [`${P}/many/one`]: { link: '/srv/data' },
  [`${P}/many/two/x`]: '',
  '/srv/data/x': '',
  '/home/u/alias': { link: P },
};

function whereOf(effect: PathEffect, use: PathUse, { command = 'cat x', ...rest }: Partial<ExampleWith> = {}) {
  const subject = subjectOf({ files: FILES, ...rest, command });
  const [first] = subject.facts.commands;
  if (first === undefined) throw new Error('no command');
  return judgePath(effect, use, first, subject).where;
}

test.each([
  [{ path: `${P}/src/a.ts` }, 'inside'],
  [{ path: P }, 'inside'],
  [{ path: `${P}/` }, 'inside'],
  [{ path: `${P}x/a` }, 'outside'],
  [{ path: '/home/u' }, 'outside'],
  [{ path: `${P}/../other` }, 'outside'],
  [{ path: '/' }, 'outside'],
  [{ path: '/tmp/x' }, 'inside'],
  [{ path: '/home/u/alias/src' }, 'inside'],
  [{ path: `${P}/near/a.ts` }, 'inside'],
  [{ path: `${P}/out` }, 'escapes'],
  [{ path: `${P}/out/new` }, 'escapes'],
  [{ path: `${P}/loop/x` }, 'unknown'],
  [{ path: `${P}/x`, unfolded: `${P}/out/../x` }, 'escapes'],
  [{ path: `${P}/x`, unfolded: `${P}/src/../x` }, 'inside'],
  [{ path: `${P}/src/*`, glob: true }, 'inside'],
  [{ path: `${P}/many/*`, glob: true }, 'escapes'],
  [{ path: `${P}/many/*/x`, glob: true }, 'escapes'],
  [{ path: `${P}/many/t*/x`, glob: true }, 'inside'],
  [{ path: '/srv/*', glob: true }, 'outside'],
  [{ path: '/home/u/pro*/x', glob: true }, 'outside'],
  [{ path: `${P}/x`, glob: true, unfolded: `${P}/*/../x` }, 'unknown'],
  [{ path: `/proc/self/root${P}/src` }, 'inside'],
  [{ path: '/proc/self/root/etc/passwd' }, 'outside'],
  [{ path: '/proc/1/root/proc/self/root/etc/passwd' }, 'outside'],
  [{ path: '/proc/self/cwd/src' }, 'inside'],
  [{ path: '/proc/self/cwd/../x' }, 'outside'],
  [{ path: '/proc/1/cwd/x' }, 'unknown'],
  [{ path: '/proc/self/fd/3/x' }, 'unknown'],
  [{ path: null }, 'unknown'],
] as const)('%j written is %s', (effect, expected) => {
  expect(whereOf(effect, 'write')).toBe(expected);
});

test.each([
  [{ path: `${P}/out` }, 'rm out', 'inside'],
  [{ path: `${P}/out` }, 'rm -r out/', 'escapes'],
  [{ path: `${P}/out` }, 'find out -delete', 'escapes'],
  [{ path: `${P}/out/x` }, 'rm out/x', 'escapes'],
  [{ path: `${P}/many/*`, glob: true }, 'rm many/one', 'inside'],
  [{ path: `${P}/many/*/x`, glob: true }, 'rm many/one', 'escapes'],
  [{ path: `${P}/out`, unfolded: `${P}/src/../out` }, 'rm src/../out', 'inside'],
  [{ path: `${P}/out`, unfolded: `${P}/out/..` }, 'rm out/..', 'escapes'],
] as const)('%j deleted by %s is %s', (effect, command, expected) => {
  expect(whereOf(effect, 'delete', { command })).toBe(expected);
});

test.each([
  [{ path: `${P}/out/x` }, 'inside'],
  [{ path: '/srv/x' }, 'outside'],
  [{ path: `${P}/x`, unfolded: `${P}/a/../x` }, 'unknown'],
  [{ path: '/home/u/x', unfolded: `${P}/../x` }, 'outside'],
  [{ path: `${P}/*/x`, glob: true }, 'inside'],
] as const)('without a disk %j is %s', (effect, expected) => {
  expect(whereOf(effect, 'write', { context: { probe: null } })).toBe(expected);
});

test('a folder with more names than the limit is unknown', () => {
  const files = Object.fromEntries(Array.from({ length: 5000 }, (_, i) => [`${P}/big/f${i}`, '']));
  expect(whereOf({ path: `${P}/big/*`, glob: true }, 'write', { files })).toBe('unknown');
});

test.each([
  [{}, [P, '/tmp', '/var/tmp', '/dev/shm'], false],
  [{ policy: { roots: ['~/x', 'sub', '/srv/'] } }, ['/home/u/x', `${P}/sub`, '/srv'], true],
  [{ policy: { roots: ['/home/u/alias'] } }, ['/home/u/alias'], true],
  [{ policy: { roots: [] } }, [], true],
  [{ context: { project: '/home/u' } }, ['/home/u', '/tmp', '/var/tmp', '/dev/shm'], false],
  [{ context: { project: '/home/u' }, policy: { roots: ['/srv'] } }, ['/srv'], true],
  [{ context: { user: 'constructor' } }, [P, '/tmp', '/var/tmp', '/dev/shm'], false],
] as const)('roots of %j', (rest, folders, isExplicit) => {
  expect(rootsOf(subjectOf({ command: 'ls', files: FILES, ...rest }))).toEqual({ folders, isExplicit });
});
