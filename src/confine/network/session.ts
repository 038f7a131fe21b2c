// What every protocol of the proxy needs for one client: its socket, the limits, and the outgoing connection.
// One function makes all outgoing connections, so no protocol can connect without a decision.

import type { Socket } from 'node:net';
import type { Address } from '../../core/names/addresses.ts';
import type { ConnectionRequest, Decision } from './decision.ts';
import type { Gate, Pass, Refusal, Unreachable } from './rules/gate.ts';
import type { Host } from './rules/host.ts';
import type { ByteReader } from './wire/byte-reader.ts';
import type { DialFailure, Dialled } from './wire/dial.ts';
import { dial } from './wire/dial.ts';

export interface Limits {
  /** Concurrent clients; further ones are closed. */
  readonly connections: number;
  readonly headBytes: number;
  readonly lineBytes: number;
  readonly headerCount: number;
  /** For the first byte, and then for a whole head, handshake or TLS greeting. */
  readonly headTimeoutMs: number;
  readonly connectTimeoutMs: number;
  readonly resolveTimeoutMs: number;
  /** Idle time in both directions. */
  readonly idleMs: number;
}

export interface Credentials {
  readonly user: string;
  readonly password: string;
}

export type Exit = Dialled;

export interface Failed {
  readonly verdict: 'failed';
  readonly failure: DialFailure;
  readonly why: string;
}

export interface Session {
  readonly client: Socket;
  readonly reader: ByteReader;
  readonly limits: Limits;
  readonly credentials: Credentials | null;
  /** Ends with the proxy or with the client. */
  readonly signal: AbortSignal;
  admit(host: Host, request: ConnectionRequest): Promise<Pass | Refusal>;
  open(pass: Pass, request: ConnectionRequest): Promise<Exit | Refusal | Unreachable | Failed>;
  /** For a further request over an open connection. */
  reuse(pass: Pass, request: ConnectionRequest, address: Address): void;
  /** Why the name in a TLS ClientHello is refused, or `null`. */
  refuseGreeting(name: string, request: ConnectionRequest): Refusal | null;
  countMalformed(): void;
}

export interface SessionOptions {
  readonly client: Socket;
  readonly reader: ByteReader;
  readonly limits: Limits;
  readonly credentials: Credentials | null;
  readonly signal: AbortSignal;
  readonly gate: Gate;
  readonly report: (decision: Decision) => void;
  /** An allowed host that could not be resolved or reached. */
  readonly reportUnreachable: (why: string) => void;
  readonly track: (socket: Socket) => void;
  readonly countMalformed: () => void;
}

export function createSession(options: SessionOptions): Session {
  const { client, reader, limits, credentials, signal, gate, report } = options;

  const reportPass = (pass: Pass, request: ConnectionRequest, address: Address) =>
    report({
      ...request,
      address: address.text,
      verdict: 'allow',
      reason: pass.reason,
      rule: pass.rule,
      why: pass.reason === 'rule' ? 'a rule allows this host.' : 'the user approved this host.',
    });

  return {
    client,
    reader,
    limits,
    credentials,
    signal,
    countMalformed: options.countMalformed,
    reuse: reportPass,

    async admit(host, request) {
      // An answer may take longer than the idle timeout.
      client.setTimeout(0);
      const pass = await gate.judge(host, request);
      client.setTimeout(limits.idleMs);
      if (pass.verdict === 'deny') report(pass);
      return pass;
    },

    async open(pass, request) {
      const found = await gate.locate(pass.host, request);
      if ('verdict' in found) {
        if (found.verdict === 'deny') report(found);
        else options.reportUnreachable(found.why);
        return found;
      }
      const isForTunnel = request.protocol !== 'http';
      const exit = await dial(found, { port: request.port, timeoutMs: limits.connectTimeoutMs, signal, isForTunnel });
      reportPass(pass, request, typeof exit === 'string' ? (found[0] as Address) : exit.address);
      if (typeof exit === 'string') {
        const why = `${pass.host.text} is allowed but could not be reached (${exit}).`;
        options.reportUnreachable(why);
        return { verdict: 'failed', failure: exit, why };
      }
      options.track(exit.socket);
      exit.socket.setTimeout(limits.idleMs, () => exit.socket.destroy());
      exit.socket.on('error', () => exit.socket.destroy());
      if (signal.aborted) exit.socket.destroy();
      return exit;
    },

    refuseGreeting(name, request) {
      const refusal = gate.judgeGreeting(name, request);
      if (refusal !== null) report(refusal);
      return refusal;
    },
  };
}

/** Closes the client if the work takes longer; the work then sees the end of the stream. */
export async function withDeadline<T>(client: Socket, timeoutMs: number, work: Promise<T>, last?: string): Promise<T> {
  const timer = setTimeout(() => {
    if (last !== undefined && client.writable) client.end(last);
    client.destroySoon();
  }, timeoutMs);
  try {
    return await work;
  } finally {
    clearTimeout(timer);
  }
}
