// Git's commands that connect to other repositories: addresses → hosts, paths, remote helpers (gitremote-helpers(7)).
// The name of a remote does not show its host: that is in the configuration, and some host is contacted.

import type { WordValue } from '../../../core/facts.ts';
import { type EffectSink, literal, literalWord, type ProgramAnalyser } from '../program.ts';
import { headOf } from '../words/wrapper-words.ts';
import { reportSetting } from './git-config-keys.ts';

const HELPER = /^([A-Za-z0-9][A-Za-z0-9+.-]*)::(.*)$/s;
// `host:path`, as ssh and scp parse it: a colon before any slash.
const ADDRESS = /^([A-Za-z][A-Za-z0-9+.-]*:\/\/|[^/:]+:|\.{0,2}\/|\.{1,2}$|~)/;

type Kind = 'helper' | 'address' | 'name' | 'unknown';

function reportAddress(word: WordValue, sink: EffectSink): Kind {
  const head = headOf(word);
  const helper = HELPER.exec(head);
  if (helper !== null) {
    // `ext::sh -c …` runs the rest (git-remote-ext(1)); any other name is a program `git-remote-<name>`.
    if (helper[1] === 'ext' && word.kind === 'literal') {
      const command = literalWord(helper[2] ?? '', word);
      sink.executes('shell', command);
      sink.shell(command, 'git ext::');
    } else sink.executes(helper[1] === 'ext' ? 'shell' : 'program', word);
    return 'helper';
  }
  if (ADDRESS.test(head)) {
    sink.url(word);
    return 'address';
  }
  if (word.kind === 'literal') return 'name';
  sink.unknown('the address of the repository is unknown: a remote helper may run code');
  return 'unknown';
}

const HELP = '-h --help';

/** fetch, pull, push: the first operand is a repository, or the configuration names one. */
export const gitRepository: ProgramAnalyser = (args, sink) => {
  if (args.has(HELP)) return;
  const repositories = args.has('-m --multiple') ? [...args.operands] : args.operands.slice(0, 1);
  const given = args.value('--repo');
  if (given !== undefined) repositories.push(given);
  const kinds = repositories.map((word) => reportAddress(word, sink));
  if (kinds.length === 0 || kinds.some((kind) => kind === 'name' || kind === 'unknown')) sink.network();
  else if (args.has('--all --recurse-submodules')) sink.network();
};

/** The address is on the command line, or in the configuration. */
export const gitLsRemote: ProgramAnalyser = (args, sink) => {
  const repository = args.operands[0];
  if (repository !== undefined) reportAddress(repository, sink);
};

/** `remote add name url`, `remote set-url name url`, `request-pull start url`, `submodule set-url path url`. */
export const gitRemoteUrl: ProgramAnalyser = (args, sink) => {
  const address = args.operands[1];
  if (address !== undefined && !args.has(HELP)) reportAddress(address, sink);
};

export const gitSubmoduleAdd: ProgramAnalyser = (args, sink) => {
  const [address, folder] = args.operands;
  if (address !== undefined) reportAddress(address, sink);
  const target = folder ?? (address === undefined ? null : folderOf(address, ''));
  if (target !== null) sink.path('write', target, { recursive: true });
};

export const gitArchive: ProgramAnalyser = (args, sink) => {
  // -o, --remote and --exec are searched first, by a parser that does not know which other options take values.
  if (args.options.some((option) => option.value !== null && headOf(option.value).startsWith('-'))) {
    sink.unknown('git archive: a value that may be parsed as an option');
  }
  const remote = args.value('--remote');
  if (remote !== undefined && reportAddress(remote, sink) !== 'address') sink.network();
};

/** The folder that clone creates if none is named. */
function folderOf(address: WordValue, suffix: string): WordValue | null {
  const text = literal(address)
    ?.replace(/\/+$/, '')
    .replace(/\/?\.git$/, '');
  const name = text?.split(/[/:]/).at(-1);
  return name ? literalWord(name + suffix, address) : null;
}

export const gitClone: ProgramAnalyser = (args, sink) => {
  if (args.has(HELP)) return;
  for (const option of args.options) {
    if (option.name === '-c' && option.value !== null) reportSetting(option.value, sink, 'git clone -c');
  }
  const [address, folder] = args.operands;
  if (address === undefined) return;
  const kind = reportAddress(address, sink);
  if (kind === 'name') sink.path('read', address, { recursive: true });
  if (kind === 'unknown' || args.has('--recurse-submodules --recursive')) sink.network();
  const bare = args.has('--bare --mirror') ? '.git' : '';
  const target = folder ?? folderOf(address, bare);
  if (target !== null) sink.path('write', target, { recursive: true });
};

/** With one word `foreach` evaluates it; with several, the first is shell text that is given the others. */
export const gitSubmoduleForeach: ProgramAnalyser = (args, sink) => {
  const [command, ...more] = args.operands;
  if (command === undefined) return;
  if (more.length === 0) {
    sink.shell(command, 'git submodule foreach', { anyFolder: true, shell: 'sh' });
    return;
  }
  const text = literal(command);
  const whole: WordValue = text === null ? command : literalWord(`${text} "$@"`, command);
  sink.shell(whole, 'git submodule foreach', { anyFolder: true, shell: 'sh', positional: more });
};
