// What a command may reach → its proxy, the ports that are opened to it and for it, and the sockets that it may use.
// A command that may contact something always has a proxy, if only one that refuses and says why.

import type { Server } from 'node:net';
import type { ConfineBackend } from '../../confine/backends/backend.ts';
import type { ConfinementPolicy } from '../../confine/plan.ts';
import type { SandboxViolation } from '../../core/confinement.ts';
import type { Facts } from '../../core/facts.ts';
import type { Permission } from '../../core/running.ts';
import type { Terms } from '../../pipeline/terms.ts';
import type { RunRequest } from '../../run/port.ts';
import {
  CommandNetwork,
  claimPorts,
  hostsOf,
  type NetworkInputs,
  type NetworkListener,
  namedPorts,
  type PublishedPorts,
} from './command-network.ts';

export interface NetworkAccessInputs {
  readonly terms: Terms;
  readonly permission: Permission;
  readonly broker: NetworkInputs['broker'];
  readonly onOperation?: NetworkListener['onOperation'];
}

const PROXY_PORT = 3128;

/** Where nobody was asked because nobody is, a host opens if a rule allows the command that names it, or not at all. */
export function withVouchedHosts({ terms, permission }: NetworkAccessInputs): Facts {
  const { facts, verdict, answer } = permission;
  const areHostsFixed = terms.network?.areHostsFixed === true;
  const isAsked = answer !== null || terms.policy.mode !== 'bypass';
  if (isAsked && !areHostsFixed) return facts;
  const allowed = new Set(verdict.findings.flatMap(({ rule, command }) => (rule?.list === 'allow' ? [command] : [])));
  const vouched = facts.commands.filter((_, index) => isAsked || allowed.has(index));
  const network = areHostsFixed ? [] : vouched.flatMap(({ effects }) => effects.network);
  return { ...facts, effects: { ...facts.effects, network } };
}

export function networkFor(
  { terms, permission, broker, onOperation = () => {} }: NetworkAccessInputs,
  facts: Facts,
  onViolation: (violation: SandboxViolation) => void,
): CommandNetwork | null {
  const { network } = terms;
  if (network === null) return null;
  const wanted: NetworkInputs = { terms, network, facts, broker };
  const hosts = hostsOf(wanted);
  // What the command itself names opens nothing where nobody vouches for it, and is contacted all the same.
  const isNeeded = network.allowAddresses.length > 0 || hosts.allow.length > 0 || mayContact(permission.facts);
  return isNeeded ? new CommandNetwork(wanted, hosts, { onViolation, onOperation }) : null;
}

/** A proxy, if only to refuse, costs more than `ls` itself: what is known to the end, and contacts nobody, gets none. */
export function mayContact({ status, effects: { network, executes, unknown } }: Facts): boolean {
  return status !== 'understood' || network.length + executes.length + unknown.length > 0;
}

/** With a network of its own, this process listens for the command; without one the command does so itself. */
export function publishedBy({ terms, permission }: NetworkAccessInputs, backend: ConfineBackend): PublishedPorts {
  const { network } = terms;
  if (network === null) return { ports: [], release: () => {} };
  if (backend.proxy === 'listener') return claimPorts(network, permission.facts);
  const { settings, request } = network.publishPorts;
  return { ports: [...new Set([...settings, ...request])], release: () => {} };
}

type Reachable = Pick<ConfinementPolicy, 'unixSockets' | 'unixPaths' | 'hostPorts'>;

export function reachableFor({ terms }: NetworkAccessInputs, facts: Facts, backend: ConfineBackend): Reachable {
  if (terms.network === null) return {};
  const { unixSockets, hostPorts } = terms.network;
  return {
    unixSockets: unixSockets.isAny ? 'any' : 'pairs',
    unixPaths: unixSockets.paths,
    // What is asked for in words must be had, or the command does not run; what is only named may fail by itself.
    hostPorts: [...new Set([...hostPorts, ...(backend.proxy === 'none' ? [] : namedPorts(facts))])],
  };
}

/** The way to the proxy: what the policy, the environment and the request of the runner need for it. */
export interface ProxyRoute {
  readonly policy: Pick<ConfinementPolicy, 'proxyPort'>;
  readonly env: Readonly<Record<string, string>>;
  readonly request: Pick<RunRequest, 'onListener'>;
}

/** With a network of its own, the listener comes out of it when the command starts; else it is one of ours, with a password. */
export async function openProxyRoute(backend: ConfineBackend, network: CommandNetwork): Promise<ProxyRoute | null> {
  if (backend.proxy === 'none') return null;
  if (backend.proxy === 'listener') {
    // The command does not run when its proxy cannot be made.
    const onListener = async (server: Server) => void (await network.open({ server }));
    const env = network.environment({ port: PROXY_PORT });
    return { policy: { proxyPort: PROXY_PORT }, env, request: { onListener } };
  }
  const { port, env } = await network.open('port');
  return { policy: { proxyPort: port }, env, request: {} };
}
