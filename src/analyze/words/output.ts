// A substitution → its possible output, if the programs in it print only numbers or hashes.
// Such output is safe where other text is not: in arithmetic, which evaluates names, and in words that may be options.

import type { AndOr, CommandNode, ParsedScript, Pipeline } from '../../parse/tree.ts';
import { OUTPUT_ROWS, type OutputForm, type OutputRow } from '../commands/outputs.ts';
import type { Draft } from '../effects/draft.ts';
import type { Recorder } from '../recorder.ts';
import { ANY, DIGITS, NUMBER, type Value } from '../state.ts';

export type Output = Exclude<OutputForm, 'same'> | 'any';

/** `mark`: the facts since then are those of the substitution. */
export function expandOutput(script: ParsedScript | undefined, recorder: Recorder, mark: number): Output {
  const [only, more] = script?.commands ?? [];
  if (only === undefined || more !== undefined || only.background === true) return 'any';
  const drafts = recorder.drafts.slice(mark);
  return outputOfNode(only.command, drafts);
}

/** The value of a variable that has such output. */
export function variableValue(output: Output): Value {
  if (output === 'count') return DIGITS;
  return output === 'number' ? NUMBER : ANY;
}

export function isNumeric(output: Output): boolean {
  return output === 'count' || output === 'number';
}

/** None of its words starts with `-`. */
export function isPlain(output: Output): boolean {
  return output === 'count' || output === 'hash';
}

function outputOfNode(node: AndOr | Pipeline | CommandNode, drafts: readonly Draft[]): Output {
  if (node.type === 'AndOr') {
    const outputs = node.commands.map((command) => outputOfNode(command, drafts));
    return outputs.reduce((a, b) => (a === b ? a : isNumeric(a) && isNumeric(b) ? 'number' : 'any'));
  }
  if (node.type === 'Pipeline') {
    if (node.operators.includes('|&')) return 'any';
    let output: Output = 'any';
    for (const command of node.commands) output = outputOfCommand(command, output, drafts);
    return output;
  }
  return outputOfCommand(node, 'any', drafts);
}

function outputOfCommand(node: CommandNode, input: Output, drafts: readonly Draft[]): Output {
  const own = drafts.filter(({ origin }) => origin === node);
  const outputs = new Set(own.map((draft) => outputOfDraft(draft, input)));
  const [output = 'any'] = outputs;
  return outputs.size === 1 ? output : 'any';
}

function outputOfDraft(draft: Draft, input: Output): Output {
  const { name, kind, invocation } = draft;
  if (name === null || kind === 'function' || kind === 'redirect' || !isUndisturbed(draft)) return 'any';
  if (name === 'echo')
    return draft.words.slice(1).every((word) => word.kind === 'literal' && /^\d+$/.test(word.value)) ? 'count' : 'any';
  if (name === 'awk') return isLineCount(draft) ? 'count' : 'any';
  const path = invocation?.path.join(' ') ?? '';
  const row = Object.hasOwn(OUTPUT_ROWS, path) ? OUTPUT_ROWS[path] : undefined;
  if (row === undefined || invocation === null || !invocation.isCertain || !fits(row, draft)) return 'any';
  return row.form === 'same' ? input : row.form;
}

/** The program is the one its name says, and its errors are not part of its output. */
function isUndisturbed({ unknown, elsewhere, assignments, redirects }: Draft): boolean {
  if (unknown.length > 0 || elsewhere !== null || assignments.length > 0) return false;
  return redirects.every(
    ({ kind, fd }) => kind === 'read' || kind === 'heredoc' || kind === 'herestring' || (kind === 'write' && fd === 2),
  );
}

function isLineCount({ words }: Draft): boolean {
  const [, program, ...files] = words;
  const isProgram = program?.kind === 'literal' && /^\s*END\s*\{\s*print\s+NR;?\s*\}\s*$/.test(program.value);
  return isProgram && files.every((word) => word.kind === 'literal' && !/^-|=/.test(word.value));
}

function fits(row: OutputRow, { invocation }: Draft): boolean {
  const { options = [], operands = [] } = invocation ?? {};
  const has = (list: string, names: readonly string[]) =>
    list === '*' || names.some((name) => list.split(' ').includes(name));
  if (row.needs !== undefined && !options.some(({ names }) => has(row.needs ?? '', names))) return false;
  if (!options.every(({ names }) => has(row.allows ?? '', names))) return false;
  const isValue = ([name, form]: readonly [string, RegExp]) =>
    options.every(({ names, value }) => !names.includes(name) || (value !== null && form.test(value)));
  if (!Object.entries(row.values ?? {}).every(isValue)) return false;
  const [least, most] = row.operands ?? [0, 0];
  if (operands.length < least || operands.length > most) return false;
  return operands.every((word) => word !== null && (row.looksLike === undefined || row.looksLike.test(word)));
}
