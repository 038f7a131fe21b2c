// Whether a word can start at a place in the text, judging by the text before it.

const BEFORE_WORD = /[\s;&|({`]/;

export function mayStartWord(source: string, pos: number): boolean {
  return pos === 0 || (BEFORE_WORD.test(source[pos - 1] as string) && !isEscaped(source, pos - 1));
}

/** In `a\ <(x)` the blank belongs to the word before. */
function isEscaped(source: string, pos: number): boolean {
  let backslashes = 0;
  while (source[pos - 1 - backslashes] === '\\') backslashes++;
  return backslashes % 2 === 1;
}
