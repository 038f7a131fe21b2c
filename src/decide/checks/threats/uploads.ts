// Data that a network program sends: which options and operands name files, and when it sends its stdin.

import type { CommandFact } from '../../../core/facts.ts';
import { isCall, isOption, knownWords, names, operandsOf, optionsOf, optionValues } from '../safety/terms/words.ts';

const CURL_DATA = names(
  '-d --data --data-ascii --data-binary --data-raw --data-urlencode --json -F --form -T --upload-file --url-query',
);
const WGET_FILES = names('--post-file --body-file');
const WGET_DATA = names('--post-data --body-data');
const SENDS_INPUT = new Set(names('nc ncat netcat telnet socat ssh openssl mosquitto_pub websocat'));
const ALWAYS_SENDS = new Set(
  names('mail mailx mutt sendmail msmtp swaks ftp lftp sftp tftp croc magic-wormhole wormhole transfer'),
);
const LOOKUPS = new Set(names('dig host nslookup drill kdig resolvectl delv'));

/** Whether this sends more than literal words of the command. `isFed`: it has piped input. */
export function isUpload(command: CommandFact, isFed: boolean): boolean {
  const { name } = command;
  if (name === null) return false;
  if (ALWAYS_SENDS.has(name)) return true;
  if (LOOKUPS.has(name)) return command.words.some(({ kind }) => kind === 'dynamic');
  if (SENDS_INPUT.has(name)) return isFed || hasInput(command);
  switch (name) {
    case 'curl':
      return (
        curlData(command).some((value) => value === null || isFileValue(value)) ||
        hasOptionOf(command, ['-T', '--upload-file'])
      );
    case 'wget':
      return hasOptionOf(command, WGET_FILES) || optionValues(command, ...WGET_DATA).includes(null);
    case 'http':
    case 'https':
    case 'xh':
      return isFed || knownWords(command).some((word) => /^[\w-]+(?:@|:?=@)/.test(word));
    case 'scp':
    case 'rsync':
    case 'rclone':
      return isRemotePath(operandsOf(command).at(-1) ?? '') || command.invocation?.operands.at(-1) === null;
    case 'aws':
    case 'gsutil':
      return isCloudUpload(command);
    case 'gh':
      return isCall(command, 'gh', 'gist', 'create');
    case 'git':
      return isCall(command, 'git', 'push') && isRemoteUrl(operandsOf(command)[0] ?? '');
    default:
      return false;
  }
}

/** The files whose content is sent, as far as the words name them. */
export function uploadedPaths(command: CommandFact): readonly string[] {
  const input = command.redirects.flatMap(({ kind, target }) =>
    kind === 'read' && target?.kind === 'literal' ? [target.value] : [],
  );
  switch (command.name) {
    case 'curl':
      return [
        ...input,
        ...curlData(command).flatMap((value) =>
          value !== null && isFileValue(value) ? [value.replace(/^[^@<]*[@<]/, '').replace(/;.*/, '')] : [],
        ),
        ...optionValues(command, '-T', '--upload-file').filter((value) => value !== null),
      ];
    case 'wget':
      return optionValues(command, ...WGET_FILES).filter((value) => value !== null);
    case 'scp':
    case 'rsync':
    case 'rclone':
      return isRemotePath(operandsOf(command).at(-1) ?? '') ? operandsOf(command).slice(0, -1) : [];
    case 'aws':
    case 'gsutil':
      return isCloudUpload(command) ? operandsOf(command) : [];
    case 'gh':
      return isCall(command, 'gh', 'gist', 'create') ? operandsOf(command) : [];
    default:
      return input;
  }
}

const curlData = (command: CommandFact) => optionValues(command, ...CURL_DATA);

/** `@file`, `name@file`, `field=@file`, `field=<file`; `--data-raw` is never a file; the difference does not matter here. */
const isFileValue = (value: string) =>
  /^@|^[^=\s]*=?[@<]./.test(value) && !/^[^@<]*\s/.test(value) && !/^[{["]/.test(value);

const hasOptionOf = (command: CommandFact, wanted: readonly string[]) =>
  optionsOf(command).some((option) => isOption(command, option, wanted));

const hasInput = ({ redirects }: CommandFact) =>
  redirects.some(
    ({ kind, target }) =>
      kind === 'heredoc' ||
      kind === 'herestring' ||
      (kind === 'read' && !(target?.kind === 'literal' && target.value === '/dev/null')),
  );

const isRemotePath = (word: string) => /^[^/\s]+:(?!\\)|^(?:rsync|scp|sftp):\/\//.test(word);

const isRemoteUrl = (word: string) => word.includes('://') || /^[^/\s]+@[^/\s]+:/.test(word);

function isCloudUpload(command: CommandFact): boolean {
  const words = knownWords(command);
  const places = words.filter((word) => !word.startsWith('-'));
  const target = places.at(-1) ?? '';
  const isCopy = words.some((word) => word === 'cp' || word === 'mv' || word === 'sync' || word === 'rsync');
  return isCopy && /^(?:s3|gs):\/\//.test(target) && !/^(?:s3|gs):\/\//.test(places.at(-2) ?? '');
}
