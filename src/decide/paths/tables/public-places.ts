// Public paths: devices that discard or generate data, and files that every system ships readable for all.

import { isAtOrBelow } from '../../../core/values/containment.ts';

const DEVICES = new Set([
  '/dev/null',
  '/dev/zero',
  '/dev/full',
  '/dev/random',
  '/dev/urandom',
  '/dev/tty',
  '/dev/stdin',
  '/dev/stdout',
  '/dev/stderr',
  '/dev/fd',
]);

const FOLDERS = ['/usr', '/lib', '/lib32', '/lib64', '/libx32', '/bin', '/sbin', '/opt', '/nix/store', '/sys/devices'];

const FILES = new Set([
  '/etc/os-release',
  '/etc/lsb-release',
  '/etc/debian_version',
  '/etc/hosts',
  '/etc/hostname',
  '/etc/resolv.conf',
  '/etc/timezone',
  '/etc/localtime',
  '/etc/shells',
  '/etc/services',
  '/etc/protocols',
  '/etc/issue',
  '/proc/cpuinfo',
  '/proc/meminfo',
  '/proc/version',
  '/proc/loadavg',
  '/proc/uptime',
  '/proc/stat',
  '/proc/filesystems',
]);

export function isHarmlessDevice(path: string): boolean {
  return DEVICES.has(path) || /^\/dev\/(?:fd\/\d+|pts\/\d+)$/.test(path);
}

export function isPublicPlace(path: string): boolean {
  return FILES.has(path) || FOLDERS.some((folder) => isAtOrBelow(path, folder));
}
