import { expect, test } from 'vitest';
import { encodeFrame, FieldWriter, type Frame, FrameReader } from './frames.ts';

function readAll(pieces: Buffer[]): { type: number; task: number; text: string }[] {
  const frames: { type: number; task: number; text: string }[] = [];
  const reader = new FrameReader();
  const take = ({ type, task, payload }: Frame) => frames.push({ type, task, text: payload.toString() });
  for (const piece of pieces) reader.push(piece, take);
  return frames;
}

const STREAM = Buffer.concat([
  encodeFrame(130, 1, Buffer.from('one')),
  encodeFrame(131, 0xffff_ffff),
  encodeFrame(132, 7, Buffer.from('three')),
]);
const FRAMES = [
  { type: 130, task: 1, text: 'one' },
  { type: 131, task: 0xffff_ffff, text: '' },
  { type: 132, task: 7, text: 'three' },
];

test('frames come out whole, wherever the bytes were cut', () => {
  for (let cut = 0; cut <= STREAM.length; cut += 1)
    expect(readAll([STREAM.subarray(0, cut), STREAM.subarray(cut)])).toEqual(FRAMES);
  expect(readAll([...STREAM].map((byte) => Buffer.from([byte])))).toEqual(FRAMES);
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
