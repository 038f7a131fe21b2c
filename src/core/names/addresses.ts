// Text → IP addresses and networks.
// All spellings that a resolver would accept (`0x7f.1`, `0`, `[::ffff:7f00:1]`) become one value, so none slips past a rule.

export interface Address {
  readonly family: 4 | 6;
  readonly value: bigint;
  readonly text: string;
}

export interface Network {
  readonly family: 4 | 6;
  readonly base: bigint;
  readonly bits: number;
}

const WIDTH = { 4: 32, 6: 128 } as const;
const MAPPED = 0xffffn << 32n;
export const LOW_32 = 0xffff_ffffn;

/** An address in any spelling, with or without brackets and zone; `null` for everything else. */
export function parseAddress(text: string): Address | null {
  const bare = text.startsWith('[') && text.endsWith(']') ? text.slice(1, -1) : text;
  if (!bare.includes(':')) return bare === text ? parseV4(bare) : null;
  const zone = bare.indexOf('%');
  const plain = zone === -1 ? bare : bare.slice(0, zone);
  return isV6(plain) ? addressOf(6, readV6(plain)) : null;
}

/** As `inet_aton` accepts it: one to four parts, each decimal, octal (`0…`) or hexadecimal (`0x…`). */
function parseV4(text: string): Address | null {
  const parts = text.split('.');
  if (parts.length > 4) return null;
  const numbers: bigint[] = [];
  for (const part of parts) {
    const number = readNumber(part);
    if (number === null) return null;
    numbers.push(number);
  }
  const last = numbers.pop() as bigint;
  if (numbers.some((number) => number > 255n)) return null;
  const room = BigInt(8 * (4 - numbers.length));
  if (last >= 1n << room) return null;
  const high = numbers.reduce((sum, number) => (sum << 8n) | number, 0n);
  return addressOf(4, (high << room) | last);
}

function readNumber(part: string): bigint | null {
  if (/^0x[0-9a-f]{0,16}$/i.test(part)) return part.length === 2 ? 0n : BigInt(part);
  if (/^0[0-7]{0,21}$/.test(part)) return BigInt(`0o${part}`);
  return /^[1-9][0-9]{0,19}$/.test(part) ? BigInt(part) : null;
}

/** As in RFC 4291: eight groups, fewer with one `::`, an IPv4 address in the place of the last two. */
function isV6(text: string): boolean {
  const dotted = /^(.*:)((?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(?:\.(?!$)|$)){4})$/.exec(text);
  const plain = dotted === null ? text : `${dotted[1]}0:0`;
  const halves = plain.split('::');
  const groups = halves.flatMap((half) => (half === '' ? [] : half.split(':')));
  if (!groups.every((group) => /^[0-9a-f]{1,4}$/i.test(group))) return false;
  return halves.length === 1 ? groups.length === 8 : halves.length === 2 && groups.length <= 7;
}

function readV6(text: string): bigint {
  const dotted = /^(.*:)(\d+)\.(\d+)\.(\d+)\.(\d+)$/.exec(text);
  const pair = (a: string | undefined, b: string | undefined) => ((Number(a) << 8) | Number(b)).toString(16);
  const full = dotted === null ? text : `${dotted[1]}${pair(dotted[2], dotted[3])}:${pair(dotted[4], dotted[5])}`;
  const [left = '', right] = full.split('::');
  const groups = (half: string | undefined) => (half === undefined || half === '' ? [] : half.split(':'));
  const head = groups(left);
  const tail = groups(right);
  const zeros = Array.from({ length: 8 - head.length - tail.length }, () => '0');
  return [...head, ...zeros, ...tail].reduce((sum, group) => (sum << 16n) | BigInt(`0x${group}`), 0n);
}

export function addressOf(family: 4 | 6, value: bigint): Address {
  // A mapped address is the IPv4 address: the kernel connects to that address.
  if (family === 6 && value >> 32n === MAPPED >> 32n) return addressOf(4, value & LOW_32);
  return { family, value, text: family === 4 ? writeV4(value) : writeV6(value) };
}

function writeV4(value: bigint): string {
  return [24n, 16n, 8n, 0n].map((shift) => (value >> shift) & 255n).join('.');
}

function writeV6(value: bigint): string {
  const groups = Array.from({ length: 8 }, (_, i) => ((value >> BigInt(112 - 16 * i)) & 0xffffn).toString(16));
  const text = groups.join(':');
  const runs = [...text.matchAll(/(?<![^:])0(?::0)+(?![^:])/g)].map(([run]) => run);
  const longest = runs.reduce((best, run) => (run.length > best.length ? run : best), '');
  if (longest === '') return text;
  const at = text.search(new RegExp(`(?<![^:])${longest}(?![^:])`));
  return `${text.slice(0, at).replace(/:$/, '')}::${text.slice(at + longest.length).replace(/^:/, '')}`;
}

/** `10.0.0.0/8`, or a single address; bits below the mask must be zero, so that a typo does not widen it. */
export function parseNetwork(text: string): Network | null {
  const [host = '', mask, ...rest] = text.split('/');
  const address = parseAddress(host);
  if (address === null || rest.length > 0) return null;
  const written = host.includes(':') ? 6 : 4;
  if (mask !== undefined && !/^(?:0|[1-9][0-9]{0,2})$/.test(mask)) return null;
  const bits = mask === undefined ? WIDTH[address.family] : Number(mask) - (written === address.family ? 0 : 96);
  if (bits < 0 || bits > WIDTH[address.family]) return null;
  const free = BigInt(WIDTH[address.family] - bits);
  if ((address.value >> free) << free !== address.value) return null;
  return { family: address.family, base: address.value, bits };
}

export function isInside(address: Address, network: Network): boolean {
  if (address.family !== network.family) return false;
  const free = BigInt(WIDTH[address.family] - network.bits);
  return address.value >> free === network.base >> free;
}
