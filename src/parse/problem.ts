// Why a text has no reliable tree.

export interface ParseProblem {
  readonly id: 'syntax' | 'too-long' | 'too-deep' | 'nul';
  readonly message: string;
  readonly pos: number;
}

/** The parser reads `a=(1` as an extended glob whose operator is `=`. */
export function describeParserError({ message, pos }: { message: string; pos: number }, source: string): string {
  return message === 'unterminated extended glob' && source[pos] === '=' ? 'unterminated array' : message;
}
