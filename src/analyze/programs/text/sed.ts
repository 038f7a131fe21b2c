// sed: its script decides what is read, written and run; `-i` makes its operands edited files.
// Refuses to guess: a script that is not literal or cannot be parsed has unknown effects.

import type { WordValue } from '../../../core/facts.ts';
import { parseSedScript, type SedScript } from '../../languages/sed-script.ts';
import { type EffectSink, literal, literalWord, type ParsedArguments, type ProgramAnalyser } from '../program.ts';

interface ScriptPart {
  readonly word: WordValue;
  readonly isFile: boolean;
  /** sed compiles each part when it is read: later options do not apply to it. */
  readonly sandboxed: boolean;
  readonly extended: boolean;
}

const QUIET = ['-n', '--quiet', '--silent'];
const EXTENDED = ['-E', '-r', '--regexp-extended'];
/** Options that make the edit different from script and file alone. */
const NOT_PREVIEWED = [
  '-z',
  '--null-data',
  '--zero-terminated',
  '--posix',
  '--debug',
  '--follow-symlinks',
  '--help',
  '--version',
];

export const sed: ProgramAnalyser = (args, sink) => {
  const { parts, files } = splitArguments(args);
  if (args.uncertain) sink.unknown('sed may get more options');
  if (parts.length === 0) return;

  const script = readScript(parts);
  if (!parts.every((part) => part.sandboxed)) reportScript(script, parts, sink);
  for (const part of parts) if (part.isFile) sink.path('read', part.word);

  const inPlace = args.options.findLast((option) => option.name === '-i' || option.name === '--in-place');
  if (inPlace === undefined) {
    for (const file of files) sink.path('read', file);
    return;
  }
  const suffix = inPlace.value === null || literal(inPlace.value) === '' ? null : inPlace.value;
  for (const file of files) {
    sink.path('edit', named(file));
    if (suffix !== null) sink.path('write', backupOf(named(file), suffix));
  }
  reportEdits(args, parts, script, files, suffix, sink);
};

function splitArguments(args: ParsedArguments): { parts: readonly ScriptPart[]; files: readonly WordValue[] } {
  const parts: ScriptPart[] = [];
  let sandboxed = false;
  let extended = false;
  for (const { name, value } of args.options) {
    if (name === '--sandbox') sandboxed = true;
    else if (EXTENDED.includes(name)) extended = true;
    else if ((name === '-e' || name === '--expression') && value) {
      parts.push({ word: value, isFile: false, sandboxed, extended });
    } else if ((name === '-f' || name === '--file') && value) {
      parts.push({ word: value, isFile: true, sandboxed, extended });
    }
  }
  const [script, ...rest] = args.operands;
  if (parts.length > 0 || script === undefined) return { parts, files: args.operands };
  return { parts: [{ word: script, isFile: false, sandboxed, extended }], files: rest };
}

/** The script, if every part of it is literal text. */
function readScript(parts: readonly ScriptPart[]): { text: string; parsed: SedScript } | null {
  const texts = parts.map((part) => (part.isFile ? null : literal(part.word)));
  if (texts.some((text) => text === null)) return null;
  const text = texts.join('\n');
  return { text, parsed: parseSedScript(text) };
}

function reportScript(script: ReturnType<typeof readScript>, parts: readonly ScriptPart[], sink: EffectSink): void {
  const from = parts[0]?.word;
  if (script === null || from === undefined) {
    sink.unknown('the sed script is unknown');
    for (const part of parts) {
      if (part.isFile) sink.executes('code', part.word);
      else if (part.word.kind !== 'literal') sink.executes('code', null);
    }
    return;
  }
  const { effects, error } = script.parsed;
  if (error !== null) {
    sink.unknown(`the sed script cannot be parsed: ${error}`);
    sink.executes('code', null);
  }
  for (const file of effects.reads) sink.path('read', named(literalWord(file, from)));
  for (const file of effects.writes) sink.path('write', named(literalWord(file, from)));
  for (const command of effects.executes) {
    const word = literalWord(command, from);
    sink.executes('shell', word);
    sink.shell(word, 'sed e');
  }
  if (effects.executesPattern) sink.executes('shell', null);
}

/** In scripts and with `-i`, `-` is a file of that name. */
function named(word: WordValue): WordValue {
  return word.kind === 'literal' && word.value === '-' ? { ...word, value: './-' } : word;
}

function backupOf(file: WordValue, suffix: WordValue): WordValue {
  const text = literal(suffix);
  const unknown: WordValue = { kind: 'dynamic', head: '', many: file.kind !== 'literal', span: suffix.span };
  if (text === null) return unknown;
  if (!text.includes('*')) {
    if (file.kind === 'literal') return { ...file, value: file.value + text };
    return file.kind === 'pattern' && /^[\w.~-]+$/.test(text) ? { ...file, glob: file.glob + text } : unknown;
  }
  // Whether `*` is the path of the file or only its last part depends on the version.
  if (file.kind !== 'literal' || file.value.includes('/')) return unknown;
  return { ...file, value: text.replaceAll('*', () => file.value) };
}

function reportEdits(
  args: ParsedArguments,
  parts: readonly ScriptPart[],
  script: ReturnType<typeof readScript>,
  files: readonly WordValue[],
  suffix: WordValue | null,
  sink: EffectSink,
): void {
  const backupSuffix = suffix === null ? null : literal(suffix);
  if (script === null || script.parsed.error !== null || args.uncertain) return;
  if (suffix !== null && backupSuffix === null) return;
  const isExtended = EXTENDED.some((name) => args.has(name));
  // An option after a part applies to text that sed compiles later, such as an empty regular expression.
  if (parts.some((part) => part.extended !== isExtended)) return;
  if (NOT_PREVIEWED.some((name) => args.has(name))) return;
  // After `q` the following files are not changed.
  const stops = script.parsed.commands.some((command) => command.name === 'q' || command.name === 'Q');
  if (stops && (files.length !== 1 || files[0]?.kind !== 'literal')) return;
  const text = QUIET.some((name) => args.has(name)) ? `#n\n${script.text}` : script.text;
  for (const file of files) {
    if (file.kind === 'literal') sink.edit({ script: text, extended: isExtended, backupSuffix }, named(file));
  }
}
