// Sources of code that is not in the text (downloads, decoders, sockets), and the programs that run such code.

import type { CommandFact } from '../../../../core/facts.ts';
import { wordSet } from '../../../../core/values/once.ts';
import { hasOption, isCall, knownWords } from '../terms/words.ts';

const DOWNLOADERS = wordSet(
  'curl wget wget2 fetch aria2c axel http https xh lynx w3m links elinks nc ncat netcat socat ftp lftp tftp sftp GET lwp-request telnet rclone gsutil ipfs',
);
const DATABASE_CLIENTS = wordSet('psql mysql mariadb sqlite3 redis-cli mongosh mongo sqlcmd duckdb');

export function isDownload(command: CommandFact): boolean {
  const { name, redirects, effects } = command;
  if (name !== null && DOWNLOADERS.has(name)) return effects.network.length > 0 || command.invocation === null;
  if (isCall(command, 'openssl', 's_client') || isCall(command, 'gh', 'api')) return true;
  // Output of another machine is as unknown as data from a server.
  if (name === 'ssh') return effects.network.length > 0;
  if (name === 'aws') return knownWords(command).includes('s3') && effects.network.length > 0;
  return redirects.some(({ target }) => isSocket(target));
}

export function isSocket(target: CommandFact['redirects'][number]['target']): boolean {
  if (target === null) return false;
  const text = target.kind === 'literal' ? target.value : target.head;
  return text.startsWith('/dev/tcp/') || text.startsWith('/dev/udp/');
}

const DECODERS = wordSet('base64 base32 basenc xxd openssl uudecode rev gpg age');

export function isDecoder(command: CommandFact): boolean {
  if (command.name === null || !DECODERS.has(command.name)) return false;
  const words = knownWords(command);
  switch (command.name) {
    case 'base64':
    case 'base32':
    case 'basenc':
      return hasOption(command, '-d', '-D', '--decode') || words.some((word) => /^-[a-zA-Z]*[dD]|^--d/.test(word));
    case 'xxd':
      return words.some((word) => /^-[a-z]*r/.test(word));
    case 'openssl':
      return words.includes('-d') || words.includes('-decrypt');
    case 'uudecode':
    case 'rev':
      return true;
    case 'gpg':
    case 'age':
      return words.some((word) => word === '-d' || word === '--decrypt');
    default:
      return false;
  }
}

/** Standard input by another name. */
const INPUT_FILE = /^-$|^\/dev\/(?:stdin|fd\/\d+)$|^\/proc\/self\/fd\/\d+$/;

/** Interpreters that read their code from stdin if no file is given, and that the table knows only by name. */
const READS_CODE = wordSet(
  'tclsh wish expect osascript pwsh powershell powershell.exe Rscript R julia octave guile racket sbcl clojure clj groovy irb ghci elixir erl scala m4 at batch crontab parallel',
);

function readsCode({ name, argv }: CommandFact): boolean {
  if (name === null || !READS_CODE.has(name)) return false;
  if (name === 'at' || name === 'batch') return !argv.includes('-f') && !argv.includes('-l');
  return argv.slice(1).every((word) => word?.startsWith('-') === true && !/^-[lV]$|^--(?:version|help)/.test(word));
}

/** A shell or an interpreter whose code is not in the text of the command. */
export function runsUnseenCode(command: CommandFact): boolean {
  if (command.name !== null && DATABASE_CLIENTS.has(command.name)) return false;
  if (command.name === null && command.words[0]?.kind === 'dynamic') return true;
  if (readsCode(command)) return true;
  return command.effects.executes.some(
    ({ kind, text }) =>
      (text === null || INPUT_FILE.test(text)) && (kind === 'shell' || kind === 'code' || kind === 'file'),
  );
}
