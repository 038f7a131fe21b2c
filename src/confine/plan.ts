// Policy × what the machine supports → the confinement of one command, and the guarantees that it lacks.
// Never weakens silently: anything a tier cannot enforce is a missing guarantee, and without any tier nothing runs.

import { basename, dirname, join } from 'node:path';
import type { Enforcement, MissingGuarantee, ReportedRefusal } from '../core/confinement.ts';
import { isAtOrBelowAny, isBelow } from '../core/values/containment.ts';
import { TEMPORARY_FOLDERS } from '../core/values/temporary-folders.ts';
import type { ConfinementPolicy } from './confinement-policy.ts';
import { describeEnforcement } from './enforcement.ts';
import type { KernelSupport } from './kernel-support.ts';
import { findPins } from './opened-folders.ts';
import { leaveOutOverlaid, NO_OVERLAYS, type Overlays, planOverlays } from './overlays.ts';
import type { ConfinedPath, ConfinementSpec } from './port.ts';
import { findAbsentNames, listSweptNames, MAX_ABSENT } from './protected-names.ts';
import { carveReads, type FolderReader } from './reading.ts';
import { rememberAnswers } from './remembered-folders.ts';
import { planStaging, type StagedRoots, type StagingPlan } from './staged-roots.ts';
import { DEVICES, unique, type Wanted, wantedOf } from './wanted-paths.ts';

export type { ConfinementPolicy };

export type ConfinementPlan =
  | {
      readonly kind: 'confined';
      readonly spec: ConfinementSpec;
      readonly enforcement: Enforcement;
      /** `null`: changes are made directly. */
      readonly staged: StagedRoots | null;
    }
  | { readonly kind: 'unconfined'; readonly enforcement: Enforcement }
  | { readonly kind: 'impossible'; readonly why: string; readonly enforcement: Enforcement };

const ORDER: Readonly<Record<ConfinedPath['kind'], number>> = {
  overlay: 0,
  list: 0,
  read: 0,
  device: 0,
  empty: 1,
  bind: 1,
  write: 2,
  staged: 2,
  'read-only': 3,
  mask: 4,
};
const RANKS = 8;

function depth(path: string): number {
  return path === '/' ? 0 : path.split('/').length;
}

/** Parents first; for the same path the stricter one last. */
function inOrder(paths: readonly ConfinedPath[]): ConfinedPath[] {
  const ranked = paths.map((item) => ({ item, rank: depth(item.path) * RANKS + ORDER[item.kind] }));
  return ranked.sort((a, b) => a.rank - b.rank).map(({ item }) => item);
}

function overlaysOf(policy: ConfinementPolicy, wanted: Wanted, folders: FolderReader): Overlays {
  const { writable, visible, guarded, shown } = wanted;
  const bounds = {
    open: [...writable, ...TEMPORARY_FOLDERS, '/dev', '/proc', '/sys'],
    mounted: [...writable, ...visible, ...guarded, ...shown],
  };
  return planOverlays(policy.hidden ?? [], bounds, folders);
}

function pathsInside(
  { writable, visible, hidden, shown, guarded, temporary }: Wanted,
  overlays: Overlays,
  staging: StagingPlan | null,
): ConfinedPath[] {
  const open = new Set([...writable, ...(staging?.roots ?? [])]);
  const own = TEMPORARY_FOLDERS.filter((path) => !open.has(path));
  return inOrder([
    ...(staging?.paths ?? []),
    ...overlays.folders.map((path): ConfinedPath => ({ kind: 'overlay', path })),
    ...DEVICES.map((path): ConfinedPath => ({ kind: 'device', path })),
    ...own.map(
      (path): ConfinedPath =>
        path === '/tmp' && temporary !== null ? { kind: 'bind', path, from: temporary } : { kind: 'empty', path },
    ),
    ...[...writable, ...findPins([...guarded, ...hidden], writable, guarded)].map(
      (path): ConfinedPath => ({ kind: 'write', path }),
    ),
    ...[...visible, ...guarded, ...shown].map((path): ConfinedPath => ({ kind: 'read-only', path })),
    ...hidden.map((path): ConfinedPath => ({ kind: 'mask', path })),
  ]);
}

function pathsByLandlock({ writable, hidden, shown, temporary }: Wanted, folders: FolderReader): ConfinedPath[] {
  return [
    { kind: 'list', path: '/' },
    ...carveReads(unique(['/dev', ...hidden]), folders),
    ...shown.map((path): ConfinedPath => ({ kind: 'read', path })),
    ...DEVICES.map((path): ConfinedPath => ({ kind: 'device', path })),
    ...[...writable, ...(temporary === null ? [] : [temporary])].map((path): ConfinedPath => ({ kind: 'write', path })),
  ];
}

function isListed(path: string, paths: readonly ConfinedPath[]): boolean {
  return paths.some((entry) => entry.kind === 'read' && isBelow(path, entry.path));
}

function some(paths: readonly string[]): string {
  const shown = paths.slice(0, 3).join(', ');
  return paths.length > 3 ? `${shown} and ${paths.length - 3} more` : shown;
}

/** Only the keeper reads them afterwards. */
export const UNCHECKED_STATE: MissingGuarantee = {
  guarantee: 'protected-absent',
  why: 'the index of a git repository, and the state of its merges and rebases, are not checked: git outside trusts them',
};

/** Done by the keeper, not by other backends. */
export const TAKEN_AWAY = 'they can be created, and are then removed and reported';

/** Not reported by any step, because it follows from the tier and the policy. */
function lacking(
  policy: ConfinementPolicy,
  wanted: Wanted,
  tier: ConfinementSpec['tier'],
  staged: readonly string[],
): MissingGuarantee[] {
  const missing: MissingGuarantee[] = [];
  const say = (guarantee: MissingGuarantee['guarantee'], why: string) => missing.push({ guarantee, why });
  const { writable, openedFolders, hidden, guarded, absent, omitted, links } = wanted;
  if (links.length > 0) say('protected-existing', `${some(links)} can be replaced: a link cannot be protected`);
  const open = new Set(writable);
  const isWritable = (path: string) => isAtOrBelowAny(path, open);
  const unsearched = (policy.unsearched ?? []).filter(isWritable);
  if (unsearched.length > 0)
    say('protected-existing', `too many folders to search: nothing after ${some(unsearched)} is protected by name`);
  const { unclear = [] } = policy;
  if (unclear.length > 0)
    say('protected-existing', `files that ${some(unclear)} runs are not protected: the setting does not name them`);
  if (absent.length > 0) say('protected-absent', `${some(absent)} do not exist yet: ${TAKEN_AWAY}`);
  const stay = omitted + Math.max(0, absent.length - MAX_ABSENT);
  if (stay > 0) say('protected-absent', `${stay} of these names exceed the limit, and stay`);
  const changeable = new Set([...writable, ...staged]);
  const movable = (policy.unixPaths ?? []).filter((path) => isAtOrBelowAny(path, changeable));
  if (movable.length > 0)
    say(
      'unix-sockets',
      `${some(movable)} can be replaced: commands can put the socket of another program in its place`,
    );
  if (policy.unixSockets === 'any')
    say('unix-sockets', 'the policy allows all unix sockets, including those of the host');
  if (policy.network === 'host' && policy.connectPorts === undefined)
    say('network', 'the policy allows all connections');
  if (tier === 'namespaces') return missing;
  const exposed = hidden.filter(isWritable);
  say('metadata-outside', 'without a mount namespace modes, owners and times can be changed where the user may');
  say('processes-unseen', 'without a pid namespace command lines of other processes can be read in /proc');
  if (openedFolders.length > 0)
    say('protected-absent', `new repositories below ${some(openedFolders)} are not detected without a mount namespace`);
  if (hidden.length > 0) say('hidden-names', 'without a mount namespace names and sizes can be seen');
  if (exposed.length > 0)
    say('hidden-content', `${some(exposed)} are in a writable folder, from which Landlock cannot exclude them`);
  if (guarded.length > 0)
    say('protected-existing', `${some(guarded)} are in a writable folder, from which Landlock cannot exclude them`);
  return missing;
}

type Network = Pick<
  ConfinementSpec,
  'network' | 'isShared' | 'proxyPort' | 'hostPorts' | 'publishPorts' | 'connectPorts' | 'bindPorts'
>;

/** Without reports the supervisor cannot connect for the command, and listeners in a shared network would not be private. */
function networkOf(policy: ConfinementPolicy, { tier, withoutReports }: KernelSupport): Network {
  const isInside = tier === 'namespaces';
  const { network = 'own', proxyPort, hostPorts = [], publishPorts = [], connectPorts, bindPorts } = policy;
  if (network === 'none') return { network };
  if (network === 'host')
    return {
      network,
      ...(connectPorts !== undefined && { connectPorts }),
      ...(bindPorts !== undefined && { bindPorts }),
    };
  const hasPorts = proxyPort !== undefined || hostPorts.length + publishPorts.length > 0;
  if (!isInside && !hasPorts) return { network: 'none' };
  return {
    network: isInside ? 'own' : 'listed',
    ...(isInside && policy.isShared === true && withoutReports === undefined && { isShared: true }),
    ...(proxyPort !== undefined && { proxyPort }),
    ...(hostPorts.length > 0 && { hostPorts: [...new Set(hostPorts)].filter((port) => port !== proxyPort) }),
    ...(publishPorts.length > 0 && { publishPorts: [...new Set(publishPorts)] }),
  };
}

/** A socket file may come and go; its folder exists. */
function socketsOf(
  policy: ConfinementPolicy,
  folders: FolderReader,
  canBeOwn: boolean,
): Pick<ConfinementSpec, 'unixSockets' | 'unixPaths'> {
  const { unixPaths = [] } = policy;
  const unixSockets = policy.unixSockets === 'any' ? 'any' : canBeOwn ? 'own' : 'pairs';
  if (unixSockets === 'any' || unixPaths.length === 0) return { unixSockets };
  const resolve = (path: string) =>
    folders.realPath(path) ?? join(folders.realPath(dirname(path)) ?? dirname(path), basename(path));
  return { unixSockets, unixPaths: unique(unixPaths.map(resolve)) };
}

/** A name below a read-only mount that appears is the work of another program. */
function creatable({ absent, writable, guarded }: Wanted): string[] {
  const [open, shut] = [new Set(writable), new Set(guarded)];
  return absent.filter((path) => {
    let at = dirname(path);
    while (at !== '/' && !open.has(at) && !shut.has(at)) at = dirname(at);
    return open.has(at) || !shut.has(at);
  });
}

/** Each repository has one or two. Others stay read-only. */
const MAX_SETTINGS = 1_000;

/** Only files that are protected: the supervisor changes existing ones, never the command. */
function settingsOf(
  { settings }: ConfinementPolicy,
  { guarded, absent }: Pick<Wanted, 'guarded' | 'absent'>,
  folders: FolderReader,
): Pick<ConfinementSpec, 'settings'> {
  if (settings === undefined || settings.names.length === 0) return {};
  const held = new Set([...guarded, ...absent]);
  const files = unique(settings.files.map((path) => folders.realPath(path) ?? path))
    .filter((path) => held.has(path))
    .slice(0, MAX_SETTINGS);
  // Without files: new repositories are checked by these names as well.
  return { settings: { files, names: settings.names } };
}

export function plan(policy: ConfinementPolicy, probe: KernelSupport, disk: FolderReader): ConfinementPlan {
  if (policy.name === 'unrestricted')
    return {
      kind: 'unconfined',
      enforcement: describeEnforcement('none', [], [], 'the policy asks for no confinement'),
    };
  if (probe.tier === 'none') {
    const why = probe.why ?? 'this machine cannot confine';
    return { kind: 'impossible', why, enforcement: describeEnforcement('none', [], [], why) };
  }
  const folders = rememberAnswers(disk);
  const all = wantedOf(policy, folders);
  const isInside = probe.tier === 'namespaces';
  const overlays = isInside && probe.hasOverlays === true ? overlaysOf(policy, all, folders) : NO_OVERLAYS;
  const staging = isInside ? planStaging(policy, all, folders) : null;
  const left = staging?.wanted ?? all;
  const absent = isInside ? creatable(left) : left.absent;
  const wanted = { ...left, absent, ...leaveOutOverlaid(left, overlays, folders) };
  const paths = isInside ? pathsInside(wanted, overlays, staging) : pathsByLandlock(wanted, folders);
  // If reading is restricted to a list, new paths outside the list cannot be read.
  const unseen = isInside ? wanted.unseen : wanted.unseen.filter((path) => isListed(path, paths));
  // Without mounts everything in an opened folder can be changed: a search would have to read all of it.
  const searched = isInside ? wanted : { ...wanted, openedFolders: [] };
  const network = networkOf(policy, probe);
  const spec: ConfinementSpec = {
    tier: probe.tier,
    reads: isInside ? 'all' : 'listed',
    paths,
    ...network,
    ...socketsOf(policy, folders, probe.hasOwnSockets === true && network.network === 'own'),
    ...findAbsentNames(policy.quarantine, searched, folders),
    ...withStage(listSweptNames(policy, searched, isInside), staging),
    ...settingsOf(
      policy,
      { absent: staging === null ? absent : all.absent, guarded: isInside ? all.guarded : [] },
      folders,
    ),
    ...(unseen.length > 0 && { unseen }),
    ...(overlays.names.length > 0 && { covered: overlays.names }),
    ...(policy.observe !== undefined && { observe: policy.observe }),
    ...(probe.withoutReports === undefined && { reports: policy.changesOnlyInside === true ? 'contacts' : 'all' }),
    // Only steps that were missing in the probe may be missing now. Without an overlay, mounts hide the same names.
    optional: [...probe.missing.map(({ step }) => step), ...(overlays.names.length > 0 ? ['overlays' as const] : [])],
  };
  const missing = lacking(policy, wanted, probe.tier, staging?.roots ?? []);
  const enforcement = describeEnforcement(probe.tier, probe.missing, missing, null);
  const staged = staging === null ? null : { roots: staging.roots, direct: staging.direct };
  return { kind: 'confined', spec, enforcement: { ...enforcement, reported: reportedBy(spec) }, staged };
}

function withStage(swept: ReturnType<typeof listSweptNames>, staging: StagingPlan | null) {
  if (staging === null) return swept;
  const kept = [...new Set([...(swept.kept ?? []), ...(staging.spec.kept ?? [])])];
  return { ...swept, ...staging.spec, ...(kept.length > 0 && { kept }) };
}

/** In namespaces other processes have no PID, so a signal to one fails as for a process that does not exist. */
function reportedBy({ tier, network, reports, optional }: ConfinementSpec): ReportedRefusal[] {
  if (reports === undefined) return [];
  return [
    ...(reports === 'all' ? ['changes' as const] : []),
    ...(network === 'host' ? [] : ['connections' as const]),
    ...(tier === 'namespaces' || optional.includes('scope') ? [] : ['signals' as const]),
  ];
}
