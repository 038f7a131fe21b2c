// A run that has ended, was denied or continues → the caller's result: the same shape for all of them.

import { type Enforcement, GUARANTEES } from '../core/confinement.ts';
import { HardshellError } from '../core/errors.ts';
import { createFailure } from '../core/failure.ts';
import type { Permission, RunResult } from '../core/running.ts';
import { withUnended } from '../core/unended.ts';
import { isAtOrBelow } from '../core/values/containment.ts';
import { defined } from '../core/values/defined.ts';
import { realPathOrSame } from '../local/real-path.ts';
import { explainExit } from '../render/exit-codes.ts';
import { extractHints, type HintedText } from '../render/hints.ts';
import type { KeptOutput } from '../run/output.ts';
import type { RunExit, RunHandle, RunStarted } from '../run/port.ts';
import { chooseNextFolder, readEndFolder, removeEndFolder } from '../run/shells/end-folder.ts';
import {
  deleteTask,
  keepLongOutput,
  keepOutput,
  longOutputFile,
  signalName,
  type TaskFields,
} from '../tasks/registry.ts';
import type { Terms } from '../terms/terms.ts';
import { Unrecorded } from './events/observed-run.ts';
import { classifyEnd, failureOfRefusal, type Violation } from './failures.ts';
import type { Launch } from './launch.ts';
import { writeKept } from './output/kept-file.ts';
import { viewOutput } from './output/long-output.ts';
import { findPicture } from './output/picture.ts';
import { checkNow } from './permission.ts';
import { cancelledBefore, type Run } from './run.ts';
import { describeLimits, describeUsage } from './usage.ts';

const UNCONFINED: Enforcement = {
  tier: 'none',
  held: [],
  missing: GUARANTEES.map((guarantee) => ({ guarantee, why: 'the command did not run' })),
  reported: [],
};
const NOTHING_CHANGED = { created: [], changed: [], deleted: [], isComplete: true, why: null };

type Checked = Pick<Permission, 'facts' | 'verdict'> & Partial<Pick<Permission, 'answer'>>;

/** For a run of which only the verdict is known. */
export function emptyResult(
  { fields }: { readonly fields: TaskFields },
  { facts, verdict, answer = null }: Checked,
): RunResult {
  return {
    task: fields.id,
    command: fields.command,
    display: facts.display,
    status: 'failed',
    facts,
    verdict,
    answer,
    exitCode: null,
    signal: null,
    meaning: null,
    isError: true,
    output: '',
    isTruncated: false,
    stdout: null,
    stderr: null,
    outputBytes: 0,
    outputFile: null,
    missingOutputBytes: 0,
    pid: null,
    pgid: null,
    startedAt: null,
    usage: null,
    limits: [],
    cwd: fields.cwd,
    cwdCause: 'kept',
    hints: [],
    image: null,
    leftoversKilled: 0,
    enforcement: UNCONFINED,
    violations: [],
    omittedViolations: 0,
    files: NOTHING_CHANGED,
    changes: null,
    whyNoUndo: null,
    withheld: [],
    failure: null,
  };
}

/** The result of a command that was denied or cancelled before it ran; `null` if it may run. */
export function createRefusal(run: Run, permission: Permission): RunResult | null {
  const { isAllowed, answer, verdict, facts } = permission;
  if (run.terms.signal?.aborted || answer?.by === 'cancelled')
    return { ...emptyResult(run, permission), ...cancelledBefore() };
  if (isAllowed) return null;
  const failure = failureOfRefusal(verdict, answer, facts);
  return { ...emptyResult(run, permission), status: 'denied', failure };
}

/** A request that cannot be recorded does not run. Other errors are rethrown. */
export function unrecorded(run: Run, error: unknown): RunResult {
  if (!(error instanceof Unrecorded)) throw error;
  const message = `The command did not run, because it could not be recorded: ${error.message}`;
  const hint = error.cause instanceof HardshellError ? error.cause.hint : null;
  const { suggestions, ...rest } = createFailure('system_error');
  const failure = { ...rest, message, suggestions: hint === null ? suggestions : [hint] };
  return { ...emptyResult(run, checkNow(run.analyzed)), failure };
}

/** A command that has ended. */
export interface RunEnd {
  readonly permission: Checked;
  readonly launch: Launch;
  readonly started: RunStarted;
  readonly exit: RunExit;
  readonly violation: Violation | null;
}

export async function describeEnd(run: Run, end: RunEnd): Promise<RunResult> {
  const { permission, launch, exit } = end;
  const { status, failure, exceeded } = classifyEnd(exit, launch, run.files.output, end.violation);
  const signal = exit.signal === null ? null : signalName(exit.signal);
  const { meaning, isError } = explainExit(permission.facts, {
    exitCode: exit.exitCode,
    signal,
    timedOut: status === 'timed-out',
    ...(launch.timeoutMs === null ? {} : { timeoutMs: launch.timeoutMs }),
    ...(exceeded === null ? {} : { exceeded }),
  });
  const shown = await showOutput(run, exit);
  const next = await nextFolder(run, launch);
  return {
    ...emptyResult(run, permission),
    ...measured(end),
    withheld: launch.withheld,
    status,
    signal,
    meaning: withUnended(withRefusedForks(meaning, exceeded === null ? end.violation : null), exit.unended),
    isError:
      isError || (status !== 'exited' && status !== 'signalled') || failure !== null || exit.unended !== undefined,
    ...withoutFile(shown),
    outputFile: await keepOrDelete(run, end, shown),
    cwd: next.folder,
    cwdCause: next.cause,
    leftoversKilled: exit.leftoversKilled,
    failure,
  };
}

/** A command that ended by itself after the kernel refused it a process keeps its status. */
function withRefusedForks(meaning: string | null, violation: Violation | null): string | null {
  if (violation === null) return meaning;
  const refused = `The kernel refused more than ${violation.limit} processes and threads (limits.processes).`;
  return meaning === null ? refused : `${meaning} ${refused}`;
}

/** Of a task: its output stays where it is, and belongs to its readers. */
export function describeTaskEnd(run: Run, end: RunEnd): RunResult {
  const { permission, launch, exit } = end;
  const { status, failure } = classifyEnd(exit, launch, run.files.output, null);
  const signal = exit.signal === null ? null : signalName(exit.signal);
  const { meaning, isError } = explainExit(permission.facts, { exitCode: exit.exitCode, signal });
  return {
    ...emptyResult(run, permission),
    ...measured(end),
    status,
    signal,
    meaning: withUnended(meaning, exit.unended),
    isError: isError || failure !== null || exit.unended !== undefined,
    outputFile: run.files.output,
    failure,
  };
}

/** Of a command whose runner was lost: its output until then. */
export async function describeLost(run: Run, permission: Checked, handle: RunHandle): Promise<RunResult> {
  const soFar = await describeSoFar(run, await handle.peek());
  const started = await handle.started.catch(() => null);
  const { pid = null, startedAtMs: startedAt = null } = started ?? {};
  return { ...emptyResult(run, permission), ...soFar, pid, pgid: pid, startedAt };
}

/** Of a command that continues as a task: its output so far. The rest is in its file, too. */
export async function describeSoFar(
  { terms, files }: Run,
  output: KeptOutput,
): Promise<Pick<RunResult, 'output' | 'isTruncated' | 'stdout' | 'stderr' | 'outputBytes'>> {
  const view = viewFor(terms, files.output);
  const whole = await viewOutput(output, view);
  const isSplit = terms.output.streams === 'split';
  const part = async (stream: 'stdout' | 'stderr') =>
    readHints(terms, (await viewOutput(output, view, stream)).text).text;
  return {
    output: readHints(terms, whole.text).text,
    isTruncated: whole.isTruncated,
    stdout: isSplit ? await part('stdout') : null,
    stderr: isSplit ? await part('stderr') : null,
    outputBytes: output.totalBytes,
  };
}

/** A profile whose document knows no hints leaves the output as it is. */
function readHints({ output }: Terms, text: string): HintedText {
  return output.readsHints ? extractHints(text) : { text, hints: [] };
}

function viewFor({ output }: Terms, path: string) {
  const { view, stripAnsi, viewCharacters } = output;
  return { view, stripAnsi, path, ...defined({ characters: viewCharacters }) };
}

type Measured = Pick<
  RunResult,
  'exitCode' | 'outputBytes' | 'missingOutputBytes' | 'pid' | 'pgid' | 'startedAt' | 'usage' | 'limits'
>;

/** What the runner reports about every ended command. */
function measured({ launch, started, exit }: RunEnd): Measured {
  const { pid, startedAtMs: startedAt } = started;
  return {
    exitCode: exit.exitCode,
    outputBytes: exit.output.totalBytes,
    missingOutputBytes: exit.output.missingBytes,
    pid,
    pgid: pid,
    startedAt,
    usage: describeUsage(exit, launch.sandbox.traffic()),
    limits: describeLimits(launch.limits, started, exit.uncheckedMs),
  };
}

type Shown = Pick<RunResult, 'output' | 'isTruncated' | 'stdout' | 'stderr' | 'hints' | 'image'> & {
  /** Where all of it is. */
  readonly file: string | null;
};

function withoutFile({ file: _, ...shown }: Shown): Omit<Shown, 'file'> {
  return shown;
}

async function showOutput({ terms, files, folder, fields }: Run, { output }: RunExit): Promise<Shown> {
  const picture = await findPicture(output);
  if (picture !== null)
    return {
      output: picture.text,
      isTruncated: picture.image === null,
      stdout: null,
      stderr: null,
      hints: [],
      image: picture.image,
      file: output.path,
    };
  const view = viewFor(terms, longOutputFile(folder, fields.id));
  let whole = await viewOutput(output, view);
  let file = output.path;
  if (whole.isTruncated && file === null) {
    if (await writeKept(output, files.output)) file = files.output;
    else whole = await viewOutput(output, { ...view, path: null });
  }
  const { text, hints } = readHints(terms, whole.text);
  const isSplit = terms.output.streams === 'split';
  const part = async (stream: 'stdout' | 'stderr') =>
    (await viewOutput(output, { ...view, path: file === null ? null : view.path }, stream)).text;
  return {
    output: text,
    isTruncated: whole.isTruncated,
    stdout: isSplit ? readHints(terms, await part('stdout')).text : null,
    stderr: isSplit ? readHints(terms, await part('stderr')).text : null,
    hints: hints.map(({ attributes }) => attributes),
    image: null,
    file,
  };
}

/** Truncated output is always kept, because the result names its file; other output unless the settings forbid it. */
async function keepOrDelete(run: Run, { started, exit }: RunEnd, { file, isTruncated }: Shown): Promise<string | null> {
  const { fields, folder, terms } = run;
  const { stdoutBytes, stderrBytes, totalBytes } = exit.output;
  const { exitCode, signal, cause } = exit;
  const { pid, startedAtMs: startedAt } = started;
  const ended = { pid, startedAt, exitCode, signal, cause, stdoutBytes, stderrBytes };
  if (file !== null && isTruncated) return keepLongOutput(folder, fields, ended);
  if (terms.keepsOutput && totalBytes > 0) await keepOutput(folder, fields, ended, exit.output);
  else if (file !== null) deleteTask(folder, fields.id);
  return null;
}

async function nextFolder({ terms }: Run, { cwdFile }: Launch) {
  const told = cwdFile === null ? null : await readEndFolder(cwdFile);
  if (cwdFile !== null) removeEndFolder(cwdFile);
  return chooseNextFolder({
    told,
    before: terms.cwd,
    original: terms.project,
    isInside: (path) => terms.roots.some((root) => isAtOrBelow(path, realPathOrSame(root))),
  });
}
