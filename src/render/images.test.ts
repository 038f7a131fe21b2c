import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { DEFAULT_IMAGE_LIMITS, fitInside, type ImageFinding, type ImageFormat, recognizeImage } from './images.ts';

/** 7 × 5 pixels each, written by libvips. */
const ENCODED = {
  png:
    'iVBORw0KGgoAAAANSUhEUgAAAAcAAAAFCAYAAACJmvbYAAAACXBIWXMAAAPoAAAD6AG1e1JrAAAAEklEQVQImWM4IWfTgAszDIAk' +
    'AD17OScnr0MQAAAAAElFTkSuQmCC',
  jpeg:
    '/9j/2wBDABQODxIPDRQSEBIXFRQYHjIhHhwcHj0sLiQySUBMS0dARkVQWnNiUFVtVkVGZIhlbXd7gYKBTmCNl4x9lnN+gXz/2wBD' +
    'ARUXFx4aHjshITt8U0ZTfHx8fHx8fHx8fHx8fHx8fHx8fHx8fHx8fHx8fHx8fHx8fHx8fHx8fHx8fHx8fHx8fHz/wAARCAAFAAcD' +
    'ASIAAhEBAxEB/8QAFQABAQAAAAAAAAAAAAAAAAAAAAb/xAAUEAEAAAAAAAAAAAAAAAAAAAAA/8QAFQEBAQAAAAAAAAAAAAAAAAAA' +
    'AgX/xAAUEQEAAAAAAAAAAAAAAAAAAAAA/9oADAMBAAIRAxEAPwCdABQf/9k=',
  progressive:
    '/9j/2wBDABQODxIPDRQSEBIXFRQYHjIhHhwcHj0sLiQySUBMS0dARkVQWnNiUFVtVkVGZIhlbXd7gYKBTmCNl4x9lnN+gXz/2wBD' +
    'ARUXFx4aHjshITt8U0ZTfHx8fHx8fHx8fHx8fHx8fHx8fHx8fHx8fHx8fHx8fHx8fHx8fHx8fHx8fHx8fHx8fHz/wgARCAAFAAcD' +
    'ASIAAhEBAxEB/8QAFQABAQAAAAAAAAAAAAAAAAAAAAX/xAAVAQEBAAAAAAAAAAAAAAAAAAACBP/aAAwDAQACEAMQAAABnA0f/8QA' +
    'FBABAAAAAAAAAAAAAAAAAAAAAP/aAAgBAQABBQJ//8QAFBEBAAAAAAAAAAAAAAAAAAAAAP/aAAgBAwEBPwF//8QAFBEBAAAAAAAA' +
    'AAAAAAAAAAAAAP/aAAgBAgEBPwF//8QAFBABAAAAAAAAAAAAAAAAAAAAAP/aAAgBAQAGPwJ//8QAFBABAAAAAAAAAAAAAAAAAAAA' +
    'AP/aAAgBAQABPyF//9oADAMBAAIAAwAAABAL/8QAFBEBAAAAAAAAAAAAAAAAAAAAAP/aAAgBAwEBPxB//8QAFBEBAAAAAAAAAAAA' +
    'AAAAAAAAAP/aAAgBAgEBPxB//8QAFBABAAAAAAAAAAAAAAAAAAAAAP/aAAgBAQABPxB//9k=',
  gif: 'R0lGODlhBwAFAIAAAExpccgePCH5BAUAAAAALAAAAAAHAAUAAAIFjI+puwUAOw==',
  vp8: 'UklGRjQAAABXRUJQVlA4ICgAAABwAQCdASoHAAUAAUAmJaACdAFAAAD++fr8mPRWv/yz//Zb/st4QAAA',
  vp8l: 'UklGRh4AAABXRUJQVlA4TBEAAAAvBgABEAdQjyKXp4CBiOh/AAA=',
  vp8x:
    'UklGRlwAAABXRUJQVlA4WAoAAAAQAAAABgAABAAAQUxQSAoAAAABB1DAiAhERP8DVlA4ICwAAACQAQCdASoHAAUAAUAmJaACdLoA' +
    'A5gA/vD6K67xaUa/+8Z//cZ//cZ/7uAAAA==',
};
type Name = keyof typeof ENCODED;
const FORMATS: Readonly<Record<Name, ImageFormat>> = {
  png: 'png',
  jpeg: 'jpeg',
  progressive: 'jpeg',
  gif: 'gif',
  vp8: 'webp',
  vp8l: 'webp',
  vp8x: 'webp',
};
const NAMES = Object.keys(ENCODED) as Name[];
const bytesOf = (name: Name) => new Uint8Array(Buffer.from(ENCODED[name], 'base64'));
const join = (...parts: (Uint8Array | string)[]) =>
  new Uint8Array(Buffer.concat(parts.map((part) => Buffer.from(part as string))));
const summary = (finding: ImageFinding) => {
  if (finding.kind !== 'image') return finding.kind === 'refused' ? finding.reason : finding.kind;
  return `${finding.mediaType} ${finding.width}x${finding.height}`;
};
const see = (output: Uint8Array | string) =>
  summary(recognizeImage(typeof output === 'string' ? join(output) : output));

describe.each(NAMES)('%s', (name) => {
  const bytes = bytesOf(name);
  const image = `image/${FORMATS[name]} 7x5`;

  test('is known by its content, with its size', () => {
    expect(recognizeImage(bytes)).toEqual({
      kind: 'image',
      format: FORMATS[name],
      mediaType: `image/${FORMATS[name]}`,
      width: 7,
      height: 5,
      bytes,
    });
  });

  test('a line break may follow, text before or after is refused', () => {
    expect(see(join(bytes, '\n'))).toBe(image);
    expect(see(join('x', bytes))).toBe('text');
    expect(see(join(bytes, 'and more text'))).not.toBe(image);
    expect(see(join(bytes, bytes))).toBe(FORMATS[name] === 'jpeg' ? image : 'malformed');
  });

  test('truncated anywhere, it is not an image', () => {
    for (let length = 0; length < bytes.length; length++)
      expect(see(bytes.subarray(0, length)), `${length}`).not.toBe(image);
    expect(see(bytes.subarray(0, bytes.length - 4))).toBe('cut-off');
  });

  test('a data URI is the same image, with any declared type', () => {
    for (const type of ['png', 'jpeg', 'x-other', 'svg+xml'])
      expect(see(`data:image/${type};base64,${ENCODED[name]}`)).toBe(image);
    expect(see(`\n  data:image/png;charset=utf-8;base64,${ENCODED[name]} \r\n`)).toBe(image);
    const found = recognizeImage(join(`data:image/png;base64,${ENCODED[name]}`));
    expect(found).toMatchObject({ bytes });
  });

  test('limits apply before decoding', () => {
    const limited = (limits: Partial<typeof DEFAULT_IMAGE_LIMITS>, output: Uint8Array) =>
      summary(recognizeImage(output, { ...DEFAULT_IMAGE_LIMITS, ...limits }));
    const uri = join(`data:image/png;base64,${ENCODED[name]}`);
    for (const output of [bytes, uri]) {
      expect(limited({ bytes: bytes.length }, output)).toBe(image);
      expect(limited({ bytes: bytes.length - 3 }, output)).toBe('too-many-bytes');
      expect(limited({ pixels: 35 }, output)).toBe(image);
      expect(limited({ pixels: 34 }, output)).toBe('too-many-pixels');
    }
  });
});

test('a small file that claims to be huge is refused', () => {
  const bomb = bytesOf('png');
  new DataView(bomb.buffer).setUint32(16, 0xffff_ffff);
  new DataView(bomb.buffer).setUint32(20, 0xffff_ffff);
  expect(see(bomb)).toBe('too-many-pixels');
});

test('zero width is not an image', () => {
  const empty = bytesOf('gif');
  empty.set([0, 0], 6);
  expect(see(empty)).toBe('malformed');
});

test.each([
  '',
  'hello',
  'data:',
  'data:image/png;base64,',
  'data:image/png;base64,aGVsbG8=',
  `data:image/png,${ENCODED.png}`,
  `data:text/plain;base64,${ENCODED.png}`,
  `see data:image/png;base64,${ENCODED.png}`,
  `data:image/${'x'.repeat(500)};base64,${ENCODED.png}`,
  'GIF87',
  'RIFF0000WAVE',
])('%.40j is text', (output) => {
  expect(see(output)).toBe('text');
});

test.each([
  `data:image/png;base64,${ENCODED.png}!`,
  `data:image/png;base64,${ENCODED.png} and text`,
  `data:image/png;base64,${ENCODED.png}\n${ENCODED.png}`,
  `data:image/png;base64,${ENCODED.png.slice(0, -3)}`,
])('a malformed data URI is refused', (output) => {
  expect(see(output)).toBe('malformed');
});

describe('for any input', () => {
  const anyBytes = fc.oneof(
    fc.uint8Array({ maxLength: 200 }),
    fc.tuple(fc.constantFrom(...NAMES), fc.nat(500), fc.nat(255), fc.nat(500)).map(([name, at, value, length]) => {
      const bytes = bytesOf(name);
      bytes[at % bytes.length] = value;
      return bytes.subarray(0, length);
    }),
  );

  test('nothing throws, and every image has a size within the limits', () => {
    fc.assert(
      fc.property(anyBytes, (bytes) => {
        const found = recognizeImage(bytes);
        if (found.kind !== 'image') return;
        expect(found.width * found.height).toBeGreaterThan(0);
        expect(found.width * found.height).toBeLessThanOrEqual(DEFAULT_IMAGE_LIMITS.pixels);
      }),
      { numRuns: 2_000 },
    );
  });

  test('text is text', () => {
    fc.assert(fc.property(fc.string(), (text) => see(text) === 'text'));
  });
});

test.each([
  [
    { width: 4_000, height: 3_000 },
    { width: 2_000, height: 1_500 },
  ],
  [
    { width: 100, height: 50 },
    { width: 100, height: 50 },
  ],
  [
    { width: 10_000, height: 3 },
    { width: 2_000, height: 1 },
  ],
  [
    { width: 1, height: 9_000 },
    { width: 1, height: 2_000 },
  ],
])('%j fits as %j', (size, expected) => {
  expect(fitInside(size, { width: 2_000, height: 2_000 })).toEqual(expected);
});
