import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openSpool, selectStream } from './spool.ts';
import { SpoolWriter } from './spool-writer.ts';

let folder = '';
let count = 0;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'hardshell-spool-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

type Chunk = readonly ['stdout' | 'stderr', string];

function write(headBytes: number, tailBytes: number, chunks: readonly Chunk[], isSplit = true) {
  count += 1;
  const path = join(folder, `spool-${count}`);
  const writer = new SpoolWriter({ path, headBytes, tailBytes }, isSplit);
  for (const [stream, text] of chunks) writer.write(stream, Buffer.from(text));
  writer.finish();
  writer.close();
  return openSpool(path);
}

test('any mix of chunks, heads and tails reads back like a plain list of bytes', async () => {
  let seed = 1;
  const random = (limit: number) => {
    seed = (Math.imul(seed, 1103515245) + 12345) >>> 0;
    return (seed >>> 8) % limit;
  };
  for (let round = 0; round < 200; round += 1) {
    const [head, tail] = [random(8) * 8, random(8) * 8];
    const chunks = Array.from({ length: random(12) }, (): Chunk => {
      const text = String.fromCharCode(97 + random(26)).repeat(random(30));
      return [random(2) ? 'stdout' : 'stderr', text];
    });
    const bytes = chunks.flatMap(([stream, text]) => [...text].map((letter) => ({ stream, letter })));
    const output = await write(head, tail, chunks);
    const kept = bytes.map((_, i) => i < head || i >= bytes.length - tail);
    for (const stream of [undefined, 'stdout', 'stderr'] as const) {
      const wanted = bytes.filter((byte, i) => kept[i] && (stream === undefined || byte.stream === stream));
      const read = String(await output.read(0, bytes.length, stream));
      expect({ round, stream, read }).toEqual({ round, stream, read: wanted.map((byte) => byte.letter).join('') });
    }
    const [from, to] = [random(60), random(120)];
    const part = bytes.slice(from, to).filter((_, i) => kept[from + i]);
    expect(String(await output.read(from, to))).toBe(part.map((byte) => byte.letter).join(''));
    expect(output.missingBytes).toBe(kept.filter((isKept) => !isKept).length);
  }
});

test('merged streams cannot be read separately', async () => {
  const output = await write(8, 8, [['stdout', 'x']], false);
  await expect(output.read(0, 1, 'stdout')).rejects.toMatchObject({ code: 'invalid-argument' });
});

test('a file that is not a spool is refused with a code', async () => {
  await expect(openSpool(join(folder, 'none'))).rejects.toMatchObject({ code: 'no-output' });
  writeFileSync(join(folder, 'odd.map'), Buffer.alloc(4096));
  await expect(openSpool(join(folder, 'odd'))).rejects.toMatchObject({ code: 'no-output' });
});

test('a stream is selected by bits that may start inside a byte', () => {
  const bytes = Buffer.from('abcdefghijklmnopqrst');
  const map = Buffer.from([0b11110000, 0xff, 0x00]);
  expect(String(selectStream(bytes, map, 0, 'stderr'))).toBe('efghijklmnop');
  expect(String(selectStream(bytes, map, 0, 'stdout'))).toBe('abcdqrst');
  expect(String(selectStream(bytes.subarray(0, 5), map, 3, 'stderr'))).toBe('bcde');
});
