// A command fact while it is being made. Only the interpreter and the sink write to it.

import type {
  AssignmentFact,
  CommandClass,
  EditFact,
  ExecuteEffect,
  NetworkEffect,
  PathEffect,
  RedirectFact,
  Span,
  WordValue,
} from '../../core/facts.ts';

export class Draft {
  words: readonly WordValue[] = [];
  name: string | null = null;
  kind: 'builtin' | 'function' | 'program' | 'redirect' = 'redirect';
  summary: string | null = null;
  class: CommandClass = 'neutral';
  /** The class of a filter only counts when it reads something itself: `… | head` is as neutral as `echo`. */
  isFilter = false;
  /** Contacting hosts is part of a read-only use (`gh pr view`). */
  mayFetch = false;
  assignments: readonly AssignmentFact[] = [];
  redirects: readonly RedirectFact[] = [];
  edits: EditFact[] = [];
  readonly reads: PathEffect[] = [];
  readonly writes: PathEffect[] = [];
  readonly deletes: PathEffect[] = [];
  readonly network: NetworkEffect[] = [];
  readonly executes: ExecuteEffect[] = [];
  readonly changes: string[] = [];
  readonly discloses: string[] = [];
  readonly unknown: string[] = [];
  privilege = false;
  readonly parent: number | null;
  readonly folders: readonly string[] | null;
  readonly elsewhere: string | null;
  readonly via: readonly string[];
  readonly span: Span;

  constructor(place: {
    readonly parent: number | null;
    readonly folders: readonly string[] | null;
    readonly elsewhere: string | null;
    readonly via: readonly string[];
    readonly span: Span;
  }) {
    this.parent = place.parent;
    this.folders = place.folders;
    this.elsewhere = place.elsewhere;
    this.via = place.via;
    this.span = place.span;
  }
}
