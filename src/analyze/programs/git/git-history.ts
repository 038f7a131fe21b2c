// Git's commands that show history, differences and matches: the files they name, and formats that call gpg.
// The table has applied the options with their own effects (--output, --ext-diff).

import type { WordValue } from '../../../core/facts.ts';
import { type EffectSink, literal, literalWord, type ParsedArguments, type ProgramAnalyser } from '../program.ts';
import { here, isRevision, isShapedLikePath, pathspec, separate } from './git-words.ts';

// `%G?` and `%(signature)` verify signatures, which runs gpg.program (pretty formats, git-for-each-ref(1)).
const VERIFIES = /%[-+ ]?G|signature/;

export function isFormatHarmless(word: WordValue | null): boolean {
  const text = word === null ? '' : literal(word);
  return text !== null && !VERIFIES.test(text);
}

function checkFormats(args: ParsedArguments, sink: EffectSink): void {
  for (const option of args.options) {
    if (!['--pretty', '--format', '--sort'].includes(option.name)) continue;
    if (!isFormatHarmless(option.value)) sink.executes('hook', option.value);
  }
}

// An option unknown to an older git leaves its value as a separate word, which may be parsed as an option.
const SWALLOWED = /^--(output|ext-diff|textconv|show-signature|remerge-diff)/;

function checkSwallowed(args: ParsedArguments, sink: EffectSink): void {
  for (const option of args.options) {
    if (SWALLOWED.test(literal(option.value ?? undefined) ?? ''))
      sink.unknown(`${option.name} has an option as its value`);
  }
}

// A remerge repeats merges, with the merge drivers that the configuration names.
const PLAIN_MERGE_DIFFS = /^(off|none|on|first-parent|1|separate|m|combined|c|dense-combined|cc)$/;

function checkOptions(args: ParsedArguments, sink: EffectSink): void {
  checkFormats(args, sink);
  checkMergeDiffs(args, sink);
  checkSwallowed(args, sink);
}

function checkMergeDiffs(args: ParsedArguments, sink: EffectSink): void {
  for (const option of args.options) {
    if (option.name !== '--diff-merges') continue;
    const kind = literal(option.value ?? undefined);
    if (kind === null || !PLAIN_MERGE_DIFFS.test(kind)) sink.executes('hook', option.value);
  }
}

function read(words: readonly WordValue[], sink: EffectSink): void {
  for (const word of words) {
    const path = pathspec(word);
    if (path !== null) sink.path('read', path);
  }
}

// `-L 10,20:f` and `-L :name:f`; blame's `-L 10,20` names no file.
function readLineRanges(args: ParsedArguments, sink: EffectSink): void {
  for (const option of args.options) {
    const range = option.name === '-L' ? literal(option.value ?? undefined) : null;
    const file = range === null ? null : /^(?::[^:]*|[^:]+):(.+)$/.exec(range)?.[1];
    if (file && option.value !== null) sink.path('read', literalWord(file, option.value));
  }
}

/** Commands that only read the recorded history: their paths narrow it. */
export const gitHistory: ProgramAnalyser = (args, sink) => {
  checkOptions(args, sink);
  readLineRanges(args, sink);
  const { before, after, separated } = separate(args);
  read(after, sink);
  if (!separated)
    read(
      before.filter((word) => word.kind === 'pattern' || isShapedLikePath(literal(word) ?? '')),
      sink,
    );
};

/** Commands that read the work tree or, outside one, any file. */
export const gitDiff: ProgramAnalyser = (args, sink) => {
  checkOptions(args, sink);
  const { before, after, separated } = separate(args);
  read(after, sink);
  const plainFiles = args.has('--no-index');
  if (separated && !plainFiles) return;
  read(
    before.filter((word) => plainFiles || !isRevision(literal(word) ?? '')),
    sink,
  );
};

export const gitFormat: ProgramAnalyser = checkFormats;

export const gitGrep: ProgramAnalyser = (args, sink) => {
  if (args.has('-O --open-files-in-pager')) sink.executes('program', args.value('-O') ?? null);
  const { before, after, separated } = separate(args);
  read(after, sink);
  if (separated && !args.has('--no-index')) return;
  const paths = args.has('-e -f') ? before : before.slice(1);
  read(
    paths.filter((word) => !isRevision(literal(word) ?? '')),
    sink,
  );
};

const REFLOG_CHANGES = ['expire', 'delete', 'drop', 'write'];

export const gitReflog: ProgramAnalyser = (args, sink) => {
  checkOptions(args, sink);
  const first = args.operands[0];
  if (first === undefined) return;
  const may = (action: string): boolean =>
    first.kind === 'literal' ? first.value === action : action.startsWith(first.head);
  if (REFLOG_CHANGES.some(may)) sink.changes('change the reflog');
};

export const gitFormatPatch: ProgramAnalyser = (args, sink) => {
  gitHistory(args, sink);
  if (args.has('--stdout --output -o --output-directory -h --help')) return;
  sink.path('write', here(args), { recursive: true });
};
