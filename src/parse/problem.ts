// Why a text has no tree that can be trusted.

export interface ParseProblem {
  readonly id: 'syntax' | 'too-long' | 'too-deep' | 'nul';
  readonly message: string;
  readonly pos: number;
}
