// The text of `env -S` → its words (coreutils manual, "-S/--split-string syntax").
// `null` if the text is unknown or invalid.

import type { WordValue } from '../../../core/facts.ts';
import { literal } from '../program.ts';

const ESCAPES: Readonly<Record<string, string>> = {
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
  '#': '#',
  $: '$',
  '"': '"',
  "'": "'",
  '\\': '\\',
};

export function splitString(from: WordValue): readonly WordValue[] | null {
  const text = literal(from);
  if (text === null) return null;
  const words: WordValue[] = [];
  let word = emptyWord();
  let quote = '';
  const add = (piece: string): void => {
    word.solid = true;
    if (!word.dynamic) word.text += piece;
  };
  const finish = (): void => {
    const { span } = from;
    // An unset variable alone gives no word.
    if (word.dynamic) words.push({ kind: 'dynamic', head: word.text, many: !word.solid, span });
    else if (word.solid) words.push({ kind: 'literal', value: word.text, span });
    word = emptyWord();
  };
  for (let at = 0; at < text.length; at++) {
    const char = text.charAt(at);
    if (quote === '' && /[ \t\n\v\f\r]/.test(char)) finish();
    else if (quote === '' && char === '#' && !word.solid && !word.dynamic) break;
    else if (char === quote) quote = '';
    else if (quote === '' && (char === "'" || char === '"')) {
      quote = char;
      add('');
    } else if (char === '\\') {
      const next = text.charAt(++at);
      if (quote === "'") add(next === "'" || next === '\\' ? next : `\\${next}`);
      else if (next === '_' && quote === '') finish();
      else if (next === '_') add(' ');
      else if (next === 'c' && quote === '') break;
      else {
        const meant = ESCAPES[next];
        if (meant === undefined) return null;
        add(meant);
      }
    } else if (char === '$' && quote !== "'") {
      const name = /^\$\{[A-Za-z_][A-Za-z0-9_]*\}/.exec(text.slice(at))?.[0];
      if (name === undefined) return null;
      word.dynamic = true;
      at += name.length - 1;
    } else add(char);
  }
  if (quote !== '') return null;
  finish();
  return words;
}

function emptyWord(): { text: string; dynamic: boolean; solid: boolean } {
  return { text: '', dynamic: false, solid: false };
}
