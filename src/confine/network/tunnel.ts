// Joins two sockets into one stream, after checking the first bytes of the client.
// A TLS ClientHello for a host other than the allowed one closes the connection (domain fronting).

import type { ConnectionRequest } from './decision.ts';
import { parseHost } from './rules/host.ts';
import type { Exit, Session } from './session.ts';
import { withDeadline } from './session.ts';
import type { Greeting } from './wire/client-hello.ts';
import { readGreeting } from './wire/client-hello.ts';

/** Resolves when the client is done. */
export async function runTunnel(session: Session, exit: Exit, request: ConnectionRequest): Promise<void> {
  const { client, reader } = session;
  const server = exit.socket;
  const end = () => {
    client.destroy();
    server.destroy();
  };
  // Some servers send first, so this direction is open before the client sends anything.
  exit.pour?.start(server, client);
  server.on('close', () => closeAfter(server.readableEnded, client));
  client.on('close', () => closeAfter(client.readableEnded, server));
  if (client.destroyed || server.destroyed) return end();

  if (!reader.hasHeld) await reader.fill();
  const greeting = await readWholeGreeting(session);
  if (!isWelcome(greeting, session, request)) return end();
  const hasEnded = reader.hasEnded;
  const first = reader.release();
  if (first.length > 0) server.write(first);
  if (hasEnded) server.end();
  else client.pipe(server);
}

/** A clean end lets the other side finish its transfer; anything else closes it at once. */
function closeAfter(isCleanEnd: boolean, other: Exit['socket']): void {
  if (isCleanEnd) other.destroySoon();
  else other.destroy();
}

async function readWholeGreeting({ client, reader, limits }: Session): Promise<Greeting> {
  const collect = async (): Promise<Greeting> => {
    for (;;) {
      const greeting = readGreeting(reader.peek());
      if (greeting.kind !== 'partial') return greeting;
      if (!(await reader.fill())) return reader.hasHeld ? { kind: 'broken' } : { kind: 'not-tls' };
    }
  };
  return withDeadline(client, limits.headTimeoutMs, collect());
}

function isWelcome(greeting: Greeting, session: Session, request: ConnectionRequest): boolean {
  if (greeting.kind === 'not-tls') return true;
  if (greeting.kind !== 'hello') {
    session.countMalformed();
    return false;
  }
  const { serverName } = greeting;
  if (serverName === null || parseHost(serverName)?.text === request.host) return true;
  return session.refuseGreeting(serverName, request) === null;
}
