// `hardshell install` as a user runs it: real files in a separate home, real processes, a real terminal for the question.

import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { hashHook } from '../../src/surfaces/cli/install/in-force/codex-trust.ts';
import { runVerb } from '../run-verb.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const BIN = join(ROOT, 'bin/hardshell.js');
let folder: string;
let home: string;
let project: string;

beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'hardshell-install-')));
  home = join(folder, 'home');
  project = join(folder, 'project');
  mkdirSync(home);
  mkdirSync(project);
});
afterEach(() => rmSync(folder, { recursive: true }));

const environment = () => ({ PATH: '/usr/bin:/bin', HOME: home, LANG: 'C.UTF-8' });

function install(...args: string[]) {
  return runVerb(['install', ...args], { cwd: project, env: environment() });
}

const read = (path: string) => readFileSync(path, 'utf8');
const backupsIn = (path: string) => readdirSync(path).filter((name) => name.endsWith('.hardshell-backup'));

describe('into the settings of an agent', () => {
  test('the change is shown, a copy is kept, and everything else stays as it is', async () => {
    const file = join(home, '.claude.json');
    const before = '{\n  // mine\n  "numStartups": 3\n}\n';
    writeFileSync(file, before, { mode: 0o600 });
    const { status, stdout, stderr } = await install('claude-code', '--mcp', '--yes');
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(stdout).toMatch(/^Add hardshell's MCP server to Claude Code: .*\.claude\.json\n/);
    expect(stdout).toContain('+    "hardshell": {');
    expect(read(file)).toContain('// mine');
    expect(read(file)).toContain(JSON.stringify(BIN));
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const [backup = '', ...more] = backupsIn(home);
    expect(more).toEqual([]);
    expect(stdout).toContain(backup);
    expect(read(join(home, backup))).toBe(before);
    expect(statSync(join(home, backup)).mode & 0o777).toBe(0o600);
  });

  test('what is written starts', async () => {
    await install('cursor', '--yes', '--verdict-only');
    const { command } = JSON.parse(read(join(home, '.cursor/hooks.json'))).hooks.beforeShellExecution[0];
    const event = JSON.stringify({ hook_event_name: 'beforeShellExecution', command: 'ls', cwd: project });
    // As the agent would: by a shell, with an environment that knows no Node.
    const { stdout } = spawnSync('/bin/sh', ['-c', command], {
      input: event,
      env: { HOME: home, PATH: '/nowhere' },
      encoding: 'utf8',
    });
    expect(JSON.parse(stdout)).toMatchObject({ permission: 'allow' });
  });

  test.each([
    ['claude-code', '.claude/settings.json'],
    ['codex', '.codex/hooks.json'],
    ['gemini', '.gemini/settings.json'],
    ['opencode', '.config/opencode/plugin/hardshell.js'],
  ])(
    '%s: by default its commands run in the sandbox; --verdict-only changes that, and --undo removes either',
    async (agent, path) => {
      const file = join(home, path);
      await install(agent, '--yes');
      expect(read(file)).toContain('--confine');
      expect((await install('--list')).stdout).not.toContain('verdicts only');
      expect((await install(agent, '--verdict-only', '--yes')).stdout).not.toContain('already has');
      expect(read(file)).not.toMatch(/--confine"[,\]]/);
      expect((await install('--list')).stdout).toContain('(user, verdicts only)');
      expect((await install(agent, '--undo', '--yes')).status).toBe(0);
      expect(existsSync(file)).toBe(false);
    },
  );

  test.each([
    ['claude-code', '.claude.json', { alwaysLoad: true }],
    ['gemini', '.gemini/settings.json', { trust: true }],
    ['qwen', '.qwen/settings.json', { trust: true }],
    ['copilot', '.copilot/mcp-config.json', { type: 'local', tools: ['*'] }],
    ['cline', '.cline/data/settings/cline_mcp_settings.json', {}],
  ])('%s: its server is offered and not asked about by the agent', async (agent, path, more) => {
    await install(agent, '--mcp', '--yes');
    const { hardshell } = JSON.parse(read(join(home, path))).mcpServers;
    expect(hardshell).toMatchObject({ command: process.execPath, args: [BIN, 'mcp'], ...more });
  });

  test('a second time there is nothing to do', async () => {
    await install('codex', '--mcp', '--yes');
    const text = read(join(home, '.codex/config.toml'));
    expect(await install('codex', '--mcp', '--yes')).toEqual({
      status: 0,
      stdout: `Codex already has hardshell's MCP server: ${join(home, '.codex/config.toml')}\n`,
      stderr: '',
    });
    expect(read(join(home, '.codex/config.toml'))).toBe(text);
    expect(backupsIn(join(home, '.codex'))).toEqual([]);
  });

  test('--dry-run writes nothing, not even a folder', async () => {
    const { status, stdout } = await install('vscode', '--project', '--dry-run', '--json');
    expect(status).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      schemaVersion: 1,
      agent: 'vscode',
      scope: 'project',
      what: 'server',
      action: 'added',
      isWritten: false,
      argv: [process.execPath, BIN, 'mcp'],
    });
    expect(readdirSync(project)).toEqual([]);
  });

  test('an entry of an earlier version, by npx, is brought up to date and taken out', async () => {
    const file = join(home, '.codex/hooks.json');
    mkdirSync(join(home, '.codex'));
    const entry = (command: string) => ({
      hooks: { PreToolUse: [{ matcher: '^Bash$', hooks: [{ type: 'command', command, timeout: 30 }] }] },
    });
    writeFileSync(file, JSON.stringify(entry('npx -y hardshell hook codex')));
    expect((await install('codex', '--yes', '--json')).stdout).toContain('"action":"updated"');
    expect(JSON.parse(read(file)).hooks.PreToolUse).toHaveLength(1);
    expect(read(file)).not.toContain('npx');
    expect(read(file)).toContain(BIN);
    writeFileSync(file, JSON.stringify(entry('npx -y hardshell hook codex')));
    expect((await install('codex', '--undo', '--yes')).status).toBe(0);
    expect(existsSync(file) && read(file).includes('hardshell')).toBe(false);
  });

  test('Codex: a hook that is not trusted is not in force, and both install and --list say so', async () => {
    const config = join(home, '.codex/config.toml');
    const file = join(home, '.codex/hooks.json');
    const states = async () => [
      JSON.parse((await install('codex', '--yes', '--json')).stdout).notInForce,
      JSON.parse((await install('--list', '--json')).stdout)
        .agents.find(({ agent }: { agent: string }) => agent === 'codex')
        .places.find(({ what, scope }: Record<string, string>) => what === 'hook' && scope === 'user').notInForce,
    ];
    const untrusted = 'nstalled, but not in force: Codex silently skips a hook until you trust it.';
    expect((await install('codex', '--yes')).stdout).toContain(untrusted);
    expect((await install('--list')).stdout).toContain(untrusted);
    expect(await states()).toEqual([
      expect.stringMatching(/until you trust it/),
      expect.stringMatching(/until you trust it/),
    ]);
    const [group] = JSON.parse(read(file)).hooks.PreToolUse;
    const trust = (hash: string, more = '') =>
      writeFileSync(config, `model = "x"\n[hooks.state."${file}:pre_tool_use:0:0"]\ntrusted_hash = "${hash}"\n${more}`);
    trust(hashHook(group.matcher, group.hooks[0]));
    expect(await states()).toEqual([null, null]);
    trust(hashHook(group.matcher, group.hooks[0]), 'enabled = false\n');
    expect(await states()).toEqual([expect.stringMatching(/off in Codex/), expect.stringMatching(/off in Codex/)]);
    trust(hashHook(group.matcher, { ...group.hooks[0], command: 'npx -y hardshell hook codex' }));
    expect(await states()).toEqual([
      expect.stringMatching(/earlier version/),
      expect.stringMatching(/earlier version/),
    ]);
    // Another hook before ours moves it to another place.
    trust(hashHook(group.matcher, group.hooks[0]));
    writeFileSync(file, JSON.stringify({ hooks: { PreToolUse: [{ matcher: 'x', hooks: [] }, group] } }));
    expect(await states()).toEqual([
      expect.stringMatching(/until you trust it/),
      expect.stringMatching(/until you trust it/),
    ]);
    // Fifteen starts of the program.
  }, 90_000);

  test('a link into a folder of dotfiles stays a link', async () => {
    const real = join(folder, 'dotfiles.json');
    writeFileSync(real, '{}');
    mkdirSync(join(home, '.gemini'));
    symlinkSync(real, join(home, '.gemini/settings.json'));
    expect((await install('gemini', '--mcp', '--yes')).status).toBe(0);
    expect(lstatSync(join(home, '.gemini/settings.json')).isSymbolicLink()).toBe(true);
    expect(JSON.parse(read(real)).mcpServers.hardshell.args.at(-1)).toBe('mcp');
  });
});

describe('--undo', () => {
  test.each([
    ['claude-code', '.claude.json', '{"a":1}'],
    ['cursor', '.cursor/mcp.json', '{\n\t"mcpServers": {},\n}\n'],
    ['codex', '.codex/config.toml', 'model = "x"\n# end'],
    ['opencode', '.config/opencode/opencode.jsonc', '{ /* c */ "mcp": { "x": { "enabled": false } } }'],
  ])('%s: gives back the same bytes, and leaves no copies', async (agent, path, before) => {
    const file = join(home, path);
    mkdirSync(join(file, '..'), { recursive: true });
    writeFileSync(file, before);
    expect((await install(agent, '--mcp', '--yes')).status).toBe(0);
    expect(read(file)).not.toBe(before);
    expect((await install(agent, '--mcp', '--undo', '--yes')).status).toBe(0);
    expect(read(file)).toBe(before);
    expect(readdirSync(join(file, '..')).filter((name) => name.endsWith('backup'))).toEqual([]);
  });

  test('later changes by others stay', async () => {
    const file = join(home, '.cursor/mcp.json');
    mkdirSync(join(home, '.cursor'));
    writeFileSync(file, '{"mcpServers": {"x": {"command": "y"}}}');
    await install('cursor', '--yes');
    const later = JSON.parse(read(file));
    later.mcpServers.z = { command: 'z' };
    later.more = true;
    writeFileSync(file, JSON.stringify(later, null, 2));
    expect((await install('cursor', '--undo', '--yes')).status).toBe(0);
    expect(JSON.parse(read(file))).toEqual({ mcpServers: { x: { command: 'y' }, z: { command: 'z' } }, more: true });
  });

  test('the backup of a file that others changed stays, and is named', async () => {
    const file = join(home, '.cursor/mcp.json');
    mkdirSync(join(home, '.cursor'));
    writeFileSync(file, '{"mcpServers": {"x": {"command": "y"}}}');
    await install('cursor', '--yes');
    writeFileSync(file, JSON.stringify({ ...JSON.parse(read(file)), more: true }));
    const { stdout } = await install('cursor', '--undo', '--yes');
    const [backup = '', ...others] = backupsIn(join(home, '.cursor'));
    expect(others).toEqual([]);
    expect(stdout).toContain('The file was changed by others since hardshell was added, so its backups stay:');
    expect(stdout).toContain(`  ${join(home, '.cursor', backup)}\n`);
  });

  test('an entry that was updated leaves no backup behind', async () => {
    const file = join(home, '.codex/hooks.json');
    mkdirSync(join(home, '.codex'));
    const before = '{"hooks": {"Stop": []}}\n';
    writeFileSync(file, before);
    await install('codex', '--yes');
    writeFileSync(file, read(file).replaceAll(BIN, '/earlier/bin/hardshell.js'));
    await install('codex', '--yes');
    expect(backupsIn(join(home, '.codex'))).toHaveLength(2);
    expect((await install('codex', '--undo', '--yes')).status).toBe(0);
    expect(readdirSync(join(home, '.codex'))).toEqual(['hooks.json']);
    expect(JSON.parse(read(file))).toEqual(JSON.parse(before));
  });

  test('server and hook in one file go one by one', async () => {
    const file = join(home, '.gemini/settings.json');
    await install('gemini', '--mcp', '--yes');
    await install('gemini', '--yes');
    expect(Object.keys(JSON.parse(read(file)))).toEqual(['mcpServers', 'hooks']);
    await install('gemini', '--mcp', '--undo', '--yes');
    expect(Object.keys(JSON.parse(read(file)))).toEqual(['hooks']);
    await install('gemini', '--undo', '--yes');
    expect(existsSync(file) ? JSON.parse(read(file)) : {}).toEqual({});
    expect(backupsIn(join(home, '.gemini'))).toEqual([]);
  });

  test('a file that it made goes', async () => {
    await install('claude-code', '--yes');
    expect(existsSync(join(home, '.claude/settings.json'))).toBe(true);
    await install('claude-code', '--undo', '--yes');
    expect(existsSync(join(home, '.claude/settings.json'))).toBe(false);
  });

  test('if there is nothing, it says so', async () => {
    expect(await install('vscode', '--undo', '--yes')).toMatchObject({
      status: 0,
      stdout: expect.stringMatching(/^VS Code does not have hardshell's MCP server/),
    });
  });
});

describe('what it refuses, without touching anything', () => {
  test('a file that cannot be read, with line and column', async () => {
    mkdirSync(join(home, '.codex'));
    writeFileSync(join(home, '.codex/config.toml'), 'a = 1\nb = "x\n');
    const { status, stderr } = await install('codex', '--mcp', '--yes');
    expect(status).toBe(2);
    expect(stderr).toMatch(/config\.toml:2:5: This is not valid TOML: this text is not closed\./);
    expect(readdirSync(join(home, '.codex'))).toEqual(['config.toml']);
  });

  test.each<[string[], RegExp]>([
    [['claude-code'], /No terminal to ask in/],
    [['claude-code', '--json'], /No terminal to ask in/],
    [[], /No agent given/],
    [['emacs'], /Allowed choices are claude-code/],
    [['claude-desktop', '--project', '--yes'], /no project settings/],
    [['vscode', '--verdict-only', '--yes'], /no hook/],
    [['codex', '--mcp', '--verdict-only', '--yes'], /cannot be combined/],
    [['cursor', '--project', '--user', '--yes'], /cannot be combined/],
  ])('%j', async (args, message) => {
    const { status, stderr } = await install(...args);
    expect({ status, stderr }).toEqual({ status: 2, stderr: expect.stringMatching(message) });
    expect([readdirSync(home), readdirSync(project)]).toEqual([[], []]);
  });

  test('from inside a command that hardshell runs: an agent would take its own hook out', async () => {
    await install('claude-code', '--yes');
    const text = read(join(home, '.claude/settings.json'));
    const { status, stderr } = spawnSync(process.execPath, [BIN, 'install', 'claude-code', '--undo', '--yes'], {
      cwd: project,
      env: { ...environment(), HARDSHELL: '1' },
      encoding: 'utf8',
    });
    expect({ status, stderr }).toEqual({ status: 2, stderr: expect.stringMatching(/A command that hardshell runs/) });
    expect(read(join(home, '.claude/settings.json'))).toBe(text);
  });

  test('a folder that cannot be written', async (context) => {
    if (process.getuid?.() === 0) context.skip('root may write everywhere');
    mkdirSync(join(home, '.cursor'));
    chmodSync(join(home, '.cursor'), 0o500);
    expect(await install('cursor', '--yes')).toMatchObject({
      status: 2,
      stderr: expect.stringMatching(/cannot be written/),
    });
  });
});

describe('at a terminal it asks', () => {
  const ask = (answer: string) =>
    spawnSync('script', ['-qec', `${process.execPath} ${BIN} install cursor`, '/dev/null'], {
      cwd: project,
      env: environment(),
      input: `${answer}\n`,
      encoding: 'utf8',
      timeout: 15_000,
    });

  test.each([
    ['y', 0, true],
    ['yes', 0, true],
    ['', 1, false],
    ['no', 1, false],
  ])('%j', async (answer, status, isWritten) => {
    const result = ask(answer);
    expect(result.stdout).toContain('Write it? [y/N]');
    expect(result.status).toBe(status);
    expect(existsSync(join(home, '.cursor/mcp.json'))).toBe(isWritten);
  });
});

describe('--list', () => {
  test('says which agents are here and what is in', async () => {
    mkdirSync(join(home, '.codex'));
    mkdirSync(join(project, '.vscode'));
    writeFileSync(join(project, '.vscode/mcp.json'), '{');
    await install('claude-code', '--yes');
    const { agents } = JSON.parse((await install('--list', '--json')).stdout);
    const found = Object.fromEntries(
      agents.map((row: { agent: string; isFound: boolean }) => [row.agent, row.isFound]),
    );
    expect(found).toMatchObject({ 'claude-code': true, codex: true, cursor: false, vscode: false });
    const { stdout } = await install('--list');
    expect(stdout).toMatch(/Claude Code +found\n {2}hook +in .*\.claude\/settings\.json \(user\)/);
    expect(stdout).toMatch(/VS Code +not found\n {2}MCP server +cannot be read: line 1, column 2/);
  });
});
