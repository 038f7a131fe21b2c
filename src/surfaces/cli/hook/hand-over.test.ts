// `hook AGENT --confine`: the agent's own command becomes a run by hardshell. The line is started by a real shell, as the
// agent does it; tickets are attacked.

import { execFileSync, spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, type TestContext, test } from 'vitest';
import { runVerb } from '../../../../test/run-verb.ts';
import { makeBase, whyNoKeeper } from '../../../../test/sandboxed/place.ts';

const BIN = fileURLToPath(new URL('../../../../bin/hardshell.js', import.meta.url));
let folder: string;
let home: string;
let project: string;
let env: Record<string, string>;

beforeEach(() => {
  // Not below /tmp, of which commands have their own.
  folder = makeBase();
  home = join(folder, 'home');
  project = join(folder, 'project');
  mkdirSync(join(home, '.config/hardshell'), { recursive: true });
  mkdirSync(join(project, 'sub'), { recursive: true });
  settings({ permissions: { allow: ['Bash(./try)', 'Bash(touch:*)', 'Bash(sleep:*)'], deny: ['Bash(make deploy)'] } });
  env = { PATH: process.env.PATH ?? '', HOME: home, HARDSHELL_STATE_DIR: join(folder, 'state'), PLAIN: 'kept' };
});
afterEach(() => rmSync(folder, { recursive: true }));

function settings(value: object): void {
  writeFileSync(join(home, '.config/hardshell/settings.json'), JSON.stringify(value));
}

interface ToolAnswer {
  readonly hookSpecificOutput?: {
    readonly permissionDecision?: string;
    readonly permissionDecisionReason?: string;
    readonly updatedInput?: { readonly command: string };
    readonly tool_input?: { readonly command: string };
  };
  readonly decision?: string;
}

const TOOLS = {
  'claude-code': ['PreToolUse', 'Bash'],
  codex: ['PreToolUse', 'Bash'],
  gemini: ['BeforeTool', 'run_shell_command'],
  opencode: ['PreToolUse', 'bash'],
} as const;
type Agent = keyof typeof TOOLS;

async function hook(command: string, agent: Agent = 'claude-code', more: object = {}): Promise<ToolAnswer> {
  const [hook_event_name, tool_name] = TOOLS[agent];
  const tool_input = { command, description: 'x', timeout: 1000 };
  const event = { hook_event_name, tool_name, tool_input, cwd: project, session_id: 's', ...more };
  const { status, stdout, stderr } = await runVerb(['hook', agent, '--confine'], {
    cwd: project,
    env: { ...env, CLAUDE_CODE_SESSION_ATTENDED: '1' },
    input: JSON.stringify(event),
  });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  return JSON.parse(stdout);
}

/** The line that the agent is told to run. */
async function lineFor(command: string, agent?: Agent, more?: object): Promise<string> {
  const { hookSpecificOutput: said = {} } = await hook(command, agent, more);
  return (said.updatedInput ?? said.tool_input)?.command ?? '';
}

function start(line: string, cwd = project) {
  const { status, stdout, stderr } = spawnSync('bash', ['-c', line], { cwd, env, encoding: 'utf8', timeout: 60_000 });
  return { status, stdout, stderr };
}

const ticketOf = (line: string): string => /--ticket ([0-9a-f]{16})/.exec(line)?.[1] ?? '';
const tickets = (): string[] => {
  const place = join(folder, 'state/tickets');
  return existsSync(place) ? readdirSync(place) : [];
};

function script(text: string): void {
  writeFileSync(join(project, 'try'), `#!/bin/sh\n${text}\n`);
  chmodSync(join(project, 'try'), 0o755);
}

const NOT_RUN = { status: 126, stdout: '' };

describe('the command runs in the sandbox, and is otherwise the same', () => {
  test.each(Object.keys(TOOLS) as Agent[])('%s gets a line with its own fields kept', async (agent) => {
    const { hookSpecificOutput: said = {}, ...rest } = await hook("echo 'a  b'", agent);
    const input = said.updatedInput ?? said.tool_input;
    expect(input).toEqual({
      command: expect.stringMatching(/ run --ticket [0-9a-f]{16} 'echo '\\''a {2}b'\\'''$/),
      description: 'x',
      timeout: 1000,
    });
    expect(input?.command.startsWith(`${process.execPath} ${BIN} run `)).toBe(true);
    expect(rest).toEqual({});
  });

  test('output in its order, exit code, folder and variables', async () => {
    script('echo one; echo two >&2; echo "$PLAIN $PWD"; exit 3');
    const line = await lineFor('./try');
    expect(start(`${line} 2>&1`)).toEqual({ status: 3, stdout: `one\ntwo\nkept ${project}\n`, stderr: '' });
    expect(tickets()).toEqual([]);
  });

  test('it cannot write outside of the project, nor see tickets', async (context: TestContext) => {
    if (whyNoKeeper !== null) context.skip(whyNoKeeper);
    script(`exec 2>/dev/null; touch inside; touch ${folder}/outside; ls ${folder}/state/tickets`);
    await hook('touch other');
    expect(tickets()).toHaveLength(1);
    const { stdout } = start(await lineFor('./try'));
    expect([existsSync(join(project, 'inside')), existsSync(join(folder, 'outside')), stdout]).toEqual([
      true,
      false,
      '',
    ]);
  });

  test('the shell of Claude Code follows cd, after success only', async () => {
    expect(start(`${await lineFor('cd sub')}; pwd`)).toEqual({ status: 0, stdout: `${project}/sub\n`, stderr: '' });
    expect(start(`${await lineFor('cd sub; false')}; pwd`)).toMatchObject({ stdout: `${project}\n` });
    expect(await lineFor('cd sub', 'codex')).not.toContain('&&');
  });

  test.each(['-x', "echo '\\\\' \"$(echo '$HOME')\" `echo b`", 'echo a\necho b #c', 'echo «ü»'])(
    'every text arrives as it is: %j',
    async (command) => {
      settings({ permissions: { allow: ['Bash'] } });
      const plain = spawnSync('bash', ['-c', '--', command], { cwd: project, env, encoding: 'utf8' });
      const { status, stdout } = start(await lineFor(command));
      expect([status, stdout]).toEqual([plain.status, plain.stdout + plain.stderr]);
    },
  );

  test('a process that is left is ended, and the model reads how to start one', async () => {
    const { stderr } = start(await lineFor('sleep 60 & echo up'));
    expect(stderr).toMatch(/1 process .* was ended with the command\. .*\(run_in_background\)/);
  });
});

describe('a ticket is for one run of one command in one folder', () => {
  test('it cannot be used twice', async () => {
    const line = await lineFor('touch a');
    expect(start(line).status).toBe(0);
    rmSync(join(project, 'a'));
    expect(start(line)).toEqual({ ...NOT_RUN, stderr: expect.stringContaining('was used before') });
    expect(existsSync(join(project, 'a'))).toBe(false);
  });

  test('of two at the same time, one runs', async () => {
    const line = await lineFor('echo once');
    const { stdout } = start(`(${line}) 2>/dev/null & (${line}) 2>/dev/null & wait`);
    expect(stdout).toBe('once\n');
  });

  test.each<[string, (line: string) => string]>([
    ['another command', (line) => line.replace('touch a', 'touch b')],
    ['a longer one', (line) => line.replace('touch a', 'touch a; touch b')],
    ['no ticket', (line) => line.replace(ticketOf(line), '0'.repeat(16))],
    ['a path', (line) => line.replace(ticketOf(line), '../tickets/x')],
    ['another folder', (line) => `cd sub && ${line}`],
  ])('%s is refused', async (_, change) => {
    const refused = start(change(await lineFor('touch a')));
    expect(refused).toEqual({ ...NOT_RUN, stderr: expect.stringMatching(/^hardshell: The command was not run: /) });
    expect(readdirSync(project)).toEqual(['sub']);
  });

  test('a use that does not match ends it', async () => {
    const line = await lineFor('touch a');
    start(line.replace('touch a', 'touch b'));
    expect(start(line)).toMatchObject(NOT_RUN);
  });

  test('after a day it has expired', async () => {
    const line = await lineFor('touch a');
    const then = Date.now() / 1_000 - 25 * 3_600;
    utimesSync(join(folder, 'state/tickets', ticketOf(line)), then, then);
    expect(start(line)).toEqual({ ...NOT_RUN, stderr: expect.stringContaining('expired') });
  });

  test('other options of run cannot be added', async () => {
    const line = await lineFor('touch a');
    expect(start(line.replace('--ticket', '--yes --ticket')).status).toBe(2);
    expect(start(line.replace('--ticket', '--sandbox unrestricted --ticket')).status).toBe(2);
    expect(readdirSync(project)).toEqual(['sub']);
  });
});

test('an agent whose hook cannot change commands is refused', async () => {
  const input = JSON.stringify({ command: 'ls', cwd: project, workspace_roots: [project] });
  const { status, stdout } = await runVerb(['hook', 'cursor', '--confine'], { cwd: project, env, input });
  expect([status, JSON.parse(stdout).permission]).toEqual([2, 'deny']);
});

describe('questions', () => {
  test("after a yes in the agent's dialog it runs, still confined", async (context: TestContext) => {
    if (whyNoKeeper !== null) context.skip(whyNoKeeper);
    settings({});
    script(`touch inside; touch ${folder}/outside`);
    const { hookSpecificOutput: said = {} } = await hook('./try');
    expect(said.permissionDecision).toBe('ask');
    start(said.updatedInput?.command ?? '');
    expect([existsSync(join(project, 'inside')), existsSync(join(folder, 'outside'))]).toEqual([true, false]);
  });

  test('a yes does not cover what has become a question since', async () => {
    const line = await lineFor('touch a');
    settings({ permissions: { ask: ['Bash(touch:*)'] } });
    expect(start(line)).toEqual({ ...NOT_RUN, stderr: expect.stringMatching(/^hardshell blocked this command: /) });
    expect(existsSync(join(project, 'a'))).toBe(false);
  });

  test('no ticket is issued for what is refused, or if no one can be asked', async () => {
    const unattended = await runVerb(['hook', 'claude-code', '--confine'], {
      cwd: project,
      env: { ...env, CLAUDE_CODE_SESSION_ATTENDED: '0' },
      input: JSON.stringify({ tool_name: 'Bash', tool_input: { command: 'npm install' }, cwd: project }),
    });
    const refused = [await hook('make deploy'), await hook('npm install', 'codex'), JSON.parse(unattended.stdout)];
    for (const { hookSpecificOutput: said } of refused) expect(said.updatedInput).toBeUndefined();
    expect(tickets()).toEqual([]);
  });
});

describe("the agent's own rules, which a changed command would escape", () => {
  const claude = (file: string, value: string): void => {
    mkdirSync(join(folder, file, '..'), { recursive: true });
    writeFileSync(join(folder, file), value);
  };

  test.each([
    ['home/.claude/settings.json', 'deny'],
    ['home/.claude/settings.json', 'ask'],
    ['project/.claude/settings.json', 'deny'],
    ['project/.claude/settings.local.json', 'deny'],
  ])('Claude Code, %s: %s', async (file, list) => {
    claude(file, JSON.stringify({ permissions: { [list]: ['WebSearch', 'Bash(touch:*)'] } }));
    const { hookSpecificOutput: said } = await hook('touch a && echo b');
    expect(said?.permissionDecision).toBe(list);
    expect(said?.permissionDecisionReason).toContain('Bash(touch:*)');
    expect((await hook('echo b')).hookSpecificOutput?.permissionDecision).toBe('allow');
  });

  test('those of the project hold in a folder that the model chose', async () => {
    claude('project/.claude/settings.json', '{"permissions": {"deny": ["Bash(touch:*)"]}}');
    const { hookSpecificOutput: said } = await hook('touch a', 'claude-code', { cwd: join(project, 'sub') });
    expect(said?.permissionDecision).toBe('deny');
  });

  test('settings of Claude Code that cannot be read stop the command', async () => {
    claude('home/.claude/settings.json', '{"permissions": ');
    const event = { tool_name: 'Bash', tool_input: { command: 'echo a' }, cwd: project };
    const { status } = await runVerb(['hook', 'claude-code', '--confine'], {
      cwd: project,
      env,
      input: JSON.stringify(event),
    });
    expect(status).toBe(2);
  });

  test.each<[Agent, string, string, string]>([
    ['gemini', 'home/.gemini/policies/a.toml', 'decision = "deny"', 'decision = "allow"'],
    ['gemini', 'project/.gemini/settings.json', '{"tools": {"exclude": ["run_shell_command(rm)"]}}', '{}'],
  ])('%s: with its own rule in %s, its commands stay as they are', async (agent, file, strict, lax) => {
    claude(file, strict);
    expect(await hook('echo a', agent)).toEqual({});
    claude(file, lax);
    expect(await lineFor('echo a', agent)).toContain('--ticket');
  });

  test('with a rule of Codex that forbids, its commands stay as they are; hardshell still decides', async () => {
    claude('home/.codex/rules/default.rules', 'prefix_rule(pattern=["touch"], decision="forbidden")\n');
    expect(await hook('echo a', 'codex')).toEqual({});
    expect((await hook('make deploy', 'codex')).hookSpecificOutput?.permissionDecision).toBe('deny');
    claude('home/.codex/rules/default.rules', 'prefix_rule(pattern=["touch"], decision="allow")\n');
    expect(await lineFor('echo a', 'codex')).toContain('--ticket');
  });
});

test("in the agent's own sandbox, which makes the state folder read-only, the command runs there", async (context: TestContext) => {
  const line = await lineFor('touch a; echo "$?"', 'codex');
  const bwrap = (...more: string[]) => [
    ...['--ro-bind', '/', '/', '--bind', project, project, '--dev', '/dev', '--proc', '/proc', ...more],
    ...['bash', '-c', line],
  ];
  try {
    execFileSync('bwrap', ['--ro-bind', '/', '/', 'true']);
  } catch {
    context.skip('bwrap cannot make a sandbox here');
  }
  const { status, stdout } = spawnSync('bwrap', bwrap(), { cwd: project, env, encoding: 'utf8' });
  expect([status, stdout]).toEqual([0, '0\n']);
  // Also in a sandbox, it is for this command only.
  const other = spawnSync('bwrap', [...bwrap().slice(0, -1), line.replace('touch a', 'touch b')], {
    cwd: project,
    env,
  });
  expect(other.status).toBe(126);
  expect(readFileSync(join(project, 'a'), 'utf8')).toBe('');
});
