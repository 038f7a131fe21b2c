// The sockets of this user → foreground commands of all processes, their output, and a way to stop one.
// A process that does not answer is reported as a problem, not thrown.

import { converse, findHosts, isGone, type SocketHost } from '../../local/sockets/hosts.ts';
import type { Piece } from '../piece.ts';
import {
  type ForegroundRequest,
  type ForegroundResponse,
  type ListedCommand,
  readForegroundResponse,
  withVersion,
} from './messages.ts';

const LIST_MS = 2_000;
const STOP_MS = 20_000;
const MAX_COMMANDS = 100;

/** A command that a process waits for. */
export interface ForegroundCommand extends ListedCommand {
  /** The process that waits for it. */
  readonly host: SocketHost;
}

export interface ForegroundListing {
  /** Newest first. */
  readonly commands: readonly ForegroundCommand[];
  /** Processes that did not answer, as sentences. */
  readonly problems: readonly string[];
}

export async function listForeground(options: { readonly env?: NodeJS.ProcessEnv } = {}): Promise<ForegroundListing> {
  const problems: string[] = [];
  const list = async (host: SocketHost): Promise<ForegroundCommand[]> => {
    const commands: ForegroundCommand[] = [];
    const take = (response: ForegroundResponse): void => {
      if (response.is === 'command' && commands.length < MAX_COMMANDS) commands.push({ ...response.command, host });
    };
    const { signal, checkTime } = bound(LIST_MS);
    try {
      await talk(host, { do: 'list' }, signal, take);
      checkTime();
    } catch (error) {
      if (!isGone(error, host)) problems.push(`The process ${host.pid} does not answer: ${(error as Error).message}`);
    }
    return commands;
  };
  const commands = (await Promise.all(findHosts('running', options.env).map(list))).flat();
  return { commands: commands.sort((a, b) => b.startedAt - a.startedAt || (a.id < b.id ? -1 : 1)), problems };
}

export interface FollowOptions {
  /** Output from this byte; by default, its last part. */
  readonly cursor?: number | null;
  readonly signal: AbortSignal;
  /** A promise delays the next call. */
  readonly onOutput: (piece: Piece) => void | Promise<void>;
}

/** True if the command has ended and all of its output was seen; false if it was already gone. */
export async function followForeground(
  { id, host }: Pick<ForegroundCommand, 'id' | 'host'>,
  { cursor = null, signal, onOutput }: FollowOptions,
): Promise<boolean> {
  let isWhole = false;
  const take = (response: ForegroundResponse): void | Promise<void> => {
    if (response.is === 'end') isWhole = true;
    if (response.is === 'output') return onOutput(response);
  };
  try {
    await talk(host, { do: 'follow', id, cursor }, signal, take);
  } catch (error) {
    if (!isGone(error, host)) throw error;
  }
  return isWhole;
}

/** Ends the whole process tree through the process that started it; false if it had already ended. */
export async function stopForeground({ id, host }: Pick<ForegroundCommand, 'id' | 'host'>): Promise<boolean> {
  let isStopped = false;
  const { signal, checkTime } = bound(STOP_MS);
  try {
    await talk(host, { do: 'stop', id }, signal, (response) => {
      if (response.is === 'stopped') isStopped = response.isStopped;
    });
    checkTime();
  } catch (error) {
    if (!isGone(error, host)) throw error;
  }
  return isStopped;
}

/** `checkTime` throws if the time was not enough. */
function bound(ms: number): { readonly signal: AbortSignal; checkTime(): void } {
  const signal = AbortSignal.timeout(ms);
  return {
    signal,
    checkTime() {
      if (signal.aborted) throw new Error(`no answer within ${ms / 1_000} seconds`);
    },
  };
}

function talk(
  host: SocketHost,
  request: ForegroundRequest,
  signal: AbortSignal,
  onResponse: (response: ForegroundResponse) => void | Promise<void>,
): Promise<void> {
  return converse(host, withVersion(request), {
    signal,
    onLine(line) {
      const response = readForegroundResponse(line);
      if (response?.is === 'error') throw new Error(response.message);
      const wait = response === null ? undefined : onResponse(response);
      return wait === undefined ? response !== null : wait.then(() => true);
    },
  });
}
