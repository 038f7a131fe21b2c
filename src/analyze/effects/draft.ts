// A command fact under construction. Only the interpreter and the sink write to it.

import type {
  AssignmentFact,
  CommandClass,
  EditFact,
  ExecuteEffect,
  Invocation,
  NetworkEffect,
  PathEffect,
  RedirectFact,
  Span,
  WordValue,
} from '../../core/facts.ts';
import { type Descriptors, writtenFiles } from '../descriptors.ts';

interface Lists {
  readonly edits: EditFact;
  readonly reads: PathEffect;
  readonly writes: PathEffect;
  readonly deletes: PathEffect;
  readonly network: NetworkEffect;
  readonly executes: ExecuteEffect;
  readonly changes: string;
  readonly discloses: string;
  readonly unknown: string;
}

/** Most lists are empty: they share this one. */
const NONE: readonly never[] = [];

/** The part of a scope that is copied into a fact. */
interface DraftPlace {
  readonly parent: number | null;
  readonly elsewhere: string | null;
  readonly via: readonly string[];
  readonly pipeline: number | null;
}

export class Draft {
  words: readonly WordValue[] = [];
  name: string | null = null;
  kind: 'builtin' | 'function' | 'program' | 'redirect' = 'redirect';
  summary: string | null = null;
  invocation: Invocation | null = null;
  class: CommandClass = 'neutral';
  /** The class of a filter only counts if it reads something itself: `… | head` is as neutral as `echo`. */
  isFilter = false;
  /** Contacting hosts is part of a read-only use (`gh pr view`). */
  mayFetch = false;
  assignments: readonly AssignmentFact[] = [];
  redirects: readonly RedirectFact[] = [];
  edits: readonly EditFact[] = NONE;
  reads: readonly PathEffect[] = NONE;
  writes: readonly PathEffect[] = NONE;
  deletes: readonly PathEffect[] = NONE;
  network: readonly NetworkEffect[] = NONE;
  executes: readonly ExecuteEffect[] = NONE;
  changes: readonly string[] = NONE;
  discloses: readonly string[] = NONE;
  unknown: readonly string[] = NONE;
  privilege = false;
  /** The node in the text: a loop that is followed item by item creates several drafts for one node. */
  origin: object | null = null;
  readonly parent: number | null;
  folders: readonly string[] | null;
  readonly elsewhere: string | null;
  readonly via: readonly string[];
  readonly pipeline: number | null;
  readonly span: Span;

  constructor(place: DraftPlace, folders: readonly string[] | null, span: Span) {
    this.parent = place.parent;
    this.elsewhere = place.elsewhere;
    this.via = place.via;
    this.pipeline = place.pipeline;
    this.folders = folders;
    this.span = span;
  }

  /** A path that is opened for writing; it may refer to a file that was opened earlier. */
  addWrite(effect: PathEffect, descriptors: Descriptors): void {
    for (const file of writtenFiles(effect, descriptors)) {
      if (file === effect || !this.writes.some(({ path }) => path === file.path)) this.add('writes', file);
    }
  }

  add<K extends keyof Lists>(list: K, item: Lists[K]): void {
    const lists = this as unknown as Record<K, Lists[K][] | typeof NONE>;
    const items = lists[list];
    if (items === NONE) lists[list] = [item];
    else (items as Lists[K][]).push(item);
  }
}
