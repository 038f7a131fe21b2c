// Characters that a person reads as a blank, as nothing, or as another order of text, where bash reads part of a word.

import type { WordPart } from '../../parse/tree.ts';

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
const CONFUSABLE = /[\u0000-\u0008\u000b-\u001f\u007f\u0085\u00a0\u00ad\u061c\u115f\u1160\u1680\u180e\u2000-\u200f\u2028-\u202f\u205f-\u206f\u3000\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff9-\ufffb]/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: everything printable in ASCII is plain
const ASCII = /^[\t\n\x20-\x7e]*$/;

/** A message when unquoted text has such a character; quoted text is data. */
export function findConfusable(text: string, parts: readonly WordPart[] | undefined): string | null {
  if (ASCII.test(text)) return null;
  if (parts === undefined) return describe(text);
  for (const part of parts) {
    if (part.type === 'Literal' || part.type === 'Glob') {
      const message = describe(part.text);
      if (message) return message;
    }
  }
  return null;
}

function describe(text: string): string | null {
  const match = CONFUSABLE.exec(text);
  if (!match) return null;
  const code = (match[0].codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
  return `an unquoted word contains the invisible or blank-looking character U+${code}`;
}
