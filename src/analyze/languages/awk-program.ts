// The text of an awk program → what it may read, write, run, load and contact.
// Exact about effects, not about the rest of the grammar: an invalid program runs nothing.
// Any parsing uncertainty is an `error`: then there may be more effects than those listed.

import { AwkSyntaxError, type AwkToken, baseName, endsOperand, readAwkTokens } from './awk-tokens.ts';

/** `null` stands for a computed name or text. */
export interface AwkEffects {
  readonly reads: readonly (string | null)[];
  readonly writes: readonly (string | null)[];
  /** Shell texts that are run: `system("c")`, `"c" | getline`. */
  readonly executes: readonly (string | null)[];
  /** Shell texts that receive output: `print | "sort"`, also as coprocess. */
  readonly pipesTo: readonly (string | null)[];
  /** gawk's special files: `/inet/tcp/0/host/80`. */
  readonly network: readonly string[];
  readonly environment: boolean;
  /** Files of `@include` and `@load`. */
  readonly loads: readonly string[];
  /** Its list of input files is changed while it runs. */
  readonly readsUnknown: boolean;
}

interface AwkProgram {
  readonly effects: AwkEffects;
  readonly error: string | null;
}

/** Environment variables without sensitive content. */
const PUBLIC_VARIABLES =
  /^(HOME|USER|LOGNAME|PATH|PWD|OLDPWD|SHELL|TERM|LANG|LC_[A-Z]+|TZ|TMPDIR|HOSTNAME|COLUMNS|LINES)$/;
const STANDARD_STREAM = /^\/dev\/(stdin|stdout|stderr|fd\/[012])$/;
/** awk treats these two specially; it opens any other name, including /dev/stdin and /dev/fd/3. */
const OUTPUT_STREAM = /^\/dev\/std(?:out|err)$/;
const INET = /^\/inet[46]?\//;
const ASSIGNMENT = /^(?:[-+*/%^]|\*\*)?=$/;

export function parseAwkProgram(source: string): AwkProgram {
  const finder = new EffectFinder();
  try {
    return { effects: finder.find(readAwkTokens(source)), error: null };
  } catch (thrown) {
    if (!(thrown instanceof AwkSyntaxError)) throw thrown;
    return { effects: finder.effects(), error: thrown.message };
  }
}

class EffectFinder {
  readonly #reads = new Set<string | null>();
  readonly #writes = new Set<string | null>();
  readonly #executes = new Set<string | null>();
  readonly #pipesTo = new Set<string | null>();
  readonly #network = new Set<string>();
  readonly #loads = new Set<string>();
  #environment = false;
  #readsUnknown = false;
  #tokens: readonly AwkToken[] = [];

  effects(): AwkEffects {
    return {
      reads: [...this.#reads],
      writes: [...this.#writes],
      executes: [...this.#executes],
      pipesTo: [...this.#pipesTo],
      network: [...this.#network],
      environment: this.#environment,
      loads: [...this.#loads],
      readsUnknown: this.#readsUnknown,
    };
  }

  find(tokens: readonly AwkToken[]): AwkEffects {
    this.#tokens = tokens;
    let depth = 0;
    /** Bracket depth of the current `print`; outside deeper brackets its `>` is a redirect. */
    let printDepth: number | null = null;
    tokens.forEach((token, at) => {
      if (token.kind === 'name') {
        if (token.text === 'print' || token.text === 'printf') printDepth = depth;
        else this.#name(token, at);
        return;
      }
      if (token.kind === 'newline') {
        // After an operator the statement continues on the next line.
        const before = tokens[at - 1];
        if (endsOperand(before) || before?.text === 'print' || before?.text === 'printf') printDepth = null;
        return;
      }
      if (token.kind !== 'operator') return;
      switch (token.text) {
        case '(':
        case '[':
          depth++;
          break;
        case ')':
        case ']':
          depth--;
          break;
        case ';':
        case '{':
        case '}':
          printDepth = null;
          break;
        case '>':
          if (printDepth === depth) this.#write(this.#textAfter(at));
          break;
        case '>>':
          this.#write(this.#textAfter(at));
          break;
        case '|':
        case '|&':
          this.#pipe(at, printDepth === depth);
          break;
        case '@':
          this.#directive(at);
          break;
      }
    });
    return this.effects();
  }

  #is(at: number, ...texts: readonly string[]): boolean {
    const token = this.#tokens[at];
    return token !== undefined && (token.kind === 'operator' || token.kind === 'name') && texts.includes(token.text);
  }

  #name(token: AwkToken, at: number): void {
    switch (baseName(token.text)) {
      case 'system':
        this.#executes.add(this.#is(at + 1, '(') ? this.#wholeArgument(at + 2) : null);
        break;
      case 'getline':
        this.#getline(at);
        break;
      case 'ENVIRON': {
        const name = this.#subscript(at);
        if (name === null || !PUBLIC_VARIABLES.test(name)) this.#environment = true;
        break;
      }
      case 'PROCINFO':
        if (this.#subscript(at) === 'environ') this.#environment = true;
        break;
      case 'SYMTAB':
        // Every variable by its name, including ENVIRON and ARGV.
        this.#environment = true;
        this.#readsUnknown = true;
        break;
      case 'ARGV':
        if (this.#changesArray(at)) this.#readsUnknown = true;
        break;
    }
  }

  /** The text of a string that is alone before the closing parenthesis. */
  #wholeArgument(at: number): string | null {
    const token = this.#tokens[at];
    return token?.kind === 'string' && this.#is(at + 1, ')') ? (token.value ?? null) : null;
  }

  #subscript(at: number): string | null {
    const token = this.#tokens[at + 2];
    return this.#is(at + 1, '[') && token?.kind === 'string' && this.#is(at + 3, ']') ? (token.value ?? null) : null;
  }

  /** Anything except comparing, printing or deleting. */
  #changesArray(at: number): boolean {
    if (this.#is(at - 1, 'delete')) return false;
    if (!this.#is(at + 1, '[')) return !this.#is(at - 1, 'in');
    if (this.#is(at - 1, 'getline', '++', '--')) return true;
    const substitutes = this.#tokens.some((token) => token.kind === 'name' && /^g?sub$/.test(baseName(token.text)));
    if (this.#is(at - 1, ',') && substitutes) return true;
    const after = this.#tokens[this.#closing(at + 1) + 1];
    return after?.kind === 'operator' && (ASSIGNMENT.test(after.text) || after.text === '++' || after.text === '--');
  }

  #closing(at: number): number {
    let depth = 0;
    for (let index = at; index < this.#tokens.length; index++) {
      if (this.#is(index, '(', '[', '{')) depth++;
      else if (this.#is(index, ')', ']', '}') && --depth === 0) return index;
    }
    return this.#tokens.length;
  }

  #isStatementEnd(at: number): boolean {
    const token = this.#tokens[at];
    return token === undefined || token.kind === 'newline' || this.#is(at, ';', '}');
  }

  /** The target of a redirect or pipe of `print`: one literal without concatenation. */
  #textAfter(at: number): string | null {
    const inParens = this.#is(at + 1, '(');
    const place = inParens ? at + 2 : at + 1;
    if (inParens && !this.#is(place + 1, ')')) return null;
    if (!this.#isStatementEnd(inParens ? place + 2 : place + 1)) return null;
    const token = this.#tokens[place];
    if (token?.kind === 'number') return /^\d{1,9}$/.test(token.text) ? String(Number(token.text)) : null;
    return token?.kind === 'string' ? (token.value ?? null) : null;
  }

  #pipe(at: number, inPrint: boolean): void {
    const isInput = this.#is(at + 1, 'getline');
    // It is uncertain whether `print x, "c" | getline` runs c or writes to a command.
    const command = !isInput ? this.#textAfter(at) : inPrint ? null : this.#textBefore(at);
    if (command !== null && INET.test(command)) this.#network.add(command);
    else if (isInput) this.#executes.add(command);
    else this.#pipesTo.add(command);
  }

  /** The command of `"command" | getline`, if an expression starts with it. */
  #textBefore(at: number): string | null {
    const inParens = this.#is(at - 1, ')') && this.#is(at - 3, '(');
    const place = inParens ? at - 2 : at - 1;
    const token = this.#tokens[place];
    const start = inParens ? place - 2 : place - 1;
    const before = this.#tokens[start];
    const begins =
      before === undefined ||
      before.kind === 'newline' ||
      before.endsHead === true ||
      this.#is(start, '{', '}', ';', '(', ',', '&&', '||', '=', 'else', 'do');
    return begins && token?.kind === 'string' ? (token.value ?? null) : null;
  }

  #getline(at: number): void {
    if (this.#is(at - 1, '|', '|&')) return;
    const after = this.#skipVariable(at + 1);
    if (!this.#is(after, '<')) return;
    const token = this.#tokens[after + 1];
    const ends =
      this.#isStatementEnd(after + 2) || this.#is(after + 2, ')', ',', '>', '<', '>=', '<=', '==', '!=', '&&', '||');
    const file = token?.kind === 'string' && ends ? (token.value ?? null) : null;
    if (file !== null && INET.test(file)) this.#network.add(file);
    else if (file === null || (file !== '-' && !STANDARD_STREAM.test(file))) this.#reads.add(file);
  }

  /** Skips the variable of `getline`: `name`, `name[…]`, `$…`. */
  #skipVariable(at: number): number {
    let index = at;
    while (this.#is(index, '$', '++', '--', '-', '+', '!')) index++;
    if (this.#is(index, '(')) index = this.#closing(index) + 1;
    else if (this.#tokens[index]?.kind === 'name' || this.#tokens[index]?.kind === 'number') index++;
    if (this.#is(index, '[')) index = this.#closing(index) + 1;
    while (this.#is(index, '++', '--')) index++;
    return index;
  }

  #write(file: string | null): void {
    if (file !== null && INET.test(file)) this.#network.add(file);
    else if (file === null || !OUTPUT_STREAM.test(file)) this.#writes.add(file);
  }

  /** `@include`, `@load`, `@namespace`, `@/typed regex/`, or an indirect call, which can call `system`. */
  #directive(at: number): void {
    const next = this.#tokens[at + 1];
    if (next?.kind === 'regex') return;
    const argument = this.#tokens[at + 2];
    if (this.#is(at + 1, 'namespace') && argument?.kind === 'string') return;
    if (this.#is(at + 1, 'include', 'load') && argument?.kind === 'string' && typeof argument.value === 'string') {
      this.#loads.add(argument.value);
      return;
    }
    this.#executes.add(null);
  }
}
