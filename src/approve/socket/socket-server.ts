// A broker → a unix socket through which the same user can answer from another terminal.

import type { Socket } from 'node:net';
import { asyncDispose } from '../../core/disposal.ts';
import { checkOptions, environment, milliseconds } from '../../core/option-checks.ts';
import type { Line } from '../../local/sockets/lines.ts';
import { listenForOthers, PATIENCE_MS } from '../../local/sockets/listening.ts';
import type { Broker } from '../broker.ts';
import type { Surface } from '../surface.ts';
import { encodeLine, PROTOCOL_VERSION, readRequest, type SocketRequest, type SocketResponse } from './lines.ts';

/** A watcher that does not read is disconnected when this much data waits for it. */
const MAX_UNREAD_BYTES = 1 << 23;

export interface SocketOptions {
  readonly env?: NodeJS.ProcessEnv;
  /** How long a client may take, in milliseconds. Default 5,000. */
  readonly timeout?: number;
}

export interface ApprovalSocket {
  readonly path: string;
  /** Detaches from the broker and removes the socket. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

export async function openApprovalSocket(broker: Broker, options: SocketOptions = {}): Promise<ApprovalSocket> {
  checkOptions(options, { env: environment, timeout: milliseconds });
  const watchers = new Set<Socket>();
  const serve = (message: Line, socket: Socket, stay: () => void): void => {
    if (message.v !== PROTOCOL_VERSION) return finish(socket, versionError(message.v));
    const request = readRequest(message);
    if (request === null) return void socket.destroy();
    // A watcher stays connected, and saving a rule takes its own (bounded) time.
    if (request.do === 'watch' || request.do === 'answer') stay();
    void respond(request, socket, broker, watchers);
  };
  const listening = await listenForOthers('approvals', serve, options);
  const detach = broker.attach(watcherSurface(watchers));
  const close = (): Promise<void> => {
    detach();
    return listening.close();
  };
  return { path: listening.path, close, [asyncDispose]: close };
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

async function respond(request: SocketRequest, socket: Socket, broker: Broker, watchers: Set<Socket>): Promise<void> {
  switch (request.do) {
    case 'list':
    case 'watch':
      for (const pending of broker.pending()) socket.write(encodeLine({ is: 'pending', pending }));
      if (request.do === 'list') return finish(socket, { is: 'end' });
      socket.write(encodeLine({ is: 'end' }));
      watchers.add(socket);
      socket.on('close', () => watchers.delete(socket));
      return;
    case 'find': {
      const found = broker.find(request.code);
      if (found.status === 'pending') return finish(socket, { is: 'pending', pending: found.pending });
      return finish(socket, { is: 'receipt', receipt: found });
    }
    case 'answer':
      finish(socket, { is: 'receipt', receipt: await broker.answer(request.code, request.reply, request.by) });
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
    message: `The host uses version ${PROTOCOL_VERSION} of the approval protocol, not${spoken || ' this one'}. Use the same hardshell on both sides.`,
  };
}
