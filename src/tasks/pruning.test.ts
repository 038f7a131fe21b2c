import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { secretTasksFolder } from '../local/places.ts';
import { MemoryOutput } from '../run/output.ts';
import { foregroundFolder, nameFiles } from './names.ts';
import { pruneTasks } from './pruning.ts';
import { keepOutput, writeEndedRecord } from './registry.ts';

const DAY = 24 * 60 * 60 * 1000;
const NOW = Date.now();
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'hardshell-pruning-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

function add(id: string, days: number, bytes = 4096, own = folder): void {
  const files = nameFiles(own, id);
  const ended = { pid: 1, startedAt: 1, exitCode: 0, signal: null, cause: 'none', stdoutBytes: bytes, stderrBytes: 0 };
  writeEndedRecord(own, { id, command: 'x', description: null, cwd: '/', session: null }, ended);
  writeFileSync(files.output, Buffer.alloc(bytes, 1));
  const at = (NOW - days * DAY) / 1000;
  for (const path of [files.output, files.record]) utimesSync(path, at, at);
}

const left = () =>
  readdirSync(folder)
    .filter((name) => name.endsWith('.json'))
    .map((name) => name.slice(0, -5))
    .sort();

const KEEP = { keepDays: 30, keepBytes: 1 << 30, keepForeground: 100 };

test('tasks that ended long ago are deleted, with their output', () => {
  add('bash-aaaa', 31);
  add('bash-bbbb', 29);
  expect(pruneTasks(folder, KEEP, NOW)).toBe(1);
  expect(left()).toEqual(['bash-bbbb']);
  expect(existsSync(nameFiles(folder, 'bash-aaaa').output)).toBe(false);
});

test('outputs with secrets are deleted like others', () => {
  const secret = secretTasksFolder(folder);
  for (const own of [secret, foregroundFolder(secret)]) {
    mkdirSync(own);
    add('bash-aaaa', 31, 4096, own);
    add('bash-bbbb', 29, 4096, own);
  }
  expect(pruneTasks(folder, KEEP, NOW)).toBe(2);
  for (const own of [secret, foregroundFolder(secret)])
    expect(
      readdirSync(own)
        .filter((name) => name.startsWith('bash-'))
        .sort(),
    ).toEqual(['bash-bbbb.json', 'bash-bbbb.out']);
});

test('the oldest are deleted if all take too much space', () => {
  for (const [i, id] of ['bash-aaaa', 'bash-bbbb', 'bash-cccc'].entries()) add(id, i, 1 << 20);
  expect(pruneTasks(folder, { ...KEEP, keepBytes: 2.5 * (1 << 20) }, NOW)).toBe(1);
  expect(left()).toEqual(['bash-aaaa', 'bash-bbbb']);
});

test('running tasks stay, however old', (context) => {
  if (process.platform !== 'linux') context.skip('no /proc');
  add('bash-aaaa', 90);
  const { record } = nameFiles(folder, 'bash-aaaa');
  // As a supervisor writes it; here this process acts as one.
  const stat = readFileSync('/proc/self/stat', 'utf8');
  const supervisorStart = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]);
  const bootId = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  const running = { id: 'bash-aaaa', state: 'running', pid: 1, pgid: 1, startedAt: 1, bootId, supervisorStart };
  writeFileSync(record, `${JSON.stringify({ ...running, supervisor: process.pid })}\n`);
  utimesSync(record, 1, 1);
  utimesSync(nameFiles(folder, 'bash-aaaa').output, 1, 1);
  pruneTasks(folder, KEEP, NOW);
  expect(left()).toEqual(['bash-aaaa']);
});

test('once a day, and again the day after', () => {
  add('bash-bbbb', 1);
  expect(pruneTasks(folder, KEEP, NOW)).toBe(0);
  add('bash-aaaa', 31);
  expect(pruneTasks(folder, KEEP, NOW + DAY / 2)).toBeNull();
  expect(pruneTasks(folder, KEEP, NOW + DAY + 1)).toBe(1);
});

describe('output of commands in the foreground', () => {
  const past = () => foregroundFolder(folder);
  const kept = () => (existsSync(past()) ? readdirSync(past()).sort() : []);
  async function keep(id: string, days: number, bytes = 4096): Promise<void> {
    const memory = new MemoryOutput(bytes);
    memory.add('stdout', 0, Buffer.alloc(bytes, 1));
    const ended = {
      pid: 1,
      startedAt: 1,
      exitCode: 0,
      signal: null,
      cause: 'none',
      stdoutBytes: bytes,
      stderrBytes: 0,
    };
    const fields = { id, command: 'x', description: null, cwd: '/', session: null };
    await keepOutput(folder, fields, ended, memory.finish(bytes, 0));
    utimesSync(nameFiles(past(), id).kept, (NOW - days * DAY) / 1000, (NOW - days * DAY) / 1000);
  }

  test('goes with the days, as that of tasks does', async () => {
    await keep('bash-aaaa', 31);
    await keep('bash-bbbb', 29);
    expect(pruneTasks(folder, KEEP, NOW)).toBe(1);
    expect(kept()).toEqual(['bash-bbbb.kept']);
  });

  test('shares the room with that of tasks', async () => {
    await keep('bash-aaaa', 3, 1 << 20);
    add('bash-bbbb', 2, 1 << 20);
    await keep('bash-cccc', 1, 1 << 20);
    expect(pruneTasks(folder, { ...KEEP, keepBytes: 2.5 * (1 << 20) }, NOW)).toBe(1);
    expect([left(), kept()]).toEqual([['bash-bbbb'], ['bash-cccc.kept']]);
  });

  test('the oldest go when there are too many, and no task goes for them', async () => {
    add('bash-task', 9);
    for (const [i, id] of ['bash-aaaa', 'bash-bbbb', 'bash-cccc'].entries()) await keep(id, i);
    expect(pruneTasks(folder, { ...KEEP, keepForeground: 2 }, NOW)).toBe(1);
    expect([left(), kept()]).toEqual([['bash-task'], ['bash-aaaa.kept', 'bash-bbbb.kept']]);
  });
});

test('other files are not touched', () => {
  for (const name of ['notes.json', 'bash-aaaa.out', 'x']) writeFileSync(join(folder, name), '');
  expect(pruneTasks(folder, KEEP, NOW + 90 * DAY)).toBe(0);
  expect(readdirSync(folder).sort()).toEqual(['bash-aaaa.out', 'notes.json', 'x']);
});
