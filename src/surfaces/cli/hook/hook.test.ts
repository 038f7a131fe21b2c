// The hook as an agent uses it: an event on standard input, the documented answer, and a refusal with exit code 2 whenever
// it fails.

import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runVerb } from '../../../../test/run-verb.ts';

const ROOT = fileURLToPath(new URL('../../../../', import.meta.url));
const FOLDER = realpathSync(mkdtempSync(join(tmpdir(), 'hardshell-hook-')));
const HOME = join(FOLDER, 'home');
const PROJECT = join(FOLDER, 'project');
const BROKEN = join(FOLDER, 'broken');

beforeAll(() => {
  for (const folder of [HOME, PROJECT, BROKEN]) mkdirSync(join(folder, '.hardshell'), { recursive: true });
  writeFileSync(join(PROJECT, '.hardshell/settings.json'), '{"permissions": {"deny": ["Bash(make deploy)"]}}');
  writeFileSync(join(BROKEN, '.hardshell/settings.json'), '{"denny": []}');
}, 60_000);
afterAll(() => rmSync(FOLDER, { recursive: true }));

function hook(args: readonly string[], input: string, place: { cwd?: string; env?: object } = {}) {
  const env = { PATH: process.env.PATH, HOME, ...place.env };
  return runVerb(['hook', ...args], { cwd: place.cwd ?? FOLDER, input, env });
}

/** An event of each agent about one shell command. */
const EVENTS = {
  'claude-code': (command: unknown, more: object = {}) => ({
    session_id: 's',
    transcript_path: '/t',
    cwd: PROJECT,
    permission_mode: 'default',
    hook_event_name: 'PreToolUse',
    tool_name: 'Bash',
    tool_input: { command, description: 'x' },
    tool_use_id: 'u',
    ...more,
  }),
  codex: (command: unknown, more: object = {}) => ({
    session_id: 's',
    turn_id: 't',
    cwd: PROJECT,
    hook_event_name: 'PreToolUse',
    tool_name: 'Bash',
    tool_input: { command },
    ...more,
  }),
  cursor: (command: unknown, more: object = {}) => ({
    conversation_id: 'c',
    hook_event_name: 'beforeShellExecution',
    workspace_roots: [PROJECT],
    command,
    cwd: '',
    ...more,
  }),
  gemini: (command: unknown, more: object = {}) => ({
    session_id: 's',
    cwd: PROJECT,
    hook_event_name: 'BeforeTool',
    tool_name: 'run_shell_command',
    tool_input: { command },
    ...more,
  }),
} as const;
type Agent = keyof typeof EVENTS;

const claude = (permissionDecision: string, reason: RegExp, systemMessage?: RegExp) => ({
  ...(systemMessage === undefined ? {} : { systemMessage: expect.stringMatching(systemMessage) }),
  hookSpecificOutput: {
    hookEventName: 'PreToolUse',
    permissionDecision,
    permissionDecisionReason: expect.stringMatching(reason),
  },
});
const cursor = (permission: string, forModel: RegExp, forUser = forModel) => ({
  permission,
  user_message: expect.stringMatching(forUser),
  agent_message: expect.stringMatching(forModel),
});

const ALLOWED = /^hardshell: Every part only reads/;
/** For the user: the risk, the command, why, and how to allow it. */
const QUESTION =
  /^hardshell: Risk \w+\. Run «npm install»\? Nothing allows `npm install`.* To always allow it: hardshell config add allow 'Bash\(npm install:\*\)'$/;
const HOW_TO_ALLOW = /To always allow it: hardshell config add allow 'Bash\(npm install:\*\)'$/;
/** For the model: no command that changes rules or approves. */
const NEEDS_APPROVAL =
  /^hardshell: this command needs approval\. (?:(?!hardshell (?:config|approve)).)* Ask the user to approve it or to add a rule that allows it\.$/;
const NOBODY_TO_ASK =
  /^hardshell blocked this command: it needs approval, and no one can be asked here\. Nothing was run\. (?:(?!hardshell (?:config|approve)).)* Ask the user to add a rule that allows it, or to run it\.$/;
const DENIED = /^hardshell blocked this command\. .*make deploy.* [Aa]sk the user to /;
const DENIED_FOR_USER = /^hardshell blocked this command\. .*make deploy/;

describe('each agent gets its own form of the answer', () => {
  test.each<[Agent, string, object]>([
    ['claude-code', 'ls -l', claude('allow', ALLOWED)],
    ['claude-code', 'npm install', claude('ask', QUESTION)],
    ['claude-code', 'make deploy', claude('deny', DENIED)],
    // Codex accepts only a refusal: it treats everything else as a failed hook, and runs the command.
    ['codex', 'ls -l', {}],
    ['codex', 'npm install', claude('deny', NOBODY_TO_ASK, HOW_TO_ALLOW)],
    ['codex', 'make deploy', claude('deny', DENIED)],
    ['cursor', 'ls -l', cursor('allow', ALLOWED)],
    ['cursor', 'npm install', cursor('ask', NEEDS_APPROVAL, QUESTION)],
    ['cursor', 'make deploy', cursor('deny', DENIED, DENIED_FOR_USER)],
    ['gemini', 'ls -l', {}],
    [
      'gemini',
      'npm install',
      {
        decision: 'deny',
        reason: expect.stringMatching(NOBODY_TO_ASK),
        systemMessage: expect.stringMatching(HOW_TO_ALLOW),
      },
    ],
    ['gemini', 'make deploy', { decision: 'deny', reason: expect.stringMatching(DENIED) }],
  ])('%s: %s', async (agent, command, answer) => {
    const { status, stdout, stderr } = await hook([agent], JSON.stringify(EVENTS[agent](command)));
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(JSON.parse(stdout)).toEqual(answer);
  });

  test.each([
    ['a version that says so', { CLAUDE_CODE_SESSION_ATTENDED: '0' }, NOBODY_TO_ASK],
    ['an older version', { CLAUDE_CODE_ENTRYPOINT: 'sdk-cli' }, NOBODY_TO_ASK],
    ['with a user', { CLAUDE_CODE_SESSION_ATTENDED: '1', CLAUDE_CODE_ENTRYPOINT: 'sdk-cli' }, QUESTION],
    ['with a user, older', { CLAUDE_CODE_ENTRYPOINT: 'cli' }, QUESTION],
  ])('claude -p has no user: the model reads that no one could be asked (%s)', async (_, env, reason) => {
    const { stdout } = await hook(['claude-code'], JSON.stringify(EVENTS['claude-code']('npm install')), { env });
    expect(JSON.parse(stdout)).toEqual(claude('ask', reason));
  });

  test('--on-ask pass leaves a question to the agent that cannot be asked to ask, and never a refusal', async () => {
    const pass = (command: string) => hook(['codex', '--on-ask', 'pass'], JSON.stringify(EVENTS.codex(command)));
    expect(await pass('npm install')).toEqual({ status: 0, stdout: '{}\n', stderr: '' });
    expect(JSON.parse((await pass('make deploy')).stdout)).toEqual(claude('deny', DENIED));
  });
});

describe('the settings of the project apply, whichever folder the model names', () => {
  const elsewhere = (name: string, settings?: object): string => {
    const folder = join(FOLDER, name);
    mkdirSync(join(folder, '.hardshell'), { recursive: true });
    if (settings !== undefined) writeFileSync(join(folder, '.hardshell/settings.json'), JSON.stringify(settings));
    return folder;
  };
  const decisionOf = ({ stdout }: { stdout: string }): string | undefined => {
    const answer = JSON.parse(stdout === '' ? '{}' : stdout);
    return answer.hookSpecificOutput?.permissionDecision ?? answer.permission ?? answer.decision;
  };

  test('a relative path in an allow rule is meant from the project, not from the folder that the model names', async () => {
    const home = join(FOLDER, 'home-with-rule');
    mkdirSync(join(home, '.config/hardshell'), { recursive: true });
    const settings = { permissions: { allow: ['Bash(rm build/**)'] } };
    writeFileSync(join(home, '.config/hardshell/settings.json'), JSON.stringify(settings));
    const away = elsewhere('victim');
    for (const folder of [PROJECT, away]) mkdirSync(join(folder, 'build'), { recursive: true });
    const user = { env: { HOME: home }, cwd: PROJECT };
    const decide = async (event: object) => decisionOf(await hook(['codex'], JSON.stringify(event), user));
    const input = { command: 'rm build/v' };
    const inside = await decide(EVENTS.codex('', { tool_input: input, cwd: PROJECT }));
    const byWorkdir = await decide(EVENTS.codex('', { tool_input: { ...input, workdir: away }, cwd: PROJECT }));
    const byEvent = await decide(EVENTS.codex('', { tool_input: input, cwd: away }));
    expect([byWorkdir, byEvent]).toEqual(['deny', 'deny']);
    expect(inside).not.toBe('deny');
  });

  test.each<[string, Agent, (away: string) => object, { cwd?: string; env?: object }]>([
    ['workdir', 'codex', (workdir) => EVENTS.codex('', { tool_input: { command: 'make deploy', workdir } }), {}],
    ['dir_path', 'gemini', (dir_path) => EVENTS.gemini('', { tool_input: { command: 'make deploy', dir_path } }), {}],
    ['cwd', 'cursor', (cwd) => EVENTS.cursor('make deploy', { cwd }), {}],
    ['the folder of the event', 'codex', (cwd) => EVENTS.codex('make deploy', { cwd }), { cwd: PROJECT }],
    [
      'the folder of the event',
      'claude-code',
      (cwd) => EVENTS['claude-code']('make deploy', { cwd }),
      { env: { CLAUDE_PROJECT_DIR: PROJECT } },
    ],
  ])('%s of %s', async (_, agent, event, place) => {
    expect(decisionOf(await hook([agent], JSON.stringify(event(elsewhere('away'))), place))).toBe('deny');
  });

  test('those of the named folder hold as well, and can only tighten', async () => {
    const strict = elsewhere('strict', { permissions: { deny: ['Bash(ls -l)'] } });
    const lax = elsewhere('lax', { permissions: { allow: ['Bash(npm install)'] } });
    mkdirSync(join(HOME, '.config/hardshell'), { recursive: true });
    const user = join(HOME, '.config/hardshell/settings.json');
    writeFileSync(user, JSON.stringify({ trustedFolders: [`/${lax}`] }));
    const ask = async (command: string, workdir: string) =>
      decisionOf(await hook(['codex'], JSON.stringify(EVENTS.codex('', { tool_input: { command, workdir } }))));
    expect(await ask('ls -l', strict)).toBe('deny');
    expect(await ask('npm install', lax)).toBe('deny');
    expect(
      decisionOf(await hook(['codex'], JSON.stringify(EVENTS.codex('npm install', { cwd: lax })))),
    ).toBeUndefined();
    rmSync(user);
  });
});

describe('what is not about a shell command passes untouched', () => {
  test.each<[Agent, object]>([
    ['claude-code', EVENTS['claude-code']('x', { tool_name: 'Read', tool_input: { file_path: '/etc/shadow' } })],
    ['claude-code', EVENTS['claude-code']('rm -rf /', { hook_event_name: 'PostToolUse' })],
    ['codex', EVENTS.codex('*** Begin Patch', { tool_name: 'apply_patch' })],
    ['cursor', EVENTS.cursor('x', { hook_event_name: 'beforeMCPExecution' })],
    ['gemini', EVENTS.gemini('x', { tool_name: 'read_file' })],
  ])('%s %j', async (agent, event) => {
    // Not silence, which the installed line treats as a broken hook.
    expect(await hook([agent], JSON.stringify(event))).toEqual({ status: 0, stdout: '{}\n', stderr: '' });
  });
});

describe("the agent's mode can make it stricter, never laxer", () => {
  test.each<[string, string, string]>([
    ['plan', 'touch a', 'deny'],
    ['dontAsk', 'npm install', 'deny'],
    ['acceptEdits', 'npm install', 'ask'],
    ['bypassPermissions', 'npm install', 'ask'],
    ['bypassPermissions', 'make deploy', 'deny'],
    ['no such mode', 'npm install', 'ask'],
  ])('%s: %s is %s', async (permission_mode, command, decision) => {
    const event = EVENTS['claude-code'](command, { permission_mode });
    const { stdout } = await hook(['claude-code'], JSON.stringify(event));
    expect(JSON.parse(stdout).hookSpecificOutput.permissionDecision).toBe(decision);
  });
});

describe("every failure stops the command: exit code 2, and a refusal in the agent's format", () => {
  const good = EVENTS['claude-code']('ls');
  test.each<[string, readonly string[], string, RegExp]>([
    ['nothing', ['claude-code'], '', /not JSON/],
    ['half an event', ['claude-code'], JSON.stringify(good).slice(0, -5), /not JSON/],
    ['a list', ['claude-code'], '[]', /not an object/],
    ['no tool', ['claude-code'], '{}', /"tool_name" is missing/],
    ['no input', ['claude-code'], JSON.stringify({ ...good, tool_input: null }), /"tool_input" is not an object/],
    ['a command that is no text', ['claude-code'], JSON.stringify(EVENTS['claude-code'](['ls'])), /is not a string/],
    ['no folder', ['claude-code'], JSON.stringify({ ...good, cwd: undefined }), /"cwd" is not an absolute path/],
    ['a relative folder', ['claude-code'], JSON.stringify({ ...good, cwd: 'src' }), /"cwd" is not an absolute path/],
    [
      'a folder that is gone',
      ['claude-code'],
      JSON.stringify({ ...good, cwd: `${PROJECT}/gone` }),
      /not a directory: /,
    ],
    ['settings that cannot be read', ['claude-code'], JSON.stringify({ ...good, cwd: BROKEN }), /denny/],
    ['an unknown agent', ['clippy'], JSON.stringify(good), /Allowed choices/],
    ['an unknown option', ['claude-code', '--fast'], JSON.stringify(good), /nknown option/],
    ['cursor without a command', ['cursor'], JSON.stringify(EVENTS.cursor(undefined)), /"command" is not a string/],
    ['escape sequences', ['claude-code'], JSON.stringify({ ...good, cwd: '/\x1b[2J' }), /not a directory: \/\\e\[2J/],
  ])('%s', async (_name, args, input, message) => {
    const { status, stdout, stderr } = await hook(args, input);
    expect({ status, stderr }).toEqual({ status: 2, stderr: expect.stringMatching(message) });
    const [agent = ''] = args;
    const refused = agent === 'cursor' ? cursor('deny', message) : claude('deny', message);
    // An error in the command line is found before the agent is known.
    if (agent === 'clippy' || args.length > 1) expect(stdout).toBe('');
    else expect(JSON.parse(stdout)).toEqual(refused);
    expect(stderr).not.toMatch(/^\s+at /m);
  });

  test('more than a mebibyte', async () => {
    const { status, stdout } = await hook(['claude-code'], JSON.stringify(EVENTS['claude-code']('a'.repeat(1 << 20))));
    expect({ status, answer: JSON.parse(stdout) }).toEqual({ status: 2, answer: claude('deny', /could not check/) });
  });
});

test('an event that comes in pieces, through a pipe that does not block', async () => {
  const event = JSON.stringify(EVENTS['claude-code']('ls'));
  const script = `import os, subprocess, sys, time
read, write = os.pipe()
os.set_blocking(read, False)
child = subprocess.Popen(sys.argv[2:], stdin=read)
os.write(write, sys.argv[1][:20].encode())
time.sleep(0.5)
os.write(write, sys.argv[1][20:].encode())
os.close(write)
sys.exit(child.wait())`;
  const argv = [process.execPath, join(ROOT, 'bin/hardshell.js'), 'hook', 'claude-code'];
  const { status, stdout } = spawnSync('python3', ['-c', script, event, ...argv], { encoding: 'utf8', cwd: FOLDER });
  expect(status).toBe(0);
  expect(JSON.parse(stdout)).toEqual(claude('allow', ALLOWED));
});

test('an answer that cannot be written stops the command', async () => {
  const { status } = spawnSync(
    'bash',
    ['-c', `"$@" > /dev/full`, 'bash', process.execPath, join(ROOT, 'bin/hardshell.js'), 'hook', 'claude-code'],
    { input: JSON.stringify(EVENTS['claude-code']('ls')), cwd: FOLDER },
  );
  expect(status).toBe(2);
});

test('a command that is safe only with our variables is a question, since the agent does not set them', async () => {
  const repository = join(FOLDER, 'repository');
  const git = (...args: string[]) => execFileSync('git', ['-C', repository, ...args], { stdio: 'pipe' });
  mkdirSync(repository);
  git('init', '-q');
  git('config', 'core.fsmonitor', './evil');
  const { stdout } = await hook(
    ['claude-code'],
    JSON.stringify(EVENTS['claude-code']('git status', { cwd: repository })),
  );
  expect(JSON.parse(stdout).hookSpecificOutput.permissionDecision).not.toBe('allow');
});

describe('what it decided is recorded where the settings say so', () => {
  const STATE = join(FOLDER, 'state');
  const settings = (audit: object) => {
    const folder = join(FOLDER, 'recorded/.config/hardshell');
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'settings.json'), JSON.stringify({ audit }));
    rmSync(STATE, { recursive: true, force: true });
  };
  const env = { PATH: process.env.PATH, HOME: join(FOLDER, 'recorded'), HARDSHELL_STATE_DIR: STATE };
  const start = (argv: readonly string[], event: object | string) => {
    const input = typeof event === 'string' ? event : JSON.stringify(event);
    const { status, stdout, stderr } = spawnSync(process.execPath, argv, { cwd: FOLDER, env, input, encoding: 'utf8' });
    return { status, stdout, stderr };
  };
  const bin = (...args: string[]) => [join(ROOT, 'bin/hardshell.js'), ...args];
  const recorded = () =>
    start(bin('audit', 'query', '--oldest', '--json'), '')
      .stdout.split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line));
  const WHOLE = `import(${JSON.stringify(join(ROOT, 'dist/surfaces/cli/main.js'))}).then(({ main }) => main(['hook', 'codex']))`;

  test.each<[string, readonly string[], Agent, string, string]>([
    ['as the agent was told', bin('hook', 'claude-code'), 'claude-code', 'make deploy', 'deny'],
    ['a question that the agent puts', bin('hook', 'cursor'), 'cursor', 'npm install', 'ask'],
    ['a question that is a refusal', bin('hook', 'gemini'), 'gemini', 'npm install', 'deny'],
    ['a question that is left to it', bin('hook', 'codex', '--on-ask', 'pass'), 'codex', 'npm install', 'ask'],
    ['by the whole program too', ['-e', WHOLE], 'codex', 'ls -l', 'allow'],
  ])('%s', async (_name, argv, agent, command, verdict) => {
    settings({ hook: true });
    expect(start(argv, EVENTS[agent](command))).toMatchObject({ status: 0, stderr: '' });
    const session = agent === 'cursor' ? 'c' : 's';
    const expected = { type: 'verdict', command, cwd: PROJECT, session, verdict, profile: `hook:${agent}` };
    expect(recorded()).toMatchObject([{ ...expected, task: expect.stringMatching(/^hook-[0-9a-f]{8}$/) }]);
    expect(start(bin('audit', 'verify'), '').status).toBe(0);
  });

  test.each([
    ['not asked for', {}],
    ['switched off', { hook: false }],
    ['where nothing is recorded at all', { hook: true, enabled: false }],
  ])('%s: nothing is written', async (_name, audit) => {
    settings(audit);
    expect(start(bin('hook', 'claude-code'), EVENTS['claude-code']('ls'))).toMatchObject({ status: 0, stderr: '' });
    expect(existsSync(STATE)).toBe(false);
  });

  test('what cannot be recorded must not run', async () => {
    settings({ hook: true });
    writeFileSync(STATE, 'not a folder');
    const { status, stderr } = start(bin('hook', 'claude-code'), EVENTS['claude-code']('ls'));
    expect(status).toBe(2);
    expect(stderr).toMatch(/could not check this command, so it was blocked: .*audit log/);
    rmSync(STATE);
  });
});
