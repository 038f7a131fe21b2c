// One keeper process and the socket to it. Frames of a task go to the listener registered for that task.
// Ends once: if the keeper dies or breaks the protocol, every task is told and the connection is not used again.

import { type ChildProcess, spawn } from 'node:child_process';
import type { Server, Socket } from 'node:net';
import { type Frame, FrameReader, type OutputPiece } from './frames.ts';
import { decodeHello, type Hello, OUT, PROTOCOL_VERSION } from './messages.ts';
import { isRunning, isStopped, killTree, listChildren, sendSignal } from './processes.ts';

/** Tasks with a direct lane at the same time; further ones are relayed by the keeper. */
export const LANES = 4;
const HANG_UP_MS = 50;
/** From its start to its first message, which takes milliseconds. Until then it is checked periodically. */
const GREETING_MS = 1_500;
const GREETING_LOOK_MS = 300;
/** On a busy machine it may have to wait for a CPU or a disk. */
const BUSY_GREETING_MS = 10_000;
/** Time for the keeper to report details about the end of a supervisor. */
const LANE_MS = 500;
/** How long it may take to end; with commands that must be ended first, as long as a supervisor tries (native/terminate.c). */
const CLOSE_MS = 1_000;
const BUSY_CLOSE_MS = 13_000;

export interface KeeperSettings {
  /** The keeper's stderr; sanitizers write there. */
  readonly stderr: 'ignore' | 'inherit';
  /** Shells that may wait, loaded, for the next command: 0 to LANES. */
  readonly pool: number;
}

export interface TaskChannel {
  onFrame(frame: Frame): void;
  onOutput(piece: OutputPiece): void;
  /** A listener inside the task's network, owned by this process from then on. */
  onListener(server: Server): void;
  onLost(reason: string): void;
}

export class KeeperConnection {
  readonly hello: Promise<Hello>;
  readonly #child: ChildProcess;
  readonly #socket: Socket;
  readonly #lanes: readonly Socket[];
  readonly #tasks = new Map<number, TaskChannel>();
  /** Supervisors that are known to run a command, or to watch a command's leftovers. */
  readonly #claimed = new Set<number>();
  readonly #greeted: PromiseWithResolversOf<Hello>;
  #isGreeted = false;
  #lost: string | null = null;
  #isHeld = true;
  #onAbandoned: () => void = () => {};
  #hangUp: NodeJS.Timeout | undefined;
  #greeting: NodeJS.Timeout | undefined;

  constructor(path: string, { stderr, pool }: KeeperSettings) {
    // A separate session: Ctrl-C at the terminal is handled by the host. A clean environment: it needs none of it.
    const sockets = Array.from({ length: 1 + LANES }, () => 'pipe' as const);
    // Node passes file descriptors only over its own kind of channel.
    const stdio = ['ignore' as const, 'ignore' as const, stderr, ...sockets, 'ipc' as const];
    const argv = [String(LANES), String(pool), '1'];
    const options = { argv0: 'hardshell-keeper', cwd: '/', env: {}, detached: true } as const;
    this.#child = spawn(path, argv, { ...options, serialization: 'json', stdio });
    this.#socket = this.#child.stdio[3] as Socket;
    this.#lanes = this.#child.stdio.slice(4, 4 + LANES) as Socket[];
    this.#greeted = withResolvers();
    this.hello = this.#greeted.promise;
    this.hello.catch(() => {});
    this.#child.on('error', (error) => this.#lose(`the keeper cannot be started: ${error.message}`));
    this.#child.on('exit', (code, signal) => this.#lose(`the keeper ended (${signal ?? `exit code ${code}`})`));
    this.#child.on('message', (message, handle) => this.#take(message, handle));
    // A pending task keeps the process and the socket alive, not the channel.
    this.#child.channel?.unref();
    if (this.#socket === undefined || this.#socket === null) return;
    this.#awaitGreeting(performance.now());
    this.#listen(this.#socket);
    for (const lane of this.#lanes) this.#listen(lane);
    for (const lane of this.#lanes) lane.unref();
    // The exit event follows and has details; this one is for a keeper that only closes the connection.
    this.#socket.on('close', () => {
      if (this.#lost !== null) return;
      this.#hangUp = setTimeout(() => this.#lose('the keeper closed the connection'), HANG_UP_MS);
    });
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  get isLost(): boolean {
    return this.#lost !== null;
  }

  add(task: number, channel: TaskChannel): void {
    this.#tasks.set(task, channel);
    this.#hold();
  }

  remove(task: number): void {
    this.#tasks.delete(task);
    this.#hold();
  }

  claim(supervisor: number): void {
    this.#claimed.add(supervisor);
  }

  release(supervisor: number): void {
    this.#claimed.delete(supervisor);
  }

  /** Supervisors that are idle, or that have not yet reported that their command has started. */
  unclaimed(): number[] {
    return this.pid === undefined ? [] : listChildren(this.pid).filter((pid) => !this.#claimed.has(pid));
  }

  send(frame: Buffer): void {
    if (this.#lost === null) this.#socket.write(frame);
  }

  /** The keeper ends foreground commands itself when the connection closes. */
  async close(): Promise<void> {
    if (this.#lost !== null) return;
    const ended = new Promise<void>((resolve) => {
      this.#child.once('exit', () => resolve());
      this.#onAbandoned = resolve;
    });
    this.#child.ref();
    this.#socket.end();
    // A keeper that is stopped, or that waits for an unkillable process, must not block this.
    const limit = setTimeout(
      () => this.abandon('the keeper did not end'),
      this.#tasks.size > 0 ? BUSY_CLOSE_MS : CLOSE_MS,
    );
    await ended;
    clearTimeout(limit);
  }

  /**
   * For a keeper that does not answer: it is killed, and every task is told. Supervisors of running commands end when they
   * see it gone. One that is still starting a command may wait for a stopped process, so it is killed as well.
   */
  abandon(reason: string): void {
    const starting = this.unclaimed();
    this.#child.kill('SIGKILL');
    for (const pid of starting) killTree(pid);
    this.#lose(reason);
    // A debugger may keep even a dead process from being reaped.
    this.#child.unref();
    this.#onAbandoned();
  }

  // A supervisor that is killed in the middle of a frame breaks its lane, which is not used again; the keeper tells the task.
  #listen(socket: Socket): void {
    let task = 0;
    const reader = new FrameReader({
      onFrame: (frame) => {
        task = frame.task;
        if (frame.type === OUT.hello) this.#greet(decodeHello(frame.payload));
        else this.#tasks.get(frame.task)?.onFrame(frame);
      },
      onOutput: (piece) => this.#tasks.get(piece.task)?.onOutput(piece),
    });
    // A supervisor killed after it reported the end to the keeper but not to us: the keeper then has nothing to report.
    socket.on('close', () => {
      if (this.#tasks.has(task)) setTimeout(() => this.#tasks.get(task)?.onLost('its supervisor ended'), LANE_MS);
    });
    socket.on('error', () => {});
    socket.on('data', (bytes: Buffer) => {
      try {
        reader.push(bytes);
      } catch (error) {
        this.#lose(`the keeper broke the protocol: ${(error as Error).message}`);
      }
    });
  }

  // A task that is over, or unknown, does not use the descriptor; it must be closed here.
  #take(message: unknown, handle: unknown): void {
    const { task } = message as { task?: number };
    const channel = task === undefined ? undefined : this.#tasks.get(task);
    const server = handle as Server | undefined;
    if (server !== undefined && channel !== undefined) channel.onListener(server);
    else server?.close();
  }

  // Messages that arrived while this process was busy are read first.
  #awaitGreeting(since: number): void {
    this.#greeting = setTimeout(() => setImmediate(() => this.#lookForGreeting(since)), GREETING_LOOK_MS);
  }

  #lookForGreeting(since: number): void {
    if (this.#isGreeted || this.#lost !== null) return;
    const pid = this.pid ?? 0;
    if (isStopped(pid)) sendSignal(pid, 'SIGCONT');
    const limitMs = isRunning(pid) ? BUSY_GREETING_MS : GREETING_MS;
    if (performance.now() - since > limitMs) this.abandon('the keeper did not start');
    else this.#awaitGreeting(since);
  }

  #greet(hello: Hello): void {
    if (hello.version !== PROTOCOL_VERSION) throw new RangeError(`protocol version ${hello.version}`);
    this.#isGreeted = true;
    clearTimeout(this.#greeting);
    this.#greeted.resolve(hello);
    this.#hold();
  }

  // While a task waits for the keeper, both must keep Node running: the socket brings the frames, and the process tells
  // us when there will be none. With the socket alone Node would exit with code 0 as soon as the keeper is killed.
  #hold(): void {
    const isNeeded = this.#lost === null && (!this.#isGreeted || this.#tasks.size > 0);
    if (isNeeded === this.#isHeld) return;
    this.#isHeld = isNeeded;
    if (isNeeded) {
      this.#child.ref();
      this.#socket.ref();
    } else {
      this.#child.unref();
      this.#socket.unref();
    }
  }

  #lose(reason: string): void {
    if (this.#lost !== null) return;
    this.#lost = reason;
    clearTimeout(this.#hangUp);
    clearTimeout(this.#greeting);
    this.#greeted.reject(new Error(reason));
    for (const socket of [this.#socket, ...this.#lanes]) socket?.destroy();
    for (const channel of [...this.#tasks.values()]) channel.onLost(reason);
    this.#tasks.clear();
    this.#hold();
  }
}

interface PromiseWithResolversOf<T> {
  readonly promise: Promise<T>;
  readonly resolve: (value: T) => void;
  readonly reject: (reason: unknown) => void;
}

// Node 20 has no Promise.withResolvers.
export function withResolvers<T>(): PromiseWithResolversOf<T> {
  let resolve: (value: T) => void = () => {};
  let reject: (reason: unknown) => void = () => {};
  const promise = new Promise<T>((yes, no) => {
    resolve = yes;
    reject = no;
  });
  return { promise, resolve, reject };
}
