// The parser of git's configuration against git itself: the same settings, or both refuse.

import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parseGitConfig } from './git-config.ts';

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'git-config-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function askGit(text: string): readonly string[] | null {
  const file = join(folder, 'config');
  writeFileSync(file, text);
  const result = spawnSync('git', ['config', '--file', file, '--list', '-z'], {
    encoding: 'utf8',
    env: { PATH: process.env.PATH, HOME: folder, GIT_CONFIG_NOSYSTEM: '1' },
  });
  return result.status === 0 ? result.stdout.split('\0').slice(0, -1) : null;
}

function askUs(text: string): readonly string[] | null {
  const settings = parseGitConfig(text);
  if (settings === null) return null;
  return settings.map(({ section, subsection, name, value }) => {
    const key = [section === '' ? null : section, subsection, name].filter((part) => part !== null).join('.');
    return value === null ? key : `${key}\n${value}`;
  });
}

test.each([
  '',
  '[core]\n\tbare = false\n',
  '[core] fsmonitor = x',
  '[CORE]\nFsMonitor=X\n',
  '[a "B c"]\nk=v',
  '[a "B\\"c\\\\d\\e"]\nk=v',
  '[a.B]\nk=v',
  '[a.B.c]\nk=v',
  '[a]\nk\n',
  '[a]\nk',
  '[a]\nk=\n',
  '[a]\nk = v # comment\n',
  '[a]\nk = v ; comment\n',
  '[a]\nk = "v # not"\n',
  '[a]\nk = "a;b" c  \n',
  '[a]\nk = a "b" c\n',
  '[a]\nk = a \\\n  b\n',
  '[a]\nk = "a \\\n  b"\n',
  '[a]\nk = a # x \\\nj = 2\n',
  '[a]\nk = \\t\\n\\"\\\\x\n',
  '[a]\nk = \\q\n',
  '[a]\nk = "open\n',
  '[a]\r\nk = v\r\n',
  '\u{feff}[a]\nk=v\n',
  '# c\n; d\n[a]\n# e\nk=v',
  '[a]k=v\n[b]j=w\n',
  '[a]\n1k=v',
  '[a]\nk-2=v',
  '[a]\nk_2=v',
  '[a]\nk # c\n',
  'k=v\n',
  '[a\nk=v\n',
  '[a "b\n"]\nk=v',
  '[a "b" ]\nk=v',
  '[a b]\nk=v',
  '[a ""]\nk=v',
  '[]\nk=v',
  '[a]\nk==v\n',
  '[a]\nk = "x""y"\n',
  '[a]\nk = "  x  "  \n',
  '[a]\nk = \n j = 1',
  '[a]\nk = v\\',
  '[a]\nk = v\t\n',
  '[a]\n k\t=\tv',
  '[a]\nk = é😀\n',
  '[a]\nk = v\n[a "x"] ; c\nj=1',
  '[url "ext::sh -c id"]\ninsteadOf = https://',
])('%j', (text) => {
  expect(askUs(text)).toEqual(askGit(text));
});

test('lines are those where the setting begins', () => {
  const lines = parseGitConfig('[a]\nk = x \\\n y\n# c\n[b]\r\nj = 1\n\nl\n')?.map(({ name, line }) => [name, line]);
  expect(lines).toEqual([
    ['k', 2],
    ['j', 6],
    ['l', 8],
  ]);
});
