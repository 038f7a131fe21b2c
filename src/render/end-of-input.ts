// Output of a command that failed → whether it wanted to read more from its standard input than there was.
// Only messages that mean nothing else: Python's `input()`.

const MAX_TEXT = 16 << 10;
const END_OF_INPUT = /^EOFError: EOF when reading a line\s*$/m;

/** `null` if the output does not say so. */
export function explainEndOfInput(output: string): string | null {
  if (!END_OF_INPUT.test(output.slice(-MAX_TEXT))) return null;
  return 'Standard input was empty or had ended: the command cannot ask questions. Pass the answers as options or as its input.';
}
