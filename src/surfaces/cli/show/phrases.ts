// Facts → short phrases for a person: words as they could be typed, effects as labelled lists.

import type {
  CommandClass,
  CommandFact,
  Effects,
  ExecuteEffect,
  ExecuteKind,
  NetworkEffect,
  PathEffect,
  WordValue,
} from '../../../host/deciding.ts';
import { quoteWord } from '../../../host/values.ts';
import { visible } from './visible.ts';

/** How serious a line is; the terminal maps it to a color. */
export type Tone = 'calm' | 'change' | 'danger' | 'doubt';

export interface EffectRow {
  readonly label: string;
  readonly tone: Tone;
  readonly items: readonly string[];
}

/** The base of shown paths: those below the folder are relative, those below home have `~`. */
export interface Place {
  readonly cwd: string;
  readonly home: string | undefined;
}

const MAX_WORD = 160;

export function describeEffects(effects: Effects, place: Place): EffectRow[] {
  const rows: EffectRow[] = [
    { label: 'reads', tone: 'calm', items: effects.reads.map((path) => describePath(path, place)) },
    { label: 'writes', tone: 'change', items: effects.writes.map((path) => describePath(path, place)) },
    { label: 'deletes', tone: 'danger', items: effects.deletes.map((path) => describePath(path, place)) },
    { label: 'contacts', tone: 'change', items: effects.network.map(describeHost) },
    { label: 'runs', tone: 'change', items: effects.executes.map(describeExecution) },
    { label: 'changes', tone: 'change', items: effects.changes.map(visible) },
    { label: 'reveals', tone: 'danger', items: effects.discloses.map(visible) },
    { label: 'rights', tone: 'danger', items: effects.privilege ? ['runs with elevated privileges'] : [] },
    { label: 'unsure', tone: 'doubt', items: effects.unknown.map(visible) },
  ];
  return rows.flatMap((row) => (row.items.length === 0 ? [] : [{ ...row, items: [...new Set(row.items)] }]));
}

function describePath(effect: PathEffect, place: Place): string {
  if (effect.path === null) return 'an unknown path';
  const path = showWord(shortenPath(effect.path, place), effect.glob);
  return effect.recursive ? `${path} and all below` : path;
}

export function shortenPath(path: string, place: Place): string {
  if (path === place.cwd) return '.';
  if (place.cwd !== '/' && path.startsWith(`${place.cwd}/`)) return path.slice(place.cwd.length + 1);
  if (place.home !== undefined && path.startsWith(`${place.home}/`)) return `~${path.slice(place.home.length)}`;
  return path;
}

function describeHost(effect: NetworkEffect): string {
  if (effect.host === null) return 'an unknown host';
  return visible(effect.port === undefined ? effect.host : `${effect.host}:${effect.port}`);
}

const EXECUTIONS: Readonly<Record<ExecuteKind, readonly [known: string, unknown: string]>> = {
  shell: ['shell text: ', 'shell text that is not known'],
  program: ['program: ', 'an unknown program'],
  file: ['script: ', 'an unknown script'],
  code: ['code: ', 'unknown code'],
  hook: ['from configuration: ', 'code from configuration'],
};

function describeExecution({ kind, text }: ExecuteEffect): string {
  const [known, unknown] = EXECUTIONS[kind];
  return text === null ? unknown : known + shorten(visible(text));
}

/** A command as it could be typed; `<?>` stands for unknown words. */
export function describeArgv(command: CommandFact): string[] {
  const assignments = command.assignments.map(
    ({ name, value }) => `${name}=${value === null ? '<?>' : showWord(value)}`,
  );
  const words = command.words.map(describeWord);
  const all = [...assignments, ...words];
  if (command.kind === 'redirect' && command.argv.length === 0) all.push('(redirect only)');
  return all;
}

function describeWord(word: WordValue): string {
  switch (word.kind) {
    case 'literal':
      return showWord(word.value);
    case 'pattern':
      return showWord(word.glob, true);
    case 'dynamic':
      return `${word.head === '' ? '' : showWord(word.head)}<?>`;
    default:
      return word satisfies never;
  }
}

const BARE = /^[\w@%+=:,./~^-]+$/;
const BARE_GLOB = /^[\w@%+=:,./~^*?[\]{}!-]+$/;

function showWord(word: string, isGlob = false): string {
  if ((isGlob ? BARE_GLOB : BARE).test(word)) return shorten(word);
  if (word === '') return "''";
  return shorten(quoteWord(visible(word)));
}

export function shorten(text: string, limit = MAX_WORD): string {
  if (text.length <= limit) return text;
  const kept = limit - 20;
  return `${text.slice(0, kept)}<+${(text.length - kept).toLocaleString('en')} characters>`;
}

const CLASS_TONES: Readonly<Record<CommandClass, Tone>> = {
  neutral: 'calm',
  list: 'calm',
  search: 'calm',
  read: 'calm',
  network: 'change',
  write: 'change',
  delete: 'danger',
  execute: 'change',
  privilege: 'danger',
  unknown: 'doubt',
};

export function classTone(commandClass: CommandClass): Tone {
  return CLASS_TONES[commandClass];
}

/** Who answered a question, for people. */
export function answeredBy(by: string): string {
  return ANSWERERS[by] ?? by;
}

const ANSWERERS: Readonly<Record<string, string>> = {
  caller: '--yes',
  nobody: 'no one to ask',
};
