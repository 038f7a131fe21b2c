// A launch → the runner; its reports → events and a result. In the foreground, in the background, or first one
// and then the other.

import { existsSync } from 'node:fs';
import type { Broker } from '../approve/broker.ts';
import { HardshellError } from '../core/errors.ts';
import { createFailure } from '../core/failure.ts';
import type { Permission, RunResult } from '../core/running.ts';
import { explainEndOfInput } from '../render/end-of-input.ts';
import type { RunExit, RunHandle, Runner, RunStarted } from '../run/port.ts';
import { removeEndFolder } from '../run/shells/end-folder.ts';
import { openSpool } from '../run/spool.ts';
import { cannotHold, explainUnstaged } from '../sandbox/staging.ts';
import { annotate } from '../sandbox/violations.ts';
import type { ForegroundRegistry, Registration } from '../tasks/foreground/registry.ts';
import { deleteTask } from '../tasks/registry.ts';
import { EventBridge } from './events/event-bridge.ts';
import { failureOfStart } from './failures.ts';
import { reliesOn, Unheld } from './holding.ts';
import type { Launch } from './launch.ts';
import { FileWatch, withStaged } from './output/file-changes.ts';
import { describeEnd, describeLost, describeSoFar, describeTaskEnd, emptyResult } from './result.ts';
import type { Run } from './run.ts';
import { describeLimits } from './usage.ts';

/** One command and its environment of execution. */
export interface Execution {
  readonly run: Run;
  readonly permission: Permission;
  readonly launch: Launch;
  readonly runner: Runner;
  /** Open questions; `null`: no one can be asked. */
  readonly pending: Broker['pending'] | null;
  /** It becomes a task of this process: its handle can be written to. */
  readonly adopt: (handle: RunHandle) => void;
  /** Other processes of the user may see it, and stop it. */
  readonly registry: ForegroundRegistry;
}

/** The first record of a task is on disk some milliseconds after its start; without one it could never be found again. */
const RECORD_MS = 5000;
const LOOK_MS = 2;

export async function runInForeground(execution: Execution): Promise<RunResult> {
  const { run, permission, launch, runner } = execution;
  const { feed } = run;
  const { signal } = run.terms;
  const { sandbox } = launch;
  const watch = new FileWatch(permission.facts, {
    outside: (path) => sandbox.outside(path),
    // A stage tells what was changed.
    folders: run.terms.output.wantsDetails && !sandbox.isStaged ? sandbox.writable : null,
  });
  const seen = new EventBridge(run, launch);
  let handle: RunHandle;
  try {
    handle = runner.start({ ...launch.request, isQuiet: !feed.isHeard }, seen.listener);
  } catch (error) {
    return failed(execution, error);
  }
  const end = () => handle.kill();
  signal?.addEventListener('abort', end);
  feed.onFailure = end;
  const timers = new Set<NodeJS.Timeout>();
  // As long as the command lives, in the foreground or as a task.
  const close = () => void sandbox.close();
  handle.done.then(close, close);
  let registration: Registration | null = null;
  try {
    const done = handle.done.then((exit) => ({ exit }));
    // A failed start is handled below.
    done.catch(() => {});
    const started = await handle.started;
    await observeStart(execution, started).catch(async (error) => {
      handle.kill({ graceMs: 0 });
      await done.catch(() => {});
      throw error;
    });
    registration = execution.registry.register(run.fields, started, handle);
    const first = await Promise.race([done, detachAfterBudget(execution, handle, started, timers)]);
    if (first === 'task') {
      seen.close();
      execution.adopt(handle);
      const forget = () => removeEndFolder(launch.cwdFile ?? run.files.cwd);
      handle.done.then(forget, forget);
      observeTaskEnd(execution, handle, started);
      return {
        ...emptyResult(run, permission),
        ...taskOf(execution, started),
        enforcement: sandbox.enforcement,
        whyNoUndo: sandbox.isStaged ? 'the command is still running' : sandbox.staged().whyNoUndo,
        ...(await soFar(run, handle)),
        ...questionAbout(execution),
        ...seen.details(started),
      };
    }
    seen.finish();
    // Before its output is deleted with the result.
    const parting = registration.end(first.exit.output);
    if (parting !== undefined) await parting;
    const exit = stoppedExit(first.exit, registration);
    const ended = await describeEnd(run, { permission, launch, started, exit, violation: seen.violation });
    const files = withStaged(watch.changes(), sandbox.staged());
    return { ...confinedEnd(ended, execution), files, ...seen.details(started) };
  } catch (error) {
    const unstaged = whyUnstaged(error, launch);
    if (unstaged !== null) return await runDirectly(execution, unstaged);
    return await failed(execution, error, handle);
  } finally {
    void registration?.end(null);
    for (const timer of timers) clearTimeout(timer);
    signal?.removeEventListener('abort', end);
  }
}

/** The start of a staged command failed because its changes cannot be staged here. */
function whyUnstaged(error: unknown, { sandbox }: Launch): string | null {
  if (!sandbox.isStaged || !(error instanceof HardshellError)) return null;
  const { failed: step, error: code } = (error.cause ?? {}) as { readonly failed?: string; readonly error?: string };
  return step === 'stage' ? explainUnstaged(code ?? null) : null;
}

/** Again, with the protections of a command whose changes are not staged. */
async function runDirectly(execution: Execution, unstaged: string): Promise<RunResult> {
  const { run, launch, permission } = execution;
  if (run.terms.staging.mode === 'review') return failed(execution, cannotHold(unstaged));
  await launch.sandbox.abandon();
  deleteTask(run.folder, run.fields.id);
  if (reliesOn(permission).includes('undoable')) throw new Unheld([{ guarantee: 'undoable', why: unstaged }]);
  const again = await launch.relaunch(unstaged);
  return runInForeground({ ...execution, launch: again, run: again.run });
}

/** The caller did not cancel it. */
function stoppedExit(exit: RunExit, { isStopped }: Registration): RunExit {
  return isStopped && exit.cause === 'cancelled' ? { ...exit, cause: 'stopped' } : exit;
}

/** Resolves when the command has become a task; never for one that must not, or that ends before. */
function detachAfterBudget(
  { run, launch }: Execution,
  handle: RunHandle,
  { supervisorPid }: RunStarted,
  timers: Set<NodeJS.Timeout>,
): Promise<'task'> {
  return new Promise((resolve) => {
    if (launch.detachAfterMs === null) return;
    const detach = () => {
      // It is being stopped: it must not continue unseen.
      if (run.terms.signal?.aborted === true) return;
      handle.detach();
      untilRecord(run.files.record).then(async (isThere) => {
        if (!isThere) return handle.kill();
        await followTask(launch, handle, supervisorPid);
        resolve('task');
      });
    };
    timers.add(setTimeout(detach, launch.detachAfterMs));
  });
}

async function followTask({ sandbox }: Launch, handle: RunHandle, supervisorPid: number | null): Promise<void> {
  const proxy = await sandbox.follow(supervisorPid);
  if (proxy !== null) handle.noteProxy(proxy);
}

export async function runInBackground(execution: Execution): Promise<RunResult> {
  const { run, permission, launch, runner } = execution;
  const { input } = run.terms;
  try {
    const handle = runner.start({ ...launch.request, isQuiet: true }, (event) => launch.sandbox.hear(event));
    const close = () => void launch.sandbox.close();
    handle.done.then(close, close);
    const started = await handle.started;
    await followTask(launch, handle, started.supervisorPid);
    await observeStart(execution, started).catch((error) => {
      handle.kill();
      throw error;
    });
    observeTaskEnd(execution, handle, started);
    if (input.isOpen && input.bytes !== null) handle.write(input.bytes);
    // A lost runner writes none.
    const over = handle.done.then(() => existsSync(run.files.record));
    if (!(await Promise.race([untilRecord(run.files.record), over]))) {
      handle.kill();
      const path = run.files.record;
      return { ...emptyResult(run, permission), failure: createFailure('io_error', { path }) };
    }
    execution.adopt(handle);
    const { enforcement } = launch.sandbox;
    const { whyNoUndo } = launch.sandbox.staged();
    return { ...emptyResult(run, permission), ...taskOf(execution, started), enforcement, whyNoUndo };
  } catch (error) {
    return failed(execution, error);
  }
}

/** Refusals of the sandbox are appended to the output, where the model looks for the reason of a failure. */
function confinedEnd(end: RunResult, { launch }: Execution): RunResult {
  const { sandbox } = launch;
  const violations = sandbox.violations();
  const { omittedViolations } = sandbox;
  const { changes, whyNoUndo } = sandbox.staged();
  const text = annotate(violations, omittedViolations);
  const join = (output: string) => (text === '' ? output : `${output}${/(?:^|\n)$/.test(output) ? '' : '\n'}${text}\n`);
  const hasFailed = end.status === 'exited' && end.exitCode !== 0;
  const reasons = hasFailed ? [explainEndOfInput(end.output), sandbox.explain(end.output)] : [];
  return {
    ...end,
    meaning: [end.meaning, ...reasons, ...sandbox.notes].filter((each) => each !== null).join(' ') || null,
    enforcement: sandbox.enforcement,
    changes,
    whyNoUndo,
    violations,
    omittedViolations,
    output: join(end.output),
    stderr: end.stderr === null ? null : join(end.stderr),
  };
}

function taskOf({ run, launch }: Execution, started: RunStarted): Partial<RunResult> {
  const { pid, startedAtMs: startedAt } = started;
  const limits = describeLimits(launch.limits, started, null);
  return {
    status: 'running',
    meaning: launch.sandbox.notes.join(' ') || null,
    isError: false,
    pid,
    pgid: pid,
    startedAt,
    limits,
    outputFile: run.files.output,
    withheld: launch.withheld,
  };
}

/** Empty if it cannot be read: its file is named nevertheless. */
async function soFar(run: Run, handle: RunHandle): Promise<Partial<RunResult>> {
  try {
    return await describeSoFar(run, await openSpool(run.files.output).catch(() => handle.peek()));
  } catch {
    return {};
  }
}

function questionAbout({ run, pending }: Execution): Pick<RunResult, 'question'> {
  const { text, session } = run.terms;
  const asked = pending?.().find(({ request }) => request.command === text && request.session === session);
  const message = asked?.request.findings.find(({ verdict }) => verdict === 'ask')?.message;
  return asked === undefined || message === undefined ? {} : { question: { code: asked.code, message } };
}

async function observeStart(execution: Execution, { pid, startedAtMs: at }: RunStarted): Promise<void> {
  const { run, launch } = execution;
  const { sandbox, sandboxMs, withheld } = launch;
  await run.observed.start({ pid, at, enforcement: sandbox.enforcement, sandboxMs, withheld });
}

/** The end of a task is reported when it comes, as long as this process lives. */
function observeTaskEnd(execution: Execution, handle: RunHandle, started: RunStarted): void {
  const { run, permission, launch } = execution;
  const tell = async (exit: RunExit): Promise<void> => {
    const end = { permission, launch, started, exit, violation: null };
    await run.observed.end(confinedEnd(describeTaskEnd(run, end), execution));
  };
  // The outcome of a task whose runner was lost is not known here.
  handle.done.then(tell).catch(() => {});
}

async function untilRecord(path: string): Promise<boolean> {
  for (const deadline = Date.now() + RECORD_MS; !existsSync(path); ) {
    if (Date.now() > deadline) return false;
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
  return true;
}

async function failed(execution: Execution, error: unknown, handle?: RunHandle): Promise<RunResult> {
  const { run, permission, launch } = execution;
  const hasStarted = handle !== undefined && (await handle.started.then(() => true).catch(() => false));
  await (hasStarted ? launch.sandbox.close() : launch.sandbox.abandon());
  const { fields, files, terms, folder } = run;
  const failure = failureOfStart(error, terms.text, terms);
  // After a lost runner this may be all that is known; a command that never ran has written nothing.
  const isLost = error instanceof HardshellError && error.code === 'runner-lost';
  const seen =
    isLost && handle !== undefined ? await describeLost(run, permission, handle) : emptyResult(run, permission);
  const isKept = isLost && existsSync(files.output);
  if (!isKept) deleteTask(folder, fields.id);
  removeEndFolder(launch.cwdFile ?? files.cwd);
  const isGone = failure.type === 'working_directory_invalid';
  return {
    ...(isLost ? confinedEnd(seen, execution) : seen),
    failure,
    outputFile: isKept ? files.output : null,
    ...(isGone ? { cwd: terms.project, cwdCause: 'vanished' as const } : {}),
  };
}
