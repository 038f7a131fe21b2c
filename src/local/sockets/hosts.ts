// The sockets of this user → the processes that listen on them, and a way to send a request to one.
// Sockets of dead processes are removed on the way.

import { readdirSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { isAlive } from '../processes.ts';
import { readKey, removeKey } from './key.ts';
import { createLineReader, decodeLine, type Line } from './lines.ts';
import { findSocketFolder, type SocketKind } from './runtime-folder.ts';

const MAX_HOSTS = 1_000;
const MAX_RESPONSE_LINE_BYTES = 1 << 22;
const SOCKET_NAME = /^([1-9]\d{0,9})-[a-z0-9]+\.sock$/;

/** A process that listens. */
export interface SocketHost {
  /** The name of its socket: `4711-k7mwx3`. */
  readonly name: string;
  readonly pid: number;
  readonly path: string;
}

export function findHosts(kind: SocketKind, env?: NodeJS.ProcessEnv): SocketHost[] {
  const folder = findSocketFolder(kind, env);
  if (folder === null) return [];
  return readdirSync(folder)
    .filter((file) => SOCKET_NAME.test(file))
    .slice(0, MAX_HOSTS)
    .map((file) => ({
      name: file.slice(0, -'.sock'.length),
      pid: Number(SOCKET_NAME.exec(file)?.[1]),
      path: join(folder, file),
    }));
}

/** True if no process listens there any more; the socket of a dead process is removed. */
export function isGone(error: unknown, host: SocketHost): boolean {
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'ENOENT') return true;
  if (code !== 'ECONNREFUSED') return false;
  if (!isAlive(host.pid)) {
    rmSync(host.path, { force: true });
    removeKey(host.path);
  }
  return true;
}

export interface Conversation {
  readonly signal: AbortSignal;
  /** False: this version does not understand it, and the connection fails. A promise delays what follows. */
  readonly onLine: (line: Line) => boolean | Promise<boolean>;
}

/** Sends one request and passes on the responses, until the host closes the connection or the signal aborts. */
export function converse(host: SocketHost, request: Line, { signal, onLine }: Conversation): Promise<void> {
  return new Promise((resolve, reject) => {
    const key = readKey(host.path);
    const socket = connect(host.path);
    let held: Promise<unknown> = Promise.resolve();
    let holders = 0;
    const stop = (): void => void socket.destroy();
    const fail = (why: unknown): void => void socket.destroy(why instanceof Error ? why : new Error(String(why)));
    const take = (isUnderstood: boolean): void => {
      if (!isUnderstood) fail('it sent a message that this version does not understand');
    };
    const tell = (line: Line): boolean | Promise<boolean> => {
      try {
        return onLine(line);
      } catch (error) {
        fail(error);
        return true;
      }
    };
    const read = createLineReader(MAX_RESPONSE_LINE_BYTES, (text) => {
      const line = decodeLine(text);
      if (line === null) return take(false);
      if (socket.destroyed) return;
      const answer = tell(line);
      if (typeof answer === 'boolean') return take(answer);
      socket.pause();
      holders += 1;
      const taken = answer.then(take, fail).finally(() => {
        holders -= 1;
        if (holders === 0) socket.resume();
      });
      held = Promise.all([held, taken]);
    });
    signal.addEventListener('abort', stop, { once: true });
    socket.on('connect', () => socket.write(`${JSON.stringify({ ...request, key })}\n`));
    socket.on('data', (chunk: Buffer) => {
      if (!read(chunk)) fail('it sent a line that is too long');
    });
    socket.on('error', reject);
    socket.on('close', () => {
      signal.removeEventListener('abort', stop);
      void held.finally(resolve);
    });
    if (signal.aborted) stop();
  });
}
