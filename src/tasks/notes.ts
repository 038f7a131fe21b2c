// The record of a task → what its output does not say: why hardshell ended it, and what the sandbox removed and refused.
// The process that started it may have ended before, so the record is the only place that has it.

import { describeUnended } from '../core/unended.ts';
import type { TaskRecord } from '../run/record.ts';

interface UndoneName {
  readonly path: string;
  readonly movedTo: string | null;
  readonly isLeft: boolean;
}

export function notesOf({ state, cause, fields }: Pick<TaskRecord, 'state' | 'cause' | 'fields'>): readonly string[] {
  if (state !== 'finished') return [];
  return [...describeCause(cause, fields), ...unendedOf(fields), ...describeUndone(fields), ...describeRefused(fields)];
}

const EXPOSURES: Readonly<Record<string, string>> = {
  hidden: 'was replaced outside of the sandbox, and the new file was not hidden',
  protected: 'was replaced outside of the sandbox, and was no longer protected',
  appeared: 'was created outside of the sandbox, and was not hidden',
};

function describeCause(cause: string | null, { exposed, exposedHow }: TaskRecord['fields']): readonly string[] {
  if (cause === 'disk') return ['It was ended because its output could not be stored.'];
  if (cause === 'host-gone') return ['It was ended because the process that started it has ended.'];
  if (cause === 'sandbox-killed')
    return ['The first process of its sandbox was killed from outside, and the command with it.'];
  if (cause !== 'exposed') return [];
  const file = typeof exposed === 'string' && exposed !== '' ? exposed : 'a hidden or protected file';
  const how = EXPOSURES[String(exposedHow)] ?? 'was replaced outside of the sandbox';
  return [`It was ended to protect a file: ${file} ${how}. Start it again.`];
}

function unendedOf({ unended, unendedPids }: TaskRecord['fields']): readonly string[] {
  if (typeof unended !== 'number' || unended === 0) return [];
  const pids = (Array.isArray(unendedPids) ? unendedPids : []).filter((pid) => typeof pid === 'number');
  return [describeUnended({ count: unended, pids })];
}

function describeUndone({ undone, undoneNames }: TaskRecord['fields']): readonly string[] {
  if (typeof undone !== 'number' || undone === 0) return [];
  const names = (Array.isArray(undoneNames) ? undoneNames : []).filter(isUndoneName);
  const more = undone > names.length ? [`${undone - names.length} more`] : [];
  const what = undone === 1 ? '1 protected name' : `${undone} protected names`;
  return [
    `While it ran, ${what} appeared and ${undone === 1 ? 'was' : 'were'} removed: ${[...names.map(describeName), ...more].join(', ')}.`,
  ];
}

function describeName({ path, movedTo, isLeft }: UndoneName): string {
  if (isLeft) return `${path} (still there: it could not be removed)`;
  return movedTo === null ? path : `${path} (moved to ${movedTo})`;
}

function isUndoneName(value: unknown): value is UndoneName {
  if (value === null || typeof value !== 'object') return false;
  const { path, movedTo } = value as Partial<UndoneName>;
  return typeof path === 'string' && (movedTo === null || typeof movedTo === 'string');
}

function describeRefused({ refused }: TaskRecord['fields']): readonly string[] {
  if (typeof refused !== 'number' || refused === 0) return [];
  return [refused === 1 ? 'The sandbox refused 1 operation.' : `The sandbox refused ${refused} operations.`];
}
