import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { extractHints, type HintedText, HintFilter } from './hints.ts';

const attributes = (...list: Record<string, string>[]) => list.map((one) => ({ attributes: one }));

test.each<[string, string, Record<string, string>[]]>([
  ['<claude-code-hint a="1" />', '', [{ a: '1' }]],
  ['<claude-code-hint a="1"/>', '', [{ a: '1' }]],
  ['<claude-code-hint a = "1" b=\'2\'/>', '', [{ a: '1', b: '2' }]],
  ['x <claude-code-hint a="1" /> y', 'x  y', [{ a: '1' }]],
  ['x\n<claude-code-hint a="1" />\ny\n', 'x\ny\n', [{ a: '1' }]],
  ['x\r\n<claude-code-hint a="1" />\r\ny', 'x\r\ny', [{ a: '1' }]],
  ['x <claude-code-hint a="1" />\ny', 'x \ny', [{ a: '1' }]],
  ['<claude-code-hint a="1" />\n\ny', '\ny', [{ a: '1' }]],
  ['<claude-code-hint a="1" />\ry', '\ry', [{ a: '1' }]],
  ['<claude-code-hint a="1" />\r', '\r', [{ a: '1' }]],
  ['<claude-code-hint a="1" /><claude-code-hint a="2" />\n', '', [{ a: '1' }, { a: '2' }]],
  [
    '<claude-code-hint\n  plugin-name="my-lsp"\n  reason="a > b"\n/>\nok',
    'ok',
    [{ 'plugin-name': 'my-lsp', reason: 'a > b' }],
  ],
  ['<claude-code-hint a="&lt;&amp;lt;&quot;&apos;&gt;&nope;" />', '', [{ a: '<&lt;"\'>&nope;' }]],
  ['<claude-code-hint __proto__="1" constructor="2" />', '', [JSON.parse('{"__proto__":"1","constructor":"2"}')]],
  ['<claude-code-hint a="ä😀" />é', 'é', [{ a: 'ä😀' }]],
  ['<<claude-code-hint a="1" />', '<', [{ a: '1' }]],
  ['<claude-code-hint <claude-code-hint a="1" />', '<claude-code-hint ', [{ a: '1' }]],
  ['<claude-code-hint a="<claude-code-hint b="1" />', '<claude-code-hint a="', [{ b: '1' }]],
])('%j', (input, text, hints) => {
  expect(extractHints(input)).toEqual({ text, hints: attributes(...hints) });
});

test.each([
  '<claude-code-hint',
  '<claude-code-hint ',
  '<claude-code-hint />',
  '<claude-code-hint/>',
  '<claude-code-hint a />',
  '<claude-code-hint a=1 />',
  '<claude-code-hint a="1">',
  '<claude-code-hint a="1"',
  '<claude-code-hint a="1" / >',
  '<claude-code-hint a="1"b="2" />',
  '<claude-code-hint a="1" a="2" />',
  '<claude-code-hint 1="1" />',
  '<claude-code-hint a="\x1b[31m" />',
  '<claude-code-hint a="\x00" />',
  '<claude-code-hints a="1" />',
  '< claude-code-hint a="1" />',
  '</claude-code-hint>',
  '<Claude-Code-Hint a="1" />',
  'a < b && c > d',
  `<claude-code-hint ${Array.from({ length: 33 }, (_, i) => `a${i}="1"`).join(' ')} />`,
  `<claude-code-hint a="${'x'.repeat(4_096)}" />`,
])('stays text: %j', (input) => {
  expect(extractHints(input)).toEqual({ text: input, hints: [] });
});

test('after 64 hints further tags stay text', () => {
  const { text, hints } = extractHints('<claude-code-hint a="1" />\n'.repeat(70));
  expect(hints).toHaveLength(64);
  expect(text).toBe('<claude-code-hint a="1" />\n'.repeat(6));
});

function inPieces(pieces: readonly string[]): HintedText {
  const filter = new HintFilter();
  const results = [...pieces.map((piece) => filter.push(piece)), filter.end()];
  return { text: results.map(({ text }) => text).join(''), hints: results.flatMap(({ hints }) => hints) };
}

const fragment = fc.constantFrom(
  '<claude-code-hint a="1" />',
  "<claude-code-hint\n b='x>y'\n/>",
  '<claude-code-hint',
  ' a="',
  '" />',
  '/>',
  '<',
  'text',
  '\n',
  '\r\n',
  '\r',
  'ä😀',
);

describe('for any input', () => {
  test('pieces give the same as the whole', () => {
    fc.assert(
      fc.property(fc.array(fragment, { maxLength: 12 }), fc.array(fc.nat(200), { maxLength: 8 }), (fragments, cuts) => {
        const whole = fragments.join('');
        const ends = [...cuts.filter((cut) => cut < whole.length).sort((a, b) => a - b), whole.length];
        const pieces = ends.map((end, at) => whole.slice(ends[at - 1] ?? 0, end));
        expect(inPieces(pieces)).toEqual(extractHints(whole));
        expect(inPieces([...whole])).toEqual(extractHints(whole));
      }),
      { numRuns: 500 },
    );
  });

  test('text without the opening is untouched, and nothing is ever added', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(extractHints(text)).toEqual({ text, hints: [] });
      }),
    );
    fc.assert(
      fc.property(fc.array(fragment), (fragments) => {
        const whole = fragments.join('');
        const { text } = extractHints(whole);
        let at = 0;
        for (const char of text) {
          at = whole.indexOf(char, at) + 1;
          expect(at).toBeGreaterThan(0);
        }
      }),
    );
  });
});

test('buffering is bounded: an open quote delays at most one tag', () => {
  const filter = new HintFilter();
  expect(filter.push('<claude-code-hint a="').text).toBe('');
  expect(filter.push('x'.repeat(10_000)).text).toBe(`<claude-code-hint a="${'x'.repeat(10_000)}`);
});
