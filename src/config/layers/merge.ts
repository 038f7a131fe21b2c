// The values of all files → the effective values, the state of each, and a notice for each that has no effect.

import { quoteIfNeeded } from '../../core/values/shell-words.ts';
import type { FileLayer, Notice, SettingOrigin } from '../settings.ts';
import { type Entry, type Item, noticeAt, type Source } from './entry.ts';
import { type KeyRule, PERSONAL_LAYERS } from './key-rule.ts';

export interface Value {
  readonly value: unknown;
  readonly source: Source;
  readonly line: number;
  readonly column: number;
  readonly rule: KeyRule;
}

export interface Merged {
  /** By key: one value for a single, any number for a list. A list that is set but empty is here with no values. */
  readonly values: ReadonlyMap<string, readonly Value[]>;
  readonly paths: ReadonlyMap<string, readonly string[]>;
  readonly notices: readonly Notice[];
  readonly origins: readonly SettingOrigin[];
  readonly switches: Switches;
}

export interface Switches {
  readonly managedRulesOnly: boolean;
  readonly managedDomainsOnly: boolean;
  readonly managedPathsOnly: boolean;
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/** Entries from the strongest file to the weakest. */
export function mergeEntries(entries: readonly Entry[]): Merged {
  const switches = findSwitches(entries);
  const fixed = findFixed(entries);
  const values = new Map<string, Value[]>();
  const paths = new Map<string, readonly string[]>();
  const notices: Notice[] = [];
  const origins: Mutable<SettingOrigin>[] = [];

  const record = (source: Source, item: Item, state: SettingOrigin['state'], why: string | null) => {
    const { layer, file } = source;
    const origin = { key: item.key, value: item.value, layer, file, line: item.line, state, why };
    origins.push(origin);
    return origin;
  };
  const ignore = (source: Source, item: Item, [why, hint]: Refusal): void => {
    record(source, item, 'ignored', why);
    notices.push(noticeAt(source, item, why, hint));
  };

  // Single values from the weakest to the strongest: whether a file tightens depends on the value without it.
  const holding = new Map<string, Mutable<SettingOrigin>>();
  for (const entry of entries
    .toReversed()
    .filter(({ rule }) => rule.merge === 'single' || rule.merge === 'strictest')) {
    const { key, source, rule, value, line } = entry;
    const weaker = values.get(key)?.[0]?.value;
    const refusal = findRefusal(entry, switches, weaker) ?? findDetour(entry, fixed);
    if (refusal !== null) {
      ignore(source, entry, refusal);
      continue;
    }
    const before = holding.get(key);
    if (rule.merge === 'strictest' && weaker === false && value !== false && before !== undefined) {
      record(source, entry, 'overridden', `${nameOf(before)} forbids it`);
      continue;
    }
    if (before !== undefined) Object.assign(before, { state: 'overridden', why: `${source.file} is stronger` });
    holding.set(key, record(source, entry, 'used', null));
    paths.set(key, entry.path);
    values.set(key, [{ value, source, rule, line, column: entry.column }]);
  }

  for (const entry of entries.filter(({ rule }) => rule.merge === 'list' || rule.merge === 'common')) {
    const { key, source } = entry;
    const refusal = findRefusal(entry, switches, undefined) ?? findDetour(entry, fixed);
    const taken: Value[] = [];
    for (const item of entry.items) {
      const reason = refusal ?? findItemRefusal(entry, item, switches);
      if (reason === null) {
        record(source, item, 'used', null);
        taken.push({ ...item, source, rule: entry.rule });
      } else ignore(source, item, reason);
    }
    if (refusal !== null) continue;
    paths.set(key, entry.path);
    const before = values.get(key);
    if (entry.rule.merge === 'common' && before !== undefined) {
      values.set(key, keepCommon(before, taken, origins, key));
      if (before.length > 0 && values.get(key)?.length === 0) {
        const what = entry.rule.isPath === true ? 'folder' : 'program';
        const may = what === 'folder' ? 'be used' : 'run';
        const why = `Combined with the other files, no ${what} is left that may ${may}.`;
        notices.push(noticeAt(source, entry, why, `A ${what} may ${may} only if every ${key} list contains it.`));
      }
    } else values.set(key, [...(before ?? []), ...taken]);
  }
  return { values, paths, notices, origins, switches };
}

function findSwitches(entries: readonly Entry[]): Switches {
  const isOn = (name: keyof Switches): boolean =>
    entries.some(({ key, value, source }) => key === name && value === true && source.layer === 'managed');
  return {
    managedRulesOnly: isOn('managedRulesOnly'),
    managedDomainsOnly: isOn('managedDomainsOnly'),
    managedPathsOnly: isOn('managedPathsOnly'),
  };
}

/** Single values of the managed settings that confine: key → the entry. */
function findFixed(entries: readonly Entry[]): ReadonlyMap<string, Entry> {
  const confining = entries.filter(
    ({ source, key, value }) => source.layer === 'managed' && key === 'sandbox.name' && value !== 'unrestricted',
  );
  return new Map(confining.map((entry) => [entry.key, entry]));
}

/** No other file can loosen what the managed settings confine. */
function findDetour({ rule, source, value }: Entry, fixed: ReadonlyMap<string, Entry>): Refusal | null {
  const held = rule.around === undefined ? undefined : fixed.get(rule.around);
  if (held === undefined || source.layer === 'managed') return null;
  if (typeof rule.untrusted === 'function' && rule.untrusted(value, undefined)) return null;
  return [
    `The managed settings fix ${held.key} (${held.source.file}:${held.line}): only their own exceptions count.`,
    'Ask the administrator of this machine.',
  ];
}

type Refusal = readonly [why: string, hint: string | null];

function findRefusal({ rule, source, value }: Entry, switches: Switches, weaker: unknown): Refusal | null {
  const layers = rule.personalValues?.includes(value) === true ? PERSONAL_LAYERS : rule.layers;
  if (layers !== undefined && !layers.includes(source.layer)) return refuseLayer(layers);
  if (rule.switch !== undefined && switches[rule.switch] && source.layer !== 'managed') {
    return [
      `The managed settings set ${rule.switch}: only their own values count.`,
      'Ask the administrator of this machine.',
    ];
  }
  if (source.isTrusted || rule.untrusted === 'always') return null;
  if (typeof rule.untrusted === 'function' && rule.untrusted(value, weaker)) return null;
  if (source.isOneSided === true) {
    return [`The command runs outside its project: the settings of ${source.base} can only tighten here.`, null];
  }
  return [
    `The folder ${source.base} is not trusted: its settings can only tighten.`,
    `If you trust everyone who can change this folder: hardshell config trust ${quoteIfNeeded(source.folder ?? source.base)}`,
  ];
}

function refuseLayer(layers: readonly FileLayer[]): Refusal {
  const names = layers.length === 1 ? 'managed settings' : 'user settings, a --settings file and managed settings';
  return [`This counts in ${names} only.`, 'Move it there, or remove it.'];
}

/** Rules open paths and hosts too: no other file may open by a rule what the managed settings reserve. */
function findItemRefusal({ pattern, source }: Entry, { value }: Item, switches: Switches): Refusal | null {
  if (source.layer === 'managed' || !/^(?:permissions|users\.\*)\.allow$/.test(pattern)) return null;
  const text = typeof value === 'string' ? value : (value as { rule: string }).rule;
  const hint = 'Ask the administrator of this machine.';
  if (switches.managedPathsOnly && /^\s*(?:Read|Edit|Write)\b/.test(text)) {
    return ['The managed settings set managedPathsOnly: only their own rules allow paths.', hint];
  }
  if (switches.managedDomainsOnly && /^\s*WebFetch\b/.test(text)) {
    return ['The managed settings set managedDomainsOnly: only their own rules allow hosts.', hint];
  }
  return null;
}

function keepCommon(
  before: readonly Value[],
  added: readonly Value[],
  origins: readonly Mutable<SettingOrigin>[],
  key: string,
): Value[] {
  const names = new Set(added.map(({ value }) => value));
  const known = new Set(before.map(({ value }) => value));
  const common = before.filter(({ value }) => names.has(value));
  for (const origin of origins) {
    if (!origin.key.startsWith(`${key}[`) || (names.has(origin.value) && known.has(origin.value))) continue;
    Object.assign(origin, { state: 'overridden', why: `another ${key} list does not contain it` });
  }
  return common;
}

function nameOf({ file, line }: SettingOrigin): string {
  return `${file}:${line}`;
}
