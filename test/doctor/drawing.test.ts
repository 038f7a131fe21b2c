// What a person and a program get from `hardshell doctor`.

import pc from 'picocolors';
import { expect, test } from 'vitest';
import { type Conclusion, type Diagnosis, GUARANTEES } from '../../src/host.ts';
import { drawDiagnosis } from '../../src/surfaces/cli/doctor/drawing.ts';
import { examine } from '../../src/surfaces/cli/doctor/verb.ts';
import { createTerminal, type Terminal } from '../../src/surfaces/cli/show/terminal.ts';
import { columns } from '../../src/surfaces/cli/show/visible.ts';

const plain: Terminal = { ...createTerminal({ color: false }, { LANG: 'C.UTF-8' }), width: 80 };
const stopped = { tried: 'overwrite a file next to the workspace', unconfined: 'worked', confined: 'stopped' } as const;

const base: Diagnosis = {
  sandbox: 'workspace',
  tier: 'namespaces',
  conclusion: 'weaker',
  guarantees: GUARANTEES.map((guarantee) => ({
    guarantee,
    meaning: 'as the test says',
    verdict: 'held',
    why: null,
    attempts: [
      { ...stopped, said: 'Read-only file system' },
      { ...stopped, tried: 'write there through a hard link', said: 'Invalid cross-device link' },
      { ...stopped, tried: 'create a file there', said: 'Read-only file system' },
    ],
  })),
  checks: [
    { name: 'system', state: 'good', says: 'Debian', details: [], fixes: [] },
    {
      name: 'tier',
      state: 'weaker',
      says: 'Landlock and a system call filter, without namespaces, which is a long thing to say in one line',
      details: ['because the kernel refused namespaces (namespaces: EPERM)'],
      fixes: [
        'sudo sysctl -w kernel.apparmor_restrict_unprivileged_userns=0 && echo a long command that is copied whole',
      ],
    },
  ],
};

test('attempts with the same answer stand together', () => {
  const text = drawDiagnosis(base, plain).slice(0, 6).join('\n');
  expect(text).toContain('  held     writes-outside');
  expect(text).toMatch(/workspace, create a file there → stopped\s+\(Read-only file system\)/);
  expect(text).toMatch(/hard link → stopped \(Invalid cross-device link\)/);
});

test('80 columns are enough for everything but commands, which stay whole', () => {
  const wide = drawDiagnosis(base, plain).filter((line) => columns(line) > 80);
  expect(wide).toEqual([expect.stringMatching(/^ +fix {7}sudo sysctl -w .* copied whole$/)]);
});

test('without colour there is no escape, and with colour the words are the same', () => {
  const colored = drawDiagnosis(base, { ...plain, colors: pc.createColors(true) }).join('\n');
  const uncolored = drawDiagnosis(base, plain).join('\n');
  expect(uncolored).not.toContain('\x1b');
  expect(colored).toContain('\x1b[32m');
  expect(colored.replace(/\x1b\[\d+m/g, '')).toBe(uncolored);
});

test('what comes from the machine cannot move the cursor', () => {
  const checks = [{ name: 'settings', state: 'broken', says: 'x\x1b[2Jy', details: ['\r'], fixes: [] }] as const;
  expect(drawDiagnosis({ ...base, checks }, plain).join('\n')).toContain('x\\e[2Jy');
});

test('one reason stands for all where nothing is confined', () => {
  const guarantees = GUARANTEES.map((guarantee) => ({
    guarantee,
    meaning: 'as the test says',
    verdict: 'missing' as const,
    why: 'the keeper needs Linux',
    attempts: [],
  }));
  const lines = drawDiagnosis({ ...base, tier: 'none', guarantees }, plain);
  expect(lines.filter((line) => line.includes('the keeper needs Linux'))).toHaveLength(1);
});

test('what no tier holds is not called a weakness, and nothing is not called weaker', () => {
  const [first, ...rest] = base.guarantees;
  const guarantees = [{ ...first, verdict: 'missing', why: 'it cannot be covered', attempts: [] }, ...rest] as never;
  const end = (change: Partial<Diagnosis>) =>
    drawDiagnosis({ ...base, ...change }, plain)
      .slice(-3)
      .join(' ');
  expect(end({ conclusion: 'good', guarantees })).toContain('14 held, 1 missing. Linux offers no more');
  expect(end({ conclusion: 'good' })).toContain('15 held. Every guarantee holds, and was tested.');
  expect(end({ tier: 'none', guarantees })).toContain('This machine has no sandbox');
});

test.each([
  ['good', 0],
  ['broken', 1],
  ['weaker', 3],
] as const)('%s ends with %i', async (conclusion: Conclusion, exitCode) => {
  let text = '';
  const code = await examine(
    { color: false, json: true },
    async () => ({ ...base, conclusion }),
    (part) => {
      text += part;
    },
  );
  expect(code).toBe(exitCode);
  const parsed = JSON.parse(text);
  expect(parsed).toMatchObject({ schemaVersion: 1, exitCode, conclusion, sandbox: 'workspace', tier: 'namespaces' });
  expect(parsed.guarantees[0]).toEqual(base.guarantees[0]);
});
