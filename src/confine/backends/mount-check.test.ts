import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { CHECK, HostMounts, joinLines, ownLine } from './mount-check.ts';

const HOST = `21 1 0:50 / / rw,relatime - overlay overlay rw
22 21 0:51 / /proc rw - proc proc rw
23 21 0:52 / /dev rw - tmpfs tmpfs rw
24 23 0:5 /null /dev/null rw - devtmpfs udev rw
25 21 0:60 /@home /home rw shared:1 - btrfs /dev/sda rw
26 25 8:1 / /home/me/my\\040disk rw - ext4 /dev/sdb rw
27 21 0:70 / /shadow rw - tmpfs old rw
28 27 0:71 / /shadow/below rw - tmpfs old rw
29 27 0:72 / /shadow rw - tmpfs new rw
`;
const host = new HostMounts(HOST);

test.each([
  ['/', '0:50 / / rw'],
  ['/usr', '0:50 /usr /usr rw'],
  ['/dev/null', '0:5 /null /dev/null rw'],
  ['/dev/zero', '0:52 /zero /dev/zero rw'],
  ['/home', '0:60 /@home /home rw'],
  ['/home/me/w', '0:60 /@home/me/w /home/me/w rw'],
  ['/home/me/my disk', '8:1 / /home/me/my\\040disk rw'],
  ['/home/me/my disk/w', '8:1 /w /home/me/my\\040disk/w rw'],
  ['/home/me/a\tb\nc\\d', '0:60 /@home/me/a\\011b\\012c\\134d /home/me/a\\011b\\012c\\134d rw'],
  ['/homestead', '0:50 /homestead /homestead rw'],
  ['/shadow', '0:72 / /shadow rw'],
  ['/shadow/below', '0:72 /below /shadow/below rw'],
])('%j is found at its mount point', (path, line) => expect(host.line(path, path, 'rw')).toBe(line));

test('submounts of a folder, and covered mounts', () => {
  const covered = ['0:70 / /shadow rw', '0:71 / /shadow/below rw'];
  expect(host.alongWith([])).toEqual(covered);
  expect(host.alongWith(['/home'])).toEqual(['8:1 / /home/me/my\\040disk rw', ...covered]);
});

const TABLE = '/proc/self/mountinfo';
describe.skipIf(!existsSync(TABLE))('the check (needs Linux)', () => {
  const table = existsSync(TABLE) ? readFileSync(TABLE, 'utf8') : '';
  const writable = table.split('\n').flatMap((line) => {
    const [, , device, root, point, options] = line.split(' ');
    return /^rw(,|$)/.test(options ?? '') ? [`${device} ${root} ${point} rw`] : [];
  });
  const [first = ''] = writable;
  const run = (required: readonly string[], allowed: readonly string[], shell = '/bin/sh') => {
    const words = ['-c', CHECK, 'sh', joinLines(required), joinLines(allowed), 'GONE', '/usr/bin/env'];
    const { status, stdout, stderr } = spawnSync(shell, words, {
      encoding: 'utf8',
      env: { GONE: '1', pending: 'kept' },
    });
    return { status, stdout, stderr };
  };

  test.each(['/bin/sh', '/bin/bash'])('lets the command run if all mounts are as planned (%s)', (shell) => {
    const { status, stdout } = run([first], writable, shell);
    expect([status, stdout.includes('pending=kept'), stdout.includes('GONE')]).toEqual([0, true, false]);
  });

  test('a mount that should not be writable', () => {
    expect(run([], writable.slice(1))).toMatchObject({
      status: 126,
      stdout: '',
      stderr: expect.stringContaining('nothing was run'),
    });
    expect(run([], [])).toMatchObject({ status: 126, stdout: '' });
  });

  test.each([
    ['is missing', 'tmpfs / /nowhere ro'],
    ['is another folder', '1:1 /other / rw'],
    ['is in another place', ownLine('proc', '/not-proc', 'rw')],
    ['is writable where it should not be', first.replace(/rw$/, 'ro')],
  ])('a mount that %s', (_, line) => {
    expect(run([line], writable)).toMatchObject({ status: 126, stdout: '' });
  });

  test('no line is found in the middle of another one', () => {
    expect(run([first.slice(1)], writable)).toMatchObject({ status: 126 });
    expect(run([first, first], writable).status).toBe(0);
  });
});
