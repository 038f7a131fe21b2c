// A confinement → the text of a Seatbelt profile and its parameters. Written from the documentation of the language and
// tested as text: it has NOT been run on macOS. Paths never enter the text: they are parameters, which are not parsed.
// Everything that is not named is denied; of the rules that match an operation the last one counts.

import { dirname } from 'node:path';
import { HardshellError } from '../../core/errors.ts';
import { isAtOrBelow } from '../../core/values/containment.ts';

export interface SeatbeltWishes {
  readonly writable: readonly string[];
  /** Readable, but cannot be changed or created, whether they exist or not. */
  readonly fixed: readonly string[];
  readonly hidden: readonly string[];
  /** Exceptions from hidden paths. */
  readonly shown?: readonly string[];
  readonly network: 'none' | 'host';
  /** TCP only, with `host`. */
  readonly connectPorts?: readonly number[];
  readonly bindPorts?: readonly number[];
  /** Reachable loopback ports, including the proxy's, and ports that can be served. */
  readonly loopbackPorts: readonly number[];
  readonly publishPorts: readonly number[];
  readonly unixSockets: 'any' | readonly string[];
}

export interface SeatbeltProfile {
  readonly text: string;
  readonly parameters: ReadonlyMap<string, string>;
}

/** Without the keychain, the pasteboard, the program launcher, and trustd, which fetches URLs for its clients. */
const MACH_NAMES = [
  'com.apple.system.opendirectoryd.libinfo',
  'com.apple.system.opendirectoryd.membership',
  'com.apple.system.notification_center',
  'com.apple.system.logger',
  'com.apple.logd',
  'com.apple.diagnosticd',
  'com.apple.bsd.dirhelper',
  'com.apple.FSEvents',
];
const NETWORK_MACH_NAMES = [
  'com.apple.SystemConfiguration.configd',
  'com.apple.SystemConfiguration.DNSConfiguration',
  'com.apple.dnssd.service',
];
const DEVICES = ['null', 'zero', 'random', 'urandom', 'tty', 'dtracehelper', 'autofs_nowait'];

const BASE = `(version 1)
(deny default)
(allow process-fork process-exec)
; It would also refuse what only changes the group; ps is lost with it.
(deny process-exec (file-mode #o4000))
(allow process-info* signal mach-priv-task-port (target same-sandbox))
(allow sysctl-read user-preference-read)
(allow iokit-open (iokit-registry-entry-class "RootDomainUserClient"))
(allow ipc-posix-sem)
(allow ipc-posix-shm-read* (ipc-posix-name-prefix "apple.cfprefs.") (ipc-posix-name "apple.shm.notification_center"))
(allow mach-lookup ${MACH_NAMES.map((name) => `(global-name "${name}")`).join(' ')})
(allow file-read* file-map-executable)`;

/** After the writable paths: a device in a writable folder is an ordinary device. */
const DEVICE_RULES = `(deny file-read* file-write* (vnode-type BLOCK-DEVICE) (vnode-type CHARACTER-DEVICE))
(allow file-read-metadata (subpath "/dev"))
(allow file-read* file-write-data file-ioctl ${DEVICES.map((name) => `(literal "/dev/${name}")`).join(' ')})
(allow file-read* file-write-data (regex #"^/dev/fd/[0-9]+$"))
; Terminals that it opened itself: the extension comes with them. Those of others are devices like any other.
(allow pseudo-tty)
(allow file-read* file-write* file-ioctl (literal "/dev/ptmx"))
(allow file-read* file-write* file-ioctl
  (require-all (regex #"^/dev/ttys[0-9]+$") (extension "com.apple.sandbox.pty")))`;

class Parameters {
  readonly values = new Map<string, string>();

  of(prefix: string, value: string): string {
    const name = `${prefix}_${this.values.size}`;
    this.values.set(name, value);
    return `(param "${name}")`;
  }
}

/**
 * On a case-insensitive disk, a new name in other case is the same name. Characters other than plain
 * letters or digits match anything: a deny rule may match more than necessary, and nothing needs escaping.
 */
function anyCase(path: string): string {
  const written = [...path].map((letter) => {
    if (/[a-zA-Z]/.test(letter)) return `[${letter.toLowerCase()}${letter.toUpperCase()}]`;
    return /[0-9/_-]/.test(letter) ? letter : '[^/]+';
  });
  return `(regex #"^${written.join('')}(/|$)")`;
}

/** Parents of fixed paths, inside writable folders: moving one of them would move its content. */
function waysTo(paths: readonly string[], writable: readonly string[]): string[] {
  const ways = new Set<string>();
  for (const path of paths)
    for (const root of writable)
      for (let folder = dirname(path); isAtOrBelow(folder, root); folder = dirname(folder)) {
        ways.add(folder);
        if (folder === '/') break;
      }
  return [...ways].sort();
}

function portRules({ network, connectPorts, bindPorts, loopbackPorts, publishPorts }: SeatbeltWishes): string[] {
  const open = network === 'host';
  const toAny = open ? (connectPorts ?? []).map((port) => `(remote tcp "*:${port}")`) : [];
  const onAny = open ? (bindPorts ?? []).map((port) => `(local tcp "*:${port}")`) : [];
  const to = [...toAny, ...loopbackPorts.map((port) => `(remote ip "localhost:${port}")`)];
  const on = [...onAny, ...publishPorts.map((port) => `(local ip "localhost:${port}")`)];
  return [
    ...(open && connectPorts === undefined ? ['(allow network-outbound (remote ip "*:*"))'] : []),
    ...(open && bindPorts === undefined ? ['(allow network-bind network-inbound (local ip "*:*"))'] : []),
    ...(to.length > 0 ? [`(allow network-outbound ${to.join(' ')})`] : []),
    ...(on.length > 0 ? [`(allow network-bind network-inbound ${on.join(' ')})`] : []),
    ...(open && connectPorts === undefined
      ? [
          '(allow network-outbound (remote unix-socket (path-literal "/private/var/run/mDNSResponder")))',
          `(allow mach-lookup ${NETWORK_MACH_NAMES.map((name) => `(global-name "${name}")`).join(' ')})`,
        ]
      : []),
  ];
}

function socketRules(sockets: SeatbeltWishes['unixSockets'], parameters: Parameters): string[] {
  if (sockets !== 'any' && sockets.length === 0) return [];
  const remote =
    sockets === 'any'
      ? ['(remote unix-socket)']
      : sockets.map((path) => `(remote unix-socket (path-literal ${parameters.of('SOCKET', path)}))`);
  return [
    '(allow system-socket (socket-domain AF_UNIX))',
    `(allow network-outbound ${remote.join(' ')})`,
    ...(sockets === 'any' ? ['(allow network-bind network-inbound (local unix-socket))'] : []),
  ];
}

/** The only external values in the text. */
function checkPorts({ connectPorts = [], bindPorts = [], loopbackPorts, publishPorts }: SeatbeltWishes): void {
  for (const port of [...connectPorts, ...bindPorts, ...loopbackPorts, ...publishPorts])
    if (!Number.isInteger(port) || port < 1 || port > 65535)
      throw new HardshellError('cannot-start', `${port} is not a port`);
}

export function seatbeltProfile(wishes: SeatbeltWishes): SeatbeltProfile {
  checkPorts(wishes);
  const parameters = new Parameters();
  const { writable, fixed, hidden, shown = [] } = wishes;
  const rules = [
    ...writable.map((path) => `(allow file-write* (subpath ${parameters.of('WRITE', path)}))`),
    DEVICE_RULES,
    ...fixed.map((path) => `(deny file-write* (subpath ${parameters.of('FIXED', path)}) ${anyCase(path)})`),
    ...hidden.map(
      (path) => `(deny file-read* file-write* (subpath ${parameters.of('HIDDEN', path)}) ${anyCase(path)})`,
    ),
    ...shown.map((path) => `(allow file-read* (subpath ${parameters.of('SHOWN', path)}))`),
    ...[...writable, ...waysTo([...fixed, ...hidden], writable)].map((path) => {
      const place = `(literal ${parameters.of('WAY', path)})`;
      return `(deny file-write-unlink ${place})\n(deny file-write-create (require-all ${place} (vnode-type SYMLINK)))`;
    }),
    ...portRules(wishes),
    ...socketRules(wishes.unixSockets, parameters),
  ];
  return { text: [BASE, ...rules, ''].join('\n'), parameters: parameters.values };
}
