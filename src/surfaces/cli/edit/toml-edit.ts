// Text of a TOML file → the same text with our table added, updated, or removed. Everything else keeps its bytes.

import { BadFile, findSpot } from './bad-file.ts';
import { readToml, type TomlTable, type TomlText } from './toml-text.ts';

type Path = readonly string[];

/** The table's value for a key as written in the file; `undefined` if there is none. */
export function setTable(text: string, path: Path, values: Readonly<Record<string, string>>): string {
  const toml = readToml(text);
  refuseOtherForms(text, toml, path);
  const table = findTable(toml, path);
  if (table === undefined) return append(text, path, values);
  let edited = text;
  // From the end, so that earlier positions stay valid.
  const missing: string[] = [];
  const found = Object.entries(values).map(([name, value]) => {
    const key = toml.keys.findLast((candidate) => isSame(candidate.path, [...path, name]));
    if (key === undefined) missing.push(`${name} = ${value}`);
    return { key, value };
  });
  found.sort((a, b) => (b.key?.valueStart ?? 0) - (a.key?.valueStart ?? 0));
  for (const { key, value } of found) {
    if (key !== undefined) edited = edited.slice(0, key.valueStart) + value + edited.slice(key.valueEnd);
  }
  if (missing.length === 0) return edited;
  const eol = lineEnd(text);
  const headerEnd = edited.indexOf('\n', table.start);
  const at = headerEnd === -1 ? edited.length : headerEnd + 1;
  const glue = headerEnd === -1 ? eol : '';
  return `${edited.slice(0, at)}${glue}${missing.join(eol)}${eol}${edited.slice(at)}`;
}

/** Removes the table, with its subtables. */
export function removeTable(text: string, path: Path): string {
  const toml = readToml(text);
  let edited = text;
  for (const table of [...toml.tables].reverse()) {
    if (!isSame(table.path.slice(0, path.length), path)) continue;
    edited =
      edited.slice(0, table.start).replace(/(\r?\n)[ \t]*(?:\r?\n)$/, '$1') + edited.slice(endOfTable(text, table));
  }
  return edited;
}

export function hasTable(text: string, path: Path): boolean {
  return findTable(readToml(text), path) !== undefined;
}

/** The direct subtables of a table: their strings, and other values as written. */
export function readStrings(text: string, path: Path): ReadonlyMap<string, Readonly<Record<string, string>>> {
  const found = new Map<string, Record<string, string>>();
  for (const key of readToml(text).keys) {
    const [name, field] = key.path.slice(path.length);
    if (key.path.length !== path.length + 2 || !isSame(key.path.slice(0, path.length), path)) continue;
    const value = text.slice(key.valueStart, key.valueEnd).trim();
    const values = found.get(name as string) ?? {};
    values[field as string] = /^(["'])(.*)\1$/s.exec(value)?.[2] ?? value;
    found.set(name as string, values);
  }
  return found;
}

/** A boolean at a path and its line, in any form; `null` if there is none. */
export function findKey(text: string, path: Path): { readonly value: boolean; readonly line: number } | null {
  for (const { path: at, valueStart, valueEnd } of [...readToml(text).keys].reverse()) {
    if (!isSame(at, path.slice(0, at.length))) continue;
    // The rest of the path may be in an inline table, `{ hooks = false }`.
    const rest = path.slice(at.length).map((key) => `["']?${key}["']?\\s*`);
    const pattern =
      rest.length === 0 ? /^(true|false)$/ : new RegExp(`[{,\\s]${rest.join('\\.\\s*')}=\\s*(true|false)\\b`);
    const found = pattern.exec(text.slice(valueStart, valueEnd));
    if (found !== null) return { value: found[1] === 'true', line: findSpot(text, valueStart + found.index).line };
  }
  return null;
}

/** Comments right above the next header belong to that one. */
function endOfTable(text: string, { start, end }: TomlTable): number {
  if (end === text.length) return end;
  const trailing = /(?:^[ \t]*(?:#[^\n]*)?\r?\n)+$/m.exec(text.slice(start, end));
  return trailing === null ? end : start + trailing.index;
}

function append(text: string, path: Path, values: Readonly<Record<string, string>>): string {
  const eol = lineEnd(text);
  const lines = [`[${path.join('.')}]`, ...Object.entries(values).map(([name, value]) => `${name} = ${value}`)];
  const glue = text === '' ? '' : text.endsWith('\n') ? eol : eol + eol;
  return `${text}${glue}${lines.join(eol)}${eol}`;
}

function findTable(toml: TomlText, path: Path): TomlTable | undefined {
  return toml.tables.find((table) => isSame(table.path, path));
}

/** `mcp_servers = { … }` and `mcp_servers.hardshell.command = …` are closed or spread: our table would clash. */
function refuseOtherForms(text: string, toml: TomlText, path: Path): void {
  const name = path.join('.');
  const list = toml.tables.find(({ path: other, isList }) => isList && isSame(path.slice(0, other.length), other));
  if (list !== undefined) throw new BadFile(`${name} is a list of tables here.`, findSpot(text, list.start));
  for (const key of toml.keys) {
    const isAbove = key.path.length <= path.length && isSame(path.slice(0, key.path.length), key.path);
    const isBelow = isSame(key.path.slice(0, path.length), path) && findTable(toml, path) === undefined;
    if (!isAbove && !isBelow) continue;
    throw new BadFile(
      `${name} is written on one line here; write it as a table [${name}] first.`,
      findSpot(text, key.valueStart),
    );
  }
}

function lineEnd(text: string): string {
  return text.includes('\r\n') ? '\r\n' : '\n';
}

function isSame(a: Path, b: Path): boolean {
  return a.length === b.length && a.every((part, i) => part === b[i]);
}

/** A TOML basic string; JSON's escapes are all valid there. */
export function tomlString(text: string): string {
  return JSON.stringify(text);
}
