// Programs that run commands or copy files on another machine.

import { part } from './short-rows.ts';
import type { CommandFamily } from './spec.ts';

const PLAIN = { class: 'neutral', style: 'posix', operands: 'command*' } as const;

export const remoteWrappers: CommandFamily = {
  ssh: {
    summary: 'run a command on another machine',
    class: 'network',
    style: 'none',
    operands: 'value*',
    program: 'ssh',
    examples: {
      readOnly: ['ssh -V', 'ssh -Q cipher'],
      notReadOnly: [
        'ssh h',
        'ssh h ls',
        'ssh -o ProxyCommand=id h',
        "ssh h -o 'ProxyCommand=id' ls",
        'ssh -F c h',
        'ssh -E f h ls',
        'ssh -G h',
      ],
    },
  },
  autossh: {
    summary: 'keep an ssh connection open',
    class: 'network',
    style: 'none',
    operands: 'value*',
    program: 'autossh',
    examples: { readOnly: [], notReadOnly: ['autossh -M 0 h ls'] },
  },
  sshpass: {
    ...PLAIN,
    summary: 'run ssh with a password',
    flags: '-e -v -h -V',
    values: '-d -p -P',
    options: { '-f': 'read' },
    examples: { readOnly: [], notReadOnly: ['sshpass -p x ssh h ls'] },
  },
  mosh: {
    summary: 'run a command on another machine',
    class: 'network',
    style: 'posix',
    flags: '-a -n -4 -6 --no-init --no-ssh-pty --help --version',
    values: '--predict -p --port --family --bind-server --experimental-remote-ip',
    options: { '--ssh': 'shell', '--server': 'value', '--client': 'program' },
    operands: 'value*',
    does: 'network',
    program: 'mosh',
    examples: { readOnly: [], notReadOnly: ['mosh h -- ls', "mosh --ssh='ssh -p 2' h"] },
  },
  scp: {
    summary: 'copy files to or from another machine',
    class: 'network',
    flags: '-3 -4 -6 -A -B -C -O -p -q -R -r -s -T -v',
    values: '-c -l -P -X',
    options: { '-F': 'hook', '-i': 'read', '-J': 'host', '-o': 'value', '-S': 'program', '-D': 'program' },
    operands: 'remote-read+ remote-write',
    program: 'ssh-options',
    examples: { readOnly: [], notReadOnly: ['scp a h:b', 'scp h:a b', 'scp -S x a h:b', 'scp a b'] },
  },
  sftp: {
    summary: 'transfer files',
    class: 'network',
    style: 'posix',
    flags: '-4 -6 -A -a -C -f -N -p -q -r -v',
    values: '-B -c -l -P -R -s -X',
    options: {
      '-b': 'hook',
      '-D': 'program',
      '-F': 'hook',
      '-i': 'read',
      '-J': 'host',
      '-o': 'value',
      '-S': 'program',
    },
    operands: 'host write?',
    does: 'network execute change',
    program: 'ssh-options',
    examples: { readOnly: [], notReadOnly: ['sftp h', 'sftp -b f h'] },
  },
  rsync: {
    summary: 'copy trees of files',
    class: 'read',
    exactLong: true,
    flags:
      '-v --verbose -q --quiet --no-motd -c --checksum -a --archive -r --recursive -R --relative ' +
      '--no-implied-dirs -b --backup -u --update --inplace --append --append-verify -d --dirs -l --links -L ' +
      '--copy-links --copy-unsafe-links --safe-links --munge-links -k --copy-dirlinks -K --keep-dirlinks -H ' +
      '--hard-links -p --perms -E --executability -A --acls -X --xattrs -o --owner -g --group --devices ' +
      '--specials -D -t --times -U --atimes -N --crtimes -O --omit-dir-times -J --omit-link-times --super ' +
      '--fake-super -S --sparse --preallocate -n --dry-run -W --whole-file -x --one-file-system --existing ' +
      '--ignore-non-existing --ignore-existing --remove-source-files --del --delete --delete-before ' +
      '--delete-during --delete-delay --delete-after --delete-excluded --ignore-missing-args ' +
      '--delete-missing-args --ignore-errors --force --partial -P --delay-updates -m --prune-empty-dirs ' +
      '--numeric-ids --ignore-times -I --size-only -y --fuzzy -z --compress -C --cvs-exclude -0 --from0 ' +
      '--blocking-io --stats -8 --8-bit-output -h --human-readable --progress -i --itemize-changes ' +
      '--list-only -4 --ipv4 -6 --ipv6 -V --version --help --no-perms --no-owner --no-group --no-times ' +
      '--no-links --no-relative --no-recursive -s --protect-args -F --secluded-args --mkpath --open-noatime ' +
      '--fsync',
    values:
      '--info --debug --suffix --chmod --usermap --groupmap --chown --max-delete --max-size --min-size ' +
      '--max-alloc -B --block-size --timeout --contimeout --modify-window -@ --checksum-choice --cc ' +
      '--compress-choice --zc --compress-level --zl --skip-compress --exclude --include --address --port ' +
      '--sockopts --out-format --log-file-format --bwlimit --outbuf --stop-after --stop-at --protocol ' +
      '--iconv --checksum-seed',
    options: {
      '-e --rsh': 'value',
      '--rsync-path': 'program',
      '-M --remote-option': 'unknown',
      '-f --filter': 'value',
      '--exclude-from': 'read',
      '--include-from': 'read',
      '--files-from': 'read',
      '--password-file': 'read',
      '--early-input': 'read',
      '--compare-dest': 'read/',
      '--copy-dest': 'read/',
      '--link-dest': 'read/',
      '--log-file': 'write',
      '--backup-dir': 'write/',
      '--partial-dir': 'write/',
      '-T --temp-dir': 'write/',
      '--write-batch': 'write',
      '--only-write-batch': 'write',
      '--read-batch': 'read',
      '--daemon': '+hook',
      '--config': 'hook',
      '--server': '+unknown',
      '--copy-devices': '+unknown',
      '--write-devices': '+unknown',
    },
    operands: 'value*',
    program: 'rsync',
    examples: {
      readOnly: ['rsync --version', 'rsync -n -a a b', 'rsync -avn --delete a/ b/', 'rsync --list-only a', 'rsync a'],
      notReadOnly: [
        'rsync -a a b',
        'rsync -n a h:b',
        'rsync -e x -n a b',
        'rsync -n --log-file=f a b',
        "rsync -e 'sh -c id' -n a h:b",
        'rsync --delete a b',
        'rsync --daemon',
      ],
    },
  },
  'ssh-agent': {
    ...PLAIN,
    summary: 'hold keys for a command',
    flags: '-c -D -d -s',
    values: '-E -t',
    options: { '-k': '+change', '-a': 'write', '-P': 'library', '-O': 'value' },
    does: 'change',
    examples: { readOnly: [], notReadOnly: ['ssh-agent', 'ssh-agent bash', 'ssh-agent -k'] },
  },
  'ssh-copy-id': {
    summary: 'install a key on another machine',
    class: 'network',
    flags: '-f -n -s -x',
    values: '-p -t',
    options: { '-i': 'read?', '-o': 'value', '-F': 'hook' },
    operands: 'host',
    does: 'change',
    program: 'ssh-options',
    examples: { readOnly: [], notReadOnly: ['ssh-copy-id h'] },
  },
  keychain: {
    summary: 'manage ssh-agent',
    class: 'write',
    operands: 'value*',
    does: 'change execute',
    examples: { readOnly: [], notReadOnly: ['keychain id_rsa'] },
  },
  'aws-vault': {
    summary: 'run a command with cloud credentials',
    class: 'execute',
    style: 'posix',
    flags: '--debug --version --help',
    values: '--backend',
    subcommands: {
      exec: part('run a command with cloud credentials', 'execute', {
        style: 'posix',
        flags: '-n --no-session -s --server --ec2-server --ecs-server --json -j',
        values: '-d --duration --region -t --mfa-token',
        does: 'network',
        program: 'target-command',
      }),
      list: part('list profiles', 'list', { flags: '--profiles --sessions --credentials' }),
      ls: 'list',
    },
    examples: {
      readOnly: ['aws-vault list'],
      notReadOnly: ['aws-vault exec p ls', 'aws-vault exec p -- rm x', 'aws-vault add p'],
    },
  },
};
