// First bytes of a TLS client → the server name that it requests.
// Reassembles messages split over records; TLS that cannot be parsed is an error, not a pass.

export type Greeting =
  /** More bytes are needed. */
  | { readonly kind: 'partial' }
  | { readonly kind: 'not-tls' }
  | { readonly kind: 'broken' }
  | { readonly kind: 'hello'; readonly serverName: string | null };

const HANDSHAKE = 0x16;
const CLIENT_HELLO = 1;
const SERVER_NAME = 0;
const MAX_HELLO = 32 * 1024;
const MAX_RECORDS = 64;

const PARTIAL: Greeting = { kind: 'partial' };
const BROKEN: Greeting = { kind: 'broken' };

export function readGreeting(bytes: Buffer): Greeting {
  if (bytes.length === 0) return PARTIAL;
  if (bytes[0] !== HANDSHAKE) return { kind: 'not-tls' };
  if (bytes.length > 1 && bytes[1] !== 3) return BROKEN;
  const parts: Buffer[] = [];
  let at = 0;
  for (let records = 0; bytes.length - at >= 5; records++) {
    const length = bytes.readUInt16BE(at + 3);
    if (bytes[at] !== HANDSHAKE || bytes[at + 1] !== 3 || length === 0 || length > 16_640) return BROKEN;
    if (records > MAX_RECORDS) return BROKEN;
    parts.push(bytes.subarray(at + 5, at + 5 + length));
    at += 5 + length;
    const message = Buffer.concat(parts);
    if (message.length > 0 && message[0] !== CLIENT_HELLO) return BROKEN;
    if (message.length < 4) continue;
    const size = message.readUIntBE(1, 3);
    if (size > MAX_HELLO) return BROKEN;
    if (message.length >= 4 + size) return readHello(message.subarray(4, 4 + size));
  }
  return bytes.length > 2 * MAX_HELLO ? BROKEN : PARTIAL;
}

function readHello(body: Buffer): Greeting {
  try {
    return { kind: 'hello', serverName: findServerName(new Cursor(body)) };
  } catch {
    return BROKEN;
  }
}

function findServerName(hello: Cursor): string | null {
  hello.skip(2 + 32);
  hello.vector(1);
  hello.vector(2);
  hello.vector(1);
  if (hello.isAtEnd) return null;
  const extensions = hello.vector(2);
  hello.expectEnd();
  let name: string | null = null;
  let isSeen = false;
  while (!extensions.isAtEnd) {
    const type = extensions.number(2);
    const data = extensions.vector(2);
    if (type !== SERVER_NAME) continue;
    // The server might read the second list.
    if (isSeen) throw new RangeError('two lists of server names');
    isSeen = true;
    name = readNameList(data);
  }
  return name;
}

function readNameList(data: Cursor): string {
  const list = data.vector(2);
  data.expectEnd();
  const type = list.number(1);
  const name = list.vector(2).text();
  list.expectEnd();
  if (type !== 0 || name === '') throw new RangeError('not a host name');
  return name;
}

class Cursor {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  get isAtEnd(): boolean {
    return this.#at === this.#bytes.length;
  }

  expectEnd(): void {
    if (!this.isAtEnd) throw new RangeError('bytes are left over');
  }

  skip(count: number): Buffer {
    const end = this.#at + count;
    if (end > this.#bytes.length) throw new RangeError('too short');
    const taken = this.#bytes.subarray(this.#at, end);
    this.#at = end;
    return taken;
  }

  number(width: number): number {
    return this.skip(width).readUIntBE(0, width);
  }

  vector(width: number): Cursor {
    return new Cursor(this.skip(this.number(width)));
  }

  text(): string {
    return this.#bytes.toString('latin1');
  }
}
