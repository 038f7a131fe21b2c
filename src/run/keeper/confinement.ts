// A confinement → the field of a START frame. native/confine-request.c reads it.

import { CONFINE_STEPS, type ConfinedPath, type ConfinementSpec, type ConfineStep } from '../../confine/port.ts';
import { HardshellError } from '../../core/errors.ts';

const VERSION = 1;
const HEAD_BYTES = 9;
const MAX_ENTRIES = 8192;
const FLAG = {
  inNamespaces: 1,
  ownNetwork: 2,
  ownTerminals: 4,
  noInet: 8,
  pairsOnly: 16,
  listedConnect: 32,
  listedBind: 64,
  listedRead: 128,
  noSharedIpc: 256,
  filesListed: 512,
  brokered: 1024,
  listedUnix: 2048,
  observeWrites: 4096,
  observeAll: 8192,
  reportChanges: 16384,
  reportContacts: 32768,
  ownUnix: 65536,
  inWorld: 131072,
  judgeSettings: 262144,
  staged: 524288,
  holdChanges: 1048576,
} as const;
const KIND: Readonly<
  Record<
    | ConfinedPath['kind']
    | 'connect'
    | 'listen'
    | 'hand-over'
    | 'host-port'
    | 'publish'
    | 'unix'
    | 'absent'
    | 'quarantine'
    | 'unseen'
    | 'swept'
    | 'kept'
    | 'sweptInPart'
    | 'taken'
    | 'packages'
    | 'unsearched'
    | 'covered'
    | 'settings'
    | 'settingNames'
    | 'guarded',
    number
  >
> = {
  write: 1,
  'read-only': 2,
  mask: 3,
  empty: 4,
  bind: 5,
  device: 6,
  read: 7,
  list: 8,
  connect: 9,
  listen: 10,
  'hand-over': 11,
  publish: 12,
  unix: 13,
  absent: 14,
  quarantine: 15,
  unseen: 16,
  swept: 17,
  kept: 18,
  sweptInPart: 19,
  taken: 20,
  packages: 21,
  unsearched: 22,
  overlay: 23,
  covered: 24,
  settings: 25,
  settingNames: 26,
  'host-port': 27,
  staged: 28,
  guarded: 29,
};

function flagsOf(spec: ConfinementSpec): number {
  const isInside = spec.tier === 'namespaces';
  return (
    FLAG.filesListed |
    (isInside ? FLAG.inNamespaces | FLAG.ownTerminals : FLAG.noSharedIpc) |
    (spec.network === 'own' ? FLAG.ownNetwork : 0) |
    (spec.network === 'own' && spec.isShared === true ? FLAG.inWorld : 0) |
    (spec.network === 'none' ? FLAG.noInet : 0) |
    (spec.unixSockets === 'any' ? 0 : FLAG.pairsOnly) |
    (spec.unixSockets === 'own' ? FLAG.ownUnix : 0) |
    (spec.network === 'listed' ? FLAG.brokered : 0) |
    ((spec.unixPaths ?? []).length > 0 ? FLAG.listedUnix : 0) |
    (spec.observe === 'writes' ? FLAG.observeWrites : 0) |
    (spec.observe === 'all' ? FLAG.observeAll : 0) |
    (spec.reports === 'all' ? FLAG.reportChanges : 0) |
    (spec.reports === undefined ? 0 : FLAG.reportContacts) |
    (spec.connectPorts === undefined ? 0 : FLAG.listedConnect) |
    (spec.bindPorts === undefined ? 0 : FLAG.listedBind) |
    // The gate of a stage judges settings when the command has ended.
    (spec.settings === undefined || spec.stage !== undefined ? 0 : FLAG.judgeSettings) |
    (spec.stage === undefined ? 0 : FLAG.staged) |
    (spec.stage?.mode === 'review' ? FLAG.holdChanges : 0) |
    (spec.reads === 'listed' ? FLAG.listedRead : 0)
  );
}

function bitsOf(steps: readonly ConfineStep[]): number {
  return steps.reduce((bits, step) => bits | (1 << CONFINE_STEPS.indexOf(step)), 0);
}

type Entry = readonly [kind: number, value: string | number];

function withoutNul(path: string): string {
  if (path.includes('\0')) throw new HardshellError('invalid-argument', 'a path of the confinement contains a NUL');
  return path;
}

function pathEntry(kind: number, ...paths: readonly string[]): Entry {
  return [kind, `${paths.map(withoutNul).join('\0')}\0`];
}

/** u8 kind, u16 size, then a u16 port or paths that end in NUL. */
function writeEntry(buffer: Buffer, at: number, [kind, value]: Entry): number {
  buffer[at] = kind;
  const size = typeof value === 'number' ? buffer.writeUInt16LE(value, at + 3) - at - 3 : buffer.write(value, at + 3);
  buffer.writeUInt16LE(size, at + 1);
  return at + 3 + size;
}

function sizeOf([, value]: Entry): number {
  return 3 + (typeof value === 'number' ? 2 : Buffer.byteLength(value));
}

/** Packs many paths into few entries, each within its u16 size. */
function listEntries(kind: number, paths: readonly string[]): Entry[] {
  const entries: Entry[] = [];
  for (let at = 0; at < paths.length; at += LISTED) entries.push(pathEntry(kind, ...paths.slice(at, at + LISTED)));
  return entries;
}

/** Each with a slash before it, like the paths of every other list. */
function sweptNames({ sweptNames }: ConfinementSpec): Entry[] {
  if (sweptNames === undefined) return [];
  return (['taken', 'packages', 'unsearched'] as const).flatMap((kind) =>
    listEntries(
      KIND[kind],
      sweptNames[kind].map((name) => `/${name}`),
    ),
  );
}

function judgedSettings({ settings }: ConfinementSpec): Entry[] {
  if (settings === undefined) return [];
  return [
    ...settings.files.map((path) => pathEntry(KIND.settings, path)),
    pathEntry(KIND.settingNames, ...settings.names.map((name) => `/${name}`)),
  ];
}

/** For the longest possible paths. */
const LISTED = 15;

/** In a private network the host's ports are listeners; in the host's network they are allowed addresses. */
function networkPorts({ network, proxyPort, hostPorts = [], publishPorts = [] }: ConfinementSpec): Entry[] {
  const proxyPorts = proxyPort === undefined ? [] : [proxyPort];
  const reached = [...proxyPorts, ...hostPorts];
  if (network === 'own')
    return [
      ...proxyPorts.map((port): Entry => [KIND['hand-over'], port]),
      ...hostPorts.map((port): Entry => [KIND['host-port'], port]),
      ...publishPorts.map((port): Entry => [KIND.publish, port]),
    ];
  if (network === 'listed')
    return [
      ...[...reached, ...publishPorts].map((port): Entry => [KIND.connect, port]),
      ...publishPorts.map((port): Entry => [KIND.listen, port]),
    ];
  if (reached.length + publishPorts.length > 0)
    throw new HardshellError(
      'invalid-argument',
      `ports of the proxy or the host need a network that is own or listed, not ${network}`,
    );
  return [];
}

const encoded = new WeakMap<ConfinementSpec, Buffer>();

export function encodeConfinement(spec: ConfinementSpec): Buffer {
  let bytes = encoded.get(spec);
  if (bytes === undefined) {
    bytes = encode(spec);
    encoded.set(spec, bytes);
  }
  return bytes;
}

function encode(spec: ConfinementSpec): Buffer {
  const entries: Entry[] = [
    ...spec.paths.map((item) =>
      'from' in item ? pathEntry(KIND[item.kind], item.path, item.from) : pathEntry(KIND[item.kind], item.path),
    ),
    ...networkPorts(spec),
    ...(spec.connectPorts ?? []).map((port): Entry => [KIND.connect, port]),
    ...(spec.bindPorts ?? []).map((port): Entry => [KIND.listen, port]),
    ...(spec.unixPaths ?? []).map((path) => pathEntry(KIND.unix, path)),
    ...(spec.absent ?? []).map((path) => pathEntry(KIND.absent, path)),
    ...listEntries(KIND.unseen, spec.unseen ?? []),
    ...listEntries(KIND.covered, spec.covered ?? []),
    ...listEntries(KIND.guarded, spec.stage?.guarded ?? []),
    ...(spec.swept ?? []).map((path) => pathEntry(KIND.swept, path)),
    ...(spec.sweptInPart ?? []).map((path) => pathEntry(KIND.sweptInPart, path)),
    ...sweptNames(spec),
    ...judgedSettings(spec),
    ...(spec.kept ?? []).map((path) => pathEntry(KIND.kept, path)),
    ...(spec.quarantine === undefined ? [] : [pathEntry(KIND.quarantine, spec.quarantine)]),
  ];
  if (entries.length > MAX_ENTRIES)
    throw new HardshellError('too-long', `a confinement has at most ${MAX_ENTRIES} paths and ports`);
  const buffer = Buffer.allocUnsafe(entries.reduce((size, entry) => size + sizeOf(entry), HEAD_BYTES));
  buffer[0] = VERSION;
  buffer.writeUInt32LE(flagsOf(spec), 1);
  buffer.writeUInt32LE(bitsOf(spec.optional), 5);
  let at = HEAD_BYTES;
  for (const entry of entries) at = writeEntry(buffer, at, entry);
  return buffer;
}
