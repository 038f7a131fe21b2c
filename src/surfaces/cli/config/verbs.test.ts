// `hardshell config …` as a user runs it: real processes, a separate home, what goes to which stream.

import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { runVerb } from '../../../../test/run-verb.ts';

const ROOT = fileURLToPath(new URL('../../../..', import.meta.url));

let top: string;
beforeEach(() => {
  top = realpathSync(mkdtempSync(join(tmpdir(), 'hardshell-verbs-')));
  for (const folder of ['home', 'p/sub']) mkdirSync(join(top, folder), { recursive: true });
});
afterEach(() => rmSync(top, { recursive: true }));

const USER = 'home/.config/hardshell/settings.json';
const PROJECT = 'p/.hardshell/settings.json';

function write(name: string, content: unknown): string {
  const file = join(top, name);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
  return file;
}

function readJson(name: string): unknown {
  return JSON.parse(readFileSync(join(top, name), 'utf8'));
}

async function cli(
  args: readonly string[],
  { env = {}, at = 'p' }: { env?: Record<string, string>; at?: string } = {},
) {
  const variables = { PATH: process.env.PATH, HOME: join(top, 'home'), LANG: 'C.UTF-8', NO_COLOR: '1', ...env };
  const { status, stdout, stderr } = await runVerb(['config', ...args], { cwd: join(top, at), env: variables });
  const plain = (text: string): string => text.replaceAll(top, 'TOP');
  return { status, stdout: plain(stdout), stderr: plain(stderr) };
}

const json = async (...args: string[]) => JSON.parse((await cli([...args, '--json'])).stdout);

describe('path', () => {
  test('names the files of every layer, and trust', async () => {
    write(PROJECT, {});
    write(USER, {});
    expect(await cli(['path'], { at: 'p/sub' })).toEqual({
      status: 0,
      stdout: [
        'managed  /etc/hardshell/managed-settings.json  (absent)',
        'local    TOP/p/sub/.hardshell/settings.local.json  (absent)',
        'project  TOP/p/sub/.hardshell/settings.json  (absent)',
        'project  TOP/p/.hardshell/settings.json  (exists, not trusted: may only tighten)',
        'user     TOP/home/.config/hardshell/settings.json  (exists)',
        'Parent folders are searched too; the file with the highest precedence is first.',
        '',
      ].join('\n'),
      stderr: '',
    });
    await cli(['trust', join(top, 'p')]);
    const files: { file: string }[] = (await json('path')).files;
    expect(files.find(({ file }) => file === 'TOP/p/.hardshell/settings.json')).toEqual({
      layer: 'project',
      file: 'TOP/p/.hardshell/settings.json',
      exists: true,
      trusted: true,
    });
  });

  test('works while the settings are broken, and says so', async () => {
    write(USER, '{');
    const { status, stdout, stderr } = await cli(['path']);
    expect({ status, stderr }).toEqual({
      status: 2,
      stderr: 'TOP/home/.config/hardshell/settings.json:1:2: Expected a closing }.\n  Close the bracket.\n',
    });
    expect(stdout).toContain('user     TOP/home/.config/hardshell/settings.json  (exists)');
  });
});

describe('validate', () => {
  test('all that count here', async () => {
    expect((await cli(['validate'])).stdout).toBe('No settings files: the defaults apply.\n');
    write(USER, {});
    write(PROJECT, '{\n  "mod": 1,\n  "permissions": {"deny": ["Bash(ls"]}\n}');
    expect(await cli(['validate'])).toEqual({
      status: 2,
      stdout:
        'TOP/p/.hardshell/settings.json:2:3: Unknown setting "mod".\n  Did you mean "mode"?\nTOP/home/.config/hardshell/settings.json: valid\n',
      stderr: '',
    });
  });

  test('files by name, bad rules with the words of their grammar', async () => {
    const [good, bad] = [write('good.json', {}), write('bad.json', { permissions: { deny: ['Bash(ls'] } })];
    expect(await cli(['validate', good])).toEqual({ status: 0, stdout: 'TOP/good.json: valid\n', stderr: '' });
    expect((await cli(['validate', bad])).stdout).toMatch(
      /^TOP\/bad\.json:1:25: The rule "Bash\(ls" cannot be used: .+\n {2}.+\n$/,
    );
    expect(await cli(['validate', 'gone.json'])).toEqual({
      status: 2,
      stdout: 'TOP/p/gone.json: No such file.\n  Check the path.\n',
      stderr: '',
    });
  });

  test('as JSON', async () => {
    write(USER, '{"mod": 1}');
    expect(await json('validate')).toEqual({
      schemaVersion: 1,
      valid: false,
      files: [
        {
          file: 'TOP/home/.config/hardshell/settings.json',
          valid: false,
          problems: [{ line: 1, column: 2, message: 'Unknown setting "mod".', fix: 'Did you mean "mode"?' }],
          warnings: [],
        },
      ],
    });
  });

  test('values without effect in their file are warnings', async () => {
    write(USER, '{"managedDomainsOnly": true,\n"sandbox": {"excludedCommands": ["npm run", "git"]}}');
    const { status, stdout } = await cli(['validate']);
    expect([status, stdout.split('\n')]).toEqual([
      0,
      [
        'TOP/home/.config/hardshell/settings.json: valid',
        'Warning: TOP/home/.config/hardshell/settings.json:1:24: managedDomainsOnly: This counts in managed settings only.',
        '  Move it there, or remove it.',
        'Warning: TOP/home/.config/hardshell/settings.json:2:34: sandbox.excludedCommands[0]: npm run is not the name of a program, so it has no effect.',
        '  Write the name of a program, such as "docker", or remove it.',
        '',
      ],
    ]);
    const { files } = (await json('validate')) as { files: { valid: boolean; warnings: { key: string }[] }[] };
    expect(files.map(({ valid, warnings }) => [valid, warnings.map(({ key }) => key)])).toEqual([
      [true, ['managedDomainsOnly', 'sandbox.excludedCommands[0]']],
    ]);
    const other = write('other.json', { managedRulesOnly: true });
    expect((await cli(['validate', other])).stdout).toContain('Warning: TOP/other.json:1:21: managedRulesOnly: ');
  });

  test('a link that leads nowhere is found', async () => {
    symlinkSync('nowhere', write(PROJECT, '{}').replace('settings.json', 'settings.local.json'));
    expect((await cli(['validate'])).stdout).toContain('settings.local.json: The symbolic link is dangling.');
  });
});

test('schema is the published one', async () => {
  const published = JSON.parse(readFileSync(join(ROOT, 'schema/settings.schema.json'), 'utf8'));
  expect(JSON.parse((await cli(['schema'])).stdout)).toEqual(published);
});

describe('show', () => {
  test('what holds is a valid settings file that holds the same', async () => {
    write(USER, {
      mode: 'plan',
      roots: ['~/x'],
      permissions: { deny: [{ rule: 'Bash(a)', until: '2030-01-31', because: 'b' }] },
    });
    write(PROJECT, { protectedPaths: ['/y'], sandbox: { filesystem: { denyRead: ['z'] } } });
    const { status, stdout, stderr } = await cli(['show']);
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(JSON.parse(stdout)).toMatchObject({
      mode: 'plan',
      roots: ['/TOP/home/x'],
      permissions: { deny: [{ rule: 'Bash(a)', until: '2030-02-01T00:00:00.000Z', because: 'b' }] },
      protectedPaths: ['/TOP/p/y'],
      sandbox: { filesystem: { denyRead: ['/TOP/p/z'] } },
    });
    rmSync(join(top, PROJECT));
    write(USER, stdout.replaceAll('TOP', top));
    expect((await cli(['show'])).stdout).toBe(stdout);
  });

  test('--origin names the file and line of every value, also of what does not count', async () => {
    write(USER, '{\n  "mode": "plan"\n}');
    write(PROJECT, '{\n  "mode": "bypass",\n  "permissions": {"deny": ["Bash(x)"]}\n}');
    expect(await cli(['show', '--origin'])).toEqual({
      status: 0,
      stdout: [
        'mode                 "plan"     user     TOP/home/.config/hardshell/settings.json:2',
        'mode                 "bypass"   project  TOP/p/.hardshell/settings.json:2  ignored: The folder TOP/p is not trusted: its settings can only tighten.',
        'permissions.deny[0]  "Bash(x)"  project  TOP/p/.hardshell/settings.json:3',
        '',
      ].join('\n'),
      stderr:
        'TOP/p/.hardshell/settings.json:2:11: mode: The folder TOP/p is not trusted: its settings can only tighten.\n' +
        '  If you trust everyone who can change this folder: hardshell config trust TOP/p\n',
    });
    const { notices, origins } = await json('show', '--origin');
    expect([notices.length, origins.length]).toEqual([1, 3]);
  });

  test('--settings and --cwd', async () => {
    const file = write('flags.json', { mode: 'bypass' });
    write('other/.hardshell/settings.json', { mode: 'plan' });
    expect((await json('show')).settings.mode).toBe('default');
    expect((await json('show', '--cwd', join(top, 'other'))).settings.mode).toBe('plan');
    expect((await json('show', '--cwd', join(top, 'other'), '--settings', file)).settings.mode).toBe('bypass');
  });

  test('what a terminal would obey is spelled out', async () => {
    write(USER, '{"permissions": {"deny": [{"rule": "Bash(a)", "because": "\\u001b[2J\\u202e"}]}}');
    for (const args of [['show'], ['show', '--origin'], ['show', '--json']]) {
      const { status, stdout } = await cli(args);
      expect(status).toBe(0);
      expect(stdout).not.toMatch(/[\u001b\u202e]/);
      if (!args.includes('--origin')) expect(stdout).toContain('\\u001b[2J\\u202e');
    }
  });
});

describe('add', () => {
  test('to the user, with an end and a reason', async () => {
    expect(await cli(['add', 'allow', 'Bash(git status)'])).toEqual({
      status: 0,
      stdout: 'Added: allow Bash(git status) in TOP/home/.config/hardshell/settings.json\n',
      stderr: '',
    });
    await cli(['add', 'deny', 'Bash(x)', '--until', '2030-12-31', '--because', 'so']);
    expect(readJson(USER)).toEqual({
      permissions: { allow: ['Bash(git status)'], deny: [{ rule: 'Bash(x)', until: '2030-12-31', because: 'so' }] },
    });
    expect(await json('add', 'allow', 'Bash(git status)')).toMatchObject({ changed: false, notices: [] });
  });

  test('to a project that is not trusted: said, that it does not count', async () => {
    const { stdout, stderr } = await cli(['add', 'allow', 'Bash(x)', '--to', 'local']);
    expect(stdout).toBe('Added: allow Bash(x) in TOP/p/.hardshell/settings.local.json\n');
    expect(stderr).toMatch(
      /^This rule has no effect: The folder TOP\/p is not trusted.*\n.*hardshell config trust TOP\/p\n$/,
    );
    expect((await cli(['add', 'deny', 'Bash(x)', '--to', 'project'])).stderr).toBe('');
  });

  test.each<[string[], string]>([
    [['add'], 'A list and a rule are needed.'],
    [['add', 'forbid', 'Bash(x)'], 'Unknown list: "forbid".'],
    [['add', 'allow', 'Bash(x'], 'hardshell: The rule "Bash(x" cannot be used'],
    [['add', 'allow', 'Bash(x)', '--until', 'tomorrow'], 'cannot be "tomorrow"'],
    [['add', 'allow', 'Bash(x)', '--to', 'managed'], 'Allowed choices are user, project, local'],
    [['add', 'allow', 'Bash(x)', '--nope'], "Unknown option '--nope'"],
    [['trust', 'gone'], 'hardshell: gone does not exist'],
    [['trust', '/'], 'Trusting / would trust every folder below it'],
    [['import', 'other'], 'Settings can be imported only from claude-code.'],
    [['nope'], "Unknown subcommand 'nope'"],
  ])('%j is bad input', async (args, message) => {
    const { status, stderr } = await cli(args);
    expect({ status, stderr }).toEqual({ status: 2, stderr: expect.stringContaining(message) });
    expect(stderr).not.toContain('Quote the command');
  });

  test.each([[['add', 'allow', 'Bash(x)']], [['trust']], [['import', 'claude-code', '--write', 'user']]])(
    'a command that hardshell runs cannot loosen: %j',
    async (args) => expect(await cli(args, { env: { HARDSHELL: '1' } })).toMatchObject({ status: 2, stdout: '' }),
  );
});

test('trust and untrust', async () => {
  write(PROJECT, { permissions: { allow: ['Bash(x)'] } });
  expect((await json('show')).settings.permissions.allow).toEqual([]);
  expect((await cli(['trust'])).stdout).toBe(
    'TOP/p is trusted now: its settings, and those of all folders below, may loosen rules.\n',
  );
  expect((await json('show')).settings.permissions.allow).toEqual(['Bash(x)']);
  expect((await cli(['trust'])).stdout).toBe('TOP/p was already trusted.\n');
  expect((await cli(['untrust'])).stdout).toBe('TOP/p is no longer listed as trusted.\n');
  expect((await json('show')).settings.permissions.allow).toEqual([]);
});

describe('import claude-code', () => {
  const theirs = { permissions: { allow: ['Bash(npm test)', 'Task'], defaultMode: 'acceptEdits' }, hooks: {} };

  test('shows the settings and what is not taken, and writes nothing', async () => {
    write('home/.claude/settings.json', theirs);
    const { status, stdout, stderr } = await cli(['import', 'claude-code']);
    expect({ status, settings: JSON.parse(stdout) }).toEqual({
      status: 0,
      settings: { permissions: { allow: ['Bash(npm test)'] }, mode: 'accept-edits' },
    });
    expect(stderr).toBe(
      'TOP/home/.claude/settings.json:1:43: permissions.allow[1]: not imported: "Task" is for a tool that hardshell does not check\n' +
        'TOP/home/.claude/settings.json:1:88: hooks: not imported: hardshell has no such setting\n',
    );
    expect((await cli(['validate'])).stdout).toContain('No settings files');
  });

  test('--write adds them to what is there', async () => {
    write('p/.claude/settings.json', theirs);
    write(PROJECT, '{\n  // ours\n  "permissions": { "allow": ["Bash(make)"] }\n}\n');
    expect(await json('import', 'claude-code', '--write', 'project')).toMatchObject({
      written: { file: 'TOP/p/.hardshell/settings.json', changed: true },
    });
    const text = readFileSync(join(top, PROJECT), 'utf8');
    expect(text).toContain('// ours');
    expect(JSON.parse(text.replace('// ours', ''))).toEqual({
      permissions: { allow: ['Bash(make)', 'Bash(npm test)'] },
      mode: 'accept-edits',
    });
  });

  test('a missing file is named', async () => {
    expect(await cli(['import', 'claude-code', 'gone.json'])).toMatchObject({
      status: 2,
      stderr: 'hardshell: No such file: TOP/p/gone.json\n  Pass the path of the Claude Code settings file.\n',
    });
  });
});
