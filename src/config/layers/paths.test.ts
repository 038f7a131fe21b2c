import { expect, test } from 'vitest';
import { resolveSettingsPath, toSettingsPath } from './paths.ts';

const PLACE = { base: '/repo', cwd: '/repo/sub', home: '/home/u' };

test.each([
  ['//etc/x', '/etc/x'],
  ['//', '/'],
  ['///etc', '/etc'],
  ['//etc/../root', '/root'],
  ['/x', '/repo/x'],
  ['/x/**', '/repo/x/**'],
  ['/../x', '/x'],
  ['/', '/repo'],
  ['~', '/home/u'],
  ['~/x', '/home/u/x'],
  ['~/../v', '/home/v'],
  ['./x', '/repo/sub/x'],
  ['x', '/repo/sub/x'],
  ['.', '/repo/sub'],
  ['../x', '/repo/x'],
  ['**/*.pem', '/repo/sub/**/*.pem'],
])('%s is %s', (text, expected) => expect(resolveSettingsPath(text, PLACE)).toBe(expected));

test('without a home, paths below home are unknown', () => {
  expect(resolveSettingsPath('~/x', { ...PLACE, home: null })).toBe(null);
});

test('a path survives being written and read', () => {
  for (const path of ['/', '/etc/x', '/a b']) expect(resolveSettingsPath(toSettingsPath(path), PLACE)).toBe(path);
});
