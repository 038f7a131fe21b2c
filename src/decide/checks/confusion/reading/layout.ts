// Facts → the texts that a shell parses: the command itself, and code inside its words (`bash -c '…'`).
// Everything is computed on first use, once for the same facts: most commands need none of it.

import type { CommandFact, Facts, Span } from '../../../../core/facts.ts';
import { type Heredoc, type Scan, scanText, type Unit } from './text.ts';

export class CodeText implements Scan {
  readonly text: string;
  readonly #carrier: Span | null;
  #scan: Scan | undefined;

  /** `carrier`: the span of the word that contains the code; `null` for the command itself. */
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

  /** Maps a position in it to the command. */
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
  /** Whether a word may contain such a character: a literal one, or one from an escape. */
  readonly mayBeOdd: boolean;
  readonly hasBackslash: boolean;
}

const NONE: readonly CodeText[] = [];
const ODD = /[^\t\n -~]/;
const layouts = new WeakMap<Facts, Layout>();

export function readLayout(facts: Facts): Layout {
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
    // A wrapper passes words on unchanged; a shell parses them again.
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

/** The texts that contain a character: the others need not be scanned. */
export function textsWith(facts: Facts, sign: string | RegExp): readonly CodeText[] {
  const { texts } = readLayout(facts);
  const has = ({ text }: CodeText) => (typeof sign === 'string' ? text.includes(sign) : sign.test(text));
  if (texts.length === 1) return has(texts[0] as CodeText) ? texts : NONE;
  return texts.filter(has);
}

/** The text of a word as typed; `null` if the word is in code inside another word. */
export function writtenWord(command: CommandFact, index: number, facts: Facts): string | null {
  const word = command.words[index];
  if (word === undefined || readLayout(facts).inCode.has(command)) return null;
  return facts.command.slice(...word.span);
}
