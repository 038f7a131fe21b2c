// The walked syntax → what never ends: endless input, loops that only burn CPU time, unlimited processes.
// A second walk over the syntax, after the facts are known: data flows from source to user through pipes, files and words.

import type { EndlessFact, Span } from '../../core/facts.ts';
import {
  type ArithmeticFor,
  type Command,
  type CompoundList,
  type For,
  forEachChild,
  type ParsedScript,
  type Pipeline,
  type Redirected,
  type Redirection,
  type Select,
  type Statement,
  type SyntaxNode,
  type While,
} from '../../parse/tree.ts';
import type { Draft } from '../effects/draft.ts';
import type { Recorder } from '../recorder.ts';
import { DraftIndex } from './draft-index.ts';
import { hasLoopToFollow } from './loop-text.ts';
import { countItems, countRounds, hasOneRound, kindOfArithmeticFor, kindOfWhile, type LoopKind } from './loops.ts';
import { type Place, START } from './place.ts';
import { copiedDescriptor, inputDescriptor, isFile, namesEndlessDevice, takesOutput } from './redirections.ts';
import {
  countJobs,
  isEndlessProgram,
  isHugeExpansion,
  keepsEndlessLine,
  mayExhaust,
  printedText,
  printsOneLine,
  readsEndlessDevice,
  stopsReading,
  streamOf,
} from './streams.ts';
import { isWaiting, printsItself } from './waiting.ts';

/** Starting more processes than this at once needs a question. */
const MANY = 64;
const MAX_VISITS = 4_000;
export function findEndless(recorder: Recorder): readonly EndlessFact[] {
  const { drafts, scripts } = recorder;
  if (!scripts.some(({ text }) => hasLoopToFollow(text)) && !drafts.some(mayExhaust)) return [];
  const finder = new Finder(recorder);
  for (const { script, parent, span } of scripts) if (parent === null) finder.visitScript(script, { ...START, span });
  return finder.found;
}

class Finder {
  readonly found: EndlessFact[] = [];
  readonly #recorder: Recorder;
  readonly #index: DraftIndex;
  readonly #active = new Set<object>();
  /** Descriptors that were opened on an endless source. */
  readonly #endless = new Set<number>();
  #visits = 0;

  constructor(recorder: Recorder) {
    this.#recorder = recorder;
    this.#index = new DraftIndex(recorder.drafts);
  }

  /** All of these return whether the output is endless. */
  visitScript({ commands }: { readonly commands: readonly Statement[] }, place: Place): boolean {
    return some(commands, (statement) => this.#visitStatement(statement, place));
  }

  #visitStatement({ command, background, pos, end }: Statement, place: Place): boolean {
    if (background === true) this.#startProcess({ pos, end }, place);
    return this.#visit(command, background === true ? { ...place, isBusy: false, rounds: 1 } : place);
  }

  /** A process runs in parallel to the loop, which does not wait for it. */
  #startProcess({ pos, end }: { readonly pos: number; readonly end: number }, place: Place): void {
    if (place.rounds <= MANY) return;
    this.#report(place.isBusy ? 'processes' : 'many-processes', 'a loop', place, [pos, end]);
  }

  #visit(node: Statement['command'] | CompoundList, place: Place): boolean {
    if (++this.#visits > MAX_VISITS) return false;
    switch (node.type) {
      case 'AndOr':
        return some(node.commands, (command) => this.#visit(command, place));
      case 'Pipeline':
        return this.#visitPipeline(node, place);
      case 'CompoundList':
        return this.visitScript(node, place);
      case 'BraceGroup':
      case 'Subshell':
        return this.visitScript(node.body, place);
      case 'If':
        return some(
          [node.clause, node.then, ...node.elif.flatMap(({ clause, then }) => [clause, then]), node.else],
          (part) => part !== undefined && this.#visit(part, place),
        );
      case 'Case':
        this.#visitWords(node.word, place);
        return some(node.items, ({ body }) => this.#visit(body, place));
      case 'For':
      case 'Select':
        return this.#visitFor(node, place);
      case 'While':
        return this.#visitLoop(node, kindOfWhile(node), Infinity, place);
      case 'ArithmeticFor':
        return this.#visitLoop(node, kindOfArithmeticFor(node), countRounds(node), place);
      case 'Redirected':
        return this.#visitRedirected(node, place);
      case 'Coproc':
        this.#startProcess(node, place);
        this.#visit(node.body, { ...place, input: false });
        return false;
      case 'Command':
        return this.#visitSimple(node, place);
      case 'Function':
        return false;
      case 'TestCommand':
      case 'ArithmeticCommand':
        this.#visitWords(node, place);
        return false;
      default:
        return node satisfies never;
    }
  }

  #visitPipeline({ commands }: Pipeline, place: Place): boolean {
    let { input, lines, isOneLine, text } = place;
    for (const [i, command] of commands.entries()) {
      const next = commands[i + 1];
      const isPiped = next !== undefined && stopsReading(this.#index.draftsOf(next));
      input = this.#visit(command, { ...place, input, lines, isOneLine, text, isPiped });
      lines = this.#index.linesOf(command);
      const drafts = this.#index.draftsOf(command);
      isOneLine = input && drafts.some((draft) => printsOneLine(draft, isOneLine));
      text = drafts.map(printedText).join(' ');
    }
    return input;
  }

  #visitFor(node: For | Select, place: Place): boolean {
    for (const word of node.wordlist ?? []) this.#visitWords(word, place);
    const rounds = countItems(node, (word) => {
      const part = word.parts?.find(({ type }) => type === 'CommandExpansion');
      const last = part?.type === 'CommandExpansion' ? part.script?.commands.at(-1)?.command : undefined;
      const command = last?.type === 'Pipeline' ? last.commands.at(-1) : last;
      return command === undefined ? Infinity : this.#index.linesOf(command);
    });
    return this.#visit(node.body, this.#inLoop(node.body, rounds, place));
  }

  #inLoop(body: CompoundList, rounds: number, place: Place): Place {
    if (hasOneRound(body)) return place;
    const waits = body.commands.some(({ command }) => command.type === 'Command' && command.name?.text === 'wait');
    return { ...place, rounds: waits ? 1 : Math.max(1, place.rounds * rounds) };
  }

  #visitLoop(node: While | ArithmeticFor, kind: LoopKind, rounds: number, place: Place): boolean {
    if (node.type === 'ArithmeticFor') this.#visitWords(node, place);
    const span: Span = [node.pos, node.end];
    if (kind === 'input' && place.input) this.#report('input', 'a loop', place, span);
    const isOpen = kind === 'endless' || kind === 'outside';
    const isBusy = isOpen && !isWaiting(node, (each) => this.#index.draftsOf(each));
    const foundBefore = this.found.length;
    const body: Place = {
      ...this.#inLoop(node.body, isOpen ? Infinity : rounds, place),
      isBusy: place.isBusy || (isBusy && kind === 'endless'),
    };
    const isEndless = some([node.type === 'While' ? node.clause : undefined, node.body], (part) =>
      part === undefined ? false : this.#visit(part, body),
    );
    const isEnded = place.isTimed || (place.isPiped && printsItself(node.body, (each) => this.#index.draftsOf(each)));
    if (isBusy && !isEnded && this.found.length === foundBefore) this.#report('loop', 'a loop', place, span);
    return isEndless || kind === 'endless' || (kind === 'input' && place.input);
  }

  #visitRedirected(node: Redirected, place: Place): boolean {
    const opened = this.#openInput(node.redirects, place);
    const isEndless = this.#visit(node.command, opened);
    return isEndless && !this.#isTakenAway(node.redirects, place, 'a loop');
  }

  /** Standard input after these redirections. */
  #openInput(redirects: readonly Redirection[], place: Place): Place {
    let opened = place;
    for (const redirect of redirects) {
      const isFed = this.#visitWords(redirect, place);
      const fd = inputDescriptor(redirect);
      if (fd === null) continue;
      const isEndless = isFed || namesEndlessDevice(redirect) || this.#endless.has(copiedDescriptor(redirect) ?? -1);
      if (isEndless) this.#endless.add(fd);
      if (fd === 0) opened = { ...opened, input: isEndless, lines: Infinity };
    }
    return opened;
  }

  /** The output goes to a file; endless output fills the disk. */
  #isTakenAway(redirects: readonly Redirection[], place: Place, what: string): boolean {
    const taken = redirects.filter(takesOutput);
    for (const { target, pos, end } of taken)
      if (isFile(target?.value ?? '')) this.#report('file', what, place, [pos, end]);
    return taken.length > 0;
  }

  /** Walks the substitutions in words; true if one of them is an endless file. */
  #visitWords(node: SyntaxNode, place: Place, output = false): boolean {
    let isFed = false;
    if (node.type === 'Word' && node.parts?.some(({ type }) => type === 'BraceExpansion') && isHugeExpansion(node.text))
      this.#report('input', 'a sequence in braces', place, [node.pos, node.end]);
    forEachChild(node, (child) => {
      if (child.type === 'CommandExpansion' || child.type === 'ArithmeticCommandExpansion') {
        const inner = this.#inside(child.script, child, place);
        if (child.script && this.visitScript(child.script, inner))
          this.#report('input', 'a substitution', place, [child.pos, child.end]);
      } else if (child.type === 'ProcessSubstitution') {
        const inner = this.#inside(child.script, child, { ...place, input: child.operator === '>' && output });
        if (isWaiting(child, (each) => this.#index.draftsOf(each))) this.#startProcess(child, place);
        if (child.script && this.visitScript(child.script, inner) && child.operator === '<') isFed = true;
      } else if (child.type !== 'CompoundList' && this.#visitWords(child, place, output)) isFed = true;
    });
    return isFed;
  }

  #inside(script: ParsedScript | undefined, at: { readonly pos: number; readonly end: number }, place: Place): Place {
    return { ...place, span: place.span ?? (script?.source === undefined ? null : [at.pos, at.end]) };
  }

  #visitSimple(node: Command, place: Place): boolean {
    const words = [node.name, ...node.prefix, ...node.args].filter(
      (item) => item?.type === 'Word' || item?.type === 'Assignment',
    );
    const isFed = some(words, (word) => this.#visitWords(word, place));
    const opened = this.#openInput(node.redirects, place);
    return some(this.#index.of(node), (index) => {
      if (!this.#visitDraft(index, opened, isFed)) return false;
      for (const word of words) if (word.text.includes('>(')) this.#visitWords(word, place, true);
      return !this.#isTakenAway(node.redirects, place, this.#recorder.drafts[index]?.name ?? 'it');
    });
  }

  #visitDraft(index: number, place: Place, isFed: boolean): boolean {
    const draft = this.#recorder.drafts[index] as Draft;
    const name = draft.name ?? 'it';
    if (draft.kind === 'function') return this.#visitFunction(name, place);
    const stream = streamOf(draft);
    const isTimed = place.isTimed || draft.name === 'timeout';
    const isEndlessInside = this.#visitInside(index, { ...place, isTimed });
    const fromFile = isFed || readsEndlessDevice(draft);
    const fromRedirects = draft.redirects.filter(({ kind }) => kind === 'read').length;
    const readsFiles =
      draft.reads.length > fromRedirects && !draft.words.some((word) => word.kind === 'literal' && word.value === '-');
    const isInput = fromFile || (place.input && !readsFiles);
    if ((isInput && stream === 'holds') || keepsEndlessLine(draft, isInput && place.isOneLine))
      this.#report('input', name, place, draft.span, draft);
    if (isEndlessProgram(draft, place.text) && !isTimed) this.#report('loop', name, place, draft.span, draft);
    if (draft.name === 'xargs' || draft.name === 'parallel') this.#countJobs(draft, isInput, place);
    if (isInput && draft.name === 'tee' && draft.writes.some(({ path }) => path === null || isFile(path)))
      this.#report('file', name, place, draft.span, draft);
    if (draft.name === 'timeout') return false;
    return isEndlessInside || stream === 'endless' || (stream === 'passes' && isInput);
  }

  /** The commands of a wrapper: programs, and shell text. */
  #visitInside(index: number, place: Place): boolean {
    const children = this.#index.childrenOf(index);
    const isEndless = some(children, (child) => this.#visitDraft(child, place, false));
    const scripts = this.#recorder.scripts.filter(({ parent }) => parent === index);
    return some(scripts, ({ script, span }) => this.visitScript(script, { ...place, span })) || isEndless;
  }

  #visitFunction(name: string, place: Place): boolean {
    return some(this.#recorder.definitions.get(name) ?? [], ({ node, span }) => {
      if (this.#active.has(node)) return false;
      this.#active.add(node);
      const isEndless = this.#visit(node.body, { ...place, span });
      this.#active.delete(node);
      return isEndless;
    });
  }

  #countJobs(draft: Draft, isEndless: boolean, place: Place): void {
    if (!(countJobs(draft) > MANY)) return;
    const kind = isEndless ? 'processes' : 'many-processes';
    if (isEndless || place.lines > MANY) this.#report(kind, draft.name ?? '', place, draft.span, draft);
  }

  #report(kind: EndlessFact['kind'], what: string, place: Place, span: Span, draft?: Draft): void {
    if (draft !== undefined && draft.elsewhere !== null) return;
    const at = place.span ?? span;
    if (!this.found.some((each) => each.kind === kind && each.span[0] === at[0] && each.span[1] === at[1]))
      this.found.push({ kind, what, span: at });
  }
}

/** All of them are visited. */
function some<T>(items: readonly T[], visit: (item: T) => boolean): boolean {
  return items.filter(visit).length > 0;
}
