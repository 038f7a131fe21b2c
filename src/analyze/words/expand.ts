// Word → its expansion, in bash's order: braces, tilde, parameters, splitting, patterns, quotes.
// Runs substitutions through the machine. Returns `dynamic` for unknown values, never guesses.

import type { WordValue } from '../../core/facts.ts';
import { parseArgumentWord } from '../../parse/script.ts';
import type { CommandExpansionPart, ParsedScript, ProcessSubstitutionPart, Word, WordPart } from '../../parse/tree.ts';
import { type Expansion, type Scope, spanOf, UNKNOWN_STDIN, within } from '../machine.ts';
import { join } from '../state.ts';
import { evaluateArithmetic, mayFail } from './arithmetic.ts';
import { expandBraces } from './braces.ts';
import { findConfusable } from './confusable.ts';
import { Fields } from './fields.ts';
import { expandOutput, isPlain, type Output } from './output.ts';
import { expandParameter, expandSimple } from './parameters.ts';
import { expandTilde, type TildePlace } from './tilde.ts';
import { isSameInZsh } from './zsh.ts';

const PLAIN = /^[A-Za-z0-9_./:=,@%+^-]+$/;

/** An argument, a loop item, an array element: everything applies. */
export function expandArgument(word: Word, x: Expansion): readonly WordValue[] {
  const text = word.text;
  if (x.scope.shell === 'zsh' && !isSameInZsh(word)) {
    x.machine.recorder.cannotTell('dialect', 'zsh parses this word differently', spanOf(x.scope, word));
  }
  if (PLAIN.test(text)) return [{ kind: 'literal', value: text, span: spanOf(x.scope, word) }];
  const braces = mayHaveBraces(word) ? expandBraces(text) : null;
  // Some shells called sh expand braces, some do not.
  if (braces !== null && x.scope.shell === 'sh') return unknownBraces(word, x);
  if (braces === null) return expandFields(word, x, 'argument');
  if (braces === 'unknown') return unknownBraces(word, x);
  const words: WordValue[] = [];
  const span = spanOf(x.scope, word);
  for (const expanded of braces) {
    if (expanded === '') continue;
    const parsed = parseArgumentWord(expanded);
    if (parsed === null) return unknownBraces(word, x);
    const inner: Expansion = {
      machine: x.machine,
      scope: { ...x.scope, span, source: `: ${expanded}` },
      state: x.state,
    };
    const fields = expandFields(parsed, inner, 'argument');
    // A word that looks like an assignment only after brace expansion keeps its tilde; not worth following.
    if (/[=:]~/.test(expanded)) words.push({ kind: 'dynamic', head: '', many: true, span });
    else words.push(...fields);
    x.state = inner.state;
  }
  return words;
}

/** Bash looks for braces in the text of the word; quotes and `$( )` hide them from it, backquotes inside quotes do not. */
function mayHaveBraces(word: Word): boolean {
  if (!word.text.includes('{')) return false;
  const parts = word.parts;
  if (parts === undefined || word.text.includes('`')) return true;
  return parts.some((part) => (UNQUOTED.has(part.type) ? part.text.includes('{') : hasInnerQuotes(part)));
}

/** `"${x-"{a,b}"}"`: for brace expansion the second quote ends the first. */
function hasInnerQuotes(part: WordPart): boolean {
  if (part.type === 'ParameterExpansion') return part.text.includes('"');
  if (part.type !== 'DoubleQuoted' && part.type !== 'LocaleString') return false;
  return part.parts.some((inner) => inner.type === 'ParameterExpansion' && inner.text.includes('"'));
}

const UNQUOTED: ReadonlySet<string> = new Set(['Literal', 'Glob', 'BraceExpansion', 'ExtendedGlob']);

function unknownBraces(word: Word, x: Expansion): readonly WordValue[] {
  if (/[$`]|[<>]\(/.test(word.text)) {
    // Braces are expanded as text, before substitutions are parsed: they may change their content.
    const message = 'braces that are not expanded are next to an expansion';
    x.machine.recorder.cannotTell('unsupported-syntax', message, spanOf(x.scope, word));
  }
  visitForEffects(word, x);
  return [{ kind: 'dynamic', head: '', many: true, span: spanOf(x.scope, word) }];
}

/** The value of an assignment, a redirect's target, a case word: one value, neither split nor globbed. */
export function expandValue(word: Word, x: Expansion, place: TildePlace = 'value'): WordValue {
  const words = expandFields(word, x, place);
  const only = words.length === 1 ? words[0] : undefined;
  const span = spanOf(x.scope, word);
  if (only?.kind === 'literal') return only;
  if (words.length === 0) return { kind: 'literal', value: '', span };
  return { kind: 'dynamic', head: only?.kind === 'dynamic' ? only.head : '', many: false, span };
}

/** Runs the substitutions in a word whose value is not needed. */
function visitForEffects(word: Word, x: Expansion): void {
  expandFields(word, x, 'none');
}

function expandFields(word: Word, x: Expansion, place: TildePlace): WordValue[] {
  const span = spanOf(x.scope, word);
  const fields = new Fields(span);
  const parts = word.parts;
  const confusable = findConfusable(word.text, parts);
  if (confusable) x.machine.recorder.cannotTell('confusable-character', confusable, span);
  if (parts === undefined) addBare(word, fields, x, place);
  else for (let i = 0; i < parts.length; i++) addPart(parts[i] as WordPart, parts, i, fields, x, place);
  return fields.finish();
}

function addBare(word: Word, fields: Fields, x: Expansion, place: TildePlace): void {
  if (word.text === '') return;
  if (!expandTilde(word.text, word.value, true, place, fields, x.state, x.scope.shell)) fields.literal(word.value);
}

function addPart(
  part: WordPart,
  parts: readonly WordPart[],
  i: number,
  fields: Fields,
  x: Expansion,
  place: TildePlace,
): void {
  const isQuoted = place !== 'argument';
  switch (part.type) {
    case 'Literal': {
      const atStart = i === 0;
      const isLast = i === parts.length - 1;
      const where = atStart ? place : place === 'value' ? 'continued-value' : 'none';
      if (!expandTilde(part.text, part.value, isLast, where, fields, x.state, x.scope.shell))
        fields.literal(part.value);
      return;
    }
    case 'Glob':
      part.parts?.forEach((inner, k) => {
        if (inner.type !== 'Literal') addPart(inner, part.parts ?? [], k, new Fields([0, 0]), x, 'none');
      });
      if (isQuoted) fields.literal(part.value);
      else if (part.parts?.some((inner) => inner.type !== 'Literal')) fields.unknownMany();
      else fields.pattern(part.value);
      return;
    case 'SingleQuoted':
    case 'AnsiCQuoted':
      if (part.type === 'AnsiCQuoted' && (x.scope.shell === 'sh' || makesBytes(part))) fields.unknown();
      else fields.literal(part.value);
      return;
    case 'DoubleQuoted':
      addQuoted(part.parts, fields, x);
      return;
    case 'LocaleString':
      addQuoted(part.parts, new Fields([0, 0]), x);
      fields.unknown();
      return;
    case 'SimpleExpansion':
      expandSimple(part, isQuoted, fields, x);
      return;
    case 'ParameterExpansion':
      expandParameter(part, isQuoted, fields, x, expandOperand);
      return;
    case 'CommandExpansion': {
      const isPlainOutput = isPlain(runSubstitution(part, '$( )', x));
      if (isQuoted) fields.unknown('', isPlainOutput);
      else fields.unknownMany('', isPlainOutput);
      return;
    }
    case 'ArithmeticExpansion':
      // Some shells called sh read `$[` as text, and the operators in it as shell operators.
      if (x.scope.shell === 'sh' && part.text.startsWith('$['))
        x.machine.recorder.cannotTell('dialect', '$[ ] means something else in sh', spanOf(x.scope, part));
      if (mayFail(part.expression, x)) x.machine.noteAbort(x.state);
      evaluateArithmetic(part.expression, x, expandOperand);
      if (mayFail(part.expression, x)) x.machine.noteAbort(x.state);
      if (isQuoted || x.state.splitting === 'default') fields.unknown();
      else fields.unknownMany();
      return;
    case 'ProcessSubstitution':
      runSubstitution(part, part.operator === '<' ? '<( )' : '>( )', x);
      fields.unknown('/dev/fd/');
      return;
    case 'ExtendedGlob':
      addExtendedGlob(part, fields, x, place);
      return;
    case 'BraceExpansion':
      part.parts?.forEach((inner, k) => {
        addPart(inner, part.parts ?? [], k, new Fields([0, 0]), x, 'none');
      });
      fields.unknownMany();
      return;
    default:
      part satisfies never;
  }
}

/** With extglob off, as it is in `bash -c`, `!(a)` or `a?(b)` in a command is a syntax error or another command. */
function addExtendedGlob(
  part: Extract<WordPart, { type: 'ExtendedGlob' }>,
  fields: Fields,
  x: Expansion,
  place: TildePlace,
): void {
  if (place !== 'none') {
    const message = 'extended patterns are parsed differently with and without extglob';
    x.machine.recorder.cannotTell('unsupported-syntax', message, spanOf(x.scope, part));
  }
  part.parts?.forEach((inner, k) => {
    addPart(inner, part.parts ?? [], k, new Fields([0, 0]), x, 'none');
  });
  fields.unknownMany();
}

function addQuoted(parts: readonly WordPart[], fields: Fields, x: Expansion): void {
  if (parts.length === 0) fields.literal('');
  for (let i = 0; i < parts.length; i++) {
    const part = parts[i] as WordPart;
    if (part.type === 'Literal') fields.literal(part.value);
    else if (part.type === 'SimpleExpansion') expandSimple(part, true, fields, x);
    else if (part.type === 'ParameterExpansion') expandParameter(part, true, fields, x, expandOperand);
    else addPart(part, parts, i, fields, x, 'none');
  }
}

/** A pattern, an operand of `[[ ]]` or of an expansion: no tilde, no splitting, no globbing. */
export function expandOperand(word: Word, x: Expansion): WordValue {
  return expandValue(word, x, 'none');
}

/** The text of a here-document or here-string: expanded like a double-quoted string. */
export function expandText(parts: readonly WordPart[] | undefined, text: string, x: Expansion): string | null {
  if (parts === undefined) return unescapeText(text);
  const fields = new Fields([0, 0]);
  for (const part of parts) {
    if (part.type === 'Literal') fields.literal(unescapeText(part.text));
    else addQuoted([part], fields, x);
  }
  const [only, more] = fields.finish();
  if (only === undefined) return '';
  return more === undefined && only.kind === 'literal' ? only.value : null;
}

/** In a here-document a backslash only hides `$`, a backquote, another backslash or a line break. */
function unescapeText(text: string): string {
  return text.includes('\\') ? text.replace(/\\([$`\\\n])/g, (_, char: string) => (char === '\n' ? '' : char)) : text;
}

function runSubstitution(part: CommandExpansionPart | ProcessSubstitutionPart, via: string, x: Expansion): Output {
  const script = part.script;
  if (script === undefined) {
    x.machine.recorder.cannotTell('syntax', 'a substitution cannot be parsed', spanOf(x.scope, part));
    return 'any';
  }
  const base: Scope = { ...within(x.scope, via), loops: [], callee: null };
  const stdin = via === '>( )' ? UNKNOWN_STDIN : base.stdin;
  const scope =
    script.source === undefined
      ? { ...base, stdin }
      : { ...base, stdin, source: script.source, span: spanOf(x.scope, part) };
  const mark = x.machine.recorder.mark();
  const flow = x.machine.runScript(script, x.state, scope);
  // `$(< f)` starts no subshell: side effects of its word stay.
  if (isFileRead(script)) x.state = join(x.state, join(flow.ok, flow.fail));
  return expandOutput(script, x.machine.recorder, mark);
}

function isFileRead(script: ParsedScript): boolean {
  const command = script.commands.length === 1 ? script.commands[0]?.command : undefined;
  return command?.type === 'Command' && command.name === undefined && command.redirects.length > 0;
}

/** `$'\xff'` is a byte, and `$'\u00e9'` depends on the locale: neither is a known character. */
function makesBytes(part: { readonly text: string; readonly value: string }): boolean {
  return part.text.includes('\\') && /[^\0-\x7f]/.test(part.value);
}
