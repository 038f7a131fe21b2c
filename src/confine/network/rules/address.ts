// An address → its kind: this machine, a private network, or public.

import {
  type Address,
  addressOf,
  isInside,
  LOW_32,
  type Network,
  parseNetwork,
} from '../../../core/names/addresses.ts';
import { once } from '../../../core/values/once.ts';

export type AddressKind =
  | 'public'
  | 'unspecified'
  | 'loopback'
  | 'private'
  | 'shared'
  | 'link-local'
  | 'metadata'
  | 'multicast'
  | 'reserved';

// IANA special-purpose registries; the first match counts.
const SPECIAL = [
  ['metadata', '169.254.169.254', '169.254.170.0/24', '100.100.100.200', '168.63.129.16', '192.0.0.192'],
  ['unspecified', '0.0.0.0/8', '::'],
  ['loopback', '127.0.0.0/8', '::1'],
  ['private', '10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '64:ff9b:1::/48'],
  ['metadata', 'fd00:ec2::/32', 'fd20:ce::/32'],
  ['private', 'fc00::/7', 'fec0::/10'],
  ['shared', '100.64.0.0/10'],
  ['link-local', '169.254.0.0/16', 'fe80::/10'],
  ['multicast', '224.0.0.0/4', 'ff00::/8'],
  ['reserved', '192.0.0.0/24', '192.0.2.0/24', '192.88.99.0/24', '198.18.0.0/15', '198.51.100.0/24'],
  ['reserved', '203.0.113.0/24', '240.0.0.0/4', '2001::/23', '2001:db8::/32', '3fff::/20'],
] as const;

const networks = once(() => ({
  special: SPECIAL.flatMap(([kind, ...texts]) => texts.map((text) => ({ kind, network: networkOf(text) }))),
  nat64: networkOf('64:ff9b::/96'),
  sixToFour: networkOf('2002::/16'),
  globalV6: networkOf('2000::/3'),
}));

function networkOf(text: string): Network {
  const network = parseNetwork(text);
  if (network === null) throw new TypeError(`Not a network: ${text}`);
  return network;
}

export function classifyAddress(address: Address): AddressKind {
  // A translated address reaches the IPv4 address inside it.
  const { special, nat64, sixToFour, globalV6 } = networks();
  if (isInside(address, nat64)) return classifyAddress(addressOf(4, address.value & LOW_32));
  if (isInside(address, sixToFour)) return classifyAddress(addressOf(4, (address.value >> 80n) & LOW_32));
  const found = special.find(({ network }) => isInside(address, network));
  if (found !== undefined) return found.kind;
  return address.family === 6 && !isInside(address, globalV6) ? 'reserved' : 'public';
}
