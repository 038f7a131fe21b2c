import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { cutAfter, cutBefore, stripSequences } from './boundaries.ts';
import { type OutputEnds, REQ_VIEW, viewAsPreview, viewByBytes, viewByCharacters } from './view.ts';

const bytes = (text: string) => new TextEncoder().encode(text);

/** As a spool stores it: everything in the head, or two ends. */
function endsOf(text: string, keep = Number.POSITIVE_INFINITY): OutputEnds {
  const all = bytes(text);
  if (all.length <= keep)
    return { head: all, tail: new Uint8Array(), totalBytes: all.length, totalCharacters: text.length };
  return {
    head: all.subarray(0, keep),
    tail: all.subarray(all.length - keep),
    totalBytes: all.length,
    totalCharacters: text.length,
  };
}

describe('cuts', () => {
  test.each([
    ['abc', 2, 2, 2],
    ['a😀b', 2, 1, 3],
    ['a\x1b[31mb', 3, 1, 6],
    ['a\x1b[31mb', 6, 6, 6],
    ['a\x1b]0;title\x07b', 5, 1, 11],
    ['a\x1b]8;;x\x1b\\b', 8, 1, 9],
    ['a\x1b(Bc', 2, 1, 4],
    ['', 5, 0, 0],
    ['abc', 0, 0, 0],
    ['abc', 9, 3, 3],
  ])('%j at %i is cut at %i or %i', (text, at, before, after) => {
    expect([cutBefore(text, at), cutAfter(text, at)]).toEqual([before, after]);
  });

  test('never split a character or a sequence, at any position', () => {
    const piece = fc.constantFrom('a', '😀', 'é', '\x1b[1;31m', '\x1b[0m', '\x1b]0;t\x07', '\n', '中');
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 30 }), fc.nat(200), (pieces, at) => {
        const text = pieces.join('');
        const borders = new Set([0]);
        let length = 0;
        for (const each of pieces) {
          length += each.length;
          borders.add(length);
        }
        expect(borders.has(cutBefore(text, at))).toBe(true);
        expect(borders.has(cutAfter(text, at))).toBe(true);
      }),
    );
  });

  test('escape sequences are removed, text stays', () => {
    expect(stripSequences('\x1b[1mbold\x1b[0m \x1b]0;t\x07x\x1b(By\x1b')).toBe('bold xy');
  });
});

describe('views', () => {
  test('128 KB are shown whole, one byte more is not', () => {
    const limit = 'x'.repeat(128 * 1024);
    expect(viewByBytes(endsOf(limit), REQ_VIEW)).toEqual({ text: limit, isTruncated: false, omittedBytes: 0 });
    const view = viewByBytes(endsOf(`${limit}y`), REQ_VIEW);
    expect(view.isTruncated).toBe(true);
    expect(view.text.startsWith('x'.repeat(4096))).toBe(true);
    expect(view.text.endsWith('y')).toBe(true);
    expect(view.omittedBytes).toBe(128 * 1024 + 1 - 8192);
    expect(view.text).toContain('122,881 of 131,073 bytes are not shown');
  });

  test('a character at the edge is left out whole', () => {
    const view = viewByBytes(endsOf(`${'x'.repeat(4095)}€${'y'.repeat(200_000)}`), REQ_VIEW);
    expect(view.text.slice(0, 4097)).toBe(`${'x'.repeat(4095)}\n\n`);
  });

  test('an escape sequence at the edge is left out whole', () => {
    const view = viewByBytes(endsOf(`${'x'.repeat(4093)}\x1b[31mred${'y'.repeat(200_000)}`), REQ_VIEW);
    expect(view.text.slice(0, 4095)).toBe(`${'x'.repeat(4093)}\n\n`);
  });

  test('30,000 characters are shown whole, more as two halves with the line of the proposal', () => {
    const whole = 'a'.repeat(30_000);
    expect(viewByCharacters(endsOf(whole)).isTruncated).toBe(false);
    const { text } = viewByCharacters(endsOf('a'.repeat(20_000) + 'b'.repeat(20_000)));
    expect(text).toBe(`${'a'.repeat(15_000)}\n\n... (10000 characters truncated) ...\n\n${'b'.repeat(15_000)}`);
  });

  test('only the ends are needed for it', () => {
    const text = 'é'.repeat(100_000);
    expect(viewByCharacters(endsOf(text, 70_000)).text).toBe(viewByCharacters(endsOf(text)).text);
  });

  test('30 KB are shown whole, more as a preview that names the file', () => {
    const kept = { path: '/spool/7.out', missingBytes: 0 };
    expect(viewAsPreview(endsOf('x'.repeat(30 * 1024)), kept).isTruncated).toBe(false);
    const { text } = viewAsPreview(endsOf('line\n'.repeat(10_000)), kept);
    expect(text).toContain('/spool/7.out');
    expect(text).toContain('48.8 KB');
    expect(text.length).toBeLessThan(3_000);
  });

  test.each([
    [{ path: '/s', missingBytes: 0 }, 'All of it is in: /s\n'],
    [{ path: '/s', missingBytes: 1234 }, 'Its beginning and its end, without 1,234 bytes in the middle, are in: /s\n'],
    [{ path: null, missingBytes: 0 }, 'It could not be kept in a file.\n'],
  ])('the preview says what is in the file: %j', (kept, expected) => {
    const { text } = viewAsPreview(endsOf('line\n'.repeat(10_000)), kept);
    expect(text).toContain(`too large to show. ${expected}`);
  });

  test('bytes that are not text are shown as replacement characters', () => {
    const ends = { head: new Uint8Array([65, 0xff, 66]), tail: new Uint8Array(), totalBytes: 3, totalCharacters: null };
    expect(viewByBytes(ends, REQ_VIEW).text).toBe('A\ufffdB');
  });
});
