// The text in `Bash(…)` → words with wildcards, redirect operators, commas. Quotes are parsed as a shell parses them.
// Refuses operators, expansions and open quotes, with a hint how to write the rule.

export class Refusal {
  readonly why: string;
  readonly hint: string | null;
  constructor(why: string, hint: string | null = null) {
    this.why = why;
    this.hint = hint;
  }
}

/** `parts` are the texts between wildcards; `syntax` is the text as written if nothing in it was quoted. */
export interface Word {
  readonly parts: readonly string[];
  readonly syntax: string | null;
}
export type Token = Word | { readonly redirect: string } | { readonly comma: true };

const OPERATOR = /^(?:&>>?|[0-9]*(?:>>|>\||>&|<>|<&|>|<))/;

export function lex(body: string): Token[] | Refusal {
  const tokens: Token[] = [];
  let i = 0;
  while (i < body.length) {
    if (body[i] === ' ') {
      i++;
      continue;
    }
    const operator = OPERATOR.exec(body.slice(i, i + 8))?.[0];
    if (operator !== undefined) {
      tokens.push({ redirect: operator });
      i += operator.length;
      continue;
    }
    const word = lexWord(body, i);
    if (word instanceof Refusal) return word;
    i = word.end;
    // `a, b` separates exceptions; the comma inside `a,b` belongs to the word.
    const hasComma = word.syntax?.endsWith(',') === true;
    if (hasComma && word.syntax !== ',') tokens.push(withoutComma(word));
    if (hasComma) tokens.push({ comma: true });
    else tokens.push(word);
  }
  return joinCommas(tokens);
}

function withoutComma({ parts, syntax }: Word): Word {
  return {
    parts: [...parts.slice(0, -1), (parts.at(-1) as string).slice(0, -1)],
    syntax: (syntax as string).slice(0, -1),
  };
}

/** Before `except` a comma at the end of a word is part of it. */
function joinCommas(tokens: readonly Token[]): Token[] {
  const except = tokens.findIndex((token) => 'syntax' in token && token.syntax === 'except');
  const out: Token[] = [];
  for (const [i, token] of tokens.entries()) {
    const before = out.at(-1);
    if ('comma' in token && (except === -1 || i < except) && before !== undefined && 'parts' in before) {
      out.pop();
      const parts = [...before.parts.slice(0, -1), `${before.parts.at(-1)},`];
      out.push({ parts, syntax: before.syntax === null ? null : `${before.syntax},` });
    } else out.push(token);
  }
  return out;
}

function lexWord(body: string, start: number): (Word & { readonly end: number }) | Refusal {
  const parts = [''];
  let isQuoted = false;
  let i = start;
  const add = (text: string) => {
    parts[parts.length - 1] += text;
  };
  const star = () => {
    if (parts.length === 1 || parts.at(-1) !== '') parts.push('');
  };
  for (; i < body.length && body[i] !== ' '; i++) {
    const char = body[i] as string;
    if (char === '\\') {
      isQuoted = true;
      i++;
      if (i === body.length)
        return new Refusal('The rule ends in a backslash.', 'Write `\\\\` for a literal backslash.');
      add(body[i] as string);
    } else if (char === "'" || char === '"') {
      isQuoted = true;
      const end = quoteEnd(body, i);
      if (end === -1)
        return new Refusal(`A ${char} is not closed.`, 'Close the quote, or write a backslash before it.');
      for (let k = i + 1; k < end; k++) {
        const inner = body[k] as string;
        if (char === '"' && inner === '\\' && '"\\$`*'.includes(body[k + 1] as string)) add(body[++k] as string);
        else if (char === '"' && inner === '*') star();
        else if (char === '"' && (inner === '$' || inner === '`') && expandsAt(body, k)) return expansion(inner);
        else add(inner);
      }
      i = end;
    } else if (char === '*') star();
    else if (char === '$' && i === start && /^\$(?:HOME|\{HOME\})(?=[/ ]|$)/.test(body.slice(i))) {
      add('~');
      i += body[i + 1] === '{' ? 6 : 4;
    } else if ((char === '$' || char === '`') && expandsAt(body, i)) return expansion(char);
    else if ('|&;()'.includes(char)) return operatorRefusal(char);
    else if (char === '<' || char === '>') break;
    else if (char === '{' && /^\{[^{} ]*(?:,|\.\.)[^{} ]*\}/.test(body.slice(i, i + 500))) {
      return new Refusal('Braces are expanded before a rule is compared.', 'Write one rule for each word.');
    } else add(char);
  }
  return { parts, syntax: isQuoted ? null : body.slice(start, i).replace(/^\$(?:HOME|\{HOME\})/, '~'), end: i };
}

function quoteEnd(body: string, start: number): number {
  const quote = body[start];
  for (let i = start + 1; i < body.length; i++) {
    if (quote === '"' && body[i] === '\\') i++;
    else if (body[i] === quote) return i;
  }
  return -1;
}

function expandsAt(body: string, at: number): boolean {
  return body[at] === '`' || /[A-Za-z0-9_{(@*#?$!'"-]/.test(body[at + 1] ?? '');
}

function expansion(char: string): Refusal {
  return new Refusal(
    `A rule is compared with the words after expansion, so \`${char}\` could never match.`,
    'Write the value itself, or use single quotes if you mean the character.',
  );
}

function operatorRefusal(char: string): Refusal {
  if (char === '(' || char === ')') {
    return new Refusal('The parentheses are not balanced.', `Write \`\\${char}\` for a literal character.`);
  }
  return new Refusal(
    `A rule matches one simple command, so \`${char}\` could never match.`,
    'Write one rule for each command, or use single quotes if you mean the character.',
  );
}
