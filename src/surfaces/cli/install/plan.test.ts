import { spawnSync } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import { AGENTS } from './agents.ts';
import { diffLines } from './diff.ts';
import { launchFor, NO_VERDICT, refuseCache, toCommandLine, toHookLine } from './launch.ts';
import { AGENT_NAMES, type AgentName } from './options.ts';
import { isInstalled, planInstall, planRemoval } from './plan.ts';
import type { Surroundings, Target } from './target.ts';

const PLACE: Surroundings = { home: '/home/u', cwd: '/w', platform: 'linux', environment: {} };
const ARGV = ['/usr/bin/node', '/opt/hard shell/bin/hardshell.js'];

const server = (name: AgentName) => AGENTS[name].server('user', PLACE) as Target;
const hook = (name: AgentName) => AGENTS[name].hook?.('user', PLACE) as Target;
const TARGETS: [string, Target, string[]][] = AGENT_NAMES.flatMap((name) => [
  [`${name} server`, server(name), [...ARGV, 'mcp']] as [string, Target, string[]],
  ...(AGENTS[name].hook === undefined
    ? []
    : [[`${name} hook`, hook(name), [...ARGV, 'hook', name]] as [string, Target, string[]]]),
]);

test.each(TARGETS)('%s: into no file and out again leaves no file', (_name, target, argv) => {
  const added = planInstall(target, null, argv);
  expect(isInstalled(target, added)).toBe(true);
  expect(planInstall(target, added, argv)).toBe(added);
  expect(planRemoval(target, added, null)).toBe(null);
});

test('a file of somebody else is not replaced', () => {
  const target = AGENTS.opencode.hook?.('user', PLACE) as Target;
  expect(() => planInstall(target, 'export const Other = 1;\n', ['n', 'hardshell.js', 'hook', 'opencode'])).toThrow(
    'not from hardshell',
  );
});

const JSON_TARGETS = TARGETS.filter(([, { form }]) => form === 'json' || form === 'json-list');
const COMMENTED = `{
\t// mine
\t"theme": "dark", /* and */ "x": [1,2],
\t"last": {"a":1},
}
`;

const FORMS: [string, string][] = [
  ['comments, tabs, odd spacing and a last comma', COMMENTED],
  ['a comment behind the last one', '{\n  "a": 1 // one\n  // two\n}\n'],
  ['a comma and a comment behind the last one', '{\n  "a": 1, // one, two\n}\n'],
  ['one line', '{"a":1}'],
  ['one line with a last comma', '{ "a": 1, }'],
  ['only comments', '{\n    // nothing yet\n}\n'],
  ['nothing', '{}'],
  ['line ends of Windows', '{\r\n  "a": [ ],\r\n  "b": 2\r\n}\r\n'],
  ['brackets at odd places', '{ "a": 1,\n"b": {\n}}'],
];

describe.each(FORMS)('%s: every byte stays, and comes back', (_form, before) => {
  test.each(JSON_TARGETS)('%s', (_name, target, argv) => {
    const added = planInstall(target, before, argv);
    expect(isInstalled(target, added)).toBe(true);
    expect(planInstall(target, added, argv)).toBe(added);
    // Everything printed before is there in the same order; only commas and white space were added with our entry.
    const ink = (text: string) => text.replace(/[\s,]/g, '');
    expect(isSubsequence(ink(before), ink(added))).toBe(true);
    const after = planRemoval(target, added, before) as string;
    const besides = target.form === 'json-list' ? Object.keys(target.besides ?? {}) : [];
    if (besides.length === 0) expect(after.replace(/\s+}/g, '}')).toBe(before.replace(/\s+}/g, '}'));
  });
});

function isSubsequence(part: string, whole: string): boolean {
  let at = 0;
  for (const character of whole) if (character === part[at]) at += 1;
  return at === part.length;
}

describe('others stay', () => {
  test('other servers and their formatting', () => {
    const before = '{\n  "mcpServers": {\n    "x": { "command": "y" }\n  },\n  "z": 1\n}\n';
    const added = planInstall(server('cursor'), before, ['n', 'mcp']);
    expect(JSON.parse(added)).toEqual({
      mcpServers: { x: { command: 'y' }, hardshell: { command: 'n', args: ['mcp'] } },
      z: 1,
    });
    expect(planRemoval(server('cursor'), added, before)).toBe(before);
  });

  test('other hooks, before and after ours', () => {
    const target = hook('claude-code');
    const other = (command: string) => ({ matcher: 'Bash', hooks: [{ type: 'command', command }] });
    const before = JSON.stringify(
      { hooks: { PreToolUse: [other('a')], Stop: [other('hardshell hook codex')] } },
      null,
      2,
    );
    const added = JSON.parse(planInstall(target, before, [...ARGV, 'hook', 'claude-code']));
    expect(added.hooks.PreToolUse).toHaveLength(2);
    added.hooks.PreToolUse.push(other('b'));
    const after = planRemoval(target, JSON.stringify(added), before) as string;
    expect(JSON.parse(after).hooks).toEqual({
      PreToolUse: [other('a'), other('b')],
      Stop: [other('hardshell hook codex')],
    });
  });

  test('a list that was there empty stays, one that we made goes', () => {
    const target = hook('gemini');
    for (const before of ['{"hooks": {"BeforeTool": []}, "a": 1}', '{"hooks": {}, "a": 1}', '{"a": 1}']) {
      const added = planInstall(target, before, [...ARGV, 'hook', 'gemini']);
      expect(JSON.parse(planRemoval(target, added, before) as string)).toEqual(JSON.parse(before));
    }
  });

  test('an old entry is brought up to date in its place, with what a person added', () => {
    const before = '{"mcpServers": {"hardshell": {"command": "old", "env": {"A": "1"}}, "b": {}}}';
    const after = JSON.parse(planInstall(server('gemini'), before, ['n', 'mcp']));
    expect(after.mcpServers).toEqual({
      hardshell: { trust: true, command: 'n', args: ['mcp'], env: { A: '1' } },
      b: {},
    });
  });

  test('an old hook is brought up to date in its place', () => {
    const target = hook('cursor');
    const first = planInstall(target, null, ['npx', '-y', 'hardshell', 'hook', 'cursor']);
    const second = planInstall(target, first, [...ARGV, 'hook', 'cursor']);
    expect(JSON.parse(second).hooks.beforeShellExecution).toEqual([
      { command: '/usr/bin/node "/opt/hard shell/bin/hardshell.js" hook cursor', timeout: 30, failClosed: true },
    ]);
  });

  test('opencode 2 has its servers one step deeper', () => {
    const added = planInstall(server('opencode'), '{"mcp": {"servers": {"x": {"type": "local", "command": []}}}}', [
      'n',
    ]);
    expect(JSON.parse(added).mcp.servers.hardshell).toEqual({ type: 'local', command: ['n'], enabled: true });
    const flat = planInstall(server('opencode'), '{"mcp": {"servers": {"type": "local", "command": []}}}', ['n']);
    expect(JSON.parse(flat).mcp.hardshell).toEqual({ type: 'local', command: ['n'], enabled: true });
  });
});

describe('files that cannot be edited are refused with their place', () => {
  test.each([
    ['{', 1, 2],
    ['{\n  "a": 1\n  "b": 2\n}', 3, 3],
    ['[]', 1, 1],
    ['{"mcpServers": []}', 1, 16],
    ['{"mcpServers": null}', 1, 16],
    ['{"a": "\n"}', 1, 7],
  ])('%j', (text, line, column) => {
    expect(() => planInstall(server('cursor'), text, ['n'])).toThrow(
      expect.objectContaining({ spot: { line, column } }),
    );
  });

  test('a list of hooks that is none', () => {
    expect(() => planInstall(hook('claude-code'), '{"hooks": {"PreToolUse": {}}}', ['n'])).toThrow(
      expect.objectContaining({ spot: { line: 1, column: 26 } }),
    );
  });
});

describe('where agents keep their settings', () => {
  test.each<[AgentName, NodeJS.Platform, string, string | null]>([
    ['claude-code', 'linux', '/home/u/.claude.json', '/w/.mcp.json'],
    ['claude-desktop', 'linux', '/home/u/.config/Claude/claude_desktop_config.json', null],
    ['claude-desktop', 'darwin', '/home/u/Library/Application Support/Claude/claude_desktop_config.json', null],
    ['cursor', 'linux', '/home/u/.cursor/mcp.json', '/w/.cursor/mcp.json'],
    ['codex', 'linux', '/home/u/.codex/config.toml', '/w/.codex/config.toml'],
    ['gemini', 'linux', '/home/u/.gemini/settings.json', '/w/.gemini/settings.json'],
    ['vscode', 'linux', '/home/u/.config/Code/User/mcp.json', '/w/.vscode/mcp.json'],
    ['vscode', 'darwin', '/home/u/Library/Application Support/Code/User/mcp.json', '/w/.vscode/mcp.json'],
    ['opencode', 'linux', '/home/u/.config/opencode/opencode.json', '/w/opencode.json'],
  ])('%s on %s', (name, platform, user, project) => {
    const files = (['user', 'project'] as const).map(
      (scope) => AGENTS[name].server(scope, { ...PLACE, platform })?.file,
    );
    expect(files).toEqual([user, project ?? undefined]);
  });
});

test('Claude Code keeps its files where CLAUDE_CONFIG_DIR says', () => {
  const place = { ...PLACE, environment: { CLAUDE_CONFIG_DIR: '/c' } };
  const agent = AGENTS['claude-code'];
  expect(agent.server('user', place)?.file).toBe('/c/.claude.json');
  expect(agent.hook?.('user', place).file).toBe('/c/settings.json');
});

test('Gemini CLI keeps its files where GEMINI_CLI_HOME says', () => {
  const place = { ...PLACE, environment: { GEMINI_CLI_HOME: '/g' } };
  expect(AGENTS.gemini.server('user', place)?.file).toBe('/g/.gemini/settings.json');
  expect(AGENTS.gemini.hook?.('user', place).file).toBe('/g/.gemini/settings.json');
});

describe('the command that is written', () => {
  test('is this installation by full paths, and never a name that a registry would look up', () => {
    for (const scope of ['user', 'project'] as const)
      expect(launchFor(scope, '/opt/hardshell').argv).toEqual([process.execPath, '/opt/hardshell/bin/hardshell.js']);
    expect(() => refuseCache('/opt/hardshell')).not.toThrow();
    expect(() => refuseCache('/home/u/.npm/_npx/1f/node_modules/hardshell')).toThrow(/npx cache/);
  });

  const REFUSAL = { decision: 'deny', reason: NO_VERDICT };

  test.each(['sh', 'bash', 'zsh', 'fish'])(
    'a hook that fails or is silent is a refusal, and nothing else is seen: %s',
    (shell) => {
      if (spawnSync(shell, ['-c', 'true']).status !== 0) return;
      const run = (argv: readonly string[], timeout: string | null = '/usr/bin/timeout') => {
        const line = toHookLine(argv, REFUSAL, { platform: 'linux', timeout });
        const { status, stdout, stderr } = spawnSync(shell, ['-c', line], { encoding: 'utf8', timeout: 60_000 });
        return { status, stdout, stderr };
      };
      const refused = { status: 0, stdout: `${JSON.stringify(REFUSAL)}\n`, stderr: '' };
      expect(run(['/gone/node', '/gone/hardshell.js'])).toEqual(refused);
      expect(run(['/gone/node', '/gone/hardshell.js'], null)).toEqual(refused);
      expect(run([process.execPath, '/gone/hardshell.js'])).toEqual(refused);
      expect(run(['/bin/false'])).toEqual(refused);
      // A file that was emptied.
      expect(run(['/bin/true'])).toEqual(refused);
      expect(run([process.execPath, '/dev/null'])).toEqual(refused);
      expect(run(['/bin/sh', '-c', 'kill -9 $$'], null)).toEqual(refused);
      expect(run(['/bin/sh', '-c', 'kill -9 $$'])).toEqual(refused);
      const say = (text: string, status: number) =>
        run(['/bin/sh', '-c', `printf '%s\\n' '${text}'; echo noise >&2; exit ${status}`]);
      expect(say('{"a":"\\n `b` $c"}', 0)).toEqual({ status: 0, stdout: '{"a":"\\n `b` $c"}\n', stderr: '' });
      expect(say('{"a":1}', 2)).toEqual({ status: 0, stdout: '{"a":1}\n', stderr: '' });
      // Output before the failure is ignored.
      expect(say('{"a":1}', 1)).toEqual(refused);
      expect(say('{"a":1}', 20)).toEqual(refused);
      expect(say('hello', 0)).toEqual(refused);
    },
  );

  test('a hook that does not answer is ended before the agent gives up on it', () => {
    const line = toHookLine(['/bin/sleep', '60'], REFUSAL, { platform: 'linux', timeout: '/usr/bin/timeout' });
    expect(line).toMatch(/' \/usr\/bin\/timeout -k 1 25 \/bin\/sleep 60$/);
    const short = line.replace('-k 1 25', '-k 1 1');
    const { stdout } = spawnSync('sh', ['-c', short], { timeout: 20_000, encoding: 'utf8' });
    expect(JSON.parse(stdout)).toEqual(REFUSAL);
  });

  test('Windows gets the plain line', () => {
    expect(toHookLine(['node', 'x'], REFUSAL, { platform: 'win32', timeout: null })).toBe('node x');
  });

  test.each([
    [['/usr/bin/node', 'a b'], '/usr/bin/node "a b"'],
    [['/x/$(id)/node'], "'/x/$(id)/node'"],
    [["it's"], `"it's"`],
    [["$it's"], `'$it'\\''s'`],
  ])('%j as one line for a shell', (argv, line) => {
    expect(toCommandLine(argv)).toBe(line);
  });
});

test('the diff shows what changes and three lines around it', () => {
  const before = `${[1, 2, 3, 4, 5, 6, 7, 8, 9].join('\n')}\n`;
  expect(diffLines(before, before.replace('5\n', 'x\ny\n'))).toEqual([
    '@@ -2,7 +2,8 @@',
    ' 2',
    ' 3',
    ' 4',
    '-5',
    '+x',
    '+y',
    ' 6',
    ' 7',
    ' 8',
  ]);
  expect(diffLines(before, before)).toEqual([]);
  expect(diffLines(null, 'a\n')).toEqual(['@@ -1,0 +1,1 @@', '+a']);
});
