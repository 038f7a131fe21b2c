// Which paths are secrets, disks, homes and system folders, by their text.

import { describe, expect, test } from 'vitest';
import { isBlockDevice, isSecretPath, isWideGlob, systemTreeOf, targetOf } from './places.ts';

describe('secrets', () => {
  test.each([
    ...[
      '/home/u/.ssh/id_rsa',
      '/home/u/.ssh/work_key',
      '/home/u/.ssh',
      '/home/u/.aws/credentials',
      '/w/.env',
      '/w/.env.local',
      '/etc/shadow',
    ],
    ...[
      '/home/u/.netrc',
      '/home/u/.npmrc',
      '/w/server.pem',
      '/w/tls.key',
      '/home/u/.kube/config',
      '/home/u/.docker/config.json',
      '/proc/1/environ',
    ],
    ...['/home/u/.git-credentials', '/home/u/.pgpass', '/home/u/.gnupg/private-keys-v1.d', '/w/secrets.yaml'],
  ])('%s is one', (path) => expect(isSecretPath(path)).toBe(true));
  test.each([
    ...[
      '/home/u/.ssh/id_rsa.pub',
      '/home/u/.ssh/config',
      '/home/u/.ssh/known_hosts',
      '/w/.env.example',
      '/w/.env.local.sample',
      '/w/env',
    ],
    ...[
      '/w/environment.ts',
      '/w/src/key.ts',
      '/w/environ',
      '/home/u/.docker/daemon.json',
      '/etc/passwd',
      '/w/monkey',
      '/w/README.md',
    ],
  ])('%s is none', (path) => expect(isSecretPath(path)).toBe(false));
});

test.each([
  ['/dev/sda', true],
  ['/dev/nvme0n1p2', true],
  ['/dev/mapper/vg-root', true],
  ['/dev/disk/by-id/x', true],
  ['/dev/rdisk2', true],
  ['/dev/null', false],
  ['/dev/mapper/control', false],
  ['/dev/shm/a', false],
  ['/dev/stdout', false],
  ['/w/dev/sda', false],
])('%s is a disk: %s', (path, expected) => expect(isBlockDevice(path)).toBe(expected));

test.each([
  ['*', true],
  ['.*', true],
  ['.[!.]*', true],
  ['.??*', true],
  ['*.*', true],
  ['{*,.*}', true],
  ['.', false],
  ['..', false],
  ['*.log', false],
  ['a*', false],
])('%s is everything: %s', (glob, expected) => expect(isWideGlob(glob)).toBe(expected));

test('the target of a deletion', () => {
  expect(targetOf({ path: '/a/b', recursive: true })).toEqual({ path: '/a/b', isContent: false });
  expect(targetOf({ path: '/a/*', glob: true })).toEqual({ path: '/a', isContent: true });
  expect(targetOf({ path: '/*', glob: true })).toEqual({ path: '/', isContent: true });
  expect(targetOf({ path: '/a/*/b', glob: true })).toBeNull();
  expect(targetOf({ path: null })).toBeNull();
});

test('a system folder is not every folder that starts like one', () => {
  expect(systemTreeOf('/etc/nginx')).toBe('/etc');
  expect(systemTreeOf('/etcetera')).toBeNull();
  expect(systemTreeOf('/var/www')).toBeNull();
});
