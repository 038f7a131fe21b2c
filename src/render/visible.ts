// Text from a command → text that shows every character: anything a terminal would hide, obey or reorder is escaped.
// Trojan-source tricks (bidi overrides, zero-width letters, look-alike blanks) must be visible to the person who decides.

// Functions: compiling such a pattern loads Unicode tables, and plain text needs none.
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

/** JSON text in which the same characters are escaped as \uXXXX: still the same value, and safe to print. */
export function visibleJson(json: string): string {
  if (PLAIN.test(json)) return json;
  return json.replace(UNSEEN(), (character) =>
    Array.from(
      { length: character.length },
      (_, i) => `\\u${character.charCodeAt(i).toString(16).padStart(4, '0')}`,
    ).join(''),
  );
}
