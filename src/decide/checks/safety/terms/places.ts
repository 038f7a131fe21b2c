// Important paths, by their text: roots, system folders, homes, devices, kernel files, secrets.
// The path checks handle symlinks; here the name is enough.

import type { PathEffect } from '../../../../core/facts.ts';
import { isAtOrBelow } from '../../../../core/values/containment.ts';
import type { Subject } from '../../../check.ts';

/** The system breaks if anything below these changes. */
const SYSTEM_TREES = [
  ...['/etc', '/usr', '/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32', '/boot', '/proc', '/sys'],
  ...['/var/lib', '/var/spool', '/System', '/Library', '/private/etc', '/private/var/db', '/efi', '/nix/store'],
  ...['/c/Windows', '/mnt/c/Windows', '/c/Program Files', '/mnt/c/Program Files'],
];

/** Deleting one of these as a whole loses the system or all users' files; single entries below them are ordinary. */
const SYSTEM_TOPS = new Set([
  ...['/dev', '/var', '/opt', '/home', '/root', '/Users', '/srv', '/mnt', '/media', '/run', '/tmp', '/usr/local'],
  ...[
    '/Applications',
    '/Volumes',
    '/private',
    '/private/var',
    '/snap',
    '/nix',
    '/c',
    '/mnt/c',
    '/c/Users',
    '/mnt/c/Users',
  ],
  ...['/var/log', '/var/cache', '/var/www', '/var/tmp', '/var/run', '/opt/homebrew'],
]);

/** The system folder that contains a path; `null` if none does. */
export function systemTreeOf(path: string): string | null {
  return SYSTEM_TREES.find((tree) => isAtOrBelow(path, tree)) ?? null;
}

export function isSystemTop(path: string): boolean {
  return SYSTEM_TOPS.has(path) || SYSTEM_TREES.includes(path) || /(?:^|\/)[A-Za-z]:[\\/]?$/.test(path);
}

/** The user works on this path: explicit roots, or a session that was started inside the same system folder. */
export function isGranted(path: string, tree: string, { policy, context }: Subject): boolean {
  if (policy.roots?.some((root) => root !== '/' && isAtOrBelow(path, root))) return true;
  return context.cwd !== tree && isAtOrBelow(context.cwd, tree) && isAtOrBelow(path, context.cwd);
}

export function isHome(path: string, { context }: Subject): boolean {
  if (path === context.home || path === '/root') return true;
  const parts = path.split('/');
  return parts.length === 3 && (parts[1] === 'home' || parts[1] === 'Users') && parts[2] !== '';
}

/** The target of a deletion: one entry, or everything in a folder (`/etc/*`, `.*`). */
export interface Target {
  readonly path: string;
  readonly isContent: boolean;
}

const EVERYTHING = /^[*?.]+$/;

/** A glob segment without literal letters: `*`, `.*`, `.??*`, `.[!.]*`, `*.*`. */
export function isWideGlob(segment: string): boolean {
  const bare = segment.replace(/\[[^\]]{0,20}\]/g, '?').replace(/[{},]/g, '');
  return bare !== '.' && bare !== '..' && EVERYTHING.test(bare);
}

/** `null` for an unknown path, or a glob that matches only some entries (`*.log`). */
export function targetOf(effect: PathEffect): Target | null {
  if (effect.path === null) return null;
  if (effect.glob === undefined) return { path: effect.path, isContent: false };
  const parts = effect.path.split('/');
  const first = parts.findIndex((part) => /[*?[{]/.test(part));
  if (first < 0) return { path: effect.path, isContent: false };
  if (!parts.slice(first).every((part) => part === '' || isWideGlob(part))) return null;
  return { path: parts.slice(0, first).join('/') || '/', isContent: true };
}

const BLOCK_DEVICE =
  /^\/dev\/(?:sd[a-z]|hd[a-z]|vd[a-z]|xvd[a-z]|nvme\d|mmcblk\d|r?disk\d|disk\/|mapper\/(?!control$)|dm-\d|loop\d|md\d|md\/|zvol\/|zd\d|nbd\d|rbd\d|sr\d|st\d|bcache\d|drbd\d|pmem\d|ram\d|mtd|vg)/;

export function isBlockDevice(path: string): boolean {
  return BLOCK_DEVICE.test(path);
}

export function isKernelFile(path: string): boolean {
  if (path === '/dev/mem' || path === '/dev/kmem' || path === '/dev/port') return true;
  return path === '/proc/sysrq-trigger' || isAtOrBelow(path, '/proc/sys') || isAtOrBelow(path, '/sys');
}

const SECRET_FOLDERS = ['.ssh', '.aws', '.gnupg', '.azure', '.kube', '.password-store', '.docker'];
const SECRET_NAMES =
  /^(?:id_(?:rsa|dsa|ecdsa|ed25519)(?:_sk)?|\.env(?:\.[\w-]+)*|\.envrc|\.netrc|_netrc|\.npmrc|\.pypirc|\.pgpass|\.my\.cnf|\.git-credentials|\.htpasswd|shadow-?|gshadow|sudoers|credentials(?:\.json|\.db|\.toml)?|secrets?\.(?:ya?ml|json|env|toml)|service[-_]account.*\.json|.*\.(?:pem|key|pfx|p12|jks|keystore|kdbx)|environ)$/;
const NOT_SECRET =
  /(?:\.pub|known_hosts|authorized_keys|\.env(?:\.[\w-]+)*\.(?:example|sample|template|dist))$|^\.env\.(?:example|sample|template|dist)$/;

/** A path whose content is a secret by convention: keys, tokens, passwords. */
export function isSecretPath(path: string): boolean {
  const parts = path.split('/');
  const name = parts.at(-1) ?? '';
  if (NOT_SECRET.test(name)) return false;
  if (SECRET_NAMES.test(name)) return name !== 'environ' || path.startsWith('/proc/');
  const folder = parts.findIndex((part) => SECRET_FOLDERS.includes(part));
  if (folder < 0) return false;
  // `.ssh/config` is an ordinary setting, `.docker` has many; a whole folder includes its keys.
  if (folder === parts.length - 1) return true;
  if (parts[folder] === '.ssh') return name !== 'config';
  return parts[folder] !== '.docker' || name === 'config.json';
}
