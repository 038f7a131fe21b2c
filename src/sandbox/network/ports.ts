// Ports of this machine that a command names, and those that it publishes. One command at a time publishes a port.

import { readFileSync } from 'node:fs';
import type { Facts } from '../../core/facts.ts';
import type { NetworkTerms } from '../../terms/sandbox.ts';

/** Ports of this machine that the approved command names: the servers there are not in its private network. */
export function namedPorts({ effects }: Facts): number[] {
  const named = effects.network.flatMap(({ host, port }) =>
    port !== undefined && (host === 'localhost' || host === '127.0.0.1') ? [port] : [],
  );
  // If no process listens there, the command may want to listen there itself.
  if (named.length === 0) return [];
  const listening = listeningPorts();
  return named.filter((port) => listening.has(port));
}

/** Ports that commands of this process publish. */
const published = new Set<number>();

export interface PublishedPorts {
  readonly ports: readonly number[];
  release(): void;
}

/**
 * The settings publish ports for every command, but only one can have each: the first command that is not read-only.
 * A request that names a port gets it, or does not start.
 */
export function claimPorts(
  { publishPorts }: Pick<NetworkTerms, 'publishPorts'>,
  { readOnly }: Pick<Facts, 'readOnly'>,
): PublishedPorts {
  const named = publishPorts.request;
  const common = readOnly ? [] : publishPorts.settings.filter((port) => !named.includes(port));
  const taken = common.length === 0 ? published : new Set([...published, ...listeningPorts()]);
  const ports = [...new Set([...named, ...common.filter((port) => !taken.has(port))])];
  for (const port of ports) published.add(port);
  return {
    ports,
    release: () => {
      for (const port of ports) published.delete(port);
    },
  };
}

/** Ports of this machine on which a process listens, as listed by the kernel. */
function listeningPorts(): Set<number> {
  const ports = new Set<number>();
  for (const file of ['/proc/net/tcp', '/proc/net/tcp6']) {
    let text = '';
    try {
      text = readFileSync(file, 'utf8');
    } catch {
      continue;
    }
    for (const [, port] of text.matchAll(/^ *\d+: [0-9A-F]+:([0-9A-F]{4}) [0-9A-F]+:[0-9A-F]{4} 0A /gm))
      ports.add(Number.parseInt(port as string, 16));
  }
  return ports;
}
