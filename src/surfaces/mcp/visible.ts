// Text from a command → text that shows every character: what a client would hide, obey or reorder is spelled out.

const UNSEEN = /[\p{C}\p{DI}\p{Zl}\p{Zp}\u2800]|(?! )\p{Zs}/gu;
const SHORT: Readonly<Record<string, string>> = { '\n': '\\n', '\t': '\\t', '\r': '\\r', '\x1b': '\\e', '\0': '\\0' };
const PLAIN = /^[ -~]*$/;

export function visible(text: string): string {
  return PLAIN.test(text) ? text : text.replace(UNSEEN, escapeCharacter);
}

function escapeCharacter(character: string): string {
  const short = SHORT[character];
  if (short !== undefined) return short;
  const code = character.codePointAt(0) as number;
  return code < 0x100 ? `\\x${code.toString(16).padStart(2, '0')}` : `\\u{${code.toString(16)}}`;
}

/** At most so many characters, with the end cut off; never between the halves of a pair. */
export function shorten(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const end = /[\ud800-\udbff]/.test(text[limit - 2] as string) ? limit - 2 : limit - 1;
  return `${text.slice(0, end)}…`;
}
