// Text of a TOML file → the positions of its tables and keys. Only as much of TOML as editing one table needs: it finds every
// string, bracket and line end, so that nothing inside a string is taken for a table. Refuses input that it cannot follow.

import { BadFile, findSpot } from './bad-file.ts';

export interface TomlKey {
  /** With the keys of the table in front: `['mcp_servers', 'x', 'command']`. */
  readonly path: readonly string[];
  readonly valueStart: number;
  readonly valueEnd: number;
}

export interface TomlTable {
  readonly path: readonly string[];
  readonly isList: boolean;
  /** From the bracket of its header to the first character of the next header, or the end. */
  readonly start: number;
  readonly end: number;
}

export interface TomlText {
  readonly tables: readonly TomlTable[];
  readonly keys: readonly TomlKey[];
}

export function readToml(text: string): TomlText {
  const tables: { path: readonly string[]; isList: boolean; start: number; end: number }[] = [];
  const keys: TomlKey[] = [];
  let prefix: readonly string[] = [];
  let at = text.startsWith('\ufeff') ? 1 : 0;
  for (;;) {
    at = skipBlank(text, at);
    if (at >= text.length) break;
    if (text[at] === '[') {
      const isList = text[at + 1] === '[';
      const close = isList ? ']]' : ']';
      const header = readKeyPath(text, at + close.length);
      const end = skipSpaces(text, header.end);
      if (!text.startsWith(close, end)) throw bad(text, at, `this table has no closing ${close}`);
      const last = tables.at(-1);
      if (last !== undefined) last.end = at;
      tables.push({ path: header.path, isList, start: at, end: text.length });
      prefix = header.path;
      at = endOfLine(text, end + close.length);
    } else {
      const key = readKeyPath(text, at);
      const equals = skipSpaces(text, key.end);
      if (text[equals] !== '=') throw bad(text, at, 'a key, a table or a comment was expected');
      const valueStart = skipSpaces(text, equals + 1);
      const valueEnd = endOfValue(text, valueStart);
      keys.push({ path: [...prefix, ...key.path], valueStart, valueEnd });
      at = endOfLine(text, valueEnd);
    }
  }
  return { tables, keys };
}

function bad(text: string, at: number, problem: string): BadFile {
  return new BadFile(`This is not valid TOML: ${problem}.`, findSpot(text, at));
}

const skipSpaces = (text: string, at: number) => match(/[ \t]*/y, text, at);
const skipBlank = (text: string, at: number) => match(/(?:[ \t\r\n]|#[^\n]*)*/y, text, at);

function match(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : at;
}

function endOfLine(text: string, at: number): number {
  const end = match(/[ \t]*(?:#[^\n]*)?\r?/y, text, at);
  if (end < text.length && text[end] !== '\n') throw bad(text, end, 'the line should end here');
  return end + 1;
}

function readKeyPath(text: string, start: number): { path: string[]; end: number } {
  const path: string[] = [];
  let at = start;
  for (;;) {
    at = skipSpaces(text, at);
    const quote = text[at];
    if (quote === '"' || quote === "'") {
      const end = endOfString(text, at);
      path.push(unquoted(text.slice(at, end)));
      at = end;
    } else {
      const end = match(/[A-Za-z0-9_-]+/y, text, at);
      if (end === at) throw bad(text, at, 'a key was expected');
      path.push(text.slice(at, end));
      at = end;
    }
    const dot = skipSpaces(text, at);
    if (text[dot] !== '.') return { path, end: at };
    at = dot + 1;
  }
}

/** Escapes of TOML's basic strings that JSON has too; a name of ours needs no others. */
function unquoted(text: string): string {
  if (text.startsWith("'")) return text.slice(1, -1);
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function endOfValue(text: string, start: number): number {
  const open: string[] = [];
  let at = start;
  while (at < text.length) {
    const character = text[at] as string;
    if (character === '"' || character === "'") {
      at = endOfString(text, at);
    } else if (character === '[' || character === '{') {
      open.push(character === '[' ? ']' : '}');
      at += 1;
    } else if (character === ']' || character === '}') {
      if (open.pop() !== character) throw bad(text, at, `unmatched ${character}`);
      at += 1;
    } else if (open.length === 0 && (character === '#' || character === '\n' || character === '\r')) {
      break;
    } else {
      at = character === '#' ? match(/[^\n]*/y, text, at) : at + 1;
    }
  }
  if (open.length > 0) throw bad(text, start, 'this value is not closed');
  const end = start + text.slice(start, at).trimEnd().length;
  if (end === start) throw bad(text, start, 'a value was expected');
  return end;
}

function endOfString(text: string, start: number): number {
  const quote = text[start] as string;
  const isLong = text.startsWith(quote.repeat(3), start);
  const close = isLong ? quote.repeat(3) : quote;
  let at = start + close.length;
  while (at < text.length) {
    if (quote === '"' && text[at] === '\\') {
      at += 2;
    } else if (text.startsWith(close, at)) {
      // Up to two quotes may stand before the closing three.
      return isLong ? match(quote === '"' ? /"+/y : /'+/y, text, at) : at + 1;
    } else if (!isLong && text[at] === '\n') {
      break;
    } else {
      at += 1;
    }
  }
  throw bad(text, start, 'this text is not closed');
}
