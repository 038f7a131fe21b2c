// The vocabulary of the proxy: requests, decisions, and the text of refusals.
// Never contains paths, queries, headers or credentials of a request: decisions are recorded.

import { unreachable } from '../../core/values/unreachable.ts';
import type { AddressKind } from './rules/address.ts';
import { showHost } from './rules/host.ts';

export type Protocol = 'http' | 'connect' | 'socks5';

/** Closed: records and the header `x-hardshell-denied` use these. */
export const DECISION_REASONS = [
  'rule',
  'approved',
  'denied',
  'port',
  'unknown-host',
  'not-approved',
  'no-answer',
  'address',
  'domain-fronting',
] as const;
export type DecisionReason = (typeof DECISION_REASONS)[number];

/** A reason for `no-answer`. */
export const NO_ONE_TO_ASK = 'no rule allows this host, and there was no one to ask.';

export interface Decision {
  readonly host: string;
  readonly port: number;
  /** The address that was connected to, or that caused the refusal. */
  readonly address: string | null;
  readonly verdict: 'allow' | 'deny';
  readonly reason: DecisionReason;
  /** The pattern that decided, as it was written. */
  readonly rule: string | null;
  readonly why: string;
  readonly protocol: Protocol;
}

export interface ConnectionRequest {
  readonly host: string;
  readonly port: number;
  readonly protocol: Protocol;
}

const KINDS: Readonly<Record<Exclude<AddressKind, 'public'> | 'own', string>> = {
  unspecified: 'the unspecified address, which means this machine',
  loopback: 'an address of this machine',
  private: 'an address of a private network',
  shared: 'an address of a carrier-grade NAT',
  'link-local': 'a link-local address',
  metadata: 'the metadata address of a cloud, which has the credentials of this machine',
  multicast: 'a multicast address',
  reserved: 'a reserved address',
  own: 'an address of this machine',
};

export function explainKind(address: string, kind: keyof typeof KINDS): string {
  return `${address} is ${KINDS[kind]}`;
}

/** Shown to the client: which host, why, and how to allow it. */
export function tellRefusal(decision: Decision): string {
  const where = showHost(decision.host, decision.port);
  const hint = hintOf(decision);
  return `hardshell refused the connection to ${where}: ${decision.why}${hint === null ? '' : `\n${hint}`}\n`;
}

const MAX_PHRASE = 400;

/** The same for the status line: npm, wget, git and Go show that, and no body. */
export function describeDecision(decision: Decision): string {
  return phraseOf(`${showHost(decision.host, decision.port)} ${explain(decision)}`);
}

/** A message as the reason phrase of a status line. */
export function phraseOf(message: string): string {
  return `hardshell: ${message.replace(/\.$/, '')}`.replace(/[^ -~]/g, '?').slice(0, MAX_PHRASE);
}

function explain({ reason, rule, why }: Decision): string {
  switch (reason) {
    case 'unknown-host':
      return 'is not allowed; add it to domains.allow';
    case 'port':
      return 'is not allowed, only other ports of this host are; add it to domains.allow';
    case 'denied':
      return `is denied by "${rule}" in domains.deny`;
    case 'not-approved':
      return 'is not allowed; permission was asked for and denied';
    case 'no-answer':
      return why === NO_ONE_TO_ASK
        ? 'is not allowed; there was no one to ask'
        : 'is not allowed; permission was asked for and not answered';
    case 'address':
      return rule === null
        ? `is not allowed; ${why.replace(/\.$/, '')}; add the address to sandbox.network.allowAddresses`
        : `is not allowed; its address is denied by "${rule}" in domains.deny`;
    case 'domain-fronting':
    case 'rule':
    case 'approved':
      return `is not allowed; ${why.replace(/\.$/, '')}`;
    default:
      return unreachable(reason);
  }
}

function hintOf({ host, port, reason, rule, address }: Decision): string | null {
  const name = showHost(host);
  switch (reason) {
    case 'unknown-host':
    case 'no-answer':
      return port === 80 || port === 443
        ? `To allow it: hardshell config add allow 'Network(${host})'`
        : `To allow it, add "${name}:${port}" to domains.allow; \`hardshell config path\` names the settings files.`;
    case 'port':
      return `To allow it, add "${name}:${port}" to domains.allow; \`hardshell config path\` names the settings files.`;
    case 'denied':
      return `The pattern "${rule}" in domains.deny forbids it; \`hardshell config show --origin\` shows where it is.`;
    case 'address':
      return rule === null
        ? `To allow it, the address ${address ?? ''} must be allowed explicitly; a name does not allow it.`
        : `The pattern "${rule}" in domains.deny forbids it; \`hardshell config show --origin\` shows where it is.`;
    case 'domain-fronting':
      return `To allow it: hardshell config add allow 'Network(${host})'`;
    case 'not-approved':
    case 'rule':
    case 'approved':
      return null;
    default:
      return unreachable(reason);
  }
}
