// SOCKS5 (RFC 1928, 1929): a handshake → a tunnel, or the reply with the reason.
// Only CONNECT: BIND would open a port, UDP ASSOCIATE a channel without rules. SOCKS4 is refused.

import type { ConnectionRequest } from './decision.ts';
import { parseHost } from './rules/host.ts';
import type { Session } from './session.ts';
import { withDeadline } from './session.ts';
import { runTunnel } from './tunnel.ts';
import { isSameSecret } from './wire/credentials.ts';
import type { DialFailure } from './wire/dial.ts';

const NO_AUTH = 0x00;
const PASSWORD = 0x02;
const NO_METHOD = 0xff;

const REPLY = {
  succeeded: 0x00,
  failed: 0x01,
  notAllowed: 0x02,
  networkUnreachable: 0x03,
  hostUnreachable: 0x04,
  refused: 0x05,
  expired: 0x06,
  commandNotSupported: 0x07,
  addressNotSupported: 0x08,
} as const;

const REPLY_OF_FAILURE: Readonly<Record<DialFailure, number>> = {
  refused: REPLY.refused,
  unreachable: REPLY.networkUnreachable,
  timeout: REPLY.expired,
  failed: REPLY.failed,
};

export async function serveSocks5(session: Session): Promise<void> {
  const { client, limits } = session;
  const asked = await withDeadline(client, limits.headTimeoutMs, shakeHands(session));
  if (asked === null) return;
  if (typeof asked === 'number') return refuse(session, asked);
  const host = parseHost(asked.host);
  if (host === null || asked.port === 0) {
    session.countMalformed();
    return refuse(session, REPLY.notAllowed);
  }
  const request: ConnectionRequest = { host: host.text, port: asked.port, protocol: 'socks5' };
  const pass = await session.admit(host, request);
  if (pass.verdict === 'deny') return refuse(session, REPLY.notAllowed);
  const exit = await session.open(pass, request);
  if ('verdict' in exit) {
    if (exit.verdict === 'deny') return refuse(session, REPLY.notAllowed);
    return refuse(session, exit.verdict === 'failed' ? REPLY_OF_FAILURE[exit.failure] : REPLY.hostUnreachable);
  }
  client.write(replyOf(REPLY.succeeded));
  return runTunnel(session, exit, request);
}

/** The requested address, the reply that refuses, or `null` if the conversation is over. */
async function shakeHands(session: Session): Promise<{ host: string; port: number } | number | null> {
  const { reader, client } = session;
  const greeting = await reader.readExactly(2);
  const methods = await reader.readExactly(greeting[1] as number);
  const method = chooseMethod(methods, session.credentials !== null);
  client.write(Buffer.from([5, method]));
  if (method === NO_METHOD) return endQuietly(session);
  if (method === PASSWORD && !(await checkPassword(session))) return endQuietly(session);

  const [version, command, reserved, type] = await reader.readExactly(4);
  if (version !== 5 || reserved !== 0) return REPLY.failed;
  if (command !== 1) return REPLY.commandNotSupported;
  if (type !== 1 && type !== 3 && type !== 4) return REPLY.addressNotSupported;
  const host = await readHost(session, type);
  return { host, port: (await reader.readExactly(2)).readUInt16BE() };
}

function chooseMethod(offered: Buffer, isPasswordNeeded: boolean): number {
  if (!isPasswordNeeded && offered.includes(NO_AUTH)) return NO_AUTH;
  return offered.includes(PASSWORD) ? PASSWORD : NO_METHOD;
}

async function checkPassword({ reader, client, credentials }: Session): Promise<boolean> {
  const [version, userLength] = await reader.readExactly(2);
  const user = await reader.readExactly(userLength as number);
  const [passwordLength] = await reader.readExactly(1);
  const password = await reader.readExactly(passwordLength as number);
  const isRight =
    version === 1 &&
    (credentials === null || (isSameSecret(user, credentials.user) && isSameSecret(password, credentials.password)));
  client.write(Buffer.from([1, isRight ? 0 : 1]));
  return isRight;
}

async function readHost({ reader }: Session, type: 1 | 3 | 4): Promise<string> {
  if (type === 1) return [...(await reader.readExactly(4))].join('.');
  if (type === 4) {
    const hex = (await reader.readExactly(16)).toString('hex');
    return (hex.match(/.{4}/g) as string[]).join(':');
  }
  const [length] = await reader.readExactly(1);
  return (await reader.readExactly(length as number)).toString('utf8');
}

function replyOf(code: number): Buffer {
  // The local address is not disclosed; all clients accept zeros.
  return Buffer.from([5, code, 0, 1, 0, 0, 0, 0, 0, 0]);
}

function refuse({ client }: Session, code: number): void {
  client.end(replyOf(code));
}

function endQuietly({ client }: Session): null {
  client.end();
  return null;
}

/** Version 4 has no names in its first form, and is not needed. */
export function refuseSocks4({ client }: Session): void {
  client.end(Buffer.from([0, 0x5b, 0, 0, 0, 0, 0, 0]));
}
