// Addresses → one connected socket, tried in order.
// Takes addresses only: nothing is resolved here, so only checked addresses are connected to.

import type { Socket } from 'node:net';
import { connect } from 'node:net';
import type { Address } from '../../../core/names/addresses.ts';
import type { Feed, Pour } from './pour.ts';
import { createFeed, createPour } from './pour.ts';

export type DialFailure = 'refused' | 'unreachable' | 'timeout' | 'failed';

export interface Dialled {
  readonly socket: Socket;
  readonly address: Address;
  /** For a tunnel: the only way to read the socket. */
  readonly pour: Pour | null;
  /** For everything else: the same. */
  readonly feed: Feed | null;
}

export interface DialOptions {
  readonly port: number;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  readonly isForTunnel: boolean;
}

export async function dial(addresses: readonly Address[], options: DialOptions): Promise<Dialled | DialFailure> {
  const deadline = performance.now() + options.timeoutMs;
  let failure: DialFailure = 'failed';
  for (const [index, address] of addresses.entries()) {
    const left = deadline - performance.now();
    if (left <= 0 || options.signal.aborted) return failure === 'failed' ? 'timeout' : failure;
    // One silent address must not use up the time of the next ones.
    const share = index === addresses.length - 1 ? left : Math.max(left / 2, Math.min(left, 1000));
    const pour = options.isForTunnel ? createPour() : null;
    const feed = options.isForTunnel ? null : createFeed();
    const result = await dialOne(address, options, share, (pour ?? feed)?.onread);
    if (typeof result !== 'string') return { socket: result, address, pour, feed };
    failure = result;
  }
  return failure;
}

function dialOne(
  address: Address,
  { port, signal }: DialOptions,
  timeoutMs: number,
  onread: Feed['onread'] | undefined,
): Promise<Socket | DialFailure> {
  return new Promise((resolve) => {
    const socket = connect({
      host: address.text,
      port,
      family: address.family,
      autoSelectFamily: false,
      allowHalfOpen: true,
      noDelay: true,
      ...(onread !== undefined && { onread }),
      lookup: (_name, _options, callback) => callback(new Error('no second lookup'), '', 4),
    });
    const settle = (result: Socket | DialFailure) => {
      clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
      socket.off('connect', onConnect).off('error', onError);
      if (typeof result === 'string') socket.on('error', () => {}).destroy();
      resolve(result);
    };
    const onConnect = () => settle(socket);
    const onError = (error: NodeJS.ErrnoException) => settle(failureOf(error.code));
    const onAbort = () => settle('failed');
    const timer = setTimeout(() => settle('timeout'), timeoutMs);
    signal.addEventListener('abort', onAbort);
    socket.on('connect', onConnect).on('error', onError);
  });
}

function failureOf(code: string | undefined): DialFailure {
  if (code === 'ECONNREFUSED') return 'refused';
  if (code === 'ETIMEDOUT') return 'timeout';
  return code === 'ENETUNREACH' || code === 'EHOSTUNREACH' || code === 'EADDRNOTAVAIL' ? 'unreachable' : 'failed';
}
