// Words of a command × its specification → options and operands.
// A word that may be an option, or several words, is an operand and makes the parse uncertain.

import type { WordValue } from '../../core/facts.ts';
import type { CommandSpec } from '../commands/spec.ts';
import type { ParsedArguments, ParsedOption } from '../programs/program.ts';
import type { CompiledSpec, Option } from './compile.ts';

export interface MatchedOption extends ParsedOption {
  readonly option: Option | null;
}

export class Arguments implements ParsedArguments {
  readonly options: MatchedOption[] = [];
  readonly operands: WordValue[] = [];
  uncertain = false;
  readonly words: readonly WordValue[];
  private readonly compiled: CompiledSpec;
  private next = 0;

  constructor(compiled: CompiledSpec, words: readonly WordValue[]) {
    this.compiled = compiled;
    this.words = words;
    this.parse();
  }

  get spec(): CommandSpec {
    return this.compiled.spec;
  }

  has(names: string): boolean {
    if (this.options.length === 0) return false;
    for (const name of splitNames(names)) {
      const canonical = this.compiled.options.get(name)?.name ?? name;
      for (const option of this.options) if (option.name === canonical) return true;
    }
    return false;
  }

  value(name: string): WordValue | undefined {
    const canonical = this.compiled.options.get(name)?.name ?? name;
    return this.options.findLast((option) => option.name === canonical)?.value ?? undefined;
  }

  private parse(): void {
    const { style, spec } = this.compiled;
    const stopsAtOperand = style === 'posix' || spec.subcommands !== undefined;
    if (style === 'none') {
      this.operands.push(...this.words);
      return;
    }
    while (this.next < this.words.length) {
      const word = this.words[this.next++] as WordValue;
      if (word.kind === 'literal') {
        if (word.value === '--' && style !== 'words') {
          this.takeRest();
          return;
        }
        if (this.isOption(word.value)) this.takeOption(word, word.value);
        else if (style === 'bundle' && this.next === 1) this.takeCluster(word, word.value);
        else this.operands.push(word);
      } else if (!this.takeDynamicOption(word)) {
        // In a bundle the first word needs no dash.
        if (mayBeOption(word) || (style === 'bundle' && this.next === 1)) this.uncertain = true;
        this.operands.push(word);
      }
      if (stopsAtOperand && this.operands.length > 0) {
        this.takeRest();
        return;
      }
    }
  }

  /** `--since="$x"`, `-n"$x"`: the name is literal, only the value is unknown. */
  private takeDynamicOption(word: WordValue): boolean {
    if (word.kind !== 'dynamic' || word.many || !word.head.startsWith('-')) return false;
    const long = /^(-[^=]+)=/.exec(word.head)?.[1];
    const name = long ?? (this.compiled.style === 'words' ? undefined : word.head.slice(0, 2));
    const option = name === undefined ? null : long ? this.findLong(long) : (this.compiled.options.get(name) ?? null);
    if (option === null || option.value === 'none') return false;
    const value: WordValue = { ...word, head: word.head.slice(long ? long.length + 1 : 2) };
    this.add(option.name, option, value, word, true);
    return true;
  }

  private takeRest(): void {
    for (; this.next < this.words.length; this.next++) this.operands.push(this.words[this.next] as WordValue);
  }

  private isOption(text: string): boolean {
    return text.length > 1 && text.charCodeAt(0) === 45;
  }

  private takeOption(word: WordValue, text: string): void {
    if (this.compiled.style === 'words') this.takeLong(word, text);
    else if (text.startsWith('--')) this.takeLong(word, text);
    else if (this.compiled.options.has(text)) this.takeExact(word, text);
    else if (this.compiled.spec.numeric && /^-[0-9]+$/.test(text)) this.add('-NUMBER', null, null, word, true);
    else this.takeCluster(word, text.slice(1));
  }

  /** `-name` written as one word in the table, in a program that otherwise clusters (`gcc -shared`, `java -jar`). */
  private takeExact(word: WordValue, text: string): void {
    const option = this.compiled.options.get(text) as Option;
    const value = option.value === 'required' ? this.takeValue() : null;
    this.add(option.name, option, value, word, true);
  }

  private takeLong(word: WordValue, text: string): void {
    const equals = text.indexOf('=');
    const name = equals === -1 ? text : text.slice(0, equals);
    const option = this.findLong(name);
    if (option === null) {
      this.add(name, null, null, word, false);
      return;
    }
    const attached: WordValue | null =
      equals === -1 ? null : { kind: 'literal', value: text.slice(equals + 1), span: word.span };
    if (attached !== null && option.value === 'none') {
      // `--help=false` disables a flag in some programs and is an error in others.
      this.add(text, null, null, word, false);
      return;
    }
    const value = attached ?? (option.value === 'required' ? this.takeValue() : null);
    this.add(option.name, option, value, word, true);
  }

  private findLong(name: string): Option | null {
    const { options, spec, longNames, style } = this.compiled;
    const exact = options.get(name) ?? (style === 'words' ? options.get(name.replace(/^--/, '-')) : undefined);
    if (exact) return exact;
    if (spec.exactLong || style === 'words' || !name.startsWith('--')) return null;
    const candidates = new Set(
      longNames.filter((long) => long.startsWith(name)).map((long) => options.get(long)?.name),
    );
    const [only] = candidates;
    return candidates.size === 1 && only !== undefined ? (options.get(only) ?? null) : null;
  }

  private takeCluster(word: WordValue, letters: string): void {
    for (let i = 0; i < letters.length; i++) {
      const option = this.compiled.options.get(`-${letters[i]}`);
      if (option === undefined) {
        if (this.compiled.spec.numeric && /^[0-9]+$/.test(letters.slice(i)))
          this.add('-NUMBER', null, null, word, true);
        else this.add(`-${letters[i]}`, null, null, word, false);
        return;
      }
      const rest = letters.slice(i + 1);
      if (option.value === 'none') {
        this.add(option.name, option, null, word, true);
        continue;
      }
      // In a bundle without dash the values follow in the next words.
      const isBundle = this.compiled.style === 'bundle' && word.kind === 'literal' && !word.value.startsWith('-');
      if (isBundle && option.value === 'required') {
        this.add(option.name, option, this.takeValue(), word, true);
        continue;
      }
      const attached: WordValue | null = rest === '' ? null : { kind: 'literal', value: rest, span: word.span };
      const value = attached ?? (option.value === 'required' ? this.takeValue() : null);
      this.add(option.name, option, value, word, true);
      return;
    }
  }

  private takeValue(): WordValue | null {
    const word = this.words[this.next];
    if (word === undefined) return null;
    this.next++;
    // It may expand to several words: the words after the value are then uncertain.
    if (word.kind === 'pattern' || (word.kind === 'dynamic' && word.many)) this.uncertain = true;
    return word;
  }

  private add(name: string, option: Option | null, value: WordValue | null, word: WordValue, known: boolean): void {
    this.options.push({ name, option, value, span: word.span, known, operandsBefore: this.operands.length });
  }
}

/** Whether a word with an unknown value may be parsed as an option, or may expand to words that are. */
function mayBeOption(word: WordValue): boolean {
  if (word.kind === 'literal') return false;
  if (word.kind === 'dynamic' && word.isPlain && !word.head.startsWith('-')) return false;
  if (word.kind === 'dynamic' && word.many) return true;
  return word.head === '' || word.head.startsWith('-');
}

const nameLists = new Map<string, readonly string[]>();

/** The lists are literals in this code: each is split once. */
function splitNames(names: string): readonly string[] {
  let list = nameLists.get(names);
  if (list === undefined) {
    list = names.split(' ');
    nameLists.set(names, list);
  }
  return list;
}
