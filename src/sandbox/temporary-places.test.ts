import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { homedir } from 'node:os';
import { join, relative } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { NOTHING_NAMED } from '../decide/paths/named-paths.ts';
import { check } from '../pipeline/check.ts';
import { makePlaces, namedBelowTmp } from './temporary-places.ts';

let outside: string;
let own: string;
beforeEach(() => {
  outside = mkdtempSync('/tmp/hardshell-places-');
  own = mkdtempSync(join(homedir(), '.hardshell-own-'));
});
afterEach(() => {
  for (const folder of [outside, own]) rmSync(folder, { recursive: true, force: true });
});

const at = (path: string) => join(own, relative('/tmp', path));
const named = (command: string, reads: readonly string[]) =>
  namedBelowTmp([{ ...NOTHING_NAMED, reads }], check(command, { cwd: '/' }).facts, own);

test('a file that an approval names is shown if the private /tmp has nothing there', () => {
  const script = join(outside, 'x.sh');
  writeFileSync(script, 'echo hi');
  expect(named(`bash ${script} --flag`, [script])).toEqual([script]);
  expect(named(`cat ${outside}/nothing /tmp /etc/passwd`, [`${outside}/nothing`, '/tmp', '/etc/passwd'])).toEqual([]);
  mkdirSync(at(outside), { recursive: true });
  writeFileSync(at(script), '');
  expect(named(`bash ${script}`, [script])).toEqual([script]);
  writeFileSync(at(script), 'the command has made its own');
  expect(named(`bash ${script}`, [script])).toEqual([]);
});

test('a file that the command names without an approval, or that it changes, is not shown', () => {
  const file = join(outside, 'w');
  writeFileSync(file, 'of another program');
  expect(named(`head -c 4 ${file}`, [])).toEqual([]);
  expect(named(`echo a > ${file}; cat ${file}; rm ${file}`, [file])).toEqual([]);
  expect(named(`rm -r ${outside}; cat ${file}`, [file])).toEqual([]);
});

test('mount points are created for folders and files, and removed with them', () => {
  const file = join(outside, 'a/f');
  mkdirSync(join(outside, 'a'));
  writeFileSync(file, 'x');
  makePlaces(own, [outside, file, '/tmp', '/etc']);
  expect([lstatSync(at(outside)).isDirectory(), lstatSync(at(file)).isFile(), readdirSync(own).length]).toEqual([
    true,
    true,
    1,
  ]);
  makePlaces(own, [outside, file]);
  const gone = join(outside, 'gone');
  mkdirSync(at(gone), { recursive: true });
  makePlaces(own, [gone]);
  expect(existsSync(at(gone))).toBe(false);
});

test('a link that a command has put in the way leads nowhere', () => {
  const victim = mkdtempSync(join(homedir(), '.hardshell-victim-'));
  try {
    const inner = join(outside, 'b');
    mkdirSync(inner);
    writeFileSync(join(inner, 'f'), 'x');
    symlinkSync(victim, at(outside));
    makePlaces(own, [inner, join(inner, 'f')]);
    expect(readdirSync(victim)).toEqual([]);
    expect(lstatSync(at(outside)).isDirectory()).toBe(true);
    rmSync(at(join(inner, 'f')));
    symlinkSync(join(victim, 'made'), at(join(inner, 'f')));
    makePlaces(own, [join(inner, 'f')]);
    expect(readdirSync(victim)).toEqual([]);
  } finally {
    rmSync(victim, { recursive: true });
  }
});
