// A private unix socket of this process, on which other processes of the same user send one request per connection.
// A client that sends invalid data, too much, or too slowly is disconnected; nothing else happens. A client without the
// key next to the socket is always refused: it may be a command in a sandbox that can connect to sockets.

import { randomBytes } from 'node:crypto';
import { chmodSync, rmSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { HardshellError } from '../../core/errors.ts';
import { isKey, makeKey, removeKey } from './key.ts';
import { createLineReader, decodeLine, type Line } from './lines.ts';
import { makeSocketFolder, type SocketKind } from './runtime-folder.ts';

const MAX_CONNECTIONS = 200;
const MAX_REQUEST_BYTES = 1 << 14;
/** For a client to send its request, and to read the response. */
export const PATIENCE_MS = 5_000;
const PARTING_MS = 200;
/** Without look-alikes, as in codes: people read and type these names. */
const LETTERS = '34679acdefghjkmnpqrtwxy';
/** sun_path with its final NUL has 108 bytes on Linux and 104 on macOS. */
const MAX_PATH_BYTES = process.platform === 'darwin' ? 103 : 107;

export interface ListeningOptions {
  readonly env?: NodeJS.ProcessEnv;
  /** How long a client may take, in milliseconds. */
  readonly timeout?: number;
}

export interface ListeningSocket {
  readonly path: string;
  /** Removes the socket. */
  close(): Promise<void>;
}

/** Handles a request; `stay` lets the client stay connected. */
export type Serve = (request: Line, socket: Socket, stay: () => void) => void;

export async function listenForOthers(
  kind: SocketKind,
  serve: Serve,
  { env, timeout = PATIENCE_MS }: ListeningOptions = {},
): Promise<ListeningSocket> {
  const path = join(makeSocketFolder(kind, env), `${process.pid}-${randomName()}.sock`);
  checkLength(path);
  const key = makeKey(path);
  const connections = new Set<Socket>();
  const server = createServer((socket) => {
    connections.add(socket);
    socket.on('close', () => connections.delete(socket));
    hear(socket, key, serve, timeout);
  });
  server.maxConnections = MAX_CONNECTIONS;
  const remove = (): void => {
    rmSync(path, { force: true });
    removeKey(path);
  };
  await listen(server, path).catch((error: unknown) => {
    remove();
    throw error;
  });
  // The listening socket does not keep the host alive.
  server.unref();
  process.once('exit', remove);
  return {
    path,
    close() {
      process.removeListener('exit', remove);
      removeKey(path);
      return new Promise((resolve) => {
        // Data already written (the receipt of the last answer) may still arrive, for a moment.
        const timer = setTimeout(() => {
          for (const socket of connections) socket.destroy();
        }, PARTING_MS);
        server.close(() => {
          clearTimeout(timer);
          resolve();
        });
        for (const socket of connections) socket.end();
      });
    },
  };
}

function randomName(): string {
  return [...randomBytes(6)].map((byte) => LETTERS[byte % LETTERS.length]).join('');
}

function checkLength(path: string): void {
  const length = Buffer.byteLength(path);
  if (length <= MAX_PATH_BYTES) return;
  throw new HardshellError(
    'invalid-argument',
    `The path of the socket has ${length} bytes; the system allows at most ${MAX_PATH_BYTES}: ${path}`,
    { hint: 'Set HARDSHELL_RUNTIME_DIR to a folder with a shorter path.' },
  );
}

function listen(server: Server, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(path, () => {
      server.removeListener('error', reject);
      // A connection that fails to be accepted affects only that client.
      server.on('error', () => {});
      // The folder already keeps other users out; this is a second barrier.
      chmodSync(path, 0o600);
      resolve();
    });
  });
}

const NO_KEY = `${JSON.stringify({
  is: 'error',
  message: 'Permission denied: the request does not have the key of this socket. Use the same hardshell on both sides.',
})}\n`;

function hear(socket: Socket, key: string, serve: Serve, patienceMs: number): void {
  let isAsked = false;
  // Not an idle timer: a client that sends one byte now and then would keep that alive.
  const giveUp = setTimeout(() => socket.destroy(), patienceMs).unref();
  const read = createLineReader(MAX_REQUEST_BYTES, (line) => {
    if (isAsked) return void socket.destroy();
    isAsked = true;
    const request = decodeLine(line);
    if (request === null) return void socket.destroy();
    if (!isKey(request.key, key)) return void socket.end(NO_KEY);
    serve(request, socket, () => clearTimeout(giveUp));
  });
  socket.on('error', () => socket.destroy());
  socket.on('close', () => clearTimeout(giveUp));
  socket.on('data', (chunk: Buffer) => {
    if (!socket.destroyed && !read(chunk)) socket.destroy();
  });
  socket.unref();
}
