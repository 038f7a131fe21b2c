// The whole flow: request → settings → verdict → environment → queue → runner → events → result.
// Holds no state of a conversation: folder, session, user and policy come with each call.

import { analyze } from '../analyze/analyze.ts';
import { type Broker, createBroker } from '../approve/broker.ts';
import type { Enforcement } from '../core/confinement.ts';
import { HardshellError } from '../core/errors.ts';
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
import type { RunHandle, Runner } from '../run/port.ts';
import { RunQueue } from '../run/queue.ts';
import { chooseRunner } from '../run/runner.ts';
import { ForegroundBoard } from '../tasks/foreground/board.ts';
import { createTaskId, filesOf } from '../tasks/names.ts';
import { findRecord, listSignalable, listTasks } from '../tasks/registry.ts';
import { StoredTask } from '../tasks/task.ts';
import { TidiedFolder } from '../tasks/tidied-folder.ts';
import type { Checked } from './check.ts';
import { EventFeed, type Listeners } from './events/feed.ts';
import { RunStream } from './events/stream.ts';
import { type Execution, runInBackground, runInForeground } from './execution.ts';
import { failureOfStart } from './failures.ts';
import {
  cancelledBefore,
  emptyOf,
  type Job,
  observe,
  permitObserved,
  type RunMode,
  refusalOf,
  roomForTask,
  unrecorded,
  waitForTurn,
  withEnvironment,
} from './job.ts';
import { quoteCommand } from './launch.ts';
import { prepareLaunch } from './launching.ts';
import {
  hearRules,
  isCoveredBy,
  look,
  type Permitted,
  permit,
  policyFor,
  prepareQuestion,
  type Question,
  timedLook,
} from './permission.ts';
import { emptyResult, type Run } from './result.ts';
import { Backends } from './sandbox/backends.ts';
import { enclose } from './sandbox/enclosure.ts';
import { pruneOwnFolders } from './sandbox/own-folders.ts';
import { createSession } from './session.ts';
import { checkRequest, completeOptions, type ShellOptions, type ShellSetup } from './shell-options.ts';
import { correctAbsence, type Reach, signalTasks } from './signals/task-signals.ts';

export type { ShellOptions } from './shell-options.ts';

/** The tool that runs commands. Close it when it is needed no more: it ends what runs in the foreground, and no task. */
export function createShell(options: ShellOptions = {}): ShellTool {
  return new Shell(completeOptions(options));
}

/** One for the command after the last, one for a second session or a command beside it. */
const WAITING_SHELLS = 2;

class Shell implements ShellTool {
  readonly #setup: ShellSetup;
  readonly #broker: Broker;
  readonly #queue: RunQueue;
  /** Background tasks of this tool, for as long as they run. */
  readonly #own = new Map<string, RunHandle>();
  readonly #board = new ForegroundBoard();
  readonly #folder: TidiedFolder;
  #runner: { readonly runner: Runner; readonly backends: Backends; readonly canDetach: () => Promise<boolean> } | null =
    null;
  #isClosed = false;

  constructor(setup: ShellSetup) {
    this.#setup = setup;
    // One without surfaces denies, and says how to allow.
    this.#broker = setup.broker ?? createBroker();
    this.#queue = new RunQueue(setup.queue);
    this.#folder = new TidiedFolder(setup.tasksFolder, () => pruneOwnFolders(setup.hostEnvironment));
  }

  analyze(command: string, { cwd, shell }: Pick<RunOptions, 'cwd' | 'shell'>): Facts {
    return analyze(command, { cwd, shell });
  }

  check(command: string, given: RunOptions): Checked {
    checkRequest(command, given);
    return look(this.#ask(command, given).question);
  }

  async permit(command: string, given: RunOptions): Promise<Permission> {
    checkRequest(command, given);
    const { text, options, question } = this.#ask(command, given);
    return permitObserved(question, { text, options, setup: this.#setup });
  }

  policy(options: RunOptions): Policy {
    return policyFor(options, this.#setup);
  }

  session(context: RunContext): ShellSession {
    return createSession(this, context);
  }

  async enforcement(given: RunOptions): Promise<Enforcement> {
    const { options, question } = this.#ask('true', given);
    const run = { fields: { id: 'none' }, options, question, setup: this.#setup };
    const looked = look(question);
    // What holds every command, not one that is known to change nothing.
    const facts = { ...looked.facts, readOnly: false };
    const judged = { ...looked, facts, answer: null, isAllowed: true, named: null };
    const { backends } = this.#chosenRunner(question);
    const enclosure = await enclose({ run, judged, backends, onViolation: () => {} });
    await enclosure.close();
    return enclosure.enforcement;
  }

  async run(command: string, options: RunOptions): Promise<RunResult> {
    return this.#perform(command, options, 'foreground', [options?.onEvent]);
  }

  async start(command: string, options: RunOptions): Promise<RunResult> {
    return this.#perform(command, options, 'background', [options?.onEvent]);
  }

  stream(command: string, options: RunOptions): RunStream {
    checkRequest(command, options);
    return new RunStream(options, (all, listeners) => this.#perform(command, all, 'foreground', listeners));
  }

  async tasks(): Promise<readonly TaskInfo[]> {
    return listTasks(this.#folder.path());
  }

  async task(id: string): Promise<TaskHandle | null> {
    const folder = this.#folder.path();
    return findRecord(folder, id) === null ? null : new StoredTask(folder, id, this.#own.get(id) ?? null);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    if (this.#setup.broker === undefined) this.#broker.close();
    await this.#runner?.runner.close();
    await this.#board.close();
    await this.#setup.recording?.close();
  }

  async #perform(command: string, given: RunOptions, mode: RunMode, listeners: Listeners): Promise<RunResult> {
    checkRequest(command, given);
    if (this.#isClosed) throw new HardshellError('invalid-argument', 'This shell tool was closed.');
    const { text, options, question } = this.#ask(command, given);
    const job = this.#createJob(command, text, options, question, mode, listeners);
    const result = await this.#decide(job).catch((error) => unrecorded(job, error));
    await job.observed.end(result);
    job.feed.emit({ type: 'status', status: result.status, pid: result.pid });
    await job.feed.finish();
    return result;
  }

  #ask(command: string, given: RunOptions) {
    const { originalCwd = this.#setup.originalCwd } = given;
    const options: RunOptions = { ...given, ...(originalCwd === undefined ? {} : { originalCwd }) };
    const text = options.args === undefined ? command : quoteCommand(command, options.args);
    return { text, options, question: prepareQuestion(text, options, { ...this.#setup, broker: this.#broker }) };
  }

  #createJob(
    command: string,
    text: string,
    options: RunOptions,
    question: Question,
    mode: RunMode,
    listeners: Listeners,
  ): Job {
    let problem: unknown = null;
    let folder: string | null = null;
    try {
      folder = this.#folder.path();
    } catch (error) {
      problem = error;
    }
    const id = createTaskId(folder, options.args === undefined ? (options.shell ?? 'bash') : 'run');
    const { cwd, description = null, session = null } = options;
    const fields = { id, command: text, description, cwd, session };
    const files = filesOf(folder ?? '/nonexistent', id);
    const run: Run = { fields, folder: folder ?? '', files, options, setup: this.#setup, question };
    const feed = new EventFeed(id, listeners);
    return { command, run, mode, problem, feed, observed: observe(run, mode, feed) };
  }

  /** Once it is permitted and its turn has come, it is looked at again: a command before it may have changed things. */
  async #decide(job: Job): Promise<RunResult> {
    const { run, mode, feed, observed } = job;
    const { signal } = run.options;
    const question = await hearRules(run.question);
    let looked = timedLook(question);
    if (job.problem !== null)
      return { ...emptyOf(run, looked), failure: failureOfStart(job.problem, job.command, run.options) };
    for (;;) {
      if (signal?.aborted) return { ...emptyOf(run, looked), ...cancelledBefore() };
      await observed.verdict(looked);
      const judged = await permit(question, looked, () => {
        feed.emit({ type: 'status', status: 'asking', pid: null });
      });
      await observed.answer(judged.answer);
      const refused = refusalOf(run, judged);
      if (refused !== null) return refused;
      const turn =
        mode === 'background'
          ? roomForTask(job, judged, { running: this.#own.size, most: this.#setup.maxTasks })
          : await waitForTurn(this.#queue, job, judged);
      if ('result' in turn) return turn.result;
      try {
        if (!turn.hasWaited && judged.answer === null) return await this.#execute(job, judged);
        const now = timedLook(question);
        if (isCoveredBy(now.verdict, looked.verdict))
          return await this.#execute(job, withEnvironment(judged, now.verdict.environment));
        looked = now;
      } finally {
        turn.slot?.release();
      }
    }
  }

  async #execute(job: Job, judged: Permitted): Promise<RunResult> {
    const { command, run, mode, feed, observed } = job;
    const { options, question, fields } = run;
    if (options.signal?.aborted || this.#isClosed) return { ...emptyResult(fields, judged), ...cancelledBefore() };
    try {
      const { runner, backends, canDetach: ask } = this.#chosenRunner(question);
      const isBackground = mode === 'background';
      const canDetach = !isBackground && options.backgroundAfterMs !== undefined && (await ask());
      const reach = this.#reach(options);
      const isArgv = options.args !== undefined;
      const signalled = await signalTasks({ facts: judged.facts, command, isArgv }, reach);
      if ('failure' in signalled) return { ...emptyResult(fields, judged), failure: signalled.failure };
      const prepared = await prepareLaunch({ ...job, ...signalled }, judged, { backends, canDetach });
      const adopt = (handle: RunHandle) => this.#adopt(fields.id, handle);
      const execution: Execution = { ...prepared, run, judged, runner, feed, observed, adopt, board: this.#board };
      if (isBackground) return await runInBackground(execution);
      return await correctAbsence(await runInForeground(execution), reach);
    } catch (error) {
      return { ...emptyResult(fields, judged), failure: failureOfStart(error, command, options) };
    }
  }

  /** What a command may signal through us. */
  #reach({ session }: RunOptions): Reach {
    return { tasks: () => listSignalable(this.#folder.path(), session ?? null), task: (id) => this.task(id) };
  }

  #adopt(id: string, handle: RunHandle): void {
    this.#own.set(id, handle);
    const forget = () => this.#own.delete(id);
    handle.done.then(forget, forget);
  }

  #chosenRunner({ waitingShells }: Question) {
    if (this.#runner === null) {
      const given = this.#setup.runner;
      const runner = given ?? chooseRunner({ pool: this.#setup.pool ?? waitingShells ?? WAITING_SHELLS }).runner;
      const canDetach = async () =>
        (await runner.guarantees()).some(({ name, isHeld }) => name === 'background-survives-host' && isHeld);
      this.#runner = { runner, backends: new Backends(runner), canDetach };
    }
    return this.#runner;
  }
}
