// Logins in the configuration of git (`https://user:token@host`), and settings and index entries that name files with
// secrets: git prints them without a word of the command that names the file.

import { posix } from 'node:path';
import type { CommandFact } from '../../../core/facts.ts';
import type { Probe } from '../../../core/probe.ts';
import type { CommandCheck, Hit, Subject } from '../../check.ts';
import { showsNoContent } from '../../paths/listings.ts';
import { judgePath } from '../../paths/place.ts';
import { secretTable, secretWords } from '../../paths/tables/secret-paths.ts';
import { parseGitConfig } from './git-config.ts';
import { findGitFolders } from './git-folders.ts';
import { readTrackedNames } from './git-index.ts';
import { type LocatedSetting, resolvePathSetting, SettingsReader } from './git-settings.ts';

const P = '/home/u/project';
const HEAD = { [`${P}/.git/HEAD`]: 'ref: refs/heads/main\n', [`${P}/.git/objects/x`]: '', [`${P}/.git/refs/x`]: '' };
const config = (text: string) => ({ ...HEAD, [`${P}/.git/config`]: text });
const TOKEN = config('[user]\n\tname = a\n[remote "origin"]\n\turl = https://a:ghp_0123456789@example.com/a.git\n');
const CONFIG_LIMIT_BYTES = 262_144;
const INDEX_LIMIT_BYTES = 16_777_216;

export const gitCredentials: CommandCheck = {
  id: 'git-credentials',
  layer: 'repository',
  severity: 'high',
  verdict: 'ask',
  message: 'This prints a password or token that is in the configuration of git.',
  instead: 'Print one setting: `git config user.name`; `git remote` lists the names of remotes.',
  examples: {
    matches: [
      { command: 'git config -l', files: TOKEN },
      { command: 'git config --get remote.origin.url', files: TOKEN },
      { command: 'git config --get-regexp remote', files: TOKEN },
      { command: 'git config -f .git/config --list', files: TOKEN },
      { command: 'git var -l', files: TOKEN },
      { command: 'git remote -v', files: TOKEN },
      { command: 'git remote get-url origin', files: TOKEN },
      { command: 'git remote show -n origin', files: TOKEN },
      { command: 'git ls-remote --get-url', files: TOKEN },
      { command: 'cat .git/config', files: TOKEN },
      { command: 'grep url .git/*', files: TOKEN },
      { command: 'git config --list', files: { ...HEAD, '/home/u/.gitconfig': '[github]\n\ttoken = abc\n' } },
      {
        command: 'cat ~/.gitconfig',
        files: { '/home/u/.gitconfig': '[http]\nextraHeader = Authorization: Basic eA==' },
      },
      {
        command: 'git remote -v',
        files: config('[url "https://ghp_01234567890123456789@example.com/"]\ninsteadOf = x:'),
      },
      { command: 'git blame a', files: config('[blame]\n\tignoreRevsFile = .env\n') },
      { command: 'git status', files: config('[core]\n\tattributesFile = /home/u/.ssh/id_rsa\n') },
    ],
    passes: [
      { command: 'git config user.name', files: TOKEN },
      { command: 'git remote', files: TOKEN },
      { command: 'git status', files: TOKEN },
      { command: 'ls -l .git/config', files: TOKEN },
      { command: 'git config -l', files: config('[remote "origin"]\n\turl = git@example.com:a/b.git\n') },
      { command: 'git remote -v', files: config('[remote "origin"]\n\turl = https://me@example.com/a/b.git\n') },
      { command: 'cat .git/config', files: config('[remote "origin"]\n\turl = https://example.com/a/b.git\n') },
      { command: 'git blame a', files: config('[blame]\n\tignoreRevsFile = .git-blame-ignore-revs\n') },
      { command: 'git remote -v', files: TOKEN, context: { probe: null } },
    ],
  },
  inspect(command, subject) {
    const { probe } = subject.context;
    if (probe === null || command.elsewhere !== null) return null;
    const file = findConfigWithLogin(command, subject, probe);
    if (file !== null) return { span: command.span, message: `It would print a login in ${file}.` };
    return command.name === 'git' ? inspectGit(command, subject, probe) : null;
  },
};

const CONFIG_FILE = /(?:^|\/)(?:\.git\/(?:.*\/)?config(?:\.worktree)?|\.gitconfig|\.config\/git\/config|gitconfig)$/;

/** `cat .git/config`, `git config -f FILE -l`. */
function findConfigWithLogin(command: CommandFact, subject: Subject, probe: Probe): string | null {
  const { reads } = command.effects;
  if (!reads.some(({ path }) => path !== null && /config|[*?[]/.test(path)) || showsNoContent(command)) return null;
  for (const effect of reads) {
    const { forms } = judgePath(effect, 'read', command, subject);
    for (const form of forms) {
      if (!CONFIG_FILE.test(form) && command.name !== 'git') continue;
      const settings = parseGitConfig(probe.readText(form, CONFIG_LIMIT_BYTES) ?? '') ?? [];
      if (settings.some(containsLogin)) return form;
    }
  }
  return null;
}

function inspectGit(command: CommandFact, { context }: Subject, probe: Probe): Hit | null {
  const printed = printedSettings(command);
  const found = findGitFolders(command, probe);
  // The check of what git runs asks about such a folder.
  if ('unknown' in found) return null;
  const reader = new SettingsReader(probe, context.home);
  for (const folder of found.folders) reader.read(folder);
  const { span } = command;
  for (const setting of reader.settings) {
    const secret = command.readOnly ? secretOf(setting, context.home) : null;
    if (secret !== null) return { span, message: `git would read ${secret} (${setting.file}:${setting.line}).` };
  }
  if (printed === null) return null;
  const files = ['/etc/gitconfig', ...(context.home === null ? [] : userFiles(context.home))];
  const global = files.flatMap((file) => readConfig(file, probe));
  const login = [...reader.settings, ...global].find((setting) => containsLogin(setting) && printed(setting));
  return login === undefined
    ? null
    : { span, message: `It would print a login that is in ${login.file}:${login.line}.` };
}

function userFiles(home: string): readonly string[] {
  return [posix.join(home, '.gitconfig'), posix.join(home, '.config/git/config')];
}

function readConfig(file: string, probe: Probe): readonly LocatedSetting[] {
  if (probe.kind(file) !== 'file') return [];
  const settings = parseGitConfig(probe.readText(file, CONFIG_LIMIT_BYTES) ?? '') ?? [];
  return settings.map((setting) => ({ ...setting, file }));
}

type IsPrinted = (setting: LocatedSetting) => boolean;

const ALL: IsPrinted = () => true;
const ADDRESSES: IsPrinted = ({ section }) => section === 'remote' || section === 'url';

/** Which settings the command prints; `null`: none. */
function printedSettings({ invocation }: CommandFact): IsPrinted | null {
  const [, verb, deeper] = invocation?.path ?? [];
  const { options = [], operands = [] } = invocation ?? {};
  const has = (...names: readonly string[]) =>
    options.some((option) => names.some((name) => option.names.includes(name)));
  switch (verb) {
    case 'config': {
      const key = operands.filter((word) => word !== 'get').at(0);
      const isOne = !has('-l', '--list', '--get-regexp', '--get-urlmatch', '--regexp') && key !== 'list';
      return isOne && typeof key === 'string' ? (setting) => nameOf(setting) === key.toLowerCase() : ALL;
    }
    case 'var':
      return has('-l') ? ALL : null;
    case 'remote':
      return deeper === 'get-url' || deeper === 'show' || has('-v', '--verbose') ? ADDRESSES : null;
    case 'ls-remote':
      return has('--get-url') ? ADDRESSES : null;
    default:
      return null;
  }
}

function nameOf({ section, subsection, name }: LocatedSetting): string {
  return [section, ...(subsection === null ? [] : [subsection]), name].join('.').toLowerCase();
}

/** `user:password@` or a long name, as tokens are; `git@` and `me@` are names. */
const LOGIN = /[a-z]:\/\/(?:[^/?#@\s:]*:[^/?#@\s]+|[^/?#@\s:]{20,})@/i;
const SECRET_NAME = /token|passw|passphrase|smtppass|secret|apikey|api-key/;

function containsLogin({
  section,
  subsection,
  name,
  value,
}: Pick<LocatedSetting, 'section' | 'subsection' | 'name' | 'value'>): boolean {
  if (LOGIN.test(subsection ?? '') || LOGIN.test(value ?? '')) return true;
  if (value === null || value === '') return false;
  if (name === 'extraheader') return /authorization|cookie|token/i.test(value);
  if (section === 'credential') return /password=/i.test(value);
  return SECRET_NAME.test(name) && !/^(?:true|false|\d+)$/i.test(value);
}

/** Files whose content git prints in errors and warnings if it is not what git expects. */
const FILE_SETTINGS = new Set([
  'blame.ignorerevsfile',
  'core.attributesfile',
  'core.excludesfile',
  'mailmap.file',
  'include.path',
  'diff.orderfile',
]);

function secretOf(setting: LocatedSetting, home: string | null): string | null {
  const { section, name, value, file } = setting;
  const isFile = FILE_SETTINGS.has(`${section === 'includeif' ? 'include' : section}.${name}`);
  if (!isFile || value === null || !secretWords().test(value)) return null;
  const path = resolvePathSetting(value, posix.dirname(file), home);
  return path !== null && isSecret(path, home) ? value : null;
}

function isSecret(path: string, home: string | null): boolean {
  const found = secretTable().find(path, home);
  return found !== null && found.what !== null;
}

/** The first tracked file that contains secrets, of those that pass. */
export function findTrackedSecret(
  command: CommandFact,
  { context: { probe, home } }: Subject,
  passes: (path: string) => boolean,
): string | null {
  if (probe === null) return null;
  const found = findGitFolders(command, probe);
  if ('unknown' in found) return null;
  for (const { own, workTree } of found.folders) {
    const bytes = probe.readBytes(posix.join(own, 'index'), INDEX_LIMIT_BYTES);
    const names = bytes === null ? [] : (readTrackedNames(bytes, 20) ?? readTrackedNames(bytes, 32) ?? []);
    for (const name of names) {
      const path = posix.join(workTree ?? '/', name);
      if (secretWords().test(name) && isSecret(path, home) && passes(path)) return path;
    }
  }
  return null;
}
