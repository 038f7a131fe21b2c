// A command that cannot be launched after its sandbox was made leaves nothing of it behind.

import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test, vi } from 'vitest';
import { createShell } from '../../src/pipeline/shell.ts';
import { keeperUnderTest } from '../contract/keeper-under-test.ts';

// A machine without zsh, also where it is installed.
vi.mock('../../src/run/shells/trusted-shells.ts', async (load) => {
  const shells = await load<typeof import('../../src/run/shells/trusted-shells.ts')>();
  const probe = (path: string) => (path.endsWith('zsh') ? 'does not exist' : shells.checkShell(path));
  return { ...shells, findShell: (wish: Parameters<typeof shells.findShell>[0]) => shells.findShell(wish, probe) };
});

const base = realpathSync(mkdtempSync(join(tmpdir(), 'hardshell-launching-')));
afterAll(() => rmSync(base, { recursive: true, force: true }));

const countServers = () => process.getActiveResourcesInfo().filter((name) => name === 'TCPServerWrap').length;

test('its proxy listens no more', async (context) => {
  if (!keeperUnderTest.isAvailable) return context.skip(keeperUnderTest.reason);
  const settingsFile = join(base, 'settings.json');
  const cwd = join(base, 'work');
  mkdirSync(cwd);
  // Without namespaces the proxy listens before the command is launched.
  writeFileSync(settingsFile, JSON.stringify({ sandbox: { backend: 'landlock' } }));
  const before = countServers();
  const shell = createShell({ settingsFile, tasksFolder: join(base, 'tasks') });
  try {
    const options = { cwd, assumeYes: true, sandbox: { allowDomains: ['example.com'] } };
    const fine = await shell.run('echo fine', options);
    if (fine.enforcement.tier !== 'landlock') return context.skip('this machine has no Landlock');
    const failed = await shell.run('echo x', { ...options, shell: 'zsh' });
    expect(failed.status).toBe('failed');
    await vi.waitFor(() => expect(countServers()).toBe(before));
  } finally {
    await shell.close();
  }
});
