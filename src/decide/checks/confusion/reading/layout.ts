// Facts → the texts that some shell reads: the command itself, and code that its words carry (`bash -c '…'`).
// Everything is made when it is first asked for, once for the same facts: most commands need nothing of it.

import type { CommandFact, Facts, Span } from '../../../../core/facts.ts';
import { type Heredoc, type Scan, scanText, type Unit } from './text.ts';

export class CodeText implements Scan {
  readonly text: string;
  readonly #carrier: Span | null;
  #scan: Scan | undefined;

  /** `carrier`: the place of the word that holds the code; `null` for the command itself. */
  constructor(text: string, carrier: Span | null) {
    this.text = text;
    this.#carrier = carrier;
  }

  get states(): Uint8Array {
    return this.#scanned().states;
  }

  get units(): readonly Unit[] {
    return this.#scanned().units;
  }

  get heredocs(): readonly Heredoc[] {
    return this.#scanned().heredocs;
  }

  /** Where to show a place of it in the command. */
  spanOf(start: number, end: number): Span {
    return this.#carrier ?? [start, end];
  }

  #scanned(): Scan {
    this.#scan ??= scanText(this.text);
    return this.#scan;
  }
}

interface Layout {
  readonly texts: readonly CodeText[];
  readonly inCode: ReadonlySet<CommandFact>;
  /** Texts with a character that is neither printable ASCII nor a tab nor a newline. */
  readonly odd: readonly CodeText[];
  /** Whether a word may hold such a character: one that is written, or one that an escape stands for. */
  readonly mayBeOdd: boolean;
  readonly hasBackslash: boolean;
}

const NONE: readonly CodeText[] = [];
const ODD = /[^\t\n -~]/;
const layouts = new WeakMap<Facts, Layout>();

export function layoutOf(facts: Facts): Layout {
  const known = layouts.get(facts);
  if (known !== undefined) return known;
  const texts: CodeText[] = [new CodeText(facts.command, null)];
  const inCode = new Set<CommandFact>();
  addCarriedTexts(facts, texts, inCode);
  const odd = texts.filter(({ text }) => ODD.test(text));
  const hasBackslash = facts.command.includes('\\');
  const layout = { texts, inCode, odd, mayBeOdd: odd.length > 0 || hasBackslash, hasBackslash };
  layouts.set(facts, layout);
  return layout;
}

function addCarriedTexts({ commands }: Facts, texts: CodeText[], inCode: Set<CommandFact>): void {
  const seen = new Set<string>();
  for (const command of commands) {
    const parent = command.parent === null ? undefined : commands[command.parent];
    if (parent === undefined) continue;
    if (inCode.has(parent)) inCode.add(command);
    const [start, end] = command.words[0]?.span ?? command.span;
    // A wrapper hands words on as they are; a shell reads them again.
    const carriers = parent.words.filter(
      ({ span, kind }) => span[0] === start && span[1] === end && kind === 'literal',
    );
    const isHandedOn = carriers.some((word) => word.kind === 'literal' && word.value === command.argv[0]);
    if (isHandedOn && !/ -c$|^eval$/.test(command.via.at(-1) ?? '')) continue;
    for (const word of carriers) {
      inCode.add(command);
      if (word.kind !== 'literal' || seen.has(word.value)) continue;
      seen.add(word.value);
      texts.push(new CodeText(word.value, word.span));
    }
  }
}

/** The texts in which a sign stands at all: the others need not be read character by character. */
export function textsWith(facts: Facts, sign: string | RegExp): readonly CodeText[] {
  const { texts } = layoutOf(facts);
  const has = ({ text }: CodeText) => (typeof sign === 'string' ? text.includes(sign) : sign.test(text));
  if (texts.length === 1) return has(texts[0] as CodeText) ? texts : NONE;
  return texts.filter(has);
}

/** The text of a word as it was typed; `null` where the word stands in code that another word carries. */
export function writtenWord(command: CommandFact, index: number, facts: Facts): string | null {
  const word = command.words[index];
  if (word === undefined || layoutOf(facts).inCode.has(command)) return null;
  return facts.command.slice(...word.span);
}
