// git config: one operand reads, two write, unless an option or the first word decides (git-config(1)).
// A setting that runs code is a change that a later git command turns into an execution.

import type { WordValue } from '../../../core/facts.ts';
import { type EffectSink, literal, type ParsedArguments, type ProgramAnalyser } from '../program.ts';
import { afterHead, headOf, isOneWord } from '../words/wrapper-words.ts';
import { judgeSetting } from './git-config-keys.ts';

const WRITES = '--add --replace-all --unset --unset-all --rename-section --remove-section -e --edit';
const READS = '--get --get-all --get-regexp --get-urlmatch --get-color --get-colorbool -l --list';
// Since git 2.46 the action may be a word; before, these words are keys without a section, which fail.
const READ_WORDS = new Set(['get', 'list']);
const WRITE_WORDS = new Set(['set', 'unset', 'rename-section', 'remove-section', 'edit']);

/** The action if it is a word; its own options follow it. */
function actionOf(args: ParsedArguments): string | null {
  const action = literal(args.operands[0]);
  return action !== null && (READ_WORDS.has(action) || WRITE_WORDS.has(action)) ? action : null;
}

function isWrite(args: ParsedArguments, action: string | null): boolean {
  if (args.has(WRITES)) return true;
  if (args.has(READS)) return false;
  if (action !== null) return WRITE_WORDS.has(action);
  const [first] = args.operands;
  return args.operands.length > 1 || (first !== undefined && !isOneWord(first));
}

function scopeOf(args: ParsedArguments): string {
  const has = (name: string): boolean => args.words.some((word) => literal(word) === name);
  if (has('--system')) return "the system's git configuration";
  return has('--global') ? "the user's git configuration" : "the repository's git configuration";
}

function fileOf(args: ParsedArguments): WordValue | undefined {
  const at = args.operands.findIndex((word) => ['-f', '--file'].includes(literal(word) ?? ''));
  const attached = args.operands.find((word) => headOf(word).startsWith('--file='));
  return (
    args.value('-f') ?? args.value('--file') ?? (at < 0 ? attached && afterHead(attached, 7) : args.operands[at + 1])
  );
}

function reportWrite(args: ParsedArguments, action: string | null, sink: EffectSink): void {
  sink.changes(`change ${scopeOf(args)}`);
  if (args.has('-e --edit') || action === 'edit') sink.executes('program', null);
  if (args.has('--unset --unset-all --remove-section -e --edit')) return;
  if (action !== null && action !== 'set' && action !== 'rename-section') return;
  const words =
    action === null ? args.operands : args.operands.slice(1).filter((word) => !headOf(word).startsWith('-'));
  const [key, value] = words;
  if (key !== undefined) reportSetting(key, value, sink);
}

function reportSetting(key: WordValue, value: WordValue | undefined, sink: EffectSink): void {
  const name = literal(key);
  if (name === null) {
    sink.executes('hook', value ?? null);
    return;
  }
  const effect = judgeSetting(name, value ?? null);
  if (effect === 'harmless' || effect === 'unknown' || effect === 'network') return;
  // An alias without `!` only refers to another git command.
  if (effect === 'alias' && literal(value)?.startsWith('!') === false) return;
  sink.executes('hook', value ?? null);
}

export const gitConfig: ProgramAnalyser = (args, sink) => {
  if (args.has('-h --help')) return;
  const action = actionOf(args);
  const file = fileOf(args);
  const writes = isWrite(args, action);
  if (file !== undefined) sink.path(writes ? 'edit' : 'read', file);
  if (writes) reportWrite(args, action, sink);
};
