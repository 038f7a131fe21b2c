// `hardshell learn`: what it prints, where it writes, and how it ends.

import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { drawDiff, drawLesson } from '../../src/surfaces/cli/learn/drawing.ts';
import type { LearnVerbOptions } from '../../src/surfaces/cli/learn/options.ts';
import { learnFrom } from '../../src/surfaces/cli/learn/verb.ts';
import { createTerminal } from '../../src/surfaces/cli/show/terminal.ts';
import { TIME_MS, useClassroom } from './lessons.ts';

const PLAIN = createTerminal({ color: false });

describe.skipIf(process.platform !== 'linux')('hardshell learn', () => {
  const classroom = useClassroom('namespaces');
  afterEach(() => void vi.restoreAllMocks());

  async function call(command: string, args: string[] | null, options: Partial<LearnVerbOptions>) {
    const texts = { stdout: '', stderr: '' };
    for (const name of ['stdout', 'stderr'] as const)
      vi.spyOn(process[name], 'write').mockImplementation((text) => {
        texts[name] += String(text);
        return true;
      });
    const exitCode = await learnFrom(command, args, { shell: 'bash', color: false, ...options });
    vi.restoreAllMocks();
    return { exitCode, ...texts };
  }

  test(
    'the diff against the current settings, and what was open',
    async (context) => {
      const settings = { sandbox: { filesystem: { allowWrite: ['~/old'] } } };
      const { home, project, settingsFile } = await classroom(context, { settings });
      for (const name of ['old', 'notes']) mkdirSync(join(home, name));
      writeFileSync(join(project, 'x.sh'), 'echo said; echo x > ~/notes/a && echo y > ~/old/b\n');
      const first = await call('sh', ['x.sh'], { cwd: project, settings: settingsFile });
      expect(first.exitCode).toBe(3);
      expect(first.stderr).toContain('Nothing else is open: ');
      expect(first.stderr).toContain('said\n');
      expect(first.stdout).not.toContain('said\n');
      expect(first.stdout).toContain('      "allowWrite": [\n          "~/old",\n  +       "~/notes",\n');
      expect(first.stdout).toContain('Run learn again with --runs 5.');
      const second = await call('sh x.sh', null, { cwd: project, settings: settingsFile, runs: 3 });
      expect(second).toMatchObject({
        exitCode: 0,
        stderr: expect.stringContaining('Running it again with this OPEN.'),
      });
      expect(second.stdout).toContain('ran 2 times, ended with 0, tier namespaces');
      expect(existsSync(join(project, '.hardshell'))).toBe(false);
    },
    TIME_MS,
  );

  test('nothing needed is said', async (context) => {
    const { project, settingsFile } = await classroom(context);
    const { exitCode, stdout } = await call('true', null, { cwd: project, settings: settingsFile });
    expect([exitCode, stdout.includes('Nothing beyond the current settings.')]).toEqual([0, true]);
  });

  test(
    '--json, and --write into a file that keeps what it said',
    async (context) => {
      const { home, project, settingsFile } = await classroom(context);
      mkdirSync(join(home, 'notes'));
      mkdirSync(join(home, '.config/hardshell'), { recursive: true });
      const user = join(home, '.config/hardshell/settings.json');
      writeFileSync(user, '{\n  // mine\n  "sandbox": { "filesystem": { "allowWrite": ["~/mine"] } }\n}\n');
      writeFileSync(join(project, 'x.sh'), 'echo x > ~/notes/a\n');
      const options = { cwd: project, settings: settingsFile, json: true, runs: 2, write: 'user' } as const;
      const { exitCode, stdout } = await call('sh x.sh', null, options);
      expect(exitCode).toBe(0);
      expect(JSON.parse(stdout)).toMatchObject({
        schemaVersion: 1,
        end: 'settled',
        runs: 2,
        settings: { sandbox: { filesystem: { allowWrite: ['~/notes'] } } },
        result: { exitCode: 0 },
        saved: { file: user, changed: true, notices: [] },
      });
      const text = readFileSync(user, 'utf8');
      expect(text).toContain('// mine');
      expect(text).toContain('"~/mine"');
      expect(text).toContain('"~/notes"');
      const again = await call('sh x.sh', null, options);
      expect(JSON.parse(again.stdout)).toMatchObject({ runs: 1, settings: {}, saved: null });
    },
    TIME_MS,
  );

  test('a refusal, a text that is no command, and a command inside of hardshell that wants to write settings', async (context) => {
    const { project, settingsFile } = await classroom(context, {
      settings: { permissions: { deny: ['Bash(touch:*)'] } },
    });
    const base = { cwd: project, settings: settingsFile };
    expect(await call('touch x', null, base)).toMatchObject({
      exitCode: 126,
      stderr: expect.stringContaining('not run'),
    });
    expect(await call('echo "', null, base)).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('incomplete bash'),
    });
    vi.stubEnv('HARDSHELL', '1');
    expect(await call('true', null, { ...base, write: 'user' })).toMatchObject({ exitCode: 2 });
    vi.unstubAllEnvs();
    expect(existsSync(join(project, 'x'))).toBe(false);
  });

  test('a command that fails for another reason: its exit code is passed on', async (context) => {
    const { project, settingsFile } = await classroom(context);
    const options = { cwd: project, settings: settingsFile, yes: true } as const;
    const { exitCode, stdout } = await call('bash /missing.sh', null, options);
    expect([exitCode, stdout.includes('It still failed')]).toEqual([127, true]);
    const json = await call('exit 7', null, { ...options, json: true });
    expect([json.exitCode, JSON.parse(json.stdout).exitCode]).toEqual([7, 7]);
    expect((await call('grep absent /etc/hostname', null, options)).exitCode).toBe(0);
  });

  test('a command that ran into its time limit: that is the reason, and nothing else is suspected', async (context) => {
    const { project, settingsFile } = await classroom(context);
    const { stdout } = await call('sleep 60', null, { cwd: project, settings: settingsFile, yes: true, timeout: 1 });
    expect(stdout).toContain(
      'It was stopped at its time limit, and may need more. Run learn again with a longer --timeout.',
    );
    expect(stdout).not.toContain('never grants');
  });

  test('names from the command are shown with every character', async (context) => {
    const { learn, home, project } = await classroom(context);
    mkdirSync(join(home, 'a\u202eb'));
    mkdirSync(join(home, 'fine'));
    writeFileSync(join(project, 'x.sh'), 'cd ~/a*b && echo x > c; echo x > "$HOME/fine/$(printf "l\\nine")"\n');
    const text = drawLesson(await learn('bash x.sh'), PLAIN).join('\n');
    expect(text).toContain('a\\u{202e}b');
    expect(text).toContain('l\\nine');
    expect(text).not.toMatch(/\u202e|\nine/);
  });
});

test('a diff shows what is there, what is new, and what is replaced', () => {
  const current = { domains: { allow: ['a.org'] }, sandbox: { name: 'restricted' } } as const;
  const added = {
    domains: { allow: ['b.org:8080'] },
    sandbox: { name: 'workspace', network: { allowPorts: [5432] } },
  } as const;
  expect(drawDiff(current, added, PLAIN)).toEqual([
    '    "domains": {',
    '      "allow": [',
    '        "a.org",',
    '  +     "b.org:8080",',
    '      ],',
    '    },',
    '    "sandbox": {',
    '  -   "name": "restricted",',
    '  +   "name": "workspace",',
    '      "network": {',
    '        "allowPorts": [',
    '  +       5432,',
    '        ],',
    '      },',
    '    },',
  ]);
});
