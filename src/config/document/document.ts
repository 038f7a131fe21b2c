// Text of a settings file → a tree with positions, or its errors as JSON with comments.
// Refuses duplicate keys: the last one would silently win, and a second `deny` would replace the first.

import { createScanner, type Node, type ParseError, parseTree, printParseErrorCode } from 'jsonc-parser';
import { type Problem, quote } from './problem.ts';

/** Settings are at most six levels deep; the parser would overflow the stack at some thousands. */
const MAX_DEPTH = 32;

export interface Document {
  readonly file: string;
  readonly text: string;
  readonly root: Node;
  readonly lines: LineIndex;
}

export interface Position {
  readonly line: number;
  readonly column: number;
}

export type ParsedDocument =
  | { readonly ok: true; readonly document: Document }
  | { readonly ok: false; readonly problems: readonly Problem[] };

export function parseDocument(text: string, file: string): ParsedDocument {
  // A byte order mark is not part of the settings; a blank keeps the positions right.
  const source = text.startsWith('\ufeff') ? ` ${text.slice(1)}` : text;
  const lines = new LineIndex(source);
  const at = (offset: number, message: string, fix: string): Problem => ({ file, ...lines.find(offset), message, fix });
  const tooDeep = findTooDeep(source);
  if (tooDeep !== null) {
    const fix = 'Settings are at most six levels deep: remove the brackets.';
    return { ok: false, problems: [at(tooDeep, `More than ${MAX_DEPTH} brackets are open.`, fix)] };
  }
  const errors: ParseError[] = [];
  const root = parseTree(source, errors, { allowTrailingComma: true });
  if (errors.length > 0 || root === undefined) {
    if (isBlank(source)) {
      return { ok: false, problems: [at(0, 'The file is empty.', 'Write {} into it, or remove it.')] };
    }
    const problems = errors.map((error) => at(error.offset, ...describeError(error)));
    return { ok: false, problems };
  }
  const duplicates = findDuplicates(root).map((node) =>
    at(node.offset, `The key ${quote(String(node.value))} is duplicated.`, 'Merge the two.'),
  );
  if (duplicates.length > 0) return { ok: false, problems: duplicates };
  return { ok: true, document: { file, text: source, root, lines } };
}

class LineIndex {
  readonly #starts: readonly number[];

  constructor(text: string) {
    const starts = [0];
    for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
    this.#starts = starts;
  }

  find(offset: number): Position {
    let low = 0;
    let high = this.#starts.length - 1;
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if ((this.#starts[middle] as number) <= offset) low = middle;
      else high = middle - 1;
    }
    return { line: low + 1, column: offset - (this.#starts[low] as number) + 1 };
  }
}

/** Plain data of a node. Own properties only: a key such as `__proto__` is ordinary data. */
export function readData(node: Node): unknown {
  if (node.type === 'array') return (node.children ?? []).map(readData);
  if (node.type !== 'object') return node.value;
  const object: Record<string, unknown> = {};
  for (const [key, value] of listProperties(node)) {
    Object.defineProperty(object, key.value, {
      value: readData(value),
      enumerable: true,
      writable: true,
      configurable: true,
    });
  }
  return object;
}

export function listProperties(node: Node): (readonly [key: Node & { value: string }, value: Node])[] {
  return (node.children ?? []).flatMap((property) => {
    const [key, value] = property.children ?? [];
    return key === undefined || value === undefined ? [] : [[key as Node & { value: string }, value] as const];
  });
}

// The numbers of jsonc-parser's SyntaxKind, which is a constant enum and cannot be imported here.
const [OPEN_BRACE, CLOSE_BRACE, OPEN_BRACKET, CLOSE_BRACKET, END] = [1, 2, 3, 4, 17];

function findTooDeep(text: string): number | null {
  const scanner = createScanner(text, true);
  let depth = 0;
  for (let token: number = scanner.scan(); token !== END; token = scanner.scan()) {
    if (token === OPEN_BRACE || token === OPEN_BRACKET) depth++;
    else if (token === CLOSE_BRACE || token === CLOSE_BRACKET) depth--;
    if (depth > MAX_DEPTH) return scanner.getTokenOffset();
  }
  return null;
}

function isBlank(text: string): boolean {
  return createScanner(text, true).scan() === (END as number);
}

function findDuplicates(node: Node): Node[] {
  if (node.type === 'array') return (node.children ?? []).flatMap(findDuplicates);
  if (node.type !== 'object') return [];
  const seen = new Set<string>();
  return listProperties(node).flatMap(([key, value]) => {
    const isSecond = seen.has(key.value);
    seen.add(key.value);
    return [...(isSecond ? [key] : []), ...findDuplicates(value)];
  });
}

const ERRORS: Readonly<Record<string, readonly [message: string, fix: string]>> = {
  InvalidSymbol: ['This is not JSON.', 'Put strings in double quotes; only true, false and null have none.'],
  InvalidNumberFormat: ['This is not a number.', 'Write it like 10 or 0.5.'],
  PropertyNameExpected: ['Expected a key in double quotes.', 'Write "key": value.'],
  ValueExpected: ['Expected a value.', 'Write the value, or remove the key or comma before it.'],
  ColonExpected: ['Expected a colon.', 'Write "key": value.'],
  CommaExpected: ['Expected a comma.', 'Add a comma after the previous entry.'],
  CloseBraceExpected: ['Expected a closing }.', 'Close the bracket.'],
  CloseBracketExpected: ['Expected a closing ].', 'Close the bracket.'],
  EndOfFileExpected: ['Unexpected text after the end of the settings.', 'Keep one pair of outer braces.'],
  UnexpectedEndOfComment: ['The comment is not closed.', 'End it with */.'],
  UnexpectedEndOfString: ['The string is not closed on its line.', 'Close the double quotes.'],
  InvalidUnicode: ['The \\u escape is not complete.', 'Write four hexadecimal digits after \\u.'],
  InvalidEscapeCharacter: ['Unknown escape sequence.', 'Write a backslash as two backslashes.'],
  InvalidCharacter: ['The string contains a control character.', 'Write it as an escape such as \\n or \\u0007.'],
};

function describeError({ error }: ParseError): readonly [message: string, fix: string] {
  return ERRORS[printParseErrorCode(error)] ?? ['This is not valid JSON.', 'Compare with docs/settings.md.'];
}
