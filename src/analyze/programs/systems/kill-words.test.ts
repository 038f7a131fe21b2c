import { expect, test } from 'vitest';
import { readKill } from './kill-words.ts';

test.each<[string, number, number[]]>([
  ['-9 -12', 9, [-12]],
  ['-KILL -12', 9, [-12]],
  ['-SIGKILL -12', 9, [-12]],
  ['-sigkill -12', 9, [-12]],
  ['-9 -- -12', 9, [-12]],
  ['-s KILL -12', 9, [-12]],
  ['-s KILL -- -12', 9, [-12]],
  ['-n 9 -12', 9, [-12]],
  ['--signal KILL -12', 9, [-12]],
  ['--signal=TERM -- -12', 15, [-12]],
  ['-- -12', 15, [-12]],
  ['12 -13', 15, [12, -13]],
  ['-0 -12', 0, [-12]],
  ['-USR1 12', 10, [12]],
])('kill %s', (words, signal, targets) => expect(readKill(words.split(' '))).toEqual({ signal, targets }));

test.each([
  ['-l'],
  ['-l 9'],
  ['-12'],
  ['-9'],
  ['-9 %1'],
  ['-9 -12 x'],
  ['-NOSUCH -12'],
  ['-sKILL -12'],
  ['-99 -12'],
  ['-q 1 12'],
])('kill %s is not read', (words) => expect(readKill(words.split(' '))).toBeNull());

test('unknown words are not parsed', () => {
  expect(readKill(['-9', null])).toBeNull();
  expect(readKill([])).toBeNull();
});
