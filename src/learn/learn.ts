// A command → what it needs beyond the current settings: it runs in the current sandbox, under observation, and again with
// exactly what it was refused, as often as the caller allows. Protected, hidden and denied targets stay so in every run.

import { homedir } from 'node:os';
import type { Switches } from '../config/layers/merge.ts';
import type { LoadedSettings } from '../config/load.ts';
import type { Policy } from '../core/policy.ts';
import type { Permission, RunOptions, RunResult, ShellTool } from '../core/running.ts';
import { HOME_SECRETS } from '../decide/paths/tables/home-places.ts';
import { auditPlaces } from '../local/places.ts';
import { realPathOrSame } from '../local/real-path.ts';
import { prepareRuntimeFolders } from '../local/sockets/runtime-folder.ts';
import { isCoveredBy } from '../pipeline/permission.ts';
import { createLearningShell } from '../pipeline/shell.ts';
import { chooseRunner } from '../run/runner.ts';
import { namedPorts } from '../sandbox/network/ports.ts';
import { currentFolder } from '../terms/current-folder.ts';
import { loadPolicy } from '../terms/settings.ts';
import { type Judged, judge, type TrialGrants } from './judging.ts';
import { ObservingRunner, type Watching } from './observing-runner.ts';
import { type CompleteLearnOptions, checkLearnOptions, type LearnOptions } from './options.ts';
import type { ClosedPlaces } from './places.ts';
import { currentFor, settingsFor } from './proposal.ts';
import type { Excess, LearnEnd, LearnReport, Need } from './report.ts';
import { findNeeds, grantMore, hasNew, type Needs, NO_NEEDS, without } from './trial-grants.ts';

/** A host that cannot exist: it makes sure that there is a proxy, which reports the hosts that the command contacts. */
const NO_HOST = 'nothing.invalid';

export async function learn(command: string, asked: LearnOptions = {}): Promise<LearnReport> {
  checkLearnOptions(asked);
  const options = { ...asked, cwd: asked.cwd ?? currentFolder() };
  const runner = new ObservingRunner(options.runner ?? chooseRunner().runner);
  const { broker, classifier, observers, recording, settingsFile, tasksFolder, maxTimeout, hostEnvironment } = options;
  const whom = { broker, classifier, observers, recording };
  const made = { ...whom, settingsFile, tasksFolder, maxTimeout, hostEnvironment };
  const shell = createLearningShell({ ...given(made), runner });
  try {
    const request = requestOf(options, NO_NEEDS, loadPolicy({ cwd: options.cwd, settingsFile }).switches);
    const permission = await shell.permit(command, request);
    const learner = new Learner({ command, options, runner, shell, permission, policy: shell.policy(request) });
    return permission.isAllowed ? await learner.learn() : learner.report();
  } finally {
    await shell.close();
  }
}

/** Paths that only the managed settings may open are not granted either. */
function grantable(granted: Needs, { managedPathsOnly, managedDomainsOnly }: Switches): Needs {
  return {
    ...granted,
    ...(managedPathsOnly ? { writes: NO_NEEDS.writes, sockets: NO_NEEDS.sockets } : {}),
    ...(managedDomainsOnly ? { domains: NO_NEEDS.domains, ports: NO_NEEDS.ports } : {}),
  };
}

function requestOf(options: CompleteLearnOptions, granted: Needs, { managedDomainsOnly }: Switches): RunOptions {
  const { cwd, shell, args, env, input, timeout, mode, profile, user, session, signal, assumeYes, onEvent } = options;
  const { allowWrite = [], allowDomains = [], allowPorts = [], publishPorts = [] } = options.sandbox ?? {};
  const said = { shell, args, env, input, timeout, mode, profile, user, session, signal, assumeYes, onEvent };
  return {
    ...given(said),
    cwd,
    sandbox: {
      name: 'workspace',
      allowWrite: [...allowWrite, ...granted.writes.keys()],
      allowDomains: [...allowDomains, ...granted.domains, ...(managedDomainsOnly ? [] : [NO_HOST])],
      allowPorts: [...allowPorts, ...granted.ports],
      publishPorts: [...publishPorts, ...granted.publish],
    },
  };
}

type Given<T> = { [K in keyof T]?: Exclude<T[K], undefined> };

function given<T extends object>(values: T): Given<T> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as Given<T>;
}

interface LearnerInputs {
  readonly command: string;
  readonly options: CompleteLearnOptions;
  readonly runner: ObservingRunner;
  readonly shell: ShellTool;
  readonly permission: Permission;
  readonly policy: Policy;
}

class Learner {
  readonly #inputs: LearnerInputs;
  readonly #settings: LoadedSettings;
  readonly #closed: ClosedPlaces;
  /** Open in the next run, because earlier runs needed it. */
  #granted: Needs = NO_NEEDS;
  #needs: Needs = NO_NEEDS;
  readonly #secrets = new Set<string>();
  readonly #beyond = new Map<string, Excess>();
  #result: RunResult | null = null;
  #runs = 0;
  #untold = 0;
  #end: LearnEnd = 'denied';
  #isProven = false;

  constructor(inputs: LearnerInputs) {
    this.#inputs = inputs;
    const { cwd, settingsFile } = inputs.options;
    this.#settings = loadPolicy({ cwd, settingsFile });
    const { PATH } = inputs.options.hostEnvironment ?? process.env;
    this.#closed = closedPlaces(this.#settings, inputs.policy, PATH ?? '');
  }

  async learn(): Promise<LearnReport> {
    const { runs = 1, onAgain, prove = false } = this.#inputs.options;
    for (;;) {
      const observe = this.#observe();
      const told = this.#untold;
      const { judged, end } = await this.#run(this.#granted);
      // The list was cut off by reads: nothing after that is known.
      const wasCut = observe === 'all' && this.#untold > told;
      if (judged !== null) this.#take(judged, observe, wasCut);
      if (end !== null) {
        this.#end = end;
        return this.report();
      }
      if (this.#end === 'settled' || this.#runs >= runs) break;
      if (onAgain !== undefined && !(await onAgain(this.report()))) break;
    }
    if (prove && this.#end === 'settled') await this.#prove();
    return this.report();
  }

  #take(judged: Judged, observe: Watching['observe'], wasCut: boolean): void {
    const granted = this.#granted;
    this.#end = hasNew(judged, granted) || wasCut ? 'more-wanted' : 'settled';
    this.#granted = grantMore(granted, judged, this.#closed);
    this.#needs = this.#end === 'settled' ? findNeeds(judged, granted, this.#closed, observe === 'all') : this.#granted;
  }

  /** Reads are numerous: once they have filled the list, only changes are observed. */
  #observe(): Watching['observe'] {
    return this.#untold > 0 ? 'writes' : 'all';
  }

  /** `end` is null if the command ended on its own. */
  async #run(wanted: Needs): Promise<{ readonly judged: Judged | null; readonly end: LearnEnd | null }> {
    const { command, options, runner, shell, permission } = this.#inputs;
    const granted = grantable(wanted, this.#settings.switches);
    const request = requestOf(options, granted, this.#settings.switches);
    // A run may change the verdict of the next one.
    if (!isCoveredBy(shell.check(command, request).verdict, permission.verdict))
      return { judged: null, end: 'judged-differently' };
    const watch = runner.watch({ observe: this.#observe(), sockets: [...granted.sockets] });
    // The sandbox that is tried is that of changes which are made directly: nothing is refused at the end only.
    const result = await shell.run(command, { ...request, assumeYes: true, staging: 'off' });
    if (watch.refused !== null) throw watch.refused;
    this.#result = result;
    this.#runs += 1;
    this.#untold += watch.untold;
    const { spec } = watch;
    const judged = spec === null ? null : this.#judge({ ...watch, spec }, granted, result);
    for (const path of judged?.secrets ?? []) this.#secrets.add(path);
    for (const [target, beyond] of judged?.beyond ?? []) this.#beyond.set(target, beyond);
    return { judged, end: ENDS[result.status] ?? null };
  }

  #judge(watch: Parameters<typeof judge>[0]['watch'], granted: Needs, result: RunResult): Judged {
    const { sandbox = {} } = this.#inputs.options;
    const { folder, keyFolder } = auditPlaces();
    const opened: TrialGrants = {
      writes: [...granted.writes.keys(), ...(sandbox.allowWrite ?? [])].map(realPathOrSame),
      ports: [...granted.ports, ...(sandbox.allowPorts ?? [])],
      publish: [...granted.publish, ...(sandbox.publishPorts ?? [])],
      sockets: [...granted.sockets],
      domains: [...granted.domains, ...(sandbox.allowDomains ?? [])],
    };
    const listening = (port: number) =>
      namedPorts({
        ...result.facts,
        effects: { ...result.facts.effects, network: [{ host: '127.0.0.1', port } as never] },
      }).includes(port);
    return judge({
      watch,
      violations: result.violations,
      granted: opened,
      closed: this.#closed,
      isListening: listening,
      own: [...prepareRuntimeFolders(), keyFolder, folder],
    });
  }

  /** One by one: a need that is not required is dropped before the next is tried. */
  async #prove(): Promise<void> {
    const before = this.#result;
    if (before === null || before.isError) return;
    let isWhole = true;
    for (const need of listNeeds(this.#needs)) {
      const fewer = without(this.#needs, need);
      const { end } = await this.#run(fewer);
      const isSame = end === null && this.#result?.exitCode === before.exitCode;
      if (isSame) this.#needs = fewer;
      isWhole &&= end === null;
      if (!isWhole) break;
    }
    this.#result = before;
    this.#isProven = isWhole;
  }

  report(): LearnReport {
    const { options, permission } = this.#inputs;
    const home = this.#closed.home;
    const wished = (options.sandbox?.allowDomains ?? []).filter((host) => !isAllowedAlready(host, this.#settings));
    const needs = [...listNeeds(this.#needs), ...wished.map((host): Need => ({ kind: 'domain', host }))];
    const secrets = [...this.#secrets].sort();
    const settings = settingsFor({
      needs,
      reads: options.withSecrets === true ? secrets : [],
      home,
      name: this.#settings.sandbox.name ?? 'workspace',
    });
    return {
      command: permission.facts.command,
      facts: permission.facts,
      verdict: permission.verdict,
      answer: permission.answer,
      runs: this.#runs,
      result: this.#result,
      enforcement: this.#result?.enforcement ?? null,
      end: this.#end,
      isComplete: this.#untold === 0,
      isProven: this.#isProven,
      needs,
      secrets,
      beyond: [...this.#beyond.values()],
      settings,
      current: currentFor(settings, this.#settings, home),
    };
  }
}

const ENDS: Partial<Record<RunResult['status'], LearnEnd>> = {
  cancelled: 'cancelled',
  failed: 'failed',
  denied: 'denied',
};

function isAllowedAlready(host: string, { policy }: LoadedSettings): boolean {
  return policy.domains.allow.includes(host);
}

function listNeeds({ writes, domains, ports, publish, sockets }: Needs): Need[] {
  return [
    ...[...writes].map(([path, uses]): Need => ({ kind: 'write', path, uses })),
    ...[...domains].map((host): Need => ({ kind: 'domain', host })),
    ...[...ports].map((port): Need => ({ kind: 'port', port })),
    ...[...publish].map((port): Need => ({ kind: 'publish', port })),
    ...[...sockets].map((path): Need => ({ kind: 'socket', path })),
  ];
}

function closedPlaces({ sandbox }: LoadedSettings, policy: Policy, path: string): ClosedPlaces {
  const home = homedir().startsWith('/') ? realPathOrSame(homedir()) : null;
  const { denyWrite = [], denyRead = [] } = sandbox.filesystem ?? {};
  const secrets = home === null ? [] : HOME_SECRETS.map((place) => `${home}/${place}`);
  const plain = (paths: readonly string[]) => paths.filter((path) => path.startsWith('/')).map(realPathOrSame);
  return {
    home,
    // Files in folders of PATH may later run outside of the sandbox.
    guarded: plain([...denyWrite, ...policy.protectedPaths, ...path.split(':')]),
    hidden: plain([...denyRead, ...policy.secretPaths, ...secrets]),
  };
}
