import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { checkShell, findShell } from './trusted-shells.ts';

const home = mkdtempSync(join(tmpdir(), 'hardshell-shells-'));
afterAll(() => rmSync(home, { recursive: true }));
const fine = () => null;

test('bash is found without PATH', () => {
  const path = process.env.PATH;
  process.env.PATH = home;
  try {
    expect(findShell()).toMatchObject({ kind: 'bash', shellPath: expect.stringMatching(/^\/.*\/bash$/) });
  } finally {
    process.env.PATH = path;
  }
});

test('the first acceptable one in the list is used', () => {
  const probe = (path: string) => (path === '/usr/bin/bash' ? null : 'does not exist');
  expect(findShell({ kind: 'bash' }, probe).shellPath).toBe('/usr/bin/bash');
});

test('if there is none, the message lists the paths tried and what to do', () => {
  const missing = () => 'does not exist';
  expect(() => findShell({ kind: 'zsh' }, missing)).toThrow(/No zsh was found: \/bin\/zsh does not exist, /);
  expect(() => findShell({ kind: 'zsh' }, missing)).toThrow(expect.objectContaining({ hint: expect.any(String) }));
});

test.each([
  ['/opt/bash', 'bash'],
  ['/opt/dash', 'sh'],
  ['/opt/zsh', 'zsh'],
  ['/opt/pwsh', 'powershell'],
  ['C:\\Windows\\System32\\cmd.exe', 'cmd'],
])('the setting %s is %s by its name', (path, kind) => {
  expect(findShell({ path }, fine)).toMatchObject({ kind, shellPath: path });
});

test.each(['bash', './bash', '../bin/bash', '~/bash', '', 'bin\\bash'])(
  'the setting %j is not an absolute path',
  (path) => {
    expect(() => findShell({ path, kind: 'bash' }, fine)).toThrow(/is not an absolute path/);
  },
);

test.each(['/opt/fish', '/opt/constructor', '/opt/'])('the setting %s names no known shell', (path) => {
  expect(() => findShell({ path }, fine)).toThrow(/is not a known shell/);
});

function make(name: string, mode: number, folderMode = 0o755): string {
  const folder = join(home, `${name}-folder`);
  mkdirSync(folder);
  const path = join(folder, 'bash');
  copyFileSync('/bin/true', path);
  chmodSync(path, mode);
  chmodSync(folder, folderMode);
  return path;
}

test('a shell that others could have changed is refused', () => {
  expect(checkShell(make('good', 0o755))).toBeNull();
  expect(checkShell(make('open', 0o757))).toBe('can be changed by others');
  expect(checkShell(make('group', 0o775))).toBe('can be changed by others');
  expect(checkShell(make('folder', 0o755, 0o777))).toBe('can be changed by others');
});

test('a file that is not a program is refused', () => {
  writeFileSync(join(home, 'text'), '', { mode: 0o644 });
  expect(checkShell(join(home, 'text'))).toBe('cannot be run');
  expect(checkShell(home)).toBe('is not a file');
  expect(checkShell(join(home, 'nothing'))).toBe('does not exist');
});

test('a link counts as what it points to', () => {
  symlinkSync(make('behind', 0o777), join(home, 'link'));
  expect(checkShell(join(home, 'link'))).toBe('can be changed by others');
});
