// A full disk, as a real one of a few pages: each message says that the disk is full, and nothing is left behind.

import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { BIN } from '../approving/process.ts';

const TIME_MS = 60_000;
let base: string;
beforeAll(() => {
  base = mkdtempSync(join(tmpdir(), 'hs-full-'));
});
afterAll(() => rmSync(base, { recursive: true, force: true }));

function canMount(): boolean {
  const tried = spawnSync('unshare', ['-rm', 'mount', '-t', 'tmpfs', 'none', '/mnt'], { stdio: 'ignore' });
  return tried.status === 0;
}

/** `script` runs in a folder on a disk that is full except for the room that `prepare` leaves. */
function onFullDisk(script: string, prepare = '') {
  const place = mkdtempSync(join(base, 'disk-'));
  const whole = `mount -t tmpfs -o size=64k,nr_inodes=64,mode=700 none "$PLACE" && cd "$PLACE"
    ${prepare}
    dd if=/dev/zero of=fill bs=4k 2>/dev/null
    ${script}
    echo "exit $?"; find . -name '*.tmp' -o -name '*.new' -o -name '*.lock.*.*'`;
  const { stdout, stderr } = spawnSync('unshare', ['-rm', 'sh', '-c', whole], {
    encoding: 'utf8',
    timeout: TIME_MS,
    env: {
      PATH: process.env.PATH,
      PLACE: place,
      HOME: place,
      NODE: process.execPath,
      BIN,
      HARDSHELL_STATE_DIR: join(place, 'state'),
    },
  });
  return { stdout, stderr };
}

describe.skipIf(process.platform !== 'linux' || !canMount())('on a full disk', () => {
  test.each([
    ['init', '"$NODE" "$BIN" init', ''],
    ['config add', '"$NODE" "$BIN" config add allow "Bash(true)"', ''],
    ['a command that must be recorded', '"$NODE" "$BIN" run --yes true', 'mkdir -m 700 state state/tasks'],
  ])(
    '%s',
    (_, script, prepare) => {
      const { stdout, stderr } = onFullDisk(script, prepare);
      expect(stderr).toContain('The disk is full: free some space');
      expect(stderr).not.toMatch(/permission|Try again|mode 700/i);
      // The exit code, and no file after it.
      expect(stdout).toMatch(/exit (?:2|125)\n$/);
    },
    TIME_MS,
  );
});

test(
  'folders that other users can open: what to type, from a command, too',
  () => {
    const state = join(base, 'open-state');
    for (const name of ['', 'audit']) mkdirSync(join(state, name), { mode: 0o700 });
    chmodSync(join(state, 'audit'), 0o755);
    const env = { PATH: process.env.PATH, HOME: base, HARDSHELL_STATE_DIR: state };
    const { status, stderr } = spawnSync(process.execPath, [BIN, 'run', '--yes', 'true'], { encoding: 'utf8', env });
    expect([status, stderr]).toEqual([125, expect.stringContaining(`chmod 700 ${join(state, 'audit')}\n`)]);
    expect(stderr).not.toContain('Try again');
    execFileSync('chmod', ['700', join(state, 'audit')]);
    const runtime = join(base, 'open-runtime');
    mkdirSync(runtime);
    chmodSync(runtime, 0o755);
    const again = spawnSync(process.execPath, [BIN, 'run', '--yes', 'true'], {
      encoding: 'utf8',
      env: { ...env, HARDSHELL_RUNTIME_DIR: runtime },
    });
    expect([again.status, again.stderr]).toEqual([0, expect.stringMatching(/cannot see this command.*mode 755/)]);
    expect(again.stderr).toContain(`chmod 700 ${runtime}\n`);
  },
  TIME_MS,
);
