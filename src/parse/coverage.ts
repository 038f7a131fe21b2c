// Script × source → the first place that the tree does not account for, or null.
// The parser is tolerant (`ls (` gives no error): every character must belong to a node or to a token that its parent
// is made of. Anything else means that bash reads the text in another way than we do.

import type { ParseProblem } from './problem.ts';
import { forEachChild, type HereDoc, type ParsedScript, type SyntaxNode, type Word } from './tree.ts';

/** What may stand between the children of a node, besides blanks, comments and here-document bodies. */
const BETWEEN: Readonly<Record<string, ReadonlySet<string>>> = {
  Script: tokens('; & \n'),
  CompoundList: tokens('; & \n'),
  Statement: tokens('; & \n'),
  AndOr: tokens('&& || \n'),
  Pipeline: tokens('| |& \n'),
  Command: tokens(''),
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
  Case: tokens('case in esac \n'),
  CaseItem: tokens('( ) | ;; ;& ;;& ; & \n'),
  Assignment: tokens(''),
};

function tokens(list: string): ReadonlySet<string> {
  return new Set(list.split(' ').filter((token) => token !== ''));
}

class Coverage {
  problem: ParseProblem | null = null;
  private depth = 0;
  /** Where each here-document body starts, and where its closing line ends. */
  private readonly bodies = new Map<number, number>();

  visit(node: SyntaxNode, source: string): void {
    if (this.problem) return;
    switch (node.type) {
      case 'Script':
        this.script(node, source);
        return;
      case 'HereDoc':
        this.hereDoc(node);
        forEachChild(node, (child) => this.visit(child, source));
        return;
      case 'Word':
        this.word(node, source);
        return;
      case 'Assignment':
        // `a=` and its subscript are lexed as one token; only the value has structure, and it goes up to the end.
        if (node.value.end !== node.end) this.fail('part of an assignment is not understood', node.value.end);
        forEachChild(node, (child) => this.visit(child, source));
        return;
      default: {
        const allowed = BETWEEN[node.type];
        if (allowed === undefined) forEachChild(node, (child) => this.visit(child, source));
        else this.children(node, allowed, source, node.pos, node.end);
      }
    }
  }

  private script(script: ParsedScript, outer: string): void {
    const error = script.errors?.[0];
    if (error) {
      this.fail(error.message, error.pos);
      return;
    }
    const source = script.source ?? outer;
    const allowed = BETWEEN.Script as ReadonlySet<string>;
    this.depth++;
    this.children(script, allowed, source, script.pos, script.end);
    this.depth--;
  }

  private children(node: SyntaxNode, allowed: ReadonlySet<string>, source: string, from: number, to: number): void {
    let cursor = from;
    forEachChild(node, (child) => {
      if (this.problem) return;
      this.gap(source, cursor, child.pos, allowed);
      this.visit(child, source);
      if (child.end > cursor) cursor = child.end;
    });
    this.gap(source, cursor, to, allowed);
  }

  private hereDoc(node: HereDoc): void {
    // Without its closing line inside the substitution, bash looks for the body after it.
    if (node.closing === undefined && this.depth > 1) this.fail('here-document that does not end', node.pos);
    if (node.delimiter === undefined) this.fail('here-document without a delimiter', node.pos);
    this.bodies.set(node.body.pos, node.closing?.end ?? node.body.end);
  }

  private word(word: Word, source: string): void {
    const parts = word.parts;
    if (parts === undefined) return;
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

  private gap(source: string, from: number, to: number, allowed: ReadonlySet<string>): void {
    let i = from;
    while (i < to && this.problem === null) {
      const char = source[i] as string;
      if (char === ' ' || char === '\t') i++;
      else if (char === '\\' && source[i + 1] === '\n') i += 2;
      else if (char === '\n') {
        if (!allowed.has('\n')) this.fail('unexpected line break', i);
        i = this.bodies.get(i + 1) ?? i + 1;
      } else if (char === '#') {
        while (i < to && source[i] !== '\n') i++;
      } else {
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

const OPERATOR = /[;&|]/;
const LETTER = /[a-z]/;

/** The longest run of one kind: a keyword, an operator made of `;&|`, or one character. */
function tokenAt(source: string, start: number, end: number): string {
  const kind = LETTER.test(source[start] as string) ? LETTER : OPERATOR;
  let i = start + 1;
  if (kind.test(source[start] as string)) while (i < end && kind.test(source[i] as string)) i++;
  return source.slice(start, i);
}

export function findUncovered(script: ParsedScript, source: string): ParseProblem | null {
  const coverage = new Coverage();
  coverage.visit(script, source);
  return coverage.problem;
}
