// An agent's file as it is → as it should be: with our entry, or without it. Decides nothing else and writes nothing.

import { BadFile } from '../edit/bad-file.ts';
import { readValue, removeValue, setValue } from '../edit/json-edit.ts';
import { hasTable, removeTable, setTable, tomlString } from '../edit/toml-edit.ts';
import { type HookSurroundings, toCommandLine, toHookLine } from './launch.ts';
import type { Target, Text } from './target.ts';

/** The file with our entry, which starts `argv`. Equal to `before` if it is already there. */
export function planInstall(target: Target, before: Text, argv: readonly string[], around?: HookSurroundings): string {
  const text = before ?? '';
  if (target.form === 'file') {
    if (before !== null && before.trim() !== '' && !OURS.test(before))
      throw new BadFile('This file is not from hardshell.', { line: 1, column: 1 });
    return target.content(argv);
  }
  if (target.form === 'toml') {
    const [command = '', ...args] = argv;
    const list = `[${args.map(tomlString).join(', ')}]`;
    return setTable(text, target.table, { command: tomlString(command), args: list, ...target.more });
  }
  // Some agents leave an empty file; for the others it means the same.
  const json = text.trim() === '' ? '{}\n' : text;
  if (target.form === 'json') {
    const path = pathIn(json, target.path);
    const old = readValue(json, path);
    const value = merged(old, target.value(argv));
    return isSame(old, value) ? json : setValue(json, path, value);
  }
  const { refusal } = target;
  const value = target.value(refusal === null ? toCommandLine(argv) : toHookLine(argv, refusal, around));
  const { list, index } = findOurs(json, target.path, argv);
  if (index !== -1 && isSame(list[index], value)) return json;
  let edited = json;
  for (const [key, besides] of Object.entries(target.besides ?? {})) {
    if (readValue(edited, [key]) === undefined) edited = setValue(edited, [key], besides);
  }
  if (readValue(edited, target.path) === undefined) return setValue(edited, target.path, [value]);
  if (index === -1) return setValue(edited, [...target.path, list.length], value);
  return setValue(edited, [...target.path, index], value);
}

/**
 * The file without our entry. `earlier` is its text before our entry was added, if known: a list or an object that
 * is empty now and did not exist then is removed, too. `null`: the file had nothing else, and we had created it.
 */
export function planRemoval(target: Target, before: string, earlier: Text): Text {
  if (target.form === 'file') return null;
  if (target.form === 'toml') {
    const after = removeTable(before, target.table);
    return after.trim() === '' && earlier === null ? null : after;
  }
  let edited = before;
  const path = target.form === 'json' ? pathIn(before, target.path) : target.path;
  if (target.form === 'json') {
    edited = removeValue(edited, path);
  } else {
    const { list, index } = findOurs(edited, path);
    if (index === -1) return edited;
    edited =
      list.length === 1 && !had(earlier, path) ? removeValue(edited, path) : removeValue(edited, [...path, index]);
  }
  for (let depth = path.length - 1; depth > 0; depth -= 1) {
    const parent = path.slice(0, depth);
    const value = readValue(edited, parent);
    if (!isEmpty(value) || had(earlier, parent)) break;
    edited = removeValue(edited, parent);
  }
  const besides = target.form === 'json-list' ? (target.besides ?? {}) : {};
  return earlier === null && isSame(readValue(edited, []), besides) ? null : edited;
}

/** Whether our entry is in the file, whatever it starts. */
export function isInstalled(target: Target, text: Text): boolean {
  if (text === null || text.trim() === '') return false;
  if (target.form === 'file') return OURS.test(text);
  if (target.form === 'toml') return hasTable(text, target.table);
  if (target.form === 'json') return readValue(text, pathIn(text, target.path)) !== undefined;
  return findOurs(text, target.path).index !== -1;
}

/** The position of our hook in the list of hooks; `null` if it is missing. */
export function findHook(target: Target, text: Text): { readonly index: number; readonly entry: unknown } | null {
  if (target.form !== 'json-list' || text === null || text.trim() === '') return null;
  const { list, index } = findOurs(text, target.path);
  return index === -1 ? null : { index, entry: list[index] };
}

/** Whether an installed hook hands commands to hardshell. */
export function isConfining(target: Target, text: Text): boolean {
  if (target.form === 'file') return (text ?? '').includes('"--confine"]');
  return JSON.stringify(findHook(target, text)?.entry ?? '').includes('--confine');
}

/** Whether two versions of a file are equal, apart from our entries. */
export function hasSameRest(ours: readonly Target[], a: Text, b: Text): boolean {
  try {
    const [restA, restB] = [a, b].map((text) => ours.reduce<Text>(withoutOurs, text));
    if (ours.some(({ form }) => form === 'toml')) return (restA ?? '').trim() === (restB ?? '').trim();
    return isSame(valuesOf(restA ?? null), valuesOf(restB ?? null));
  } catch {
    return false;
  }
}

function withoutOurs(text: Text, target: Target): Text {
  return text !== null && isInstalled(target, text) ? planRemoval(target, text, null) : text;
}

/** Empty objects and lists mean nothing. */
function valuesOf(text: Text): unknown {
  const clean = (value: unknown): unknown => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
    return Object.fromEntries(
      Object.entries(value)
        .map(([key, inner]) => [key, clean(inner)] as const)
        .filter(([, inner]) => !isEmpty(inner)),
    );
  };
  return text === null || text.trim() === '' ? {} : clean(readValue(text, []));
}

/** opencode 2 has its servers one level deeper; both forms are read, and a file keeps its form. */
function pathIn(json: string, path: readonly string[]): readonly string[] {
  if (path[0] !== 'mcp') return path;
  const nested = readValue(json, ['mcp', 'servers']);
  const isServerMap = typeof nested === 'object' && nested !== null && !('type' in nested) && !('enabled' in nested);
  return isServerMap ? ['mcp', 'servers', ...path.slice(1)] : path;
}

/** Our entry is recognized by what it starts: `hardshell … hook AGENT`, by any path. */
function findOurs(json: string, path: readonly string[], argv: readonly string[] = ['hook']) {
  const value = readValue(json, path) ?? [];
  // Reading below it reports the error, with its position.
  if (!Array.isArray(value)) readValue(json, [...path, 0]);
  const list = value as unknown[];
  const agent = argv[argv.indexOf('hook') + 1];
  return { list, index: list.findIndex((item) => startsOurs(item, agent)) };
}

/** The hook in a file that is ours as a whole. */
const OURS = /hardshell(?:\.js)?", "hook", /;

function startsOurs(item: unknown, agent: string | undefined): boolean {
  const text = JSON.stringify(item) ?? '';
  const [, named] = /hardshell(?:\.js)?(?:\\"|')? hook ([a-z-]+)/.exec(text) ?? [];
  return named !== undefined && (agent === undefined || named === agent);
}

function had(earlier: Text, path: readonly string[]): boolean {
  if (earlier === null || earlier.trim() === '') return false;
  try {
    return readValue(earlier, path) !== undefined;
  } catch {
    return true;
  }
}

/** Additions of the user to our entry, such as an environment, stay. */
function merged(old: unknown, value: object): object {
  return typeof old === 'object' && old !== null && !Array.isArray(old) ? { ...old, ...value } : value;
}

function isEmpty(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0;
}

function isSame(a: unknown, b: unknown): boolean {
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return a === b;
  const keys = Object.keys(b);
  return (
    Array.isArray(a) === Array.isArray(b) &&
    (!Array.isArray(b) || (a as unknown[]).length === b.length) &&
    Object.keys(a).length === keys.length &&
    keys.every((key) => isSame(a[key as keyof typeof a], b[key as keyof typeof b]))
  );
}
