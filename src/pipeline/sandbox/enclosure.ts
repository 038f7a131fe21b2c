// One command on its way into the sandbox: what holds it, what is changed in its request, and what it was refused.
// Fails closed: without a backend that can do what the policy asks for, the command does not run.

import { homedir } from 'node:os';
import { join, relative } from 'node:path';
import type { BackendPlan, ConfineBackend } from '../../confine/backends/backend.ts';
import { enforcementOf, withLosses } from '../../confine/enforcement.ts';
import type { Enforcement, MissingGuarantee, SandboxViolation } from '../../core/confinement.ts';
import { HardshellError } from '../../core/errors.ts';
import type { RunOptions } from '../../core/running.ts';
import { type NamedPaths, NOTHING_NAMED } from '../../decide/paths/named-paths.ts';
import { auditPlaces } from '../../record/folder.ts';
import type { RunEvent, RunRequest } from '../../run/port.ts';
import { prepareRuntimeFolders } from '../../sockets/runtime-folder.ts';
import { stateFolder } from '../../tasks/folder.ts';
import { namedByRules, type Permitted, type Question, rootsOf } from '../permission.ts';
import type { ShellSetup } from '../shell-options.ts';
import type { Backends } from './backends.ts';
import { type Boundary, boundaryOf, isAtOrBelow } from './boundary.ts';
import { sandboxNameOf, withoutOpening } from './managed.ts';
import type { NetworkListener } from './network/command-network.ts';
import { mayContact, networkFor, openDoor, publishedBy, wishesOf, withVouchedHosts } from './network/network-access.ts';
import { explainUnresolved } from './network/unresolved.ts';
import { whyOutside } from './outside.ts';
import { cacheFolder, cacheVariables, ownFoldersOf } from './own-folders.ts';
import { staysReadOnly } from './repositories/large-trees.ts';
import { awaitRepositories, undoneBy } from './repositories/new-repositories.ts';
import { makePlaces, namedBelowTmp } from './temporary-places.ts';
import { findTold, lossOf, violationOf } from './violations.ts';

export interface Enclosure {
  /** Changes when the command loses something of it. */
  readonly enforcement: Enforcement;
  /** Why the command was ended for it. */
  readonly exposure: string | null;
  /** Of the sandbox, under those of the settings and of the request. */
  readonly env: Readonly<Record<string, string>>;
  readonly temporaryFolder: string | null;
  /** Where the command can write for us, and where we find it. */
  readonly noteFile: { readonly inside: string; readonly outside: string } | null;
  /** Where something that the command sees lies for everybody else. */
  outside(path: string): string;
  apply(request: RunRequest): RunRequest;
  /** What an event of the runner means here. */
  hear(event: RunEvent): void;
  /** Everything that was refused, with what the command itself said about it. */
  violations(output: string): readonly SandboxViolation[];
  /** Why a command that failed may have failed, if that is not a matter of what was refused. */
  explain(output: string): string | null;
  close(): Promise<void>;
}

/** What of a run matters here. */
export interface EnclosedRun {
  readonly fields: { readonly id: string };
  /** Where outputs and records are kept; commands may not change them. */
  readonly folder?: string;
  readonly options: RunOptions;
  readonly question: Question;
  readonly setup: Pick<ShellSetup, 'broker' | 'hostEnvironment'>;
}

export interface EnclosureInputs {
  readonly run: EnclosedRun;
  readonly judged: Permitted;
  readonly backends: Backends;
  readonly onViolation: (violation: SandboxViolation) => void;
  readonly onOperation?: NetworkListener['onOperation'];
}

export async function enclose(inputs: EnclosureInputs): Promise<Enclosure> {
  const { run, judged, backends } = inputs;
  const { options, question } = run;
  const why = whyOutside(options, question.sandbox, judged.facts);
  if (why !== null) return unconfined(why);
  const backend = await backends.choose(question.sandbox.backend ?? 'auto');
  if (!backend.isAvailable) return withoutBackend(backend.why, run);
  return confined(inputs, backend.backend);
}

function withoutBackend(why: string, { question, options }: EnclosedRun): Enclosure {
  const isRequired =
    question.sandbox.failIfUnavailable !== false || sandboxNameOf(options, question.sandbox) === 'restricted';
  if (!isRequired) return unconfined(`${why}; the settings let commands run all the same`);
  throw new HardshellError('cannot-start', `There is no sandbox on this machine: ${why}.`, {
    hint: 'Run `hardshell doctor` to see what is missing; `--sandbox unrestricted` runs without one.',
  });
}

function unconfined(why: string): Enclosure {
  return {
    enforcement: enforcementOf('none', [], [], why),
    exposure: null,
    env: {},
    temporaryFolder: null,
    noteFile: null,
    outside: (path) => path,
    apply: (request) => request,
    hear: () => {},
    violations: () => [],
    explain: () => null,
    close: async () => {},
  };
}

async function confined(inputs: EnclosureInputs, backend: ConfineBackend): Promise<Enclosure> {
  const { run, onViolation } = inputs;
  const { options, fields, setup } = run;
  const roots = rootsOf(run.question.policy, options);
  const { temporary, quarantine, caches } = ownFoldersOf(options.originalCwd ?? options.cwd, setup.hostEnvironment);
  const facts = withVouchedHosts(inputs);
  const boundary = boundaryFor(inputs, roots, caches);
  const { writable = [], opened = [] } = boundary;
  // The keeper looks by itself, and goes on when this process is gone.
  const findMade =
    backend.name === 'keeper'
      ? () => []
      : awaitRepositories([...writable, ...opened.map(({ folder }) => folder)], quarantine);
  const hidden = boundary.hidden ?? [];
  const named = namedBelowTmp(inputs.judged.facts, temporary).filter(
    (path) => !hidden.some((secret) => isAtOrBelow(path, secret) || isAtOrBelow(secret, path)),
  );
  // Where they lie in a temporary folder, as on machines for tests, they would be covered by the command's own.
  const visible = [options.cwd, ...roots, ...named, ...[homeFolder()].filter((home) => home !== null)];
  const network = networkFor(inputs, facts, (violation) => onViolation(note(violation)));
  const seen: SandboxViolation[] = [];
  const note = (violation: SandboxViolation): SandboxViolation => {
    if (seen.length < MAX_VIOLATIONS) seen.push(violation);
    return violation;
  };
  const door = network === null ? null : await openDoor(backend, network);
  const published = publishedBy(inputs, backend);
  const close = async () => {
    published.release();
    await network?.close();
  };
  let planned: BackendPlan;
  try {
    planned = backend.plan({
      ...boundary,
      writable: staysReadOnly(inputs.judged.facts, writable) ? [] : writable,
      visible,
      ...wishesOf(inputs, facts, backend),
      publishPorts: published.ports,
      temporary,
      quarantine,
      ...(door?.policy ?? {}),
    });
    if (planned.kind === 'impossible') throw new HardshellError('cannot-start', planned.why);
    if (planned.kind === 'unconfined') throw new HardshellError('internal', 'The sandbox planned to confine nothing.');
  } catch (error) {
    await close();
    throw error;
  }
  const { enforcement, apply } = planned;
  const startedAt = Date.now();
  const isInside = enforcement.tier !== 'landlock' && enforcement.tier !== 'seatbelt';
  // Inside, the folder for temporary files is seen as /tmp; roots below /tmp need a place there to be seen at.
  const shown = [...writable, ...(boundary.scratch ?? []), ...visible];
  if (isInside) makePlaces(temporary, shown);
  const isOwn = (path: string) => isAtOrBelow(path, '/tmp') && !shown.some((root) => isAtOrBelow(path, root));
  const name = `.${fields.id}.cwd`;
  const lost: MissingGuarantee[] = [];
  let exposure: string | null = null;
  return {
    get enforcement() {
      return withLosses(enforcement, lost);
    },
    get exposure() {
      return exposure;
    },
    env: { ...cacheVariables(caches), ...(door?.env ?? {}), HARDSHELL_SANDBOX: boundary.name },
    temporaryFolder: isInside ? '/tmp' : temporary,
    noteFile: {
      inside: join(isInside ? '/tmp' : temporary, name),
      outside: join(temporary, name),
    },
    outside: (path) => (isInside && isOwn(path) ? join(temporary, relative('/tmp', path)) : path),
    apply: (request) => apply(door === null ? request : { ...request, ...door.request }),
    hear: (event) => {
      const loss = lossOf(event);
      if (loss !== null && lost.length < MAX_VIOLATIONS) lost.push(loss);
      if (event.type === 'exposed') exposure ??= loss?.why ?? null;
      const violation = violationOf(event);
      if (violation !== null) onViolation(note(violation));
    },
    violations: (output) => {
      for (const undone of findMade()) onViolation(note(undoneBy(undone)));
      const places = { boundary, temporary: isInside ? OWN_TEMPORARY : [temporary], home: homeFolder() };
      const { held } = enforcement;
      const told = findTold({ output, cwd: options.cwd, facts: inputs.judged.facts, held, startedAt, ...places });
      const known = new Set(seen.map(({ target }) => target));
      return [...seen, ...told.filter(({ target }) => !known.has(target))];
    },
    explain: (output) => {
      const way = boundary.name === 'restricted' ? 'restricted' : door === null ? 'none' : 'proxy';
      return mayContact(inputs.judged.facts) ? explainUnresolved(output, seen, way) : null;
    },
    close,
  };
}

const MAX_VIOLATIONS = 100;
const OWN_TEMPORARY = ['/tmp', '/var/tmp', '/dev/shm'];

function homeFolder(): string | null {
  const home = homedir();
  return home.startsWith('/') ? home : null;
}

function boundaryFor({ run, judged }: EnclosureInputs, roots: readonly string[], caches: string): Boundary {
  const { options, question } = run;
  const { policy, sandbox: settings } = question;
  const { folder, keyFolder } = auditPlaces();
  const held = (named: NamedPaths) => withoutOpening(named, options, settings, policy);
  return boundaryOf({
    name: sandboxNameOf(options, settings) === 'restricted' ? 'restricted' : 'workspace',
    options,
    policy,
    settings,
    roots,
    named: { byPerson: held(judged.named ?? NOTHING_NAMED), byRule: held(namedByRules(question, judged.facts)) },
    home: homeFolder(),
    // Whoever answers questions, or signs records, is not in the sandbox.
    secret: [...prepareRuntimeFolders(), keyFolder, folder],
    kept: [stateFolder(), ...(run.folder === undefined ? [] : [run.folder]), cacheFolder(run.setup.hostEnvironment)],
    own: [caches],
  });
}
