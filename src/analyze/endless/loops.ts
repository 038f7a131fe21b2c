// A loop → whether it provably ends, whether it can be left, whether it waits, and its number of iterations.
// Refuses to guess: an unknown number of iterations is infinite.

import {
  type ArithmeticExpression,
  type ArithmeticFor,
  type Command,
  type CommandNode,
  type CompoundList,
  type For,
  forEachChild,
  type Select,
  type Statement,
  type SyntaxNode,
  type While,
  type Word,
} from '../../parse/tree.ts';
import { expandBraces } from '../words/braces.ts';

/**
 * - `endless` its condition never changes
 * - `outside` a program, a file or another process decides
 * - `input` it reads a line in each iteration
 * - `counted` a compared value changes in the loop, or the loop is left from inside
 */
export type LoopKind = 'endless' | 'outside' | 'input' | 'counted';

export function kindOfWhile(loop: While): LoopKind {
  const last = loop.clause.commands.at(-1);
  if (last === undefined) return 'counted';
  const parts = partsOf(last.command);
  const kinds = parts.map(({ node, isNegated }) => kindOfCondition(node, isNegated, loop));
  const isOnly = kinds.length === 1 || kinds.every((kind) => kind === 'endless');
  if (kinds.includes('counted') || isLeft(loop.body, loop.clause)) return 'counted';
  if (kinds.includes('input')) return 'input';
  return isOnly ? (kinds[0] as LoopKind) : 'outside';
}

export function kindOfArithmeticFor(loop: ArithmeticFor): LoopKind {
  if (isLeft(loop.body)) return 'counted';
  const { test } = loop;
  if (test === undefined || (test.type === 'ArithmeticWord' && /^[1-9]\d*$/.test(test.value))) return 'endless';
  const names = namesIn(test);
  const isChanged = [loop.test, loop.update, loop.body].some((node) => node !== undefined && changes(node, names));
  return isChanged ? 'counted' : 'endless';
}

interface Part {
  readonly node: CommandNode;
  readonly isNegated: boolean;
}

function partsOf(node: Statement['command']): readonly Part[] {
  if (node.type === 'AndOr') return node.commands.flatMap(partsOf);
  if (node.type !== 'Pipeline') return [{ node, isNegated: false }];
  const last = node.commands.at(-1);
  const isNegated = node.prefixes.filter(({ type }) => type === 'Negation').length % 2 === 1;
  return last === undefined ? [] : [{ node: last, isNegated }];
}

const CHANGES_BY_ITSELF = /^(?:RANDOM|SRANDOM|SECONDS|EPOCHSECONDS|EPOCHREALTIME|LINENO|\?|!|_)$/;
const FILE_TEST = /(?:^|\s)-[a-hkprstuwxGLNOS](?=\s)|\s-(?:nt|ot|ef)\s/;

function kindOfCondition(node: CommandNode, isNegated: boolean, loop: While): LoopKind {
  if (node.type === 'Redirected') return kindOfCondition(node.command, isNegated, loop);
  if (node.type === 'BraceGroup' || node.type === 'Subshell') return 'outside';
  const name = node.type === 'Command' ? node.name?.text : undefined;
  if (name === 'read' || name === 'mapfile' || name === 'readarray' || name === 'select') return 'input';
  if (name === 'getopts') return 'counted';
  // `until true`, `while false`: no iteration, or one.
  const runsOn = (value: boolean): LoopKind =>
    (value !== isNegated) === (loop.kind === 'while') ? 'endless' : 'counted';
  if (name === ':' || name === 'true') return runsOn(true);
  if (name === 'false') return runsOn(false);
  const isTest = name === '[' || name === 'test' || node.type === 'TestCommand' || node.type === 'ArithmeticCommand';
  if (!isTest) return 'outside';
  const names = namesIn(node);
  if (names.some((each) => CHANGES_BY_ITSELF.test(each))) return 'counted';
  if ([loop.clause, loop.body].some((part) => changes(part, names))) return 'counted';
  if (hasSubstitution(node) || FILE_TEST.test(textOf(node))) return 'outside';
  if (names.length > 0) return 'endless';
  const [only, more] = node.type === 'Command' ? node.args.filter(({ text }) => text !== ']') : [];
  return only !== undefined && more === undefined ? runsOn(true) : 'endless';
}

function textOf(node: SyntaxNode): string {
  if (node.type === 'Command') return [node.name, ...node.args].map((word) => word?.text ?? '').join(' ');
  if (node.type === 'TestUnary') return ` ${node.operator} x`;
  if (node.type === 'TestBinary') return `x ${node.operator} x`;
  const texts: string[] = [];
  forEachChild(node, (child) => void texts.push(textOf(child)));
  return texts.join(' ');
}

/** Names of variables whose values matter. */
function namesIn(node: SyntaxNode): readonly string[] {
  const names: string[] = [];
  const collect = (each: SyntaxNode): void => {
    if (each.type === 'SimpleExpansion') names.push(each.text.slice(1));
    else if (each.type === 'ParameterExpansion') names.push(each.parameter);
    else if (each.type === 'ArithmeticWord') names.push(...(each.value.match(/[A-Za-z_]\w*/g) ?? []));
    if (each.type !== 'CommandExpansion') forEachChild(each, collect);
  };
  collect(node);
  return names;
}

function hasSubstitution(node: SyntaxNode): boolean {
  let found = node.type === 'CommandExpansion' || node.type === 'ArithmeticCommandExpansion';
  forEachChild(node, (child) => {
    if (!found) found = hasSubstitution(child);
  });
  return found;
}

const POSITIONAL = /^(?:[#@*]|\d+)$/;

/** Something in it assigns one of these. */
function changes(node: SyntaxNode, names: readonly string[]): boolean {
  if (names.length === 0) return false;
  let found = false;
  const isOne = (name: string) => names.includes(name.replace(/\[.*/s, ''));
  const visit = (each: SyntaxNode): void => {
    if (found) return;
    if (each.type === 'Assignment') found = isOne(each.name);
    else if (each.type === 'For' || each.type === 'Select') found = isOne(each.name.value);
    else if (each.type === 'ArithmeticUnary')
      found = /^(?:\+\+|--)$/.test(each.operator) && assigns(each.operand, isOne);
    else if (each.type === 'ArithmeticBinary')
      found = /^(?:[-+*/%&^|]|<<|>>)?=$/.test(each.operator) && assigns(each.left, isOne);
    else if (each.type === 'ParameterExpansion') found = each.operation?.type === 'Default' && isOne(each.parameter);
    else if (each.type === 'Command') found = changesByName(each, names, isOne);
    if (!found) forEachChild(each, visit);
  };
  visit(node);
  return found;
}

function assigns(target: ArithmeticExpression, isOne: (name: string) => boolean): boolean {
  return target.type === 'ArithmeticWord' && isOne(target.value);
}

function changesByName(command: Command, names: readonly string[], isOne: (name: string) => boolean): boolean {
  const words = command.args.map(({ text }) => text.replace(/["']/g, ''));
  switch (command.name?.text) {
    case 'shift':
    case 'set':
      return names.some((name) => POSITIONAL.test(name));
    case 'let':
    case 'read':
    case 'mapfile':
    case 'readarray':
    case 'printf':
    case 'unset':
    case 'declare':
    case 'local':
    case 'getopts':
      return words.some((word) => (word.match(/[A-Za-z_]\w*/g) ?? []).some(isOne)) || isOne('REPLY');
    case 'eval':
    case 'source':
    case '.':
      return true;
    case 'cd':
    case 'pushd':
    case 'popd':
      return isOne('PWD') || isOne('OLDPWD');
    default:
      return false;
  }
}

/** `break`, `exit` or `return` somewhere in the body, in the same shell. */
function isLeft(...lists: readonly CompoundList[]): boolean {
  let found = false;
  const visit = (node: SyntaxNode, depth: number): void => {
    if (found || node.type === 'Subshell' || node.type === 'Function' || node.type === 'Word') return;
    if (node.type === 'Statement' && node.background === true) return;
    if (node.type === 'Pipeline' && node.commands.length > 1) return;
    if (node.type === 'Command') {
      const name = node.name?.text;
      const count = Number(node.args[0]?.text ?? '1');
      if (name === 'exit' || name === 'return' || name === 'exec') found = true;
      if (name === 'break') found = !(count <= depth);
      return;
    }
    const isLoop = ['While', 'For', 'Select', 'ArithmeticFor'].includes(node.type);
    forEachChild(node, (child) => visit(child, depth + (isLoop ? 1 : 0)));
  };
  for (const list of lists) visit(list, 0);
  return found;
}

/** `break` as a statement of the body itself: there is one iteration. */
export function hasOneRound({ commands }: CompoundList): boolean {
  return commands.some(({ command }) => command.type === 'Command' && command.name?.text === 'break');
}

/** Every word of a list with a known length; infinite if one is unknown. `countOutput` counts the words of `$( )`. */
export function countItems(loop: For | Select, countOutput: (word: Word) => number): number {
  return (loop.wordlist ?? [undefined]).reduce(
    (sum, word) => sum + (word ? countWords(word, countOutput) : Infinity),
    0,
  );
}

function countWords(word: Word, countOutput: (word: Word) => number): number {
  const braces = expandBraces(word.text);
  if (braces === 'unknown') return Infinity;
  const each = (word.parts ?? []).reduce((most, part) => {
    if (part.type === 'CommandExpansion') return Math.max(most, countOutput(word));
    const isMany =
      part.type === 'Glob' ||
      part.type === 'ExtendedGlob' ||
      part.type === 'SimpleExpansion' ||
      part.type === 'ParameterExpansion' ||
      (part.type === 'DoubleQuoted' && /\$@|\[@\]/.test(part.text));
    return isMany ? Infinity : most;
  }, 1);
  return each * (braces?.length ?? 1);
}

/** `for ((i = 0; i < 10; i++))`; infinite for any other form. */
export function countRounds({ initialize, test, update }: ArithmeticFor): number {
  const start = initialize?.type === 'ArithmeticBinary' && initialize.operator === '=' ? initialize : undefined;
  const name = start?.left.type === 'ArithmeticWord' ? start.left.value : undefined;
  const from = numberOf(start?.right);
  if (name === undefined || test?.type !== 'ArithmeticBinary') return Infinity;
  const isName = (node: ArithmeticExpression) => node.type === 'ArithmeticWord' && node.value === name;
  const to = isName(test.left) ? numberOf(test.right) : Number.NaN;
  const isStep = update?.type === 'ArithmeticUnary' && isName(update.operand) && /^(?:\+\+|--)$/.test(update.operator);
  const isSum = update?.type === 'ArithmeticBinary' && isName(update.left) && /^[-+]=$/.test(update.operator);
  const step = isStep ? 1 : isSum ? numberOf(update.right) : Number.NaN;
  const sign = (isStep || isSum) && update.operator.startsWith('-') ? -1 : 1;
  if (!/^[<>]=?$/.test(test.operator) || test.operator.startsWith('<') !== sign > 0 || !(step > 0)) return Infinity;
  const count = Math.floor(((to - from) * sign) / step) + 1;
  return Number.isNaN(count) ? Infinity : Math.max(0, count);
}

function numberOf(node: ArithmeticExpression | undefined): number {
  return node?.type === 'ArithmeticWord' && /^\d+$/.test(node.value) ? Number(node.value) : Number.NaN;
}
