// Text of a jq or yq program → the names that it calls, except fields and object keys.
// Finds `env` in `"\(env)"` and not in `.env` or `{env: 1}`.

const TOKEN =
  /#[^\n]*|"|[A-Za-z_][A-Za-z0-9_]*(?:::[A-Za-z_][A-Za-z0-9_]*)*|\$\s*[A-Za-z_][A-Za-z0-9_:]*|[0-9]+(?:\.[0-9]*)?|\.\.|[^\s]/y;

/** `null` if the text cannot be parsed: it ends inside a string or a bracket, or versions parse it differently. */
export function calledNames(program: string): ReadonlySet<string> | null {
  const names = new Set<string>();
  // Open brackets, and a quote for the string that an interpolation interrupts.
  const open: string[] = [];
  let previous = '';
  let position = 0;
  while (position < program.length) {
    TOKEN.lastIndex = position;
    const token = TOKEN.exec(program)?.[0];
    if (token === undefined) {
      position++;
      continue;
    }
    position += token.length;
    if (token.startsWith('#')) {
      // Newer versions let a backslash continue the comment, older ones do not.
      if (/\\\r?$/.test(token)) return null;
      continue;
    }
    const closesString = token === ')' && open.at(-1) === '"';
    if (token === '"' || closesString) {
      if (closesString) open.pop();
      const end = skipString(program, position);
      if (end === null) return null;
      position = end.position;
      if (end.interpolates) open.push('"');
      previous = end.interpolates ? '(' : '"';
      continue;
    }
    if (/[([{]/.test(token)) open.push(token);
    else if (/[)\]}]/.test(token)) {
      if (open.pop() === undefined) return null;
    } else if (/^[A-Za-z_$]/.test(token)) {
      const isKey = open.at(-1) === '{' && (previous === '{' || previous === ',');
      const isField = previous === '.' || (previous === '..' && !token.startsWith('$'));
      if (token.startsWith('$') || !(isKey || isField)) names.add(token.replace(/\s/g, ''));
    }
    previous = token;
  }
  return open.length === 0 ? names : null;
}

function skipString(text: string, start: number): { position: number; interpolates: boolean } | null {
  for (let i = start; i < text.length; i++) {
    if (text[i] === '"') return { position: i + 1, interpolates: false };
    if (text[i] !== '\\') continue;
    if (text[i + 1] === '(') return { position: i + 2, interpolates: true };
    i++;
  }
  return null;
}
