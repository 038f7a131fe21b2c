// Patterns of hosts and networks → their verdict on a host, a port, and the address behind it.
// Deny wins; a name never allows an address, and `*` allows names only; an invalid pattern is an error.

import { HardshellError } from '../../../core/errors.ts';
import { type Address, isInside, type Network, parseNetwork } from '../../../core/names/addresses.ts';
import { unreachable } from '../../../core/values/unreachable.ts';
import { type AddressKind, classifyAddress } from './address.ts';
import type { Host } from './host.ts';
import { parseHost } from './host.ts';

export interface DomainLists {
  readonly allow: readonly string[];
  readonly deny: readonly string[];
}

type Subject =
  | { readonly kind: 'everything' }
  | { readonly kind: 'name'; readonly name: string }
  | { readonly kind: 'below'; readonly suffix: string }
  | { readonly kind: 'network'; readonly network: Network };

export interface Rule {
  readonly text: string;
  readonly subject: Subject;
  /** `null`: the pattern has none. */
  readonly port: number | 'any' | null;
}

export type Opinion =
  | { readonly verdict: 'allow'; readonly rule: Rule }
  | { readonly verdict: 'deny'; readonly reason: 'denied' | 'port'; readonly rule: Rule }
  | { readonly verdict: 'unknown' };

export type AddressOpinion =
  | { readonly verdict: 'allow' }
  | { readonly verdict: 'deny'; readonly rule: Rule }
  | { readonly verdict: 'deny'; readonly kind: Exclude<AddressKind, 'public'> | 'own' };

export interface Rules {
  judgeHost(host: Host, port: number): Opinion;
  /** The address to connect to; `host` is the requested name. */
  judgeAddress(address: Address, host: Host, port: number): AddressOpinion;
}

export interface RuleOptions {
  readonly domains: DomainLists;
  readonly ports: readonly number[];
  readonly allowAddresses: readonly string[];
  /** Addresses of this machine: its services may trust local connections. */
  readonly ownAddresses: () => readonly Address[];
}

export function parseRule(text: string): Rule {
  const { body, port } = splitPort(text);
  if (body === '*') return { text, subject: { kind: 'everything' }, port };
  if (body.startsWith('*.')) {
    const host = parseHost(body.slice(2));
    if (host !== null && host.address === null) {
      return { text, subject: { kind: 'below', suffix: `.${host.text}` }, port };
    }
    throw unreadable(text);
  }
  const network = parseNetwork(body.replace(/^\[([^\]]*)\]/, '$1'));
  if (network !== null) return { text, subject: { kind: 'network', network }, port };
  const host = parseHost(body);
  if (host === null || host.address !== null) throw unreadable(text);
  return { text, subject: { kind: 'name', name: host.text }, port };
}

function splitPort(text: string): { body: string; port: Rule['port'] } {
  // Without brackets, the colons belong to the IPv6 address.
  const match = /^(\[[^\]]*\](?:\/\d+)?|[^:[\]]+):(\*|[1-9][0-9]{0,4})$/.exec(text);
  if (match === null) return { body: text, port: null };
  const port = match[2] === '*' ? 'any' : Number(match[2]);
  if (port !== 'any' && port > 65_535) throw unreadable(text);
  return { body: match[1] as string, port };
}

function unreadable(text: string): HardshellError {
  return new HardshellError('invalid-argument', `The host pattern ${JSON.stringify(text)} is not valid.`, {
    hint: 'Write `example.com`, `*.example.com`, `*`, an address or a network such as `10.0.0.0/8`, each with `:8080` or `:*` if needed.',
  });
}

export function createRules(options: RuleOptions): Rules {
  const allow = options.domains.allow.map(parseRule);
  const deny = options.domains.deny.map(parseRule);
  const explicit = options.allowAddresses.map((text) => {
    const rule = parseRule(text);
    if (rule.subject.kind !== 'network') {
      throw new HardshellError('invalid-argument', `${JSON.stringify(text)} is not an address or a network.`, {
        hint: 'Write `127.0.0.1` or `10.0.0.0/8`; names belong into `domains.allow`.',
      });
    }
    return rule;
  });
  const ports = new Set(options.ports);
  const fits = (rule: Rule, port: number) =>
    rule.port === 'any' || (rule.port === null ? ports.has(port) : rule.port === port);
  // An allowed network without a port does not restrict ports; the address is checked after the host.
  const fitsAddress = (rule: Rule, port: number) => rule.port === null || fits(rule, port);

  return {
    judgeHost(host, port) {
      const denied = deny.find((rule) => (rule.port === null || fits(rule, port)) && isNamed(rule, host, 'deny'));
      if (denied !== undefined) return { verdict: 'deny', reason: 'denied', rule: denied };
      const named = [...allow, ...explicit].filter((rule) => isNamed(rule, host, 'allow'));
      const rule = named.find((each) => fits(each, port));
      if (rule !== undefined) return { verdict: 'allow', rule };
      return named[0] === undefined ? { verdict: 'unknown' } : { verdict: 'deny', reason: 'port', rule: named[0] };
    },

    judgeAddress(address, host, port) {
      const covers = (rule: Rule) => rule.subject.kind === 'network' && isInside(address, rule.subject.network);
      const denied = deny.find((rule) => covers(rule) && fitsAddress(rule, port));
      if (denied !== undefined) return { verdict: 'deny', rule: denied };
      if (explicit.some((rule) => covers(rule) && fitsAddress(rule, port))) return { verdict: 'allow' };
      // An address in the list of hosts is allowed explicitly, but not for names that resolve to it.
      if (host.address !== null && allow.some((rule) => covers(rule) && fits(rule, port))) return { verdict: 'allow' };
      const kind = classifyAddress(address);
      if (kind !== 'public') return { verdict: 'deny', kind };
      const isOwn = options.ownAddresses().some((own) => own.family === address.family && own.value === address.value);
      return isOwn ? { verdict: 'deny', kind: 'own' } : { verdict: 'allow' };
    },
  };
}

function isNamed({ subject }: Rule, host: Host, list: 'allow' | 'deny'): boolean {
  switch (subject.kind) {
    case 'everything':
      return list === 'deny' || host.address === null;
    case 'name':
      return host.address === null && host.text === subject.name;
    case 'below':
      return host.address === null && host.text.endsWith(subject.suffix) && host.text.length > subject.suffix.length;
    case 'network':
      return host.address !== null && isInside(host.address, subject.network);
    default:
      return unreachable(subject);
  }
}
