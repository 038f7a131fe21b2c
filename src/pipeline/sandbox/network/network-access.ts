// What a command may reach → its proxy, the ports that are opened to it and for it, and the sockets that it may use.
// A command that may contact something always has a proxy, if only one that refuses and says why.

import type { Server } from 'node:net';
import type { ConfineBackend } from '../../../confine/backends/backend.ts';
import type { ConfinementPolicy } from '../../../confine/plan.ts';
import type { SandboxViolation } from '../../../core/confinement.ts';
import type { Facts } from '../../../core/facts.ts';
import type { RunOptions } from '../../../core/running.ts';
import type { RunRequest } from '../../../run/port.ts';
import type { Permitted, Question } from '../../permission.ts';
import type { ShellSetup } from '../../shell-options.ts';
import { sandboxNameOf } from '../managed.ts';
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
  readonly run: {
    readonly options: RunOptions;
    readonly question: Question;
    readonly setup: Pick<ShellSetup, 'broker' | 'hostEnvironment'>;
  };
  readonly judged: Permitted;
  readonly onOperation?: NetworkListener['onOperation'];
}

const PROXY_PORT = 3128;

/** Where nobody was asked because nobody is, a host opens if a rule allows the command that names it, or not at all. */
export function withVouchedHosts({ run, judged }: NetworkAccessInputs): Facts {
  const { facts, verdict, answer } = judged;
  const { policy, sandbox } = run.question;
  const isAsked = answer !== null || policy.mode !== 'bypass';
  if (isAsked && !sandbox.fixed?.hosts) return facts;
  const allowed = new Set(verdict.findings.flatMap(({ rule, command }) => (rule?.list === 'allow' ? [command] : [])));
  const vouched = facts.commands.filter((_, index) => isAsked || allowed.has(index));
  const network = sandbox.fixed?.hosts ? [] : vouched.flatMap(({ effects }) => effects.network);
  return { ...facts, effects: { ...facts.effects, network } };
}

/** A yes for a host must be worth something, and somebody must be there to say it. */
function canAsk({ run: { options, question, setup } }: NetworkAccessInputs): boolean {
  const isSilent = options.assumeYes === true || question.policy.mode === 'dont-ask';
  return setup.broker !== undefined && !isSilent && !question.areHostsFixed;
}

export function networkFor(
  inputs: NetworkAccessInputs,
  facts: Facts,
  onViolation: (violation: SandboxViolation) => void,
): CommandNetwork | null {
  const { options, question } = inputs.run;
  if (sandboxNameOf(options, question.sandbox) === 'restricted') return null;
  const wanted: NetworkInputs = {
    text: question.text,
    options,
    policy: question.policy,
    settings: question.sandbox,
    facts,
    areHostsFixed: question.areHostsFixed,
    broker: question.request.broker,
    canAsk: canAsk(inputs),
    hostEnvironment: inputs.run.setup.hostEnvironment,
    timeoutMs: question.request.timeoutMs,
  };
  const { allowAddresses = [] } = question.sandbox.network ?? {};
  const hosts = hostsOf(wanted);
  // What the command itself names opens nothing where nobody vouches for it, and is contacted all the same.
  const isNeeded = allowAddresses.length > 0 || hosts.allow.length > 0 || mayContact(inputs.judged.facts);
  const { onOperation = () => {} } = inputs;
  return isNeeded ? new CommandNetwork(wanted, hosts, { onViolation, onOperation }) : null;
}

/** A proxy, if only to refuse, costs more than `ls` itself: what is known to the end, and contacts nobody, gets none. */
export function mayContact({ status, effects: { network, executes, unknown } }: Facts): boolean {
  return status !== 'understood' || network.length + executes.length + unknown.length > 0;
}

/** With a network of its own, this process listens for the command; without one the command does so itself. */
export function publishedBy({ run, judged }: NetworkAccessInputs, backend: ConfineBackend): PublishedPorts {
  const { options, question } = run;
  const { sandbox: settings } = question;
  if (sandboxNameOf(options, settings) === 'restricted') return { ports: [], release: () => {} };
  if (backend.proxy === 'listener') return claimPorts(settings, options, judged.facts);
  const wished = [...(settings.network?.publishPorts ?? []), ...(options.sandbox?.publishPorts ?? [])];
  return { ports: [...new Set(wished)], release: () => {} };
}

type Wishes = Pick<ConfinementPolicy, 'unixSockets' | 'unixPaths' | 'hostPorts'>;

export function wishesOf({ run }: NetworkAccessInputs, facts: Facts, backend: ConfineBackend): Wishes {
  const { options, question } = run;
  const { allowAllUnixSockets, allowUnixSockets = [], allowPorts = [] } = question.sandbox.network ?? {};
  if (sandboxNameOf(options, question.sandbox) === 'restricted') return {};
  const wished = question.areHostsFixed ? [] : (options.sandbox?.allowPorts ?? []);
  return {
    unixSockets: allowAllUnixSockets === true ? 'any' : 'pairs',
    unixPaths: allowUnixSockets,
    // What is wished for in words must be had, or the command does not run; what is only named may fail by itself.
    hostPorts: [...new Set([...allowPorts, ...wished, ...(backend.proxy === 'none' ? [] : namedPorts(facts))])],
  };
}

interface Door {
  readonly policy: Pick<ConfinementPolicy, 'proxyPort'>;
  readonly env: Readonly<Record<string, string>>;
  readonly request: Pick<RunRequest, 'onListener'>;
}

/** With a network of its own, the listener comes out of it when the command starts; else it is one of ours, with a password. */
export async function openDoor(backend: ConfineBackend, network: CommandNetwork): Promise<Door | null> {
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
