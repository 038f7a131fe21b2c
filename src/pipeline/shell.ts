// The entry point: call → request → terms → permission → launch → result.
// Holds defaults for its calls, and no state of a conversation.

import { analyze } from '../analyze/analyze.ts';
import { type Broker, createBroker } from '../approve/broker.ts';
import type { Enforcement } from '../core/confinement.ts';
import { asyncDispose } from '../core/disposal.ts';
import type { Facts } from '../core/facts.ts';
import type { Policy } from '../core/policy.ts';
import type {
  Permission,
  RunContext,
  RunOptions,
  RunResult,
  ShellSession,
  ShellTool,
  TaskHandle,
  TaskInfo,
} from '../core/running.ts';
import { NOTHING_NAMED } from '../decide/paths/named-paths.ts';
import type { RunHandle } from '../run/port.ts';
import { RunQueue } from '../run/queue.ts';
import { pruneOwnFolders } from '../sandbox/own-folders.ts';
import { findBackend, openSandbox } from '../sandbox/sandbox.ts';
import { ForegroundRegistry } from '../tasks/foreground/registry.ts';
import { createTaskId } from '../tasks/names.ts';
import { findFolder, listSignalable, listTasks } from '../tasks/registry.ts';
import { StoredTask } from '../tasks/task.ts';
import { TidiedFolder } from '../tasks/tidied-folder.ts';
import { thisMachine } from '../terms/machine.ts';
import { loadLayersFor } from '../terms/settings.ts';
import { resolve, type Terms } from '../terms/terms.ts';
import { type CompleteOptions, checkCommand, completeCall } from './call-options.ts';
import type { CheckResult } from './check.ts';
import type { Listeners } from './events/feed.ts';
import { Unrecorded } from './events/observed-run.ts';
import { RunStream } from './events/stream.ts';
import { type Execution, runInBackground, runInForeground } from './execution.ts';
import { closedError, failureOfStart } from './failures.ts';
import { askToApply } from './held-changes.ts';
import { launchHeld, Unheld, withoutReliance } from './holding.ts';
import { LazyRunner } from './lazy-runner.ts';
import {
  type AnalyzedCommand,
  checkNow,
  hearRules,
  isCoveredBy,
  namedByRules,
  permit,
  type RunPermission,
  understand,
  whatIsOpened,
} from './permission.ts';
import { createRequest } from './request.ts';
import { createRefusal, emptyResult, unrecorded } from './result.ts';
import { cancelledBefore, createRun, findRoomForTask, observe, type Run, waitForTurn } from './run.ts';
import { createSession } from './session.ts';
import { completeOptions, type ShellOptions, type ShellSetup } from './shell-options.ts';
import { LazyRecording } from './shell-recording.ts';
import { correctAbsence, type Reach } from './signals/task-signals.ts';

export type { ShellDefaults } from './call-options.ts';
export type { ShellOptions, ShellRecording } from './shell-options.ts';

/**
 * The tool that runs commands; its options are the defaults of each call. Close it when done, or use `await using`: that
 * ends foreground commands, but no tasks.
 */
export function createShell(options: ShellOptions = {}): ShellTool {
  return new Shell(completeOptions(options));
}

/** An approval opens nothing: every command gets the sandbox of the settings. */
export function createLearningShell(options: ShellOptions): ShellTool {
  return new Shell({ ...completeOptions(options), doesApprovalOpen: false });
}

class Shell implements ShellTool {
  readonly #setup: ShellSetup;
  readonly #broker: Broker;
  readonly #queue: RunQueue;
  /** Background tasks of this tool, while they run. */
  readonly #own = new Map<string, RunHandle>();
  readonly #registry = new ForegroundRegistry();
  readonly #folder: TidiedFolder;
  readonly #runner: LazyRunner;
  readonly #recording: LazyRecording;
  #isClosed = false;

  constructor(setup: ShellSetup) {
    this.#setup = setup;
    this.#recording = new LazyRecording(setup);
    this.#runner = new LazyRunner(setup);
    // A broker without surfaces denies, and says how to allow.
    this.#broker = setup.broker ?? createBroker();
    this.#queue = new RunQueue(setup.queue);
    this.#folder = new TidiedFolder(setup.tasksFolder, () => pruneOwnFolders(setup.hostEnvironment));
  }

  analyze(command: string, options: Pick<RunOptions, 'cwd' | 'shell'> = {}): Facts {
    const { cwd, shell } = this.#complete(options);
    return analyze(command, { cwd, shell });
  }

  check(command: string, options: RunOptions = {}): CheckResult {
    checkCommand(command);
    const { facts, verdict } = checkNow(this.#understand(this.#resolve(command, this.#complete(options))));
    return { facts, verdict };
  }

  /** Throws if recording fails. */
  async permit(command: string, options: RunOptions = {}): Promise<Permission> {
    checkCommand(command);
    if (this.#isClosed) throw closedError();
    const terms = this.#resolve(command, this.#complete(options));
    const observed = observe(createTaskId(null, 'permit'), terms, this.#recording.observers(terms), null);
    try {
      const analyzed = await hearRules(this.#understand(terms));
      const checked = checkNow(analyzed);
      await observed.verdict(checked);
      const { named: _, ...permission } = await permit(analyzed, checked, () => {});
      await observed.answer(permission.answer);
      return permission;
    } catch (error) {
      throw error instanceof Unrecorded ? error.cause : error;
    }
  }

  policy(options: RunOptions = {}): Policy {
    return this.#resolve('true', this.#complete(options)).policy;
  }

  session(context: RunContext = {}): ShellSession {
    return createSession(this, context, (options) => this.#complete(options));
  }

  async enforcement(options: RunOptions = {}): Promise<Enforcement> {
    const terms = this.#resolve('true', this.#complete(options));
    const analyzed = this.#understand(terms);
    const { facts, verdict } = checkNow(analyzed);
    const sandbox = await openSandbox({
      terms,
      // The sandbox of ordinary commands, not of one that is known to change nothing.
      permission: { facts: { ...facts, readOnly: false }, verdict, answer: null, isAllowed: true },
      id: 'none',
      folder: null,
      named: { byPerson: NOTHING_NAMED, byRule: namedByRules(analyzed) },
      broker: analyzed.broker,
      backends: this.#runner.choose(terms).backends,
      onViolation: () => {},
    });
    await sandbox.close();
    return sandbox.enforcement;
  }

  async run(command: string, options: RunOptions = {}): Promise<RunResult> {
    checkCommand(command);
    const complete = this.#complete(options);
    return this.#perform(command, complete, [complete.onEvent]);
  }

  async start(command: string, options: RunOptions = {}): Promise<RunResult> {
    checkCommand(command);
    const complete = this.#complete(options);
    return this.#perform(command, complete, [complete.onEvent], { isBackground: true });
  }

  stream(command: string, options: RunOptions = {}): RunStream {
    checkCommand(command);
    return new RunStream(this.#complete(options), (all, listeners) => this.#perform(command, all, listeners));
  }

  async tasks(): Promise<readonly TaskInfo[]> {
    return listTasks(this.#folder.path());
  }

  async task(id: string): Promise<TaskHandle | null> {
    const folder = this.#folder.path();
    const found = findFolder(folder, id);
    return found === null ? null : new StoredTask(found, id, this.#own.get(id) ?? null);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    if (this.#setup.ownsBroker) this.#broker.close();
    await this.#runner.close();
    await this.#registry.close();
    await this.#recording.close();
  }

  [asyncDispose](): Promise<void> {
    return this.close();
  }

  #complete(options: RunOptions): CompleteOptions {
    return completeCall(options, this.#setup.defaults);
  }

  async #perform(
    command: string,
    options: CompleteOptions,
    listeners: Listeners,
    form?: { readonly isBackground: true },
  ): Promise<RunResult> {
    if (this.#isClosed) throw closedError();
    const analyzed = this.#understand(this.#resolve(command, options, form));
    const run = createRun(analyzed, this.#folder, this.#recording.observers(analyzed.terms), listeners);
    const ended = this.#process(run).then((result) => askToApply(result, run));
    const result = await ended.catch((error) => unrecorded(run, error));
    await run.observed.end(result);
    run.feed.emit({ type: 'status', status: result.status, pid: result.pid });
    await run.feed.finish();
    return result;
  }

  #resolve(command: string, options: CompleteOptions, form?: { readonly isBackground: true }): Terms {
    const setup = this.#setup;
    const request = createRequest(command, options, setup, form);
    const layers = loadLayersFor(request, { settingsFile: setup.settingsFile });
    return resolve(request, layers, thisMachine(setup.hostEnvironment));
  }

  #understand(terms: Terms): AnalyzedCommand {
    return understand(terms, { broker: this.#broker, classifier: this.#setup.classifier });
  }

  /** After waiting for an answer or in the queue it is checked again: other commands may have changed the disk. */
  async #process(run: Run): Promise<RunResult> {
    const { terms, feed, observed } = run;
    const { signal } = terms;
    let analyzed = await hearRules(run.analyzed);
    let checked = checkNow(analyzed);
    if (run.problem !== null)
      return { ...emptyResult(run, checked), failure: failureOfStart(run.problem, terms.command, terms) };
    for (;;) {
      if (signal?.aborted) return { ...emptyResult(run, checked), ...cancelledBefore() };
      findBackend(terms, checked, () => this.#runner.choose(terms).backends);
      await observed.verdict(checked);
      const permission = await permit(analyzed, checked, () => {
        feed.emit({ type: 'status', status: 'asking', pid: null });
      });
      await observed.answer(permission.answer);
      const refused = createRefusal(run, permission);
      if (refused !== null) return refused;
      const turn = terms.isBackground
        ? findRoomForTask({ running: this.#own.size, most: this.#setup.maxTasks })
        : await waitForTurn(this.#queue, run);
      if ('notRun' in turn) return { ...emptyResult(run, permission), ...turn.notRun };
      try {
        const wasAsked = permission.answer !== null && !terms.questions.isYesAssumed;
        if (!turn.hasWaited && !wasAsked) return await this.#execute(run, permission);
        const now = checkNow(analyzed);
        if (isCoveredBy(now.verdict, checked.verdict)) {
          const { environment, reliesOn } = now.verdict;
          return await this.#execute(run, { ...permission, verdict: { ...permission.verdict, environment, reliesOn } });
        }
        checked = now;
      } catch (error) {
        analyzed = withoutReliance(analyzed, error);
        checked = checkNow(analyzed);
      } finally {
        turn.slot?.release();
      }
    }
  }

  async #execute(run: Run, permission: RunPermission): Promise<RunResult> {
    const { terms } = run;
    if (terms.signal?.aborted || this.#isClosed) return { ...emptyResult(run, permission), ...cancelledBefore() };
    try {
      const { runner, backends, canDetach: askRunner } = this.#runner.choose(terms);
      const canDetach = terms.time.backgroundAfterMs !== null && (await askRunner());
      const reach = this.#reach(terms);
      const launch = await launchHeld(run, whatIsOpened(permission, this.#setup), { backends, canDetach, reach });
      if ('failure' in launch) return { ...emptyResult(run, permission), failure: launch.failure };
      const adopt = (handle: RunHandle) => this.#adopt(run.fields.id, handle);
      const pending = this.#setup.broker === undefined ? null : () => this.#broker.pending();
      const registry = this.#registry;
      const execution: Execution = { run: launch.run, permission, launch, runner, pending, adopt, registry };
      if (terms.isBackground) return await runInBackground(execution);
      return await correctAbsence(await runInForeground(execution), reach);
    } catch (error) {
      if (error instanceof Unheld) throw error;
      return { ...emptyResult(run, permission), failure: failureOfStart(error, terms.command, terms) };
    }
  }

  /** Tasks that a command may signal through hardshell. */
  #reach({ session }: Terms): Reach {
    return { tasks: () => listSignalable(this.#folder.path(), session), task: (id) => this.task(id) };
  }

  #adopt(id: string, handle: RunHandle): void {
    this.#own.set(id, handle);
    void handle.done.catch(() => {}).then(() => this.#own.delete(id));
  }
}
