// ps, sysctl, printenv: single words decide whether something changes or a secret is printed.

import type { WordValue } from '../../../core/facts.ts';
import { wordSet } from '../../../core/values/once.ts';
import { literal, type ProgramAnalyser } from '../program.ts';
import { headOf } from '../words/wrapper-words.ts';

/** BSD options come without a dash; `e` among them prints the environment of each process (ps(1)). */
export const ps: ProgramAnalyser = (args, sink) => {
  for (const name of ['-o', '-O']) {
    for (const option of args.options) {
      if (option.name !== name || option.value === null) continue;
      if (option.value.kind !== 'literal' || /environ/i.test(headOf(option.value)))
        sink.discloses('process-environment');
    }
  }
  let isValue = false;
  for (const word of args.operands) {
    const text = literal(word);
    if (isValue) {
      isValue = false;
      if (text === null || /environ/i.test(text)) sink.discloses('process-environment');
    } else if (text === null) {
      // `ps $PID`: usually a number, but `e` would be harmful.
      if (!/^\d/.test(headOf(word))) sink.discloses('process-environment');
    } else if (/^[a-zA-Z]/.test(text)) {
      const [flags] = text.split(/(?<=[oOptUkq])/, 1) as [string];
      isValue = /[oOptUkq]$/.test(flags) && flags.length === text.length;
      if (flags.includes('e') || /environ/i.test(text)) sink.discloses('process-environment');
    }
  }
};

/** kill: listing signals and testing whether a process exists change nothing. */
export const kill: ProgramAnalyser = (args, sink) => {
  const [first, ...rest] = args.words.map((word) => literal(word));
  const lists = first === '-l' || first === '-L' || first === '--list' || first === '--table';
  const isPlain = rest.every((text) => text !== null && /^\w+$/.test(text));
  if ((lists && isPlain) || (first === '-0' && rest.every((text) => text === null || !text.startsWith('-')))) return;
  sink.changes('signal or end processes');
};

/** lsof: the address after -i is not a file, and `+D` is an option (lsof(8)). */
export const lsof: ProgramAnalyser = (args, sink) => {
  for (const word of args.operands) {
    const text = headOf(word);
    const isAddress = args.has('-i') && /^(?:[46]|tcp|udp|[46]?(?:tcp|udp)?[:@])/i.test(text);
    if (!isAddress && !text.startsWith('+')) sink.path('read', word);
  }
};

/** Words that a program joins into one text: only literal ones are what they seem. */
export const plainWords: ProgramAnalyser = (args, sink) => {
  if (!args.operands.every((word) => /^[\w./+-]+$/.test(literal(word) ?? '')))
    sink.unknown('a word that may be more than a name');
};

/** `name=value` writes, with or without -w. */
export const sysctl: ProgramAnalyser = (args, sink) => {
  const mayWrite = (word: WordValue): boolean => word.kind !== 'literal' || word.value.includes('=');
  if (args.operands.some(mayWrite)) sink.changes('change kernel settings');
};

const PUBLIC_NAMES = wordSet(
  'PATH HOME PWD OLDPWD USER LOGNAME SHELL LANG LANGUAGE TERM COLORTERM TZ EDITOR VISUAL PAGER DISPLAY ' +
    'NODE_ENV CI SHLVL HOSTNAME TMPDIR VIRTUAL_ENV JAVA_HOME GOPATH GOROOT MANPATH PYTHONPATH CC CXX',
);

export const printenv: ProgramAnalyser = (args, sink) => {
  const isPublic = (word: WordValue): boolean => {
    const name = literal(word) ?? '';
    return PUBLIC_NAMES.has(name) || /^(?:LC|XDG)_[A-Z_]+$/.test(name);
  };
  if (args.operands.length === 0 || !args.operands.every(isPublic)) sink.discloses('environment');
};

/** Host names are looked up over the network, and the shadow file contains passwords. */
export const getent: ProgramAnalyser = (args, sink) => {
  const database = literal(args.operands[0]);
  if (database === 'shadow' || database === 'gshadow') sink.discloses('passwords');
  else if (
    database === null ||
    !/^(?:passwd|group|services|protocols|networks|rpc|aliases|ethers|initgroups)$/.test(database)
  ) {
    sink.network();
  }
};

/** A video may be an address, a playlist or a protocol with side effects: only plain local files are read. */
export const mediaInput: ProgramAnalyser = (args, sink) => {
  for (const word of args.operands) {
    const text = literal(word);
    sink.path('read', word);
    if (
      text === null ||
      text.includes(':') ||
      !/\.(?:mp4|m4a|m4v|mov|mkv|webm|avi|mp3|wav|flac|ogg|opus|aac|ts|png|jpe?g|gif|webp)$/i.test(text)
    ) {
      sink.unknown('an input that may be another file');
    }
  }
};

/** `-` as the second operand prints; without it a file next to the first is written. */
export const toOutput: ProgramAnalyser = (args, sink) => {
  const target = args.operands[1];
  if (target === undefined) sink.changes('write a file next to the document');
  else if (literal(target) !== '-') sink.path('write', target);
};

/** bash(1), history: every option changes the list, a file, or expands words. */
export const history: ProgramAnalyser = (args, sink) => {
  if (args.operands.some((word) => !/^\d+$/.test(literal(word) ?? ''))) sink.unknown('history has unknown effects');
};
