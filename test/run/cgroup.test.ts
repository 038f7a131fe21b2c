// cgroups as far as this machine delegates them: what was had is said, and nothing stays behind.

import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, rmdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { KeeperRunner } from '../../src/run/keeper/runner.ts';
import { keeperUnderTest } from '../contract/keeper-under-test.ts';
import { makeMark, until } from '../contract/marks.ts';
import { BIN } from '../contract/runner-contract.ts';

const ENV = { PATH: `${BIN}:${process.env.PATH}` };

/** The cgroup of a process, by the same two files that the keeper reads. */
function cgroupOf(pid: number): string {
  const mount = readFileSync('/proc/self/mountinfo', 'utf8').match(/^\S+ \S+ \S+ \S+ (\S+) .* - cgroup2 /m)?.[1];
  const own = readFileSync(`/proc/${pid}/cgroup`, 'utf8').match(/^0::(.*)$/m)?.[1];
  return `${mount}${own === '/' ? '' : own}`;
}

/** Folder of a keeper: in its cgroup, or beside it if that is delegated. */
function folderOf(pid: number): string {
  const own = join(cgroupOf(pid), `hardshell-${pid}`);
  return existsSync(own) ? own : join(dirname(cgroupOf(pid)), `hardshell-${pid}`);
}

test('in a service with DelegateSubgroup the kernel holds memory and processes', async (context) => {
  const keeper = keeperUnderTest;
  if (!keeper.isAvailable) return context.skip(keeper.reason);
  const above = dirname(cgroupOf(process.pid));
  const enabled = existsSync(join(above, 'cgroup.subtree_control'))
    ? readFileSync(join(above, 'cgroup.subtree_control'), 'utf8').trim().split(' ')
    : [];
  const canCreate = spawnSync('mkdir', [join(above, 'hardshell-test')]).status === 0;
  if (canCreate) rmdirSync(join(above, 'hardshell-test'));
  if (!canCreate || !enabled.includes('memory')) return context.skip('no cgroup v2 folder is delegated here');
  const runner = new KeeperRunner(keeper.path);
  try {
    const { pid, cgroup } = await runner.warmUp();
    expect(cgroup).toEqual(expect.arrayContaining(['memory', 'processes', 'cpu']));
    expect(folderOf(pid)).toBe(join(above, `hardshell-${pid}`));
  } finally {
    await runner.close();
  }
});

test('a command runs in its own cgroup, dies with it, and leaves no folder', async (context) => {
  const keeper = keeperUnderTest;
  if (!keeper.isAvailable) return context.skip(keeper.reason);
  const runner = new KeeperRunner(keeper.path);
  try {
    const { pid, cgroup } = await runner.warmUp();
    if (cgroup === null || !existsSync(folderOf(pid))) return context.skip('no cgroup v2 folder can be made here');
    const folder = folderOf(pid);
    expect(existsSync(folder)).toBe(true);
    const mark = makeMark();
    const argv = ['bash', '--norc', '-c', 'cat /proc/self/cgroup; double-fork stay'];
    const request = { program: 'bash', argv, cwd: '/', env: { ...ENV, ...mark.env }, useCgroup: true };
    const handle = runner.start({ ...request, limits: { memoryBytes: 1 << 30, processes: 50 } });
    const started = await handle.started;
    // What was asked for and can be had; never more.
    expect(started.cgroup).toEqual(cgroup.filter((feature) => feature !== 'cpu'));
    expect(await until(() => mark.count() === 3, 15_000)).toBe(true);
    handle.kill({ graceMs: 0 });
    const { output } = await handle.done;
    expect(String(await output.read(0, 4096))).toContain(`/hardshell-${pid}/`);
    expect(await mark.untilGone(15_000)).toBe(0);
    expect(readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory())).toEqual([]);
    await runner.close();
    expect(existsSync(folder)).toBe(false);
  } finally {
    await runner.close();
  }
});

test('folders of a keeper that was killed are removed by the next one that ends', async (context) => {
  const keeper = keeperUnderTest;
  if (!keeper.isAvailable) return context.skip(keeper.reason);
  const killed = new KeeperRunner(keeper.path);
  const { pid, cgroup } = await killed.warmUp();
  if (cgroup === null || !existsSync(folderOf(pid))) return context.skip('no cgroup v2 folder can be made here');
  const folder = folderOf(pid);
  process.kill(pid, 'SIGKILL');
  await killed.close();
  // Any keeper that ends removes it, also one of another test.
  const next = new KeeperRunner(keeper.path);
  await next.warmUp();
  await next.close();
  expect(await until(() => !existsSync(folder), 15_000)).toBe(true);
});

test('the guarantees say what is held, and why the rest is not', async (context) => {
  const keeper = keeperUnderTest;
  if (!keeper.isAvailable) return context.skip(keeper.reason);
  const runner = new KeeperRunner(keeper.path);
  const guarantees = await runner.guarantees();
  await runner.close();
  expect(guarantees.every(({ isHeld, why }) => isHeld === (why === null))).toBe(true);
  expect(guarantees.find(({ name }) => name === 'whole-tree-ends')).toMatchObject({ isHeld: true });
});
