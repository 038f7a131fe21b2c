// The journal of a stage, as native/ writes it: bytes → units, names and what was held back. Reads nothing else.
// Refuses a journal without a valid end: a part of it could hide changes.

import { HELD_REASONS, type HeldReason } from '../core/staging.ts';

const FIRST = 'hardshell-stage 1';
const UNIT_KINDS = ['new', 'changed', 'deleted', 'replaced', 'folder'] as const;
const NAME_KINDS = ['created', 'changed', 'deleted', 'mode'] as const;

/** One thing that lands by one rename. */
export interface Unit {
  /** Names the copy of what it replaced: `undo/NUMBER`. */
  readonly number: number;
  readonly kind: (typeof UNIT_KINDS)[number];
  readonly root: number;
  /** Relative to the root; `.` for the root itself. */
  readonly path: string;
}

/** One changed path, also inside of trees that land as one unit. */
export interface ChangedName {
  readonly change: (typeof NAME_KINDS)[number];
  /** `f`, `d`, `l`, `p`, `s`. */
  readonly type: string;
  readonly bytes: number;
  readonly root: number;
  readonly path: string;
}

export interface HeldName {
  readonly why: HeldReason;
  readonly detail: string;
  readonly root: number;
  readonly path: string;
}

export interface Journal {
  /** Absolute paths, by number. */
  readonly roots: readonly string[];
  readonly units: readonly Unit[];
  readonly names: readonly ChangedName[];
  readonly held: readonly HeldName[];
}

/** `null` if it is damaged, or of another version. */
export function parseJournal(bytes: Buffer): Journal | null {
  const text = bytes.toString('utf8');
  const records = text.split('\0');
  if (records.shift() !== FIRST || records.pop() !== '') return null;
  const roots: string[] = [];
  const units: Unit[] = [];
  const names: ChangedName[] = [];
  const held: HeldName[] = [];
  const last = records.pop();
  for (const record of records) {
    const isRead = readRecord(record, { roots, units, names, held });
    if (!isRead) return null;
  }
  const counts = (last ?? '').split('\t');
  const isWhole = counts.join(' ') === `end ${units.length} ${names.length} ${held.length}`;
  const isKnown = ({ root }: { readonly root: number }) => roots[root] !== undefined;
  return isWhole && [...units, ...names, ...held].every(isKnown) ? { roots, units, names, held } : null;
}

const MARKS = 'hardshell-marks 1';

/** What has landed: the numbers of the units that could not, because something else was there by then. */
export function parseSkipped(bytes: Buffer): ReadonlySet<number> {
  const [first, ...records] = bytes.toString('utf8').split('\0');
  if (first !== MARKS) return new Set();
  const fields = records.map((record) => record.split('\t'));
  return new Set(fields.flatMap(([word, number]) => (word === 'skip' ? [Number(number)] : [])));
}

/** Units that did not land were held back, and so were the names in them. */
export function withoutSkipped(journal: Journal, skipped: ReadonlySet<number>): Journal {
  const units = journal.units.filter(({ number, kind }) => skipped.has(number) && kind !== 'folder');
  if (units.length === 0) return journal;
  const keys = new Set(units.map(({ root, path }) => `${root}/${path}`));
  const isSkipped = ({ root, path }: ChangedName): boolean => {
    for (let at = `${root}/${path}`; at.includes('/'); at = at.slice(0, at.lastIndexOf('/')))
      if (keys.has(at)) return true;
    return false;
  };
  const conflicts = units.map(({ root, path }): HeldName => ({ why: 'conflict', detail: '', root, path }));
  return {
    ...journal,
    names: journal.names.filter((name) => !isSkipped(name)),
    held: [...journal.held, ...conflicts],
  };
}

interface Lists {
  readonly roots: string[];
  readonly units: Unit[];
  readonly names: ChangedName[];
  readonly held: HeldName[];
}

function readRecord(record: string, { roots, units, names, held }: Lists): boolean {
  const [type = '', ...fields] = record.split('\t');
  switch (type) {
    case 'root': {
      const [number] = fields;
      roots[Number(number)] = rest(fields, 1);
      return true;
    }
    case 'unit': {
      const [number, kind, root] = fields;
      if (!isOneOf(UNIT_KINDS, kind)) return false;
      units.push({ number: Number(number), kind, root: Number(root), path: rest(fields, 6) });
      return true;
    }
    case 'name': {
      const [change, fileType = '', bytes, root] = fields;
      if (!isOneOf(NAME_KINDS, change)) return false;
      names.push({ change, type: fileType, bytes: Number(bytes), root: Number(root), path: rest(fields, 4) });
      return true;
    }
    case 'held': {
      const [why, detail = '', root] = fields;
      if (!isOneOf(HELD_REASONS, why)) return false;
      held.push({ why, detail, root: Number(root), path: rest(fields, 3) });
      return true;
    }
    default:
      return false;
  }
}

/** A path may contain tabs. */
function rest(fields: readonly string[], from: number): string {
  return fields.slice(from).join('\t');
}

function isOneOf<T extends string>(list: readonly T[], value: string | undefined): value is T {
  return (list as readonly (string | undefined)[]).includes(value);
}
