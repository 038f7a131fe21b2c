// Runs a parsed sed script over the content of one file, as `sed -i` would in a UTF-8 locale, without any file.
// Throws `Doubt` for commands with outside effects (r w e l F) and wherever versions of sed differ.

import { Doubt } from './regex/char-set.ts';
import { Budget, type RegexMatcher } from './regex/posix-match.ts';
import { type CompiledSedCommand, compileSedCommand, substitute } from './sed-compile.ts';
import type { SedAddress, SedScript, SedSubstitution } from './sed-script.ts';

const STEPS = 30_000_000;
const HOLD = new Set(['g', 'G', 'h', 'H', 'x']);
/** Characters whose other case is an ASCII letter. */
const FOLDS_TO_ASCII = /[\u0130\u0131\u017f\u212a]/;

export function runSedScript(script: SedScript, content: string, extended: boolean): string {
  return new SedRun(script, content, extended).run();
}

class SedRun {
  readonly #quiet: boolean;
  readonly #lines: readonly string[];
  readonly #endsWithNewline: boolean;
  readonly #commands: readonly CompiledSedCommand[];
  readonly #labels = new Map<string, number>();
  readonly #budget = new Budget(STEPS);
  readonly #output: string[] = [];
  readonly #appended: string[] = [];
  #missingNewline = false;
  /** Number of lines read so far, which is also the current line's number. */
  #read = 0;
  #pattern = '';
  #hold = '';
  #replaced = false;
  #lastRegex: RegexMatcher | null = null;

  constructor(script: SedScript, content: string, extended: boolean) {
    this.#quiet = script.quiet;
    this.#endsWithNewline = content.endsWith('\n');
    this.#lines = content === '' ? [] : (this.#endsWithNewline ? content.slice(0, -1) : content).split('\n');
    const context = { extended, foldsOddly: FOLDS_TO_ASCII.test(content), budget: this.#budget };
    this.#commands = script.commands.map((command, index) => {
      if (HOLD.has(command.name) && !this.#endsWithNewline) throw new Doubt('hold space and no newline at the end');
      if (command.name === ':') this.#labels.set(command.label, index);
      return compileSedCommand(command, context);
    });
  }

  run(): string {
    while (this.#readLine(false)) if (this.#cycle() === 'quit') break;
    return this.#output.join('');
  }

  get #atLastLine(): boolean {
    return this.#read >= this.#lines.length;
  }

  get #hasNewline(): boolean {
    return this.#endsWithNewline || !this.#atLastLine;
  }

  #readLine(append: boolean): boolean {
    this.#flushAppended();
    const line = this.#lines[this.#read];
    if (line === undefined) return false;
    this.#replaced = false;
    this.#pattern = append ? `${this.#pattern}\n${line}` : line;
    this.#read++;
    return true;
  }

  #print(text: string, newline = true): void {
    this.#budget.spend(text.length + 1);
    if (this.#missingNewline) this.#output.push('\n');
    this.#output.push(text);
    if (newline) this.#output.push('\n');
    this.#missingNewline = !newline;
  }

  #autoprint(): void {
    if (!this.#quiet) this.#print(this.#pattern, this.#hasNewline);
  }

  #flushAppended(): void {
    for (const text of this.#appended.splice(0)) {
      if (this.#missingNewline) this.#output.push('\n');
      this.#missingNewline = false;
      this.#output.push(text);
    }
  }

  #cycle(): 'next' | 'quit' {
    for (let at = 0; at < this.#commands.length; ) {
      const compiled = this.#commands[at] as CompiledSedCommand;
      const { command } = compiled;
      this.#budget.spend(2);
      const applies = this.#selects(compiled) !== command.negated;
      at++;
      if (!applies) {
        if (command.name === '{') at = command.end;
        continue;
      }
      switch (command.name) {
        case '{':
        case '}':
        case ':':
          break;
        case '=':
          this.#print(String(this.#read));
          break;
        case 'a':
          this.#appended.push(command.text);
          break;
        case 'i':
          this.#print(command.text.slice(0, -1));
          break;
        case 'c':
          if (compiled.range !== 'active') this.#print(command.text.slice(0, -1));
          return 'next';
        case 'd':
          return 'next';
        case 'D': {
          const end = this.#pattern.indexOf('\n');
          if (end < 0) return 'next';
          if (this.#appended.length > 0) throw new Doubt('a before D');
          this.#pattern = this.#pattern.slice(end + 1);
          at = 0;
          break;
        }
        case 'p':
          this.#print(this.#pattern, this.#hasNewline);
          break;
        case 'P': {
          const end = this.#pattern.indexOf('\n');
          if (end < 0) this.#print(this.#pattern, this.#hasNewline);
          else this.#print(this.#pattern.slice(0, end));
          break;
        }
        case 'n':
          this.#autoprint();
          if (!this.#readLine(false)) return 'next';
          break;
        case 'N':
          if (this.#atLastLine) {
            this.#autoprint();
            return 'next';
          }
          this.#readLine(true);
          break;
        case 'g':
          this.#pattern = this.#hold;
          break;
        case 'G':
          this.#pattern += `\n${this.#hold}`;
          break;
        case 'h':
          this.#hold = this.#pattern;
          break;
        case 'H':
          this.#hold += `\n${this.#pattern}`;
          break;
        case 'x':
          [this.#pattern, this.#hold] = [this.#hold, this.#pattern];
          break;
        case 'z':
          this.#pattern = '';
          break;
        case 'q':
          if (!this.#hasNewline) throw new Doubt('q and no newline at the end');
          this.#autoprint();
          this.#flushAppended();
          return 'quit';
        case 'Q':
          return 'quit';
        case 'b':
          at = this.#target(command.label);
          break;
        case 't':
          if (this.#replaced) at = this.#target(command.label);
          this.#replaced = false;
          break;
        case 'T':
          if (!this.#replaced) at = this.#target(command.label);
          this.#replaced = false;
          break;
        case 's':
          this.#substitute(command, compiled);
          break;
        case 'y':
          this.#pattern = Array.from(this.#pattern, (ch) => compiled.letters?.get(ch) ?? ch).join('');
          break;
        default:
          throw new Doubt(`the command ${command.name}`);
      }
      this.#budget.spend(this.#pattern.length + this.#hold.length);
    }
    this.#autoprint();
    return 'next';
  }

  #target(label: string): number {
    return label === '' ? this.#commands.length : (this.#labels.get(label) ?? this.#commands.length);
  }

  /** The rules of GNU sed for one address and for ranges; each command has its own range state. */
  #selects(compiled: CompiledSedCommand): boolean {
    const { first, second } = compiled.command;
    if (first === null) return true;
    if (second === null) return this.#isAt(first, compiled.first);
    if (compiled.range !== 'active') {
      if (first.kind === 'line') {
        if (compiled.range === 'closed' || this.#read < first.line) return false;
      } else if (!this.#isAt(first, compiled.first)) {
        return false;
      }
      compiled.range = 'active';
      if (second.kind === 'regex') return true;
      if (second.kind === 'line') {
        if (this.#read >= second.line) compiled.range = 'closed';
        return this.#read <= second.line || this.#isAt(first, compiled.first);
      }
      if (second.kind === 'plus') {
        compiled.rangeEnd = this.#read + second.count;
        if (second.count === 0) compiled.range = 'closed';
        return true;
      }
    }
    if (second.kind === 'line') {
      if (this.#read >= second.line) compiled.range = 'closed';
      return this.#read <= second.line;
    }
    const ends = second.kind === 'plus' ? this.#read >= compiled.rangeEnd : this.#isAt(second, compiled.second);
    if (ends) compiled.range = 'closed';
    return true;
  }

  #isAt(address: SedAddress, regex: RegexMatcher | null): boolean {
    switch (address.kind) {
      case 'line':
        return this.#read === address.line;
      case 'step':
        return this.#read >= address.first && (this.#read - address.first) % address.step === 0;
      case 'last':
        return this.#atLastLine;
      case 'regex':
        return this.#remember(regex).matches(this.#pattern);
      default:
        throw new Doubt('an address that only ends ranges');
    }
  }

  /** An empty regular expression means the last one used at run time. */
  #remember(regex: RegexMatcher | null): RegexMatcher {
    this.#lastRegex = regex ?? this.#lastRegex;
    if (this.#lastRegex === null) throw new Doubt('no previous regular expression');
    return this.#lastRegex;
  }

  #substitute(command: SedSubstitution, compiled: CompiledSedCommand): void {
    const regex = this.#remember(compiled.regex);
    const changed = compiled.replacement && substitute(this.#pattern, regex, compiled.replacement, command);
    if (changed === null) return;
    this.#replaced = true;
    this.#pattern = changed;
    if (command.print) this.#print(this.#pattern, this.#hasNewline);
  }
}
