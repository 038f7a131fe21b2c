// hg loads extensions, hooks and aliases from the configuration of the repository for every command, and from that
// of other repositories on this machine that it opens. Only settings known to run nothing pass; see `hg help config`.

import { posix } from 'node:path';
import type { CommandFact } from '../../core/facts.ts';
import type { Probe } from '../../core/probe.ts';
import type { CommandCheck, Hit } from '../check.ts';
import { foldersUp } from './folders-up.ts';

const P = '/home/u/project';
const FILE_LIMIT_BYTES = 262_144;
const UNKNOWN = 'a repository that cannot be checked';

const HARMLESS_SECTION = /^(?:paths|web|diff|phases|color|progress|revsetalias|templatealias)$/;
const HARMLESS_SETTING = /^ui\.(?:username|verbose|quiet|color|timeout|paginate|interactive|logtemplate)$/;
/** Addresses that are not opened as repositories on this machine. */
const ELSEWHERE = /^(?:https?|ssh):\/\/[^-]/i;
/** Functions of revision sets that open the repository at a path. */
const OPENS_ANOTHER = /\b(?:remote|outgoing)\s*\(/;
/** Without a value it is an extension installed with hg; `!` disables it. */
const HARMLESS_EXTENSION = /^extensions\.[\w.-]+ = (?:!.*)?$/;

const withSettings = (text: string) => ({ [`${P}/.hg/hgrc`]: text });

const OTHER = { '/home/u/other/.hg/hgrc': '[hooks]\nx = ./e\n' };

export const hgConfigExecutes: CommandCheck = {
  id: 'hg-config-executes',
  layer: 'repository',
  severity: 'high',
  verdict: 'ask',
  names: ['hg', 'go'],
  message: 'The configuration of this Mercurial repository makes hg run a program.',
  instead: 'Check the `hgrc` file in the folder `.hg` first.',
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
      { command: 'hg incoming', files: { ...withSettings('[paths]\ndefault = ../other\n'), ...OTHER } },
      { command: 'hg outgoing', files: { ...withSettings('[paths]\ndefault =\n  ../other\n'), ...OTHER } },
      { command: 'hg log -r "outgoing()"', files: { ...withSettings('[paths]\nx = /home/u/other\n'), ...OTHER } },
      { command: 'hg in', files: withSettings('[paths]\ndefault = $X/y\n') },
      { command: 'hg in', files: withSettings('[paths]\ndefault = bundle:x\n') },
      { command: 'hg log -r "remote(tip, \'../other\')"', files: withSettings('') },
      { command: 'hg log -r x', files: withSettings("[revsetalias]\nx = outgoing('../other')\n") },
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
      {
        command: 'hg incoming && hg outgoing && hg log -r "outgoing()"',
        files: { ...withSettings('[paths]\ndefault = ../clean\n'), '/home/u/clean/.hg/hgrc': '[ui]\nusername = a\n' },
      },
      { command: 'hg status', files: withSettings('[hooks]\nx = ./e\n'), context: { probe: null } },
      { command: 'ssh host hg status', files: withSettings('[hooks]\nx = ./e\n') },
      { command: 'go version', files: withSettings('[hooks]\nx = ./e\n') },
    ],
  },
  inspect(command, { context: { probe, home } }) {
    if (probe === null || command.elsewhere !== null || !startsHg(command)) return null;
    const starts = startsOf(command);
    if (starts === null) return hit(command, UNKNOWN);
    const folders = new Set(starts.flatMap((start) => foldersUp(start, probe)));
    const repositories = [...folders].filter((folder) => isRepository(folder, probe));
    // Outside any repository it uses the one that contains a file operand.
    if (repositories.length === 0 && command.name === 'hg' && command.invocation?.operands.includes(null))
      return hit(command, UNKNOWN);
    const opened = command.argv.some((word) => /\b(?:remote|outgoing)\s*\([^)]/.test(word ?? ''))
      ? ['the repository that its revisions name']
      : [];
    const problems = repositories.flatMap((folder) => {
      const { harmful, others } = examine(folder, { probe, home });
      return [...harmful, ...others.flatMap((other) => problemsOfOther(other, { probe, home }))];
    });
    return [...problems, ...opened].map((what) => hit(command, what));
  },
};

/** go uses the version control system of the folder, whichever it is. */
function startsHg({ name, readOnly, invocation }: CommandFact): boolean {
  if (name === 'hg') return true;
  return readOnly && ['list', 'doc', 'mod'].includes(invocation?.path[1] ?? '');
}

function hit(command: CommandFact, what: string): Hit {
  return { span: command.span, message: `\`${command.name}\` depends on ${what}, which may run a program.` };
}

/** Where it looks for a repository: its folder, `-R`, `--cwd`, and its file operands. `null`: unknown. */
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

interface Disk {
  readonly probe: Probe;
  readonly home: string | null;
}

interface Examination {
  readonly harmful: readonly string[];
  /** Folders of repositories on this machine that hg may open; `null`: an unknown one. */
  readonly others: readonly (string | null)[];
}

function isRepository(folder: string, probe: Probe): boolean {
  return probe.kind(posix.join(folder, '.hg')) !== 'absent';
}

function problemsOfOther(folder: string | null, disk: Disk): readonly string[] {
  if (folder === null) return ['a path to another repository that cannot be resolved'];
  return isRepository(folder, disk.probe) ? examine(folder, disk).harmful : [];
}

function examine(folder: string, disk: Disk): Examination {
  const { probe } = disk;
  const own = posix.join(folder, '.hg');
  const shared = probe.readText(posix.join(own, 'sharedpath'), FILE_LIMIT_BYTES)?.trim() ?? '';
  const files = [posix.join(own, 'hgrc'), posix.join(own, 'hgrc-not-shared')];
  if (shared !== '') files.push(posix.join(posix.resolve(own, shared), 'hgrc'));
  // Nested repositories have their own settings, and may even be git repositories.
  const nested = posix.join(folder, '.hgsub');
  const examined = files.map((file) => examineFile(file, folder, disk));
  return {
    harmful: [
      ...examined.flatMap(({ harmful }) => harmful),
      ...(probe.kind(nested) === 'absent' ? [] : [`the repositories in ${nested}`]),
    ],
    others: examined.flatMap(({ others }) => others),
  };
}

function examineFile(file: string, root: string, { probe, home }: Disk): Examination {
  const others: (string | null)[] = [];
  if (probe.kind(file) === 'absent') return { harmful: [], others };
  const text = probe.readText(file, FILE_LIMIT_BYTES);
  if (text === null) return { harmful: [`${file}, which cannot be read`], others };
  let section = '';
  for (const [i, line] of text
    .replace(/^\u{feff}/u, '')
    .split(/\r\n|\r|\n/)
    .entries()) {
    if (/^(?:[;#].*)?\s*$/.test(line)) continue;
    const header = /^\[([^[\]]+)\]/.exec(line)?.[1];
    if (header !== undefined) section = header;
    else if (!isHarmless(section, line)) return { harmful: [`${line.trim().slice(0, 80)} (${file}:${i + 1})`], others };
    else if (section === 'paths') others.push(...otherRepository(line, root, home));
  }
  return { harmful: [], others };
}

/** The value of a line in `[paths]`, or of one that continues the line above it. */
function otherRepository(line: string, root: string, home: string | null): readonly (string | null)[] {
  const value = (/^\S[^=]*=(.*)$/.exec(line)?.[1] ?? line).trim();
  if (value === '' || ELSEWHERE.test(value)) return [];
  if (value.startsWith('~/') && home !== null) return [posix.join(home, value.slice(2))];
  return [/[$:~%]/.test(value) ? null : posix.resolve(root, value)];
}

/** An indented line continues the value above it. */
function isHarmless(section: string, line: string): boolean {
  if (OPENS_ANOTHER.test(line)) return false;
  if (HARMLESS_SECTION.test(section)) return !line.startsWith('%');
  const [, name, value] = /^([^=\s%][^=]*?)\s*=\s*(.*?)\s*$/.exec(line) ?? [];
  if (name === undefined) return false;
  return HARMLESS_SETTING.test(`${section}.${name}`) || HARMLESS_EXTENSION.test(`${section}.${name} = ${value}`);
}
