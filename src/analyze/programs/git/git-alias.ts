// An alias given on the command line: `-c alias.x=…` and `x` → what runs instead (git-config(1), alias.*).
// Text after `!` is shell code that gets the arguments; anything else is split into words after `git`.

import type { WordValue } from '../../../core/facts.ts';
import { type EffectSink, literal, literalWord } from '../program.ts';

/** Words as git splits them: blanks, both quotes, and a backslash outside of single quotes. */
function splitAlias(text: string): readonly string[] | null {
  const words: string[] = [];
  let word: string | null = null;
  let quote = '';
  for (let at = 0; at < text.length; at++) {
    let char = text.charAt(at);
    if (quote === '' && /\s/.test(char)) {
      if (word !== null) words.push(word);
      word = null;
    } else if (quote === '' && (char === "'" || char === '"')) {
      quote = char;
      word ??= '';
    } else if (char === quote) quote = '';
    else {
      if (char === '\\' && quote !== "'") char = text.charAt(++at);
      if (char === '') return null;
      word = (word ?? '') + char;
    }
  }
  if (quote !== '') return null;
  return word === null ? words : [...words, word];
}

/** `settings` are the other words of `-c`, which apply to the alias too. */
export function runAlias(
  value: WordValue | null,
  settings: readonly WordValue[],
  operands: readonly WordValue[],
  sink: EffectSink,
): void {
  const text = literal(value ?? undefined);
  const [name, ...rest] = operands;
  if (value === null || text === null || name === undefined) {
    sink.executes('shell', value);
    return;
  }
  const via = `git alias ${literal(name) ?? ''}`.trim();
  if (text.startsWith('!')) {
    sink.executes('shell', value);
    const code = rest.length > 0 ? `${text.slice(1)} "$@"` : text.slice(1);
    sink.shell(literalWord(code, value), via, { shell: 'sh', positional: rest });
    return;
  }
  const words = splitAlias(text);
  if (words === null) {
    sink.executes('hook', value);
    return;
  }
  const options = settings.flatMap((word) => [literalWord('-c', word), word]);
  sink.run([literalWord('git', value), ...options, ...words.map((word) => literalWord(word, value)), ...rest], via);
}
