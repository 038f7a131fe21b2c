// The address of a remote → whether git, used outside, runs nothing for it: neither a helper of an unknown scheme, nor hooks
// of a repository that a command has made where no search looks. The same as native/git-address.c.

import { posix } from 'node:path';

/** For every other scheme git runs `git-remote-NAME`. */
const NETWORK = /^(?<scheme>https?|ssh|git|git\+ssh|ssh\+git):\/\/(?!-)[^/]*(?<path>.*)$/s;
/** `host:path`, by ssh. */
const SSH = /^[^/:]*:(?<path>.*)$/s;
/** The private /tmp of a project, also by way of a process; caches and quarantine: src/local/places.ts. */
const OWN_FOLDERS = [
  /(?:^|\/)hardshell-\d+-tmp/i,
  /(?:^|\/)hardshell\/(?:.*\/)?(?:caches|quarantine)(?:\/|$)/is,
  /(?:^|\/)proc\/(?:.*\/)?(?:\d|(?:thread-)?self(?:\/|$))/is,
  /(?:^|\/)dev\/(?:.*\/)?(?:fd|stdin|stdout|stderr|shm|mqueue|pts)(?:\/|$)/is,
];
/** Folders of the kernel and of running programs: no one stores a repository there. */
const SYSTEM = /^\/+(?:dev|proc|sys|run\/user|var\/run\/user)(?:\/|$)/i;

function isInOwnFolders(path: string): boolean {
  return SYSTEM.test(posix.normalize(path)) || OWN_FOLDERS.some((own) => own.test(path));
}

/** A path at another host, which may be this machine under any of its names. Git decodes percent signs in it. */
function isSafeAtHost(path: string): boolean {
  const decoded = path.replace(/%([\da-f]{2})/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
  return !isInOwnFolders(decoded);
}

export function isInertAddress(text: string): boolean {
  if (text.startsWith('-') || text.includes('::')) return false;
  if (text.includes('://') && !text.startsWith('file://')) {
    const { scheme = '', path = '' } = NETWORK.exec(text)?.groups ?? {};
    // A web server serves what it is told to.
    return scheme !== '' && (scheme.startsWith('http') || isSafeAtHost(path));
  }
  const foreign = text.includes('://') ? undefined : SSH.exec(text)?.groups?.path;
  if (foreign !== undefined) return isSafeAtHost(foreign);
  if (text.includes('%')) return false;
  if (!text.startsWith('file://')) return !isInOwnFolders(text);
  const path = text.slice('file://'.length);
  return !isInOwnFolders(path) && !isInOwnFolders(path.replace(/^[^/]*/, ''));
}
