import { describe, expect, test } from 'vitest';
import { columns, visible, visibleJson } from './visible.ts';

describe('visible', () => {
  const rows: [name: string, text: string, shown: string][] = [
    ['plain text stays', "ls -l 'a b' | wc", "ls -l 'a b' | wc"],
    ['letters of any script stay', 'grep größe 文件 ファイル', 'grep größe 文件 ファイル'],
    ['escape sequences', '\x1b[2Jrm', '\\e[2Jrm'],
    ['carriage return and bell', 'a\rb\x07', 'a\\rb\\x07'],
    ['C1 controls', '\x9b31m', '\\x9b31m'],
    ['bidi override', 'rm \u202e fdp.txt', 'rm \\u{202e} fdp.txt'],
    ['isolates', '\u2066a\u2069', '\\u{2066}a\\u{2069}'],
    ['zero width', 'r\u200bm \ufeff', 'r\\u{200b}m \\u{feff}'],
    ['look-alike blanks', 'rm\u00a0-rf\u3000x', 'rm\\xa0-rf\\u{3000}x'],
    ['fillers', 'a\u3164b\u2800', 'a\\u{3164}b\\u{2800}'],
    ['tag characters and variation selectors', 'a\u{e0041}\ufe0f', 'a\\u{e0041}\\u{fe0f}'],
    ['lone surrogates', 'a\ud800b', 'a\\u{d800}b'],
    ['line ends', 'a\nb\u2028', 'a\\nb\\u{2028}'],
  ];
  test.each(rows)('%s', (_name, text, shown) => expect(visible(text)).toBe(shown));
});

test('JSON keeps its value and shows the same characters as escapes', () => {
  const value = { command: 'rm \u202e \u{e0041} é 文 \x9b' };
  const json = visibleJson(JSON.stringify(value));
  expect(json).toBe('{"command":"rm \\u202e \\udb40\\udc41 é 文 \\u009b"}');
  expect(JSON.parse(json)).toEqual(value);
});

test('columns count what a terminal uses', () => {
  expect(['abc', '文件', 'e\u0301', '😀', ''].map(columns)).toEqual([3, 4, 1, 2, 0]);
});
