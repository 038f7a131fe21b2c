// In a user namespace that knows one user alone (`unshare -r`, rootless containers) the folders of the host's root seem to
// belong to an unknown user: commands still run there, and a folder of another user is refused as before.

import { type SpawnSyncReturns, spawnSync } from 'node:child_process';
import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { BIN } from '../approving/process.ts';

const USER = 54_321;
const isRoot = process.getuid?.() === 0;
// Root's own folders are known there: only an ordinary user meets this.
const AS_USER = isRoot ? ['setpriv', `--reuid=${USER}`, `--regid=${USER}`, '--clear-groups'] : [];
let folder = '';

function inNamespace(words: readonly string[], env: Record<string, string> = {}): SpawnSyncReturns<string> {
  const [program = '', ...args] = [...AS_USER, 'unshare', '-r', ...words];
  const given = { PATH: process.env.PATH ?? '', HOME: folder, LANG: 'C.UTF-8', ...env };
  return spawnSync(program, args, { cwd: folder, env: given, encoding: 'utf8', timeout: 60_000 });
}

beforeAll(() => {
  folder = mkdtempSync('/var/tmp/hardshell-namespace-');
  chmodSync(folder, 0o700);
  if (isRoot) chownSync(folder, USER, USER);
}, 120_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('a command runs, confined', (context) => {
  if (inNamespace([process.execPath, BIN, '--version']).status !== 0)
    return context.skip('needs user namespaces, and a package that every user can read');
  const { status, stdout, stderr } = inNamespace([process.execPath, BIN, 'run', '--yes', '--json', 'echo hi']);
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  const result = JSON.parse(stdout);
  expect(result).toMatchObject({ status: 'exited', output: 'hi\n' });
  expect(result.enforcement.tier).not.toBe('none');
});

test.skipIf(!isRoot)(
  'a folder of a user that the namespace does not know is refused, and the message says so',
  (context) => {
    if (inNamespace([process.execPath, BIN, '--version']).status !== 0)
      return context.skip('needs user namespaces, and a package that every user can read');
    const other = mkdtempSync('/var/tmp/hardshell-other-');
    try {
      chmodSync(other, 0o755);
      mkdirSync(join(other, 'state'), { mode: 0o700 });
      chownSync(other, USER + 1, USER + 1);
      chownSync(join(other, 'state'), USER, USER);
      const env = { HARDSHELL_STATE_DIR: join(other, 'state') };
      const { status, stderr } = inNamespace([process.execPath, BIN, 'run', '--yes', 'echo hi'], env);
      expect(status).toBe(125);
      expect(stderr).toMatch(/The folder \S+, above \S+, belongs to a user that this user namespace does not map\./);
    } finally {
      rmSync(other, { recursive: true, force: true });
    }
  },
);
