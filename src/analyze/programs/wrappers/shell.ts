// bash, sh, zsh and similar: options → the text, file or input that they run (bash(1) INVOCATION).
// All words are parsed here: `+x` is an option, `-c` takes no value, and options may follow it.

import type { AnalyzedShell, WordValue } from '../../../core/facts.ts';
import { wordSet } from '../../../core/values/once.ts';
import { type EffectSink, literal, type ParsedArguments, type ProgramAnalyser } from '../program.ts';
import { isOneWord, lastSpan, mayStartWith, unknownWord } from '../words/wrapper-words.ts';

interface Invocation {
  command: boolean;
  input: boolean;
  noExec: boolean;
  startupFiles: boolean;
  noStartupFiles: boolean;
  prints: boolean;
  posix: boolean;
  rest: readonly WordValue[];
}

const WITH_FILE = /^--?(?:rcfile|init-file)$/;
const NO_EXEC = /^--?(?:dump-strings|dump-po-strings)$/;
const PRINTS = /^--?(?:version|help)$/;
const HARMLESS_LONG = /^--?(?:norc|noprofile|noediting|restricted|verbose)$/;

// Only options that do not change the meaning of the text as parsed here; `+B` or `-k` would change its words.
const LETTERS = { bash: /^[bcefhilmnoprstuvxBCDEOPT]$/, sh: /^[bcefhilmnopsuvxCEIV]$/, zsh: /^[cefilnosuvx]$/ };
const NAMES = wordSet(
  'errexit nounset pipefail xtrace verbose noglob noclobber noexec monitor notify physical privileged ' +
    'errtrace functrace hashall posix',
);

class UnreadableOption extends Error {}

function readInvocation(words: readonly WordValue[], sink: EffectSink, shell: AnalyzedShell): Invocation {
  const found: Invocation = {
    command: false,
    input: false,
    noExec: false,
    startupFiles: false,
    noStartupFiles: false,
    prints: false,
    posix: false,
    rest: [],
  };
  let index = 0;
  for (; index < words.length; index++) {
    const word = words[index] as WordValue;
    const text = literal(word);
    if (text === null) {
      // After -c it is the text, or an option before a text that is then unknown too.
      if (found.command || !mayStartWith(word, '-+')) break;
      sink.cannotTell('wrapper-arguments', 'an unknown word may be an option of the shell', word.span);
      throw new UnreadableOption();
    }
    if (text === '--' || text === '-') {
      index++;
      break;
    }
    if (!/^[-+]./.test(text)) break;
    if (WITH_FILE.test(text)) {
      const file = words[++index];
      if (file !== undefined) sink.executes('file', file);
    } else if (/^--?login$/.test(text)) found.startupFiles = true;
    else if (/^--?posix$/.test(text)) found.posix = true;
    else if (text === '--no-rcs') found.noStartupFiles = true;
    else if (NO_EXEC.test(text)) found.noExec = true;
    else if (PRINTS.test(text)) found.prints = true;
    else if (!HARMLESS_LONG.test(text)) readCluster(text, word);
  }
  found.rest = words.slice(index);
  return found;

  function readCluster(text: string, word: WordValue): void {
    const on = text.startsWith('-');
    for (const letter of text.slice(1)) {
      if (!LETTERS[shell].test(letter) || (letter === 'B' && !on))
        refuse(`option ${text} changes how the text is parsed`, word);
      if (letter === 'c') found.command = true;
      else if (letter === 's') found.input = true;
      else if (letter === 'n') found.noExec = on;
      else if (letter === 'D') found.noExec = true;
      else if (letter === 'i' || letter === 'l') found.startupFiles = true;
      else if (letter === 'f') found.noStartupFiles = on;
      else if (letter === 'o' || letter === 'O') readNamed(letter, on);
    }
  }

  function readNamed(letter: string, on: boolean): void {
    const word = words[index + 1];
    if (word === undefined) return;
    index++;
    const name = literal(word);
    if (name === null) refuse('an option of the shell is unknown', word);
    else if (letter === 'O' ? name !== 'extglob' : !NAMES.has(name)) refuse(`option ${name} of the shell`, word);
    if (name === 'noexec') found.noExec = on;
    if (name === 'posix') found.posix = on;
  }

  function refuse(message: string, word: WordValue): never {
    sink.cannotTell(literal(word) === null ? 'wrapper-arguments' : 'shell-option', message, word.span);
    throw new UnreadableOption();
  }
}

/** The words after `$0`; if it is uncertain which word that is, none of them is known. */
function positionalWords(rest: readonly WordValue[]): readonly WordValue[] {
  const name = rest[1];
  if (name === undefined) return [];
  return isOneWord(name) ? rest.slice(2) : [unknownWord(name.span, '', 'many')];
}

function runShell(args: ParsedArguments, sink: EffectSink, name: string, dialect: AnalyzedShell | null): void {
  let invocation: Invocation;
  try {
    invocation = readInvocation(args.words, sink, dialect ?? 'bash');
  } catch (error) {
    if (!(error instanceof UnreadableOption)) throw error;
    sink.executes('shell', null);
    return;
  }
  if (invocation.prints) return;
  const { rest, startupFiles } = invocation;
  const first = rest[0];
  // zsh reads zshenv every time, even with -n; interactive shells ignore -n.
  if (startupFiles || (dialect === 'zsh' && !invocation.noStartupFiles)) {
    sink.executes('hook', null);
    sink.unknown(`${name} reads and writes its own files if it is interactive or a login shell`);
  }
  if (invocation.noExec && !startupFiles && dialect !== null) {
    if (first !== undefined && !invocation.command && !invocation.input) sink.path('read', first);
    return;
  }
  if (dialect === null) sink.cannotTell('dialect', `${name} has its own language`, lastSpan(args.words));
  if (invocation.command && first !== undefined) {
    const shell = invocation.posix ? 'sh' : dialect;
    if (shell === null) sink.executes('shell', first);
    else sink.shell(first, `${name} -c`, { shell, positional: positionalWords(rest) });
  } else if (first !== undefined && !invocation.input) runFile(first, name, sink);
  else sink.shellFromInput(name, dialect === null ? {} : { shell: dialect, positional: rest });
}

/** An existing file is an ordinary program; a substitution or the input is text of this command. */
function runFile(file: WordValue, name: string, sink: EffectSink): void {
  sink.executes('file', file);
  const text = file.kind === 'literal' ? file.value : file.head;
  if (/^\/(?:dev\/(?:fd|stdin)|proc)/.test(text) || !isOneWord(file) || (file.kind !== 'literal' && text === '')) {
    sink.cannotTell('dynamic-code', `${name} runs a script that is known only at run time`, file.span);
  } else sink.path('read', file);
}

export const shell: ProgramAnalyser = (args, sink) => runShell(args, sink, 'bash', 'bash');
export const posixShell: ProgramAnalyser = (args, sink) => runShell(args, sink, 'sh', 'sh');
export const zshShell: ProgramAnalyser = (args, sink) => runShell(args, sink, 'zsh', 'zsh');
/** ksh, fish, csh and the like: similar enough to mislead, too different to parse. */
export const otherShell: ProgramAnalyser = (args, sink) => runShell(args, sink, 'this shell', null);
