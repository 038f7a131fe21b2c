// Foreground commands of this process → a private socket on which other processes of the user list them, follow
// their output and stop one. Stopping uses the handle of the process that started it: no PID is involved.

import type { Socket } from 'node:net';
import { shorten } from '../../core/values/shorten.ts';
import type { Line } from '../../local/sockets/lines.ts';
import { type ListeningSocket, listenForOthers } from '../../local/sockets/listening.ts';
import { readPiece } from '../piece.ts';
import {
  type ForegroundResponse,
  isOurVersion,
  type ListedCommand,
  readForegroundRequest,
  withVersion,
} from './messages.ts';
import type { ShownCommand } from './shown-command.ts';

const PIECE_BYTES = 64 << 10;
/** Of a listed command; the whole is in the audit log. */
const MAX_COMMAND = 64 << 10;
const LOOK_MS = 100;
const UNREAD_MS = 30_000;
/** Grace period between SIGTERM and SIGKILL, plus a margin. */
const STOP_MS = 15_000;

export function serveForeground(commands: ReadonlyMap<string, ShownCommand>): Promise<ListeningSocket> {
  return listenForOthers('running', (message, socket, stay) => {
    respond(message, socket, commands, stay).catch(() => socket.destroy());
  });
}

async function respond(
  message: Line,
  socket: Socket,
  commands: ReadonlyMap<string, ShownCommand>,
  stay: () => void,
): Promise<void> {
  if (!isOurVersion(message))
    return finish(socket, { is: 'error', message: 'Use the same version of hardshell on both sides.' });
  const request = readForegroundRequest(message);
  if (request === null) return void socket.destroy();
  if (request.do === 'list') {
    for (const command of [...commands.values()])
      socket.write(encode({ is: 'command', command: await describe(command) }));
    return finish(socket, { is: 'end' });
  }
  const command = commands.get(request.id);
  if (command === undefined) return finish(socket, { is: 'unknown' });
  stay();
  if (request.do === 'stop') {
    const isStopped = command.stop();
    await command.wait(STOP_MS);
    return finish(socket, { is: 'stopped', isStopped });
  }
  const following = follow(command, request.cursor, socket);
  command.hold(following);
  await following;
}

async function describe(command: ShownCommand): Promise<ListedCommand> {
  const { pid, startedAt, fields } = command;
  const { id, description, cwd, session } = fields;
  const { output } = await command.peek();
  return {
    id,
    command: shorten(fields.command, MAX_COMMAND),
    description,
    cwd,
    session,
    pid,
    startedAt,
    outputBytes: output.totalBytes,
  };
}

async function follow(command: ShownCommand, cursor: number | null, socket: Socket): Promise<void> {
  let at = cursor;
  while (!socket.destroyed) {
    const { output, hasEnded } = await command.peek();
    at ??= Math.max(0, output.totalBytes - PIECE_BYTES);
    const piece = await readPiece(output, { cursor: at, limitBytes: PIECE_BYTES, hasEnded });
    at = piece.cursor;
    if (piece.text !== '') {
      if (!socket.write(encode({ is: 'output', ...piece }))) await drained(socket);
    } else if (hasEnded) return finish(socket, { is: 'end' });
    else await command.wait(LOOK_MS);
  }
}

/** A client that does not read for this long is considered gone. */
function drained(socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => socket.destroy(), UNREAD_MS).unref();
    const go = (): void => {
      clearTimeout(timer);
      socket.off('drain', go);
      socket.off('close', go);
      resolve();
    };
    socket.on('drain', go);
    socket.on('close', go);
  });
}

function encode(response: ForegroundResponse): string {
  return `${JSON.stringify(withVersion(response))}\n`;
}

function finish(socket: Socket, response: ForegroundResponse): void {
  if (socket.writable) socket.end(encode(response));
}
