// A message body from one socket to another, reframed on the way.
// Chunk sizes are parsed strictly; extensions and trailers are dropped, so nothing unparsed is forwarded.

import type { Socket } from 'node:net';
import { unreachable } from '../../../core/values/unreachable.ts';
import type { ByteReader } from './byte-reader.ts';
import { ProtocolError, writeAll } from './byte-reader.ts';
import type { Framing } from './http-head.ts';

const LINE_BYTES = 1024;
const TRAILER_LINES = 100;
const CHUNK_LINE = /^([0-9a-fA-F]{1,12})[ \t]*(?:;[\t\u0020-\u007e]*)?$/;

/** False if the receiver is gone. `asChunks` sets the encoding of a chunked body. */
export async function pumpBody(
  from: ByteReader,
  to: Socket,
  framing: Framing,
  options: { readonly asChunks: boolean },
): Promise<boolean> {
  switch (framing.kind) {
    case 'none':
      return true;
    case 'length':
      return from.flow(to, framing.length);
    case 'until-close':
      return from.flow(to, Number.POSITIVE_INFINITY);
    case 'chunked':
      return pumpChunks(from, to, options.asChunks);
    default:
      return unreachable(framing);
  }
}

async function pumpChunks(from: ByteReader, to: Socket, asChunks: boolean): Promise<boolean> {
  for (;;) {
    const match = CHUNK_LINE.exec(await from.readLine(LINE_BYTES));
    if (match === null) throw new ProtocolError('The size of a chunk cannot be parsed.');
    const size = Number.parseInt(match[1] as string, 16);
    if (size === 0) break;
    if (asChunks) to.write(`${size.toString(16)}\r\n`);
    if (!(await from.flow(to, size))) return false;
    const end = await from.readExactly(2);
    if (end[0] !== 13 || end[1] !== 10) throw new ProtocolError('A chunk has the wrong size.');
    if (asChunks) to.write('\r\n');
  }
  for (let lines = 0; (await from.readLine(LINE_BYTES * 8)) !== ''; ) {
    if (++lines > TRAILER_LINES) throw new ProtocolError('Too many trailers.');
  }
  return asChunks ? writeAll(to, '0\r\n\r\n') : true;
}
