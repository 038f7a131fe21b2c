// ssh: destination, options before and after it, and the text that the remote shell runs (ssh(1)).
// All words are parsed here: options may follow the destination.

import type { WordValue } from '../../../core/facts.ts';
import { type EffectSink, literal, literalWord, type ProgramAnalyser } from '../program.ts';
import { readShortOptions, type ShortOption } from '../words/short-options.ts';
import { isOneWord, joinWords } from '../words/wrapper-words.ts';
import { judgeSshOption } from './ssh-options.ts';

const FLAGS = '46AaCfGgKkMNnqsTtVvXxYy';
const WITH_VALUE = 'BbcDEeFIiJLlmOoPpQRSWw';

function applyOption({ letter, value }: ShortOption, sink: EffectSink, remote: string): void {
  if (value === null) return;
  if (letter === 'o') judgeSshOption(value, sink, remote);
  else if (letter === 'F' && literal(value) !== 'none' && literal(value) !== '/dev/null') sink.executes('hook', value);
  else if (letter === 'I') sink.executes('hook', value);
  else if (letter === 'i') sink.path('read', value);
  else if (letter === 'E' || letter === 'S') sink.path('write', value);
  else if (letter === 'J') for (const jump of (literal(value) ?? '').split(',')) sink.host(literalWord(jump, value));
}

/** Options given to ssh by another program, as in `rsync -e 'ssh -p 22'`. */
export function judgeSshWords(words: readonly WordValue[], sink: EffectSink): void {
  const parsed = readShortOptions(words, FLAGS, WITH_VALUE);
  for (const option of parsed.options) applyOption(option, sink, 'ssh');
  if (parsed.unknown !== null || parsed.rest.length > 0) sink.unknown('options of ssh');
  if (parsed.uncertain !== null) warn(sink);
}

/** It may be -o ProxyCommand, which runs a program here. */
function warn(sink: EffectSink): void {
  sink.executes('program', null);
  sink.unknown('an unknown word may be an option of ssh');
}

export const ssh: ProgramAnalyser = (args, sink) => {
  const before = readShortOptions(args.words, FLAGS, WITH_VALUE);
  const [host, ...afterHost] = before.rest;
  const after = readShortOptions(afterHost, FLAGS, WITH_VALUE);
  const options = [...before.options, ...after.options];
  const remote = `ssh ${host === undefined ? '' : (literal(host) ?? '?')}`.trim();
  for (const option of options) applyOption(option, sink, remote);
  if (before.unknown !== null || after.unknown !== null) sink.unknown('an option of ssh');
  const letters = new Set(options.map((option) => option.letter));
  if (before.uncertain === null && (letters.has('V') || letters.has('Q'))) return;
  sink.network();
  // A destination that may be several words may include options and the remote command.
  if (before.uncertain !== null || after.uncertain !== null || (host !== undefined && !isOneWord(host))) warn(sink);
  if (host === undefined) return;
  sink.host(host);
  if (letters.has('G') || letters.has('N') || letters.has('W') || letters.has('O')) return;
  if (after.rest.length === 0) {
    // -n and -f close its input: the remote shell has nothing to run.
    if (!letters.has('n') && !letters.has('f')) sink.shellFromInput('ssh', { elsewhere: remote });
  } else if (letters.has('s')) sink.executes('program', null);
  else sink.shell(joinWords(after.rest), 'ssh', { shell: 'sh', elsewhere: remote });
};

/** scp, sftp, ssh-copy-id: only `-o` is handled here, the table covers the rest. */
export const sshOptions: ProgramAnalyser = (args, sink) => {
  for (const option of args.options)
    if (option.name === '-o' && option.value) judgeSshOption(option.value, sink, 'ssh');
};

/** autossh: its own -M and -f, the rest is an ssh command line. */
export const autossh: ProgramAnalyser = (args, sink) => {
  const words: WordValue[] = [];
  for (let index = 0; index < args.words.length; index++) {
    const word = args.words[index] as WordValue;
    const text = literal(word);
    if (text === '-M') index++;
    else if (text === null || !/^-(?:M.+|f|V)$/.test(text)) words.push(word);
  }
  const first = args.words[0];
  if (first !== undefined) sink.run([literalWord('ssh', first), ...words], 'autossh');
};
