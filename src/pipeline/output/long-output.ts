// Kept output → the text for a model, complete or its two ends, for each stream if they were kept separately.
// Only the two ends are in memory; the middle is read in chunks if something has to be counted or filtered.

import type { OutputView } from '../../core/running.ts';
import { stripSequences } from '../../render/views/boundaries.ts';
import {
  type OutputEnds,
  REQ_VIEW,
  type View,
  viewAsPreview,
  viewByBytes,
  viewByCharacters,
} from '../../render/views/view.ts';
import { type KeptOutput, type OutputStream, readHead, readTail } from '../../run/output.ts';

/** More than any view shows completely: 128 KB, or 30,000 characters of four bytes. More characters need more. */
const WHOLE_BYTES = 256 << 10;
/** More than any view shows of one end. */
const END_BYTES = 64 << 10;
const MAX_CHARACTER_BYTES = 4;
const PIECE_BYTES = 1 << 20;

export interface ViewOptions {
  readonly view: OutputView;
  readonly stripAnsi: boolean;
  readonly characters?: number;
  /** Where all of it can be read. */
  readonly path: string | null;
}

export async function viewOutput(output: KeptOutput, options: ViewOptions, stream?: OutputStream): Promise<View> {
  const view = viewEnds(await endsOf(output, options, stream), options, output.missingBytes);
  return options.stripAnsi ? { ...view, text: stripSequences(view.text) } : view;
}

function viewEnds(ends: OutputEnds, { view, path, characters }: ViewOptions, missingBytes: number): View {
  switch (view) {
    case 'req':
      return viewByBytes(ends, REQ_VIEW);
    case 'proposal-0028':
      return viewByCharacters(ends, characters);
    case 'claude-code':
      return viewAsPreview(ends, { path, missingBytes });
  }
}

const NOTHING = new Uint8Array();

/** How many bytes a view needs: of an output that it shows completely, and of each end of a longer one. */
interface Needs {
  readonly whole: number;
  readonly end: number;
  /** It says how many characters are not shown. */
  readonly isCounted: boolean;
}

function needsOf({ view, characters = 0 }: ViewOptions, { missingBytes }: KeptOutput): Needs {
  const bytes = characters * MAX_CHARACTER_BYTES;
  const isCounted = view === 'proposal-0028' && missingBytes === 0;
  return { whole: Math.max(WHOLE_BYTES, bytes), end: Math.max(END_BYTES, bytes), isCounted };
}

async function endsOf(output: KeptOutput, options: ViewOptions, stream?: OutputStream): Promise<OutputEnds> {
  const { totalBytes: allBytes, missingBytes } = output;
  const totalBytes = stream === undefined ? allBytes : output[`${stream}Bytes`];
  const needs = needsOf(options, output);
  if (missingBytes === 0 && allBytes <= needs.whole)
    return { head: await output.read(0, allBytes, stream), tail: NOTHING, totalBytes, totalCharacters: null };
  if (stream !== undefined) return pickEnds(output, stream, totalBytes, needs);
  return {
    head: await readHead(output, needs.end),
    tail: await readTail(output, needs.end),
    totalBytes,
    totalCharacters: needs.isCounted ? await countCharacters(output) : null,
  };
}

async function* piecesOf(output: KeptOutput, stream?: OutputStream): AsyncGenerator<Buffer> {
  const { totalBytes, headBytes, tailBytes, missingBytes } = output;
  const ranges: [number, number][] =
    missingBytes === 0
      ? [[0, totalBytes]]
      : [
          [0, headBytes],
          [totalBytes - tailBytes, totalBytes],
        ];
  for (const [from, to] of ranges)
    for (let at = from; at < to; at += PIECE_BYTES) yield output.read(at, Math.min(to, at + PIECE_BYTES), stream);
}

/** UTF-16 units: characters of four bytes count twice. */
async function countCharacters(output: KeptOutput): Promise<number> {
  let count = 0;
  for await (const piece of piecesOf(output)) count += charactersIn(piece);
  return count;
}

function charactersIn(piece: Uint8Array): number {
  let count = 0;
  for (let at = 0; at < piece.length; at += 1) {
    const byte = piece[at] as number;
    if ((byte & 0xc0) !== 0x80) count += byte >= 0xf0 ? 2 : 1;
  }
  return count;
}

/** A few lines of one stream may be anywhere among megabytes of the other. */
async function pickEnds(
  output: KeptOutput,
  stream: OutputStream,
  totalBytes: number,
  needs: Needs,
): Promise<OutputEnds> {
  const first: Buffer[] = [];
  let firstBytes = 0;
  let rest = Buffer.alloc(0);
  let isCut = false;
  let characters = 0;
  for await (const piece of piecesOf(output, stream)) {
    if (needs.isCounted) characters += charactersIn(piece);
    const room = Math.max(0, needs.whole - firstBytes);
    if (room > 0) first.push(piece.subarray(0, room));
    firstBytes += Math.min(room, piece.length);
    const more = Buffer.concat([rest, piece.subarray(room)]);
    isCut ||= more.length > needs.end;
    rest = more.length > needs.end ? Buffer.from(more.subarray(more.length - needs.end)) : more;
  }
  const head = Buffer.concat(first);
  // Text that follows the head without a gap belongs to it.
  if (!isCut && head.length + rest.length === totalBytes)
    return { head: Buffer.concat([head, rest]), tail: NOTHING, totalBytes, totalCharacters: null };
  const totalCharacters = needs.isCounted ? characters : null;
  return { head, tail: rest.length > 0 ? rest : head.subarray(-needs.end), totalBytes, totalCharacters };
}
