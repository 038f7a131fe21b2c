// Script → its tokens in source order, for callers that show or highlight a command.

import { forEachChild, type SyntaxNode } from './tree.ts';

export type TokenKind = 'word' | 'assignment' | 'redirect' | 'heredoc-body' | 'syntax' | 'comment';

export interface Token {
  readonly kind: TokenKind;
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

const LEAVES: Readonly<Record<string, TokenKind>> = {
  Word: 'word',
  Assignment: 'assignment',
  Redirect: 'redirect',
  HereString: 'redirect',
};

export function listTokens(root: SyntaxNode, source: string): readonly Token[] {
  const leaves: Token[] = [];
  const collect = (node: SyntaxNode): void => {
    const kind = LEAVES[node.type];
    if (kind) leaves.push(token(kind, source, node.pos, node.end));
    else if (node.type === 'HereDoc') {
      leaves.push(token('redirect', source, node.pos, node.end));
      leaves.push(token('heredoc-body', source, node.body.pos, node.closing?.end ?? node.body.end));
    } else forEachChild(node, collect);
  };
  collect(root);
  leaves.sort((a, b) => a.start - b.start);
  return withSyntax(leaves, source);
}

function token(kind: TokenKind, source: string, start: number, end: number): Token {
  return { kind, text: source.slice(start, end), start, end };
}

const BETWEEN = /#[^\n]*|[;&|]+|[(){}!]|\[\[|\]\]|[^\s;&|(){}!\\#]+|\\./gs;

/** Operators, keywords and comments: the text between the leaves. */
function withSyntax(leaves: readonly Token[], source: string): readonly Token[] {
  const tokens: Token[] = [];
  let cursor = 0;
  const fill = (to: number): void => {
    for (const match of source.slice(cursor, to).matchAll(BETWEEN)) {
      const start = cursor + match.index;
      if (match[0] === '\\\n') continue;
      tokens.push(token(match[0].startsWith('#') ? 'comment' : 'syntax', source, start, start + match[0].length));
    }
  };
  for (const leaf of leaves) {
    if (leaf.start < cursor) continue;
    fill(leaf.start);
    tokens.push(leaf);
    cursor = leaf.end;
  }
  fill(source.length);
  return tokens;
}
