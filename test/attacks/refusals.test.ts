// A confinement that is not available: the command does not run, or, if the request allows it, the report names what is missing.

import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ConfinedPath, ConfinementSpec } from '../../src/confine/port.ts';
import { KeeperRunner } from '../../src/run/keeper/runner.ts';
import { NodeRunner } from '../../src/run/node-runner.ts';
import { keeperStderr, keeperUnderTest } from '../contract/keeper-under-test.ts';

const keeper = keeperUnderTest;
const base = { paths: [], reads: 'all', network: 'host', unixSockets: 'any', optional: [] } as const;
const ALL_FILES = ['files', 'refer', 'truncate', 'device-ioctl', 'scope'] as const;

let runner: KeeperRunner;
let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(homedir(), 'hardshell-refusals-'));
  mkdirSync(join(folder, 'real/inner'), { recursive: true });
  symlinkSync('real', join(folder, 'link'));
  if (keeper.isAvailable) runner = new KeeperRunner(keeper.path, { stderr: keeperStderr });
});
afterAll(async () => {
  await runner?.close();
  rmSync(folder, { recursive: true, force: true });
});

function start(confinement: ConfinementSpec, script: string) {
  const handle = runner.start({
    program: '/bin/bash',
    argv: ['bash', '-c', script],
    cwd: folder,
    env: { PATH: '/usr/bin:/bin' },
    timeoutMs: 10_000,
    confinement,
  });
  handle.started.catch(() => {});
  handle.done.catch(() => {});
  return handle;
}

const at = (kind: 'write' | 'read-only' | 'mask', ...names: string[]): ConfinedPath => ({
  kind,
  path: join(folder, ...names),
});

const failing: [name: string, () => Partial<ConfinementSpec>, message: RegExp][] = [
  ['a mask without namespaces', () => ({ paths: [at('mask', 'real')] }), /refused the request/],
  ['an own network without namespaces', () => ({ network: 'own' }), /refused the request/],
  [
    'a path with a parent in it',
    () => ({ paths: [{ kind: 'write', path: `${folder}/real/..` }] }),
    /refused the request/,
  ],
  ['a relative path', () => ({ paths: [{ kind: 'write', path: 'real' }] }), /refused the request/],
  ['reads that are not a list', () => ({ paths: [{ kind: 'read', path: '/' }] }), /refused the request/],
  ['mounts called optional', () => ({ tier: 'namespaces', optional: ['mounts'] }), /refused the request/],
  [
    'a link on the way to what is granted',
    () => ({ paths: [at('write', 'link/inner')] }),
    /ELOOP for the confinement's files/,
  ],
  [
    'a link on the way to what is mounted',
    () => ({ tier: 'namespaces', paths: [at('write', 'link/inner')] }),
    /ELOOP for the confinement's mounts/,
  ],
  [
    'a bind of nothing',
    () => ({ tier: 'namespaces', paths: [{ kind: 'bind', path: '/tmp', from: join(folder, 'absent') }] }),
    /ENOENT for the confinement's mounts/,
  ],
];

test.each(failing)('%s: nothing runs', async (name, change, message) => {
  const mark = join(folder, `ran-${name.replaceAll(' ', '-')}`);
  const handle = start({ ...base, tier: 'landlock', ...change() }, `echo x > ${mark}`);
  await expect(handle.done).rejects.toThrow(message);
  expect(existsSync(mark)).toBe(false);
});

test('what is optional and fails is reported, with its reason', async () => {
  const handle = start({ ...base, tier: 'landlock', paths: [at('write', 'link/inner')], optional: ALL_FILES }, 'true');
  const { confinement } = await handle.started;
  expect(confinement?.missing).toEqual(ALL_FILES.map((step) => ({ step, error: 'ELOOP' })));
  expect(confinement?.held).toEqual(['capabilities', 'no-new-privileges', 'system-calls', 'broker']);
  await handle.done;
});

test('what is granted and absent is left out, and its parent is not granted', async () => {
  const handle = start(
    { ...base, tier: 'landlock', paths: [at('write', 'absent')] },
    'mkdir absent || echo x > real/f',
  );
  expect((await handle.done).exitCode).not.toBe(0);
});

test('a link that takes the place of a writable folder grants nothing', async () => {
  for (const tier of ['landlock', 'namespaces'] as const) {
    const handle = start({ ...base, tier, paths: [at('write', 'link')] }, 'echo x > real/f');
    const outcome = await handle.done.then(
      ({ exitCode }) => exitCode,
      () => 'refused',
    );
    expect(outcome).not.toBe(0);
    expect(existsSync(join(folder, 'real/f'))).toBe(false);
  }
});

test('a thousand writable folders', async () => {
  const paths = Array.from({ length: 1000 }, (_, index) => at('write', `many/${index}`));
  for (const { path } of paths) mkdirSync(path, { recursive: true });
  for (const tier of ['landlock', 'namespaces'] as const) {
    const handle = start({ ...base, tier, paths }, 'echo x > many/999/f && ! echo x > many/f');
    expect((await handle.done).exitCode).toBe(0);
  }
});

test('the program that cannot be found is named as such, not as a confinement', async () => {
  const confinement: ConfinementSpec = { ...base, tier: 'namespaces' };
  const handle = runner.start({ program: '/absent', argv: ['absent'], cwd: '/', env: {}, confinement });
  handle.started.catch(() => {});
  await expect(handle.done).rejects.toThrow('cannot start /absent: ENOENT for /absent');
});

test('files that are hidden look like nothing, and nothing is left behind', async () => {
  writeFileSync(join(folder, 'real/secret'), 'x');
  const handle = start(
    { ...base, tier: 'namespaces', paths: [at('mask', 'real/secret'), at('mask', 'real/inner')] },
    'true',
  );
  await handle.done;
  expect(existsSync(join(folder, 'real/secret'))).toBe(true);
});

test('a runner that cannot confine refuses', () => {
  const confinement: ConfinementSpec = { ...base, tier: 'landlock' };
  const request = { program: 'true', argv: ['true'], cwd: '/', env: {}, confinement };
  expect(() => new NodeRunner().start(request)).toThrow('Without the keeper, commands cannot be confined');
});
