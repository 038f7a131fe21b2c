import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { discardStage, findStage, listStages, makeStage, type StageMeta } from './store.ts';

let stages: string;
const children: ChildProcess[] = [];
beforeEach(() => {
  stages = mkdtempSync(join(tmpdir(), 'stages-'));
});
afterEach(() => {
  for (const child of children.splice(0)) child.kill();
  rmSync(stages, { recursive: true });
});

const meta = (id: string, startedAt: number): StageMeta => ({
  id,
  command: 'npm test',
  cwd: '/p',
  session: null,
  startedAt,
  mode: 'apply',
  roots: ['/p'],
});

test('stages are listed from the newest, with their state; other names are none', () => {
  for (const [id, at] of [
    ['bash-aaaaaa', 1],
    ['bash-cccccc', 3],
    ['bash-bbbbbb', 2],
  ] as const)
    makeStage(join(stages, id), meta(id, at));
  writeFileSync(join(stages, 'bash-bbbbbb', 'state'), 'landed\n');
  writeFileSync(join(stages, 'last-landing'), '');
  makeStage(join(stages, 'bash-dddddd'), meta('bash-zzzzzz', 4));
  expect(listStages(stages).map(({ id, state, isBusy }) => [id, state, isBusy])).toEqual([
    ['bash-cccccc', 'running', true],
    ['bash-bbbbbb', 'landed', false],
    ['bash-aaaaaa', 'running', true],
  ]);
  expect(findStage('../etc', stages)).toBeNull();
  expect(statSync(join(stages, 'bash-aaaaaa')).mode & 0o777).toBe(0o700);
});

test('a stage whose lock is held is busy', async () => {
  const folder = join(stages, 'bash-aaaaaa');
  makeStage(folder, meta('bash-aaaaaa', 1));
  writeFileSync(join(folder, 'state'), 'held');
  const child = spawn('flock', ['-x', join(folder, 'lock'), 'sh', '-c', 'echo held; read x'], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  children.push(child);
  await once(child.stdout as NodeJS.ReadableStream, 'data');
  expect(findStage('bash-aaaaaa', stages)?.isBusy).toBe(true);
  child.stdin?.end('\n');
  await once(child, 'exit');
  expect(findStage('bash-aaaaaa', stages)?.isBusy).toBe(false);
});

test('a stage that cannot be made says so, and leaves nothing', () => {
  makeStage(join(stages, 'bash-aaaaaa'), meta('bash-aaaaaa', 1));
  expect(() => makeStage(join(stages, 'bash-aaaaaa', 'meta.json', 'x'), meta('bash-bbbbbb', 1))).toThrow(
    /Cannot create/,
  );
  // The stage of another command stays.
  expect(() => makeStage(join(stages, 'bash-aaaaaa'), meta('bash-aaaaaa', 2))).toThrow(/Cannot create/);
  expect(findStage('bash-aaaaaa', stages)?.startedAt).toBe(1);
  discardStage(join(stages, 'bash-aaaaaa'));
  expect(readdirSync(stages)).toEqual([]);
  expect(listStages(join(stages, 'none'))).toEqual([]);
});
