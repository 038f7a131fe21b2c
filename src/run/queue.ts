// Who may run now: requests for a slot wait here, take turns by session, and leave with a slot, an error or an abort.
// Knows nothing about what runs. A slot is released exactly once, whatever happens to its holder.

import { HardshellError } from '../core/errors.ts';

export interface QueueLimits {
  /** Slots for all sessions together. */
  readonly concurrent: number;
  readonly waiting?: number;
  /** So that one session cannot fill the queue for the others. */
  readonly waitingPerSession?: number;
  /**
   * Inside one session. `strict`: read-only commands in parallel, others alone and in the order of the requests.
   * `writes`: read-only ones do not wait, others wait for each other. `none`: only the number of slots counts.
   */
  readonly order?: 'strict' | 'writes' | 'none';
}

export interface SlotRequest {
  readonly session: string;
  readonly isReadOnly?: boolean;
  readonly signal?: AbortSignal;
}

export interface Slot {
  /** Safe to call more than once. */
  release(): void;
}

const DEFAULT_WAITING = 1_000;
const DEFAULT_WAITING_PER_SESSION = 100;

interface Waiter {
  readonly isReadOnly: boolean;
  readonly resolve: (slot: Slot) => void;
  /** Removes the listener from the signal: signals may live as long as the host. */
  readonly settle: () => void;
}

interface Session {
  readonly name: string;
  /** In the order of the requests. */
  readonly waiting: Set<Waiter>;
  readers: number;
  writers: number;
}

export class RunQueue {
  readonly #limits: Required<QueueLimits>;
  /** Round robin: a session that was served goes to the end. */
  readonly #sessions = new Map<string, Session>();
  #running = 0;
  #waiting = 0;

  constructor(limits: QueueLimits) {
    this.#limits = {
      waiting: DEFAULT_WAITING,
      waitingPerSession: DEFAULT_WAITING_PER_SESSION,
      order: 'strict',
      ...limits,
    };
    for (const name of ['concurrent', 'waiting', 'waitingPerSession'] as const)
      if (!Number.isSafeInteger(this.#limits[name]) || this.#limits[name] < (name === 'concurrent' ? 1 : 0))
        throw new HardshellError('invalid-argument', `The queue limit ${name} must be a valid integer.`);
  }

  get running(): number {
    return this.#running;
  }

  get waiting(): number {
    return this.#waiting;
  }

  /** Rejects with the signal's reason, or if too many are waiting. */
  acquire({ session: name, isReadOnly = false, signal }: SlotRequest): Promise<Slot> {
    if (signal?.aborted) return Promise.reject(signal.reason);
    const session = this.#sessions.get(name) ?? { name, waiting: new Set<Waiter>(), readers: 0, writers: 0 };
    // A request that can start at once does not count as waiting: with a limit of zero the queue still works.
    const isBehind = this.#limits.order === 'strict' && session.waiting.size > 0;
    const mustWait = isBehind || !this.#canStart(session, isReadOnly);
    const problem = mustWait ? this.#fullness(session) : null;
    if (problem !== null) return Promise.reject(problem);
    this.#sessions.set(name, session);
    return new Promise((resolve, reject) => {
      const abort = () => {
        this.#leave(session, waiter);
        reject(signal?.reason);
        this.#serve();
      };
      const waiter: Waiter = { isReadOnly, resolve, settle: () => signal?.removeEventListener('abort', abort) };
      session.waiting.add(waiter);
      this.#waiting++;
      signal?.addEventListener('abort', abort);
      this.#serve();
    });
  }

  /** Runs `work` in a slot. If aborted while waiting, it never starts; afterwards the work itself must handle aborts. */
  async run<Result>(request: SlotRequest, work: () => Result | Promise<Result>): Promise<Result> {
    const slot = await this.acquire(request);
    try {
      // The signal may have been aborted between getting the slot and now.
      request.signal?.throwIfAborted();
      return await work();
    } finally {
      slot.release();
    }
  }

  #fullness(session: Session): HardshellError | null {
    const { waiting, waitingPerSession } = this.#limits;
    const isOwn = session.waiting.size >= waitingPerSession;
    if (!isOwn && this.#waiting < waiting) return null;
    const who = isOwn ? `${session.waiting.size} commands of this session` : `${this.#waiting} commands`;
    return new HardshellError('cannot-start', `${who} are already waiting to run, which is the limit.`, {
      hint: 'Wait for some of them to end, cancel them, or raise the limit.',
    });
  }

  #canStart({ readers, writers }: Session, isReadOnly: boolean): boolean {
    if (this.#running >= this.#limits.concurrent) return false;
    switch (this.#limits.order) {
      case 'strict':
        return writers === 0 && (isReadOnly || readers === 0);
      case 'writes':
        return isReadOnly || writers === 0;
      case 'none':
        return true;
    }
  }

  /** Only the first request may go, except that with `writes` a reader may pass the writers before it. */
  #nextOf(session: Session): Waiter | null {
    for (const waiter of session.waiting) {
      if (this.#canStart(session, waiter.isReadOnly)) return waiter;
      if (this.#limits.order !== 'writes') return null;
    }
    return null;
  }

  #serve(): void {
    for (let isServing = true; isServing && this.#running < this.#limits.concurrent && this.#waiting > 0; ) {
      isServing = false;
      for (const session of this.#sessions.values()) {
        const waiter = this.#nextOf(session);
        if (waiter === null) continue;
        this.#start(session, waiter);
        isServing = true;
        break;
      }
    }
  }

  #start(session: Session, waiter: Waiter): void {
    const kind = waiter.isReadOnly ? 'readers' : 'writers';
    session[kind]++;
    this.#running++;
    this.#leave(session, waiter);
    // To the end of the line; every other session that can start has its turn before this one.
    this.#sessions.delete(session.name);
    this.#sessions.set(session.name, session);
    let isHeld = true;
    waiter.resolve({
      release: () => {
        if (!isHeld) return;
        isHeld = false;
        session[kind]--;
        this.#running--;
        this.#forget(session);
        this.#serve();
      },
    });
  }

  #leave(session: Session, waiter: Waiter): void {
    waiter.settle();
    if (session.waiting.delete(waiter)) this.#waiting--;
    this.#forget(session);
  }

  #forget(session: Session): void {
    if (session.waiting.size + session.readers + session.writers === 0) this.#sessions.delete(session.name);
  }
}
