// Small wrappers whose command does not fit a table row: script, watch, strace, capsh, chroot, setarch, mosh.

import type { WordValue } from '../../../core/facts.ts';
import { type EffectSink, literal, literalWord, type ProgramAnalyser } from '../program.ts';
import {
  afterHead,
  dashAsName,
  headOf,
  isCommandUncertain,
  isOneWord,
  joinWords,
  lastSpan,
  runOperands,
  withoutDashes,
} from '../words/wrapper-words.ts';

/** unshare, nsenter, fakeroot …: a shell if no command is given. */
export const shellUnlessCommand: ProgramAnalyser = (args, sink) => runOperands(args, 0, sink, 'a wrapper');

/** chroot, aws-vault exec: one word, then the command. */
export const targetCommand: ProgramAnalyser = (args, sink) => runOperands(args, 1, sink, 'a wrapper');

/** watch: one shell text, or an argv with -x. */
export const watch: ProgramAnalyser = (args, sink) => {
  if (isCommandUncertain(args, 0, sink, 'watch') || args.operands.length === 0) return;
  if (args.has('-x --exec')) sink.run(args.operands, 'watch');
  else sink.shell(joinWords(args.operands), 'watch', { shell: 'sh' });
};

/** script: `-c text` anywhere (Linux), or the command after the file (BSD, macOS). */
export const script: ProgramAnalyser = (args, sink) => {
  if (isCommandUncertain(args, 1, sink, 'script')) return;
  const [file, ...rest] = args.operands;
  if (file !== undefined) sink.path('write', dashAsName(file));
  else if (!['-O', '-B', '-I'].some((option) => args.has(option))) {
    sink.path('write', { kind: 'literal', value: 'typescript', span: lastSpan(args.words) });
  }
  let text = args.value('-c');
  const first = rest[0];
  if (first !== undefined && headOf(first).startsWith('-')) {
    if (/^-[aefq]*c$/.test(literal(first) ?? '') && rest.length === 2) text = rest[1];
    else return sink.cannotTell('wrapper-arguments', 'options of script after its file', first.span);
  } else if (rest.length > 0) sink.run(rest, 'script');
  if (text !== undefined) sink.shell(text, 'script -c', { shell: 'sh' });
  else if (rest.length === 0) sink.shellFromInput('script');
};

/** strace, ltrace: `-o '|command'` pipes into a command, `-E` gives the traced program its environment. */
export const strace: ProgramAnalyser = (args, sink) => {
  const environment = new Map<string, WordValue | null>();
  for (const { name, value } of args.options) {
    if (value === null) continue;
    if (name === '-o') {
      if (/^[|!]/.test(headOf(value))) sink.shell(afterHead(value, 1), 'strace -o', { shell: 'sh' });
      else if (headOf(value) === '' && value.kind !== 'literal') {
        sink.cannotTell('dynamic-code', 'the output of strace may be a command', value.span);
      } else sink.path('write', dashAsName(value));
    } else if (name === '-E') {
      const text = headOf(value);
      const equals = text.indexOf('=');
      if (equals > 0) environment.set(text.slice(0, equals), afterHead(value, equals + 1));
      else if (value.kind === 'literal') environment.set(text, null);
      else sink.cannotTell('wrapper-arguments', 'a variable of strace is unknown', value.span);
    }
  }
  if (isCommandUncertain(args, 0, sink, 'strace') || args.operands.length === 0) return;
  sink.run(args.operands, 'strace', { environment });
};

/** capsh: words after `--` are arguments of bash; `--print` and `--decode` only show. */
export const capsh: ProgramAnalyser = (args, sink) => {
  for (const [index, word] of args.words.entries()) {
    const text = literal(word);
    if (text === null) return sink.cannotTell('wrapper-arguments', 'an option of capsh is unknown', word.span);
    if (text === '--' || text === '==' || text === '=+' || text === '-+') {
      const rest = args.words.slice(index + 1);
      sink.privilege();
      if (text === '==') sink.executes('program', null);
      sink.run([literalWord('/bin/bash', word), ...rest], 'capsh');
      return;
    }
    if (text.startsWith('--shell=')) return sink.cannotTell('wrapper-arguments', 'capsh with another shell', word.span);
    if (
      !/^--(?:print|current|modes|suggest=.*|decode=.*|supports=.*|has-[a-z-]+(?:=.*)?|help|explain=.*)$/.test(text)
    ) {
      sink.privilege();
    }
  }
};

/** setarch: an architecture may come first, then options, then the command. */
export const setarch: ProgramAnalyser = (args, sink) => {
  const rest = [...args.words];
  if (rest[0] !== undefined && !isOneWord(rest[0])) {
    return sink.cannotTell('wrapper-arguments', 'the words of setarch are unknown', rest[0].span);
  }
  if (rest[0]?.kind === 'literal' && !rest[0].value.startsWith('-')) rest.shift();
  runAfterFlags(rest, sink);
};

/** linux32, linux64, i386, x86_64. */
export const personality: ProgramAnalyser = (args, sink) => runAfterFlags([...args.words], sink);

function runAfterFlags(words: WordValue[], sink: EffectSink): void {
  const via = 'setarch';
  while (words[0] !== undefined && headOf(words[0]).startsWith('-')) {
    const flag = words.shift() as WordValue;
    const text = literal(flag);
    if (text === '--') break;
    if (text === '--list' || text === '--help' || text === '--version' || text === '--show' || text === '-V') return;
    if (text === null || !/^-(?:[RBFILSTXZv]+|-[a-z0-9-]+)$/.test(text)) {
      return sink.cannotTell('wrapper-arguments', `an option of ${via} is unknown`, flag.span);
    }
  }
  const [first] = words;
  if (first === undefined) sink.shellFromInput(via);
  else if (first.kind === 'dynamic' && first.many) {
    sink.cannotTell('wrapper-arguments', `the words of ${via} are unknown`, first.span);
  } else sink.run(words, via);
}

/** mosh: `mosh host -- command`; the remote command is an argv, not shell text. */
export const mosh: ProgramAnalyser = (args, sink) => {
  if (isCommandUncertain(args, 1, sink, 'mosh')) return;
  const [host, ...rest] = args.operands;
  if (host === undefined) return;
  const command = withoutDashes(rest);
  sink.host(host);
  const elsewhere = `mosh ${literal(host) ?? '?'}`;
  if (command.length > 0) sink.run(command, 'mosh', { elsewhere });
  else sink.shellFromInput('mosh', { elsewhere });
};
