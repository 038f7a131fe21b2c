// Characters that look like a blank, like nothing, or like another order of text, but are part of a word to bash.

import type { WordPart } from '../../parse/tree.ts';

const CONFUSABLE = new RegExp(
  `[${[
    '\\u0000-\\u0008\\u000b-\\u001f\\u007f\\u0085', // control characters
    '\\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000', // blanks that bash does not split at
    '\\u00ad\\u115f\\u1160\\u180e\\u200b-\\u200d\\u2060-\\u2065\\u3164\\ufe00-\\ufe0f\\ufeff\\uffa0\\ufff9-\\ufffb', // nothing to see
    '\\u061c\\u200e\\u200f\\u202a-\\u202e\\u2066-\\u206f', // direction of text
  ].join('')}]`,
);
const ASCII = /^[\t\n\x20-\x7e]*$/;

/** A message if unquoted text has such a character; quoted text is data. */
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
