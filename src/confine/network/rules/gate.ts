// A host and a port → the addresses that may be connected to, or a refusal.
// The name is resolved once, here; connections use these addresses, so a second DNS answer is never used.

import { type Address, parseAddress } from '../../../core/names/addresses.ts';
import type { ConnectionRequest, Decision, DecisionReason } from '../decision.ts';
import { explainKind, NO_ONE_TO_ASK } from '../decision.ts';
import type { Host } from './host.ts';
import { parseHost, showHost } from './host.ts';
import type { Questions } from './questions.ts';
import type { Rules } from './rules.ts';

export interface Pass {
  readonly verdict: 'allow';
  readonly host: Host;
  readonly reason: 'rule' | 'approved';
  readonly rule: string | null;
}

export type Refusal = Decision & { readonly verdict: 'deny' };

/** Not refused, but there is nothing to connect to. */
export interface Unreachable {
  readonly verdict: 'unreachable';
  readonly why: string;
}

export interface Gate {
  judge(host: Host, request: ConnectionRequest): Promise<Pass | Refusal>;
  locate(host: Host, request: ConnectionRequest): Promise<readonly Address[] | Refusal | Unreachable>;
  /** Whether a rule allows this name; asks no questions. `null` if one does, else why not. */
  judgeGreeting(name: string, request: ConnectionRequest): Refusal | null;
}

export interface GateOptions {
  readonly rules: Rules;
  readonly questions: Questions<ConnectionRequest> | null;
  readonly resolve: (host: string) => Promise<readonly string[]>;
  readonly resolveTimeoutMs: number;
}

const MAX_ADDRESSES = 32;

export function createGate({ rules, questions, resolve, resolveTimeoutMs }: GateOptions): Gate {
  const refuseAddress = (address: Address, host: Host, request: ConnectionRequest): Refusal | null => {
    const opinion = rules.judgeAddress(address, host, request.port);
    if (opinion.verdict === 'allow') return null;
    const leads = host.address === null ? `${host.text} resolves to ${address.text}, and ` : '';
    return 'rule' in opinion
      ? refuse(request, 'address', `${leads}${address.text} is forbidden.`, opinion.rule.text, address.text)
      : refuse(request, 'address', `${leads}${explainKind(address.text, opinion.kind)}.`, null, address.text);
  };

  return {
    async judge(host, request) {
      const opinion = rules.judgeHost(host, request.port);
      if (opinion.verdict === 'allow') return { verdict: 'allow', host, reason: 'rule', rule: opinion.rule.text };
      if (opinion.verdict === 'deny') {
        const why =
          opinion.reason === 'denied'
            ? 'a rule forbids this host.'
            : `the rules allow this host, but not its port ${request.port}.`;
        return refuse(request, opinion.reason, why, opinion.rule.text);
      }
      // No question about an address that would be refused in any case.
      const refusal = host.address === null ? null : refuseAddress(host.address, host, request);
      if (refusal !== null) return refusal;
      if (questions === null) return refuse(request, 'unknown-host', 'no rule allows this host.');
      const answer = await questions.ask(showHost(host.text, request.port), request);
      if (answer === 'allow') return { verdict: 'allow', host, reason: 'approved', rule: null };
      if (answer === 'deny') return refuse(request, 'not-approved', 'permission to contact this host was denied.');
      if (answer === 'no-one-to-ask') return refuse(request, 'no-answer', NO_ONE_TO_ASK);
      return refuse(request, 'no-answer', 'no rule allows this host, and the question was not answered in time.');
    },

    async locate(host, request) {
      const found = host.address === null ? await lookUp(host.text) : [host.address];
      if (typeof found === 'string') return { verdict: 'unreachable', why: found };
      const allowed: Address[] = [];
      let refusal: Refusal | null = null;
      for (const address of found) {
        const refused = refuseAddress(address, host, request);
        if (refused === null) allowed.push(address);
        else refusal ??= refused;
      }
      if (allowed.length > 0) return allowed;
      return refusal ?? { verdict: 'unreachable', why: `${host.text} is allowed but has no address.` };
    },

    judgeGreeting(name, request) {
      const host = parseHost(name);
      const opinion = host === null ? null : rules.judgeHost(host, request.port);
      if (host !== null && opinion?.verdict === 'allow') return null;
      const shown = host?.text ?? 'an invalid name';
      const why = `the TLS ClientHello names ${shown}, which is a different host and not allowed (domain fronting).`;
      return refuse({ ...request, host: host?.text ?? request.host }, 'domain-fronting', why);
    },
  };

  async function lookUp(name: string): Promise<Address[] | string> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error('late')), resolveTimeoutMs);
    });
    try {
      const texts = await Promise.race([Promise.resolve().then(() => resolve(name)), late]);
      // Anything but an address, such as a name, would be resolved again on connecting.
      return texts.slice(0, MAX_ADDRESSES).flatMap((text) => parseAddress(text) ?? []);
    } catch {
      return `${name} is allowed but could not be resolved on this machine.`;
    } finally {
      clearTimeout(timer);
    }
  }
}

function refuse(
  { host, port, protocol }: ConnectionRequest,
  reason: DecisionReason,
  why: string,
  rule: string | null = null,
  address: string | null = null,
): Refusal {
  return { host, port, address, verdict: 'deny', reason, rule, why, protocol };
}
