import { createRequire } from 'node:module';
import { deflateSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { resizeImage } from './image-resize.ts';

/** What is tried here is never how fast it is, but where a test says so. */
function resize(bytes: Uint8Array, mediaType: string, limit: Parameters<typeof resizeImage>[2] = {}) {
  return resizeImage(bytes, mediaType, { timeoutMs: 50_000, ...limit });
}

const photon: typeof import('@silvia-odwyer/photon-node') = createRequire(import.meta.url)(
  '@silvia-odwyer/photon-node',
);

function crc32(bytes: Uint8Array): number {
  let crc = ~0;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit += 1) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb8_8320 : 0);
  }
  return ~crc >>> 0;
}

function chunk(name: string, data: Uint8Array): Buffer {
  const named = Buffer.concat([Buffer.from(name), data]);
  const [size, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  size.writeUInt32BE(data.length);
  sum.writeUInt32BE(crc32(named));
  return Buffer.concat([size, named, sum]);
}

/** Grey levels; `rows` may differ from the height in the header. */
function png(width: number, height: number, { rows = height, noise = 0 } = {}): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header[8] = 8;
  const pixels = Buffer.alloc(rows * (width + 1));
  let seed = 1;
  if (noise > 0)
    for (let i = 0; i < pixels.length; i += 1) {
      seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0;
      pixels[i] = i % (width + 1) === 0 ? 0 : (seed >>> 16) % noise;
    }
  const parts = [chunk('IHDR', header), chunk('IDAT', deflateSync(pixels)), chunk('IEND', Buffer.alloc(0))];
  return Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), ...parts]);
}

/** Two colors; one code per pixel, with a clear code before the table grows. */
function gif(width: number, height: number): Buffer {
  let [bits, count] = [0n, 0n];
  const put = (code: number) => {
    bits |= BigInt(code) << count;
    count += 3n;
  };
  for (let pixel = 0; pixel < width * height; pixel += 1) {
    if (pixel % 2 === 0) put(4);
    put(pixel % 3 === 0 ? 1 : 0);
  }
  put(5);
  const data = Buffer.from(bits.toString(16).padStart(Number((count + 7n) / 8n) * 2, '0'), 'hex').reverse();
  const blocks: Buffer[] = [];
  for (let at = 0; at < data.length; at += 255) {
    const block = data.subarray(at, at + 255);
    blocks.push(Buffer.from([block.length]), block);
  }
  const size = [width & 0xff, width >> 8, height & 0xff, height >> 8];
  const colours = [0, 0, 0, 255, 255, 255, 255, 0, 0, 0, 0, 255];
  return Buffer.concat([
    Buffer.from('GIF89a'),
    Buffer.from([...size, 0x81, 0, 0, ...colours, 0x2c, 0, 0, 0, 0, ...size, 0, 2]),
    ...blocks,
    Buffer.from([0, 0x3b]),
  ]);
}

function encode(width: number, height: number, how: 'jpeg' | 'webp'): Uint8Array {
  const pixels = Uint8Array.from({ length: width * height * 4 }, (_, i) => (i % 4 === 3 ? 255 : (i * 7) & 0xff));
  const image = new photon.PhotonImage(pixels, width, height);
  return how === 'jpeg' ? image.get_bytes_jpeg(90) : image.get_bytes_webp();
}

function sizeOf(bytes: Uint8Array): string {
  const image = photon.PhotonImage.new_from_byteslice(bytes);
  return `${image.get_width()}x${image.get_height()}`;
}

function formatOf(bytes: Uint8Array): string | undefined {
  const start = Buffer.from(bytes).toString('latin1', 0, 12);
  return Object.entries({ png: /^\x89PNG/, jpeg: /^\xff\xd8\xff/, gif: /^GIF8/, webp: /^RIFF....WEBP/s }).find(
    ([, pattern]) => pattern.test(start),
  )?.[0];
}

const ROWS: readonly (readonly [string, Uint8Array, string, string])[] = [
  ['image/png', png(300, 200), 'image/png', '100x66'],
  ['image/jpeg', encode(200, 300, 'jpeg'), 'image/jpeg', '66x100'],
  ['image/webp', encode(150, 300, 'webp'), 'image/webp', '50x100'],
  ['image/gif', gif(120, 60), 'image/png', '100x50'],
  ['image/png', png(1000, 1), 'image/png', '100x1'],
];

test.each(ROWS)('%s is scaled down and keeps its aspect ratio', async (mediaType, bytes, expected, size) => {
  const before = Buffer.from(bytes);
  const found = await resize(bytes, mediaType, { maxEdge: 100, hardEdge: 100 });
  expect(found?.mediaType).toBe(expected);
  const result = found?.bytes as Uint8Array;
  expect([formatOf(result), sizeOf(result)]).toEqual([expected.slice('image/'.length), size]);
  expect(`${found?.width}x${found?.height}`).toBe(size);
  expect(before.equals(bytes)).toBe(true);
});

test.each(ROWS)('%s inside the limits is returned unchanged', async (mediaType, bytes) => {
  const found = await resize(bytes, mediaType, { maxEdge: 1000 });
  expect(found).toMatchObject({ bytes, mediaType });
  expect(`${found?.width}x${found?.height}`).toBe(sizeOf(bytes));
  expect(found?.bytes).toBe(bytes);
});

test('an image that is too large in its own format becomes JPEG', async () => {
  const bytes = png(400, 400, { noise: 32 });
  const found = await resize(bytes, 'image/png', { maxBytes: 60_000 });
  expect([found?.mediaType, sizeOf(found?.bytes as Uint8Array)]).toEqual(['image/jpeg', '400x400']);
  expect(found?.bytes.length).toBeLessThanOrEqual(60_000);
  expect(await resize(bytes, 'image/png', { maxBytes: 1000 })).toBeNull();
});

/** Lines of one pixel: a small file as it is, and a large one when its edges are blurred. */
const drawing = png(2400, 2400, { noise: 2 });

test.each<[string, Uint8Array]>([
  ['image/png', png(300, 200)],
  ['image/png', drawing],
  ['image/jpeg', encode(300, 200, 'jpeg')],
])('%s is never made larger, and its media type is that of its bytes', async (mediaType, bytes) => {
  const found = await resize(bytes, mediaType, { maxEdge: 290 });
  expect(found?.bytes.length).toBeLessThanOrEqual(bytes.length);
  expect(found?.mediaType).toBe(`image/${formatOf(found?.bytes as Uint8Array)}`);
});

test('an edge that models reject is made smaller even if that needs more bytes', async () => {
  const bytes = png(9000, 10);
  const found = await resize(bytes, 'image/png');
  expect(found?.width).toBe(2000);
  expect((await resize(png(7000, 10), 'image/png'))?.width).toBe(7000);
});

test('a view of a larger buffer stays usable', async () => {
  const large = Buffer.concat([Buffer.alloc(10, 1), png(300, 200), Buffer.alloc(10, 2)]);
  const view = large.subarray(10, large.length - 10);
  expect(await resize(view, 'image/png', { maxEdge: 50, hardEdge: 50 })).not.toBeNull();
  expect([large.length, large[0], large.at(-1)]).toEqual([view.length + 20, 1, 2]);
});

const whole = png(300, 200);
test.each<[string, Uint8Array]>([
  ['nothing', new Uint8Array()],
  ['text', Buffer.from('not an image')],
  ['a truncated PNG', whole.subarray(0, 60)],
  ['a PNG with broken data', Buffer.concat([whole.subarray(0, 45), Buffer.alloc(whole.length - 45, 0x55)])],
  ['a JPEG that is only a header', Buffer.from('ffd8ffe000104a4649460001', 'hex')],
  ['a GIF without images', Buffer.concat([gif(4, 4).subarray(0, 25), Buffer.from([0x3b])])],
  ['a header of 60,000 x 60,000', png(60_000, 60_000, { rows: 1 })],
  ['a header of 2^31 x 2^31', png(2 ** 31 - 1, 2 ** 31 - 1, { rows: 0 })],
  ['more pixels than allowed', png(1001, 1000)],
])('%s gives null', async (_, bytes) => {
  expect(await resize(bytes, 'image/png', { maxEdge: 100, maxPixels: 1_000_000 })).toBeNull();
});

test('decoding cannot use more memory than the pixel limit requires', async () => {
  // 400 megapixels in 400 KB: decoded, it would be 1.6 GB.
  const bomb = png(20_000, 20_000);
  const before = process.resourceUsage().maxRSS;
  expect(await resize(bomb, 'image/png', { maxPixels: 4_000_000 })).toBeNull();
  expect(process.resourceUsage().maxRSS - before).toBeLessThan(400_000);
});

test('decoding that takes too long is ended', async () => {
  expect(await resize(png(4000, 4000), 'image/png', { maxEdge: 3000, timeoutMs: 1 })).toBeNull();
});

test('an image as large as the limit fits into its memory', async () => {
  const found = await resize(png(2000, 2000), 'image/png', { maxPixels: 4_000_000, maxEdge: 1999, hardEdge: 1999 });
  expect(found === null ? null : sizeOf(found.bytes)).toBe('1999x1999');
});
