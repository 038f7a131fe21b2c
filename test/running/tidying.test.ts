// A shell tool that lives long: what is old goes while it runs, not only when it starts.

import { existsSync, mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { createShell } from '../../src/pipeline/shell.ts';
import { nameFiles } from '../../src/tasks/names.ts';
import { writeEndedRecord } from '../../src/tasks/registry.ts';

const DAY = 24 * 60 * 60 * 1000;
const base = mkdtempSync(join(tmpdir(), 'hardshell-tidying-'));
// Nobody's own temporary folders are at stake.
process.env.TMPDIR = base;
afterEach(() => {
  vi.useRealTimers();
  rmSync(base, { recursive: true, force: true });
});

test('old outputs and unused caches are removed by a server that runs for days', async () => {
  const tasksFolder = join(base, 'tasks');
  const caches = join(base, 'cache/hardshell/caches');
  const settingsFile = join(base, 'settings.json');
  writeFileSync(settingsFile, '{ "mode": "bypass" }');
  const hostEnvironment = { PATH: process.env.PATH, HOME: process.env.HOME, XDG_CACHE_HOME: join(base, 'cache') };
  const shell = createShell({ tasksFolder, settingsFile, hostEnvironment });
  try {
    expect((await shell.run('true', { cwd: base })).exitCode).toBe(0);
    const ended = { pid: 1, startedAt: 1, exitCode: 0, signal: null, cause: 'none', stdoutBytes: 1, stderrBytes: 0 };
    writeEndedRecord(tasksFolder, { id: 'bash-aaaa', command: 'x', description: null, cwd: '/', session: null }, ended);
    const { record } = nameFiles(tasksFolder, 'bash-aaaa');
    const unused = join(caches, 'a'.repeat(16));
    mkdirSync(unused, { recursive: true });
    for (const path of [record, unused]) utimesSync(path, 1, 1);

    await shell.run('true', { cwd: base });
    expect([existsSync(record), existsSync(unused)]).toEqual([true, true]);
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 2 * DAY });
    await shell.run('true', { cwd: base });
    expect([existsSync(record), existsSync(unused)]).toEqual([false, process.platform !== 'linux']);
  } finally {
    await shell.close();
  }
});
