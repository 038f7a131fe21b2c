// Text → one word of a POSIX shell, to be run or to be shown. Other shells, rules and cmd have rules of their own.

/** Whatever the text is: nothing in it is expanded. */
export function quoteWord(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** Bare where that reads the same. Not for the first word: `a=b` would be an assignment there. */
export function quoteIfNeeded(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : quoteWord(text);
}
