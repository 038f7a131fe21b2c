// This machine → its guarantees: attempts against each guarantee inside the confinement that a run would get, and checks
// of the prerequisites. Changes no existing file.

import { mkdtempSync, realpathSync, rmdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import type { BackendPlan, ConfineBackend } from '../confine/backends/backend.ts';
import { KeeperBackend } from '../confine/backends/keeper.ts';
import { ATTEMPTS } from '../confine/doctor/attempts.ts';
import {
  BEYOND_EVERY_TIER,
  type CheckFinding,
  type Conclusion,
  type Diagnosis,
  type GuaranteeFinding,
} from '../confine/doctor/diagnosis.ts';
import { type MachineFacts, readMachine } from '../confine/doctor/machine.ts';
import { Scene } from '../confine/doctor/scene.ts';
import { judge, type RunScript, tryAll } from '../confine/doctor/trial.ts';
import { describeEnforcement } from '../confine/enforcement.ts';
import { diskFolders } from '../confine/folders.ts';
import { findKernelSupport } from '../confine/kernel-support.ts';
import type { BackendName, SandboxName } from '../core/confinement.ts';
import { HardshellError } from '../core/errors.ts';
import type { StagingMode } from '../core/staging.ts';
import { isAtOrBelow } from '../core/values/containment.ts';
import { describeError } from '../core/values/error-text.ts';
import { TEMPORARY_FOLDERS } from '../core/values/temporary-folders.ts';
import { auditPlaces, stateFolder } from '../local/places.ts';
import { attemptConfinement } from '../run/confinement-attempt.ts';
import { locateKeeper } from '../run/keeper/binary.ts';
import { KeeperRunner } from '../run/keeper/runner.ts';
import { NodeRunner } from '../run/node-runner.ts';
import type { Runner } from '../run/port.ts';
import { findShell } from '../run/shells/trusted-shells.ts';
import { Backends } from '../sandbox/backends.ts';
import { checkBroker } from './broker-check.ts';
import { checkCgroup, checkKeeper, checkLandlock, checkSystem, checkTier } from './confinement-checks.ts';
import type { DiagnoseOptions } from './options.ts';
import { checkProxy } from './proxy-check.ts';
import { checkStaging } from './staging-check.ts';
import {
  checkAuditLog,
  checkCode,
  checkDisk,
  checkFolders,
  checkNode,
  checkSettings,
  checkShells,
} from './surroundings-checks.ts';

/** For one attempt, also on a machine that is slow or busy. */
const PATIENCE_MS = 15_000;
/** A keeper that completes nothing for this long does not answer. */
const SILENCE_MS = 90_000;
const NOBODY_PORT = 1;

export async function examineMachine(options: DiagnoseOptions): Promise<Diagnosis> {
  const cwd = options.cwd ?? process.cwd();
  if (!isAbsolute(cwd)) throw new HardshellError('invalid-argument', 'The folder must be an absolute path.');
  const machine = readMachine();
  const { finding: settingsFinding, settings } = checkSettings({
    cwd,
    ...(options.settingsFile !== undefined && { settingsFile: options.settingsFile }),
  });
  const sandbox = options.sandbox ?? settings?.sandbox.name ?? 'workspace';
  const staging = settings?.staging ?? 'off';
  const here = { ...options, cwd, staging };
  const confined = await diagnoseConfinement(machine, sandbox, settings?.sandbox.backend ?? 'auto', here);
  const checks: CheckFinding[] = [
    checkSystem(machine),
    ...confined.checks,
    checkNode(),
    checkShells(machine),
    settingsFinding,
    checkCode(cwd, settings),
    checkFolders(),
    checkDisk(stateFolder()),
    checkAuditLog(auditPlaces().folder, settings?.alerts),
    await checkProxy(),
  ];
  const { tier, guarantees } = confined;
  return { sandbox, tier, conclusion: conclude(guarantees, checks), guarantees, checks };
}

function conclude(guarantees: readonly GuaranteeFinding[], checks: readonly CheckFinding[]): Conclusion {
  if (guarantees.some(({ verdict }) => verdict === 'broken') || checks.some(({ state }) => state === 'broken'))
    return 'broken';
  const isGood = guarantees.every(isAtItsBest) && checks.every(({ state }) => state !== 'weaker');
  return isGood ? 'good' : 'weaker';
}

/** No attempt succeeded, so the missing guarantees are as reported. */
function isAtItsBest({ guarantee, verdict, attempts }: GuaranteeFinding): boolean {
  if (verdict === 'held') return true;
  const isUndone = attempts.length > 0 && attempts.every(({ confined }) => confined === 'stopped');
  return verdict === 'missing' && BEYOND_EVERY_TIER.includes(guarantee) && isUndone;
}

type Confined = Pick<Diagnosis, 'tier' | 'guarantees' | 'checks'>;
type Here = DiagnoseOptions & { readonly cwd: string; readonly staging: StagingMode };

async function diagnoseConfinement(
  machine: MachineFacts,
  sandbox: SandboxName,
  backendName: BackendName,
  options: Here,
): Promise<Confined> {
  const keeper = locateKeeper(options.nativeFolder);
  const runner = keeper.isAvailable ? new KeeperRunner(keeper.program, { pool: 0 }) : new NodeRunner();
  const checks = [checkKeeper(machine, keeper, null, options.nativeFolder)];
  try {
    if (!keeper.isAvailable) return { ...(await tryChosen(runner, sandbox, backendName, keeper.reason)), checks };
    return await whileItAnswers(runner, (watched) =>
      examineKeeper(machine, watched, sandbox, backendName, options, checks),
    );
  } catch (error) {
    const why = describeError(error);
    return { ...holdsNothing(why), checks: [checkKeeper(machine, keeper, why, options.nativeFolder)] };
  } finally {
    await runner.close();
  }
}

async function examineKeeper(
  machine: MachineFacts,
  runner: Runner,
  sandbox: SandboxName,
  backendName: BackendName,
  { allowNamespaces = true, backend, ...here }: Here,
  checks: readonly CheckFinding[],
): Promise<Confined> {
  const attempt = attemptConfinement(runner);
  const probe = await findKernelSupport(attempt, { allowNamespaces });
  // The backend that the settings select may be weaker than what the machine supports.
  const used = backendName === 'landlock' ? await findKernelSupport(attempt, { allowNamespaces: false }) : probe;
  const about = [
    await checkLandlock(machine, attempt),
    await checkBroker(machine, runner, used),
    checkCgroup(machine, await runner.guarantees()),
    await checkStaging(attempt, used, here),
  ];
  const tried =
    backend === undefined && allowNamespaces
      ? await tryChosen(runner, sandbox, backendName, null)
      : await tryBackend(backend ?? new KeeperBackend(probe, diskFolders), sandbox, runner);
  return { ...tried, checks: [...checks, checkTier(machine, probe, tried.tier), ...about] };
}

type Tried = Pick<Diagnosis, 'tier' | 'guarantees'>;

function holdsNothing(why: string): Tried {
  return { tier: 'none', guarantees: judge(describeEnforcement('none', [], [], why), new Map()) };
}

/** The backend that a run would get. `whyNoKeeper`: then there may be none, and that is the reason. */
async function tryChosen(
  runner: Runner,
  sandbox: SandboxName,
  name: BackendName,
  whyNoKeeper: string | null,
): Promise<Tried> {
  try {
    const chosen = await new Backends(runner).choose(name);
    return chosen.isAvailable ? await tryBackend(chosen.backend, sandbox, runner) : holdsNothing(chosen.why);
  } catch (error) {
    if (whyNoKeeper === null) throw error;
    return holdsNothing(whyNoKeeper);
  }
}

/**
 * Fails if the runner completes nothing for a while: how long the whole examination takes depends on the machine. A keeper that
 * does not answer keeps no handle open: without the timer the process would exit.
 */
async function whileItAnswers<T>(runner: Runner, examine: (watched: Runner) => Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  let restart = () => {};
  const silence = new Promise<never>((_, reject) => {
    restart = () => {
      clearTimeout(timer);
      timer = setTimeout(() => reject(new Error('it did not answer in time')), SILENCE_MS);
    };
  });
  const watched: Runner = {
    guarantees: () => runner.guarantees(),
    close: () => runner.close(),
    start: (request) => {
      const handle = runner.start(request);
      handle.done.then(restart, restart);
      return handle;
    },
  };
  try {
    restart();
    return await Promise.race([examine(watched), silence]);
  } finally {
    clearTimeout(timer);
  }
}

async function tryBackend(backend: ConfineBackend, sandbox: SandboxName, runner: Runner): Promise<Tried> {
  const room = findRoom();
  const bash = findBash();
  if (room === null || bash === null) {
    const { enforcement } = backend.plan({ name: sandbox });
    const why =
      room === null ? 'no folder outside of the temporary ones is available for the attempts' : 'there is no bash';
    const guarantees = judge(enforcement, new Map()).map((finding) =>
      finding.verdict === 'not-proven' ? { ...finding, why } : finding,
    );
    return { tier: enforcement.tier, guarantees };
  }
  const scene = new Scene(room);
  try {
    await scene.open();
    const planned = backend.plan({
      name: sandbox,
      writable: [scene.path('w')],
      hidden: [scene.path('s/secret'), scene.path('h')],
      temporary: scene.path('t'),
      // Set up as for a run, so that the attempts take the same path.
      ...(backend.proxy === 'port' ? { proxyPort: NOBODY_PORT } : {}),
    });
    const { enforcement } = planned;
    const found =
      planned.kind === 'confined'
        ? await tryAll(ATTEMPTS, scene, createRun(planned, sandbox, scene, runner, bash))
        : new Map<never, never>();
    const guarantees = judge(enforcement, found).map((finding) => ({
      ...finding,
      // The folder no longer exists by then, so its names are useless.
      why: finding.why?.replaceAll(`${scene.path('w')}/`, '') ?? null,
    }));
    return { tier: enforcement.tier, guarantees };
  } finally {
    await scene.close();
  }
}

function findBash(): string | null {
  try {
    return findShell({ kind: 'bash' }).shellPath;
  } catch {
    return null;
  }
}

function createRun(
  planned: Extract<BackendPlan, { kind: 'confined' }>,
  sandbox: SandboxName,
  scene: Scene,
  runner: Runner,
  bash: string,
): RunScript {
  const isInside = planned.enforcement.tier !== 'landlock';
  return async (script, where) => {
    const temporary = where === 'confined' && isInside ? '/tmp' : scene.path('t');
    const request = {
      program: bash,
      argv: ['bash', '--norc', '--noprofile', '-c', script],
      cwd: scene.path('w'),
      env: scene.environment(sandbox === 'workspace' ? scene.path('w') : temporary),
      timeoutMs: PATIENCE_MS,
      graceMs: 0,
      lingerMs: 0,
      limits: { cpuSeconds: 15, fileSizeBytes: 1 << 20 },
    };
    const { exitCode, output, cause } = await runner.start(where === 'confined' ? planned.apply(request) : request)
      .done;
    return { exitCode, output: (await output.read(0, 2000)).toString(), hasTimedOut: cause === 'timeout' };
  };
}

/** An existing folder in which the scene can be created: not a temporary one, and not the project. */
function findRoom(): string | null {
  const home = homedir();
  for (const folder of [stateFolder(), join(home, '.local/state'), join(home, '.cache'), home, '/srv', '/opt']) {
    try {
      const real = realpathSync(folder);
      if (TEMPORARY_FOLDERS.some((place) => isAtOrBelow(real, place))) continue;
      rmdirSync(mkdtempSync(join(real, 'hardshell-doctor-')));
      return real;
    } catch {}
  }
  return null;
}
