// A permitted command → its sandbox, and the request for the runner: program and argv, environment, limits, files.
// The verdict's variables come last: no other layer may undo what the verdict depends on.

import type { Facts } from '../core/facts.ts';
import { NOTHING_NAMED } from '../decide/paths/named-paths.ts';
import { makeSecretTasksFolder, makeTemporaryFolder } from '../local/state-folders.ts';
import { buildEnvironment } from '../run/environment.ts';
import type { RunRequest } from '../run/port.ts';
import { markOfThisProcess } from '../run/record.ts';
import { buildArgvCommand } from '../run/shells/argv.ts';
import type { BuiltCommand } from '../run/shells/provider.ts';
import { findShell } from '../run/shells/trusted-shells.ts';
import type { Backends } from '../sandbox/backends.ts';
import { isLasting } from '../sandbox/lasting-commands.ts';
import { looksIntoProcesses } from '../sandbox/process-tools.ts';
import { findGitChanges } from '../sandbox/repositories/git-settings.ts';
import { openSandbox, type Sandbox } from '../sandbox/sandbox.ts';
import { listTasks } from '../tasks/registry.ts';
import type { Limits } from '../terms/limits.ts';
import type { Terms } from '../terms/terms.ts';
import { mayChangeFolder } from './folder-change.ts';
import { namedByRules, type RunPermission } from './permission.ts';
import { moveRun, type Run } from './run.ts';

export interface Launch {
  /** With its files in the folder in which its output belongs. */
  readonly run: Run;
  readonly request: RunRequest;
  readonly timeoutMs: number | null;
  /** After this time it continues as a task. */
  readonly detachAfterMs: number | null;
  readonly limits: Limits;
  /** Null if the folder cannot change, or if it cannot be reported. */
  readonly cwdFile: string | null;
  readonly sandbox: Sandbox;
  /** How long it took to create the sandbox. */
  readonly sandboxMs: number;
  /** Variables of the request that the command does not get. */
  readonly withheld: readonly string[];
  /** The same command, whose changes are made directly. */
  readonly relaunch: (unstaged: string) => Promise<Launch>;
}

export interface LaunchMeans {
  /** Runs instead of the original text, after signals were sent to tasks. */
  readonly command: string;
  readonly backends: Backends;
  /** The runner can let a foreground command continue as a task. */
  readonly canDetach: boolean;
  /** Why the changes of the command are not staged, whatever its terms say. */
  readonly unstaged?: string;
}

/** Why it is better not to stage the changes of this command, although it is possible. */
async function whyDirect({ terms, folder }: Run, facts: Facts): Promise<string | undefined> {
  if (terms.staging.mode !== 'apply') return undefined;
  if (isLasting(facts)) return 'it is a server, or watches files';
  if (looksIntoProcesses(facts)) return 'it looks into processes of other commands';
  // Settings of git land as new files, and a background command has only the old ones mounted against changes: without them it
  // is ended. Made directly, the same files are written.
  if (folder === null || findGitChanges(facts).settings.length === 0) return undefined;
  const isBusy = (await listTasks(folder)).some(({ state }) => state === 'running');
  return isBusy ? 'it changes settings of git while a background command runs' : undefined;
}

/** A command that cannot be launched leaves nothing behind. */
export async function prepareLaunch(run: Run, permission: RunPermission, means: LaunchMeans): Promise<Launch> {
  const { feed, observed } = run;
  const began = performance.now();
  const sandbox = await openSandbox({
    terms: run.terms,
    permission,
    id: run.fields.id,
    folder: run.folder,
    named: { byPerson: permission.named ?? NOTHING_NAMED, byRule: namedByRules(run.analyzed) },
    broker: run.analyzed.broker,
    backends: means.backends,
    unstaged: means.unstaged ?? (await whyDirect(run, permission.facts)),
    onOperation: (operation) => observed.operation(operation),
    onViolation: (violation) => {
      observed.violation(violation);
      feed.emit({ type: 'violation', ...violation });
    },
  });
  const sandboxMs = performance.now() - began;
  try {
    const placed = sandbox.seesHidden ? moveRun(run, makeSecretTasksFolder(run.folder)) : run;
    const launch = buildLaunch(placed, permission, means, sandbox);
    reportWithheld(launch.withheld, run);
    const relaunch = (unstaged: string) => prepareLaunch(run, permission, { ...means, unstaged });
    return { ...launch, run: placed, sandboxMs, relaunch };
  } catch (error) {
    // Its proxy already listens, and its ports are reserved.
    await sandbox.abandon();
    throw error;
  }
}

function reportWithheld(names: readonly string[], { feed }: Run): void {
  if (names.length === 0) return;
  const message = `These variables were withheld, because they could make something else run: ${names.join(', ')}.`;
  feed.emit({ type: 'error', message, violation: null });
}

function buildLaunch(
  { terms, files, fields, feed }: Run,
  { facts, verdict }: RunPermission,
  { command, canDetach }: LaunchMeans,
  sandbox: Sandbox,
): Omit<Launch, 'run' | 'sandboxMs' | 'relaunch'> {
  const { isBackground, input, output, limits } = terms;
  const wantsFolder = terms.args === null && !isBackground && mayChangeFolder(facts);
  const note = sandbox.noteFile ?? { inside: files.cwd, outside: files.cwd };
  const built = buildProgram(terms, command, wantsFolder ? note.inside : null);
  const { env, withheld } = environmentFor(terms, sandbox, built, verdict.environment);
  const times = timesFor(terms, canDetach);
  // More of the beginning than of the end: the end is a ring buffer, and a small one stays in the CPU caches.
  const tailBytes = Math.floor(output.keepBytes / 32) * 8;
  const isPaced = feed.isHeard && !isBackground;
  return {
    request: sandbox.apply({
      program: built.file,
      argv: built.argv,
      cwd: terms.cwd,
      env: { ...env, ...built.env },
      ...(input.isOpen ? { stdin: 'open' as const } : input.bytes === null ? {} : { stdin: input.bytes }),
      streams: output.streams,
      ...(times.timeoutMs === null ? {} : { timeoutMs: times.timeoutMs }),
      graceMs: terms.time.graceMs,
      spool: { path: files.output, headBytes: output.keepBytes - tailBytes, tailBytes },
      ...(isBackground || canDetach ? { record: { path: files.record, fields: { ...fields, host: HOST } } } : {}),
      // A task lives as long as any of its processes; after a foreground command nothing may continue unseen.
      ...(isBackground ? { background: true, leftovers: 'wait' as const } : {}),
      isPaced,
      ...(isPaced ? { sampleMs: 1000 } : {}),
      limits,
      useCgroup: TREE_LIMITS.some((name) => name in limits),
    }),
    ...times,
    limits,
    cwdFile: built.tellsFolder ? note.outside : null,
    sandbox,
    withheld: [
      ...terms.environment.withheld,
      ...withheld.map(({ name }) => name).filter((name) => Object.hasOwn(terms.environment.request, name)),
    ],
  };
}

/** The process that started a task: after it has ended, others may end the task. */
const HOST = markOfThisProcess();

/** Limits of the whole process tree. */
const TREE_LIMITS = ['memoryBytes', 'cpuPercent', 'cpuSeconds', 'processes'];

function buildProgram({ args, shell }: Terms, command: string, cwdFile: string | null): BuiltCommand {
  if (args !== null) return buildArgvCommand(command, args);
  return findShell({ kind: shell ?? 'bash' }).buildCommand({ command, ...(cwdFile === null ? {} : { cwdFile }) });
}

function environmentFor(
  { args, environment, profile }: Terms,
  sandbox: Sandbox,
  built: BuiltCommand,
  verdict: Readonly<Record<string, string>>,
) {
  const { host, set, keep, drop, preserve, request, refusePathBelow } = environment;
  return buildEnvironment({
    host,
    platform: process.platform,
    temporaryFolder: sandbox.temporaryFolder ?? makeTemporaryFolder(),
    ...(args === null ? { shellPath: built.file } : {}),
    path: { keep: 'all', refuseBelow: refusePathBelow },
    set: { ...sandbox.env, ...set },
    keep,
    drop,
    preserveEnvironment: preserve,
    request,
    // Its document identifies the tool by this variable; other profiles must not claim to be Claude Code.
    verdict: { ...(profile === 'claude-code' ? { CLAUDECODE: '1' } : {}), ...verdict },
  });
}

/** The runner cannot remove a timeout later: a command that may become a task gets only the timeout that applies to tasks. */
function timesFor({ time }: Terms, canDetach: boolean): Pick<Launch, 'timeoutMs' | 'detachAfterMs'> {
  const { timeoutMs, taskTimeoutMs, backgroundAfterMs } = time;
  const isDetached = canDetach && backgroundAfterMs !== null && timeoutMs !== null && backgroundAfterMs < timeoutMs;
  return isDetached
    ? { timeoutMs: taskTimeoutMs, detachAfterMs: backgroundAfterMs }
    : { timeoutMs, detachAfterMs: null };
}
