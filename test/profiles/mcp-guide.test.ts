// The profile `mcp-guide`: every tool, example, rule and error of its guide.

import { existsSync, mkdirSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { DEFAULT_POLICY } from '../../src/core/default-policy.ts';
import { systemDirectories } from '../../src/profiles/mcp-guide/blacklist.ts';
import type { Calling } from '../../src/profiles/profile.ts';
import { profileOf } from '../../src/profiles/profiles.ts';
import { createSubject, listenTo, type Subject } from './subject.ts';

const profile = profileOf('mcp-guide');
let subject: Subject;
let calling: Calling;
beforeAll(() => {
  subject = createSubject(profile);
});
beforeEach(() => {
  calling = subject.converse();
});
afterAll(() => subject.close());

const call = (name: string, input: unknown = {}) => subject.call(name, input, calling);
const data = async (name: string, input: unknown = {}) => (await call(name, input)).data;

test('MCPG the tools: five, and create_directory', () => {
  expect(profile.tools.map(({ name }) => name)).toEqual([
    'execute_command',
    'get_command_blacklist',
    'update_command_blacklist',
    'get_working_directory',
    'change_directory',
    'create_directory',
  ]);
});

test('MCPG notes 1: 300 seconds by default, 3600 at most', async () => {
  expect(profile.engine).toEqual({ view: 'proposal-0028', timeout: 300_000, maxTimeout: 3_600_000 });
  expect((await call('execute_command', { command: 'true', timeout: 3601 })).text).toContain('at most 3600');
});

describe('MCPG 1 execute_command', () => {
  test('timeout 0 and no timeout are 300 seconds', async () => {
    const { session, asked } = listenTo(calling);
    for (const more of [{}, { timeout: 0 }, { timeout: 60 }])
      await subject.call('execute_command', { command: 'true', ...more }, { ...calling, session });
    expect(asked.map(({ timeout }) => timeout)).toEqual([300_000, 300_000, 60_000]);
  });

  test('the request parameters of the guide', () => {
    const { inputSchema } = subject.tool('execute_command');
    expect(Object.keys(inputSchema.properties)).toEqual(['command', 'args', 'work_dir', 'timeout']);
    expect(inputSchema.required).toEqual(['command']);
  });

  test('the response of the guide', async () => {
    writeFileSync(join(subject.folder, 'listed'), '');
    const answer = await data('execute_command', { command: 'ls', args: ['-la'], work_dir: '.', timeout: 60 });
    expect(answer).toEqual({
      success: true,
      exit_code: 0,
      stdout: expect.stringMatching(/^total \d+\n[\s\S]*listed/),
      stderr: '',
      message: 'command executed successfully',
    });
  });

  test('example: create a file', async () => {
    await call('execute_command', { command: 'touch', args: ['test.txt'], work_dir: '.' });
    expect(existsSync(join(subject.folder, 'test.txt'))).toBe(true);
  });

  test('example: cmd /c dir of Windows is a command that is not there', async () => {
    const answer = await data('execute_command', { command: 'cmd', args: ['/c', 'dir'], work_dir: '.' });
    // By whom it is missed depends on who starts it.
    expect([
      [false, -1],
      [true, 127],
    ]).toContainEqual([answer.success, answer.exit_code]);
    expect(answer.message).not.toBe('command executed successfully');
  });

  test('words in args are never expanded', async () => {
    const answer = await data('execute_command', { command: 'echo', args: ['$HOME', '; touch injected', "it's"] });
    expect(answer.stdout).toBe("$HOME ; touch injected it's\n");
    expect(existsSync(join(subject.folder, 'injected'))).toBe(false);
  });

  test('arguments may stand in command, too', async () => {
    expect((await data('execute_command', { command: 'echo a b' })).stdout).toBe('a b\n');
  });

  test('stdout and stderr are apart; best practice 1: the exit code is to be looked at', async () => {
    const answer = await data('execute_command', { command: 'echo out; echo err >&2; exit 3' });
    expect(answer).toMatchObject({ success: true, exit_code: 3, stdout: 'out\n', stderr: 'err\n' });
  });

  test('work_dir is relative to the root of the sandbox', async () => {
    mkdirSync(join(subject.folder, 'one/two'), { recursive: true });
    await call('change_directory', { path: 'one' });
    expect((await data('execute_command', { command: 'pwd', work_dir: 'one/two' })).stdout).toBe(
      `${join(subject.folder, 'one/two')}\n`,
    );
  });

  test('a work_dir that does not exist is an error that says so, and nothing runs elsewhere', async () => {
    mkdirSync(join(subject.folder, 'one'), { recursive: true });
    await call('change_directory', { path: 'one' });
    const { isError, data: answer } = await call('execute_command', { command: 'pwd', work_dir: 'nosuch' });
    const path = join(subject.folder, 'nosuch');
    const message = `command execution failed: The command was not run: the directory ${path} does not exist.`;
    expect([isError, answer]).toEqual([true, { success: false, exit_code: -1, stdout: '', stderr: '', message }]);
    expect(await data('get_working_directory')).toEqual({ work_dir: 'one' });
  });

  test.each(['..', '../..', '/', '/etc', '/nonexistent'])('work_dir %s is refused', async (work_dir) => {
    const { isError, data: answer } = await call('execute_command', { command: 'pwd', work_dir });
    expect(isError).toBe(true);
    expect(answer.stdout ?? '').toBe('');
  });
});

describe('MCPG 2 get_command_blacklist', () => {
  test('the default commands and directories, to the letter', async () => {
    const answer = await data('get_command_blacklist');
    expect(answer.commands).toEqual(
      `shutdown reboot halt poweroff init useradd userdel usermod passwd fdisk mkfs mount umount dd
       apt yum dnf rpm dpkg format ifconfig ip iptables`.split(/\s+/),
    );
    expect(answer.directories).toEqual([
      ...['/bin', '/sbin', '/etc', '/boot', '/dev', '/proc', '/sys', '/root'],
      ...['C:\\Windows', 'C:\\Program Files', '/System', '/Library', '/Applications'],
    ]);
    expect(answer.system_directories).toEqual(expect.arrayContaining(['/bin', realpathSync('/bin'), '/etc']));
    for (const folder of answer.system_directories as string[]) expect(existsSync(folder)).toBe(true);
  });

  test('system_directories are those of the machine, with links followed', () => {
    const disk: Record<string, string> = { '/bin': '/usr/bin', '/etc': '/etc', '/System': '/System' };
    expect(systemDirectories((path) => disk[path] ?? null)).toEqual(['/bin', '/usr/bin', '/etc', '/System']);
  });
});

describe('MCPG 3 update_command_blacklist', () => {
  test('adds, for this session, and refuses from then on', async () => {
    const input = { commands: ['custom_cmd', 'echo'], directories: ['/custom/dir'] };
    expect(await data('update_command_blacklist', input)).toEqual({
      success: true,
      message: 'blacklist updated successfully',
    });
    const { commands, directories } = await data('get_command_blacklist');
    expect(commands).toEqual(expect.arrayContaining(['shutdown', 'custom_cmd']));
    expect(directories).toEqual(expect.arrayContaining(['/etc', '/custom/dir']));
    expect(await data('execute_command', { command: 'echo', args: ['x'] })).toEqual({
      error: 'command is blacklisted',
    });
    calling = subject.converse();
    expect((await data('execute_command', { command: 'echo', args: ['x'] })).stdout).toBe('x\n');
  });

  test('notes 3: nothing can be removed', async () => {
    await call('update_command_blacklist', { commands: ['one'] });
    await call('update_command_blacklist', { commands: [], directories: [] });
    await call('update_command_blacklist', { commands: ['two'] });
    expect((await data('get_command_blacklist')).commands).toEqual(expect.arrayContaining(['one', 'two']));
    expect((await call('update_command_blacklist', { remove: ['one'] })).isError).toBe(true);
  });

  test('a folder of the sandbox can be added by its name there', async () => {
    mkdirSync(join(subject.folder, 'closed'), { recursive: true });
    await call('update_command_blacklist', { directories: ['closed'] });
    expect(await data('change_directory', { path: 'closed' })).toEqual({ error: 'directory is blacklisted' });
    expect(await data('execute_command', { command: 'ls', args: ['.'], work_dir: 'closed' })).toEqual({
      error: 'directory is blacklisted',
    });
  });

  test('a command can be listed by its path', async () => {
    writeFileSync(join(subject.folder, 'bl.sh'), 'echo ran\n');
    const input = { commands: ['/usr/bin/wc', './bl.sh'] };
    expect((await data('update_command_blacklist', input)).success).toBe(true);
    for (const command of ['wc -l bl.sh', '/usr/bin/wc -l bl.sh', './bl.sh', 'bash bl.sh', `${subject.folder}/bl.sh`])
      expect([command, await data('execute_command', { command })]).toEqual([
        command,
        { error: 'command is blacklisted' },
      ]);
  });

  test('nothing in a blacklisted folder is deleted or written: by a glob, a brace, a parent, a folder entered', async () => {
    mkdirSync(join(subject.folder, 'kept'), { recursive: true });
    writeFileSync(join(subject.folder, 'kept/file'), 'x');
    await call('update_command_blacklist', { directories: ['kept'] });
    for (const command of [
      ...['rm -rf kept', 'rm -rf k*', 'rm -rf kep?/file', 'rm -rf {kept,x}', 'rm -rf .', 'find . -delete'],
      ...['cd kept && rm file', 'echo > kept/file', 'mv k* other', 'make -C kept'],
    ])
      expect([command, await data('execute_command', { command })]).toEqual([
        command,
        { error: 'directory is blacklisted' },
      ]);
    expect(existsSync(join(subject.folder, 'kept/file'))).toBe(true);
  });

  test.each([{}, { commands: [] }, { commands: [' '], directories: [] }])(
    'nothing to add is an error: %j',
    async (input) => {
      const { isError, data: answer } = await call('update_command_blacklist', input);
      expect([isError, answer.error]).toEqual([true, expect.stringContaining('"commands" or "directories"')]);
    },
  );

  test.each([{ commands: ['l*'] }, { directories: ['sub?'] }])('a pattern would match nothing: %j', async (input) => {
    expect(await data('update_command_blacklist', input)).toEqual({ error: expect.stringContaining('not patterns') });
  });

  test.each([{ commands: 'rm' }, { commands: [''] }, { commands: [5] }, { directories: [null] }])(
    'bad input %j is answered',
    async (input) => expect((await call('update_command_blacklist', input)).isError).toBe(true),
  );
});

describe('MCPG 4 and 5 the working directory', () => {
  test('is . at the start, and follows change_directory', async () => {
    mkdirSync(join(subject.folder, 'subdir'), { recursive: true });
    expect(await data('get_working_directory')).toEqual({ work_dir: '.' });
    expect(await data('change_directory', { path: 'subdir' })).toEqual({
      success: true,
      message: 'directory changed successfully',
    });
    expect(await data('get_working_directory')).toEqual({ work_dir: 'subdir' });
    expect((await data('change_directory', { path: '..' })).success).toBe(true);
    expect(await data('get_working_directory')).toEqual({ work_dir: '.' });
  });

  test('notes 2: only inside the sandbox', async () => {
    expect(await data('change_directory', { path: '..' })).toEqual({ error: 'path is outside sandbox directory' });
    expect(await data('change_directory', { path: '/etc' })).toHaveProperty('error');
    expect(await data('get_working_directory')).toEqual({ work_dir: '.' });
  });

  test('a name is taken literally, and a missing one is reported', async () => {
    const { isError, data: answer } = await call('change_directory', { path: '$(touch injected)' });
    expect([isError, answer.error]).toEqual([true, expect.stringContaining('cannot be entered')]);
    expect(existsSync(join(subject.folder, 'injected'))).toBe(false);
  });
});

describe('MCPG path argument validation', () => {
  test.each(['rm test.txt', 'rm ./subdir/file.txt', 'rm -rf temp_dir'])('✅ %s', async (command) => {
    mkdirSync(join(subject.folder, 'subdir'), { recursive: true });
    mkdirSync(join(subject.folder, 'temp_dir'), { recursive: true });
    writeFileSync(join(subject.folder, 'test.txt'), '');
    writeFileSync(join(subject.folder, 'subdir/file.txt'), '');
    const [name, ...args] = command.split(' ');
    expect(await data('execute_command', { command: name, args })).toMatchObject({ success: true, exit_code: 0 });
  });

  test.each(['rm ../../etc/passwd', 'rm /etc/passwd', 'rm -rf /bin', 'rmdir ../outside'])('❌ %s', async (command) => {
    const [name, ...args] = command.split(' ');
    const asWords = await data('execute_command', { command: name, args });
    const asText = await data('execute_command', { command });
    // Rule 3 of the guide, inside the sandbox directory, comes before rule 4, the blacklist.
    for (const answer of [asWords, asText]) expect(answer).toEqual({ error: 'path is outside sandbox directory' });
  });

  test('a path in a blacklisted directory is refused', async () => {
    mkdirSync(join(subject.folder, 'listed-dir'), { recursive: true });
    writeFileSync(join(subject.folder, 'listed-dir/kept'), '');
    await call('update_command_blacklist', { directories: ['listed-dir'] });
    expect(await data('execute_command', { command: 'rm', args: ['listed-dir/kept'] })).toEqual({
      error: 'directory is blacklisted',
    });
    expect(existsSync(join(subject.folder, 'listed-dir/kept'))).toBe(true);
  });

  test.each(['del', 'erase', 'rd'])('❌ %s of Windows', async (name) => {
    for (const path of ['../x', '/etc/passwd'])
      expect(await data('execute_command', { command: name, args: [path] })).toEqual({
        error: 'path is outside sandbox directory',
      });
  });

  test.each([
    'cat /etc/passwd',
    'ls ..',
    'cp /etc/hosts .',
    'grep x ~/.bashrc',
    'cd / && ls',
    'touch ../x',
    'cat < /etc/hosts',
    'git -C .. log',
    'git -C /srv status',
    'git --work-tree=/srv --git-dir=/srv/.git status',
    'make -C /srv',
    'ninja -C ../x',
  ])('nothing outside is read or written: %s', async (command) =>
    expect(await data('execute_command', { command })).toEqual({ error: 'path is outside sandbox directory' }),
  );

  test('a link that leads out is outside, for every tool', async () => {
    const link = join(subject.folder, 'leads-out');
    if (!existsSync(link)) symlinkSync('/srv', link);
    const outside = { error: 'path is outside sandbox directory' };
    for (const command of [
      'cat leads-out/x',
      'ls leads-out/',
      'touch leads-out/x',
      'rm leads-out/x',
      'cd leads-out && ls',
    ])
      expect([command, await data('execute_command', { command })]).toEqual([command, outside]);
    expect(await data('execute_command', { command: 'ls', work_dir: 'leads-out' })).toEqual(outside);
    expect(await data('change_directory', { path: 'leads-out' })).toEqual(outside);
    expect(await data('create_directory', { path: 'leads-out/new' })).toEqual(outside);
  });
});

describe('MCPG with the default settings, and no one to ask', () => {
  beforeEach(() => {
    calling = subject.converse(DEFAULT_POLICY);
  });

  test.each([
    'touch made.txt',
    'rm made.txt',
    'mkdir -p a/b && rm -rf a',
    'echo x > written && rm written',
    'sh -c "echo x > by-shell"',
    'printf "echo ran" > script.sh',
    'bash script.sh',
  ])('what stays inside runs: %s', async (command) => {
    expect(await data('execute_command', { command })).toMatchObject({ success: true, exit_code: 0 });
  });

  test('git work in a repository of the sandbox directory runs', async () => {
    const who = "-c 'user.name=A' -c 'user.email=a@example.com'";
    await call('execute_command', { command: 'git init repository' });
    const lines = [
      'echo one > file && git add file',
      `git ${who} commit -m first`,
      'git checkout -b topic && git branch other && git tag v1',
      'git mv file moved && git restore --staged --worktree .',
      `echo two > file && git ${who} stash`,
      'git rm file',
      'mktemp',
    ];
    for (const command of lines) {
      const answer = await data('execute_command', { command, work_dir: 'repository' });
      expect([command, answer]).toEqual([command, expect.objectContaining({ success: true, exit_code: 0 })]);
    }
  });

  test.each([
    ...['git config user.name x', 'git config --global a.b c', 'git maintenance start', 'git fetch', 'git gc; kill 1'],
    ...['crontab x', 'systemctl stop x', 'git worktree add ../beside', 'mktemp -p /srv'],
  ])('changes beyond files of the repository are not: %s', async (command) =>
    expect((await call('execute_command', { command })).isError).toBe(true),
  );

  test('the example of the guide runs', async () => {
    expect((await data('create_directory', { path: 'unasked' })).success).toBe(true);
    expect((await data('change_directory', { path: 'unasked' })).success).toBe(true);
    const touch = { command: 'touch', args: ['test.txt'], work_dir: '.' };
    expect(await data('execute_command', touch)).toMatchObject({ success: true, exit_code: 0 });
    expect(existsSync(join(subject.folder, 'unasked/test.txt'))).toBe(true);
  });

  test.each(['curl http://127.0.0.1:9/', 'sudo ls', '$UNKNOWN', 'rm -rf *', 'git push', 'echo ls > s; sh s'])(
    'what may leave it, or cannot be told, does not: %s',
    async (command) => expect((await call('execute_command', { command })).isError).toBe(true),
  );

  test('a protected name that the sandbox removes again is no success', async () => {
    const { isError, data: made } = await call('create_directory', { path: '.vscode' });
    expect([isError, made.error]).toEqual([
      true,
      expect.stringMatching(/not created: .*\.vscode.*because it controls/),
    ]);
    const ran = await data('execute_command', { command: 'mkdir .vscode' });
    expect(ran.message).toMatch(/^command executed, but the sandbox does not allow .*\.vscode\.$/);
    expect(`${ran.stdout}${ran.stderr}`.match(/because it controls/g)).toHaveLength(1);
    expect(existsSync(join(subject.folder, '.vscode'))).toBe(false);
    expect((await data('create_directory', { path: 'plain' })).success).toBe(true);
  });

  test('the kernel confines it', async () => {
    const beside = join(subject.folder, '../beside');
    const script = `import os; p=os.path.join(os.getcwd(),'..','beside'); open(p,'w')`;
    const answer = await data('execute_command', { command: 'python3', args: ['-c', script] });
    expect([answer.success, answer.exit_code]).toEqual([true, 1]);
    expect(existsSync(beside)).toBe(false);
  });

  test.each([
    ['requireConfirmation', { requireConfirmation: true }],
    ['plan mode', { mode: 'plan' as const }],
    ['dont-ask mode', { mode: 'dont-ask' as const }],
  ])('settings that are stricter stay so: %s', async (_, more) => {
    calling = subject.converse({ ...DEFAULT_POLICY, ...more });
    expect((await call('execute_command', { command: 'bash -c "echo x > strict"' })).isError).toBe(true);
    expect(existsSync(join(subject.folder, 'strict'))).toBe(false);
  });

  test('without a sandbox that confines it, it is asked about', async () => {
    const { session } = calling;
    const unconfined = { ...calling, session: session.with({ sandbox: 'unrestricted' }) };
    const { isError } = await subject.call('execute_command', { command: 'touch unconfined' }, unconfined);
    expect([isError, existsSync(join(subject.folder, 'unconfined'))]).toEqual([true, false]);
  });

  test('other profiles still ask', () => {
    const { verdict } = subject.shell.check('touch x', calling.session.complete({ profile: 'req' }));
    expect(verdict.decision).toBe('ask');
  });
});

describe('MCPG default blacklisted commands', () => {
  test.each([
    ...['shutdown', 'reboot', 'halt', 'poweroff', 'init', 'useradd', 'userdel', 'usermod', 'passwd', 'fdisk', 'mkfs'],
    ...['mount', 'umount', 'dd', 'apt', 'yum', 'dnf', 'rpm', 'dpkg', 'format', 'ifconfig', 'ip', 'iptables'],
  ])('%s', async (command) => {
    expect(await data('execute_command', { command, args: ['--version'] })).toEqual({
      error: 'command is blacklisted',
    });
  });
});

describe('MCPG error handling', () => {
  test('every answer is JSON in its text, too', async () => {
    const calls: [string, unknown][] = [
      ['execute_command', { command: 'echo "a \\"b\\""; exit 3' }],
      ['execute_command', { command: 'reboot' }],
      ['execute_command', { command: 'sleep 60', timeout: 0.3 }],
      ['execute_command', { nonsense: 1 }],
      ['get_command_blacklist', {}],
      ['update_command_blacklist', { commands: ['x'] }],
      ['get_working_directory', {}],
      ['change_directory', { path: '.' }],
      ['create_directory', { path: 'json' }],
    ];
    for (const [name, input] of calls) {
      const { text, data: answer } = await call(name, input);
      expect(JSON.parse(text)).toEqual(answer);
    }
  });

  test('a long output names the file that has all of it', async () => {
    const { message, stdout } = await data('execute_command', { command: 'seq 1 20000' });
    expect(message).toMatch(/^command executed successfully \[the whole output is in \/.*\]$/);
    expect(stdout).toContain('characters truncated');
  });

  test('4 timeout', async () => {
    const answer = await data('execute_command', { command: 'echo begin; sleep 60', timeout: 0.3 });
    expect(answer).toEqual({
      success: false,
      exit_code: -1,
      stdout: 'begin\n',
      stderr: '',
      message: 'command execution failed: context deadline exceeded',
    });
  });
});

test('MCPG the complete usage example', async () => {
  expect(await data('get_working_directory')).toEqual({ work_dir: '.' });
  expect((await data('create_directory', { path: 'myproject' })).success).toBe(true);
  expect((await data('change_directory', { path: 'myproject' })).success).toBe(true);
  const hello = { command: 'echo', args: ['Hello from myproject!'], work_dir: '.' };
  expect((await data('execute_command', hello)).stdout).toBe('Hello from myproject!\n');
  expect((await data('execute_command', { command: 'pwd', work_dir: '.' })).stdout).toBe(
    `${join(subject.folder, 'myproject')}\n`,
  );
  expect((await data('get_command_blacklist')).commands).toContain('reboot');
  const added = { commands: ['dangerous_cmd'], directories: ['/sensitive/path'] };
  expect((await data('update_command_blacklist', added)).success).toBe(true);
  expect((await data('create_directory', { path: '../../outside' })).error).toBe('path is outside sandbox directory');
});

test('MCPG the descriptions are those of the guide, with the sandbox directory', () => {
  const text = subject.tool('execute_command').describe(subject.surroundings);
  expect(text).toContain('Execute command line command within sandbox directory.');
  expect(text).toContain(subject.folder);
  expect(text).toContain('Checked are the paths and programs that a command names');
  expect(subject.tool('change_directory').describe(subject.surroundings)).toContain('can only change within sandbox');
});
