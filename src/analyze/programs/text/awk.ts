// awk: its program decides what is written, run and contacted; the operands after it are input files or assignments.
// Refuses to guess: a program that is not literal or cannot be parsed has unknown effects.

import type { WordValue } from '../../../core/facts.ts';
import { type AwkEffects, parseAwkProgram } from '../../languages/awk-program.ts';
import { type EffectSink, literal, literalWord, type ParsedArguments, type ProgramAnalyser } from '../program.ts';

const ASSIGNMENT = /^[A-Za-z_]\w*=/;
/** gawk's options that write a file of this name if no name is given. */
const DEFAULT_OUTPUTS = [
  { names: ['-o', '--pretty-print', '-p', '--profile'], file: 'awkprof.out' },
  { names: ['-d', '--dump-variables'], file: 'awkvars.out' },
];

export const awk: ProgramAnalyser = (args, sink) => {
  if (args.uncertain) sink.unknown('awk may get more options');
  for (const option of args.options) {
    const output = DEFAULT_OUTPUTS.find(({ names }) => names.includes(option.name));
    const at: WordValue = { kind: 'literal', value: output?.file ?? '', span: option.span };
    if (output !== undefined && option.value === null) sink.path('write', at);
  }

  const programFiles = valuesOf(args, '-f', '--file');
  for (const file of programFiles) {
    sink.path('read', file);
    sink.executes('code', file);
    sink.unknown('the awk program is in a file');
  }
  const sources = valuesOf(args, '-e', '--source');
  const hasProgram = programFiles.length + sources.length > 0 || valuesOf(args, '-E', '--exec').length > 0;
  const [first, ...rest] = args.operands;
  const program = hasProgram ? sources : first === undefined ? [] : [first];
  if (program.length > 0) reportProgram(program, args.has('-S') || args.has('--sandbox'), sink);
  reportInputs(args, hasProgram ? args.operands : rest, sink);
};

function valuesOf(args: ParsedArguments, ...names: readonly string[]): readonly WordValue[] {
  return args.options.flatMap(({ name, value }) => (names.includes(name) && value !== null ? [value] : []));
}

function reportProgram(words: readonly WordValue[], sandboxed: boolean, sink: EffectSink): void {
  const from = words[0];
  const texts = words.map(literal);
  if (from === undefined || texts.some((text) => text === null)) {
    sink.unknown('the awk program is unknown');
    sink.executes('code', null);
    return;
  }
  const { effects, error } = parseAwkProgram(texts.join('\n'));
  if (error !== null) {
    sink.unknown(`the awk program cannot be parsed: ${error}`);
    sink.executes('code', null);
  }
  if (effects.environment) sink.discloses('environment');
  for (const file of effects.loads) sink.executes('code', literalWord(file, from));
  if (effects.readsUnknown) sink.path('read', computed(from));
  // gawk refuses system, pipes, getline from files and output to files in its sandbox.
  if (!sandboxed) reportEffects(effects, from, sink);
}

function reportEffects(effects: AwkEffects, from: WordValue, sink: EffectSink): void {
  for (const file of effects.reads) {
    sink.path('read', file === null ? computed(from) : named(file, from));
    if (file === null) sink.unknown('awk reads from a computed name, which may be a network address');
  }
  for (const file of effects.writes) sink.path('write', file === null ? computed(from) : named(file, from));
  // `print | "sort"` is checked as its command; other commands that awk runs are never harmless.
  for (const command of [...effects.executes, ...effects.pipesTo]) {
    const word = command === null ? null : literalWord(command, from);
    if (word === null || effects.executes.includes(command)) sink.executes('shell', word);
    if (word !== null) sink.shell(word, 'awk');
  }
  for (const address of effects.network) reportAddress(address, from, sink);
}

/** `/inet/tcp/local-port/host/port`; host 0 listens. */
function reportAddress(address: string, from: WordValue, sink: EffectSink): void {
  const [, , , , host = '', port = ''] = address.split('/');
  if (/^[\w.-]+$/.test(host) && host !== '0')
    sink.host(literalWord(/^\d+$/.test(port) ? `${host}:${port}` : host, from));
  sink.network();
}

function reportInputs(args: ParsedArguments, files: readonly WordValue[], sink: EffectSink): void {
  const inPlace = valuesOf(args, '-i', '--include').some((word) => /^inplace(\.awk)?$/.test(literal(word) ?? ''));
  const hasSuffix = args.options.some(({ value }) =>
    /^(inplace::suffix|INPLACE_SUFFIX)=./.test(literal(value ?? undefined) ?? ''),
  );
  for (const file of files) {
    const text = file.kind === 'literal' ? file.value : file.head;
    if (ASSIGNMENT.test(text) || (file.kind === 'literal' && text === '-')) continue;
    if (/^\/inet[46]?\//.test(text)) reportAddress(text, file, sink);
    else sink.path(inPlace ? 'edit' : 'read', file);
    if (inPlace && hasSuffix) sink.path('write', computed(file));
  }
}

/** Inside a program `-` is, for most awks, a file of that name. */
function named(file: string, from: WordValue): WordValue {
  return literalWord(file === '-' ? './-' : file, from);
}

function computed(from: WordValue): WordValue {
  return { kind: 'dynamic', head: '', many: true, span: from.span };
}
