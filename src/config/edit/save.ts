// Changes to a settings file that keep its comments and formatting: add rules, trust a folder, merge whole settings.
// Refuses to change a file that is not valid, or to write one that would not be.

import { applyEdits, findNodeAtLocation, type JSONPath, modify, parseTree, stripComments } from 'jsonc-parser';
import { HardshellError } from '../../core/errors.ts';
import { type ChecksOf, callback, checkOptions, text, unchecked } from '../../core/option-checks.ts';
import { defined } from '../../core/values/defined.ts';
import type { VerdictName } from '../../core/verdict.ts';
import { realPathOfNearest } from '../../local/real-path.ts';
import { type Document, readData } from '../document/document.ts';
import { toError } from '../document/problem.ts';
import type { Knowledge } from '../document/validate.ts';
import { findPattern, keyRules } from '../layers/keys.ts';
import { resolveSettingsPath, toSettingsPath } from '../layers/paths.ts';
import { readSettingsFile } from '../layers/read.ts';
import { validateText } from '../load.ts';
import type { RuleEntry, Settings } from '../settings.ts';
import { type LockOptions, withLock } from './lock.ts';
import { writeInNewFolder } from './new-folder.ts';
import { prepareFolder, replaceFile } from './write.ts';

export interface Saved {
  readonly file: string;
  /** False if the file already had it. */
  readonly changed: boolean;
}

export interface SaveOptions extends Knowledge, LockOptions {}

export interface SaveRuleOptions extends SaveOptions {
  /** `2030-12-31` or `2030-12-31T18:00Z` */
  readonly until?: string | undefined;
  readonly because?: string | undefined;
}

/** Adds a rule to a list of a file, which is created if it is missing. */
export async function saveRule(
  file: string,
  list: VerdictName,
  rule: string,
  options: SaveRuleOptions,
): Promise<Saved> {
  const { until, because, ...rest } = options;
  if (until !== undefined) text('until', until);
  if (because !== undefined) text('because', because);
  const entry: RuleEntry = {
    rule,
    ...defined({ until, because }),
  };
  const value = until === undefined && because === undefined ? rule : entry;
  return saveSettings(file, { permissions: { [list]: [value] } }, rest);
}

/** Merges settings into a file: lists grow, single values are replaced. */
export async function saveSettings(file: string, settings: Settings, options: SaveOptions): Promise<Saved> {
  // A misspelled `until` would make a rule permanent.
  checkOptions(options, {
    checkRule: callback,
    knownCheckIds: unchecked,
    waitMs: unchecked,
  } satisfies ChecksOf<SaveOptions>);
  return edit(file, options, (text, current) => addTo(text, current, settings as Tree, []));
}

export async function trustFolder(file: string, folder: string, options: SaveOptions): Promise<Saved> {
  return saveSettings(file, { trustedFolders: [toSettingsPath(realPathOfNearest(folder))] }, options);
}

export interface Untrusted extends Saved {
  /** Remaining entries that still trust it, because they trust a parent folder. */
  readonly stillTrustedBy: readonly string[];
}

export async function untrustFolder(
  file: string,
  folder: string,
  options: SaveOptions & { readonly home: string | null },
): Promise<Untrusted> {
  const target = realPathOfNearest(folder);
  let stillTrustedBy: string[] = [];
  const saved = await edit(file, options, (text, current) => {
    const entries = (current as Settings).trustedFolders ?? [];
    const places = entries.map((entry) => {
      const path = resolveSettingsPath(entry, { base: '/', cwd: '/', home: options.home });
      return { entry, path: path === null ? null : realPathOfNearest(path) };
    });
    stillTrustedBy = places.flatMap(({ entry, path }) =>
      path !== null && path !== target && target.startsWith(path === '/' ? '/' : `${path}/`) ? [entry] : [],
    );
    let result = text;
    // From the end, so that the earlier indexes stay valid.
    for (const index of [...places.keys()].reverse()) {
      if (places[index]?.path === target) result = change(result, ['trustedFolders', index], undefined);
    }
    return result;
  });
  return { ...saved, stillTrustedBy };
}

type Tree = Readonly<Record<string, unknown>>;

async function edit(file: string, options: SaveOptions, work: (text: string, current: Tree) => string): Promise<Saved> {
  const change = (): Saved => {
    const before = readSettingsFile(file)?.text ?? null;
    const start = before === null || before.trim() === '' ? '{}\n' : before;
    const text = work(start, readData(requireValid(start, file, options).root) as Tree);
    if (text === start) return { file, changed: false };
    refuseInvalidChange(text, file, options);
    replaceFile(file, before, text);
    return { file, changed: true };
  };
  return writeInNewFolder(file, () => {
    prepareFolder(file);
    return withLock(file, change, options);
  });
}

function requireValid(text: string, file: string, knowledge: Knowledge): Document {
  const { document, problems } = validateText(text, file, knowledge);
  if (document === null || problems.length > 0) throw toError(problems);
  return document;
}

/** The file was valid before, so the problem is in what was to be added: it has no place in the file yet. */
function refuseInvalidChange(text: string, file: string, knowledge: Knowledge): void {
  const { problems } = validateText(text, file, knowledge);
  const [first] = problems;
  if (first === undefined) return;
  const message = problems.map((problem) => problem.message).join(' ');
  throw new HardshellError('invalid-argument', message, { hint: first.fix, cause: problems });
}

function addTo(text: string, current: Tree, added: Tree, path: readonly string[]): string {
  let result = text;
  for (const [name, value] of Object.entries(added)) {
    const here = [...path, name];
    const present = Object.hasOwn(current, name) ? current[name] : undefined;
    if (Array.isArray(value)) result = addItems(result, (present as unknown[] | undefined) ?? null, value, here);
    else if (isTree(value)) result = addTo(result, isTree(present) ? present : {}, value, here);
    else if (present !== value) result = change(result, here, value);
  }
  return result;
}

function addItems(text: string, present: readonly unknown[] | null, items: readonly unknown[], path: string[]): string {
  if (keyRules()[findPattern(path)] === undefined) {
    throw new HardshellError('internal', `No list ${path.join('.')} in the settings.`);
  }
  const known = new Set((present ?? []).map((item) => JSON.stringify(item)));
  let result = present === null ? change(text, path, []) : text;
  let length = present?.length ?? 0;
  for (const item of items) {
    const key = JSON.stringify(item);
    if (known.has(key)) continue;
    known.add(key);
    result = addAfterComment(result, path, item) ?? change(result, [...path, length], item);
    length++;
  }
  return result;
}

/**
 * jsonc-parser inserts a new item right after the last one, so a trailing comment of the last item would move to the
 * new one. `null` if there is no such comment.
 */
function addAfterComment(text: string, path: string[], item: unknown): string | null {
  const root = parseTree(text, [], { allowTrailingComma: true });
  const list = root === undefined ? undefined : findNodeAtLocation(root, path);
  const last = list?.children?.at(-1);
  if (list === undefined || last === undefined) return null;
  const end = last.offset + last.length;
  const rest = text.slice(end, list.offset + list.length - 1);
  const withoutComments = stripComments(rest, ' ');
  if (withoutComments === rest) return null;
  const comma = withoutComments.includes(',') ? '' : ',';
  const indent = /[ \t]*$/.exec(text.slice(0, last.offset))?.[0] ?? '';
  const [kept, tail] = [rest.trimEnd(), rest.slice(rest.trimEnd().length)];
  const eol = text.includes('\r\n') ? '\r\n' : '\n';
  const after = text.slice(list.offset + list.length - 1);
  return `${text.slice(0, end)}${comma}${kept}${eol}${indent}${JSON.stringify(item)}${tail}${after}`;
}

function isTree(value: unknown): value is Tree {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function change(text: string, path: JSONPath, value: unknown): string {
  const isAdded = typeof path.at(-1) === 'number' && value !== undefined;
  const formattingOptions = {
    insertSpaces: !/^\t/m.test(text),
    tabSize: indentOf(text),
    eol: text.includes('\r\n') ? '\r\n' : '\n',
  };
  return applyEdits(text, modify(text, path, value, { formattingOptions, isArrayInsertion: isAdded }));
}

function indentOf(text: string): number {
  return /^( +)\S/m.exec(text)?.[1]?.length ?? 2;
}
