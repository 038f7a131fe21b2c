import { describe, expect, test } from 'vitest';
import { hitsOf, subjectOf } from '../../../../../test/deciding/subject.ts';
import { CONFUSION_CHECKS } from '../table.ts';
import { readLayout } from './layout.ts';
import { scanText } from './text.ts';
import { readPieces, showText } from './words.ts';

// p plain, s single, d double, a ansi, e escaped, c comment, b body, l live body
const LETTERS = 'psdaecbl';
const statesOf = (text: string) => [...scanText(text).states].map((state) => LETTERS[state]).join('');

describe('each character has the quoting that bash gives it', () => {
  test.each([
    [`a 'b' c`, 'ppssspp'],
    [`a "b$c" d`, 'ppdddddpp'],
    [`a "$(b 'c')" d`, 'ppdddppssspdpp'],
    [`"\${x:-'}" 'y'`, 'dddddddddpsss'],
    [`\${x:-'}'} y`, 'pppppsssppp'],
    [`r\\m`, 'pee'],
    [`$'a\\'b' c`, 'aaaaaaapp'],
    [`a #'b\nc`, 'ppcccpp'],
    [`a#b 'c'`, 'ppppsss'],
    ['`a #b`', 'pppccp'],
    ['$((1<<2)) #', 'ppppppppppc'],
    ['((x<<y)); #', 'ppppppppppc'],
    [`x <<<'a'`, 'pppppsss'],
    [`c <<'E'\n'\nE\n'd'`, 'pppppppp' + 'bbb' + 'p' + 'sss'],
    ['c <<E\n#\nE\n#', 'pppppp' + 'lll' + 'p' + 'c'],
    ['c <<-E\n\tE\n#', 'ppppppp' + 'll' + 'p' + 'c'],
    ['c <<A <<B\n1\nA\n2\nB\n#', 'pppppppppp' + 'lll' + 'p' + 'lll' + 'p' + 'c'],
    [`'open`, 'sssss'],
    ['', ''],
  ])('%j', (text, states) => {
    expect(statesOf(text)).toBe(states);
  });
});

test('units know what is around them', () => {
  const text = `a"b$(c 'd')" $e \`f\``;
  expect(scanText(text).units.map(({ kind, start, end, depth }) => [kind, text.slice(start, end), depth])).toEqual([
    ['double', `"b$(c 'd')"`, 0],
    ['substitution', `$(c 'd')`, 1],
    ['single', `'d'`, 2],
    ['parameter', '$e', 0],
    ['backquote', '`f`', 0],
  ]);
});

test('a here-document that is never closed reaches to the end', () => {
  expect(scanText(`c <<'E'\nx`).heredocs).toEqual([
    { delimiter: `'E'`, isQuoted: true, span: [4, 7], body: [8, 9], isClosed: false },
  ]);
});

test('code inside a word is a separate text, words after a wrapper are not', () => {
  const { facts } = subjectOf(`sudo bash -c 'ls; r""m x'`);
  const { texts, inCode } = readLayout(facts);
  expect(texts.map(({ text }) => text)).toEqual([facts.command, 'ls; r""m x']);
  expect(facts.commands.filter((command) => inCode.has(command)).map(({ name }) => name)).toEqual(['ls', 'rm']);
});

test.each([
  ['rm', [['bare', 'rm']]],
  [
    `r''m`,
    [
      ['bare', 'r'],
      ['single', ''],
      ['bare', 'm'],
    ],
  ],
  [
    `"$a"/b\\c`,
    [
      ['double', '$a'],
      ['bare', '/b'],
      ['escape', 'c'],
    ],
  ],
  [
    `$'x'$(y "z")`,
    [
      ['ansi', 'x'],
      ['substitution', '$(y "z")'],
    ],
  ],
])('pieces of %s', (word, pieces) => {
  const { facts } = subjectOf('ls');
  expect(readPieces(word, facts).map(({ kind, text }) => [kind, text])).toEqual(pieces);
});

test('a message shows no character that could confuse its reader, and is short', () => {
  expect(showText('a\u001b[2J\u202eb')).toBe('a\\u{1b}[2J\\u{202e}b');
  expect(showText('x'.repeat(500), 10)).toBe('xxxxxxxxxx…');
});

test('no finding carries a control or direction character of the command into its message', () => {
  const command = `r""m\u202e\u001b x; "a\u202e b"; curl https://a.b\u202e@c.example/ > "f\u202e "`;
  const subject = subjectOf(command);
  const messages = CONFUSION_CHECKS.flatMap((check) =>
    hitsOf(check, command).map((hit) => hit.message ?? check.message),
  );
  expect(subject.facts.commands.length).toBeGreaterThan(2);
  expect(messages.length).toBeGreaterThan(3);
  expect(messages.filter((message) => /\p{Cc}|\p{Cf}/u.test(message))).toEqual([]);
});
