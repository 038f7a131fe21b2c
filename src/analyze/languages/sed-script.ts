// A sed script (POSIX and GNU) → its commands, and what it would read, write and execute.
// Several `-e` parts are joined by newlines first. Any parsing uncertainty is an `error`:
// then the effects are those found so far, and there may be more.

import { type Delimited, SedReader, SedSyntaxError, unescapeText } from './sed-reader.ts';

export interface SedRegex {
  /** Empty: the regular expression used last. */
  readonly source: string;
  readonly ignoreCase: boolean;
  readonly multiline: boolean;
  /** Was escaped inside `source`; versions disagree whether `s|a\|b||` is then a literal. */
  readonly escapedDelimiter: string | null;
}

export type SedAddress =
  | { readonly kind: 'line'; readonly line: number }
  | { readonly kind: 'step'; readonly first: number; readonly step: number }
  | { readonly kind: 'last' }
  | { readonly kind: 'regex'; readonly regex: SedRegex }
  /** `addr,+N` and `addr,~N`: second addresses only. */
  | { readonly kind: 'plus'; readonly count: number }
  | { readonly kind: 'multiple'; readonly of: number };

type SedAction =
  | { readonly name: '{'; readonly end: number }
  | { readonly name: '}' | '=' | 'd' | 'D' | 'F' | 'g' | 'G' | 'h' | 'H' | 'n' | 'N' | 'p' | 'P' | 'x' | 'z' }
  | { readonly name: 'a' | 'i' | 'c'; readonly text: string }
  | { readonly name: ':' | 'b' | 't' | 'T' | 'v'; readonly label: string }
  | { readonly name: 'e'; readonly command: string | null }
  | { readonly name: 'l' | 'L' | 'q' | 'Q'; readonly value: number | null }
  | { readonly name: 'r' | 'R' | 'w' | 'W'; readonly file: string }
  | SedSubstitution
  | { readonly name: 'y'; readonly from: string; readonly to: string };

export interface SedSubstitution {
  readonly name: 's';
  readonly regex: SedRegex;
  readonly replacement: string;
  readonly global: boolean;
  readonly print: boolean;
  readonly evaluate: boolean;
  readonly occurrence: number | null;
  readonly file: string | null;
}

export type SedCommand = SedAction & {
  readonly first: SedAddress | null;
  readonly second: SedAddress | null;
  readonly negated: boolean;
};

interface SedEffects {
  readonly reads: readonly string[];
  readonly writes: readonly string[];
  /** Shell texts that `e command` runs. */
  readonly executes: readonly string[];
  /** A bare `e` or `s///e` runs its input as commands. */
  readonly executesPattern: boolean;
}

export interface SedScript {
  readonly commands: readonly SedCommand[];
  /** The script begins with `#n`, which is the same as `-n`. */
  readonly quiet: boolean;
  readonly effects: SedEffects;
  readonly error: string | null;
}

const STANDARD_STREAMS = new Set(['/dev/stdin', '/dev/stdout', '/dev/stderr']);
/** sed treats these two specially; it opens /dev/stdin. */
const OUTPUT_STREAMS = new Set(['/dev/stdout', '/dev/stderr']);

export function parseSedScript(text: string): SedScript {
  const commands: SedCommand[] = [];
  let error: string | null = null;
  try {
    parseCommands(new SedReader(text), commands);
  } catch (thrown) {
    if (!(thrown instanceof SedSyntaxError)) throw thrown;
    error = thrown.message;
  }
  return { commands, quiet: text.startsWith('#n'), effects: collectEffects(commands), error };
}

function collectEffects(commands: readonly SedCommand[]): SedEffects {
  const reads = new Set<string>();
  const writes = new Set<string>();
  const executes = new Set<string>();
  let executesPattern = false;
  for (const command of commands) {
    switch (command.name) {
      case 'r':
      case 'R':
        if (!STANDARD_STREAMS.has(command.file)) reads.add(command.file);
        break;
      case 'w':
      case 'W':
        if (!OUTPUT_STREAMS.has(command.file)) writes.add(command.file);
        break;
      case 's':
        if (command.file !== null && !OUTPUT_STREAMS.has(command.file)) writes.add(command.file);
        executesPattern ||= command.evaluate;
        break;
      case 'e':
        if (command.command === null) executesPattern = true;
        else executes.add(command.command);
        break;
    }
  }
  return { reads: [...reads], writes: [...writes], executes: [...executes], executesPattern };
}

function parseCommands(reader: SedReader, commands: SedCommand[]): void {
  const blocks: number[] = [];
  const labels = new Set<string>();
  const jumps = new Set<string>();
  for (let ch = reader.nextCommand(); ch !== ''; ch = reader.nextCommand()) {
    const first = parseAddress(reader, ch);
    let second: SedAddress | null = null;
    if (first !== null) {
      if (first.kind === 'plus' || first.kind === 'multiple') throw new SedSyntaxError('+N or ~N as first address');
      ch = reader.nextNonBlank();
      if (ch === ',') {
        second = parseAddress(reader, reader.nextNonBlank());
        if (second === null) throw new SedSyntaxError('unexpected ,');
        ch = reader.nextNonBlank();
      }
      if (first.kind === 'line' && first.line === 0 && second?.kind !== 'regex' && !(second === null && ch === 'r')) {
        throw new SedSyntaxError('line 0');
      }
    }
    const negated = ch === '!';
    if (negated) ch = reader.nextNonBlank();
    const where = { first, second, negated };

    if (ch === '#') {
      if (first !== null || negated) throw new SedSyntaxError('address on a comment');
      reader.skipLine();
      continue;
    }
    if (ch === '}') {
      const open = blocks.pop();
      if (open === undefined || first !== null || negated) throw new SedSyntaxError('unexpected }');
      reader.endOfCommand();
      const block = commands[open];
      if (block?.name === '{') commands[open] = { ...block, end: commands.length };
      commands.push({ ...where, name: '}' });
      continue;
    }
    const action = parseAction(reader, ch);
    if (action.name === '{') blocks.push(commands.length);
    if (action.name === ':') {
      if (first !== null || negated || labels.has(action.label)) throw new SedSyntaxError('label');
      labels.add(action.label);
    }
    if (action.name === 'b' || action.name === 't' || action.name === 'T') jumps.add(action.label);
    if ((action.name === 'q' || action.name === 'Q') && second !== null) throw new SedSyntaxError('one address only');
    commands.push({ ...where, ...action });
  }
  if (blocks.length > 0) throw new SedSyntaxError('unmatched {');
  for (const label of jumps) if (label !== '' && !labels.has(label)) throw new SedSyntaxError(`no label ${label}`);
}

function parseAddress(reader: SedReader, ch: string): SedAddress | null {
  if (ch === '/' || ch === '\\') {
    const delimiter = ch === '/' ? '/' : reader.delimiter();
    const part = reader.delimited(delimiter, 'regex');
    const flags = { ignoreCase: false, multiline: false };
    for (;;) {
      const flag = reader.nextNonBlank();
      if (flag === 'I') flags.ignoreCase = true;
      else if (flag === 'M') flags.multiline = true;
      else break;
    }
    reader.back();
    return { kind: 'regex', regex: makeRegex(part, delimiter, flags) };
  }
  if (ch >= '0' && ch <= '9') {
    const line = reader.integer(ch);
    if (reader.nextNonBlank() !== '~') {
      reader.back();
      return { kind: 'line', line };
    }
    const step = reader.integer(reader.nextNonBlank());
    return step > 0 ? { kind: 'step', first: line, step } : { kind: 'line', line };
  }
  if (ch === '+') return { kind: 'plus', count: reader.integer(reader.nextNonBlank()) };
  if (ch === '~') return { kind: 'multiple', of: reader.integer(reader.nextNonBlank()) };
  return ch === '$' ? { kind: 'last' } : null;
}

function makeRegex(part: Delimited, delimiter: string, flags: { ignoreCase: boolean; multiline: boolean }): SedRegex {
  if (part.text === '' && (flags.ignoreCase || flags.multiline)) throw new SedSyntaxError('flags on an empty regex');
  return { source: part.text, ...flags, escapedDelimiter: part.escapedDelimiter ? delimiter : null };
}

function parseAction(reader: SedReader, name: string): SedAction {
  switch (name) {
    case '{':
      return { name, end: -1 };
    case '=':
    case 'd':
    case 'D':
    case 'F':
    case 'g':
    case 'G':
    case 'h':
    case 'H':
    case 'n':
    case 'N':
    case 'p':
    case 'P':
    case 'x':
    case 'z':
      reader.endOfCommand();
      return { name };
    case 'a':
    case 'i':
    case 'c':
      return { name, text: reader.textBlock(reader.nextNonBlank()) };
    case 'e': {
      const ch = reader.nextNonBlank();
      const text = ch === '' || ch === '\n' ? '' : reader.textBlock(ch);
      // Without any text, as in `e\`, it runs the pattern space.
      return { name, command: text === '' ? null : text.slice(0, -1) };
    }
    case ':': {
      const label = reader.label();
      if (label === '') throw new SedSyntaxError(': lacks a label');
      return { name, label };
    }
    case 'b':
    case 't':
    case 'T':
    case 'v':
      return { name, label: reader.label() };
    case 'l':
    case 'L':
    case 'q':
    case 'Q': {
      const ch = reader.nextNonBlank();
      const hasValue = ch >= '0' && ch <= '9';
      const value = hasValue ? reader.integer(ch) : null;
      if (!hasValue) reader.back();
      reader.endOfCommand();
      return { name, value };
    }
    case 'r':
    case 'R':
    case 'w':
    case 'W':
      return { name, file: reader.fileName() };
    case 's':
      return parseSubstitution(reader);
    case 'y': {
      const delimiter = reader.delimiter();
      const from = unescapeText(reader.delimited(delimiter, 'text').text);
      const to = unescapeText(reader.delimited(delimiter, 'text').text);
      if ([...from].length !== [...to].length) throw new SedSyntaxError('y strings have different lengths');
      reader.endOfCommand();
      return { name, from, to };
    }
    default:
      throw new SedSyntaxError(name === '' ? 'missing command' : `unknown command ${name}`);
  }
}

function parseSubstitution(reader: SedReader): SedSubstitution {
  const delimiter = reader.delimiter();
  const pattern = reader.delimited(delimiter, 'regex');
  const replacement = reader.delimited(delimiter, 'text').text;
  const flags = { ignoreCase: false, multiline: false };
  const found = { global: false, print: false, evaluate: false };
  let occurrence: number | null = null;
  let file: string | null = null;
  for (let more = true; more; ) {
    const ch = reader.nextNonBlank();
    if (ch === 'i' || ch === 'I') flags.ignoreCase = true;
    else if (ch === 'm' || ch === 'M') flags.multiline = true;
    else if (ch === 'e') found.evaluate = true;
    else if (ch === 'g' && !found.global) found.global = true;
    else if (ch === 'p' && !found.print) found.print = true;
    else if (ch >= '1' && ch <= '9' && occurrence === null) occurrence = reader.integer(ch);
    else {
      more = false;
      if (ch === 'w') file = reader.fileName();
      else if (ch === '}' || ch === '#') reader.back();
      else if (ch !== '' && ch !== '\n' && ch !== ';') throw new SedSyntaxError('unknown option to s');
    }
  }
  return { name: 's', regex: makeRegex(pattern, delimiter, flags), replacement, ...found, occurrence, file };
}
