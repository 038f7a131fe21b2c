// bubblewrap: for machines where only /usr/bin/bwrap may create namespaces (Ubuntu's AppArmor), or if it is configured.
// Policy → a request that starts `bwrap … program argv`, for any runner. Refuses port lists, which it cannot enforce.

import { createHash, randomUUID } from 'node:crypto';
import { lstatSync, mkdirSync, readFileSync, realpathSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Enforcement, MissingGuarantee } from '../../core/confinement.ts';
import { GUARANTEES } from '../../core/confinement.ts';
import { HardshellError } from '../../core/errors.ts';
import { isBelow } from '../../core/values/containment.ts';
import { describeEnforcement } from '../enforcement.ts';
import { type ConfinementPolicy, plan, TAKEN_AWAY, UNCHECKED_STATE } from '../plan.ts';
import type { ConfinementSpec } from '../port.ts';
import type { FolderReader } from '../reading.ts';
import type { BackendAvailability, BackendPlan, ConfineBackend, Launch, TryLaunch } from './backend.ts';
import { type BubblewrapFeatures, bubblewrapMounts, bubblewrapNamespaces, type Disk } from './bubblewrap-arguments.ts';
import { CHECK, HostMounts, joinLines } from './mount-check.ts';
import { makeFilter } from './seccomp-filter.ts';

/** Never from PATH: commands may be able to write to a folder there. */
const PLACES = ['/usr/bin/bwrap', '/bin/bwrap', '/usr/local/bin/bwrap', '/run/current-system/sw/bin/bwrap'];
const FILTER_FD = '9';
const SETSID = '/usr/bin/setsid';
/** Variables that load code into, or control, the programs that run before the command: only the command gets them. */
const SET_ASIDE = /^(?:LD_.*|GCONV_PATH|GLIBC_TUNABLES|SHELLOPTS|BASHOPTS|PS4|ENV|BASH_ENV|IFS|BASH_FUNC_.*)$/;
/** bwrap and the shell around it set these. */
const ADDED = ['PWD', 'OLDPWD', 'SHLVL'];

export interface BubblewrapOptions {
  readonly folders: FolderReader;
  /** For filters: no command may write there. Created, private to the user, if it is missing. */
  readonly privateFolder: string;
  /** Whether the runner kills every process itself, as the keeper does, or only the group of bwrap, as Node's does. */
  readonly endsTree: boolean;
  readonly program?: string;
  readonly architecture?: string;
}

interface Bubblewrap extends BubblewrapFeatures {
  readonly program: string;
  readonly endsTree: boolean;
  /** `env` can undo that bwrap ignores SIGTERM, so that commands have time to end. */
  readonly canEndSoftly: boolean;
  readonly hasSetsid: boolean;
}

const disk: Disk = {
  kindOf(path) {
    try {
      const found = lstatSync(path);
      return found.isSymbolicLink() ? 'link' : found.isDirectory() ? 'folder' : 'other';
    } catch {
      return null;
    }
  },
};

/** The path of a bwrap that only root can have installed, or why there is none. */
export function locateBubblewrap(places: readonly string[] = PLACES): { path: string } | { why: string } {
  for (const place of places) {
    try {
      const path = realpathSync(place);
      const { uid, mode } = statSync(path);
      if (uid === 0 && (mode & 0o022) === 0) return { path };
      return { why: `${path} can be changed by users other than root` };
    } catch {}
  }
  return { why: 'bubblewrap is not installed (on Debian and Ubuntu: apt-get install bubblewrap)' };
}

function filterFile(folder: string, spec: ConfinementSpec, architecture: string | undefined): string | null {
  const bytes = makeFilter(
    {
      unixSockets: spec.unixSockets === 'any' ? 'any' : 'pairs',
      hasInternet: spec.network === 'own' || spec.network === 'host',
    },
    architecture,
  );
  if (bytes === null) return null;
  const path = join(folder, `calls-${createHash('sha256').update(bytes).digest('hex').slice(0, 16)}.bpf`);
  try {
    if (readFileSync(path).equals(bytes)) return path;
  } catch {}
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const draft = `${path}.${randomUUID()}`;
  writeFileSync(draft, bytes, { mode: 0o444, flag: 'wx' });
  renameSync(draft, path);
  return path;
}

/** From the last to the first: the command, the program that sets its variables, the check, bwrap, and the opener of the filter. */
function wrap<T extends Launch>(
  request: T,
  spec: ConfinementSpec,
  { program, ...features }: Bubblewrap,
  filter: string | null,
): T {
  if (request.program.startsWith('-'))
    throw new HardshellError('cannot-start', `${request.program} looks like an option: use the path of the program`);
  const names = Object.keys(request.env);
  const aside = names.filter((name) => SET_ASIDE.test(name));
  const env = Object.fromEntries(Object.entries(request.env).filter(([name]) => !SET_ASIDE.test(name)));
  const [, ...words] = request.argv;
  const { args, required, allowed } = bubblewrapMounts(
    spec,
    features,
    disk,
    new HostMounts(readFileSync('/proc/self/mountinfo', 'utf8')),
  );
  const shell = ['/bin/sh', '-c'];
  const command = request.program.includes('=')
    ? [...shell, 'exec "$0" "$@"', request.program, ...words]
    : [request.program, ...words];
  const last = [
    ...(features.canEndSoftly ? ['--default-signal=TERM'] : []),
    ...aside.map((name) => `${name}=${request.env[name]}`),
  ];
  const unset = ADDED.filter((name) => !names.includes(name)).join(' ');
  // bwrap makes its first process the leader of a new session: `kill -- -$$` would find no group.
  const leader = features.hasSetsid ? [SETSID] : [];
  const inside = [
    ...shell,
    CHECK,
    'sh',
    joinLines(required),
    joinLines(allowed),
    unset,
    ...leader,
    ...(last.length > 0 ? ['/usr/bin/env', ...last] : []),
    ...command,
  ];
  const outside = [
    ...(features.canEndSoftly ? ["trap '' TERM;"] : []),
    filter === null ? 'exec "$@"' : `exec ${FILTER_FD}<"$0" "$@"`,
  ].join(' ');
  const argv = [
    ...['sh', '-c', outside, filter ?? 'sh', program],
    ...bubblewrapNamespaces(spec, features),
    ...args,
    ...['--chdir', request.cwd],
    ...(filter === null ? [] : ['--seccomp', FILTER_FD]),
    ...['--', ...inside],
  ];
  return { ...request, program: '/bin/sh', argv, env, cwd: '/' };
}

/** bwrap supports the whole network or none, and a filter cannot read the path of a socket. */
function shutFor({
  network,
  proxyPort,
  hostPorts = [],
  publishPorts = [],
  unixSockets,
  unixPaths = [],
}: ConfinementPolicy): string[] {
  const isOpen = network === 'host';
  return [
    ...(proxyPort !== undefined && !isOpen ? ['No host is reachable: bubblewrap cannot connect to the proxy.'] : []),
    ...(hostPorts.length > 0 && !isOpen ? ['No port of this machine is reachable.'] : []),
    ...(publishPorts.length > 0 && !isOpen ? ['No server of the command is reachable from this machine.'] : []),
    ...(unixPaths.length > 0 && unixSockets !== 'any' ? ['No socket file is reachable, listed or not.'] : []),
  ];
}

/** The kernel drops the mount of a file that another program replaces, and nothing here detects it. Folders keep theirs. */
function findUnwatched({ paths, unseen = [] }: ConfinementSpec): MissingGuarantee[] {
  const roots = paths.filter(({ kind }) => kind === 'write').map(({ path }) => path);
  const isFile = (path: string) => disk.kindOf(path) === 'other';
  const hidden = paths.filter(({ kind, path }) => kind === 'mask' && isFile(path));
  const guarded = paths.filter(
    ({ kind, path }) => kind === 'read-only' && roots.some((root) => isBelow(path, root)) && isFile(path),
  );
  const because = 'by another program while the command runs, and bubblewrap does not detect it';
  return [
    ...hidden.slice(0, 1).map(({ path }) => ({
      guarantee: 'hidden-content' as const,
      why: `${some(path, hidden.length)} can be read if it is replaced ${because}`,
    })),
    ...unseen.slice(0, 1).map((path) => ({
      guarantee: 'hidden-content' as const,
      why: `${some(path, unseen.length)} can be read if it is created ${because}`,
    })),
    ...guarded.slice(0, 1).map(({ path }) => ({
      guarantee: 'protected-existing' as const,
      why: `${some(path, guarded.length)} can be changed if it is replaced ${because}`,
    })),
  ];
}

function some(first: string, count: number): string {
  return count > 1 ? `${first} (and ${count - 1} more)` : first;
}

function enforcementBy(
  planned: Enforcement,
  policy: ConfinementPolicy,
  spec: ConfinementSpec,
  { hasFilter, hasOwnProc }: BubblewrapFeatures,
): Enforcement {
  const missing: MissingGuarantee[] = [
    ...planned.missing.map(({ guarantee, why }) => ({
      guarantee,
      why: why.replace(TAKEN_AWAY, 'they can be created, and stay'),
    })),
    ...findUnwatched(spec),
    ...(policy.name === 'workspace' ? [UNCHECKED_STATE] : []),
  ];
  const say = (guarantee: MissingGuarantee['guarantee'], why: string) => missing.push({ guarantee, why });
  if (!hasOwnProc) say('processes-unseen', 'a separate /proc could not be mounted');
  if (!hasFilter) {
    const why = `there is no system call filter for this architecture (${process.arch})`;
    if (policy.unixSockets !== 'any') say('unix-sockets', why);
    if (policy.network === 'none') say('network', why);
    for (const guarantee of ['privileges', 'terminals', 'kernel-surface'] as const) say(guarantee, why);
  }
  const gone = new Set(missing.map(({ guarantee }) => guarantee));
  return { tier: 'bubblewrap', held: GUARANTEES.filter((guarantee) => !gone.has(guarantee)), missing, reported: [] };
}

class BubblewrapBackend implements ConfineBackend {
  readonly name = 'bubblewrap';
  readonly proxy = 'none';
  readonly #found: Bubblewrap;
  readonly #options: BubblewrapOptions;

  constructor(found: Bubblewrap, options: BubblewrapOptions) {
    this.#found = found;
    this.#options = options;
  }

  plan(policy: ConfinementPolicy): BackendPlan {
    const { folders, privateFolder, architecture } = this.#options;
    const planned = plan(policy, { tier: 'namespaces', missing: [], why: null, withoutReports: 'bubblewrap' }, folders);
    if (planned.kind === 'unconfined') return { ...planned, backend: 'none' };
    const refuse = (why: string): BackendPlan => ({
      kind: 'impossible',
      backend: this.name,
      why,
      enforcement: describeEnforcement('none', [], [], why),
    });
    if (planned.kind === 'impossible') return refuse(planned.why);
    const { spec } = planned;
    if (spec.connectPorts !== undefined || spec.bindPorts !== undefined)
      return refuse(
        'bubblewrap cannot restrict a command to a list of ports: use the keeper, or allow no network or all of it',
      );
    const place = folders.realPath(privateFolder) ?? privateFolder;
    const open = spec.paths.find((item) => item.kind === 'write' && (item.path === place || isBelow(place, item.path)));
    if (open !== undefined)
      return refuse(
        `the system call filter would be in ${place}, which commands may write: choose another folder for it`,
      );
    const filter = filterFile(place, spec, architecture);
    return {
      kind: 'confined',
      backend: this.name,
      enforcement: enforcementBy(planned.enforcement, policy, spec, this.#found),
      cannot: shutFor(policy),
      apply: (request) => wrap(request, spec, this.#found, filter),
    };
  }
}

/** Actually starts bwrap with everything that the plan uses, and takes the most that works. */
export async function findBubblewrap(options: BubblewrapOptions, attempt: TryLaunch): Promise<BackendAvailability> {
  const located = options.program === undefined ? locateBubblewrap() : locateBubblewrap([options.program]);
  if ('why' in located) return { isAvailable: false, why: located.why };
  const hasFilter = makeFilter({ unixSockets: 'any', hasInternet: true }, options.architecture) !== null;
  const hasSetsid = disk.kindOf(SETSID) !== null;
  let why = '';
  const softly = options.endsTree ? [true, false] : [false];
  const choices = [true, false].flatMap((hasOwnProc) => softly.map((canEndSoftly) => ({ hasOwnProc, canEndSoftly })));
  for (const choice of choices) {
    const backend = new BubblewrapBackend(
      { program: located.path, endsTree: options.endsTree, hasFilter, hasSetsid, ...choice },
      options,
    );
    const planned = backend.plan({ name: 'restricted' });
    if (planned.kind !== 'confined')
      return { isAvailable: false, why: planned.kind === 'impossible' ? planned.why : planned.kind };
    const { exitCode, text } = await attempt(
      planned.apply({ program: 'true', argv: ['true'], cwd: '/', env: { PATH: '/usr/bin:/bin' } }),
    );
    if (exitCode === 0) return { isAvailable: true, backend };
    why ||= text.trim().split('\n')[0] ?? `exit code ${exitCode}`;
  }
  return { isAvailable: false, why: `${located.path} does not work here: ${why}` };
}
