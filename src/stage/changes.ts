// A stage and its journal → what its command changed, in numbers and names.

import { join } from 'node:path';
import type { ChangedFile, RunChanges } from '../core/staging.ts';
import { findHeldChange } from './contents.ts';
import type { ChangedName, Journal } from './journal.ts';
import type { Stage } from './store.ts';

/** A command may create a hundred thousand files; a result goes to a model. */
const MAX_FILES = 200;
const MAX_HELD = 100;

const TYPES: Readonly<Record<string, ChangedFile['type']>> = { f: 'file', d: 'folder', l: 'link' };

/** The command has ended, and changed nothing: files may have come and gone again. */
export function isEmptyStage({ state }: Pick<Stage, 'state'>, journal: Journal | null): boolean {
  const isSettled = state === 'held' || state === 'landed';
  return isSettled && journal !== null && journal.names.length + journal.held.length === 0;
}

/** `journal` is null if nothing was planned: of a command whose supervisor was killed. */
export function summarizeChanges(
  stage: Pick<Stage, 'id' | 'state' | 'folder'>,
  journal: Journal | null,
  limit = MAX_FILES,
): RunChanges {
  const { id, state } = stage;
  const { roots = [], names = [], held = [] } = journal ?? {};
  const count = (...kinds: readonly ChangedName['change'][]) =>
    names.filter(({ change, type }) => kinds.includes(change) && type !== 'd').length;
  const pathOf = ({ root, path }: { readonly root: number; readonly path: string }) => join(roots[root] ?? '/', path);
  return {
    id,
    state,
    created: count('created'),
    changed: count('changed', 'mode'),
    deleted: count('deleted'),
    folders: names.filter(({ type }) => type === 'd').length,
    files: names.slice(0, limit).map((name) => ({
      path: pathOf(name),
      change: name.change,
      type: TYPES[name.type] ?? 'other',
      bytes: name.bytes,
    })),
    omitted: Math.max(0, names.length - limit),
    heldBack: (journal === null ? [] : held.slice(0, Math.max(limit, MAX_HELD))).map((name) => ({
      path: pathOf(name),
      change: findHeldChange(stage, journal as Journal, name),
      why: name.why,
      detail: name.detail,
    })),
  };
}
