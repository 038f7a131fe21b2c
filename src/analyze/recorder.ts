// Collects facts and reasons during the walk; bounds the work.
// A reason is recorded once per place; facts of a repeated pass replace those of the previous one.

import type { Reason, ReasonId, Span, WordValue } from '../core/facts.ts';
import type { ParsedScript } from '../parse/tree.ts';
import type { Draft } from './effects/draft.ts';
import type { FunctionBody } from './state.ts';

/** U7: more simple commands than this are not analyzed one by one. */
export const MAX_JUDGED_COMMANDS = 50;
/** More facts are still listed, so that deny rules can see them, up to this many. */
const MAX_LISTED_COMMANDS = 1_000;
const MAX_STEPS = 4_000;
const MAX_CALLS = 100;
const MAX_REASONS = 100;

/** A text that runs as shell commands: the whole, `bash -c`, `eval`. */
interface RunScript {
  readonly script: ParsedScript;
  readonly text: string;
  readonly parent: number | null;
  readonly span: Span | null;
}

export class Recorder {
  readonly drafts: Draft[] = [];
  readonly reasons: Reason[] = [];
  readonly scripts: RunScript[] = [];
  readonly definitions: Map<string, FunctionBody[]> = new Map();
  private steps = 0;
  private calls = 0;
  private pipelines = 0;

  private readonly wholeSpan: Span;

  constructor(wholeSpan: Span) {
    this.wholeSpan = wholeSpan;
  }

  /** Counts work; false if there was too much and the walk must end. */
  step(): boolean {
    this.steps++;
    if (this.steps <= MAX_STEPS && this.drafts.length < MAX_LISTED_COMMANDS) return true;
    this.giveUp();
    return false;
  }

  /** Counts function calls: recursion inside loops multiplies. */
  call(): boolean {
    this.calls++;
    return this.calls <= MAX_CALLS;
  }

  startPipeline(): number {
    return this.pipelines++;
  }

  giveUp(): void {
    this.cannotTell('too-complex', 'the command has too many paths to follow', this.wholeSpan);
  }

  /** Every function that is defined anywhere: a trap may call it at any time. The same text is the same body. */
  define(name: string, body: FunctionBody): FunctionBody {
    const bodies = this.definitions.get(name);
    const known = bodies?.find((each) => each.node === body.node);
    if (known) return known;
    if (bodies) bodies.push(body);
    else this.definitions.set(name, [body]);
    return body;
  }

  add(draft: Draft): number {
    this.drafts.push(draft);
    return this.drafts.length - 1;
  }

  cannotTell(id: ReasonId, message: string, span: Span): void {
    if (this.reasons.length >= MAX_REASONS) return;
    const isKnown = this.reasons.some(
      (known) => known.id === id && known.span[0] === span[0] && known.span[1] === span[1],
    );
    if (!isKnown) this.reasons.push({ id, message, span });
  }

  /** The command word is unknown. */
  doubtCommand(draft: Draft, word: WordValue): void {
    const id = word.kind === 'pattern' ? 'pattern-command' : 'dynamic-command';
    this.cannotTell(id, 'which command runs is decided only at run time', word.span);
    draft.class = 'unknown';
    draft.add('unknown', 'the command is unknown');
  }

  mark(): number {
    return this.drafts.length;
  }

  /** Drops the facts since a mark: the pass that made them is repeated with a more general state. */
  rewind(mark: number): void {
    this.drafts.length = mark;
    const kept = this.scripts.findIndex(({ parent }) => parent !== null && parent >= mark);
    if (kept !== -1) this.scripts.length = kept;
  }
}
