// Code points: their names, and whether one is in a listed range.

import { once } from '../../../../core/values/once.ts';

/** `U+202E (right-to-left override)`. */
export function nameCharacter(code: number, kind: string): string {
  return `U+${code.toString(16).toUpperCase().padStart(4, '0')} (${names().get(code) ?? kind})`;
}

const names = once(
  (): ReadonlyMap<number, string> =>
    new Map(
      `0 NUL, 7 bell, 8 backspace, b vertical tab, c form feed, d carriage return, 1b escape, 7f delete, 85 next line,
a0 no-break space, ad soft hyphen, 37e Greek question mark, 200b zero width space, 200c zero width non-joiner,
200d zero width joiner, 200e left-to-right mark, 200f right-to-left mark, 2028 line separator, 2029 paragraph separator,
202a left-to-right embedding, 202b right-to-left embedding, 202c pop directional formatting, 202d left-to-right override,
202e right-to-left override, 2060 word joiner, 2066 left-to-right isolate, 2067 right-to-left isolate,
2068 first strong isolate, 2069 pop directional isolate, 2013 en dash, 2014 em dash, 2212 minus sign,
2018 left single quotation mark, 2019 right single quotation mark, 201c left double quotation mark,
201d right double quotation mark, 2215 division slash, 2044 fraction slash, 2800 blank Braille pattern,
3000 ideographic space, 3164 Hangul filler, feff byte order mark, ff1b full-width semicolon, ff5c full-width vertical bar,
ff06 full-width ampersand, ff1e full-width greater-than sign, ff04 full-width dollar sign, ff40 full-width grave accent`
        .split(/,\s/)
        .map((entry) => [Number.parseInt(entry, 16), entry.slice(entry.indexOf(' ') + 1)]),
    ),
);

/** `1-8 d`: hexadecimal, both ends included. The text is parsed when the first unusual character is checked. */
export function isAmong(text: string): (code: number) => boolean {
  const ranges = once(() =>
    text.split(' ').map((range) => {
      const [from, to = from] = range.split('-').map((end) => Number.parseInt(end, 16)) as [number, number?];
      return { from, to };
    }),
  );
  return (code) => ranges().some(({ from, to }) => code >= from && code <= to);
}
