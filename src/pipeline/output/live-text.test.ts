import { describe, expect, test } from 'vitest';
import { LiveText, type TextPiece } from './live-text.ts';

type Chunk = readonly ['out' | 'err', string | number[]];

function feed(chunks: readonly Chunk[], stripAnsi = false): TextPiece[] {
  const live = new LiveText({ stripAnsi });
  let offset = 0;
  const pieces = chunks.flatMap(([name, data]) => {
    const bytes = Buffer.from(data as string);
    const piece = live.push(name === 'err' ? 'stderr' : 'stdout', offset, bytes);
    offset += bytes.length;
    return piece ?? [];
  });
  return [...pieces, ...live.end()];
}

const plain = (pieces: readonly TextPiece[]) => pieces.map(({ text, byteOffset, line }) => [text, byteOffset, line]);

describe('text', () => {
  test.each<[string, Chunk[], unknown[]]>([
    [
      'whole chunks',
      [
        ['out', 'a\nb'],
        ['out', 'c\n'],
        ['out', 'd'],
      ],
      [
        ['a\nb', 0, 1],
        ['c\n', 3, 2],
        ['d', 5, 3],
      ],
    ],
    [
      'a character in two',
      [
        ['out', [0x61, 0xe2, 0x82]],
        ['out', [0xac, 0x62]],
      ],
      [
        ['a', 0, 1],
        ['€b', 1, 1],
      ],
    ],
    [
      'a character in three',
      [
        ['out', [0xe2]],
        ['out', [0x82]],
        ['out', [0xac]],
      ],
      [['€', 0, 1]],
    ],
    [
      'one that never ends',
      [['out', [0x61, 0xf0, 0x9f]]],
      [
        ['a', 0, 1],
        ['\ufffd', 1, 1],
      ],
    ],
    ['bytes that are no text', [['out', [0xff, 0x61]]], [['\ufffda', 0, 1]]],
    ['a mark at the beginning', [['out', '\ufeffx']], [['\ufeffx', 0, 1]]],
    [
      'two streams, one in the middle of a character',
      [
        ['out', [0xe2, 0x82]],
        ['err', 'x\n'],
        ['out', [0xac]],
        ['err', 'y'],
      ],
      [
        ['x\n', 2, 1],
        ['€', 0, 2],
        ['y', 5, 2],
      ],
    ],
  ])('%s', (_, chunks, expected) => {
    expect(plain(feed(chunks))).toEqual(expected);
  });
});

describe('without escape sequences', () => {
  test.each<[string, Chunk[], unknown[]]>([
    ['whole ones', [['out', 'a\x1b[31mb\x1b[0m']], [['ab', 0, 1]]],
    [
      'cut ones',
      [
        ['out', 'a\x1b['],
        ['out', '31'],
        ['out', 'mb'],
      ],
      [
        ['a', 0, 1],
        ['b', 1, 1],
      ],
    ],
    [
      'after characters of several bytes',
      [
        ['out', '€\x1b'],
        ['out', '[0mb'],
      ],
      [
        ['€', 0, 1],
        ['b', 3, 1],
      ],
    ],
    [
      'after bytes that are no text',
      [
        ['out', [0xff, 0xff, 0x1b]],
        ['out', '[0mb'],
      ],
      [
        ['\ufffd\ufffd', 0, 1],
        ['b', 2, 1],
      ],
    ],
    [
      'a title',
      [
        ['out', 'a\x1b]0;ti'],
        ['out', 'tle\x07b'],
      ],
      [
        ['a', 0, 1],
        ['b', 1, 1],
      ],
    ],
    ['one that never ends', [['out', 'a\x1b[3']], [['a', 0, 1]]],
  ])('%s', (_, chunks, expected) => {
    expect(plain(feed(chunks, true))).toEqual(expected);
  });

  test('a sequence that is too long becomes text again', () => {
    const pieces = feed(
      [['out', '\x1b]0;'], ...Array.from({ length: 20 }, (): Chunk => ['out', 'x'.repeat(500)])],
      true,
    );
    expect(pieces.map(({ text }) => text).join('').length).toBeGreaterThan(5000);
  });

  test('the result does not depend on where the input is cut', () => {
    const text = 'α\x1b[1;31mβ\x1b[0m\r\n\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\ \x1b(Bend 😀';
    const bytes = [...Buffer.from(text)];
    for (let size = 1; size <= bytes.length; size += 1) {
      const chunks: Chunk[] = [];
      for (let at = 0; at < bytes.length; at += size) chunks.push(['out', bytes.slice(at, at + size)]);
      const left = feed(chunks, true).map((piece) => piece.text);
      expect(left.join('')).toBe('αβ\r\nlink end 😀');
    }
  });
});
