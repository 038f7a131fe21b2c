import { expect, test } from 'vitest';
import { GUARANTEES } from '../../core/confinement.ts';
import { describeEnforcement } from '../enforcement.ts';
import { ATTEMPTS, type Attempt } from './attempts.ts';
import type { AttemptFinding } from './diagnosis.ts';
import type { Scene } from './scene.ts';
import { type Ended, judge, tryAll } from './trial.ts';

const finding = (confined: AttemptFinding['confined']): AttemptFinding => ({
  tried: 'do it',
  unconfined: confined === 'not-tried' ? 'failed' : 'worked',
  confined,
  said: '',
});

const full = describeEnforcement('namespaces', [], [], null);
const without = describeEnforcement('namespaces', [], [{ guarantee: 'network', why: 'the policy allows it' }], null);

const VERDICTS: [name: string, enforcement: typeof full, attempts: AttemptFinding['confined'][], verdict: string][] = [
  ['all are stopped', full, ['stopped', 'stopped'], 'held'],
  ['one is stopped and one proves nothing', full, ['stopped', 'not-tried'], 'held'],
  ['one of many works', full, ['stopped', 'worked', 'stopped'], 'broken'],
  ['none proves anything', full, ['not-tried', 'not-tried'], 'not-proven'],
  ['there is none', full, [], 'not-proven'],
  ['it is reported as missing and works', without, ['worked'], 'missing'],
  ['it is reported as missing but is stopped', without, ['stopped'], 'missing'],
];

test.each(VERDICTS)('%s', (_, enforcement, attempts, verdict) => {
  const found = judge(enforcement, new Map([['network', attempts.map(finding)]]));
  expect(found.find(({ guarantee }) => guarantee === 'network')?.verdict).toBe(verdict);
});

test('every guarantee has a verdict, and every verdict but `held` a reason', () => {
  const found = judge(without, new Map([['devices', [finding('stopped')]]]));
  expect(found.map(({ guarantee }) => guarantee)).toEqual(GUARANTEES);
  for (const { verdict, why } of found) expect(why === null).toBe(verdict === 'held');
});

test('every guarantee has an attempt', () => {
  for (const guarantee of GUARANTEES) expect(ATTEMPTS.some((attempt) => attempt.guarantee === guarantee)).toBe(true);
});

const scene = { refresh: () => {} } as unknown as Scene;
const attempt: Attempt = { guarantee: 'network', tried: 'do it', script: '' };
const tryWith = async (unconfined: Ended, confined: Ended, extra: Partial<Attempt> = {}) => {
  const found = await tryAll([{ ...attempt, ...extra }], scene, async (_, where) =>
    where === 'confined' ? confined : unconfined,
  );
  return found.get('network')?.[0];
};

const worked: Ended = { exitCode: 0, output: 'tried\n' };

test('an attempt that fails without confinement does not run inside', async () => {
  const found = await tryWith({ exitCode: 1, output: 'tried\nbash: line 1: /x: No such file or directory\n' }, worked);
  expect(found).toMatchObject({ unconfined: 'failed', confined: 'not-tried', said: 'No such file or directory' });
});

test('a program that is missing inside was not stopped', async () => {
  const found = await tryWith(worked, { exitCode: 127, output: 'bash: line 1: perl: command not found\n' });
  expect(found).toMatchObject({ unconfined: 'worked', confined: 'not-tried' });
});

test('an attempt that did not end in time proves nothing', async () => {
  const late: Ended = { exitCode: null, output: 'tried\n', hasTimedOut: true };
  expect(await tryWith(worked, late)).toMatchObject({ confined: 'not-tried', said: 'it did not end in time' });
  expect(await tryWith(worked, late, { seen: () => true })).toMatchObject({ confined: 'worked' });
});

test('an attempt that was killed inside was stopped', async () => {
  expect(await tryWith(worked, { exitCode: null, output: 'tried\n' })).toMatchObject({ confined: 'stopped' });
});

test('a guarantee that could not be tried inside says so', () => {
  const untried: AttemptFinding = { ...finding('not-tried'), unconfined: 'worked' };
  const found = judge(full, new Map([['network', [untried]]])).find(({ guarantee }) => guarantee === 'network');
  expect(found).toMatchObject({
    verdict: 'not-proven',
    why: 'no attempt could be completed inside, so nothing proves it',
  });
});

test('the view from outside counts more than the exit code', async () => {
  expect(await tryWith(worked, { exitCode: 1, output: 'tried\n' }, { seen: () => true })).toMatchObject({
    confined: 'worked',
  });
});

test.each([
  ['tried\nbash: line 1: /x/o/file: Read-only file system\n', 'Read-only file system'],
  ['tried\nbash: line 1: kill: (21976) - No such process\n', 'No such process'],
  ['tried\nEPERM\n', 'EPERM'],
])('the error message of %j is kept', async (output, said) => {
  expect(await tryWith(worked, { exitCode: 1, output })).toMatchObject({ said });
});
