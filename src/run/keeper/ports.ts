// Ports between a command's private network and the host's loopback, both ways: listeners from inside → the proxy or a port of
// the host, and listeners on the host → connections that the keeper makes inside. Reports once whether all of them are ready.

import { connect, createServer, type Server, type Socket } from 'node:net';
import { HardshellError } from '../../core/errors.ts';
import type { RunRequest } from '../port.ts';

const LOOPBACK = '127.0.0.1';
/** Pending connections of one task. */
const MAX_WAITING = 256;

export interface PortKeeper {
  /** Whether the command may run. */
  settle(isReady: boolean): void;
  /** Requests a connection inside; the answer goes to `join`. */
  connect(number: number, port: number): void;
}

export class TaskPorts {
  readonly #keeper: PortKeeper;
  readonly #proxyPort: number | undefined;
  readonly #publish: readonly number[];
  readonly #onListener: RunRequest['onListener'];
  readonly #servers = new Set<Server>();
  readonly #sockets = new Set<Socket>();
  readonly #waiting = new Map<number, Socket>();
  #nextNumber = 1;
  #awaited: number;
  #failure: unknown = null;

  constructor({ confinement, onListener }: RunRequest, keeper: PortKeeper) {
    const { network, proxyPort, hostPorts = [], publishPorts = [] } = confinement ?? {};
    const isOwn = network === 'own';
    if (isOwn && proxyPort !== undefined && onListener === undefined)
      throw new HardshellError('invalid-argument', 'proxyPort requires onListener');
    this.#keeper = keeper;
    this.#onListener = onListener;
    this.#proxyPort = proxyPort;
    this.#publish = isOwn ? publishPorts : [];
    this.#awaited = isOwn ? (proxyPort === undefined ? 0 : 1) + hostPorts.length + publishPorts.length : 0;
  }

  /** Why the command must not run; null if it may. */
  get failure(): unknown {
    return this.#failure;
  }

  /** Listens on the host for published ports. If one is already in use, the start fails: partial success would be confusing. */
  open(): void {
    for (const port of this.#publish) {
      const server = createServer({ allowHalfOpen: true }, (socket) => this.#ask(socket, port));
      this.#servers.add(server);
      server.once('error', (error) => this.#fail(error));
      server.listen({ port, host: LOOPBACK }, () => this.#arrived()).unref();
    }
  }

  /** A listener from inside. */
  take(port: number, server: Server): void {
    server.unref();
    server.on('error', () => {});
    if (port !== this.#proxyPort) {
      server.on('connection', (socket) => this.#link(socket, connect({ port, host: LOOPBACK, allowHalfOpen: true })));
      this.#servers.add(server);
      return this.#arrived();
    }
    const refuse = (error: unknown) => {
      server.close();
      this.#fail(error);
    };
    try {
      const wait = this.#onListener?.(server);
      if (wait === undefined) this.#arrived();
      else wait.then(() => this.#arrived(), refuse);
    } catch (error) {
      refuse(error);
    }
  }

  /** The requested connection inside; null if there is none. */
  join(number: number, inside: Socket | null): void {
    const outside = this.#waiting.get(number);
    this.#waiting.delete(number);
    if (outside !== undefined && inside !== null) return this.#link(outside, inside);
    outside?.destroy();
    inside?.destroy();
  }

  close(): void {
    for (const server of this.#servers) server.close();
    for (const socket of [...this.#sockets, ...this.#waiting.values()]) socket.destroy();
  }

  #arrived(): void {
    this.#awaited -= 1;
    if (this.#awaited === 0) this.#keeper.settle(true);
  }

  #fail(error: unknown): void {
    this.#awaited = Number.POSITIVE_INFINITY;
    this.#failure ??= error;
    this.#keeper.settle(false);
  }

  #ask(socket: Socket, port: number): void {
    socket.on('error', () => socket.destroy());
    if (this.#waiting.size >= MAX_WAITING) return void socket.destroy();
    const number = this.#nextNumber;
    this.#nextNumber += 1;
    socket.pause();
    this.#waiting.set(number, socket);
    this.#keeper.connect(number, port);
  }

  // Each direction ends separately, as between two directly connected programs.
  #link(one: Socket, other: Socket): void {
    for (const [from, to] of [
      [one, other],
      [other, one],
    ] as const) {
      this.#sockets.add(from);
      from.allowHalfOpen = true;
      from.setNoDelay(true);
      from.on('error', () => from.destroy());
      from.on('close', () => {
        this.#sockets.delete(from);
        if (from.readableEnded) to.end();
        else to.destroy();
      });
      from.pipe(to);
    }
  }
}
