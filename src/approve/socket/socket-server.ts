// A broker → a unix socket through which the same user answers from another terminal.
// A client that talks nonsense, too much or too slowly is disconnected; nothing else happens.

import { randomBytes } from 'node:crypto';
import { chmodSync, rmSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { HardshellError } from '../../core/errors.ts';
import { CODE_ALPHABET } from '../asking/codes.ts';
import type { Broker } from '../broker.ts';
import type { Surface } from '../surface.ts';
import {
  createLineReader,
  decodeLine,
  encodeLine,
  MAX_REQUEST_BYTES,
  PROTOCOL_VERSION,
  readRequest,
  type SocketRequest,
  type SocketResponse,
} from './lines.ts';
import { makeSocketFolder } from './runtime-folder.ts';

const MAX_CONNECTIONS = 200;
/** For a client to send its request, and to take in what it asked for. */
const PATIENCE_MS = 5_000;
const PARTING_MS = 200;
/** A watcher that does not read is let go when this much waits for it. */
const MAX_UNREAD_BYTES = 1 << 23;
/** sun_path with its final NUL has 108 bytes on Linux and 104 on macOS. */
const MAX_PATH_BYTES = process.platform === 'darwin' ? 103 : 107;

export interface SocketOptions {
  readonly env?: NodeJS.ProcessEnv;
  readonly patienceMs?: number;
}

export interface ApprovalSocket {
  readonly path: string;
  /** Detaches from the broker and removes the socket. */
  close(): Promise<void>;
}

export async function openApprovalSocket(broker: Broker, options: SocketOptions = {}): Promise<ApprovalSocket> {
  const path = join(makeSocketFolder(options.env), `${process.pid}-${randomName()}.sock`);
  checkLength(path);
  const watchers = new Set<Socket>();
  const connections = new Set<Socket>();
  const server = createServer((socket) => {
    connections.add(socket);
    socket.on('close', () => {
      connections.delete(socket);
      watchers.delete(socket);
    });
    serve(socket, broker, watchers, options.patienceMs ?? PATIENCE_MS);
  });
  server.maxConnections = MAX_CONNECTIONS;
  await listen(server, path);
  // Waiting for clients keeps no host alive; a request that waits does so by its timer.
  server.unref();
  const detach = broker.attach(watcherSurface(watchers));
  const remove = (): void => rmSync(path, { force: true });
  process.once('exit', remove);
  return {
    path,
    close() {
      detach();
      process.removeListener('exit', remove);
      return new Promise((resolve) => {
        // What was written (the receipt of the last answer) may still arrive, for a moment.
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
  return [...randomBytes(6)].map((byte) => CODE_ALPHABET[byte % CODE_ALPHABET.length]).join('');
}

function checkLength(path: string): void {
  const length = Buffer.byteLength(path);
  if (length <= MAX_PATH_BYTES) return;
  throw new HardshellError(
    'invalid-argument',
    `The path of the socket for approvals has ${length} bytes, and the system takes at most ${MAX_PATH_BYTES}: ${path}`,
    { hint: 'Set HARDSHELL_RUNTIME_DIR to a folder with a shorter path.' },
  );
}

function listen(server: Server, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(path, () => {
      server.removeListener('error', reject);
      // A connection that fails to be accepted concerns nobody but the client.
      server.on('error', () => {});
      // The folder keeps others out from the first moment; this says the same once more.
      chmodSync(path, 0o600);
      resolve();
    });
  });
}

function watcherSurface(watchers: ReadonlySet<Socket>): Surface {
  const tell = (response: SocketResponse): void => {
    for (const socket of watchers) send(socket, response);
  };
  return {
    name: 'socket',
    present: (pending) => tell({ is: 'pending', pending }),
    withdraw: (code, answer) => tell({ is: 'answered', code, answer }),
  };
}

function send(socket: Socket, response: SocketResponse): void {
  if (socket.writableLength > MAX_UNREAD_BYTES) socket.destroy();
  else if (socket.writable) socket.write(encodeLine(response));
}

function serve(socket: Socket, broker: Broker, watchers: Set<Socket>, patienceMs: number): void {
  let isAsked = false;
  // Not an idle timer: one byte now and then would keep that one alive.
  const giveUp = setTimeout(() => socket.destroy(), patienceMs).unref();
  const read = createLineReader(MAX_REQUEST_BYTES, (line) => {
    if (isAsked) return void socket.destroy();
    isAsked = true;
    const message = decodeLine(line);
    if (message === null) return void socket.destroy();
    if (message.v !== PROTOCOL_VERSION) return finish(socket, versionError(message.v));
    const request = readRequest(message);
    if (request === null) return void socket.destroy();
    // A watcher stays, and saving a rule takes its own (bounded) time.
    if (request.do === 'watch' || request.do === 'answer') clearTimeout(giveUp);
    void respond(request, socket, broker, watchers);
  });
  socket.on('error', () => socket.destroy());
  socket.on('close', () => clearTimeout(giveUp));
  socket.on('data', (chunk: Buffer) => {
    if (!socket.destroyed && !read(chunk)) socket.destroy();
  });
  socket.unref();
}

async function respond(request: SocketRequest, socket: Socket, broker: Broker, watchers: Set<Socket>): Promise<void> {
  switch (request.do) {
    case 'list':
    case 'watch':
      for (const pending of broker.pending()) socket.write(encodeLine({ is: 'pending', pending }));
      if (request.do === 'list') return finish(socket, { is: 'end' });
      socket.write(encodeLine({ is: 'end' }));
      watchers.add(socket);
      return;
    case 'find': {
      const found = broker.find(request.code);
      if (found.status === 'pending') return finish(socket, { is: 'pending', pending: found.pending });
      return finish(socket, { is: 'receipt', receipt: found });
    }
    case 'answer':
      finish(socket, { is: 'receipt', receipt: await broker.answer(request.code, request.reply, 'socket') });
      socket.setTimeout(PATIENCE_MS, () => socket.destroy());
      return;
    default:
      return request satisfies never;
  }
}

function finish(socket: Socket, response: SocketResponse): void {
  if (socket.writable) socket.end(encodeLine(response));
}

function versionError(version: unknown): SocketResponse {
  const spoken = typeof version === 'number' ? ` ${version}` : '';
  return {
    is: 'error',
    message: `The host speaks version ${PROTOCOL_VERSION} of the approval protocol, not${spoken || ' this one'}. Use the same hardshell on both sides.`,
  };
}
