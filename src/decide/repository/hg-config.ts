// hg loads extensions, hooks and aliases from the configuration of the repository, whatever it is asked.
// Only settings that are known to run nothing pass; see `hg help config`.

import { posix } from 'node:path';
import type { CommandFact } from '../../core/facts.ts';
import type { Probe } from '../../core/probe.ts';
import type { CommandCheck, Hit } from '../check.ts';
import { foldersUp } from './folders-up.ts';

const P = '/home/u/project';
const FILE_LIMIT_BYTES = 262_144;
const UNKNOWN = 'a repository that cannot be looked at';

const HARMLESS_SECTION = /^(?:paths|web|diff|phases|color|progress|revsetalias|templatealias)$/;
const HARMLESS_SETTING = /^ui\.(?:username|verbose|quiet|color|timeout|paginate|interactive|logtemplate)$/;
/** Without a value it is one of those that are installed with hg; `!` switches it off. */
const HARMLESS_EXTENSION = /^extensions\.[\w.-]+ = (?:!.*)?$/;

const withSettings = (text: string) => ({ [`${P}/.hg/hgrc`]: text });

export const hgConfigExecutes: CommandCheck = {
  id: 'hg-config-executes',
  layer: 'repository',
  severity: 'high',
  verdict: 'ask',
  names: ['hg', 'go'],
  message: 'The configuration of this Mercurial repository makes hg run a program.',
  instead: 'Look at the `hgrc` file in the folder `.hg` first.',
  examples: {
    matches: [
      { command: 'hg status', files: withSettings('[extensions]\ne = ./e.py\n') },
      { command: 'hg --version', files: withSettings('[extensions]\ne =\n  ./e.py\n') },
      { command: 'cd src && hg log', files: withSettings('[hooks]\npre-log = ./e\n') },
      { command: 'hg root', files: withSettings('[alias]\nroot = !./e\n') },
      { command: 'hg diff', files: withSettings('[encode]\n** = ./e\n') },
      { command: 'hg id', files: withSettings('%include ../e\n') },
      { command: 'hg -R sub status', files: { [`${P}/sub/.hg/hgrc`]: '[ui]\nssh = ./e\n' } },
      { command: 'hg --cwd sub status', files: { [`${P}/sub/.hg/hgrc-not-shared`]: '[ui]\nssh = ./e\n' } },
      { command: 'hg cat sub/a', files: { [`${P}/sub/.hg/hgrc`]: '[hooks]\nx = ./e\n' } },
      { command: 'hg status', files: { [`${P}/.hg/sharedpath`]: '/x/.hg\n', '/x/.hg/hgrc': '[hooks]\nx = ./e\n' } },
      { command: 'hg status', files: { [`${P}/.hg/x`]: '', [`${P}/.hgsub`]: 'sub = ../sub\n' } },
      { command: 'go list', files: withSettings('[extensions]\ne = ./e.py\n') },
      { command: 'cd "$X" && hg status' },
      { command: 'hg cat "$X"' },
    ],
    passes: [
      { command: 'hg status' },
      {
        command: 'hg log -p && hg diff',
        files: withSettings(
          '# mine\n[paths]\ndefault = ssh://hg@x.example/y\n[ui]\nusername = a\n[extensions]\nrebase =\n',
        ),
      },
      { command: 'hg status', files: withSettings('[hooks]\nx = ./e\n'), context: { probe: null } },
      { command: 'ssh host hg status', files: withSettings('[hooks]\nx = ./e\n') },
      { command: 'go version', files: withSettings('[hooks]\nx = ./e\n') },
    ],
  },
  inspect(command, { context: { probe } }) {
    if (probe === null || command.elsewhere !== null || !startsHg(command)) return null;
    const starts = startsOf(command);
    if (starts === null) return hit(command, UNKNOWN);
    const folders = new Set(starts.flatMap((start) => foldersUp(start, probe)));
    const repositories = [...folders].filter((folder) => probe.kind(posix.join(folder, '.hg')) !== 'absent');
    // Outside of any it takes the one in which a file is that it is given.
    if (repositories.length === 0 && command.name === 'hg' && command.invocation?.operands.includes(null))
      return hit(command, UNKNOWN);
    return repositories.flatMap((folder) => problemsOf(folder, probe)).map((what) => hit(command, what));
  },
};

/** go asks the version control of the folder, whichever it is. */
function startsHg({ name, readOnly, invocation }: CommandFact): boolean {
  if (name === 'hg') return true;
  return readOnly && ['list', 'doc', 'mod'].includes(invocation?.path[1] ?? '');
}

function hit(command: CommandFact, what: string): Hit {
  return { span: command.span, message: `\`${command.name}\` depends on ${what}, which may run a program.` };
}

/** Where it looks for a repository: its folder, `-R`, `--cwd`, and the files that it is given. `null`: not known. */
function startsOf({ cwd, invocation, name }: CommandFact): readonly string[] | null {
  if (cwd === null || invocation === null) return null;
  if (name !== 'hg') return cwd;
  const named: string[] = [];
  for (const { names, value } of [...invocation.leading, ...invocation.options]) {
    if (!names.includes('-R') && !names.includes('--cwd')) continue;
    if (value === null) return null;
    named.push(value);
  }
  const operands = invocation.operands.filter((word): word is string => word !== null);
  const inFolders = [...cwd, ...named.flatMap((value) => cwd.map((from) => posix.resolve(from, value)))];
  return [...inFolders, ...operands.flatMap((word) => inFolders.map((from) => posix.resolve(from, word)))];
}

function problemsOf(folder: string, probe: Probe): readonly string[] {
  const own = posix.join(folder, '.hg');
  const shared = probe.readText(posix.join(own, 'sharedpath'), FILE_LIMIT_BYTES)?.trim() ?? '';
  const files = [posix.join(own, 'hgrc'), posix.join(own, 'hgrc-not-shared')];
  if (shared !== '') files.push(posix.join(posix.resolve(own, shared), 'hgrc'));
  // What is in there has settings of its own, and may even be a git repository.
  const nested = posix.join(folder, '.hgsub');
  return [
    ...files.flatMap((file) => harmfulSettings(file, probe)),
    ...(probe.kind(nested) === 'absent' ? [] : [`the repositories in ${nested}`]),
  ];
}

function harmfulSettings(file: string, probe: Probe): readonly string[] {
  if (probe.kind(file) === 'absent') return [];
  const text = probe.readText(file, FILE_LIMIT_BYTES);
  if (text === null) return [`${file}, which cannot be read`];
  let section = '';
  for (const [i, line] of text
    .replace(/^\u{feff}/u, '')
    .split(/\r\n|\r|\n/)
    .entries()) {
    if (/^(?:[;#].*)?\s*$/.test(line)) continue;
    const header = /^\[([^[\]]+)\]/.exec(line)?.[1];
    if (header !== undefined) section = header;
    else if (!isHarmless(section, line)) return [`${line.trim().slice(0, 80)} (${file}:${i + 1})`];
  }
  return [];
}

/** A line that is indented continues the value above it. */
function isHarmless(section: string, line: string): boolean {
  if (HARMLESS_SECTION.test(section)) return !line.startsWith('%');
  const [, name, value] = /^([^=\s%][^=]*?)\s*=\s*(.*?)\s*$/.exec(line) ?? [];
  if (name === undefined) return false;
  return HARMLESS_SETTING.test(`${section}.${name}`) || HARMLESS_EXTENSION.test(`${section}.${name} = ${value}`);
}
