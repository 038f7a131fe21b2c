// Whether the supervisor of a task still answers while the task starts, and when it should be over. A stopped hardshell process
// is continued; a supervisor that still does not answer is killed with everything below it.

import { MAX_TIMER_MS } from '../../core/values/timers.ts';
import type { KeeperConnection } from './connection.ts';
import { encodeFrame } from './frames.ts';
import { IN } from './messages.ts';
import { isRunning, isStopped, killSession, killTree, listChildren, readStatus, sendSignal } from './processes.ts';

/** A start takes milliseconds: after this time it is checked. */
const START_MS = 300;
/** From the moment at which the task should have ended: it is asked, checked, continued if it is stopped, and given up. */
const ASK_MS = 200;
const LOOK_MS = 700;
const GIVE_UP_MS = 700;
/** A process that runs, or waits for a CPU or a disk, may need longer on a busy machine. */
const BUSY_MS = 10_000;
/** Until the keeper has reported that a supervisor was killed. */
const KEEPER_MS = 400;
const AGAIN_MS = 1_500;
/** The process name of the keeper (native/main.c). */
const NAME = 'hs-keeper';

export class AnswerWatch {
  readonly #connection: KeeperConnection;
  readonly #task: number;
  #timer: NodeJS.Timeout | undefined;
  #dueAt = Number.POSITIVE_INFINITY;
  #isAnswered = false;
  #isOver = false;
  /** How many times in a row a supervisor that does not answer was found idle. */
  #idle = 0;
  #pids: { readonly supervisor: number | null; readonly command: number | null } = { supervisor: null, command: null };
  /** What was done to it, or null. */
  reason: string | null = null;

  constructor(connection: KeeperConnection, task: number) {
    this.#connection = connection;
    this.#task = task;
    this.#after(START_MS, () => this.#ask());
  }

  /** The task has started: the supervisor, and the first process of the command. */
  know(supervisor: number | null, command: number): void {
    this.#pids = { supervisor, command };
    clearTimeout(this.#timer);
    this.#awaitEnd();
  }

  /** The task should be over after `ms`. The earliest moment counts. */
  begin(ms: number): void {
    const at = performance.now() + ms;
    if (this.#isOver || at >= this.#dueAt) return;
    this.#dueAt = at;
    if (!this.#isStarting) this.#awaitEnd();
  }

  get #isStarting(): boolean {
    return this.#pids.command === null;
  }

  #awaitEnd(): void {
    const ms = Math.max(0, this.#dueAt - performance.now()) + ASK_MS;
    if (ms <= MAX_TIMER_MS) this.#after(ms, () => this.#ask());
  }

  answer(): void {
    this.#isAnswered = true;
  }

  end(): void {
    this.#isOver = true;
    clearTimeout(this.#timer);
  }

  // The task itself keeps Node running.
  #after(ms: number, next: () => void): void {
    clearTimeout(this.#timer);
    if (!this.#isOver) this.#timer = setTimeout(next, ms).unref();
  }

  #ask(): void {
    this.#isAnswered = false;
    this.#idle = 0;
    this.#connection.send(encodeFrame(IN.ping, this.#task));
    if (this.#isStarting) this.#continueStopped();
    this.#after(LOOK_MS, () => this.#look());
  }

  #look(): void {
    if (this.#isAnswered) return this.#after(AGAIN_MS, () => this.#ask());
    this.#continueStopped();
    this.#after(GIVE_UP_MS, () => this.#judge(performance.now()));
  }

  #continueStopped(): void {
    for (const pid of this.#ours()) if (isStopped(pid)) sendSignal(pid, 'SIGCONT');
  }

  #judge(since: number): void {
    if (this.#isAnswered) return this.#after(AGAIN_MS, () => this.#ask());
    const isBusy = this.#ours().some(isRunning) && performance.now() - since < BUSY_MS;
    this.#idle = isBusy ? 0 : this.#idle + 1;
    // Between two steps of a start all of them may sleep for a moment.
    if (isBusy || (this.#isStarting && this.#idle < 2)) return this.#after(LOOK_MS, () => this.#judge(since));
    this.#giveUp();
  }

  #giveUp(): void {
    const own = this.#ownSupervisor();
    const pids = this.#isStarting ? this.#connection.unclaimed() : own === null ? [] : [own];
    this.reason = `its supervisor${own === null ? '' : ` (process ${own})`} stopped answering and was killed`;
    for (const pid of pids) killTree(pid);
    if (pids.length === 0 || isStopped(this.#connection.pid ?? 0)) this.#abandon();
    else this.#after(KEEPER_MS, () => this.#awaitKeeper(performance.now()));
  }

  // The keeper then reports that a supervisor was killed, which ends this watch.
  #awaitKeeper(since: number): void {
    const isBusy = isRunning(this.#connection.pid ?? 0) && performance.now() - since < BUSY_MS;
    if (isBusy) this.#after(KEEPER_MS, () => this.#awaitKeeper(since));
    else this.#abandon();
  }

  #abandon(): void {
    this.#connection.abandon('the keeper stopped answering and was killed');
  }

  /** The keeper is gone: a supervisor that is also gone, or stopped, does not end the command's leftovers. */
  sweep(): void {
    const { supervisor, command } = this.#pids;
    if (supervisor === null || command === null) return;
    const sweep = () => {
      const status = readStatus(supervisor);
      if (/[ZX]/.test(status?.state ?? 'X')) killSession(command);
      // The PID may belong to another process by now.
      else if (status?.name === NAME && status.session === supervisor && isStopped(supervisor)) killTree(supervisor);
    };
    sweep();
    // It may be exiting.
    setTimeout(sweep, AGAIN_MS).unref();
  }

  /** For a task that has not started, its supervisor is not known; that one waits for the process that it is starting. */
  #ours(): number[] {
    const keeper = this.#connection.pid;
    if (keeper === undefined) return [];
    const supervisor = this.#ownSupervisor();
    if (supervisor !== null) return [keeper, supervisor];
    const unclaimed = this.#connection.unclaimed();
    return [keeper, ...unclaimed, ...unclaimed.flatMap(listChildren)];
  }

  /** Only while it is a child of our keeper: its PID may belong to another process by now. */
  #ownSupervisor(): number | null {
    const pid = this.#pids.supervisor;
    return pid !== null && readStatus(pid)?.parent === this.#connection.pid ? pid : null;
  }
}
