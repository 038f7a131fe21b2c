// Text from a command → text that shows every character: what a terminal would hide, obey or reorder is spelled out.
// Trojan-source tricks (bidi overrides, zero-width letters, look-alike blanks) must be seen by the person who decides.

// Functions: the engine reads the tables of Unicode when such a pattern is made, and plain text needs none.
const UNSEEN = () => /[\p{C}\p{DI}\p{Zl}\p{Zp}\u2800]|(?! )\p{Zs}/gu;

const SHORT: Readonly<Record<string, string>> = { '\n': '\\n', '\t': '\\t', '\r': '\\r', '\x1b': '\\e', '\0': '\\0' };

const PLAIN = /^[ -~]*$/;

export function visible(text: string): string {
  if (PLAIN.test(text)) return text;
  return text.replace(UNSEEN(), escapeCharacter);
}

function escapeCharacter(character: string): string {
  const short = SHORT[character];
  if (short !== undefined) return short;
  const code = character.codePointAt(0) as number;
  return code < 0x100 ? `\\x${code.toString(16).padStart(2, '0')}` : `\\u{${code.toString(16)}}`;
}

/** JSON text in which the same characters are written as \uXXXX: still the same value, and safe to print. */
export function visibleJson(json: string): string {
  if (PLAIN.test(json)) return json;
  return json.replace(UNSEEN(), (character) =>
    Array.from(
      { length: character.length },
      (_, i) => `\\u${character.charCodeAt(i).toString(16).padStart(4, '0')}`,
    ).join(''),
  );
}

/** Columns that a terminal uses for visible text. */
export function columns(text: string): number {
  let count = 0;
  for (const character of text) count += characterColumns(character);
  return count;
}

const COMBINING = () => /^\p{M}$/u;
const WIDE = () =>
  /^[\u1100-\u115f\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\u9fff\ua000-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{16fe0}-\u{18aff}\u{1b000}-\u{1b2ff}\u{1f300}-\u{1f64f}\u{1f680}-\u{1f6ff}\u{1f900}-\u{1f9ff}\u{1fa70}-\u{1faff}\u{20000}-\u{3fffd}]$/u;

function characterColumns(character: string): number {
  if (character < '\x7f') return 1;
  if (COMBINING().test(character)) return 0;
  return WIDE().test(character) ? 2 : 1;
}
