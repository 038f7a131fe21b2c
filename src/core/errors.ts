// The one error class: the environment or the caller is wrong. Outcomes of commands, and commands not understood, are data.

/** Closed: callers switch on these, and records keep them. */
export const ERROR_CODES = [
  'invalid-argument',
  'usage',
  'empty',
  'too-long',
  'nul',
  'invalid-utf8',
  'syntax',
  'no-such-folder',
  'invalid-json',
  'invalid-settings',
  'unreadable-settings',
  'unwritable-settings',
  'unreadable-audit',
  'unwritable-audit',
  'cannot-start',
  'no-sandbox',
  'missing-dependency',
  'runner-lost',
  'no-output',
  'stage-failed',
  'closed',
  'internal',
] as const;
export type ErrorCode = (typeof ERROR_CODES)[number];

export class HardshellError extends Error {
  override readonly name = 'HardshellError';
  readonly code: ErrorCode;
  /** What a person can do about it. */
  readonly hint: string | null;

  constructor(code: ErrorCode, message: string, options: { hint?: string; cause?: unknown } = {}) {
    super(message, 'cause' in options ? { cause: options.cause } : undefined);
    this.code = code;
    this.hint = options.hint ?? null;
  }
}
