// Whether the supervisor of a task that should be over by now still answers. One that is stopped is continued; one that
// does not answer after that is killed with everything below it. So nobody waits for longer than about two seconds.

import type { KeeperConnection } from './connection.ts';
import { encodeFrame } from './frames.ts';
import { IN } from './messages.ts';
import { childrenOf, killSession, killTree, readStatus, sendSignal } from './processes.ts';

/** From the moment at which the task should have ended: it is asked, looked at, continued if it is stopped, and given up. */
const ASK_MS = 200;
const LOOK_MS = 700;
const GIVE_UP_MS = 700;
/** One that runs, or waits for a processor or a disk, may need longer on a busy machine. */
const BUSY_MS = 10_000;
/** Until the keeper has said that a supervisor was killed. */
const KEEPER_MS = 400;
const AGAIN_MS = 1_500;
/** The longest that a timer can do. */
const MAX_TIMER_MS = 2 ** 31 - 1;

export class AnswerWatch {
  readonly #connection: KeeperConnection;
  readonly #task: number;
  #timer: NodeJS.Timeout | undefined;
  #dueAt = Number.POSITIVE_INFINITY;
  #isAnswered = false;
  #isOver = false;
  #pids: { readonly supervisor: number | null; readonly command: number | null } = { supervisor: null, command: null };
  /** What we did to it, or null. */
  reason: string | null = null;

  constructor(connection: KeeperConnection, task: number) {
    this.#connection = connection;
    this.#task = task;
  }

  /** The supervisor and the first process of the command. */
  know(supervisor: number | null, command: number): void {
    this.#pids = { supervisor, command };
  }

  /** The task should be over after `ms`. The earliest moment counts. */
  begin(ms: number): void {
    const at = performance.now() + ms;
    if (this.#isOver || at >= this.#dueAt || ms + ASK_MS > MAX_TIMER_MS) return;
    this.#dueAt = at;
    this.#after(ms + ASK_MS, () => this.#ask());
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
    this.#connection.send(encodeFrame(IN.ping, this.#task));
    this.#after(LOOK_MS, () => this.#look());
  }

  #look(): void {
    if (this.#isAnswered) return this.#after(AGAIN_MS, () => this.#ask());
    for (const pid of this.#ours()) if (readStatus(pid)?.state === 'T') sendSignal(pid, 'SIGCONT');
    this.#after(GIVE_UP_MS, () => this.#judge(performance.now()));
  }

  #judge(since: number): void {
    if (this.#isAnswered) return this.#after(AGAIN_MS, () => this.#ask());
    const ours = this.#ours();
    // Before the start a supervisor waits for what it is starting.
    const isStarting = this.#pids.supervisor === null;
    const isBusy = (isStarting ? [...ours, ...ours.flatMap(childrenOf)] : ours).some(isRunning);
    if (isBusy && performance.now() - since < BUSY_MS) return this.#after(LOOK_MS, () => this.#judge(since));
    this.#giveUp();
  }

  #giveUp(): void {
    const pid = this.#ownSupervisor();
    this.reason = `its supervisor${pid === null ? '' : ` (process ${pid})`} stopped answering and was killed`;
    if (pid !== null) killTree(pid);
    if (pid === null) this.#abandon();
    else this.#after(KEEPER_MS, () => this.#awaitKeeper(performance.now()));
  }

  // It says that a supervisor was killed, and that is the end of this watch.
  #awaitKeeper(since: number): void {
    const isBusy = isRunning(this.#connection.pid ?? 0) && performance.now() - since < BUSY_MS;
    if (isBusy) this.#after(KEEPER_MS, () => this.#awaitKeeper(since));
    else this.#abandon();
  }

  #abandon(): void {
    this.#connection.abandon('the keeper stopped answering and was killed');
  }

  /** The keeper is gone: if the supervisor is gone too, nobody else ends what the command has left. */
  sweep(): void {
    const { supervisor, command } = this.#pids;
    if (supervisor === null || command === null) return;
    const sweep = () => {
      if (/[ZX]/.test(readStatus(supervisor)?.state ?? 'X')) killSession(command);
    };
    sweep();
    // It may be on its way out.
    setTimeout(sweep, AGAIN_MS).unref();
  }

  /** Of a task that has not started it is not known which supervisor it has. */
  #ours(): number[] {
    const keeper = this.#connection.pid;
    if (keeper === undefined) return [];
    const supervisor = this.#ownSupervisor();
    return supervisor === null ? [keeper, ...childrenOf(keeper)] : [keeper, supervisor];
  }

  /** Only while it is a child of our keeper: its number may belong to somebody else by now. */
  #ownSupervisor(): number | null {
    const pid = this.#pids.supervisor;
    return pid !== null && readStatus(pid)?.parent === this.#connection.pid ? pid : null;
  }
}

/** Or waits for a processor, or for a disk. */
function isRunning(pid: number): boolean {
  return /[RD]/.test(readStatus(pid)?.state ?? '');
}
