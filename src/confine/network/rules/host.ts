// Text of a host, from a request, a setting or a TLS ClientHello → one comparable form, or nothing.
// Refuses anything that two parsers could read differently: NUL, percent signs, blanks, partial numbers.

import { domainToASCII } from 'node:url';
import { type Address, parseAddress } from '../../../core/names/addresses.ts';

/** `address` is set if the text is an IP address in any spelling; `text` is displayed and compared. */
export interface Host {
  readonly text: string;
  readonly address: Address | null;
}

const FORBIDDEN = /[\u0000-\u0020\u007f"#%/:<>?@[\\\]^`{|}]/;
const LABEL = /^[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/;
const NUMBER = /^(?:[0-9]+|0x[0-9a-f]*)$/;
const MAX_TEXT = 1024;

export function parseHost(text: string): Host | null {
  if (text === '' || text.length > MAX_TEXT) return null;
  if (text.includes(':')) return hostOf(parseAddress(text));
  if (FORBIDDEN.test(text)) return null;
  // Full-width digits and dots of other scripts become ASCII here, before numbers are parsed.
  const ascii = isPlain(text) ? text.toLowerCase() : domainToASCII(text).toLowerCase();
  const name = ascii.endsWith('.') ? ascii.slice(0, -1) : ascii;
  if (name === '' || name.length > 253) return null;
  const labels = name.split('.');
  // A resolver treats a name that ends in a number as an address; if it is not a valid one, it must not be looked up.
  if (NUMBER.test(labels.at(-1) as string)) return hostOf(parseAddress(name));
  if (!labels.every((label) => LABEL.test(label))) return null;
  // A punycode label must decode and encode to the same text.
  if (name.includes('xn--') && domainToASCII(name) !== name) return null;
  return { text: name, address: null };
}

function isPlain(text: string): boolean {
  return /^[\u0021-\u007e]*$/.test(text);
}

function hostOf(address: Address | null): Host | null {
  return address === null ? null : { text: address.text, address };
}

/** As in a URL: IPv6 in brackets. */
export function showHost(host: string, port?: number): string {
  const name = host.includes(':') ? `[${host}]` : host;
  return port === undefined ? name : `${name}:${port}`;
}

/** `host:port` as in CONNECT and URLs; the port may be absent if `defaultPort` is given. */
export function parseAuthority(text: string, defaultPort: number | null): { host: Host; port: number } | null {
  const match = /^(\[[^\]]*\]|[^:[\]]*)(?::([0-9]{1,5}))?$/.exec(text);
  if (match === null) return null;
  const host = parseHost(match[1] as string);
  const port = match[2] === undefined ? defaultPort : Number(match[2]);
  if (host === null || port === null || port < 1 || port > 65_535) return null;
  return { host, port };
}
