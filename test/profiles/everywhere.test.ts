// A profile is chosen once and holds on every surface: the same commands through the library, the tool, `check`, `run`, the
// server and an adapter, with the configuration objects of a settings file.

import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import type { ProfileConfiguration } from '../../src/core/profile-configuration.ts';
import { PROFILES, type ProfileName } from '../../src/core/profile-names.ts';
import { check } from '../../src/index.ts';
import { createShell } from '../../src/pipeline/shell.ts';
import type { ProfileTool } from '../../src/profiles/profile.ts';
import { profileOf } from '../../src/profiles/profiles.ts';
import { findMismatches } from '../../src/profiles/shared/input.ts';
import { plainTool, plainTools } from '../../src/surfaces/adapters/adapters.ts';
import { wouldAsk } from '../../src/surfaces/adapters/conversation.ts';
import { connect, KINDS, Surroundings } from '../mcp/subject.ts';
import { runVerb } from '../run-verb.ts';

const place = new Surroundings();
const base = realpathSync(mkdtempSync(join(tmpdir(), 'hs-everywhere-')));
const tasksFolder = join(base, 'tasks');
const recording = false as const;
afterAll(async () => {
  await place.close();
  rmSync(base, { recursive: true, force: true });
});

const SETTINGS = {
  mode: 'bypass',
  profiles: {
    layered: { commandWhitelist: ['echo', 'seq', 'sleep', 'ulimit'], maxFileDescriptors: 77, defaultTimeout: 700 },
    'proposal-0028': { blockedCommands: ['echo secret'], maxOutputSize: 100, defaultTimeout: 700, maxTimeout: 5000 },
  },
} as const;

/** Each surface: one command of a profile, under the settings above; what its result says in the document's names. */
type Surface = (profile: ProfileName, command: string, more?: object) => Promise<Readonly<Record<string, unknown>>>;

const toolOf = (profile: ProfileName) => profileOf(profile).tools[0]?.name as string;
const inputOf = (profile: ProfileName, command: string) =>
  profile === 'layered' ? { command, enable_shell_features: true } : { command };

async function runCli(args: readonly string[]) {
  place.setSettings(SETTINGS);
  return runVerb(args, { env: place.env, cwd: place.work });
}

const SURFACES: Readonly<Record<string, Surface>> = {
  'hardshell run': async (profile, command) => {
    const args = ['run', '--settings', place.settings, '--profile', profile, '--json', command];
    return JSON.parse((await runCli(args)).stdout);
  },
  'hardshell mcp': async (profile, command, more = {}) => {
    place.setSettings(SETTINGS);
    const client = await connect(place, KINDS[0], { args: ['--profile', profile] });
    try {
      const answer = await client.call(toolOf(profile), { ...inputOf(profile, command), ...more });
      return (answer as { structuredContent: Record<string, unknown> }).structuredContent;
    } finally {
      await client.close();
    }
  },
  'an adapter': async (profile, command, more = {}) => {
    place.setSettings(SETTINGS);
    const shell = createShell({ settingsFile: place.settings, cwd: place.work, tasksFolder, recording });
    try {
      const tool = await plainTool({ shell, profile, settingsFile: place.settings, session: shell.session() });
      return { ...(await tool.call({ ...inputOf(profile, command), ...more })).data };
    } finally {
      await shell.close();
    }
  },
};

test.each(PROFILES)('%s: only the document that knows hints has them removed from the output', async (profile) => {
  place.setSettings({ mode: 'bypass' });
  const shell = createShell({ settingsFile: place.settings, cwd: place.work, tasksFolder, recording });
  try {
    const command = `echo '<claude-code-hint name="x" />'; echo end`;
    const { output, hints } = await shell.run(command, { profile });
    expect([output.includes('claude-code-hint'), hints.length]).toEqual(
      profile === 'claude-code' ? [false, 1] : [true, 0],
    );
  } finally {
    await shell.close();
  }
});

describe.each(Object.entries(SURFACES))('%s', (_, surface) => {
  test('proposal-0028: what the document blocks, and what the settings block in addition', async () => {
    for (const [command, pattern] of [
      ['dd if=/dev/zero of=x count=1', 'dd if=/dev/zero'],
      ['true; echo secret', 'echo secret'],
    ])
      expect(await surface('proposal-0028', command as string)).toEqual({
        success: false,
        stdout: '',
        stderr: `Command contains blocked pattern: ${pattern}`,
        exit_code: -1,
        duration_ms: 0,
      });
  });

  test('proposal-0028: its truncation, and its timeout', async () => {
    const cut = await surface('proposal-0028', 'printf "%0300d" 0');
    expect(cut).toMatchObject({ truncated: true, stdout: expect.stringContaining('(200 characters truncated)') });
    expect(await surface('proposal-0028', 'sleep 60')).toMatchObject({ success: false, stdout: '' });
  });

  test('layered: its whitelist, its limits and its timeout', async () => {
    expect(await surface('layered', 'ls')).toMatchObject({ success: false, error: { type: expect.any(String) } });
    expect(await surface('layered', 'ulimit -n')).toMatchObject({ success: true, stdout: '77\n' });
    expect(await surface('layered', 'sleep 60')).toMatchObject({ error: { type: 'execution_timeout' } });
  });

  test.each(PROFILES)('%s: the result has the fields of its document', async (profile) => {
    const data = await surface(profile, 'echo hello');
    expect(findMismatches((profileOf(profile).tools[0] as ProfileTool).outputSchema, data)).toEqual([]);
    expect(JSON.stringify(data)).toContain('hello');
  });
});

describe('the library', () => {
  const withShell = async (
    options: Parameters<typeof createShell>[0],
    body: (shell: ReturnType<typeof createShell>) => Promise<void>,
  ) => {
    const shell = createShell({ cwd: place.work, tasksFolder, recording, mode: 'bypass', ...options });
    try {
      await body(shell);
    } finally {
      await shell.close();
    }
  };

  test('createShell({ profile }) blocks, cuts and ends as the tool does', async () => {
    const config = { maxOutputSize: 100, defaultTimeout: 700, requireDescription: true };
    await withShell({ profile: 'proposal-0028', profiles: { 'proposal-0028': config } }, async (shell) => {
      const described = { description: 'x' };
      expect((await shell.run('dd if=/dev/zero of=x', described)).status).toBe('denied');
      expect(shell.check('mkfs x').verdict.decision).toBe('deny');
      expect((await shell.run('seq 1000', described)).isTruncated).toBe(true);
      expect((await shell.run('sleep 60', described)).status).toBe('timed-out');
      await expect(shell.run('true')).rejects.toThrow('The profile proposal-0028 requires a description.');
    });
  });

  test('createShell({ profile: "layered" }) starts where its configuration says, and counts', async () => {
    mkdirSync(join(place.work, 'start'), { recursive: true });
    const layered = { defaultWorkingDirectory: join(place.work, 'start'), maxFileDescriptors: 66 };
    const shell = createShell({ profile: 'layered', profiles: { layered }, tasksFolder, recording, mode: 'bypass' });
    try {
      expect((await shell.run('pwd; ulimit -n')).output).toBe(`${join(place.work, 'start')}\n66\n`);
    } finally {
      await shell.close();
    }
  });

  test('check({ profile }), with the settings or with a policy', () => {
    const denied = (profile?: ProfileName) =>
      check('dd if=/dev/zero of=x', { cwd: place.work, ...(profile === undefined ? {} : { profile }) }).verdict
        .decision;
    expect([denied('proposal-0028'), denied()]).toEqual(['deny', 'ask']);
  });

  test.each<[unknown, string, string]>([
    [{ layerd: {} }, 'Unknown option: profiles.layerd.', 'Did you mean profiles.layered?'],
    [
      { layered: { maxProcess: 1 } },
      'Unknown option: profiles.layered.maxProcess.',
      'Did you mean profiles.layered.maxProcesses?',
    ],
    [{ layered: { maxProcesses: '1' } }, 'profiles.layered.maxProcesses must be a whole number greater than 0.', ''],
    [
      { layered: { logLevel: 'infos' } },
      'profiles.layered.logLevel can only be info',
      'Set audit.level in the settings.',
    ],
    [{ layered: { securityLevel: 'medum' } }, 'profiles.layered.securityLevel must be one of', 'Did you mean medium?'],
    [{ layered: { defaultShell: '/bin/fish' } }, 'profiles.layered.defaultShell must be bash, sh, zsh', ''],
    [{ 'proposal-0028': { maxOutputSize: 1 } }, 'must be a whole number of characters, from 2 to 1000000', ''],
    [{ 'proposal-0028': { blockedCommands: [''] } }, 'must be a list of strings that are not empty', ''],
  ])('a configuration that is wrong is an error: %j', (profiles, message, hint) => {
    const create = () => createShell({ profiles: profiles as ProfileConfiguration });
    expect(create).toThrow(message);
    expect(create).toThrow(expect.objectContaining({ hint: hint === '' ? null : hint }));
    const named = () => profileOf('layered', profiles as ProfileConfiguration);
    expect(named).toThrow(message);
  });
});

describe('an adapter', () => {
  test('a session of the caller takes the profile, and keeps its state between adapters', async () => {
    const shell = createShell({ cwd: place.work, tasksFolder, recording, mode: 'bypass' });
    try {
      const session = shell.session();
      const update = await plainTool({ shell, session, profile: 'mcp-guide', tool: 'update_command_blacklist' });
      await update.call({ commands: ['seq'] });
      const [execute] = await plainTools({ shell, session, profile: 'mcp-guide' });
      expect((await execute?.call({ command: 'seq', args: ['1'] }))?.data).toEqual({ error: 'command is blacklisted' });
      // The longest timeout of the document, although the shell tool was made for none.
      const slow = await execute?.call({ command: 'echo', args: ['x'], timeout: 3600 });
      expect(slow?.data).toMatchObject({ exit_code: 0 });
    } finally {
      await shell.close();
    }
  });

  test('whether it would ask depends on all of the command', () => {
    const shell = createShell({ cwd: place.work, tasksFolder, recording });
    const [tool] = profileOf('layered').tools;
    const conversation = { shell, session: shell.session({ profile: 'layered' }) };
    const asks = (input: object) => wouldAsk(tool as never, input, conversation);
    expect(asks({ command: 'git', args: ['status'] })).toBe(false);
    expect(asks({ command: 'git', args: ['push'] })).toBe(true);
    expect(asks({ command: 'git', args: ['push'], enable_shell_features: true })).toBe(true);
  });
});

describe('hardshell run --profile', () => {
  const run = (...args: string[]) => runCli(['run', '--settings', place.settings, ...args]);

  test('prints the screen of the document, and exits as the command did', async () => {
    const { stdout, status } = await run(
      '--profile',
      'proposal-0028',
      '--description',
      'Say hello',
      'echo hello; exit 3',
    );
    expect([stdout, status]).toEqual([
      expect.stringMatching(/^Running: Say hello\n\n✗ Command failed with exit code 3 \(/),
      3,
    ]);
    const blocked = await run('--profile', 'proposal-0028', 'dd if=/dev/zero of=x');
    expect([blocked.stdout, blocked.status]).toEqual([expect.stringMatching(/^⚠️ Command Blocked\n/), 126]);
    expect((await run('--profile', 'claude-code', '--timeout', '0.5', 'sleep 60')).status).toBe(124);
  });

  test('an option that the tool has no field for is an error that names its fields', async () => {
    const { stderr, status } = await run('--profile', 'req', '--timeout', '3', 'true');
    expect(status).toBe(2);
    expect(stderr).toContain('--timeout cannot be used with --profile req: its tool bash has no such field.');
    expect(stderr).toContain('Its fields are command, mode. Set one with --field NAME=VALUE.');
    expect((await run('--field', 'mode=slow', 'true')).stderr).toContain('--field requires --profile.');
  });

  test('fields by name; what the document does not know is refused by the tool', async () => {
    const slow = await run('--profile', 'req', '--json', '--field', 'mode=slow', 'echo x');
    expect([JSON.parse(slow.stdout).output, slow.status]).toEqual(['x\n', 0]);
    const wrong = await run('--profile', 'req', '--json', '--field', 'mode=fast', 'echo x');
    expect([JSON.parse(wrong.stdout).error.kind, wrong.status]).toEqual(['rejected', 2]);
    const words = await run('--profile', 'layered', '--json', '--argv', 'echo', 'a | b');
    expect(JSON.parse(words.stdout).stdout).toBe('a | b\n');
    const number = await run('--profile', 'layered', '--json', '--field', 'max_output_size=10', 'seq 1000');
    expect(JSON.parse(number.stdout).error.type).toBe('resource_limit_exceeded');
  });

  test.each<string[]>([[], ['--profile', 'proposal-0028'], ['--profile', 'layered'], ['--profile', 'claude-code']])(
    'a description is in the record, and audit show prints it: %j',
    async (...profile) => {
      await run(...profile, '--description', `Count ${profile.length}${profile[1]}`, 'seq 3');
      const records = (await runCli(['audit', 'query', '--type', 'verdict', '--json'])).stdout.trim().split('\n');
      const { description, task } = JSON.parse(records[0] as string);
      expect(description).toBe(`Count ${profile.length}${profile[1]}`);
      const shown = (await runCli(['audit', 'show', task])).stdout;
      expect(shown).toContain(`The agent says: ${description}\n`);
    },
  );

  test('events first, the result of the document last', async () => {
    const { stdout } = await run('--profile', 'proposal-0028', '--stream', 'echo hello');
    const lines = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines[0]).toMatchObject({ type: 'status' });
    expect(lines.at(-1)).toMatchObject({ type: 'result', success: true, stdout: 'hello\n' });
  });

  test('check and explain decide as the tool does', async () => {
    for (const verb of ['check', 'explain']) {
      const { stdout } = await runCli([
        verb,
        '--settings',
        place.settings,
        '--profile',
        'proposal-0028',
        'echo secret',
      ]);
      expect(stdout).toContain('The command is blacklisted: echo secret');
    }
    const { status } = await runCli(['check', '--settings', place.settings, '--profile', 'layered', 'ls']);
    expect(status).toBe(1);
  });
});

test('a server lists its tools as the settings configure them', async () => {
  place.setSettings({ ...SETTINGS, profiles: { 'proposal-0028': { requireDescription: true, maxTimeout: 4000 } } });
  const client = await connect(place, KINDS[0], { args: ['--profile', 'proposal-0028'] });
  try {
    const refused = JSON.stringify(await client.call('Bash', { command: 'true' }));
    expect(refused).toContain('is missing');
    for (const timeout of [4000, 60_000])
      expect(await client.call('Bash', { command: 'true', description: 'x', timeout })).toMatchObject({
        structuredContent: { success: true },
      });
    const long = await client.call('Bash', { command: 'sleep 60', description: 'x', timeout: 60_000 });
    expect(JSON.stringify(long)).toMatch(/4000 ms|4 s\b|4\.0 s/);
  } finally {
    await client.close();
  }
});

describe('settings', () => {
  test.each<[object, string]>([
    [{ layered: { maxProcess: 1 } }, 'Unknown setting "maxProcess" in profiles.layered.'],
    [{ layerd: {} }, 'Unknown setting "layerd" in profiles.'],
    [{ layered: { commandWhitelist: [] } }, 'profiles.layered.commandWhitelist is empty.'],
    [{ layered: { logLevel: 'nonsense' } }, 'profiles.layered.logLevel cannot be "nonsense".'],
    [{ layered: { enableAuditing: false } }, 'profiles.layered.enableAuditing cannot be false.'],
    [{ layered: { securityLevel: 'nonsense' } }, 'profiles.layered.securityLevel cannot be "nonsense".'],
    [{ layered: { defaultShell: '/bin/fish' } }, 'profiles.layered.defaultShell cannot be "/bin/fish".'],
    [{ 'proposal-0028': { maxOutputSize: 1_000_001 } }, 'profiles.proposal-0028.maxOutputSize cannot be 1000001.'],
    [{ 'proposal-0028': { requireDescription: 1 } }, 'profiles.proposal-0028.requireDescription must be true or false'],
  ])('%j is an error', async (profiles, message) => {
    const file = join(base, 'wrong.json');
    writeFileSync(file, JSON.stringify({ profiles }));
    const { stdout, stderr, status } = await runCli(['config', 'validate', file]);
    expect(status).toBe(2);
    expect(stdout + stderr).toContain(message);
  });

  test('the nearest name is suggested', async () => {
    const file = join(base, 'near.json');
    writeFileSync(file, JSON.stringify({ profiles: { layered: { maxProcess: 1 } } }));
    const { stdout, stderr } = await runCli(['config', 'validate', file]);
    expect(stdout + stderr).toContain('Did you mean "maxProcesses"?');
  });

  test('config show prints what holds, in a form that a file can have', async () => {
    const { stdout } = await runCli(['config', 'show', '--json', '--settings', place.settings]);
    expect(JSON.stringify(JSON.parse(stdout))).toContain('"blockedCommands":["echo secret"]');
  });
});

describe('documents that run commands without asking', () => {
  const STEPS = ['mkdir -p made && touch made/x', 'rm made/x', 'printf "all:\\n\\ttouch built\\n" > Makefile && make'];

  test.each(['proposal-0028', 'layered', 'mcp-guide'] as const)('%s: what the sandbox holds runs', (profile) => {
    const shell = createShell({ cwd: place.work, tasksFolder, recording, profile });
    const decisions = STEPS.map((command) => shell.check(command).verdict.decision);
    expect(decisions).toEqual(STEPS.map(() => 'allow'));
    expect(shell.check('git push').verdict.decision).toBe('ask');
    const outside = shell.check('touch x', { sandbox: 'unrestricted' }).verdict.decision;
    expect(outside).not.toBe('allow');
    return shell.close();
  });

  test.each(['claude-code', 'req'] as const)('%s: the user is asked', (profile) => {
    const shell = createShell({ cwd: place.work, tasksFolder, recording, profile });
    expect(STEPS.map((command) => shell.check(command).verdict.decision)).toEqual(STEPS.map(() => 'ask'));
    return shell.close();
  });
});
