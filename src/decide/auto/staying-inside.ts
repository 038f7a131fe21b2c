// A command → the guarantees that hold what it can do, or `null` if a person must be asked whatever is held: it leaves
// the machine or the sandbox, prints secrets, or changes where git sends things.

import type { CommandFact, NetworkEffect } from '../../core/facts.ts';
import { wordSet } from '../../core/values/once.ts';
import type { Reliance } from '../../core/verdict.ts';
import { isCall, knownWords, operandsOf } from '../checks/safety/terms/words.ts';
import type { Destruction } from './destruction.ts';

/** For files that the command names. */
const FILES: readonly Reliance[] = ['writes-confined', 'code-protected'];
/** For code of which only the kernel knows what it does. */
export const CODE: readonly Reliance[] = [...FILES, 'secrets-hidden', 'network-allowlist', 'machine-apart'];
/** For code that may as well delete the project. */
export const ANYTHING: readonly Reliance[] = [...CODE, 'undoable'];

export interface Surroundings {
  readonly destruction: Destruction;
  /** A rule or the list of domains allows it. */
  readonly isHostAllowed: (effect: NetworkEffect) => boolean;
}

export function relianceOf(
  command: CommandFact,
  { destruction, isHostAllowed }: Surroundings,
): readonly Reliance[] | null {
  const { effects, elsewhere } = command;
  if (elsewhere !== null || effects.privilege || effects.discloses.length > 0) return null;
  if (command.name !== null && THROUGH_OTHERS.has(command.name)) return null;
  if (!staysHere(command, isHostAllowed) || sendsGitElsewhere(command) || soundsLikeLeaving(command)) return null;
  const isOnlyFiles =
    effects.executes.length + effects.unknown.length + effects.changes.length + effects.network.length === 0;
  const base = isOnlyFiles ? FILES : CODE;
  return isCodeOfCommand(command) || destruction.isBy(command) ? [...base, 'undoable'] : base;
}

/** By program: subcommands that get something from a server and change nothing there. */
const FETCHES: Readonly<Record<string, readonly string[] | 'all'>> = {
  ...Object.fromEntries(
    ['npm', 'pnpm', 'yarn', 'bun'].map((name) => [
      name,
      [
        ...['ci', 'install', 'i', 'add', 'update', 'upgrade', 'up', 'uninstall', 'remove', 'rm', 'dedupe', 'prune'],
        ...[
          'link',
          'unlink',
          'rebuild',
          'import',
          'clean-install',
          'install-test',
          'view',
          'info',
          'outdated',
          'audit',
        ],
      ],
    ]),
  ),
  ...Object.fromEntries(['pip', 'pip3'].map((name) => [name, ['install', 'download', 'uninstall', 'wheel']])),
  uv: ['sync', 'add', 'remove', 'lock', 'pip', 'venv', 'run', 'build', 'tool'],
  poetry: ['install', 'add', 'remove', 'update', 'lock', 'sync', 'build', 'run'],
  cargo: ['add', 'fetch', 'update', 'build', 'check', 'test', 'run', 'doc', 'bench', 'clippy', 'fix', 'vendor'],
  git: ['fetch', 'pull', 'clone', 'submodule'],
  ...Object.fromEntries(
    ['go', 'mvn', 'gradle', 'dotnet', 'composer', 'bundle', 'mix', 'sbt', 'swift', 'deno'].map((name) => [name, 'all']),
  ),
};

function fetches({ invocation }: CommandFact): boolean {
  const [program = '', subcommand = ''] = invocation?.path ?? [];
  const known = Object.hasOwn(FETCHES, program) ? FETCHES[program] : undefined;
  return known === 'all' || known?.includes(subcommand) === true || (program === 'yarn' && subcommand === '');
}

/** The proxy decides about hosts that are not known; the names of others must be allowed. Servers stay as they are. */
function staysHere(command: CommandFact, isHostAllowed: (effect: NetworkEffect) => boolean): boolean {
  const { network, changes, executes } = command.effects;
  if (network.length === 0) return true;
  if (!network.every((effect) => effect.host === null || isHostAllowed(effect))) return false;
  // An address in the words is not one that the user has configured.
  if (fetches(command)) return !network.some(({ host }) => host === null) || !knownWords(command).some(isAddress);
  // A database client sends code to its server.
  if (changes.length > 0 || executes.some(({ kind }) => kind === 'code')) return false;
  return network.every(({ host }) => host !== null) || executes.some(({ kind }) => kind === 'hook');
}

function isAddress(word: string): boolean {
  return word.includes('://') || /^[\w.-]+@[\w.-]+:/.test(word);
}

/** They ask a service of the machine or of another one to do it, or wait for connections from outside. */
const THROUGH_OTHERS = wordSet(
  'docker docker-compose podman nerdctl buildah kubectl oc helm systemctl systemd-run service launchctl loginctl crontab at ' +
    'batch hostname hostnamectl timedatectl localectl journalctl osascript ssh sftp mosh scp ngrok cloudflared adb',
);

/** What the user pushes later must not go to another server than it did. */
const GIT_SETTINGS = wordSet('config remote maintenance credential credential-store instaweb daemon');
const OWN_NAME = /^user\.(?:name|email)$/i;

/** An unknown subcommand may be an alias: `git -c alias.p=push p`. */
function sendsGitElsewhere(command: CommandFact): boolean {
  if (!isCall(command, 'git')) return false;
  const [, subcommand, action = ''] = command.invocation?.path ?? [];
  if (subcommand === undefined) return true;
  if (subcommand === 'config') return !OWN_NAME.test(operandsOf(command)[0] ?? '');
  return GIT_SETTINGS.has(subcommand) || (subcommand === 'submodule' && action !== 'update' && action !== 'init');
}

/** `make deploy`, `npm run release:minor`, `./publish.sh`, `rails db:drop`: code of the project that is meant to do more. */
const LEAVING =
  /^(?:[\w@]+[:.-])*(?:deploy|publish|release|upload|push|promote|destroy|drop|dropdb|flush)(?:[:.-]\w+)*$/;
const RESETS = /^(?:db|migrate):(?:reset|purge|setup|rollback)$/;
const TESTS = /\.(?:test|spec)\./;

function soundsLikeLeaving(command: CommandFact): boolean {
  const { name, effects, argv } = command;
  if (name === 'git' || effects.executes.length + effects.unknown.length === 0) return false;
  const words = [argv[0] ?? '', ...knownWords(command)].map((word) => word.slice(word.lastIndexOf('/') + 1));
  return words.some((word) => (LEAVING.test(word) && !TESTS.test(word)) || RESETS.test(word));
}

/** Programs that run scripts which the project names. */
const RUNNERS = wordSet('yarn pnpm npm bun just task rake nx turbo lerna invoke tox nox');

/** They change files of the project by what they read. */
const DATABASES = wordSet('sqlite3 duckdb');

/** Code or a program that the project does not name: nothing says that it leaves the files of the project alone. */
function isCodeOfCommand(command: CommandFact): boolean {
  const { name, class: kind, effects, kind: how } = command;
  const isCode = effects.executes.some(({ kind: what }) => what === 'code' || what === 'shell');
  // `node --test` finds its files in the project.
  if (isCode) return !knownWords(command).includes('--test');
  if (name !== null && DATABASES.has(name)) return true;
  const isUnknown = kind === 'unknown' && effects.executes.length === 0;
  return isUnknown && how === 'program' && !(name !== null && RUNNERS.has(name));
}
