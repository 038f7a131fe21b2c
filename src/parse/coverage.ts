// Script × source → the first place that the tree does not cover, or null.
// The parser is tolerant (`ls (` gives no error): every character must belong to a node or to a token of its
// parent. Otherwise bash parses the text differently.

import { once } from '../core/values/once.ts';
import { describeParserError, type ParseProblem } from './problem.ts';
import {
  type Assignment,
  type Command,
  forEachChild,
  type HereDoc,
  type ParsedScript,
  type SyntaxNode,
  type Word,
} from './tree.ts';
import { mayStartWord } from './word-start.ts';

/** Tokens allowed between the children of a node, besides blanks, comments and here-document bodies. */
const BETWEEN: Readonly<Record<string, Tokens>> = {
  Script: tokens('; & \n'),
  CompoundList: tokens('; & \n'),
  Statement: tokens('; & \n'),
  AndOr: tokens('&& || \n'),
  Pipeline: tokens('| |& \n'),
  Redirected: tokens(''),
  If: tokens('if then else fi ; & \n'),
  Elif: tokens('elif then ; & \n'),
  For: tokens('for in do done { } ; & \n'),
  Select: tokens('select in do done { } ; & \n'),
  While: tokens('while until do done ; & \n'),
  Function: tokens('function ( ) () \n'),
  Coproc: tokens('coproc'),
  Subshell: tokens('( ) ; & \n'),
  BraceGroup: tokens('{ } ; & \n'),
  Case: tokens('case in esac ; & \n'),
  CaseItem: tokens('( ) | ;; ;& ;;& ; & \n'),
};

interface Tokens {
  has(token: string): boolean;
}

/** Created on first use: most commands consist of few kinds of nodes. */
function tokens(list: string): Tokens {
  const set = once(() => new Set(list.split(' ').filter((token) => token !== '')));
  return { has: (token) => set().has(token) };
}

const NOTHING: Tokens = { has: () => false };

/** Words that cannot contain anything hidden; the most common kind. */
const PLAIN_WORD = /^[A-Za-z0-9_./:=,@%+-]+$/;
const OPERATOR_INSIDE = /[<>()|&;]/;
const QUOTING = /["'`$]/;
/** A word without parts must not contain anything that bash would expand or unquote. */
const HIDDEN_EXPANSION = /["'`]|\$[A-Za-z0-9_({@*#?!$'"-]/;
const HIDDEN_IN_QUOTES = /["`]|\$[A-Za-z0-9_({@*#?!$'"-]/;
const ESCAPED = /\\[\s\S]/g;

class Coverage {
  problem: ParseProblem | null = null;
  private depth = 0;
  /** Depth of double quotes around this place, within the same script. */
  private quotes = 0;
  private statements = 0;
  /** Where each here-document body starts, and where its closing line ends. */
  private readonly bodies = new Map<number, number>();

  visit(node: SyntaxNode, source: string): void {
    if (this.problem) return;
    switch (node.type) {
      case 'Word':
        this.word(node, source);
        return;
      case 'Command':
        this.command(node, source);
        return;
      case 'DoubleQuoted':
        this.quotes++;
        for (const part of node.parts) if (part.type !== 'Literal') this.visit(part, source);
        this.quotes--;
        return;
      case 'Literal':
      case 'SingleQuoted':
      case 'SimpleExpansion':
        return;
      case 'Script':
        this.script(node, source);
        return;
      case 'ParameterExpansion':
        // Bash skips process substitutions here, even where they are only text.
        if (/[<>]\(/.test(node.text)) this.fail('a process substitution inside an expansion', node.pos);
        break;
      case 'CommandExpansion':
        // Between backquotes, a backslash before a line break is removed first, even inside single quotes.
        if (node.text.startsWith('`') && node.text.includes('\\\n'))
          this.fail('a continued line between backquotes', node.pos);
        break;
      case 'HereDoc':
        this.hereDoc(node);
        break;
      case 'Assignment':
        this.assignment(node);
        break;
      case 'Redirect':
        // Bash reads `>&-` as one token: text after it is another word.
        if (source.slice(node.pos, node.target?.pos ?? node.end).includes('\\\n')) {
          this.fail('a continued line inside a redirect', node.pos);
        }
        if (node.operator.endsWith('&') && /^-./.test(node.target?.text ?? '')) {
          this.fail('text after a closed descriptor', node.pos);
        }
        break;
      default: {
        if (node.type === 'Statement') this.statements++;
        const allowed = BETWEEN[node.type];
        if (allowed !== undefined) {
          const before = this.bodies.size;
          this.children(node, allowed, source);
          // Text that starts with `((` is parsed twice, and here-documents in it lose their quotes the second time.
          const isRead = node.type === 'Subshell' && source.startsWith('((', node.pos);
          if (isRead && this.bodies.size > before) this.fail('a here-document in a nested subshell', node.pos);
          return;
        }
      }
    }
    forEachChild(node, (child) => this.visit(child, source));
  }

  private script(script: ParsedScript, outer: string): void {
    const error = script.errors?.[0];
    if (error) {
      this.fail(describeParserError(error, script.source ?? outer), error.pos);
      return;
    }
    this.depth++;
    const { quotes } = this;
    this.quotes = 0;
    const before = this.bodies.size;
    const { statements } = this;
    this.children(script, BETWEEN.Script as Tokens, script.source ?? outer);
    this.depth--;
    this.quotes = quotes;
    // bash 5.2 reprints a substitution with a here-document and loses the `;` after it (`c1 a; c2` becomes one command).
    if (this.depth > 0 && this.bodies.size > before && this.statements - statements > 1) {
      this.fail('a here-document among several commands of a substitution', script.pos);
    }
  }

  private children(node: SyntaxNode, allowed: Tokens, source: string): void {
    let cursor = node.pos;
    forEachChild(node, (child) => {
      if (this.problem) return;
      this.gap(source, cursor, child.pos, allowed);
      this.visit(child, source);
      if (child.end > cursor) cursor = child.end;
    });
    this.gap(source, cursor, node.end, allowed);
  }

  /** The most frequent node, without callbacks. */
  private command(node: Command, source: string): void {
    let cursor = node.pos;
    for (const child of node.prefix) cursor = this.next(child, cursor, source);
    if (node.name) cursor = this.next(node.name, cursor, source);
    for (const child of node.suffix) cursor = this.next(child, cursor, source);
    this.gap(source, cursor, node.end, NOTHING);
  }

  private next(child: SyntaxNode, cursor: number, source: string): number {
    this.gap(source, cursor, child.pos, NOTHING);
    if (source.charCodeAt(child.pos - 1) === NEWLINE) this.separateLine(child, source);
    if (child.type === 'Word') this.separateWord(child, cursor, source);
    this.visit(child, source);
    return Math.max(child.end, cursor);
  }

  /** `3\⏎>f`: parts separated only by a line continuation are one token to bash. */
  private separateLine(child: SyntaxNode, source: string): void {
    let i = child.pos;
    while (source.charCodeAt(i - 1) === NEWLINE && source.charCodeAt(i - 2) === BACKSLASH) i -= 2;
    if (i !== child.pos && !mayStartWord(source, i)) {
      this.fail('a continued line between two words', child.pos);
    }
  }

  /** `$>(x)`, `5>(x)`: bash reads one word where the tree has two adjacent words, or an operator in a word. */
  private separateWord(word: Word, cursor: number, source: string): void {
    if (word.pos === cursor && !mayStartWord(source, word.pos)) {
      this.fail('two words that touch', word.pos);
    }
    if (
      OPERATOR_INSIDE.test(word.text) &&
      word.parts === undefined &&
      OPERATOR_INSIDE.test(word.text.replace(ESCAPED, ''))
    ) {
      this.fail('an operator inside a word', word.pos);
    }
  }

  /** `a=` and its subscript are lexed as one token; only the value has structure, and it extends to the end. */
  private assignment(node: Assignment): void {
    if (node.value.end !== node.end) this.fail('part of an assignment is not understood', node.value.end);
    if (node.value.type === 'Word' && node.value.text.startsWith('(')) this.fail('text after an array', node.pos);
    // bash 5.2 reprints a substitution before running it, and an array in it loses its backslashes.
    const isReprinted = this.depth > 1 && node.value.type === 'ArrayValue';
    if (isReprinted && node.text.includes('\\')) this.fail('a backslash in an array inside a substitution', node.pos);
  }

  private hereDoc(node: HereDoc): void {
    // Without its closing line inside the substitution, bash looks for the body after it.
    if (node.closing === undefined && this.depth > 1) this.fail('here-document that does not end', node.pos);
    if (/[$`]/.test(node.delimiter?.text ?? ''))
      this.fail('an expansion in the delimiter of a here-document', node.pos);
    // Quotes inside `${ }` do not quote in a here-document.
    const isQuoted = node.delimiter?.quoted === true;
    if (!isQuoted && /\$\{[^}]*['"]/.test(node.body.text))
      this.fail('quotes in an expansion of a here-document', node.body.pos);
    // In an unquoted body a backslash before a line break is removed first, even where a substitution would keep it.
    const isContinued = !isQuoted && node.body.text.includes('\\\n');
    if (isContinued && /[$`]/.test(node.body.text)) this.fail('a continued line in a here-document', node.body.pos);
    if (node.delimiter === undefined) this.fail('here-document without a delimiter', node.pos);
    this.bodies.set(node.body.pos, node.closing?.end ?? node.body.end);
  }

  private word(word: Word, source: string): void {
    if (PLAIN_WORD.test(word.text)) return;
    const parts = word.parts;
    if (parts === undefined) {
      // Inside double quotes a single quote is text.
      const hidden = this.quotes > 0 ? HIDDEN_IN_QUOTES : HIDDEN_EXPANSION;
      if (QUOTING.test(word.text) && hidden.test(word.text.replace(ESCAPED, ''))) {
        this.fail('part of a word is not understood', word.pos);
      }
      return;
    }
    let cursor = word.pos;
    for (const part of parts) {
      if (part.pos !== cursor) {
        this.fail('part of a word is not understood', cursor);
        return;
      }
      cursor = part.end;
      this.visit(part, source);
    }
    if (cursor !== word.end) this.fail('part of a word is not understood', cursor);
  }

  private gap(source: string, from: number, to: number, allowed: Tokens): void {
    let i = from;
    while (i < to && this.problem === null) {
      const code = source.charCodeAt(i);
      if (code === BLANK || code === TAB) i++;
      else if (code === NEWLINE) {
        if (!allowed.has('\n')) this.fail('unexpected line break', i);
        i = this.bodies.get(i + 1) ?? i + 1;
      } else if (code === BACKSLASH && source.charCodeAt(i + 1) === NEWLINE) i += 2;
      else if (code === HASH) i = lineEnd(source, i, to);
      else {
        const token = tokenAt(source, i, to);
        if (!allowed.has(token)) this.fail(`unexpected '${token}'`, i);
        i += token.length;
      }
    }
  }

  private fail(message: string, pos: number): void {
    this.problem ??= { id: 'syntax', message, pos };
  }
}

const TAB = 9;
const NEWLINE = 10;
const BLANK = 32;
const HASH = 35;
const BACKSLASH = 92;

function lineEnd(source: string, from: number, to: number): number {
  const end = source.indexOf('\n', from);
  return end === -1 || end > to ? to : end;
}

/** Which characters form one token: letters make keywords, `;&|` make operators, all others are single. */
function kindOf(code: number): 'letter' | 'operator' | 'single' {
  if (code >= 97 && code <= 122) return 'letter';
  return code === 59 || code === 38 || code === 124 ? 'operator' : 'single';
}

function tokenAt(source: string, start: number, end: number): string {
  const kind = kindOf(source.charCodeAt(start));
  let i = start + 1;
  if (kind !== 'single') while (i < end && kindOf(source.charCodeAt(i)) === kind) i++;
  return source.slice(start, i);
}

export function findUncovered(script: ParsedScript, source: string): ParseProblem | null {
  const coverage = new Coverage();
  coverage.visit(script, source);
  return coverage.problem;
}
