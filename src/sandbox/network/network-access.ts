// Network terms → the proxy of a command, the ports that are opened to it and for it, and the sockets that it may use.
// A command that may contact a host always has a proxy, even if that only refuses and says why.

import type { Server } from 'node:net';
import type { ConfineBackend } from '../../confine/backends/backend.ts';
import type { ConfinementPolicy } from '../../confine/plan.ts';
import type { SandboxViolation } from '../../core/confinement.ts';
import type { CommandFact, Facts } from '../../core/facts.ts';
import type { Permission } from '../../core/running.ts';
import type { RunRequest } from '../../run/port.ts';
import type { Terms } from '../../terms/terms.ts';
import { CommandNetwork, listHosts, type NetworkInputs, type NetworkListener } from './command-network.ts';
import { claimPorts, namedPorts, type PublishedPorts } from './ports.ts';

export interface NetworkAccessInputs {
  readonly terms: Terms;
  readonly permission: Permission;
  readonly broker: NetworkInputs['broker'];
  readonly onOperation?: NetworkListener['onOperation'];
}

const PROXY_PORT = 3128;

/** If no one was asked, because no one can be or the sandbox holds it, a host opens only if a rule allows the command that names it. */
export function withVouchedHosts({ terms, permission }: NetworkAccessInputs): Facts {
  const { facts, verdict, answer } = permission;
  const areHostsFixed = terms.network?.areHostsFixed === true;
  const isAsked = answer !== null || (terms.policy.mode !== 'bypass' && verdict.reliesOn.length === 0);
  if (isAsked && !areHostsFixed) return facts;
  const allowed = new Set(verdict.findings.flatMap(({ rule, command }) => (rule?.list === 'allow' ? [command] : [])));
  const isRead = ({ readOnly }: CommandFact) => readOnly && terms.policy.mode === 'auto';
  const vouched = facts.commands.filter((command, index) => isAsked || allowed.has(index) || isRead(command));
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
  const hosts = listHosts(wanted);
  // Hosts that the command names open nothing without an approval, but are contacted nevertheless.
  const isNeeded = network.allowAddresses.length > 0 || hosts.allow.length > 0 || mayContact(permission.facts);
  return isNeeded ? new CommandNetwork(wanted, hosts, { onViolation, onOperation }) : null;
}

/** What the proxy of a command would allow, whether it gets one or not. */
export function hostRights({ terms, broker }: NetworkAccessInputs, facts: Facts): object | null {
  const { network, questions } = terms;
  if (network === null) return null;
  const { allow, deny } = listHosts({ terms, network, facts, broker });
  return {
    allow: [...allow].sort(),
    deny: [...deny].sort(),
    addresses: network.allowAddresses,
    asks: questions.canAskAboutHosts,
  };
}

/** Even a proxy that only refuses costs more than `ls`: a command that is fully understood and contacts no host gets none. */
export function mayContact({ status, effects: { network, executes, unknown } }: Facts): boolean {
  return status !== 'understood' || network.length + executes.length + unknown.length > 0;
}

/** With a private network, this process listens for the command; otherwise the command itself does. */
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
    // An explicitly requested port must be available, or the command does not run; one that is only named may fail on its own.
    hostPorts: [...new Set([...hostPorts, ...(backend.proxy === 'none' ? [] : namedPorts(facts))])],
  };
}

/** The route to the proxy: what the policy, the environment and the request to the runner need for it. */
export interface ProxyRoute {
  readonly policy: Pick<ConfinementPolicy, 'proxyPort'>;
  readonly env: Readonly<Record<string, string>>;
  readonly request: Pick<RunRequest, 'onListener'>;
}

/** With a private network, the listener is passed out of it at the start; otherwise it is in this process, with a password. */
export async function openProxyRoute(backend: ConfineBackend, network: CommandNetwork): Promise<ProxyRoute | null> {
  if (backend.proxy === 'none') return null;
  if (backend.proxy === 'listener') {
    // The command does not run if its proxy cannot be created.
    const onListener = async (server: Server) => void (await network.open({ server }));
    const env = network.environment({ port: PROXY_PORT });
    return { policy: { proxyPort: PROXY_PORT }, env, request: { onListener } };
  }
  const { port, env } = await network.open('port');
  return { policy: { proxyPort: port }, env, request: {} };
}
