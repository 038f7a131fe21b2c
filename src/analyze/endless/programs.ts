// The text of a program in another language (awk, jq, sed, bc, dc) → whether it never ends, or keeps all of its input.
// Finds the usual forms; a program that ends only for some input is not found.

const IDENTIFIER = /[A-Za-z_]\w*/g;

/** Loops whose condition never changes, and functions that only call themselves. */
export function isEndlessAwk(text: string): boolean {
  const code = withoutStrings(text);
  if (/\b(?:break|exit|return)\b/.test(code)) return false;
  return conditionsOf(code).some((condition) => neverChanges(condition, code)) || hasBareRecursion(code);
}

/** `while (C)`, `do … while (C)`, `for (;C;)`; an empty condition is always true. */
function conditionsOf(code: string): readonly string[] {
  const conditions: string[] = [];
  for (const { 0: word, index } of code.matchAll(/\b(?:while|for)\s*\(/g)) {
    const start = index + word.length;
    const inner = code.slice(start, closing(code, start));
    if (word.startsWith('while')) conditions.push(inner);
    else {
      const parts = inner.split(';');
      if (parts.length === 3) conditions.push(parts[1] ?? '');
    }
  }
  return conditions;
}

function closing(code: string, start: number): number {
  let depth = 1;
  for (let at = start; at < code.length; at++) {
    if (code[at] === '(') depth++;
    else if (code[at] === ')' && --depth === 0) return at;
  }
  return code.length;
}

function neverChanges(condition: string, code: string): boolean {
  // A call, a field or a line that is read can end the loop.
  if (/[A-Za-z_]\w*\s*\(|[$]|\bgetline\b|\bin\b/.test(condition)) return false;
  const names = condition.replace(/"s?"/g, ' ').match(IDENTIFIER) ?? [];
  if (names.length === 0) return !/^\s*(?:0+(?:\.0*)?|""|!\s*[1-9]\d*)\s*$/.test(condition);
  const isChanged = (name: string) =>
    new RegExp(
      `\\b${name}\\b\\s*(?:\\[[^\\]]*\\]\\s*)?(?:=(?!=)|\\+\\+|--|[-+*/%^]=)|(?:\\+\\+|--)\\s*${name}\\b`,
    ).test(code);
  // These change their arguments, or variables of awk: `sub(a, b, x)`, `getline x`.
  return !names.some(isChanged) && !/\b(?:g?sub|split|getline|match|read)\b/.test(code);
}

function hasBareRecursion(code: string): boolean {
  const [, name, body] = /\bfunction\s+(\w+)\s*\([^)]*\)\s*\{([^{}]*)\}/.exec(code) ?? [];
  return name !== undefined && !/\bif\b|\?/.test(body ?? '') && new RegExp(`\\b${name}\\(`).test(body ?? '');
}

/** It adds to a value with each line, or prints nothing until the end. */
export function keepsInputInAwk(text: string): boolean {
  const code = withoutStrings(text);
  if (/\bEND\b/.test(code)) return true;
  if (/\b(\w+)\s*=\s*\1\s+(?:[\w$"(])|\w\s*\[[^\]]*\]\s*(?:=(?!=)|\+\+|[-+*/]=)/.test(code)) return true;
  return code.includes('{') && !/\bprintf?\b|\bgetline\b|[}]\s*1\b|\bsystem\b/.test(code);
}

function withoutStrings(text: string): string {
  return text.replace(/"(?:[^"\\]|\\.)*"/g, (each) => (each === '""' ? each : '"s"')).replace(/#.*$/gm, '');
}

const JQ_ENDS = /\b(?:limit|first|isempty|nth|any|all|select|if|input|inputs|label|error|halt)\b|\?\/\//;

export function isEndlessJq(text: string): boolean {
  const code = withoutStrings(text);
  if (JQ_ENDS.test(code)) return false;
  if (/\binfinite\b|\brepeat\b|\brange\(\s*(?:1e\d{2,}|\d{9,})/.test(code)) return !/\buntil\b/.test(code);
  if (/\bwhile\(\s*true\s*;|\buntil\(\s*false\s*;|\brecurse\(\s*\.\s*(?:[-+*/]\s*[\d.]+\s*)?\)/.test(code)) return true;
  const [, name, body] = /\bdef\s+(\w+)\s*(?:\([^)]*\))?\s*:([^;]*);/.exec(code) ?? [];
  return name !== undefined && new RegExp(`\\b${name}\\b`).test(body ?? '') && !/\.[\w[]/.test(body ?? '');
}

/** A jump back to a label without reading a line, or after a replacement that always succeeds. */
export function isEndlessSed(text: string): boolean {
  const commands = text.split(/[;\n]/).map((each) => each.trim());
  return commands.some((label, at) => {
    const name = /^:\s*([\w.-]+)$/.exec(label)?.[1];
    if (name === undefined) return false;
    const back = commands.findIndex((each, i) => i > at && /^[btT]\s*([\w.-]+)\s*\}?$/.exec(each)?.[1] === name);
    if (back === -1) return false;
    const between = commands.slice(at + 1, back);
    if (between.some((each) => /^(?:[\d$]+!?\s*|\/.*\/!?\s*)?[{\s]*[nNdDqQ]/.test(each))) return false;
    return commands[back]?.startsWith('b') === true || between.some((each) => /^s(.)(?:\^|\$|\^\^|)\1/.test(each));
  });
}

/** `while (1)`, `for (;;)`, and numbers with billions of digits. */
export function isEndlessCalculation(name: string, text: string): boolean {
  if (name === 'dc') return /\[[^\]]*l(.)x[^\]]*\]\s*s\1/.test(text) && !/[<>=]/.test(text);
  const isEndless = /\b(?:while|for)\b/.test(text) && isEndlessAwk(text.replace(/\bquit\b/g, 'exit'));
  return isEndless || /\d{2,}\s*\^\s*\d{8}|\d\s*\^\s*\d+\s*\^\s*\d+|\bscale\s*=\s*\d{7}/.test(text);
}
