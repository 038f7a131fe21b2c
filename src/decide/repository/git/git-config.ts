// The text of a git configuration file → its settings, as git parses them; `null` if git would refuse it.
// Section and name are lower case, a subsection keeps its case. A name without `=` means true.

export interface GitSetting {
  readonly section: string;
  readonly subsection: string | null;
  readonly name: string;
  /** `null`: no `=`, which git reads as true. */
  readonly value: string | null;
  readonly line: number;
}

interface Section {
  readonly section: string;
  readonly subsection: string | null;
}

const END = '';

export function parseGitConfig(text: string): readonly GitSetting[] | null {
  const reader = new Reader(text.startsWith('\u{feff}') ? text.slice(1) : text);
  const settings: GitSetting[] = [];
  let section: Section | null = { section: '', subsection: null };
  for (;;) {
    const char = reader.next();
    if (char === END) return settings;
    if (isSpace(char)) continue;
    if (char === '#' || char === ';') {
      reader.skipLine();
      continue;
    }
    if (char === '[') {
      section = readSection(reader);
      if (section === null) return null;
      continue;
    }
    if (!/[a-z]/i.test(char)) return null;
    const line = reader.line;
    const setting = readSetting(char, reader);
    if (setting === null) return null;
    settings.push({ ...section, ...setting, line });
  }
}

class Reader {
  readonly #text: string;
  #at = 0;
  line = 1;

  constructor(text: string) {
    this.#text = text;
  }

  /** A carriage return before a line end is part of the line end. */
  next(): string {
    let char = this.#text[this.#at++] ?? END;
    if (char === '\r' && this.#text[this.#at] === '\n') {
      char = '\n';
      this.#at++;
    }
    if (char === '\n') this.line++;
    return char;
  }

  skipLine(): void {
    const end = this.#text.indexOf('\n', this.#at);
    this.#at = end === -1 ? this.#text.length : end + 1;
    this.line++;
  }
}

function readSection(reader: Reader): Section | null {
  let name = '';
  for (;;) {
    const char = reader.next();
    if (char === ']') return name === '' ? null : splitSection(name);
    if (char !== '\n' && isSpace(char)) return readSubsection(name, reader);
    if (!/[a-z0-9.-]/i.test(char)) return null;
    name += char.toLowerCase();
  }
}

/** `[a.b]`, the old form of `[a "b"]`. */
function splitSection(name: string): Section {
  const dot = name.indexOf('.');
  return dot === -1
    ? { section: name, subsection: null }
    : { section: name.slice(0, dot), subsection: name.slice(dot + 1) };
}

function readSubsection(section: string, reader: Reader): Section | null {
  let char = reader.next();
  while (char !== '\n' && isSpace(char)) char = reader.next();
  if (char !== '"') return null;
  let subsection = '';
  for (;;) {
    char = reader.next();
    if (char === '"') break;
    if (char === '\\') char = reader.next();
    if (char === '\n' || char === END) return null;
    subsection += char;
  }
  return reader.next() === ']' ? { section, subsection } : null;
}

function readSetting(first: string, reader: Reader): { name: string; value: string | null } | null {
  let name = first.toLowerCase();
  let char = reader.next();
  while (char !== END && /[a-z0-9-]/i.test(char)) {
    name += char.toLowerCase();
    char = reader.next();
  }
  while (char === ' ' || char === '\t') char = reader.next();
  if (char === '\n' || char === END) return { name, value: null };
  if (char !== '=') return null;
  const value = readValue(reader);
  return value === null ? null : { name, value };
}

const ESCAPES: Readonly<Record<string, string>> = { t: '\t', b: '\b', n: '\n', '\\': '\\', '"': '"' };

function readValue(reader: Reader): string | null {
  let value = '';
  let isQuoted = false;
  /** Length without the spaces that a line end or a comment would cut off. */
  let kept = 0;
  for (;;) {
    const char = reader.next();
    if (char === '\n' || char === END) return isQuoted ? null : value.slice(0, kept);
    if (!isQuoted && isSpace(char)) {
      if (value !== '') value += char;
      continue;
    }
    if (!isQuoted && (char === '#' || char === ';')) {
      reader.skipLine();
      return value.slice(0, kept);
    }
    if (char === '"') {
      isQuoted = !isQuoted;
      kept = value.length;
      continue;
    }
    if (char === '\\') {
      const escaped = reader.next();
      if (escaped === '\n' || escaped === END) continue;
      const meant = ESCAPES[escaped];
      if (meant === undefined) return null;
      value += meant;
    } else value += char;
    kept = value.length;
  }
}

function isSpace(char: string): boolean {
  return char === ' ' || char === '\t' || char === '\n' || char === '\r' || char === '\v' || char === '\f';
}
