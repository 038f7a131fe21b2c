// Text → characters that are invisible, or that change how other text is displayed. Harmless uses (emoji, scripts) pass.

import type { Check, Hit, Subject } from '../../check.ts';
import { isAmong, nameCharacter } from './reading/code-points.ts';
import { type CodeText, readLayout } from './reading/layout.ts';
import { COMMENT, PLAIN } from './reading/text.ts';

/** One character that is neither printable ASCII nor a tab nor a newline. */
export interface Place {
  readonly text: CodeText;
  readonly index: number;
  readonly code: number;
  readonly state: number;
  /** The code points next to it; -1 at the ends. */
  readonly before: number;
  readonly after: number;
  /** The nearest one before it that is not a tag character, and how many tags are between. */
  readonly base: number;
  readonly tags: number;
}

const found = new WeakMap<CodeText, readonly Place[]>();
const ODD = /[^\t\n -~]/gu;

function placesOf(text: CodeText): readonly Place[] {
  const known = found.get(text);
  if (known !== undefined) return known;
  const places: Place[] = [];
  let last: Place | undefined;
  for (const { 0: character, index } of text.text.matchAll(ODD)) {
    const code = character.codePointAt(0) as number;
    const isNext = last !== undefined && last.index + widthOf(last.code) === index;
    const before = isNext ? (last as Place).code : index === 0 ? -1 : text.text.charCodeAt(index - 1);
    const after = text.text.codePointAt(index + character.length) ?? -1;
    const follows = isNext && isTag((last as Place).code);
    const base = follows ? (last as Place).base : before;
    const tags = follows ? (last as Place).tags + 1 : 0;
    last = { text, index, code, state: text.states[index] as number, before, after, base, tags };
    places.push(last);
  }
  found.set(text, places);
  return places;
}

const widthOf = (code: number) => (code > 0xffff ? 2 : 1);
const isTag = (code: number) => code >= 0xe0000 && code <= 0xe007f;

export function hitsAt(
  { facts }: Subject,
  isOdd: (place: Place) => boolean,
  describe: (place: Place) => string,
): Hit | null {
  for (const text of readLayout(facts).odd) {
    const place = placesOf(text).find(isOdd);
    if (place) return { span: text.spanOf(place.index, place.index + widthOf(place.code)), message: describe(place) };
  }
  return null;
}

interface CharacterKind extends Pick<Check, 'id' | 'severity' | 'verdict' | 'instead' | 'examples'> {
  /** A name for characters that are missing in the table of names. */
  readonly kind: string;
  /** What bash or a terminal does with it. */
  readonly effect: string;
  readonly isMeant: (code: number) => boolean;
  readonly isHarmless?: (place: Place) => boolean;
}

export function characterCheck({ kind, effect, isMeant, isHarmless, ...rest }: CharacterKind): Check {
  return {
    ...rest,
    layer: 'confusion',
    message: `The command contains a ${kind}: ${effect}.`,
    inspectWhole: (subject) =>
      hitsAt(
        subject,
        (place) => isMeant(place.code) && isHarmless?.(place) !== true,
        ({ code }) => `The command contains ${nameCharacter(code, kind)}: ${effect}.`,
      ),
  };
}

// Functions: compiling such a pattern loads Unicode tables, and few commands need one.
const EMOJI = () => /^[\p{Extended_Pictographic}\p{Emoji_Modifier}\p{Regional_Indicator}]$|^\u20e3$|^\ufe0e$|^\ufe0f$/u;
const RIGHT_TO_LEFT = () => /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}]/u;
const JOINING = () =>
  /^[\p{Script=Arabic}\p{Script=Syriac}\p{Script=Mongolian}\p{Script=Devanagari}\p{Script=Bengali}\p{Script=Tamil}\p{Script=Telugu}\p{Script=Kannada}\p{Script=Malayalam}\p{Script=Sinhala}\p{Script=Gujarati}\p{Script=Gurmukhi}\p{Script=Khmer}\p{M}]$/u;
const HAN = () => /^\p{Script=Han}$/u;
export const isA = (pattern: () => RegExp, code: number) => code > 0x7f && pattern().test(String.fromCodePoint(code));
const PLAINLY = 'Write the command without it.';

export const CHARACTER_CHECKS: readonly Check[] = [
  characterCheck({
    id: 'nul-character',
    severity: 'high',
    verdict: 'deny',
    kind: 'NUL character',
    effect: 'no program can receive it, and the text after it may be cut off',
    instead: "Remove it; `printf '\\0'` prints one.",
    isMeant: isAmong('0'),
    examples: { matches: ['ls a\u0000b'], passes: ["printf '\\0'", "tr '\\0' '\\n' < f"] },
  }),
  characterCheck({
    id: 'control-character',
    severity: 'high',
    verdict: 'ask',
    kind: 'control character',
    effect: 'it is invisible and may erase displayed text, while bash keeps it as part of a word',
    instead: "Remove it, or write it as an escape: `$'\\a'`, `printf '\\b'`.",
    isMeant: isAmong('1-8 b-c e-1a 1c-1f 7f-84 86-8f 91-9a 9c'),
    examples: {
      matches: ['ls\u0001', 'echo "rm x\b\b\b\bls  "', 'echo a\u007f', 'cat \u000bf', 'echo \u0081'],
      passes: ["printf 'a\\tb\\n'", 'ls\t-l', "echo $'\\a'"],
    },
  }),
  characterCheck({
    id: 'carriage-return',
    severity: 'medium',
    verdict: 'ask',
    kind: 'carriage return',
    effect: 'a terminal overwrites the start of the line with the text after it, and bash keeps it as part of a word',
    instead: 'End lines with a newline only; `tr -d "\\r"` removes carriage returns.',
    isMeant: isAmong('d'),
    examples: { matches: ['ls\r\n', 'echo "rm -rf x\recho hello"'], passes: ["sed 's/\\r$//' f", "tr -d '\\r' < f"] },
  }),
  characterCheck({
    id: 'terminal-escape',
    severity: 'critical',
    verdict: 'deny',
    kind: 'terminal control sequence',
    effect: 'it can hide or repaint the text of the command on the screen',
    instead: "Write it as an escape: `printf '\\033[1m'`.",
    isMeant: isAmong('1b 90 9b 9d-9f'),
    examples: {
      matches: ['echo "\u001b[8mhidden\u001b[0m"', "echo '\u009b2J'", 'ls # \u001b[2K'],
      passes: ["printf '\\033[31mred\\033[0m\\n'", 'echo -e "\\e[1mbold\\e[0m"'],
    },
  }),
  characterCheck({
    id: 'bidirectional-control',
    severity: 'critical',
    verdict: 'deny',
    kind: 'bidirectional control',
    effect: 'the text is shown in another order than bash reads it',
    instead: PLAINLY,
    isMeant: isAmong('202a-202e 2066-2069'),
    examples: {
      matches: ['echo "a\u202eb"', 'ls # \u2067 x', 'rm \u2066x\u2069'],
      passes: ['echo "\u05e9\u05dc\u05d5\u05dd"', 'echo "\u0645\u0631\u062d\u0628\u0627"'],
    },
  }),
  characterCheck({
    id: 'direction-mark',
    severity: 'medium',
    verdict: 'ask',
    kind: 'direction mark',
    effect: 'it is invisible, and bash keeps it as part of a word',
    instead: PLAINLY,
    isMeant: isAmong('200e-200f 61c'),
    isHarmless: ({ state, text }) => state !== PLAIN && RIGHT_TO_LEFT().test(text.text),
    examples: {
      matches: ['rm\u200e x', 'echo "a\u200fb"'],
      passes: ['echo "\u05e9\u05dc\u05d5\u05dd\u200f!"', 'ls'],
    },
  }),
  characterCheck({
    id: 'zero-width-character',
    severity: 'high',
    verdict: 'ask',
    kind: 'zero-width character',
    effect: 'it is invisible, but it changes the word for bash',
    instead: PLAINLY,
    isMeant: isAmong('200b-200d 2060-2065 206a-206f 180e 34f fff9-fffb'),
    isHarmless: ({ code, before, after, state }) =>
      (code === 0x200d && isA(EMOJI, before) && isA(EMOJI, after)) ||
      ((code === 0x200c || code === 0x200d) && state !== PLAIN && isA(JOINING, before)),
    examples: {
      matches: ['rm\u200b x', 'echo "a\u200bb"', 'cat f\u2060', 'git checkout ma\u200din', 'ls # a\u200cb'],
      passes: ['echo "\u{1f468}\u200d\u{1f4bb} done"', 'echo "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645"', 'ls'],
    },
  }),
  characterCheck({
    id: 'soft-hyphen',
    severity: 'medium',
    verdict: 'ask',
    kind: 'soft hyphen',
    effect: 'most terminals do not show it, but bash keeps it as part of the word',
    instead: PLAINLY,
    isMeant: isAmong('ad'),
    examples: { matches: ['ls fi\u00adle', 'echo "a\u00adb"'], passes: ['ls my-file'] },
  }),
  characterCheck({
    id: 'byte-order-mark',
    severity: 'medium',
    verdict: 'ask',
    kind: 'byte order mark',
    effect: 'it is invisible, and bash takes it as the first character of a word',
    instead: `${PLAINLY} \`sed '1s/^\\xEF\\xBB\\xBF//' FILE\` removes it from a file.`,
    isMeant: isAmong('feff'),
    examples: { matches: ['\ufeffls', 'cat "\ufefff"'], passes: ["sed '1s/^\\xEF\\xBB\\xBF//' f"] },
  }),
  characterCheck({
    id: 'line-separator',
    severity: 'high',
    verdict: 'ask',
    kind: 'line separator',
    effect: 'it looks like the end of a line, but for bash the line and the word continue',
    instead: 'Use a newline.',
    isMeant: isAmong('2028-2029 85'),
    examples: { matches: ['# note\u2028rm x', 'echo a\u2029', 'ls\u0085id'], passes: ['# note\nls'] },
  }),
  characterCheck({
    id: 'tag-character',
    severity: 'critical',
    verdict: 'deny',
    kind: 'tag character',
    effect: 'tag characters spell text that is invisible, but that programs and language models read',
    instead: PLAINLY,
    isMeant: isAmong('e0000-e007f'),
    isHarmless: ({ base, tags }) => base === 0x1f3f4 && tags < 7,
    examples: {
      matches: ['echo hi\u{e0072}\u{e006d}', 'ls # \u{e0041}'],
      passes: ['echo "\u{1f3f4}\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}"'],
    },
  }),
  characterCheck({
    id: 'variation-selector',
    severity: 'medium',
    verdict: 'ask',
    kind: 'variation selector',
    effect:
      'it is invisible after a character that has no variants, but it is part of the word and can carry hidden data',
    instead: PLAINLY,
    isMeant: isAmong('fe00-fe0f e0100-e01ef'),
    isHarmless: ({ before, after, code }) =>
      before !== 0xfe0f &&
      before !== 0xfe0e &&
      (isA(EMOJI, before) || isA(HAN, before) || after === 0x20e3) &&
      (code < 0xe0100 || isA(HAN, before)),
    examples: {
      matches: ['rm\ufe0f x', 'echo "a\u{e0101}\u{e0102}"', 'echo \u2705\ufe0f\ufe0f'],
      passes: ['echo "\u26a0\ufe0f careful"', 'git commit -m "1\ufe0f\u20e3 first"'],
    },
  }),
  characterCheck({
    id: 'blank-letter',
    severity: 'high',
    verdict: 'ask',
    kind: 'blank-looking letter',
    effect: 'it looks like a blank, but bash takes it as a letter',
    instead: 'Use a space, or remove it.',
    isMeant: isAmong('115f-1160 17b4-17b5 3164 ffa0 2800'),
    isHarmless: ({ code, state }) => code === 0x2800 && state !== PLAIN && state !== COMMENT,
    examples: {
      matches: ['ls\u3164x', 'rm "\uffa0"', 'echo a\u2800b'],
      passes: ['echo "\u280b\u2800\u2819"', 'echo "\uc548\ub155"'],
    },
  }),
  characterCheck({
    id: 'unpaired-surrogate',
    severity: 'medium',
    verdict: 'ask',
    kind: 'lone surrogate',
    effect: 'it cannot be encoded in UTF-8, so bash would receive a different character than the one that was checked',
    instead: PLAINLY,
    isMeant: isAmong('d800-dfff'),
    examples: { matches: ['ls \ud83d', 'echo "\udc00"'], passes: ['echo "\ud83d\ude00"'] },
  }),
];
