// The folder of the sockets, against another user who prepared it first.

import { chmodSync, chownSync, lstatSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createBroker } from '../../approve/broker.ts';
import { openApprovalSocket } from '../../approve/socket/socket-server.ts';
import { runtimeFolder } from '../places.ts';
import { findSocketFolder, makeSocketFolder } from './runtime-folder.ts';

let base = '';
beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'hs-'));
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

const at = (name: string) => ({ HARDSHELL_RUNTIME_DIR: join(base, name) });
const uid = process.getuid?.() ?? -1;

test.each<[string, NodeJS.ProcessEnv, string]>([
  ['the override', { HARDSHELL_RUNTIME_DIR: '/a/b', XDG_RUNTIME_DIR: '/run/user/1' }, '/a/b'],
  ['XDG', { XDG_RUNTIME_DIR: '/run/user/1' }, '/run/user/1/hardshell'],
  ['a relative XDG is ignored', { XDG_RUNTIME_DIR: 'run' }, join(tmpdir(), `hardshell-${uid}`)],
  ['neither', {}, join(tmpdir(), `hardshell-${uid}`)],
])('where it is: %s', (_, env, folder) => expect(runtimeFolder(env)).toBe(folder));

test('a relative override is refused', () => {
  expect(() => runtimeFolder({ HARDSHELL_RUNTIME_DIR: 'x' })).toThrow(/not an absolute path/);
});

test('it is private to the owner, and so is the socket', async () => {
  expect(findSocketFolder('approvals', at('run'))).toBeNull();
  const broker = createBroker();
  const socket = await openApprovalSocket(broker, { env: at('run') });
  const mode = (path: string): string => (lstatSync(path).mode & 0o777).toString(8);
  expect([join(base, 'run'), join(base, 'run/approvals'), socket.path].map(mode)).toEqual(['700', '700', '600']);
  expect(findSocketFolder('approvals', at('run'))).toBe(join(base, 'run/approvals'));
  await socket.close();
  expect(lstatSync(socket.path, { throwIfNoEntry: false })).toBeUndefined();
});

describe.each([
  ['the host', (env: NodeJS.ProcessEnv) => makeSocketFolder('approvals', env)],
  ['the side that answers', (env: NodeJS.ProcessEnv) => findSocketFolder('approvals', env)],
])('%s refuses', (_, open) => {
  test('a folder that is a link', () => {
    mkdirSync(join(base, 'real'), { mode: 0o700 });
    symlinkSync('real', join(base, 'run'));
    expect(() => open(at('run'))).toThrow(/not a private folder/);
  });

  test('a file', () => {
    writeFileSync(join(base, 'run'), '');
    expect(() => open(at('run'))).toThrow(/not a private folder/);
  });

  test.each([0o710, 0o701, 0o770, 0o777])('a folder that other users can open: %o', (mode) => {
    mkdirSync(join(base, 'run'));
    chmodSync(join(base, 'run'), mode);
    expect(() => open(at('run'))).toThrow(/open to other users \(mode 7/);
  });

  test('an inner folder that is a link or open', () => {
    mkdirSync(join(base, 'run'), { mode: 0o700 });
    symlinkSync('/tmp', join(base, 'run/approvals'));
    expect(() => open(at('run'))).toThrow(/not a private folder/);
    rmSync(join(base, 'run/approvals'));
    mkdirSync(join(base, 'run/approvals'));
    chmodSync(join(base, 'run/approvals'), 0o755);
    expect(() => open(at('run'))).toThrow(/mode 755/);
  });

  test('a folder in one where others may rename things', () => {
    mkdirSync(join(base, 'shared'));
    mkdirSync(join(base, 'shared/run'), { mode: 0o700 });
    chmodSync(join(base, 'shared'), 0o777);
    expect(() => open(at('shared/run'))).toThrow(/can rename entries in/);
    // As in /tmp: only the owner can rename there.
    chmodSync(join(base, 'shared'), 0o1777);
    expect(() => open(at('shared/run'))).not.toThrow();
  });

  // Only root can make a folder for another user.
  test.runIf(uid === 0)('a folder of another user', () => {
    mkdirSync(join(base, 'run'), { mode: 0o700 });
    chownSync(join(base, 'run'), 12_345, 12_345);
    expect(() => open(at('run'))).toThrow(/belongs to another user \(12345\)/);
    mkdirSync(join(base, 'theirs/run'), { recursive: true, mode: 0o700 });
    chownSync(join(base, 'theirs'), 12_345, 12_345);
    expect(() => open(at('theirs/run'))).toThrow(/above .* belongs to another user/);
  });
});

test('the refusal says what to do', () => {
  writeFileSync(join(base, 'run'), '');
  expect(() => makeSocketFolder('approvals', at('run'))).toThrow(
    expect.objectContaining({ hint: expect.stringContaining('HARDSHELL_RUNTIME_DIR') }),
  );
});

test('a path that is too long for a socket is refused with its length', async () => {
  const env = at('x'.repeat(100));
  await expect(openApprovalSocket(createBroker(), { env })).rejects.toThrow(
    /has \d{3} bytes; the system allows at most/,
  );
});
