// Meanings of exit codes by command: searching, comparing, files, archives, processes, wrappers. Data only.
// `fine` is an answer ("no matches"), `errors` is a failure. Codes that are not listed are not guessed.

export interface ExitRow {
  /** Programs with their subcommands: `grep`, `git merge-base`. The longest match is used. */
  readonly commands: readonly string[];
  /** One of these options must have been given, in any spelling that the analysis knows. */
  readonly needs?: readonly string[];
  readonly fine?: Readonly<Record<number, string>>;
  readonly errors?: Readonly<Record<number, string>>;
}

const NO_MATCH = 'No lines matched.';
const DIFFER = 'The files differ.';
const CANNOT_START = {
  125: 'The wrapper itself failed.',
  126: 'The command was found but could not be started.',
  127: 'The command was not found.',
};

const SEARCHING: readonly ExitRow[] = [
  {
    commands: ['grep', 'egrep', 'fgrep', 'zgrep', 'xzgrep', 'bzgrep'],
    fine: { 1: NO_MATCH },
    errors: { 2: 'A file could not be read, or the expression is not valid.' },
  },
  {
    commands: ['rg'],
    fine: { 1: NO_MATCH },
    errors: { 2: 'A file could not be read, or the expression is not valid.' },
  },
  { commands: ['ag', 'ack'], fine: { 1: NO_MATCH } },
  { commands: ['fd', 'fdfind'], needs: ['-q', '--quiet'], fine: { 1: 'Nothing was found.' } },
  // CC: not a failure. find exits with 1 for wrong arguments, too.
  { commands: ['find'], fine: { 1: 'Some directories were inaccessible, or an argument is wrong: see stderr.' } },
  { commands: ['locate', 'plocate', 'look'], fine: { 1: 'Nothing was found.' } },
  {
    commands: ['fzf'],
    fine: { 1: 'Nothing matched.' },
    errors: { 2: 'fzf failed.', 130: 'The choice was cancelled.' },
  },
  { commands: ['which'], fine: { 1: 'At least one of the programs is not on the PATH.' } },
  { commands: ['type'], fine: { 1: 'At least one of the names is not known to the shell.' } },
  { commands: ['command'], needs: ['-v', '-V'], fine: { 1: 'The shell does not know this command.' } },
  { commands: ['pgrep', 'pidof'], fine: { 1: 'No process matched.' } },
  { commands: ['pgrep', 'pkill'], errors: { 2: 'The options are not valid.', 3: 'A fatal error, such as no memory.' } },
  { commands: ['pkill'], fine: { 1: 'No process matched.' } },
  { commands: ['killall'], errors: { 1: 'No process was found, or none could be signalled.' } },
  { commands: ['ps'], fine: { 1: 'No process was selected.' } },
  { commands: ['lsof'], fine: { 1: 'No matching file is open, or it is not visible to this user.' } },
  { commands: ['fuser'], fine: { 1: 'No process uses it.' } },
  { commands: ['man', 'whatis', 'apropos'], fine: { 16: 'No page was found.' } },
  {
    commands: ['getent'],
    fine: { 2: 'The key was not found.' },
    errors: { 1: 'The database is not known.', 3: 'The database cannot be listed.' },
  },
  { commands: ['id'], errors: { 1: 'No such user.' } },
];

const COMPARING: readonly ExitRow[] = [
  {
    commands: ['diff', 'zdiff', 'sdiff', 'diff3', 'colordiff'],
    fine: { 1: DIFFER },
    errors: { 2: 'A file is missing or could not be compared.' },
  },
  { commands: ['cmp', 'zcmp'], fine: { 1: DIFFER }, errors: { 2: 'A file is missing or could not be compared.' } },
  { commands: ['comm'], errors: { 1: 'A file could not be read, or is not sorted.' } },
  {
    commands: ['test', '['],
    fine: { 1: 'The condition is false.' },
    errors: { 2: 'The condition is not written correctly.' },
  },
  {
    commands: ['expr'],
    fine: { 1: 'The result is empty or 0.' },
    errors: { 2: 'The expression is not valid.', 3: 'expr failed.' },
  },
  { commands: ['let'], fine: { 1: 'The result is 0.' } },
  { commands: ['false'], fine: { 1: 'false always ends with 1.' } },
  {
    commands: ['sha256sum', 'sha1sum', 'sha512sum', 'md5sum', 'shasum', 'b2sum', 'cksum'],
    needs: ['-c', '--check'],
    errors: { 1: 'At least one checksum does not match, or a file is missing.' },
  },
  {
    commands: ['mountpoint'],
    fine: { 1: 'It is not a mount point, or it does not exist.', 32: 'It is not a mount point.' },
  },
  { commands: ['sort'], needs: ['-c', '-C', '--check'], fine: { 1: 'The input is not sorted.' } },
];

const FILES: readonly ExitRow[] = [
  {
    commands: ['ls', 'dir', 'vdir'],
    errors: { 1: 'Some entries could not be read.', 2: 'A file or folder that was named could not be read.' },
  },
  {
    commands: ['cat', 'head', 'tail', 'wc', 'stat', 'du', 'nl', 'tac', 'cut', 'paste', 'readlink', 'realpath'],
    errors: { 1: 'At least one file is missing or could not be read.' },
  },
  { commands: ['cp', 'mv', 'ln', 'install'], errors: { 1: 'At least one file could not be copied, moved or linked.' } },
  { commands: ['rm', 'rmdir', 'unlink', 'shred'], errors: { 1: 'At least one file or folder could not be removed.' } },
  {
    commands: ['mkdir', 'touch', 'mkfifo', 'mktemp'],
    errors: { 1: 'At least one file or folder could not be created.' },
  },
  { commands: ['chmod', 'chown', 'chgrp'], errors: { 1: 'At least one file could not be changed.' } },
  { commands: ['cd', 'pushd', 'popd'], errors: { 1: 'The folder does not exist or is not accessible.' } },
  { commands: ['df'], errors: { 1: 'A file system could not be read.' } },
  { commands: ['sort'], errors: { 2: 'A file could not be read, or an option is not valid.' } },
  {
    commands: ['sed', 'gsed'],
    errors: {
      1: 'The script or an option is not valid.',
      2: 'At least one input file is missing or could not be read; the rest was processed.',
      4: 'Reading or writing failed.',
    },
  },
  {
    commands: ['awk', 'gawk', 'mawk', 'nawk'],
    errors: { 1: 'awk failed.', 2: 'The program is not valid, or a file could not be read.' },
  },
  {
    commands: ['jq'],
    needs: ['-e', '--exit-status'],
    fine: { 1: 'The last result is false or null.', 4: 'There was no result.' },
  },
  {
    commands: ['jq'],
    errors: {
      2: 'An option is not valid, or a file could not be read.',
      3: 'The filter is not valid.',
      5: 'The filter failed on the data.',
    },
  },
  { commands: ['yq'], errors: { 1: 'The expression is not valid, or the file could not be read or parsed.' } },
  {
    commands: ['patch'],
    errors: { 1: 'Some parts did not apply; look for .rej files.', 2: 'The patch or a file could not be read.' },
  },
  { commands: ['xmllint'], errors: { 1: 'The document is not well-formed.', 3: 'The document is not valid.' } },
];

const ARCHIVES: readonly ExitRow[] = [
  {
    commands: ['tar', 'gtar', 'bsdtar'],
    errors: {
      1: 'Some files differ, or changed while they were read.',
      2: 'A fatal error, such as a missing file or a damaged archive.',
    },
  },
  {
    commands: ['gzip', 'gunzip', 'zcat'],
    errors: {
      1: 'A file could not be read, or is not compressed.',
      2: 'A warning, such as a file that exists or has another suffix.',
    },
  },
  { commands: ['xz', 'unxz', 'xzcat', 'zstd', 'bzip2'], errors: { 1: 'A file could not be read or is damaged.' } },
  { commands: ['xz', 'unxz', 'xzcat'], errors: { 2: 'A warning.' } },
  {
    commands: ['unzip'],
    errors: {
      1: 'Finished with warnings.',
      2: 'The archive is damaged.',
      3: 'The archive is damaged.',
      9: 'The archive was not found, or it is not a zip file.',
      10: 'An option is not valid.',
      11: 'No file in the archive matched.',
      50: 'The disk is full.',
      82: 'The password is wrong, or none was given.',
    },
  },
  {
    commands: ['zip'],
    fine: { 12: 'There was nothing to do.' },
    errors: { 15: 'The archive could not be written.', 16: 'An option is not valid.', 18: 'A file could not be read.' },
  },
];

const PROCESSES: readonly ExitRow[] = [
  { commands: ['kill'], errors: { 1: 'No such process, or not permitted to signal it.' } },
  { commands: ['crontab'], needs: ['-l'], fine: { 1: 'The user has no crontab.' } },
  { commands: ['flock'], errors: { 1: 'The lock is held by someone else.' } },
  { commands: ['wait'], errors: { 127: 'No such child process.' } },
  { commands: ['read'], fine: { 1: 'The input ended.' } },
  {
    commands: ['timeout', 'gtimeout'],
    errors: {
      124: 'timeout stopped it because it ran too long.',
      ...CANNOT_START,
      137: 'It was killed; with timeout --kill-after, because it ran too long.',
    },
  },
  { commands: ['nice', 'nohup', 'env', 'stdbuf', 'chroot', 'setsid'], errors: CANNOT_START },
  {
    commands: ['xargs'],
    errors: {
      123: 'At least one of the commands that xargs ran ended with 1 to 125; for grep that means no matches.',
      124: 'A command ended with 255, and xargs stopped.',
      125: 'A command was killed by a signal.',
      126: CANNOT_START[126],
      127: CANNOT_START[127],
    },
  },
  { commands: ['parallel'], errors: { 101: 'More than 100 jobs failed.', 255: 'parallel itself failed.' } },
  {
    commands: ['systemctl status', 'service'],
    fine: { 3: 'The unit is not running.' },
    errors: { 4: 'No such unit.' },
  },
  {
    commands: ['systemctl is-active'],
    fine: { 3: 'The unit is not active.', 4: 'No such unit.' },
  },
  { commands: ['systemctl is-enabled'], fine: { 1: 'The unit is not enabled.' } },
  { commands: ['systemctl is-failed'], fine: { 1: 'The unit has not failed.' } },
  {
    commands: ['systemctl'],
    errors: { 1: 'The operation failed.', 4: 'No such unit.', 5: 'No such unit.' },
  },
];

export const SYSTEM_ROWS: readonly ExitRow[] = [...SEARCHING, ...COMPARING, ...FILES, ...ARCHIVES, ...PROCESSES];
