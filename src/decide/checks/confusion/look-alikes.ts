// Text → letters, dashes, quotes, operators and blanks that look like shell syntax, but are not.
// Prose passes: only names, options, paths, and positions of operators or quotes are inspected.

import type { CommandFact, Span } from '../../../core/facts.ts';
import { once } from '../../../core/values/once.ts';
import type { Check, Hit } from '../../check.ts';
import { characterCheck, hitsAt, isA, type Place } from './characters.ts';
import { isAmong, nameCharacter } from './reading/code-points.ts';
import { readLayout } from './reading/layout.ts';
import { PLAIN } from './reading/text.ts';

const lookAlikes = once(
  (): ReadonlyMap<string, string> =>
    new Map(
      Object.entries({
        // Cyrillic
        ...pairs(
          '\u0430\u0435\u043e\u0440\u0441\u0443\u0445\u0456\u0458\u0455\u04bb\u0501\u051b\u051d\u04cf\u043a',
          'aeopcyxijshdqwlk',
        ),
        ...pairs(
          '\u0410\u0412\u0415\u041a\u041c\u041d\u041e\u0420\u0421\u0422\u0423\u0425\u0405\u0406\u0408',
          'ABEKMHOPCTYXSIJ',
        ),
        // Greek
        ...pairs('\u03bf\u03bd\u03b9\u03ba\u03c1\u03b1\u03c5\u03b3\u03c7\u03f2\u03f3', 'ovikpauyxcj'),
        ...pairs(
          '\u0391\u0392\u0395\u0396\u0397\u0399\u039a\u039c\u039d\u039f\u03a1\u03a4\u03a5\u03a7',
          'ABEZHIKMNOPTYX',
        ),
        // Armenian, phonetic
        ...pairs('\u0585\u0578\u057d\u0570\u0581\u0566\u0261\u0251', 'onuhgqga'),
      }),
    ),
);

function pairs(from: string, to: string): Record<string, string> {
  return Object.fromEntries([...from].map((letter, i) => [letter, to[i] as string]));
}

/** The ASCII letter that it looks like, or `null`. */
function lookAlikeOf(letter: string): string | null {
  const code = letter.codePointAt(0) as number;
  if (code >= 0xff21 && code <= 0xff5a) return String.fromCharCode(code - 0xfee0);
  // Bold, italic and other mathematical letters.
  if (code >= 0x1d400 && code <= 0x1d7ff) return letter.normalize('NFKC');
  return lookAlikes().get(letter) ?? null;
}

const LETTER_RUN = () => /[\p{L}\p{Nd}]+/gu;
const NOT_ASCII = /[^\0-\x7f]/u;

/** A run of letters in which every non-ASCII letter looks like an ASCII one; `alone`: also without ASCII letters. */
export function findLookAlike(
  text: string,
  alone: boolean,
): { readonly letter: string; readonly looks: string } | null {
  if (!NOT_ASCII.test(text)) return null;
  for (const [run] of text.matchAll(LETTER_RUN())) {
    const odd = [...run].filter((letter) => NOT_ASCII.test(letter));
    const looks = odd.map(lookAlikeOf);
    if (odd.length === 0 || looks.includes(null)) continue;
    if (alone || /[A-Za-z]/.test(run)) return { letter: odd[0] as string, looks: looks[0] as string };
  }
  return null;
}

function lookAlikeHit(text: string, alone: boolean, what: string, hit: Hit): Hit | null {
  const found = findLookAlike(text, alone);
  if (found === null) return null;
  const name = nameCharacter(found.letter.codePointAt(0) as number, `looks like "${found.looks}"`);
  return { ...hit, message: `${what} contains ${name}: for bash it is a different name than it seems.` };
}

function optionsOf({ words }: CommandFact): readonly { readonly text: string; readonly span: Span }[] {
  const options = [];
  for (const word of words) {
    const text = word.kind === 'literal' ? word.value : word.kind === 'dynamic' ? word.head : '';
    if (!text.startsWith('-') || !NOT_ASCII.test(text)) continue;
    const option = text.split('=', 1)[0] as string;
    // Text that starts with a dash, such as a list, is not an option.
    if (!/\s/.test(option)) options.push({ text: option, span: word.span });
  }
  return options;
}

const NO_PATHS: readonly string[] = [];

export function pathsOf({ effects }: CommandFact): readonly string[] {
  const { reads, writes, deletes } = effects;
  if (reads.length + writes.length + deletes.length === 0) return NO_PATHS;
  return [...reads, ...writes, ...deletes].map(({ path }) => path).filter((path) => path !== null);
}

const CJK = () =>
  /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\u3001-\u303f\uff00-\uffef]$/u;
const isDash = isAmong('2010-2015 2212 fe58 fe63 ff0d');
const isQuote = isAmong('ab b4 bb 2bb-2bd 2018-201f 2032-2036 2039-203a 301d-301f ff02 ff07');
const isOperator = isAmong('37e 1c0 2016 204f 2223 2758 fe54 ff01 ff03-ff04 ff06 ff08-ff0a ff1b-ff1e ff40 ff5b-ff5e');
const OPENS = ' \t\n=(;&|';
const CLOSES = ' \t\n);&|';
const MARK = () => /^\p{M}$/u;
const stands = (code: number, among: string) => code === -1 || among.includes(String.fromCodePoint(code));
export const isAmongCjk = ({ before, after }: Place) => isA(CJK, before) || isA(CJK, after);

export const LOOK_ALIKE_CHECKS: readonly Check[] = [
  characterCheck({
    id: 'unicode-space',
    severity: 'high',
    verdict: 'ask',
    kind: 'Unicode space',
    effect: 'it looks like a blank between words, but bash takes it as part of a word',
    instead: 'Use an ordinary space, or put quotes around the text.',
    isMeant: isAmong('a0 1680 2000-200a 202f 205f 3000'),
    isHarmless: ({ state }) => state !== PLAIN,
    examples: {
      matches: ['rm\u00a0-rf x', 'ls\u3000x', "bash -c 'ls\u2003x'", 'echo "$(cat\u00a0f)"'],
      passes: ['echo "12\u00a0000 \u20ac"', "cat 'Screenshot 9.41\u202fAM.png'", 'ls # a\u00a0b', 'ls x'],
    },
  }),
  characterCheck({
    id: 'stray-combining-mark',
    severity: 'medium',
    verdict: 'ask',
    kind: 'combining mark on an operator or blank',
    effect: 'it disguises the character before it, and bash starts a word there',
    instead: 'Write the command without it.',
    isMeant: isAmong('300-36f 1ab0-1aff 1dc0-1dff 20d0-20df 20e1-20ef fe20-fe2f'),
    isHarmless: ({ state, before, code }) =>
      state !== PLAIN || isA(MARK, before) || code === 0x20e3 || (before > 0x2f && before !== 0x3b && before !== 0x7c),
    examples: {
      matches: ['ls ;\u0338 id', 'cat \u0301f', 'ls |\u0335 sh'],
      passes: ['cat cafe\u0301.txt', 'echo "a \u0301"'],
    },
  }),
  {
    id: 'look-alike-command',
    layer: 'confusion',
    severity: 'critical',
    verdict: 'deny',
    message: 'The name of the command contains letters of another script that look like Latin ones.',
    instead: 'Type the name of the program in Latin letters.',
    inspect(command, { facts }) {
      if (!readLayout(facts).mayBeOdd) return null;
      const [word] = command.words;
      const name = word?.kind === 'literal' ? word.value : (word?.kind === 'dynamic' && word.head) || '';
      const hit = lookAlikeHit(name, true, 'The name of the command', { span: word?.span ?? null });
      // A script may have that name; a program does not.
      return hit !== null && name.includes('/') ? { ...hit, verdict: 'ask' } : hit;
    },
    examples: {
      matches: [
        '\u0441at f',
        '\u0455\u0445',
        '/bin/l\u0455 x',
        'sudo g\u0456t status',
        '\uff52\uff4d x',
        "bash -c 'r\u043c x; \u0435cho'",
      ],
      passes: [
        'cat f',
        './\u0437\u0430\u043f\u0443\u0441\u043a.sh',
        './\u8d77\u52a8.sh',
        'caf\u00e9 x',
        './b\u00fcild.sh',
      ],
    },
  },
  {
    id: 'look-alike-option',
    layer: 'confusion',
    severity: 'high',
    verdict: 'ask',
    message: 'An option contains letters of another script that look like Latin ones.',
    instead: 'Type the option in Latin letters.',
    inspect: (command, { facts }) =>
      readLayout(facts).mayBeOdd
        ? optionsOf(command).flatMap(({ text, span }) => lookAlikeHit(text, true, 'An option', { span }) ?? [])
        : null,
    examples: {
      matches: ['ls -\u0430', 'git push --f\u043erce', 'rm -r\u0443 x', 'curl --\uff44ata x http://a.example'],
      passes: [
        'ls -a',
        'git log --author=\u0421\u0435\u043e',
        'git commit -m "\u0441\u043e\u043e"',
        'gh pr create --body "- \u0441\u043e"',
      ],
    },
  },
  {
    id: 'look-alike-path',
    layer: 'confusion',
    severity: 'high',
    verdict: 'ask',
    message: 'A path mixes Latin letters with letters of another script that look the same.',
    instead: 'Type the path in one script, or list the folder to see which file it is.',
    inspect: (command, { facts }) => {
      if (!readLayout(facts).mayBeOdd) return null;
      for (const path of pathsOf(command)) {
        const hit = lookAlikeHit(path, false, 'A path', { span: command.span });
        if (hit) return hit;
      }
      return null;
    },
    examples: {
      matches: ['cat /et\u0441/hosts', 'rm pa\u0455\u0455word.txt', 'echo x > n\u043etes.md', 'cat \uff45tc/x'],
      passes: [
        'cat \u043e\u0442\u0447\u0451\u0442_API.md',
        'cat \u03bcs.txt',
        'cat \u0394x.csv',
        'cat \u8cc7\u6599\uff21.txt',
        'cat \u043e\u0442\u0447\u0451\u0442v2.md',
      ],
    },
  },
  {
    id: 'smart-quote',
    layer: 'confusion',
    severity: 'medium',
    verdict: 'ask',
    message: 'A typographic quotation mark is used as a quote: bash does not treat it as a quote.',
    instead: 'Use the ASCII quotes \' or ".',
    inspectWhole: (subject) =>
      hitsAt(
        subject,
        ({ code, state, before, after }) =>
          state === PLAIN && isQuote(code) && (stands(before, OPENS) || stands(after, CLOSES)),
        ({ code }) =>
          `${nameCharacter(code, 'quotation mark')} is used as a quote: bash does not treat it as a quote, so blanks and operators after it are active.`,
      ),
    examples: {
      matches: ['rm \u201cmy file\u201d', 'git commit -m \u2018fix\u2019', 'echo \u00b4a\u00b4', 'x=\u201ca b\u201d'],
      passes: ['echo don\u2019t', 'echo "\u201cquoted\u201d"', "echo '\u00abx\u00bb'", 'ls # \u201cx\u201d'],
    },
  },
  {
    id: 'dash-look-alike',
    layer: 'confusion',
    severity: 'medium',
    verdict: 'ask',
    message: 'A typographic dash is used as the dash of an option: the program takes the word as a file name or text.',
    instead: 'Use the ASCII dash: `-l`, `--long`.',
    inspectWhole: (subject) =>
      hitsAt(
        subject,
        ({ code, state, before, after }) =>
          state === PLAIN && isDash(code) && stands(before, ' \t\n-') && (isDash(after) || isOptionLetter(after)),
        ({ code }) =>
          `${nameCharacter(code, 'dash')} is used as the dash of an option: the program takes the word as a file name or text.`,
      ),
    examples: {
      matches: ['ls \u2013la', 'git push \u2014force', 'git push \u2014\u2014force', 'rm \u2212rf x'],
      passes: ['echo a \u2014 b', 'echo "\u2013la"', 'ls # \u2013la', 'echo 1\u20132', 'ls -la'],
    },
  },
  {
    id: 'operator-look-alike',
    layer: 'confusion',
    severity: 'medium',
    verdict: 'ask',
    message: 'A character looks like an operator of the shell, but bash takes it as part of a word.',
    instead: 'Use the ASCII character, or put quotes around the text.',
    inspectWhole: (subject) =>
      hitsAt(
        subject,
        (place) => place.state === PLAIN && isOperator(place.code) && !isAmongCjk(place),
        ({ code }) =>
          `${nameCharacter(code, 'looks like an operator')} is not an operator: bash takes it as part of a word.`,
      ),
    examples: {
      matches: [
        'ls \uff1b id',
        'ls\u037e id',
        'cat f \uff5c head',
        'echo x \uff1e f',
        'echo \uff04HOME',
        'ls \uff06 id',
      ],
      passes: ['echo "a\uff1bb"', 'echo \u4f60\u597d\uff08\u6d4b\u8bd5\uff09', 'ls; id', 'ls # a\uff1bb'],
    },
  },
];

function isOptionLetter(code: number): boolean {
  return (code >= 0x41 && code <= 0x5a) || (code >= 0x61 && code <= 0x7a);
}
