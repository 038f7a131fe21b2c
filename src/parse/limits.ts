// Limits on the text, checked before parsing.
// The parser is superlinear in nested substitutions and braces, so nesting is bounded by a linear scan first.

export const MAX_COMMAND_LENGTH = 10_000;
/** Unclosed `$(` `${` `<(` and backquotes at one point of the text; people use three or four. */
const MAX_OPEN_SUBSTITUTIONS = 24;
const MAX_OPEN_BRACES = 64;

const DOLLAR = 36;
const PAREN_OPEN = 40;
const PAREN_CLOSE = 41;
const LESS = 60;
const GREATER = 62;
const BRACE_OPEN = 123;
const BRACE_CLOSE = 125;

/** Counts quoted text too: it does not need to be exact, only to reject all deeply nested text. */
export function isTooDeep(text: string): boolean {
  let open = 0;
  let braces = 0;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === PAREN_OPEN) {
      const before = i > 0 ? text.charCodeAt(i - 1) : 0;
      if (before === DOLLAR || before === LESS || before === GREATER || open > 0) open++;
      if (open > MAX_OPEN_SUBSTITUTIONS) return true;
    } else if (code === PAREN_CLOSE) {
      if (open > 0) open--;
    } else if (code === BRACE_OPEN) {
      if (i > 0 && text.charCodeAt(i - 1) === DOLLAR) braces += 2;
      else braces++;
      if (braces > MAX_OPEN_BRACES) return true;
    } else if (code === BRACE_CLOSE) {
      if (braces > 0) braces--;
    }
  }
  return false;
}
