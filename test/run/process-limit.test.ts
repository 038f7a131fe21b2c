// Without cgroups, the kernel holds the limit of processes for a user namespace, except for root.

import { spawnSync } from 'node:child_process';
import { constants, release, tmpdir } from 'node:os';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { keeperUnderTest as keeper } from '../contract/keeper-under-test.ts';

const HOST = fileURLToPath(new URL('./process-limit-host.js', import.meta.url));
const NOBODY = 65_534;

test('more threads than a limit of processes can need are not started', (context) => {
  if (!keeper.isAvailable) return context.skip(keeper.reason);
  const [major = 0, minor = 0] = release().split('.').map(Number);
  if (major < 5 || (major === 5 && minor < 14)) return context.skip('needs Linux 5.14');
  const user = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {};
  const options = { encoding: 'utf8', timeout: 60_000, cwd: '/', ...user } as const;
  const { status, stdout, stderr } = spawnSync(process.execPath, [HOST], { ...options, env: { HOME: tmpdir() } });
  if (status !== 0) return context.skip(`another user cannot run the keeper here: ${stderr.split('\n')[0]}`);
  const [few, many] = JSON.parse(stdout);
  expect(few).toEqual({ hasProcessLimit: true, cause: 'none', exitCode: null, signal: constants.signals.SIGABRT });
  expect(many).toEqual({ hasProcessLimit: true, cause: 'none', exitCode: 0, signal: null });
});
