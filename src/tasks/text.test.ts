import { describe, expect, test } from 'vitest';
import { cutToCharacters, skipToCharacter } from './text.ts';

describe('cutToCharacters', () => {
  test.each<[string, number[], number]>([
    ['nothing', [], 0],
    ['plain text', [0x61, 0x62], 2],
    ['a whole character', [0xe2, 0x82, 0xac], 3],
    ['one byte of two', [0x61, 0xc3], 1],
    ['two bytes of three', [0x61, 0xe2, 0x82], 1],
    ['three bytes of four', [0x61, 0xf0, 0x9f, 0x98], 1],
    ['a whole one of four', [0xf0, 0x9f, 0x98, 0x80], 4],
    ['continuations without a beginning', [0x80, 0x80, 0x80, 0x80], 4],
    ['a byte that starts no character', [0x61, 0xff], 2],
    ['an invalid first byte', [0x61, 0xc0], 2],
    ['only a part', [0xe2], 0],
  ])('%s', (_, bytes, expected) => {
    expect(cutToCharacters(Uint8Array.from(bytes))).toBe(expected);
  });
});

describe('skipToCharacter', () => {
  test.each<[string, number[], number]>([
    ['a whole character', [0xe2, 0x82, 0xac], 0],
    ['the end of one', [0x82, 0xac, 0x61], 2],
    ['no character: at most three bytes are skipped', [0x80, 0x80, 0x80, 0x80], 3],
    ['nothing', [], 0],
  ])('%s', (_, bytes, expected) => {
    expect(skipToCharacter(Uint8Array.from(bytes))).toBe(expected);
  });
});
