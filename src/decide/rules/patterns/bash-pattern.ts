// The text in `Bash(…)` → words, wildcards, flags, path scope, redirects. Quotes are parsed as a shell parses them.
// Refuses text that could never match one simple command: operators, expansions, open quotes.

import { type PathPattern, parsePath } from './path-pattern.ts';
import { lex, Refusal, type Token, type Word } from './rule-words.ts';

export interface FlagCondition {
  readonly flag: string;
  readonly isWanted: boolean;
}

/** `end`: nothing follows. `any`: any words follow. `globs`: alternatives over the rest, joined; a star between two parts. */
export type Tail =
  | { readonly kind: 'end' }
  | { readonly kind: 'any' }
  | { readonly kind: 'globs'; readonly globs: readonly (readonly string[])[] };

export interface BashPattern {
  readonly assignments: readonly { readonly name: string; readonly value: string | null }[];
  /** Literal words before the first wildcard. */
  readonly words: readonly string[];
  readonly tail: Tail;
  readonly flags: readonly FlagCondition[];
  /** Every path must be inside it. */
  readonly scope: PathPattern | null;
  /**
   * `x/*` is a wildcard as in other tools, and a scope for commands that touch paths (`rm build/*`, but not
   * `git push origin topic/*`). This is the same pattern as a scope alone; a ban matches by either.
   */
  readonly scoped: BashPattern | null;
  readonly redirects: readonly { readonly direction: 'in' | 'out'; readonly path: PathPattern }[];
}

export interface BashRule {
  readonly pattern: BashPattern;
  readonly except: readonly BashPattern[];
}

/** Separates joined words: no word can contain it. */
export const BETWEEN = '\u0000';

export function parseBash(body: string): BashRule | Refusal {
  const tokens = lex(body);
  if (tokens instanceof Refusal) return tokens;
  const groups: Token[][] = [[]];
  for (const token of tokens) {
    const group = groups.at(-1) as Token[];
    if ('syntax' in token && token.syntax === 'except' && groups.length === 1 && isOpenEnded(group)) groups.push([]);
    else if ('comma' in token && groups.length > 1) groups.push([]);
    else group.push('comma' in token ? { parts: [','], syntax: ',' } : token);
  }
  const patterns: BashPattern[] = [];
  for (const group of groups) {
    const pattern = parsePattern(group);
    if (pattern instanceof Refusal) return pattern;
    if (patterns.length > 0 && pattern.redirects.length > 0) {
      return new Refusal('An exception cannot name a redirect.', 'Write the redirect before `except`.');
    }
    patterns.push(pattern);
  }
  const [pattern, ...except] = patterns as [BashPattern, ...BashPattern[]];
  return { pattern, except };
}

/** An exception to an exact command would be meaningless, so there `except` is an ordinary word. */
function isOpenEnded(tokens: readonly Token[]): boolean {
  return tokens.some(
    (token) => 'parts' in token && (token.parts.length > 1 || (token.syntax !== null && FLAG.test(token.syntax))),
  );
}

const FLAG = /^([!+])(--?[A-Za-z0-9?@#][A-Za-z0-9_.-]*)(:\*)?$/;
const ASSIGNMENT = /^([A-Za-z_][A-Za-z0-9_]*)=/;
// Not `https://…/*`, `@types/*`, `--out=x/*`: those are words, not paths.
const SCOPE = /^(?![-@])[^:=]*$/;

function parsePattern(tokens: readonly Token[]): BashPattern | Refusal {
  const words: Word[] = [];
  const flags: FlagCondition[] = [];
  const redirects: BashPattern['redirects'][number][] = [];
  let isPrefix = false;
  for (let i = 0; i < tokens.length; i++) {
    const token = tokens[i] as Token;
    if ('comma' in token) continue;
    if ('redirect' in token) {
      const redirect = redirectOf(token.redirect, tokens[++i]);
      if (redirect instanceof Refusal) return redirect;
      if (redirect !== null) redirects.push(redirect);
      continue;
    }
    const flag = token.syntax === null ? null : FLAG.exec(token.syntax);
    if (flag !== null) {
      flags.push({ flag: flag[2] as string, isWanted: flag[1] === '+' });
      isPrefix = true;
      continue;
    }
    if (redirects.length > 0) {
      return new Refusal('There is a word after the redirect.', 'Write the redirect last: `Bash(echo:* > build/**)`.');
    }
    if (isPrefix) return new Refusal('`:*` is in the middle.', 'Write `:*` at the end, or ` * ` in the middle.');
    const stem = withoutPrefixMark(token);
    if (stem === null) words.push(token);
    else {
      isPrefix = true;
      if (stem.parts.length > 1 || stem.parts[0] !== '') words.push(stem);
    }
  }
  return assemble(words, flags, redirects, isPrefix);
}

/** `run:*` → `run`; `null` if the mark is missing. */
function withoutPrefixMark({ parts, syntax }: Word): Word | null {
  const before = parts.at(-2);
  if (parts.length < 2 || parts.at(-1) !== '' || before === undefined || !before.endsWith(':')) return null;
  if (syntax !== null && !syntax.endsWith(':*')) return null;
  return { parts: [...parts.slice(0, -2), before.slice(0, -1)], syntax: syntax?.slice(0, -2) ?? null };
}

function assemble(
  all: readonly Word[],
  flags: readonly FlagCondition[],
  redirects: BashPattern['redirects'],
  isPrefix: boolean,
): BashPattern | Refusal {
  const assignments: BashPattern['assignments'][number][] = [];
  let from = 0;
  for (const { parts } of all) {
    const name = ASSIGNMENT.exec(parts[0] as string)?.[1];
    if (name === undefined) break;
    const value = (parts[0] as string).slice(name.length + 1);
    if (parts.length > 1 && !(parts.length === 2 && value === '' && parts[1] === '')) {
      return new Refusal(
        'The value of a variable before the command must be complete, or `*`.',
        `Write \`${name}=*\`.`,
      );
    }
    assignments.push({ name, value: parts.length > 1 ? null : value });
    from++;
  }
  const words = all.slice(from);
  if (words.length === 0) {
    return new Refusal(
      'The rule does not name a command.',
      'Write `Bash` for every command, or name one: `Bash(git status)`.',
    );
  }
  const parts = { assignments, flags, redirects };
  const last = (words.at(-1) as Word).syntax;
  const isScope = words.length > 1 && last !== null && SCOPE.test(last) && /^\*\*$|\/\*\*?$/.test(last);
  if (!isScope) return { ...parts, ...wordsOf(words, isPrefix), scope: null, scoped: null };
  const isLoose = !last.endsWith('**');
  const parsed = parsePath(isLoose ? `${last}*` : last, 'word');
  if ('why' in parsed) return new Refusal(parsed.why, parsed.hint);
  const scope = parsed.path;
  const scoped = { ...parts, ...wordsOf(words.slice(0, -1), true), scope, scoped: null };
  return isLoose ? { ...parts, ...wordsOf(words, isPrefix), scope, scoped } : scoped;
}

function wordsOf(words: readonly Word[], isPrefix: boolean): Pick<BashPattern, 'words' | 'tail'> {
  const wild = words.findIndex(({ parts }) => parts.length > 1);
  const literal = (wild === -1 ? words : words.slice(0, wild)).map(({ parts }) => parts[0] as string);
  if (wild === -1) return { words: literal, tail: { kind: isPrefix ? 'any' : 'end' } };
  return { words: literal, tail: tailOf(words.slice(wild), isPrefix) };
}

function tailOf(words: readonly Word[], isPrefix: boolean): Tail {
  let rest = words;
  // A blank before the final star is a word boundary: `ls *` means `ls:*`.
  const last = words.at(-1) as Word;
  const isBoundary = isPrefix || (last.parts.length === 2 && last.parts[0] === '' && last.parts[1] === '');
  if (!isPrefix && isBoundary) rest = words.slice(0, -1);
  if (rest.length === 0) return { kind: 'any' };
  const parts: string[] = [];
  for (const [i, word] of rest.entries()) {
    for (const [k, part] of word.parts.entries()) {
      if (i > 0 && k === 0) parts.push(`${parts.pop() as string}${BETWEEN}${part}`);
      else parts.push(part);
    }
  }
  if (!isBoundary) return { kind: 'globs', globs: [parts] };
  return { kind: 'globs', globs: [parts, [...parts.slice(0, -1), `${parts.at(-1)}${BETWEEN}`, '']] };
}

const HARMLESS_TARGETS = new Set(['/dev/null', '/dev/stdout', '/dev/stderr', '/dev/tty', '/dev/fd/1', '/dev/fd/2']);

export function isHarmlessTarget(path: string): boolean {
  return HARMLESS_TARGETS.has(path);
}

/** `null` for one that does not affect files: `2>&1`. */
function redirectOf(operator: string, target: Token | undefined): BashPattern['redirects'][number] | null | Refusal {
  if (target === undefined || !('parts' in target)) {
    return new Refusal(`Nothing follows \`${operator}\`.`, 'Name the file or folder: `Bash(echo:* > build/**)`.');
  }
  const text = target.syntax ?? target.parts.map((part) => part.replace(/[\\*?[]/g, '\\$&')).join('*');
  if (operator.endsWith('&') && /^[0-9]+-?$|^-$/.test(text)) return null;
  if (isHarmlessTarget(text)) return null;
  const parsed = parsePath(text, 'word');
  if ('why' in parsed) return new Refusal(parsed.why, parsed.hint);
  return { direction: operator.includes('>') ? 'out' : 'in', path: parsed.path };
}
