// A settings file of Claude Code → our settings, and a note for everything that is not imported.
// Nothing is dropped silently: a lost deny would be worse than no import.

import type { Mode } from '../../core/policy.ts';
import type { VERDICTS } from '../../core/verdict.ts';
import { type Document, listProperties, type Position, parseDocument, readData } from '../document/document.ts';
import { quote, toError } from '../document/problem.ts';
import type { Knowledge } from '../document/validate.ts';
import { isProgramName } from '../layers/warnings.ts';
import type { Settings } from '../settings.ts';

export interface ImportNote extends Position {
  /** As in the file: `permissions.allow[2]`. */
  readonly key: string;
  readonly message: string;
}

export interface Imported {
  readonly settings: Settings;
  readonly notes: readonly ImportNote[];
}

const MODES: Readonly<Record<string, Mode>> = {
  default: 'default',
  plan: 'plan',
  acceptEdits: 'accept-edits',
  dontAsk: 'dont-ask',
  bypassPermissions: 'bypass',
};

const TOOLS = ['Bash', 'Read', 'Edit', 'Write', 'WebFetch'];

type Tree = Record<string, unknown>;
/** Adds a value to our settings, or notes why not. */
type Translate = (value: unknown, translation: Translation, key: string) => void;

/** Collects settings and notes during the walk. */
class Translation {
  readonly settings: Tree = {};
  readonly notes: ImportNote[] = [];
  readonly places = new Map<string, Position>();
  readonly checkRule: Knowledge['checkRule'];

  constructor(checkRule: Knowledge['checkRule']) {
    this.checkRule = checkRule;
  }

  note(key: string, message: string): void {
    this.notes.push({ ...(this.places.get(key) ?? { line: 1, column: 1 }), key, message });
  }

  set(path: readonly string[], value: unknown): void {
    let group = this.settings;
    for (const part of path.slice(0, -1)) {
      group[part] ??= {};
      group = group[part] as Tree;
    }
    group[path.at(-1) as string] = value;
  }

  add(path: readonly string[], value: unknown): void {
    let group: unknown = this.settings;
    for (const part of path) group = (group as Tree | undefined)?.[part];
    if (!Array.isArray(group)) this.set(path, [value]);
    else if (!group.includes(value)) group.push(value);
  }
}

const texts =
  (path: readonly string[], convert: (text: string) => string = (text) => text): Translate =>
  (value, translation, key) =>
    eachText(value, translation, key, (text) => translation.add(path, convert(text)));

const only =
  (type: 'boolean' | 'number', path: readonly string[]): Translate =>
  (value, translation, key) => {
    if (typeof value === type) translation.set(path, value);
    else translation.note(key, `not imported: it is not a ${type}`);
  };

const nothing =
  (why: string): Translate =>
  (_, translation, key) =>
    translation.note(key, `not imported: ${why}`);

/** Claude Code takes them from its managed settings only, and so does hardshell. */
const managedOnly = (name: string): Translate =>
  nothing(`it counts in managed settings only; there it is called "${name}"`);

/** Claude Code takes patterns, too: `npm run` would let any script of a package leave the sandbox. */
const programs =
  (path: readonly string[]): Translate =>
  (value, translation, key) =>
    eachText(value, translation, key, (text, place) => {
      if (isProgramName(text)) translation.add(path, text);
      else translation.note(place, `not imported: ${quote(text)} is not the name of a program, and only names count`);
    });

const STARTS_AT_ROOT = /^\/[^/]/;

// Claude Code uses absolute paths here; in its rules the same text means a folder next to the settings.
const absolute = (path: string): string => (STARTS_AT_ROOT.test(path) ? `/${path}` : path);

/** As documented, `/out` is next to the settings and `//out` is absolute. Some versions take `/out` for absolute. */
const opened =
  (path: readonly string[]): Translate =>
  (value, translation, key) =>
    eachText(value, translation, key, (text, place) => {
      translation.add(path, text);
      if (STARTS_AT_ROOT.test(text))
        translation.note(
          place,
          `${quote(text)} is a folder next to the settings; for the absolute path, write "/${text}"`,
        );
    });

/** What is closed is closed in both readings. */
const closed =
  (path: readonly string[]): Translate =>
  (value, translation, key) =>
    eachText(value, translation, key, (text) => {
      for (const reading of new Set([text, absolute(text)])) translation.add(path, reading);
    });

const KEYS: Readonly<Record<string, Translate>> = {
  $schema: () => {},
  'permissions.allow': rules('allow'),
  'permissions.ask': rules('ask'),
  'permissions.deny': rules('deny'),
  'permissions.defaultMode': (value, translation, key) => {
    const mode = typeof value === 'string' && Object.hasOwn(MODES, value) ? MODES[value] : undefined;
    if (mode !== undefined) translation.set(['mode'], mode);
    else translation.note(key, `not imported: no equivalent of the mode ${quote(String(value))}`);
  },
  'permissions.additionalDirectories': (value, translation, key) => {
    eachText(value, translation, key, (text) => translation.add(['roots'], absolute(text)));
    if (translation.settings.roots === undefined) return;
    // Without roots these two are the default; with roots they must be listed.
    for (const own of ['.', '//tmp']) translation.add(['roots'], own);
    translation.note(
      key,
      'imported as roots, with the current folder and /tmp; reading outside them is asked about too',
    );
  },
  'permissions.disableBypassPermissionsMode': (value, translation, key) => {
    if (value === 'disable') translation.set(['allowBypass'], false);
    else translation.note(key, 'not imported: only "disable" has a meaning');
  },
  allowManagedPermissionRulesOnly: managedOnly('managedRulesOnly'),
  env: (value, translation, key) => {
    if (!isTree(value)) return translation.note(key, 'not imported: it is not an object');
    for (const [name, text] of Object.entries(value)) {
      if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name) || name === '__proto__')
        translation.note(`${key}.${name}`, 'not imported: not a valid variable name');
      else if (typeof text !== 'string') translation.note(`${key}.${name}`, 'not imported: it is not a string');
      else translation.set(['environment', 'set', name], text);
    }
  },
  'sandbox.enabled': (value, translation, key) => {
    if (value === false) translation.set(['sandbox', 'name'], 'unrestricted');
    else if (value !== true) translation.note(key, 'not imported: it is neither true nor false');
  },
  'sandbox.autoAllowBashIfSandboxed': nothing('a sandbox never replaces a verdict here'),
  'sandbox.excludedCommands': programs(['sandbox', 'excludedCommands']),
  'sandbox.allowUnsandboxedCommands': only('boolean', ['sandbox', 'allowUnsandboxed']),
  'sandbox.failIfUnavailable': only('boolean', ['sandbox', 'failIfUnavailable']),
  'sandbox.network.allowedDomains': texts(['domains', 'allow']),
  'sandbox.network.deniedDomains': texts(['domains', 'deny']),
  'sandbox.network.allowManagedDomainsOnly': managedOnly('managedDomainsOnly'),
  'sandbox.network.allowUnixSockets': texts(['sandbox', 'network', 'allowUnixSockets'], absolute),
  'sandbox.network.allowAllUnixSockets': only('boolean', ['sandbox', 'network', 'allowAllUnixSockets']),
  'sandbox.network.allowLocalBinding': only('boolean', ['sandbox', 'network', 'allowLocalBinding']),
  'sandbox.network.httpProxyPort': nothing('hardshell starts a proxy for each command'),
  'sandbox.network.socksProxyPort': nothing('hardshell starts a proxy for each command'),
  'sandbox.filesystem.allowWrite': opened(['sandbox', 'filesystem', 'allowWrite']),
  'sandbox.filesystem.denyWrite': closed(['sandbox', 'filesystem', 'denyWrite']),
  'sandbox.filesystem.denyRead': closed(['sandbox', 'filesystem', 'denyRead']),
  'sandbox.filesystem.allowRead': opened(['sandbox', 'filesystem', 'allowRead']),
  'sandbox.filesystem.allowManagedReadPathsOnly': managedOnly('managedPathsOnly'),
};

const GROUPS = ['permissions', 'sandbox', 'sandbox.network', 'sandbox.filesystem'];

/** Throws if the text is not JSON. */
export function importClaudeSettings(
  text: string,
  file: string,
  { checkRule }: Pick<Knowledge, 'checkRule'>,
): Imported {
  const parsed = parseDocument(text, file);
  if (!parsed.ok) throw toError(parsed.problems);
  const root = readData(parsed.document.root);
  if (!isTree(root)) {
    const fix = 'Pass a settings.json of Claude Code.';
    throw toError([{ file, line: 1, column: 1, message: 'The settings must be an object.', fix }]);
  }
  const translation = new Translation(checkRule);
  indexPlaces(parsed.document, translation.places);
  walk(root, '', translation);
  return { settings: translation.settings as Settings, notes: translation.notes };
}

function walk(tree: Tree, prefix: string, translation: Translation): void {
  for (const [name, value] of Object.entries(tree)) {
    const key = prefix === '' ? name : `${prefix}.${name}`;
    const translate = Object.hasOwn(KEYS, key) ? KEYS[key] : undefined;
    if (translate !== undefined) translate(value, translation, key);
    else if (GROUPS.includes(key) && isTree(value)) walk(value, key, translation);
    else translation.note(key, 'not imported: hardshell has no such setting');
  }
}

function rules(list: (typeof VERDICTS)[number]): Translate {
  return (value, translation, key) =>
    eachText(value, translation, key, (text, place) => {
      const tool = /^\s*(\w*)/.exec(text)?.[1] ?? '';
      if (!TOOLS.includes(tool)) {
        return translation.note(place, `not imported: ${quote(text)} is for a tool that hardshell does not check`);
      }
      const checked = translation.checkRule(text);
      if (checked.ok) translation.add(['permissions', list], text);
      else translation.note(place, `not imported: ${quote(text)} cannot be used: ${checked.why}`);
    });
}

function eachText(
  value: unknown,
  translation: Translation,
  key: string,
  take: (text: string, place: string) => void,
): void {
  if (!Array.isArray(value)) return translation.note(key, 'not imported: it is not a list');
  value.forEach((item, index) => {
    const place = `${key}[${index}]`;
    if (typeof item === 'string' && item !== '') take(item, place);
    else translation.note(place, 'not imported: it is not a string');
  });
}

function isTree(value: unknown): value is Tree {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function indexPlaces(document: Document, places: Map<string, Position>): void {
  const visit = (node: Document['root'], key: string): void => {
    places.set(key, document.lines.find(node.offset));
    if (node.type === 'array')
      for (const [index, item] of (node.children ?? []).entries()) visit(item, `${key}[${index}]`);
    if (node.type !== 'object') return;
    for (const [name, value] of listProperties(node)) visit(value, key === '' ? name.value : `${key}.${name.value}`);
  };
  visit(document.root, '');
}
