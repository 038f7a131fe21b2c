// Words that zsh parses as bash does. Everything else has a different meaning there (`=cmd`, `*(e:code:)`, `${(e)x}`).

import type { Word, WordPart } from '../../parse/tree.ts';

const PLAIN = /^(?!=)[A-Za-z0-9_./:=,@%+-]+$/;

export function isSameInZsh(word: Word): boolean {
  if (PLAIN.test(word.text) || word.text === '~' || /^~\/[A-Za-z0-9_./-]*$/.test(word.text)) return true;
  const parts = word.parts;
  return parts !== undefined && !word.text.startsWith('=') && parts.every(isPlainPart);
}

function isPlainPart(part: WordPart): boolean {
  if (part.type === 'SingleQuoted') return true;
  if (part.type === 'DoubleQuoted')
    return part.parts.every((inner) => inner.type === 'Literal' || inner.type === 'SimpleExpansion');
  if (part.type === 'Glob') return part.kind !== 'bracket';
  return part.type === 'Literal' && /^[A-Za-z0-9_./:=,@%+-]*$/.test(part.text);
}
