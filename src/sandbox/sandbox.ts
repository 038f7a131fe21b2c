// One command on its way into the sandbox: its confinement, the changes to its request, and its refusals.
// Fails closed: without a backend that can enforce the policy, the command does not run.

import { join, relative } from 'node:path';
import type { BackendPlan, ConfineBackend } from '../confine/backends/backend.ts';
import { withLosses } from '../confine/enforcement.ts';
import type { MissingGuarantee, SandboxViolation } from '../core/confinement.ts';
import { HardshellError } from '../core/errors.ts';
import type { Facts } from '../core/facts.ts';
import { isAtOrBelow } from '../core/values/containment.ts';
import { TEMPORARY_FOLDERS } from '../core/values/temporary-folders.ts';
import { RUN_WITHOUT } from '../core/values/without-sandbox.ts';
import type { Verdict } from '../core/verdict.ts';
import type { NamedPaths } from '../decide/paths/named-paths.ts';
import { cacheFolder, stateFolder } from '../local/places.ts';
import type { Terms } from '../terms/terms.ts';
import type { Backends } from './backends.ts';
import { type Boundary, createBoundary } from './boundary.ts';
import { type Sandbox, unconfined, uncounted } from './command-sandbox.ts';
import { explainSecretOutput, namesShown, opensHidden } from './hidden-reads.ts';
import { withoutOpening } from './managed.ts';
import {
  mayContact,
  type NetworkAccessInputs,
  networkFor,
  openProxyRoute,
  publishedBy,
  reachableFor,
  withVouchedHosts,
} from './network/network-access.ts';
import { explainUnresolved } from './network/unresolved.ts';
import { whyOutside } from './outside.ts';
import { cacheVariables, makeOwnFolders, type OwnFolders } from './own-folders.ts';
import { ownSecrets } from './own-secrets.ts';
import { findSurroundings } from './project.ts';
import { findGitChanges, type GitChanges, makesPartialClone, NO_GIT_CHANGES } from './repositories/git-settings.ts';
import { movesManyInside, staysReadOnly } from './repositories/large-trees.ts';
import { awaitRepositories, undoneBy } from './repositories/new-repositories.ts';
import { CommandStage, cannotHold } from './staging.ts';
import { makePlaces, namedBelowTmp } from './temporary-places.ts';
import { describeTracer, hintAt, readLoss, readViolation } from './violations.ts';
import { worldOf } from './world.ts';

export type { Sandbox, Traffic } from './command-sandbox.ts';

export interface SandboxInputs extends NetworkAccessInputs {
  readonly id: string;
  /** Where outputs and records are stored; commands must not change them. */
  readonly folder: string | null;
  /** Paths and hosts that the command names and that a person or a rule allows. */
  readonly named: { readonly byPerson: NamedPaths; readonly byRule: NamedPaths };
  readonly backends: Backends;
  /** Why its changes are not staged, whatever its terms say. */
  readonly unstaged?: string | undefined;
  readonly onViolation: (violation: SandboxViolation) => void;
}

interface Checked {
  readonly facts: Facts;
  readonly verdict: Verdict;
}

/** Takes as long as recording the verdict, so both run at once. A failure is reported when the result is needed. */
export function findBackend(terms: Terms, { facts, verdict }: Checked, backends: () => Backends): void {
  if (verdict.decision === 'deny' || whyOutside(terms.sandbox, facts) !== null) return;
  backends()
    .choose(terms.sandbox.backend)
    .catch(() => {});
}

export async function openSandbox(inputs: SandboxInputs): Promise<Sandbox> {
  const { permission, backends } = inputs;
  const { sandbox, profile } = inputs.terms;
  const why = whyOutside(sandbox, permission.facts);
  if (why !== null) return withoutSandbox(inputs, why);
  const found = await backends.choose(sandbox.backend);
  if (found.isAvailable) return confined(inputs, found.backend);
  const reason = `${found.why.replace(/\.$/, '')}; Landlock requires Linux 5.13 or newer`;
  const who = profile === 'req' ? 'the profile req lets' : 'the settings let';
  if (!sandbox.isRequired) return withoutSandbox(inputs, `${reason}; ${who} ${RUN_WITHOUT}`);
  const code = found.dependency === undefined ? 'no-sandbox' : 'missing-dependency';
  throw new HardshellError(code, `No sandbox on this machine: ${reason}.`, {
    hint: 'Run `hardshell doctor` to see what is missing; `--sandbox unrestricted` runs without one.',
  });
}

/** Changes that must be held are not made directly. */
function withoutSandbox(inputs: SandboxInputs, why: string): Sandbox {
  const { terms, permission, folder } = inputs;
  const isHeld = terms.staging.mode === 'review' && folder !== null && !permission.facts.readOnly;
  if (isHeld) throw cannotHold(`it would run without a sandbox: ${why}`);
  return unconfined(inputs, why);
}

async function confined(inputs: SandboxInputs, backend: ConfineBackend): Promise<Sandbox> {
  const { terms, permission, onViolation } = inputs;
  const { cwd, roots, home } = terms;
  const around = findSurroundings(terms);
  const own = makeOwnFolders(around.project, terms.environment.host);
  const { temporary, quarantine, caches } = own;
  const facts = withVouchedHosts(inputs);
  const isSupervised = backend.name === 'keeper';
  const stage = new CommandStage({
    id: inputs.id,
    terms,
    // Without a folder nothing runs.
    unstaged: inputs.folder === null ? 'the command does not run' : inputs.unstaged,
    isReadOnly: permission.facts.readOnly,
    // Both need namespaces.
    hasMounts: isSupervised && backend.proxy === 'listener',
  });
  const granted = openedNames(inputs);
  // Others neither write settings of git themselves nor search for what is left of worktrees.
  const changes = findGitChanges(permission.facts);
  const git = isSupervised ? changes : NO_GIT_CHANGES;
  const boundary = boundaryFor(inputs, granted, own, { git, gitAbove: around.openedGit });
  const { writable = [], opened = [] } = boundary;
  // The keeper searches itself, and continues when this process ends.
  const findMade = isSupervised
    ? () => []
    : awaitRepositories([...writable, ...opened.map(({ folder }) => folder)], quarantine, {
        mayBePartial: makesPartialClone(changes),
      });
  const hidden = boundary.hidden ?? [];
  const approved = [inputs.named.byPerson, inputs.named.byRule].map((each) => withoutOpening(each, terms));
  const named = namedBelowTmp(approved, permission.facts, temporary).filter(
    (path) => !hidden.some((secret) => isAtOrBelow(path, secret) || isAtOrBelow(secret, path)),
  );
  // If they are in a temporary folder, as on test machines, the command's private one would cover them.
  const visible = [cwd, ...roots, ...around.visible, ...named, ...(home === null ? [] : [home])];
  const seen = new Map<string, SandboxViolation>();
  let omitted = 0;
  // The only way into the list: each violation of the result is also in the events and the records.
  const note = (violation: SandboxViolation): void => {
    const key = `${violation.operation}\0${violation.target}`;
    if (seen.has(key)) return;
    if (seen.size >= MAX_VIOLATIONS) {
      omitted += 1;
      return;
    }
    seen.set(key, violation);
    onViolation(violation);
  };
  const network = networkFor(inputs, facts, note);
  const route = network === null ? null : await openProxyRoute(backend, network);
  const published = publishedBy(inputs, backend);
  const close = async () => {
    published.release();
    await network?.close();
  };
  let planned: BackendPlan;
  const isReadOnly = staysReadOnly(permission.facts, boundary);
  const trees = isReadOnly ? [] : writable;
  const changeable = boundary.name === 'restricted' ? [] : [...trees, ...opened.map(({ folder }) => folder)];
  const reachable = reachableFor(inputs, facts, backend);
  const world = worldOf({ ...terms, project: around.project }, backend, { isReadOnly });
  try {
    planned = backend.plan({
      ...boundary,
      writable: trees,
      changesOnlyInside: movesManyInside(permission.facts, writable),
      visible,
      ...reachable,
      publishPorts: published.ports,
      isShared: world.isShared,
      temporary,
      quarantine,
      ...stage.wanted,
      ...(route?.policy ?? {}),
    });
    if (planned.kind === 'impossible') throw new HardshellError('no-sandbox', planned.why);
    if (planned.kind === 'unconfined') throw new HardshellError('internal', 'The sandbox planned to confine nothing.');
    const files = (boundary.scratch ?? []).filter((path) => path !== caches);
    const isWritable = changeable.length + files.length > 0;
    const unstaged = stage.open(planned.staged, { files, folders: opened, isWritable });
    if (unstaged !== null) {
      await close();
      return confined({ ...inputs, unstaged }, backend);
    }
  } catch (error) {
    await close();
    throw error;
  }
  const { enforcement, apply } = planned;
  const isInside = enforcement.tier !== 'landlock' && enforcement.tier !== 'seatbelt';
  // Inside, the folder for temporary files is mounted as /tmp; roots below /tmp need a mount point there.
  const shown = [...writable, ...(boundary.scratch ?? []), ...visible];
  if (isInside) makePlaces(temporary, shown);
  const isOwn = (path: string) => isAtOrBelow(path, '/tmp') && !shown.some((root) => isAtOrBelow(path, root));
  const name = `.${inputs.id}.cwd`;
  const lost: MissingGuarantee[] = [];
  let exposure: string | null = null;
  const traced: string[] = [];
  const isFixed = terms.sandbox.managed?.name?.value === 'restricted';
  const places = { boundary, temporary: isInside ? TEMPORARY_FOLDERS : [temporary], isFixed };
  const env = { ...cacheVariables(caches), ...around.env, ...(route?.env ?? {}), HARDSHELL_SANDBOX: boundary.name };
  return {
    get enforcement() {
      return { ...withLosses(enforcement, lost), ...world.apart() };
    },
    get exposure() {
      return exposure;
    },
    get notes() {
      return [...traced, ...world.notes()];
    },
    env,
    temporaryFolder: isInside ? '/tmp' : temporary,
    noteFile: {
      inside: join(isInside ? '/tmp' : temporary, name),
      outside: join(temporary, name),
    },
    outside: (path) => (isInside && isOwn(path) ? join(temporary, relative('/tmp', path)) : path),
    seesHidden: opensHidden(terms, granted) || namesShown(terms, permission.facts),
    writable: enforcement.held.includes('writes-outside') ? changeable : null,
    isStaged: stage.isOpen,
    isUndoable: stage.hasAll || changeable.length === 0,
    staged: () => stage.outcome(),
    apply: (request) =>
      apply(
        world.share({ ...request, ...(route?.request ?? {}) }, { inputs, facts, own: env, isStaged: stage.isOpen }),
      ),
    hear: (event) => {
      const loss = readLoss(event);
      if (loss !== null && lost.length < MAX_VIOLATIONS) lost.push(loss);
      world.hear(event);
      if (event.type === 'traced') traced.push(describeTracer(event));
      if (event.type === 'exposed') exposure ??= loss?.why ?? null;
      if (event.type === 'untold' && event.what === 'refusal') omitted += event.count;
      const violation = readViolation(event, places);
      if (violation !== null) note(violation);
    },
    violations: () => {
      for (const undone of findMade()) note(undoneBy(undone));
      for (const held of stage.outcome().violations) note(held);
      return [...seen.values()];
    },
    get omittedViolations() {
      return omitted;
    },
    explain: (output) => {
      const way = boundary.name === 'restricted' ? 'restricted' : route === null ? 'none' : 'proxy';
      const found = [...seen.values()];
      const unreachable = network?.explainUnreachable() ?? null;
      const unresolved = unreachable ?? (mayContact(permission.facts) ? explainUnresolved(output, found, way) : null);
      return explainSecretOutput(output, inputs.folder) ?? unresolved ?? hintAt(output, found);
    },
    traffic: () => {
      if (!enforcement.held.includes('network')) return uncounted('the sandbox does not hold the network');
      if (reachable.hostPorts !== undefined && reachable.hostPorts.length + published.ports.length > 0)
        return uncounted('connections to local and published ports do not pass the proxy');
      if (network === null) return { sentBytes: 0, receivedBytes: 0 };
      return network.traffic() ?? uncounted('the proxy of a background task does not report them');
    },
    follow: async (pid) => (await network?.follow(pid)) ?? null,
    close,
    abandon: async () => {
      stage.discard();
      await close();
    },
  };
}

const MAX_VIOLATIONS = 100;

function openedNames({ terms, named: { byPerson, byRule } }: SandboxInputs): SandboxInputs['named'] {
  return { byPerson: withoutOpening(byPerson, terms), byRule: withoutOpening(byRule, terms) };
}

function boundaryFor(
  { terms, folder: tasks }: SandboxInputs,
  named: SandboxInputs['named'],
  { caches, quarantine }: OwnFolders,
  repositories: { readonly git: GitChanges; readonly gitAbove: string | null },
): Boundary {
  return createBoundary({
    terms,
    named,
    secret: ownSecrets(tasks, quarantine),
    kept: [stateFolder(), ...(tasks === null ? [] : [tasks]), cacheFolder(terms.environment.host)],
    ...repositories,
    own: [caches],
  });
}
