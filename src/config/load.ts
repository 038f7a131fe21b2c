// Settings files → the policy, the origin of each value, and which values have no effect. Reads files; decides nothing.
// Fails as a whole if any file is broken: a deny that cannot be read must not be lost.

import { isAbsolute } from 'node:path';
import { HardshellError } from '../core/errors.ts';
import {
  type ChecksOf,
  callback,
  checkOptions,
  flag,
  folder,
  listOf,
  orNull,
  text,
  unchecked,
} from '../core/option-checks.ts';
import type { Policy } from '../core/policy.ts';
import { isAtOrBelow } from '../core/values/containment.ts';
import { realPathOfNearest } from '../local/real-path.ts';
import { type Document, parseDocument, readData } from './document/document.ts';
import { type Problem, toError } from './document/problem.ts';
import { type Knowledge, validateDocument } from './document/validate.ts';
import { type Assembled, assemble, type Here } from './layers/assemble.ts';
import { type Entry, listEntries, type Source } from './layers/entry.ts';
import { mergeEntries, type Switches } from './layers/merge.ts';
import { resolveSettingsPath } from './layers/paths.ts';
import { listPlaces, type Place, type Places, standardPlaces } from './layers/places.ts';
import { type FileText, type ReadFile, readSettingsFile, unreadable } from './layers/read.ts';
import { warnEnded, warnPaths, warnPrograms, warnWritable } from './layers/warnings.ts';
import type { FileLayer, Notice, SettingOrigin, Settings } from './settings.ts';

export interface LoadOptions extends Knowledge {
  /** Absolute. */
  readonly cwd: string;
  /** Folders whose settings also apply, absolute: the project, if the command names its own folder. */
  readonly projects?: readonly string[] | undefined;
  readonly home: string | null;
  /** A file passed explicitly: it must exist. */
  readonly settingsFile?: string | undefined;
  readonly places?: Partial<Places>;
  /** The managed file alone: for a caller that passes a policy instead of the other files. */
  readonly isManagedOnly?: boolean;
  readonly read?: ReadFile;
  /** Milliseconds since 1970: for rules that have expired. */
  readonly now?: number;
}

export interface SettingsSource {
  readonly layer: FileLayer;
  readonly file: string;
  readonly isTrusted: boolean;
  /** `null`: the file does not exist. */
  readonly settings: Settings | null;
}

export interface LoadedSettings extends Assembled {
  readonly policy: Policy;
  readonly notices: readonly Notice[];
  /** Every file that is looked for, from the strongest to the weakest. */
  readonly sources: readonly SettingsSource[];
  readonly origins: readonly SettingOrigin[];
  readonly switches: Switches;
  /** With links resolved. */
  readonly trustedFolders: readonly string[];
}

interface Loaded {
  readonly place: Place;
  readonly content: FileText | null;
  readonly document: Document | null;
}

/** The result of all files, and of the managed file alone; `null` if there is none. */
export interface LoadedLayers {
  readonly settings: LoadedSettings;
  readonly managed: LoadedSettings | null;
}

const LOAD_OPTIONS: ChecksOf<LoadOptions> = {
  cwd: unchecked,
  projects: listOf(folder, 'absolute paths'),
  home: orNull(text),
  settingsFile: text,
  places: unchecked,
  isManagedOnly: flag,
  read: callback,
  now: unchecked,
  checkRule: callback,
  knownCheckIds: unchecked,
};

export function loadSettings(options: LoadOptions): LoadedSettings {
  checkOptions(options, LOAD_OPTIONS);
  return loadLayers(options).settings;
}

/** The managed file is read once: both parts see the same text. */
export function loadLayers(options: LoadOptions): LoadedLayers {
  const { cwd, home, read = readSettingsFile } = options;
  if (!isAbsolute(cwd))
    throw new HardshellError('invalid-argument', 'The folder of the request must be an absolute path.');
  const places = { ...standardPlaces({ home }), ...options.places };
  const listed = listPlaces({ cwd, projects: options.projects, places, settingsFile: options.settingsFile });
  const counting = options.isManagedOnly === true ? listed.filter(({ layer }) => layer === 'managed') : listed;
  const contents = counting.map((place) => ({ place, content: read(place.file) }));
  const before = recall(options, contents);
  const loaded = before?.loaded ?? parseAll(contents, options);
  const trusted = findTrusted(loaded, { cwd, home });
  const isSame = before !== null && before.trusted.join('\0') === trusted.join('\0');
  const composed = isSame ? before.composed : compose(loaded, trusted, { cwd, home });
  if (!isSame) remember(options, { knowledge: options, loaded, trusted, composed });
  const { entries, settings, managed } = composed;
  const late = [...warnEnded(entries, options.now ?? Date.now()), ...warnPaths(entries, cwd), ...warnPrograms(entries)];
  if (late.length === 0) return { settings, managed };
  return { settings: { ...settings, notices: [...settings.notices, ...late] }, managed };
}

interface Composed {
  readonly entries: readonly Entry[];
  /** Without the notices that depend on the time. */
  readonly settings: LoadedSettings;
  readonly managed: LoadedSettings | null;
}

function compose(loaded: readonly Loaded[], trusted: readonly string[], here: Omit<Here, 'userNames'>): Composed {
  const composed = composeFiles(loaded, trusted, here);
  const managed = loaded.filter(({ place, document }) => place.layer === 'managed' && document !== null);
  if (managed.length === 0) return { ...composed, managed: null };
  return { ...composed, managed: composeFiles(managed, findTrusted(managed, here), here).settings };
}

function composeFiles(
  loaded: readonly Loaded[],
  trusted: readonly string[],
  here: Omit<Here, 'userNames'>,
): Omit<Composed, 'managed'> {
  const notices: Notice[] = [];
  const entries: Entry[] = [];
  const sources: SettingsSource[] = [];
  const userNames = new Set<string>();
  for (const { place, content, document } of loaded) {
    const source: Source = { ...place, isTrusted: place.folder === null || isTrustedFolder(place, trusted) };
    const settings = document === null ? null : (readData(document.root) as Settings);
    sources.push({ layer: place.layer, file: place.file, isTrusted: source.isTrusted, settings });
    if (document === null || content === null) continue;
    entries.push(...listEntries(document, source));
    if (content.writableBy !== null && place.folder === null) notices.push(warnWritable(place, content.writableBy));
  }
  const merged = mergeEntries(entries);
  for (const { isTrusted, layer, settings } of sources) {
    if (!isTrusted || (merged.switches.managedRulesOnly && layer !== 'managed')) continue;
    for (const name of Object.keys(settings?.users ?? {})) userNames.add(name);
  }
  notices.push(...merged.notices);
  const { origins, switches } = merged;
  const assembled = assemble(merged, { ...here, userNames });
  return { entries, settings: { ...assembled, notices, sources, origins, switches, trustedFolders: trusted } };
}

interface Remembered {
  readonly knowledge: Knowledge;
  readonly loaded: readonly Loaded[];
  readonly trusted: readonly string[];
  readonly composed: Composed;
}

/**
 * Settings are read before every command, and rarely change: the same texts in the same places give the same objects,
 * which avoids parsing JSON, and keeps the indexes of the rules valid.
 */
const remembered = new Map<string, Remembered>();
const MAX_REMEMBERED = 64;

function recall(options: LoadOptions, contents: readonly Pick<Loaded, 'place' | 'content'>[]): Remembered | null {
  const before = remembered.get(keyOf(options));
  if (before === undefined || before.loaded.length !== contents.length) return null;
  const { checkRule, knownCheckIds } = before.knowledge;
  if (checkRule !== options.checkRule || knownCheckIds !== options.knownCheckIds) return null;
  const isSame = contents.every(({ place, content }, index) => {
    const last = before.loaded[index] as Loaded;
    return (
      place.file === last.place.file &&
      place.folder === last.place.folder &&
      content?.text === last.content?.text &&
      content?.writableBy === last.content?.writableBy
    );
  });
  return isSame ? before : null;
}

function remember(options: LoadOptions, latest: Remembered): void {
  if (remembered.size >= MAX_REMEMBERED) remembered.clear();
  remembered.set(keyOf(options), latest);
}

/** Everything the outcome depends on, besides the files, the rules and the checks. */
function keyOf({ cwd, projects, home, settingsFile, places, isManagedOnly }: LoadOptions): string {
  return JSON.stringify([cwd, projects, home, settingsFile, places, isManagedOnly]);
}

/** The problems of one file, ignoring all others. A missing file is a problem. */
export function validateSettingsFile(
  file: string,
  knowledge: Knowledge,
  read: ReadFile = readSettingsFile,
): readonly Problem[] {
  const content = read(file);
  if (content === null) throw missing(file);
  return validateText(content.text, file, knowledge).problems;
}

export function validateText(
  text: string,
  file: string,
  knowledge: Knowledge,
): { readonly document: Document | null; readonly problems: readonly Problem[] } {
  const parsed = parseDocument(text, file);
  if (!parsed.ok) return { document: null, problems: parsed.problems };
  return { document: parsed.document, problems: validateDocument(parsed.document, knowledge) };
}

function missing(file: string): Error {
  return unreadable(file, 'No such file.', 'Check the path.');
}

function parseAll(contents: readonly Pick<Loaded, 'place' | 'content'>[], knowledge: Knowledge): Loaded[] {
  const problems: Problem[] = [];
  const loaded = contents.map(({ place, content }) => {
    if (content === null && place.layer === 'flags') throw missing(place.file);
    if (content === null) return { place, content, document: null };
    const result = validateText(content.text, place.file, knowledge);
    problems.push(...result.problems);
    return { place, content, document: result.document };
  });
  if (problems.length > 0) throw toError(problems);
  return loaded;
}

/** Only files that need no trust themselves can grant it. */
function findTrusted(loaded: readonly Loaded[], here: { cwd: string; home: string | null }): string[] {
  return loaded.flatMap(({ place, document }) => {
    if (document === null || place.folder !== null) return [];
    const { trustedFolders = [] } = readData(document.root) as Settings;
    return trustedFolders.flatMap((text) => {
      const path = resolveSettingsPath(text, { ...here, base: place.base });
      return path === null ? [] : [realPathOfNearest(path)];
    });
  });
}

function isTrustedFolder({ folder, isOneSided }: Place, trusted: readonly string[]): boolean {
  return isOneSided !== true && folder !== null && trusted.some((parent) => isAtOrBelow(folder, parent));
}
