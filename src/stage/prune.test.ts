import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { StageState } from '../core/staging.ts';
import { pruneStages } from './prune.ts';
import { findStage, makeStage } from './store.ts';

const DAY_MS = 86_400_000;
const NOW = Date.now();
const LIMITS = { maxBytes: 1 << 20, maxMs: 14 * DAY_MS };
let stages: string;
const children: ChildProcess[] = [];

beforeEach(() => {
  stages = mkdtempSync(join(tmpdir(), 'stages-'));
});
afterEach(() => {
  for (const child of children.splice(0)) child.kill();
  rmSync(stages, { recursive: true });
});

interface Row {
  readonly state?: StageState;
  readonly days: number;
  readonly bytes?: number;
  /** Names in the journal. */
  readonly names?: number;
}

function add(id: string, { state, days, bytes = 0, names = 1 }: Row): string {
  const folder = join(stages, id);
  const startedAt = NOW - days * DAY_MS;
  makeStage(folder, { id, command: 'x', cwd: '/', session: null, startedAt, mode: 'apply', roots: ['/p'] });
  if (state !== undefined) writeFileSync(join(folder, 'state'), state);
  if (state !== undefined) utimesSync(join(folder, 'state'), startedAt / 1000, startedAt / 1000);
  const listed = Array.from({ length: names }, (_, at) => `name\tcreated\tf\t1\t0\tn${at}`);
  const records = ['hardshell-stage 1', 'root\t0\t/p', ...listed, `end\t0\t${names}\t0`];
  writeFileSync(join(folder, 'journal'), records.map((record) => `${record}\0`).join(''));
  mkdirSync(join(folder, '0', 'undo'), { recursive: true });
  if (bytes > 0) writeFileSync(join(folder, '0', 'undo', '0'), Buffer.alloc(bytes, 1));
  return folder;
}

const left = () => readdirSync(stages).filter((name) => name !== 'pruned');

test('old stages go, held changes stay however old they are', () => {
  add('bash-landed', { state: 'landed', days: 15 });
  add('bash-undone', { state: 'undone', days: 15 });
  add('bash-dropped', { state: 'dropped', days: 15 });
  add('bash-nothing', { days: 15 });
  add('bash-refused', { state: 'held', days: 15, names: 0 });
  add('bash-held', { state: 'held', days: 400 });
  add('bash-landing', { state: 'landing', days: 400 });
  add('bash-recent', { state: 'landed', days: 13 });
  expect(pruneStages(stages, LIMITS, null, NOW)).toBe(5);
  expect(left()).toEqual(['bash-held', 'bash-landing', 'bash-recent']);
});

test('the oldest go first if all are too large; those that have just ended stay', () => {
  add('bash-aaaa', { state: 'landed', days: 3, bytes: 600_000 });
  add('bash-bbbb', { state: 'landed', days: 2, bytes: 600_000 });
  add('bash-cccc', { state: 'landed', days: 1, bytes: 600_000 });
  add('bash-dddd', { state: 'landed', days: 0, bytes: 2 << 20 });
  expect(pruneStages(stages, { ...LIMITS, maxBytes: 3 << 20 }, null, NOW)).toBe(2);
  expect(left()).toEqual(['bash-cccc', 'bash-dddd']);
});

test('at most once an hour', () => {
  expect(pruneStages(stages, LIMITS, null, NOW)).toBe(0);
  add('bash-aaaa', { state: 'landed', days: 15 });
  expect(pruneStages(stages, LIMITS, null, NOW + 60_000)).toBeNull();
  expect(pruneStages(stages, LIMITS, null, NOW + 3_700_000)).toBe(1);
});

test('after each command, if what was added is too large; the last one stays', () => {
  const added = (id: string, row: Row) => {
    add(id, row);
    return findStage(id, stages);
  };
  expect(pruneStages(stages, LIMITS, null, NOW)).toBe(0);
  const row = { state: 'landed', days: 0.001, bytes: 600_000 } as const;
  expect(pruneStages(stages, LIMITS, added('bash-aaaa', row), NOW)).toBeNull();
  expect(pruneStages(stages, LIMITS, added('bash-bbbb', { ...row, days: 0.0005 }), NOW)).toBe(1);
  expect(left()).toEqual(['bash-bbbb']);
  expect(pruneStages(stages, LIMITS, added('bash-cccc', { ...row, days: 0.0002, bytes: 3 << 20 }), NOW)).toBe(1);
  expect(left()).toEqual(['bash-cccc']);
});

test('newer files that a forced undo has kept aside stay', () => {
  const folder = add('bash-aaaa', { state: 'undone', days: 400 });
  mkdirSync(join(folder, '0', 'aside'));
  expect(pruneStages(stages, LIMITS, null, NOW)).toBe(1);
  const other = add('bash-bbbb', { state: 'undone', days: 400 });
  mkdirSync(join(other, '0', 'aside'));
  writeFileSync(join(other, '0', 'aside', '0'), 'mine');
  expect(pruneStages(stages, LIMITS, null, NOW + 3_700_000)).toBe(0);
});

test('folders that only their mode protects are removed as well', () => {
  const folder = add('bash-aaaa', { state: 'landed', days: 15 });
  const inner = join(folder, '0', 'undo', 'inner');
  mkdirSync(inner);
  writeFileSync(join(inner, 'file'), '');
  chmodSync(inner, 0o555);
  expect(pruneStages(stages, LIMITS, null, NOW)).toBe(1);
  expect(existsSync(folder)).toBe(false);
});

test('a stage that a process works on stays', async () => {
  const folder = add('bash-aaaa', { state: 'landed', days: 15 });
  const child = spawn('flock', ['-x', join(folder, 'lock'), 'sh', '-c', 'echo held; read x'], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  children.push(child);
  await once(child.stdout as NodeJS.ReadableStream, 'data');
  expect(pruneStages(stages, LIMITS, null, NOW)).toBe(0);
  child.stdin?.end('\n');
  await once(child, 'exit');
  expect(pruneStages(stages, LIMITS, null, NOW + 3_700_000)).toBe(1);
});
