// REQ-011: the command for display, without a redundant `cd <working folder> &&` in front.
// Works on the tree, so that text inside quotes is never mistaken for an operator.

import type { AndOr, ParsedScript, PipelineNode, Word } from '../parse/tree.ts';
import { foldPath } from './effects/paths.ts';

export function displayCommand(command: string, script: ParsedScript | null, folder: string | undefined): string {
  if (script === null || folder === undefined || !command.includes('cd')) return command;
  const [first, second] = script.commands;
  if (first === undefined || first.background) return command;
  const node = first.command;
  if (node.type === 'AndOr') {
    const [head, next] = node.commands;
    // `cd x || y`: the fallback belongs to the cd, so everything stays.
    if (head === undefined || next === undefined || node.operators[0] !== '&&' || !isRedundant(head, folder))
      return command;
    return command.slice(next.pos).trim();
  }
  if (second === undefined || !isRedundant(node, folder)) return command;
  const separator = command.slice(node.end, second.pos);
  return separator.includes(';') ? command.slice(second.pos).trim() : command;
}

function isRedundant(node: PipelineNode | AndOr, folder: string): boolean {
  if (node.type !== 'Command' || node.name?.text !== 'cd') return false;
  const target = node.suffix[0];
  if (node.prefix.length > 0 || node.suffix.length !== 1 || target?.type !== 'Word') return false;
  const path = literalText(target);
  return path !== null && foldPath(stripSlash(path)) === foldPath(stripSlash(folder));
}

function literalText(word: Word): string | null {
  if (word.parts === undefined) return word.text.startsWith('~') ? null : word.value;
  const isLiteral = word.parts.every(
    (part) =>
      part.type === 'Literal' ||
      part.type === 'SingleQuoted' ||
      (part.type === 'DoubleQuoted' && part.parts.every((inner) => inner.type === 'Literal')),
  );
  return isLiteral ? word.value : null;
}

function stripSlash(path: string): string {
  return path.length > 1 ? path.replace(/\/+$/, '') : path;
}
