import { expect, test } from 'vitest';
import { encodeFrame, FieldWriter, FrameReader, type OutputPiece } from './frames.ts';

function readAll(pieces: Buffer[]) {
  const frames: { type: number; task: number; text: string }[] = [];
  const outputs: OutputPiece[] = [];
  const reader = new FrameReader({
    onFrame: ({ type, task, payload }) => frames.push({ type, task, text: payload.toString() }),
    onOutput: (piece) => outputs.push(piece),
  });
  for (const piece of pieces) reader.push(piece);
  return { frames, outputs };
}

function encodeOutput(task: number, offset: number, text: string): Buffer {
  const payload = Buffer.alloc(9);
  payload[0] = 1;
  payload.writeBigUInt64LE(BigInt(offset), 1);
  return encodeFrame(131, task, Buffer.concat([payload, Buffer.from(text)]));
}

const STREAM = Buffer.concat([
  encodeFrame(130, 1, Buffer.from('one')),
  encodeOutput(5, 1000, 'some output'),
  encodeFrame(132, 0xffff_ffff),
  encodeOutput(6, 0, ''),
  encodeOutput(5, 1011, ' and more'),
  encodeFrame(132, 7, Buffer.from('three')),
]);
const FRAMES = [
  { type: 130, task: 1, text: 'one' },
  { type: 132, task: 0xffff_ffff, text: '' },
  { type: 132, task: 7, text: 'three' },
];

test('frames are complete, wherever the bytes were cut', () => {
  for (let cut = 0; cut <= STREAM.length; cut += 1)
    expect(readAll([STREAM.subarray(0, cut), STREAM.subarray(cut)]).frames).toEqual(FRAMES);
  expect(readAll([...STREAM].map((byte) => Buffer.from([byte]))).frames).toEqual(FRAMES);
});

test('output is passed on in chunks, each with its offset', () => {
  const cuts = Array.from({ length: STREAM.length + 1 }, (_, cut) => [STREAM.subarray(0, cut), STREAM.subarray(cut)]);
  for (const pieces of [...cuts, [...STREAM].map((byte) => Buffer.from([byte]))]) {
    let next = 1000;
    for (const { task, stream, offset, bytes } of readAll(pieces).outputs) {
      expect([task, stream, offset]).toEqual([5, 1, next]);
      next += bytes.length;
    }
    expect(String(Buffer.concat(readAll(pieces).outputs.map(({ bytes }) => bytes)))).toBe('some output and more');
  }
});

test('output that is too short for an offset is refused', () => {
  expect(() => readAll([encodeFrame(131, 1, Buffer.alloc(3)), Buffer.alloc(20)])).toThrow(RangeError);
});

test('a size that cannot be right is refused before its bytes are there', () => {
  for (const size of [0, 4, (256 << 10) + 1, 0xffff_ffff]) {
    const head = Buffer.alloc(9);
    head.writeUInt32LE(size, 0);
    expect(() => readAll([head])).toThrow(RangeError);
  }
});

test('fields carry their tag, their size and their bytes, and texts end in NUL', () => {
  const fields = new FieldWriter();
  fields.text(4, 'é');
  fields.u32(1, 258);
  fields.u64(2, 2 ** 40);
  fields.limit(12, 3, 5);
  fields.bytes(13, Buffer.from([9]));
  expect([...fields.finish(1, 2)]).toEqual([
    ...[60, 0, 0, 0, 1, 2, 0, 0, 0],
    ...[4, 0, 3, 0, 0, 0, 0xc3, 0xa9, 0],
    ...[1, 0, 4, 0, 0, 0, 2, 1, 0, 0],
    ...[2, 0, 8, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0],
    ...[12, 0, 9, 0, 0, 0, 3, 5, 0, 0, 0, 0, 0, 0, 0],
    ...[13, 0, 1, 0, 0, 0, 9],
  ]);
});

test('a writer grows with what is written', () => {
  const fields = new FieldWriter();
  const text = 'x'.repeat(100_000);
  fields.text(4, text);
  fields.text(5, text);
  const frame = fields.finish(1, 1);
  expect(frame.length).toBe(9 + 2 * (6 + 100_001));
  expect(frame.toString('latin1', 15, 100_015)).toBe(text);
});
