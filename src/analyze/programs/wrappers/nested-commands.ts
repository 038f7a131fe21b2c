// Tools that run a command in their words, in ways that do not fit a table: operands → the command.
// Refuses to guess where the command starts: then the whole command is `cannot tell`.

import type { Span, WordValue } from '../../../core/facts.ts';
import { type EffectSink, literal, literalWord, type ParsedArguments, type ProgramAnalyser } from '../program.ts';
import { isCommandUncertain, joinWords } from '../words/wrapper-words.ts';

/** `prettier@3`, `black==24.1` → the usual name of the package's program. */
function withoutVersion(word: WordValue): WordValue {
  const text = literal(word);
  const name = text === null ? undefined : /^([A-Za-z0-9][\w.-]*)(?:@|==)[^/:]*$/.exec(text)?.[1];
  return name === undefined ? word : literalWord(name, word);
}

function runFrom(args: ParsedArguments, start: number, sink: EffectSink, via: string): void {
  const command = args.operands.slice(start);
  if (command.length > 0 && !isCommandUncertain(args, start, sink, via)) sink.run(command, via);
}

/** npx, `pnpm dlx`, uvx …: the package may be anything; a program of the same name is the best guess for rules. */
export const packageRunner: ProgramAnalyser = (args, sink) => {
  const [first, ...rest] = args.operands;
  if (first === undefined) return;
  sink.executes('program', first);
  if (!isCommandUncertain(args, 0, sink, 'a package')) sink.run([withoutVersion(first), ...rest], 'a package');
};

const NO_SPAN: Span = [0, 0];

/** The decision checks whether a file of the project names another one. */
export const npmRegistry: ProgramAnalyser = (args, sink) => {
  if (!args.has('--registry')) sink.host({ kind: 'literal', value: 'registry.npmjs.org', span: NO_SPAN });
};

/** `npm view SPEC`: names in the registry are only looked up; everything else is fetched with git or read from disk. */
export const packageSpec: ProgramAnalyser = (args, sink) => {
  const spec = args.operands[0];
  if (spec === undefined) return npmRegistry(args, sink);
  const text = literal(spec);
  if (text !== null && /^(?:@[\w.~-]+\/)?[\w~][\w.~-]*(?:@[^/:]*)?$/.test(text)) return npmRegistry(args, sink);
  if (text?.includes('://') === true) sink.url(spec);
  else if (text !== null && /^[./~]/.test(text)) sink.path('read', spec);
  sink.unknown('not the name of a package in the registry');
};

/** `mise exec node@20 -- CMD`: the command follows the dashes. */
export const afterDashes: ProgramAnalyser = (args, sink) => {
  const dashes = args.words.findIndex((word) => literal(word) === '--');
  const command = dashes < 0 ? [] : args.words.slice(dashes + 1);
  if (command.length > 0) sink.run(command, '--');
  else if (!args.has('-c')) sink.executes('program', null);
};

/** `nix develop -c CMD`: the option takes all words that follow it. */
export const commandOption: ProgramAnalyser = (args, sink) => {
  const option = args.words.findIndex((word) => /^(?:-c|--command)$/.test(literal(word) ?? ''));
  const command = option < 0 ? [] : args.words.slice(option + 1);
  if (command.length > 0) sink.run(command, '--command');
};

/** `watchexec CMD ARG`, `entr -s`: the words are joined with blanks and passed to a shell. */
export const joinedShell: ProgramAnalyser = (args, sink) => {
  if (args.operands.length === 0 || isCommandUncertain(args, 0, sink, 'a shell')) return;
  sink.shell(joinWords(args.operands), 'a shell');
};

/** `nvm exec [VERSION] CMD`: a version, or the project's own if none is given. */
export const versionedCommand: ProgramAnalyser = (args, sink) => {
  const first = literal(args.operands[0]);
  const isVersion = first !== null && /^(?:v?\d[\d.]*|lts\/.*|node|stable|system|default|iojs.*)$/.test(first);
  runFrom(args, isVersion ? 1 : 0, sink, 'another version');
};

/** `entr [-s] CMD`: with -s the first operand is shell text and the rest are its arguments. */
export const entr: ProgramAnalyser = (args, sink) => {
  const [first, ...rest] = args.operands;
  if (first === undefined || isCommandUncertain(args, 0, sink, 'entr')) return;
  if (args.has('-s')) sink.shell(first, 'entr -s', { positional: rest });
  else sink.run(args.operands, 'entr');
};
