// Bytes of an HTTP/1 head → method, target, headers, and the length of the body.
// Refuses anything that two parsers could read differently: bare LF, folded lines, blanks before colons, two lengths.

import { ProtocolError } from './byte-reader.ts';

export type Header = readonly [name: string, value: string];

export interface RequestHead {
  readonly method: string;
  readonly target: string;
  readonly version: '1.0' | '1.1';
  readonly headers: readonly Header[];
}

export interface ResponseHead {
  readonly status: number;
  readonly reason: string;
  readonly version: '1.0' | '1.1';
  readonly headers: readonly Header[];
}

export type Framing =
  | { readonly kind: 'none' | 'chunked' | 'until-close' }
  | { readonly kind: 'length'; length: number };

export interface HeadLimits {
  readonly lineBytes: number;
  readonly headerCount: number;
}

const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const REQUEST_LINE = /^([A-Z][A-Z0-9_-]{0,31}) ([\u0021-\u007e]+) HTTP\/(1\.[01])$/;
const STATUS_LINE = /^HTTP\/(1\.[01]) ([1-9][0-9]{2})(?: ([\t\u0020-\u007e\u0080-\u00ff]*))?$/;
const BAD_VALUE = /[\u0000-\u0008\u000a-\u001f\u007f]/;

export function parseRequestHead(bytes: Buffer, limits: HeadLimits): RequestHead {
  const { first, headers } = parseLines(bytes, limits);
  const match = REQUEST_LINE.exec(first);
  if (match === null) throw new ProtocolError('The request line cannot be parsed.');
  return { method: match[1] as string, target: match[2] as string, version: match[3] as '1.0' | '1.1', headers };
}

export function parseResponseHead(bytes: Buffer, limits: HeadLimits): ResponseHead {
  const { first, headers } = parseLines(bytes, limits);
  const match = STATUS_LINE.exec(first);
  if (match === null) throw new ProtocolError('The status line of the server cannot be parsed.', 502);
  return { version: match[1] as '1.0' | '1.1', status: Number(match[2]), reason: match[3] ?? '', headers };
}

function parseLines(bytes: Buffer, limits: HeadLimits): { first: string; headers: Header[] } {
  const [first = '', ...lines] = bytes.toString('latin1', 0, bytes.length - 4).split('\r\n');
  if (first.length > limits.lineBytes) throw new ProtocolError('The first line is too long.', 414);
  if (lines.length > limits.headerCount) throw new ProtocolError('Too many headers.', 431);
  return { first, headers: lines.map((line) => parseHeader(line, limits)) };
}

function parseHeader(line: string, limits: HeadLimits): Header {
  if (line.length > limits.lineBytes) throw new ProtocolError('A header is too long.', 431);
  const colon = line.indexOf(':');
  const name = line.slice(0, Math.max(0, colon));
  // A folded line starts with a blank, so it has no name.
  if (!TOKEN.test(name)) throw new ProtocolError('A header cannot be parsed.');
  const value = trimBlanks(line.slice(colon + 1));
  if (BAD_VALUE.test(value)) throw new ProtocolError('A header contains a forbidden character.');
  return [name, value];
}

function trimBlanks(text: string): string {
  const isBlank = (at: number) => text[at] === ' ' || text[at] === '\t';
  let start = 0;
  let end = text.length;
  while (start < end && isBlank(start)) start++;
  while (end > start && isBlank(end - 1)) end--;
  return text.slice(start, end);
}

export function valuesOf(headers: readonly Header[], name: string): string[] {
  return headers.flatMap(([each, value]) => (each.toLowerCase() === name ? [value] : []));
}

/** The words of headers such as `Connection`, in lower case. */
export function tokensOf(headers: readonly Header[], name: string): Set<string> {
  const words = valuesOf(headers, name).flatMap((value) => value.toLowerCase().split(','));
  return new Set(words.map(trimBlanks).filter((word) => word !== ''));
}

export function framingOfRequest(head: RequestHead): Framing {
  return explicitFraming(head, 400) ?? { kind: 'none' };
}

export function framingOfResponse(head: ResponseHead, method: string): Framing {
  const framing = explicitFraming(head, 502);
  if (method === 'HEAD' || head.status === 204 || head.status === 304) return { kind: 'none' };
  return framing ?? { kind: 'until-close' };
}

function explicitFraming({ headers, version }: RequestHead | ResponseHead, status: number): Framing | null {
  const lengths = valuesOf(headers, 'content-length');
  const codings = valuesOf(headers, 'transfer-encoding');
  if (codings.length > 0) {
    if (lengths.length > 0) throw new ProtocolError('Content-Length and Transfer-Encoding conflict.', status);
    const isChunked = codings.length === 1 && codings[0]?.toLowerCase() === 'chunked';
    if (!isChunked || version === '1.0') throw new ProtocolError('This Transfer-Encoding is not supported.', status);
    return { kind: 'chunked' };
  }
  const [length] = lengths;
  if (length === undefined) return null;
  if (lengths.length > 1) throw new ProtocolError('More than one Content-Length.', status);
  if (!/^[0-9]{1,15}$/.test(length)) throw new ProtocolError('The Content-Length is not a number.', status);
  return { kind: 'length', length: Number(length) };
}

// RFC 9110 7.6.1, and headers that older clients send to proxies. Framing and Host are rewritten here.
const OWN = [
  'connection',
  'content-length',
  'host',
  'http2-settings',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authentication-info',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
] as const;

/** Headers for the other side: without hop-by-hop headers, and with the framing that we write. */
export function forwardedHeaders(headers: readonly Header[], framing: Framing): Header[] {
  const dropped = new Set<string>([...OWN, ...tokensOf(headers, 'connection')]);
  const kept = headers.filter(([name]) => !dropped.has(name.toLowerCase()));
  if (framing.kind === 'chunked') kept.push(['Transfer-Encoding', 'chunked']);
  if (framing.kind === 'length') kept.push(['Content-Length', String(framing.length)]);
  return kept;
}

export function writeHead(first: string, headers: readonly Header[]): string {
  return `${first}\r\n${headers.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`;
}
