// The `.npmrc` of a project sets where npm writes its logs and its cache, and how many logs it keeps: npm obeys it
// even for `npm --version`. It also sets which server gets which data, including values of environment variables.

import { posix } from 'node:path';
import type { CommandFact } from '../../core/facts.ts';
import type { Probe } from '../../core/probe.ts';
import type { CommandCheck } from '../check.ts';
import { foldersUp } from './folders-up.ts';

const P = '/home/u/project';
const FILE_LIMIT_BYTES = 262_144;
/** Files and folders that npm writes or deletes, and programs that it starts. */
const CHOOSES =
  /^(?:logs-dir|logs-max|cache|tmp|timing|prefix|globalconfig|userconfig|init-module|onload-script|node-options|git|viewer|browser|editor|shell|script-shell|node-gyp)$/;

/** Servers and proxies for npm's requests, which contain the user's token, and how npm identifies itself. */
const SENDS = /^(?:(?:https?-)?proxy|user-agent|(?:@[^:]*:)?registry)$/;

export const npmSettings: CommandCheck = {
  id: 'npm-settings',
  layer: 'repository',
  severity: 'medium',
  verdict: 'ask',
  names: ['npm', 'npx'],
  message: 'The `.npmrc` of this project decides where npm writes or deletes files, or where it sends secrets.',
  instead: 'Look at `.npmrc` first.',
  examples: {
    matches: [
      { command: 'npm ls', files: { [`${P}/.npmrc`]: 'logs-dir=src\nlogs-max=0\n' } },
      { command: 'npm --version', files: { [`${P}/.npmrc`]: 'cache = ./c\n' } },
      { command: 'npx --version', files: { [`${P}/.npmrc`]: 'logs-dir = ./c\n' } },
      { command: 'npm view x', cwd: `${P}/src`, files: { [`${P}/.npmrc`]: '; x\n"logs-dir"=src\n' } },
      { command: 'npm outdated', files: { [`${P}/.npmrc`]: '${X}-dir=src\n' } },
      { command: 'npm --prefix sub ls', files: { [`${P}/sub/.npmrc`]: 'logs-dir=src\n' } },
      { command: 'cd "$X" && npm ls' },
      {
        command: 'npm view x',
        files: { [`${P}/.npmrc`]: '//x.example/:_authToken=${TOKEN}\nregistry=https://x.example/\n' },
      },
      { command: 'npm whoami', files: { [`${P}/.npmrc`]: 'https-proxy=http://x.example/\n' } },
      { command: 'npm view @a/x', files: { [`${P}/.npmrc`]: '@a:registry=https://x.example/\n' } },
      { command: 'npm ping', files: { [`${P}/.npmrc`]: 'user-agent=x\n' } },
    ],
    passes: [
      'npm ls',
      {
        command: 'npm ls',
        files: {
          [`${P}/.npmrc`]:
            '# us\nregistry=https://x.example/\n@a:registry = https://x.example/\n//x.example/:_authToken=${TOKEN}\nsave-exact=true\n',
        },
      },
      { command: 'npm ls', files: { [`${P}/.npmrc`]: 'logs-dir=src\n' }, context: { probe: null } },
      { command: 'npm install', files: { [`${P}/.npmrc`]: 'cache=x\n' } },
      { command: 'npm ls', files: { '/home/u/.npmrc': 'cache=/fast/npm\n' } },
    ],
  },
  inspect(command, { context: { probe, home } }) {
    if (probe === null || command.elsewhere !== null || !(command.readOnly || onlyContacts(command))) return null;
    const starts = startsOf(command);
    if (starts === null) return { span: command.span, message: 'The `.npmrc` that npm reads here is unknown.' };
    const files = new Set(
      starts.flatMap((start) => foldersUp(start, probe)).map((folder) => posix.join(folder, '.npmrc')),
    );
    // That one belongs to the user.
    if (home !== null) files.delete(posix.join(home, '.npmrc'));
    for (const file of files) {
      const setting = harmfulSetting(file, probe, command.effects.network.length > 0);
      if (setting !== null) return { span: command.span, message: `npm depends on ${setting} (${file}).` };
    }
    return null;
  },
};

/** Allowed hosts are not asked about, so the host must be the one in the facts. */
function onlyContacts({ effects, class: kind }: CommandFact): boolean {
  return kind === 'network' && effects.executes.length === 0 && effects.changes.length === 0;
}

function startsOf({ cwd, invocation }: CommandFact): readonly string[] | null {
  if (cwd === null) return null;
  const given = [...(invocation?.leading ?? []), ...(invocation?.options ?? [])].filter(({ names }) =>
    names.includes('--prefix'),
  );
  if (given.some(({ value }) => value === null)) return null;
  return [...cwd, ...given.flatMap(({ value }) => cwd.map((from) => posix.resolve(from, value ?? '')))];
}

function harmfulSetting(file: string, probe: Probe, isSending: boolean): string | null {
  if (probe.kind(file) === 'absent') return null;
  const text = probe.readText(file, FILE_LIMIT_BYTES);
  if (text === null) return 'settings that cannot be read';
  for (const line of text.split(/[\r\n]+/)) {
    const [, name, value = ''] = /^\s*([^#;=\s][^=]*?)\s*(?:=(.*)|$)/.exec(line) ?? [];
    if (name === undefined) continue;
    if (isSending && (SENDS.test(name.toLowerCase()) || value.includes('${'))) return name;
    // npm expands variables, and parses quoted names as JSON: such a name may be any.
    if (/["'\\]|\$\{/.test(name) || CHOOSES.test(name.replace(/\[\]$/, '').toLowerCase())) return name;
  }
  return null;
}
