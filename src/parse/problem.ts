// Why a text has no reliable tree.

export interface ParseProblem {
  readonly id: 'syntax' | 'too-long' | 'too-deep' | 'nul';
  readonly message: string;
  readonly pos: number;
}
