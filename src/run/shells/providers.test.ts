import { spawnSync } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import { quoteWord } from '../../core/values/shell-words.ts';
import { buildArgvCommand } from './argv.ts';
import { BashProvider } from './bash.ts';
import { ShProvider, ZshProvider } from './posix.ts';
import type { ShellProvider } from './provider.ts';
import { CmdProvider, PowerShellProvider } from './windows.ts';

const pwsh = new PowerShellProvider('C:\\Program Files\\PowerShell\\7\\pwsh.exe');
const cmd = new CmdProvider('C:\\Windows\\System32\\cmd.exe');

function scriptOf(shell: PowerShellProvider, command: string, cwdFile?: string): string {
  const { argv } = shell.buildCommand(cwdFile === undefined ? { command } : { command, cwdFile });
  return Buffer.from(argv.at(-1) as string, 'base64').toString('utf16le');
}

test.each<[ShellProvider, readonly string[]]>([
  [new BashProvider('/bin/bash'), ['bash', '--norc', '--noprofile', '-p', '-c', '--', 'echo a']],
  [new ShProvider('/bin/sh'), ['sh', '-c', '--', 'echo a']],
  [new ZshProvider('/bin/zsh'), ['zsh', '-f', '-d', '-c', '--', 'echo a']],
  [cmd, ['cmd.exe', '/d', '/s', '/c', '"echo a"']],
  [pwsh, ['pwsh.exe', '-NoLogo', '-NoProfile', '-NonInteractive', '-EncodedCommand', 'ZQBjAGgAbwAgAGEA']],
])('a bare command is the text and nothing else', (shell, argv) => {
  const built = shell.buildCommand({ command: 'echo a' });
  expect(built).toMatchObject({ file: shell.shellPath, argv, tellsFolder: false, isVerbatim: shell.kind === 'cmd' });
});

test('zsh gets its hook on the first line', () => {
  const { argv, tellsFolder } = new ZshProvider('/bin/zsh').buildCommand({ command: 'cd x', cwdFile: "/t/it's" });
  const hook = `{ \\unset -f builtin pwd; \\trap "" XFSZ; \\builtin pwd -P >|'/t/it'\\''s'; } >/dev/null 2>&1 || \\:`;
  expect(argv.at(-1)).toBe(`trap ${quoteWord(hook)} EXIT; cd x`);
  expect(tellsFolder).toBe(true);
});

describe('PowerShell', () => {
  test('any text is passed as UTF-16LE in base64', () => {
    const command = 'Write-Output "ä € 😀 `$x" | % { $_ }\n\'}\'';
    expect(scriptOf(pwsh, command)).toBe(command);
  });

  test('with an end folder the command is data, quotes of every kind included', () => {
    const script = scriptOf(pwsh, "echo 'a' } ‘b’ ‚c‛", 'C:\\t\\it’s');
    expect(script).toContain(". ([scriptblock]::Create('echo ''a'' } ‘‘b’’ ‚‚c‛‛'))\n");
    expect(script).toContain("WriteAllText('C:\\t\\it’’s', ");
    expect(script).toContain('} finally {\n');
  });

  test('a command that Windows would refuse is refused with a message', () => {
    expect(() => pwsh.buildCommand({ command: 'x'.repeat(13_000) })).toThrow(/longer than Windows can pass to/);
    const elsewhere = new PowerShellProvider('/usr/bin/pwsh');
    expect(elsewhere.buildCommand({ command: 'x'.repeat(13_000) }).argv[0]).toBe('pwsh');
  });
});

describe('cmd', () => {
  test('a second line is refused, since cmd would ignore it', () => {
    expect(() => cmd.buildCommand({ command: 'dir\ndel x' })).toThrow(/only one line/);
  });
  test('too long a command is refused', () => {
    expect(() => cmd.buildCommand({ command: 'x'.repeat(8_191) })).toThrow(/longer than/);
  });
  test('it never claims to report its folder', () => {
    expect(cmd.buildCommand({ command: 'cd x', cwdFile: 'C:\\t\\f' }).tellsFolder).toBe(false);
  });
});

test.each([new BashProvider('/bin/bash'), new ShProvider('/bin/sh'), new ZshProvider('/bin/zsh'), pwsh, cmd])(
  '$kind refuses a NUL, which would end the text in the middle',
  (shell) => {
    expect(() => shell.buildCommand({ command: 'echo a\0; rm b' })).toThrow(expect.objectContaining({ code: 'nul' }));
  },
);

test.each([new BashProvider('/bin/bash'), new ShProvider('/bin/sh'), new ZshProvider('/bin/zsh'), pwsh])(
  '$kind takes only an absolute path of one line for the end folder',
  (shell) => {
    for (const cwdFile of ['', 'relative', '/a\nb', '/a\0b', '/'])
      expect(() => shell.buildCommand({ command: 'cd x', cwdFile }), cwdFile).toThrow(/absolute path of one line/);
  },
);

test('argv mode passes every word unchanged', () => {
  const words = ['$(id)', '`id`', '*', '~', 'a b', "'", '"', '\n', '', '-n', '; id'];
  const { file, argv, tellsFolder } = buildArgvCommand('/usr/bin/printf', ['%s|', ...words]);
  const { stdout } = spawnSync(file, argv.slice(1), { argv0: argv[0] });
  expect(stdout.toString()).toBe(words.map((word) => `${word}|`).join(''));
  expect(tellsFolder).toBe(false);
});

test('argv mode refuses an empty program and a NUL', () => {
  expect(() => buildArgvCommand('', [])).toThrow(expect.objectContaining({ code: 'empty' }));
  expect(() => buildArgvCommand('ls', ['a\0b'])).toThrow(expect.objectContaining({ code: 'nul' }));
});
