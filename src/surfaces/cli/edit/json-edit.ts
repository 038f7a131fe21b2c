// Text of a JSON file with comments → the same text with one value added, changed or removed. Everything else keeps its
// bytes, unlike with jsonc-parser's own edits: they also format the neighbors.
// Refuses a file that it cannot read, with line and column: a file that is not understood is not edited.

import { getNodeValue, type Node, type ParseError, parseTree, printParseErrorCode } from 'jsonc-parser';
import { BadFile, findSpot } from './bad-file.ts';

type Path = readonly (string | number)[];

/** The value at a path, `undefined` when there is none. Every step on the way must be of the kind that the path needs. */
export function readValue(text: string, path: Path): unknown {
  const { node, depth } = descend(text, path);
  return depth === path.length ? getNodeValue(node) : undefined;
}

/** The value at a path and its line; `null` if there is none, or if something else is on the way. */
export function findValue(text: string, path: Path): { readonly value: unknown; readonly line: number } | null {
  let node: Node | undefined = readTree(text);
  for (const key of path) node = node?.type === 'object' ? propertyOf(node, String(key)) : undefined;
  return node === undefined ? null : { value: getNodeValue(node), line: findSpot(text, node.offset).line };
}

/** Sets a value at a path; missing parents are created. A final index that does not exist yet appends an item. */
export function setValue(text: string, path: Path, value: unknown): string {
  const { node, depth } = descend(text, path);
  if (depth === path.length) {
    const shown = format(value, indentAt(text, node.offset), text);
    return splice(text, node.offset, node.offset + node.length, shown);
  }
  const nested = path.slice(depth + 1).reduceRight<unknown>((inner, key) => {
    return typeof key === 'number' ? [inner] : { [key]: inner };
  }, value);
  return insertChild(text, node, path[depth] as string | number, nested);
}

/** Removes the value at a path, with its comma. */
export function removeValue(text: string, path: Path): string {
  const { node, depth } = descend(text, path);
  if (depth < path.length) return text;
  const child = node.parent?.type === 'property' ? node.parent : node;
  const container = child.parent;
  if (container === undefined) return text;
  const siblings = container.children ?? [];
  const index = siblings.indexOf(child);
  const start = endOfInk(text, child.offset);
  const end = child.offset + child.length;
  const comma = findComma(text, end, container.offset + container.length - 1);
  if (comma !== -1) return splice(text, start, comma + 1, '');
  const before = siblings[index - 1];
  if (before === undefined) {
    // The only entry: only white space is left between the brackets.
    const close = container.offset + container.length - 1;
    return text.slice(end, close).trim() === '' && start === container.offset + 1
      ? splice(text, start, close, '')
      : splice(text, start, end, '');
  }
  const without = splice(text, start, end, '');
  const last = findComma(text, before.offset + before.length, child.offset);
  return last === -1 ? without : splice(without, last, last + 1, '');
}

function descend(text: string, path: Path): { node: Node; depth: number } {
  let node = readTree(text);
  for (const [depth, key] of path.entries()) {
    const wanted = typeof key === 'number' ? 'array' : 'object';
    if (node.type !== wanted) {
      const name = depth === 0 ? 'The file' : `"${path.slice(0, depth).join('.')}"`;
      throw new BadFile(`${name} is not ${wanted === 'array' ? 'a list' : 'an object'}.`, findSpot(text, node.offset));
    }
    const next = typeof key === 'number' ? node.children?.[key] : propertyOf(node, key);
    if (next === undefined) return { node, depth };
    node = next;
  }
  return { node, depth: path.length };
}

function propertyOf(node: Node, key: string): Node | undefined {
  // The last of several wins in all known readers.
  return node.children?.findLast((property) => property.children?.[0]?.value === key)?.children?.[1];
}

function insertChild(text: string, container: Node, key: string | number, value: unknown): string {
  const open = container.offset + 1;
  const close = container.offset + container.length - 1;
  const last = container.children?.at(-1);
  const outer = indentAt(text, container.offset);
  const eol = lineEnd(text);
  const name = typeof key === 'number' ? '' : `${JSON.stringify(key)}: `;
  if (last === undefined) {
    const inner = outer + unitOf(text);
    const kept = text.slice(open, close).trimEnd();
    return splice(text, open, close, `${kept}${eol}${inner}${name}${format(value, inner, text)}${eol}${outer}`);
  }
  const lastEnd = last.offset + last.length;
  const comma = findComma(text, lastEnd, close);
  if (!text.slice(container.offset, close).includes('\n')) {
    const child = name + JSON.stringify(value);
    return splice(text, lastEnd, comma === -1 ? lastEnd : comma + 1, `, ${child}${comma === -1 ? '' : ','}`);
  }
  const inner = indentAt(text, (container.children?.[0] ?? last).offset);
  // A comment after the last entry stays with it.
  const restOfLine = /^[^\n\r]*/.exec(text.slice(lastEnd, close))?.[0].trimEnd() ?? '';
  const at = Math.max(lastEnd + restOfLine.length, comma + 1);
  const child = `${eol}${inner}${name}${format(value, inner, text)}${comma === -1 ? '' : ','}`;
  const added = splice(text, at, at, at === close && !child.endsWith(eol) ? `${child}${eol}${outer}` : child);
  return comma === -1 ? splice(added, lastEnd, lastEnd, ',') : added;
}

/** The comma between two positions, not one in a comment; -1 if there is none. */
function findComma(text: string, from: number, to: number): number {
  const pattern = /\/\/[^\n]*|\/\*[\s\S]*?\*\/|,/g;
  pattern.lastIndex = from;
  for (let found = pattern.exec(text); found !== null && found.index < to; found = pattern.exec(text)) {
    if (found[0] === ',') return found.index;
  }
  return -1;
}

/** The end of what is printed before a place. */
function endOfInk(text: string, at: number): number {
  return text.slice(0, at).trimEnd().length;
}

function indentAt(text: string, at: number): string {
  const line = text.slice(text.lastIndexOf('\n', at - 1) + 1, at);
  return /^[ \t]*/.exec(line)?.[0] ?? '';
}

function format(value: unknown, indent: string, text: string): string {
  return JSON.stringify(value, null, unitOf(text)).replaceAll('\n', lineEnd(text) + indent);
}

function unitOf(text: string): string {
  return /^([ \t]+)\S/m.exec(text)?.[1] ?? '  ';
}

function lineEnd(text: string): string {
  return text.includes('\r\n') ? '\r\n' : '\n';
}

function splice(text: string, start: number, end: number, inner: string): string {
  return text.slice(0, start) + inner + text.slice(end);
}

function readTree(text: string): Node {
  const errors: ParseError[] = [];
  const root = parseTree(text, errors, { allowTrailingComma: true, disallowComments: false });
  const [first] = errors;
  if (first !== undefined || root === undefined) {
    const problem = first === undefined ? 'it is empty' : words(printParseErrorCode(first.error));
    throw new BadFile(`This is not valid JSON: ${problem}.`, findSpot(text, first?.offset ?? 0));
  }
  if (root.type !== 'object') throw new BadFile('The file is not an object.', findSpot(text, root.offset));
  return root;
}

/** `CommaExpected` → "comma expected". */
function words(code: string): string {
  return code.replace(/([a-z])([A-Z])/g, '$1 $2').toLowerCase();
}
