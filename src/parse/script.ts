// Text → Script.
// Refuses unreliable results: parser errors at any level, text that no node covers, depth, length.

import { findUncovered } from './coverage.ts';
import { isTooDeep, MAX_COMMAND_LENGTH } from './limits.ts';
import type { ParseProblem } from './problem.ts';
import { listTokens, type Token } from './tokens.ts';
import { type ParsedScript, parseBash, type Word } from './tree.ts';

export interface ParseResult {
  readonly script: ParsedScript | null;
  readonly problem: ParseProblem | null;
}

export function parse(text: string): ParseResult {
  if (text.length > MAX_COMMAND_LENGTH) {
    const message = `the command has ${text.length} characters; at most ${MAX_COMMAND_LENGTH} are analyzed`;
    return { script: null, problem: { id: 'too-long', message, pos: MAX_COMMAND_LENGTH } };
  }
  const nul = text.indexOf('\0');
  if (nul !== -1) {
    return { script: null, problem: { id: 'nul', message: 'the command contains a NUL byte', pos: nul } };
  }
  if (isTooDeep(text)) {
    return { script: null, problem: { id: 'too-deep', message: 'the command nests too deeply', pos: 0 } };
  }
  try {
    const script = parseBash(text);
    return { script, problem: findUncovered(script, text) ?? findSplitExpansion(text) };
  } catch (error) {
    // The parser recurses: a RangeError means that the nesting is deeper than the stack.
    if (!(error instanceof RangeError) && !(error instanceof TypeError)) throw error;
    return { script: null, problem: { id: 'too-deep', message: 'the command nests too deeply', pos: 0 } };
  }
}

/** `"$\⏎{x}"`, `"$a\⏎b"`: bash joins the lines first, so that the name or the brace belongs to the dollar sign. */
const SPLIT_EXPANSION = /\$\w*(?:\\\n)+[\w{['"\\@*#?!$-]/;

function findSplitExpansion(text: string): ParseProblem | null {
  const pos = text.includes('\\\n') ? text.search(SPLIT_EXPANSION) : -1;
  return pos < 0 ? null : { id: 'syntax', message: 'a continued line inside an expansion', pos };
}

/** The tokens of a text, as far as it can be parsed; empty if it cannot. */
export function tokenize(text: string): readonly Token[] {
  const { script } = parse(text);
  return script ? listTokens(script, text) : [];
}

/** Parses the text of exactly one argument word, as brace expansion produces them; `null` if it is not one word. */
export function parseArgumentWord(text: string): Word | null {
  // A leading `#` would start a comment here, but it is an ordinary character in an expanded word.
  const source = text.startsWith('#') ? `: \\${text}` : `: ${text}`;
  const { script, problem } = parse(source);
  const command = problem === null && script?.commands.length === 1 ? script.commands[0]?.command : undefined;
  if (command?.type !== 'Command' || command.suffix.length !== 1 || command.prefix.length !== 0) return null;
  const word = command.suffix[0];
  return word?.type === 'Word' && word.pos === 2 && word.end === source.length ? word : null;
}
