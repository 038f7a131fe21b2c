import { expect, test } from 'vitest';
import type { Span } from '../../../host/deciding.ts';
import { markSpan } from './source.ts';

function draw(source: string, span: Span, width = 80): string {
  const { text, start, length } = markSpan(source, span, width);
  return `${text}\n${' '.repeat(start)}${'^'.repeat(length)}`;
}

test('carets stand under the span', () => {
  expect(draw('echo $x | sh', [10, 12])).toBe('echo $x | sh\n          ^^');
});

test('only the line of the span is shown, and carets end with it', () => {
  expect(draw('one\ntwo three\nfour', [8, 18])).toBe('two three\n    ^^^^^');
});

test('an empty span, or one at the end, still gets a caret', () => {
  expect(draw('echo "a', [7, 7])).toBe('echo "a\n       ^');
  expect(draw('', [0, 0])).toBe('\n^');
});

test('escaped and wide characters are counted as shown', () => {
  expect(draw('echo 文 \u202e $x', [9, 11])).toBe('echo 文 \\u{202e} $x\n                 ^^');
});

test('a long line is cut around the span', () => {
  const shown = draw(`${'a'.repeat(200)}MARK${'b'.repeat(200)}`, [200, 204], 40);
  const [text = '', carets = ''] = shown.split('\n');
  expect(text.length).toBeLessThanOrEqual(40);
  expect(text.slice(carets.indexOf('^'), carets.lastIndexOf('^') + 1)).toBe('MARK');
  expect(text).toMatch(/^\.\.\.a+MARKb+\.\.\.$/);
});

test('a span wider than the screen is cut too', () => {
  const [text = ''] = draw(`x${'m'.repeat(500)}y`, [1, 501], 40).split('\n');
  expect(text.length).toBeLessThanOrEqual(40);
  expect(text).toMatch(/^xm+\.\.\.$/);
});
