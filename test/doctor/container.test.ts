// In a container whose system call filter withholds what the sandbox needs: the doctor says what does not work and what
// to do, and commands run with no more than that, or not at all. Nothing hangs.

import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Diagnosis, RunResult } from '../../src/host.ts';
import { useContainer } from './contained.ts';

const TIME_MS = 120_000;

const container = useContainer({
  'work.sh': 'echo worked > file && cat file; curl -sS -m 30 https://one.example/\n',
});
const { need, run: contain } = container;
const made = () => join(container.base, 'project/file');

const examine = (profile: string) => {
  const { status, stdout } = contain(profile, ['doctor', '--json']);
  return { status, diagnosis: JSON.parse(stdout) as Diagnosis };
};
const run = (profile: string, ...args: string[]) => {
  const { status, stdout } = contain(profile, ['run', '--yes', '--json', ...args]);
  return { status, result: JSON.parse(stdout) as RunResult };
};
const checkOf = ({ checks }: Diagnosis, name: string) => checks.find((check) => check.name === name);

describe("Docker's default profile", () => {
  test(
    'every guarantee reported as held was attacked here and held; missing ones are reported, with fixes',
    (context) => {
      need(context);
      const { status, diagnosis } = examine('docker');
      if (diagnosis.tier !== 'landlock') context.skip('this kernel has no Landlock');
      expect(status).toBe(3);
      for (const { verdict, attempts } of diagnosis.guarantees) {
        expect(verdict).not.toBe('broken');
        if (verdict === 'held') expect(attempts.map(({ confined }) => confined)).toContain('stopped');
      }
      expect(checkOf(diagnosis, 'tier')).toMatchObject({ state: 'weaker' });
      expect(checkOf(diagnosis, 'broker')).toMatchObject({
        state: 'weaker',
        says: expect.stringContaining('commands have no network'),
        fixes: expect.arrayContaining([expect.stringMatching(/SYS_PTRACE|pidfd_getfd/)]),
      });
    },
    TIME_MS,
  );

  test(
    'commands run without a network, and the result says why',
    (context) => {
      need(context);
      const { result } = run('docker', 'sh work.sh');
      if (result.enforcement.tier !== 'landlock') context.skip('this kernel has no Landlock');
      expect(result.status).toBe('exited');
      expect(result.output).toMatch(/^worked\n/);
      expect(result.violations).toEqual([]);
      expect(result.meaning).toContain('The sandbox has no network on this machine');
    },
    TIME_MS,
  );

  test(
    'a command that was promised a port does not run',
    (context) => {
      need(context);
      rmSync(made(), { force: true });
      const { status, result } = run('docker', '--allow-port', '5432', 'sh work.sh');
      expect([status, result.status]).toEqual([125, 'failed']);
      expect(result.failure?.suggestions.join(' ')).toContain('hardshell doctor');
      expect(existsSync(made())).toBe(false);
    },
    TIME_MS,
  );
});

for (const call of ['pidfd_getfd', 'process_vm_readv'])
  test(
    `a filter that withholds ${call} alone is noticed by the doctor`,
    (context) => {
      need(context);
      const { diagnosis } = examine(`none,${call}`);
      if (diagnosis.tier === 'none') context.skip('nothing confines here');
      expect(checkOf(diagnosis, 'broker')).toMatchObject({ state: 'weaker', says: expect.stringContaining('EPERM') });
    },
    TIME_MS,
  );

test(
  'where nothing can confine, nothing runs, for the reason that the doctor gives',
  (context) => {
    need(context);
    rmSync(made(), { force: true });
    const { status, diagnosis } = examine('docker,landlock_create_ruleset');
    expect([status, diagnosis.tier]).toEqual([3, 'none']);
    const reason = checkOf(diagnosis, 'tier')?.details.join(' ') ?? '';
    expect(reason).toMatch(/namespaces: EPERM.*files: EPERM/);
    const { status: exitCode, result } = run('docker,landlock_create_ruleset', 'sh work.sh');
    expect([exitCode, result.status]).toEqual([125, 'failed']);
    expect(result.failure?.message).toContain('(namespaces: EPERM)');
    expect(existsSync(made())).toBe(false);
  },
  TIME_MS,
);

test(
  'the profile req runs commands there, and a warning says what is missing',
  (context) => {
    need(context);
    const args = ['run', '--yes', '--profile', 'req', 'echo ran'];
    const { status, stdout, stderr } = contain('docker,landlock_create_ruleset', args);
    const warning = /Warning: the command runs without a sandbox: .*Landlock requires Linux 5\.13 or newer/;
    expect(status).toBe(0);
    expect(stdout).toMatch(/^ran\n\[ran without a sandbox: .*Landlock requires Linux 5\.13 or newer.*\]\n$/);
    expect(stderr).toMatch(warning);
    for (const more of ['--json', '--background']) {
      const told = contain('docker,landlock_create_ruleset', [...args, more]);
      expect(told.stderr).toMatch(warning);
      expect(told.stdout).toContain('Landlock requires Linux 5.13 or newer');
    }
    const confined = contain('none', [...args, '--json']);
    expect(confined.stderr).not.toContain('Warning');
    expect(JSON.parse(confined.stdout)).toMatchObject({ output: 'ran\n', unconfined: null });
  },
  TIME_MS,
);
