// The public API.

export { type AnalyzeOptions, analyze } from './analyze/analyze.ts';
export { previewSedEdit, type SedPreview } from './analyze/languages/sed-edit.ts';
export { ERROR_CODES, type ErrorCode, HardshellError } from './core/errors.ts';
export * from './core/facts.ts';
export { MAX_COMMAND_LENGTH } from './parse/limits.ts';
export type { ParseProblem } from './parse/problem.ts';
export { type ParseResult, parse, tokenize } from './parse/script.ts';
export type { Token, TokenKind } from './parse/tokens.ts';
