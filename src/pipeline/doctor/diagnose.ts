// This machine → what holds on it: an attempt per guarantee inside the confinement that a run would get, and everything
// that it stands on. Changes nothing that was there before.

import { mkdirSync, mkdtempSync, realpathSync, rmdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import type { BackendPlan, ConfineBackend } from '../../confine/backends/backend.ts';
import { KeeperBackend } from '../../confine/backends/keeper.ts';
import { ATTEMPTS } from '../../confine/doctor/attempts.ts';
import type { CheckFinding, Conclusion, Diagnosis, GuaranteeFinding } from '../../confine/doctor/diagnosis.ts';
import { type MachineFacts, readMachine } from '../../confine/doctor/machine.ts';
import { Scene } from '../../confine/doctor/scene.ts';
import { judge, type RunScript, tryAll } from '../../confine/doctor/trial.ts';
import { enforcementOf } from '../../confine/enforcement.ts';
import { diskFolders } from '../../confine/folders.ts';
import { type ConfineProbe, probeConfinement } from '../../confine/probe.ts';
import type { BackendName, SandboxName } from '../../core/confinement.ts';
import { HardshellError } from '../../core/errors.ts';
import { attemptConfinement } from '../../run/confinement-attempt.ts';
import { locateKeeper } from '../../run/keeper/binary.ts';
import { KeeperRunner } from '../../run/keeper/runner.ts';
import type { Runner } from '../../run/port.ts';
import { findShell } from '../../run/shells/trusted-shells.ts';
import { stateFolder } from '../../tasks/folder.ts';
import { Backends } from '../sandbox/backends.ts';
import { checkCgroup, checkKeeper, checkLandlock, checkSystem, checkTier } from './confinement-checks.ts';
import { checkProxy } from './proxy-check.ts';
import { checkCode, checkDisk, checkFolders, checkNode, checkSettings, checkShells } from './surroundings-checks.ts';

export interface DiagnoseOptions {
  /** Absolute; whose settings count. The current folder unless said otherwise. */
  readonly cwd?: string;
  readonly settingsFile?: string;
  /** Which sandbox is tried; otherwise the one of the settings, or `workspace`. */
  readonly sandbox?: SandboxName;
  /** As on a machine without user namespaces. */
  readonly allowNamespaces?: boolean;
  /** Another backend than the keeper; its plans are tried, with the keeper or Node as runner. */
  readonly backend?: ConfineBackend;
  /** Where the keeper was built, if not in the package. */
  readonly nativeFolder?: string;
}

const PATIENCE_MS = 5000;
const LONGEST_MS = 30_000;
/** They are empty inside, and a path that is not there is no proof. */
const TEMPORARY = ['/tmp', '/var/tmp', '/dev/shm'];

export async function diagnose(options: DiagnoseOptions = {}): Promise<Diagnosis> {
  const cwd = options.cwd ?? process.cwd();
  if (!isAbsolute(cwd)) throw new HardshellError('invalid-argument', 'The folder must be an absolute path.');
  const machine = readMachine();
  const { finding: settingsFinding, settings } = checkSettings({
    cwd,
    ...(options.settingsFile !== undefined && { settingsFile: options.settingsFile }),
  });
  const sandbox = options.sandbox ?? settings?.sandbox.name ?? 'workspace';
  const confined = await diagnoseConfinement(machine, sandbox, settings?.sandbox.backend ?? 'auto', options);
  const checks: CheckFinding[] = [
    checkSystem(machine),
    ...confined.checks,
    checkNode(),
    checkShells(machine),
    settingsFinding,
    checkCode(cwd, settings),
    checkFolders(),
    checkDisk(stateFolder()),
    await checkProxy(),
  ];
  const { tier, guarantees } = confined;
  return { sandbox, tier, conclusion: conclude(guarantees, checks), guarantees, checks };
}

function conclude(guarantees: readonly GuaranteeFinding[], checks: readonly CheckFinding[]): Conclusion {
  if (guarantees.some(({ verdict }) => verdict === 'broken') || checks.some(({ state }) => state === 'broken'))
    return 'broken';
  const isGood =
    guarantees.every(({ verdict }) => verdict === 'held') && checks.every(({ state }) => state !== 'weaker');
  return isGood ? 'good' : 'weaker';
}

type Confined = Pick<Diagnosis, 'tier' | 'guarantees' | 'checks'>;

async function diagnoseConfinement(
  machine: MachineFacts,
  sandbox: SandboxName,
  backendName: BackendName,
  options: DiagnoseOptions,
): Promise<Confined> {
  const keeper = locateKeeper(options.nativeFolder);
  const nobody = (why: string): Pick<Diagnosis, 'tier' | 'guarantees'> => ({
    tier: 'none',
    guarantees: judge(enforcementOf('none', [], [], why), new Map()),
  });
  if (!keeper.isAvailable)
    return { ...nobody(keeper.reason), checks: [checkKeeper(machine, keeper, null, options.nativeFolder)] };
  const runner = new KeeperRunner(keeper.path, { pool: 0 });
  const examine = async (): Promise<Confined> => {
    const { allowNamespaces = true } = options;
    const attempt = attemptConfinement(runner);
    const probe: ConfineProbe = await probeConfinement(attempt, { allowNamespaces });
    const checks = [
      checkKeeper(machine, keeper, null, options.nativeFolder),
      checkTier(machine, probe),
      await checkLandlock(machine, attempt),
      checkCgroup(machine, await runner.guarantees()),
    ];
    if (options.backend !== undefined || !allowNamespaces) {
      const backend = options.backend ?? new KeeperBackend(probe, diskFolders);
      return { ...(await tryBackend(backend, sandbox, runner)), checks };
    }
    // The one that a run would get.
    const chosen = await new Backends(runner).choose(backendName);
    const tried = chosen.isAvailable ? await tryBackend(chosen.backend, sandbox, runner) : nobody(chosen.why);
    return { ...tried, checks };
  };
  try {
    return await inTime(examine());
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return { ...nobody(why), checks: [checkKeeper(machine, keeper, why, options.nativeFolder)] };
  } finally {
    await runner.close();
  }
}

/** A keeper that says nothing holds no handle of ours: without the timer the process would just end. */
async function inTime<T>(work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('it did not answer in time')), LONGEST_MS);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

async function tryBackend(
  backend: ConfineBackend,
  sandbox: SandboxName,
  runner: Runner,
): Promise<Pick<Diagnosis, 'tier' | 'guarantees'>> {
  const scene = new Scene(findRoom());
  try {
    await scene.open();
    const planned = backend.plan({
      name: sandbox,
      writable: [scene.path('w')],
      hidden: [scene.path('s/secret'), scene.path('h')],
      temporary: scene.path('t'),
    });
    const { enforcement } = planned;
    const found =
      planned.kind === 'confined'
        ? await tryAll(ATTEMPTS, scene, createRun(planned, sandbox, scene, runner))
        : new Map<never, never>();
    const guarantees = judge(enforcement, found).map((finding) => ({
      ...finding,
      // Names of a folder that is gone by then tell nobody anything.
      why: finding.why?.replaceAll(`${scene.path('w')}/`, '') ?? null,
    }));
    return { tier: enforcement.tier, guarantees };
  } finally {
    await scene.close();
  }
}

function createRun(
  planned: Extract<BackendPlan, { kind: 'confined' }>,
  sandbox: SandboxName,
  scene: Scene,
  runner: Runner,
): RunScript {
  const { shellPath } = findShell({ kind: 'bash' });
  const isInside = planned.enforcement.tier !== 'landlock';
  return async (script, where) => {
    const temporary = where === 'confined' && isInside ? '/tmp' : scene.path('t');
    const request = {
      program: shellPath,
      argv: ['bash', '--norc', '--noprofile', '-c', script],
      cwd: scene.path('w'),
      env: scene.environment(sandbox === 'workspace' ? scene.path('w') : temporary),
      timeoutMs: PATIENCE_MS,
      graceMs: 0,
      lingerMs: 0,
      limits: { cpuSeconds: 5, fileSizeBytes: 1 << 20 },
    };
    const { exitCode, output } = await runner.start(where === 'confined' ? planned.apply(request) : request).done;
    return { exitCode, output: (await output.read(0, 2000)).toString() };
  };
}

/** A folder of ours in which the scene can be made: not a temporary one, and not the project. */
function findRoom(): string {
  for (const folder of [stateFolder(), join(homedir(), '.cache', 'hardshell'), homedir(), '/srv', '/opt']) {
    try {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      const real = realpathSync(folder);
      if (TEMPORARY.some((place) => real === place || real.startsWith(`${place}/`))) continue;
      rmdirSync(mkdtempSync(join(real, 'doctor-')));
      return real;
    } catch {}
  }
  throw new HardshellError(
    'cannot-start',
    'there is no folder outside of the temporary ones in which attempts could be made',
    {
      hint: 'Set HOME to a folder that you may write.',
    },
  );
}
