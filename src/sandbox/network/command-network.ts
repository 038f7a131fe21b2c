// Host rules, and the hosts that the command names → a proxy for one command, its variables, and its refusals.
// Without a proxy there is no network. The proxy of a foreground command is in this process; that of a task outlives it.

import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server } from 'node:net';
import type { Broker } from '../../approve/broker.ts';
import { type BackgroundProxy, startBackgroundProxy } from '../../confine/network/background/start.ts';
import type { ConnectionRequest, Decision } from '../../confine/network/decision.ts';
import { proxyEnvironment, variablesWithoutHosts } from '../../confine/network/environment.ts';
import { createProxy, type FilteringProxy, type ProxyOptions } from '../../confine/network/proxy.ts';
import { parseHost } from '../../confine/network/rules/host.ts';
import { NoOneToAsk } from '../../confine/network/rules/questions.ts';
import type { Credentials } from '../../confine/network/session.ts';
import { SURFACE_NAMES } from '../../core/approval.ts';
import type { SandboxViolation } from '../../core/confinement.ts';
import { HardshellError } from '../../core/errors.ts';
import type { Effects, Facts } from '../../core/facts.ts';
import type { ObservedOperation } from '../../core/observer.ts';
import { defined } from '../../core/values/defined.ts';
import { parseRule } from '../../decide/rules/patterns/grammar.ts';
import type { NetworkTerms } from '../../terms/sandbox.ts';
import type { Terms } from '../../terms/terms.ts';

export interface HostLists {
  readonly allow: readonly string[];
  readonly deny: readonly string[];
}

export interface NetworkInputs {
  readonly terms: Terms;
  readonly network: NetworkTerms;
  /** Only approved hosts of these count. */
  readonly facts: Facts;
  readonly broker: Pick<Broker, 'ask' | 'grants'>;
}

/** Allowed are the hosts of settings, session and request, and those that the approved command names. Deny wins. */
export function listHosts({ terms, network, facts, broker }: NetworkInputs): HostLists {
  const now = Date.now();
  const { areHostsFixed } = network;
  const granted = areHostsFixed || terms.session === null ? [] : broker.grants(terms.session);
  const ruled = (list: 'allow' | 'deny') =>
    [...terms.policy.rules, ...granted]
      .filter((rule) => rule.list === list && (rule.until === null || rule.until > now))
      .flatMap(({ text }) => hostOfRule(text));
  // If the port is not known, the command may use any: the host was approved.
  const named = facts.effects.network.flatMap(({ host, port, url }) =>
    // A command names hosts, never patterns: `ssh://*/x` must not open all of them.
    host === null || parseHost(host.replace(/^\[(.*)\]$/, '$1')) === null
      ? []
      : [placeOf(host, port ?? (url === undefined ? '*' : undefined))],
  );
  return {
    allow: [...new Set([...network.allow, ...ruled('allow'), ...(areHostsFixed ? [] : named)])],
    deny: [...new Set([...network.deny, ...ruled('deny')])],
  };
}

function placeOf(host: string, port: number | '*' | undefined): string {
  const name = host.includes(':') && !host.startsWith('[') ? `[${host}]` : host;
  return port === undefined ? name : `${name}:${port}`;
}

/** Most rules are about commands, and there may be thousands: only these need to be parsed here. */
const ABOUT_HOSTS = /^(?:Network|WebFetch)\b/;

/** `Network(host)` means the host with any port; `Network(host:8080)` only this one. */
function hostOfRule(text: string): string[] {
  if (!ABOUT_HOSTS.test(text)) return [];
  const parsed = parseRule(text);
  if (!parsed.ok || parsed.rule.tool !== 'network') return [];
  const { host } = parsed.rule;
  if (host === null) return ['*:*'];
  return [placeOf(host.isBelow ? `*.${host.name}` : host.name, host.port ?? '*')];
}

export interface NetworkListener {
  readonly onViolation: (violation: SandboxViolation) => void;
  readonly onOperation: (operation: ObservedOperation) => void;
}

export class CommandNetwork {
  readonly #inputs: NetworkInputs;
  readonly #hosts: HostLists;
  readonly #listener: NetworkListener;
  readonly #told = { allow: new Set<string>(), deny: new Set<string>() };
  readonly #unreachable = new Set<string>();
  #here: FilteringProxy | null = null;
  #elsewhere: BackgroundProxy | null = null;
  #server: Server | null = null;
  #credentials: Credentials | undefined;
  #isClosed = false;

  constructor(inputs: NetworkInputs, hosts: HostLists, listener: NetworkListener) {
    this.#inputs = inputs;
    this.#hosts = hosts;
    this.#listener = listener;
  }

  /** An existing listener inside, or a port of this machine with credentials, because other processes can reach it too. */
  async open(listen: { readonly server: Server } | 'port'): Promise<{ port: number; env: Record<string, string> }> {
    if (listen === 'port') this.#credentials = { user: 'hardshell', password: randomBytes(24).toString('base64url') };
    const server = listen === 'port' ? await listenOnLoopback() : listen.server;
    const { port } = server.address() as AddressInfo;
    this.#server = server;
    // Without a process of its own, the network of a task ends with this process.
    const isElsewhere = this.#inputs.terms.isBackground && (await this.#openElsewhere(server));
    if (isElsewhere) server.close();
    else {
      const onUnreachable = (why: string) => void (this.#unreachable.size < MAX_TOLD && this.#unreachable.add(why));
      this.#here = await createProxy({ ...this.#rules(), onUnreachable, listen: { server } });
    }
    if (this.#isClosed) await this.close();
    return { port, env: this.environment({ port, ...defined({ credentials: this.#credentials }) }) };
  }

  /** The command is a task now, which may outlive this process. Connections that are open stay here. The PID of its proxy. */
  async follow(supervisorPid: number | null): Promise<number | null> {
    if (supervisorPid === null || this.#server === null || this.#isClosed) return null;
    if (this.#elsewhere === null && (await this.#openElsewhere(this.#server))) this.#here?.stopListening();
    this.#elsewhere?.follow(supervisorPid);
    return this.#elsewhere?.pid ?? null;
  }

  async #openElsewhere(server: Server): Promise<boolean> {
    this.#elsewhere = await startBackgroundProxy({ ...this.#rules(), server }).catch(() => null);
    // The command may have ended in the meantime.
    if (this.#isClosed) this.#elsewhere?.close();
    return this.#elsewhere !== null;
  }

  #rules(): Omit<ProxyOptions, 'listen'> {
    const { terms, network } = this.#inputs;
    return {
      domains: this.#hosts,
      allowAddresses: network.allowAddresses,
      ...defined({ credentials: this.#credentials }),
      onDecision: (decision) => this.#note(decision),
      onLost: (why) => this.#tellLost(why),
      ...(terms.questions.canAskAboutHosts ? { onUnknown: (request, signal) => this.#ask(request, signal) } : {}),
    };
  }

  /** For a proxy at this address. */
  environment(place: { readonly port: number; readonly credentials?: Credentials }): Record<string, string> {
    const { terms, network } = this.#inputs;
    const isEveryHostRefused =
      !terms.questions.canAskAboutHosts && this.#hosts.allow.length + network.allowAddresses.length === 0;
    const own = place.credentials === undefined ? environmentAt(place.port) : proxyEnvironment(place);
    return { ...(isEveryHostRefused ? variablesWithoutHosts(terms.environment.host) : {}), ...own };
  }

  /** Why allowed hosts could not be reached; `null` if all could. Many programs show only the number 502. */
  explainUnreachable(): string | null {
    return [...this.#unreachable].slice(0, MAX_EXPLAINED).join(' ') || null;
  }

  /** Bytes between the command and the proxy; null if another process has them. */
  traffic(): { sentBytes: number; receivedBytes: number } | null {
    if (this.#elsewhere !== null) return null;
    const { bytesFromClients = 0, bytesToClients = 0 } = this.#here?.statistics() ?? {};
    return { sentBytes: bytesFromClients, receivedBytes: bytesToClients };
  }

  /** A proxy elsewhere ends with its task. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#elsewhere?.close();
    await this.#here?.close();
  }

  #note(decision: Decision): void {
    const { verdict, host, port, address, why, rule } = decision;
    const target = placeOf(host, port);
    const told = this.#told[verdict];
    if (told.has(target) || told.size >= MAX_TOLD) return;
    told.add(target);
    if (verdict === 'allow') return this.#listener.onOperation({ operation: 'connect', target, address });
    this.#listener.onViolation({
      kind: 'network',
      operation: 'connect',
      target,
      rule: rule === null ? `domains: ${why.replace(/\.$/, '')}` : `domains.deny: ${rule}`,
      instead: insteadOf(decision, this.#inputs.network.areHostsFixed),
    });
  }

  #tellLost(why: string): void {
    this.#listener.onViolation({
      kind: 'network',
      operation: 'connect',
      target: 'every host',
      rule: `the network was lost while the command ran: ${why}`,
      instead: 'Run the command again.',
    });
  }

  async #ask({ host, port }: ConnectionRequest, signal: AbortSignal): Promise<'allow' | 'deny'> {
    const { broker, terms, facts } = this.#inputs;
    const { text, description, cwd, session, user, profile, caller, questions } = terms;
    const { timeoutMs } = questions;
    const place = placeOf(host, port);
    const answer = await broker.ask(
      {
        command: text,
        display: facts.display,
        ...(description === null ? {} : { description }),
        cwd,
        session,
        user,
        profile,
        caller,
        risk: 'medium',
        findings: [
          {
            id: 'network-host',
            layer: 'sandbox',
            verdict: 'ask',
            severity: 'medium',
            message: `The running command wants to contact ${place}, which no rule allows. The connection waits.`,
            instead: null,
            span: null,
            command: null,
            rule: null,
            confidence: null,
          },
        ],
        // The question is about this port; the ports of a website need no mention.
        suggestions: [`Network(${port === 80 || port === 443 ? host : place})`],
        effects: { ...NO_EFFECTS, network: [{ host, port }] },
      },
      { signal, ...(timeoutMs === null ? {} : { timeout: timeoutMs }) },
    );
    // The proxy distinguishes no answer from a no, and asks again the next time.
    if (answer.by === 'nobody') throw new NoOneToAsk(answer.reason ?? answer.by);
    if (!SURFACE_NAMES.some((name) => name === answer.by)) throw new Error(answer.reason ?? answer.by);
    return answer.verdict;
  }
}

const NO_EFFECTS: Effects = {
  reads: [],
  writes: [],
  deletes: [],
  network: [],
  executes: [],
  privilege: false,
  changes: [],
  discloses: [],
  unknown: [],
};
const MAX_TOLD = 100;
const MAX_EXPLAINED = 3;

/** In a private network, the proxies of most commands have the same address. */
const environments = new Map<number, Readonly<Record<string, string>>>();
const MAX_ENVIRONMENTS = 10;

function environmentAt(port: number): Readonly<Record<string, string>> {
  const known = environments.get(port) ?? proxyEnvironment({ port });
  if (environments.size >= MAX_ENVIRONMENTS) environments.clear();
  environments.set(port, known);
  return known;
}

function insteadOf({ reason, rule, host, port, address }: Decision, areHostsFixed: boolean): string {
  switch (reason) {
    case 'unknown-host':
    case 'no-answer':
    case 'port':
      if (areHostsFixed) return 'Only the managed settings of this machine can allow hosts.';
      return `Allow it: --allow-domain ${port === 80 || port === 443 ? host : placeOf(host, port)}`;
    case 'address':
      return rule === null ? `Add ${address} to sandbox.network.allowAddresses.` : WITHOUT_HOST;
    default:
      return WITHOUT_HOST;
  }
}

const WITHOUT_HOST = 'Do without this host.';

async function listenOnLoopback(): Promise<Server> {
  const server = createServer().listen({ port: 0, host: '127.0.0.1' });
  await once(server, 'listening').catch((cause) => {
    throw new HardshellError('cannot-start', 'The proxy cannot listen.', { cause, hint: cause.message });
  });
  return server;
}
