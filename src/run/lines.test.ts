import { expect, test } from 'vitest';
import { LineSplitter } from './lines.ts';

function split(chunks: readonly Uint8Array[], maxLineBytes?: number): string[] {
  const lines: string[] = [];
  const splitter = new LineSplitter((line) => lines.push(line), maxLineBytes === undefined ? {} : { maxLineBytes });
  for (const chunk of chunks) {
    const memory = Buffer.from(chunk);
    splitter.push(memory);
    memory.fill(0x21);
  }
  splitter.end();
  return lines;
}

test.each<[string, string[]]>([
  ['', []],
  ['\n', ['']],
  ['a', ['a']],
  ['a\n', ['a']],
  ['a\nb', ['a', 'b']],
  ['\n\na\n\n', ['', '', 'a', '']],
  ['a\r\nb\r\n', ['a\r', 'b\r']],
  ['é\n€uro\n😀\nend', ['é', '€uro', '😀', 'end']],
  [`${'x'.repeat(300)}\n${'é'.repeat(300)}`, ['x'.repeat(300), 'é'.repeat(300)]],
])('%j is %j, wherever it is cut', (text, lines) => {
  const bytes = Buffer.from(text);
  for (let cut = 0; cut <= bytes.length; cut += 1)
    expect(split([bytes.subarray(0, cut), bytes.subarray(cut)])).toEqual(lines);
  expect(split([...bytes].map((byte) => Uint8Array.of(byte)))).toEqual(lines);
});

test('invalid UTF-8 becomes replacement characters and affects no other line', () => {
  expect(split([Buffer.from([0x61, 0xff, 0x0a, 0x62, 0xc3, 0x0a, 0x63])])).toEqual(['a\ufffd', 'b\ufffd', 'c']);
});

test.each([
  ['x', 'xxxxxxxxxx'],
  ['é', 'ééééé'],
  ['€', '€€€'],
  ['😀', '😀😀'],
])('a line of many %s that is too long is split into whole characters', (character, first) => {
  const text = character.repeat(40);
  const bytes = Buffer.from(text);
  for (const chunks of [[bytes], [...bytes].map((byte) => Uint8Array.of(byte))]) {
    const lines = split([...chunks, Buffer.from('\nnext\n')], 10);
    expect(lines[0]).toBe(first);
    expect(lines.slice(0, -1).join('')).toBe(text);
    expect(lines.at(-1)).toBe('next');
  }
});

test('bytes that never form a character are buffered no longer than others', () => {
  const lines = split([Buffer.alloc(100, 0x80)], 10);
  expect(lines).toEqual(Array.from({ length: 10 }, () => '\ufffd'.repeat(10)));
});

test.each([1, 2, 3])('a limit of %s bytes, less than a character, still comes to an end', (limit) => {
  expect(split([Buffer.from('😀a')], limit).length).toBeGreaterThan(0);
});
