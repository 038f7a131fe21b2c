import { mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { isTaskId } from '../core/names/task-id.ts';
import { createTaskId, idOfRecord, nameFiles } from './names.ts';
import { deleteOrphans, deleteTask, findRecord, listTasks, signalName, writeEndedRecord } from './registry.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'hardshell-registry-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const fields = (id: string) => ({ id, command: 'make', description: null, cwd: '/w', session: 's' });
const ended = {
  pid: 7,
  startedAt: 1000,
  exitCode: 2,
  signal: null,
  cause: 'none',
  stdoutBytes: 3,
  stderrBytes: 4,
};

describe('names', () => {
  test.each([
    ['bash-k7mw2q', true],
    ['run-abcd23', true],
    ['bash-', false],
    ['bash-k7mw2q.json', false],
    ['../bash-k7mw2q', false],
    ['bash-k7mw2q\n', false],
  ])('%j is an id: %s', (text, expected) => {
    expect(isTaskId(text)).toBe(expected);
  });

  test('ids differ from each other, and their files are in the folder', () => {
    const ids = Array.from({ length: 200 }, () => createTaskId(folder, 'bash'));
    expect(new Set(ids).size).toBe(200);
    for (const id of ids) expect(isTaskId(id)).toBe(true);
    expect(nameFiles('/t', 'bash-k7mw2q').output).toBe('/t/bash-k7mw2q.out');
    expect(idOfRecord('bash-k7mw2q.json')).toBe('bash-k7mw2q');
    expect(idOfRecord('bash-k7mw2q.json.12.new')).toBeNull();
  });
});

describe('the registry', () => {
  test('lists newest first, and skips unreadable records', async () => {
    writeEndedRecord(folder, fields('bash-aaaaaa'), ended);
    writeEndedRecord(folder, fields('bash-bbbbbb'), { ...ended, startedAt: 2000, exitCode: null, signal: 9 });
    writeFileSync(join(folder, 'bash-cccccc.json'), '{"state":"fini');
    writeFileSync(join(folder, 'bash-dddddd.json'), 'null');
    const tasks = await listTasks(folder);
    expect(tasks).toMatchObject([
      { id: 'bash-bbbbbb', state: 'finished', exitCode: null, signal: 'SIGKILL' },
      { id: 'bash-aaaaaa', state: 'finished', exitCode: 2, signal: null, outputBytes: 7, command: 'make', cwd: '/w' },
    ]);
    expect(findRecord(folder, 'bash-cccccc')).toBeNull();
  });

  test('a task is deleted with all its files, and no other', () => {
    const { output, record, cwd } = nameFiles(folder, 'bash-aaaaaa');
    for (const path of [output, `${output}.map`, record, cwd, join(folder, 'bash-aaaaab.out')]) writeFileSync(path, '');
    deleteTask(folder, 'bash-aaaaaa');
    expect(readdirSync(folder)).toEqual(['bash-aaaaab.out']);
  });

  test('files without a record are deleted if they are old, and only those', () => {
    const old = new Date(Date.now() - 8 * 24 * 3600 * 1000);
    for (const name of ['bash-aaaaaa.out', 'bash-aaaaaa.out.map', 'bash-bbbbbb.out', 'bash-bbbbbb.json', 'notes.out']) {
      writeFileSync(join(folder, name), '');
      utimesSync(join(folder, name), old, old);
    }
    writeFileSync(join(folder, 'bash-cccccc.out'), '');
    deleteOrphans(folder);
    expect(readdirSync(folder).sort()).toEqual(['bash-bbbbbb.json', 'bash-bbbbbb.out', 'bash-cccccc.out', 'notes.out']);
  });

  test('signals have names', () => {
    expect([signalName(15), signalName(9), signalName(250)]).toEqual(['SIGTERM', 'SIGKILL', 'SIG250']);
  });
});
