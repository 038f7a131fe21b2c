// Services, logs, time and power of this machine.

import { part, type RowDetails } from './short-rows.ts';
import type { CommandFamily, CommandSpec } from './spec.ts';
import { joined, named } from './tool-rows.ts';

const UNIT_FLAGS =
  '--system --user --failed -a --all -l --full -r --recursive --reverse --with-dependencies --show-types ' +
  '--value -q --quiet --wait --no-block --no-pager --no-ask-password --no-legend --plain --before --after ' +
  '-T --show-transaction --now --no-reload --runtime --global -f --force --no-wall --dry-run -i';
const UNIT_VALUES =
  '-t --type --state -p --property -P -n --lines -o --output --legend --timestamp --job-mode -s --signal ' +
  '--kill-whom --kill-who --what --preset-mode --check-inhibitors';
const UNIT_OPTIONS: NonNullable<RowDetails['options']> = {
  '-H --host': 'host',
  '-M --machine': 'unknown',
  '--root': 'unknown',
  '--image': 'unknown',
};

/** A verb of systemctl, loginctl and the like: all of them take the same options. */
function verb(summary: string, kind: CommandSpec['class'], does?: string): CommandSpec {
  return part(summary, kind, {
    flags: UNIT_FLAGS,
    values: UNIT_VALUES,
    options: UNIT_OPTIONS,
    ...(does === undefined ? {} : { does }),
  });
}

const show = verb('show', 'list');
const change = verb('change', 'write', 'change');

function manager(
  summary: string,
  rows: { shows: string; changes: string; more?: Record<string, CommandSpec> },
  examples: CommandSpec['examples'],
  details: RowDetails = {},
): CommandSpec {
  return {
    class: 'list',
    style: 'posix',
    values: UNIT_VALUES,
    options: UNIT_OPTIONS,
    ...details,
    flags: joined(UNIT_FLAGS, '-h --help --version', details.flags),
    summary,
    subcommands: { ...named(rows.shows, show), ...named(rows.changes, change), ...rows.more },
    examples,
  };
}

export const services: CommandFamily = {
  systemctl: manager(
    'show or control services',
    {
      shows:
        'status list-units list-unit-files list-automounts list-sockets list-timers list-dependencies ' +
        'list-jobs list-machines list-paths is-active is-failed is-enabled is-system-running show cat ' +
        'get-default whoami',
      changes:
        'start stop reload restart try-restart reload-or-restart try-reload-or-restart isolate kill clean ' +
        'freeze thaw set-property bind mount-image service-log-level service-log-target reset-failed enable ' +
        'disable reenable preset preset-all mask unmask link revert add-wants add-requires set-default ' +
        'cancel set-environment unset-environment import-environment daemon-reload daemon-reexec log-level ' +
        'log-target service-watchdogs default rescue emergency halt poweroff reboot soft-reboot kexec exit ' +
        'switch-root suspend hibernate hybrid-sleep suspend-then-hibernate sleep',
      more: {
        edit: verb('edit a service', 'write', 'change execute'),
        help: verb('show the manual', 'read', 'execute'),
        'show-environment': verb('print the environment of services', 'read', 'secret'),
      },
    },
    {
      readOnly: [
        'systemctl',
        'systemctl status nginx',
        'systemctl --no-pager status nginx',
        'systemctl is-active x',
        'systemctl list-units --type=service',
        'systemctl show -p MainPID x',
        'systemctl cat x',
        'systemctl --user list-timers --all',
        'systemctl --failed',
        'systemctl is-enabled x',
      ],
      notReadOnly: [
        'systemctl restart nginx',
        'systemctl edit x',
        'systemctl enable --now x',
        'systemctl daemon-reload',
        'systemctl reboot',
        'systemctl show-environment',
        'systemctl -H h status',
        'systemctl link ./x.service',
      ],
    },
  ),
  journalctl: {
    summary: 'show logs',
    class: 'read',
    flags:
      '--system --user -b -x --catalog -a --all -e --pager-end -f --follow -m --merge --no-full -l --full ' +
      '--no-hostname --no-pager --no-tail -q --quiet -r --reverse --show-cursor --utc -k --dmesg ' +
      '--list-boots -F --fields -N --header --disk-usage --list-catalog --dump-catalog --verify -h --help ' +
      '--version -W --list-invocations --list-namespaces --truncate-newline',
    values:
      '-S --since -U --until -u --unit --user-unit -t --identifier -T --exclude-identifier -p --priority ' +
      '--facility -g --grep -c --cursor --after-cursor -o --output --output-fields -F --field -M --machine ' +
      '--namespace --verify-key --interval',
    optional: '-b --boot -n --lines --case-sensitive -I',
    options: {
      '--cursor-file': 'edit',
      '-D --directory': 'read/',
      '-i --file': 'read',
      '--root': 'unknown',
      '--image': 'unknown',
      '--sync': '+change',
      '--relinquish-var': '+change',
      '--smart-relinquish-var': '+change',
      '--flush': '+change',
      '--rotate': '+change',
      '--vacuum-size': 'change',
      '--vacuum-files': 'change',
      '--vacuum-time': 'change',
      '--update-catalog': '+change',
      '--setup-keys': '+change',
      '--force': '+change',
    },
    numeric: true,
    operands: 'value*',
    examples: {
      readOnly: [
        'journalctl',
        'journalctl -u nginx -n 50 --no-pager',
        'journalctl -xe',
        'journalctl -b -1',
        'journalctl -f',
        'journalctl --since today -p err',
        'journalctl --disk-usage',
        'journalctl -k',
      ],
      notReadOnly: [
        'journalctl --vacuum-size=1G',
        'journalctl --rotate',
        'journalctl --flush',
        'journalctl --cursor-file=f',
        'journalctl --vacuum-time 1d',
      ],
    },
  },
  loginctl: manager(
    'show or control sessions',
    {
      shows:
        'list-sessions session-status show-session list-users user-status show-user list-seats seat-status show-seat',
      changes:
        'activate lock-session unlock-session lock-sessions unlock-sessions terminate-session kill-session ' +
        'enable-linger disable-linger terminate-user kill-user attach flush-devices terminate-seat',
    },
    {
      readOnly: ['loginctl', 'loginctl list-sessions', 'loginctl show-user root'],
      notReadOnly: ['loginctl terminate-user x', 'loginctl enable-linger'],
    },
  ),
  timedatectl: manager(
    'show or change the time',
    {
      shows: 'status show list-timezones timesync-status show-timesync',
      changes: 'set-time set-timezone set-local-rtc set-ntp ntp-servers revert',
    },
    {
      readOnly: ['timedatectl', 'timedatectl status', 'timedatectl show'],
      notReadOnly: ['timedatectl set-ntp true', 'timedatectl set-timezone UTC'],
    },
  ),
  localectl: manager(
    'show or change the language',
    {
      shows: 'status list-locales list-keymaps list-x11-keymap-models list-x11-keymap-layouts',
      changes: 'set-locale set-keymap set-x11-keymap',
    },
    { readOnly: ['localectl', 'localectl list-locales'], notReadOnly: ['localectl set-locale x'] },
  ),
  machinectl: manager(
    'show or control containers',
    {
      shows: 'list status show list-images image-status show-image',
      changes:
        'start stop poweroff reboot terminate kill enable disable remove clean rename read-only set-limit ' +
        'clone import-tar import-raw pull-tar pull-raw',
      more: named('shell login copy-to copy-from bind', verb('enter a container', 'execute', 'execute change')),
    },
    { readOnly: ['machinectl list'], notReadOnly: ['machinectl shell x', 'machinectl stop x'] },
  ),
  coredumpctl: manager(
    'show crashes',
    {
      shows: 'list info',
      changes: '',
      more: {
        dump: part('write a crash to a file', 'write', { options: { '-o --output': 'write' } }),
        debug: verb('debug a crash', 'execute', 'execute'),
      },
    },
    {
      readOnly: ['coredumpctl list', 'coredumpctl info 12'],
      notReadOnly: ['coredumpctl debug', 'coredumpctl dump -o f 12'],
    },
  ),
  'systemd-analyze': manager(
    'show how the machine started',
    {
      shows:
        'time blame critical-chain dot plot dump unit-paths exit-status capability condition syscall-filter ' +
        'calendar timestamp timespan security',
      changes: 'log-level log-target service-watchdogs',
      more: {
        verify: part('check unit files', 'read', {
          flags: '--man --no-pager --user --system',
          values: '--recursive-errors',
          operands: 'read*',
        }),
        'cat-config': part('print configuration', 'read'),
      },
    },
    {
      readOnly: [
        'systemd-analyze',
        'systemd-analyze blame',
        'systemd-analyze critical-chain',
        'systemd-analyze verify x.service',
      ],
      notReadOnly: ['systemd-analyze log-level debug'],
    },
  ),
  'systemd-detect-virt': {
    summary: 'tell the kind of machine',
    class: 'list',
    flags: '-c --container -v --vm -q --quiet --list -r --chroot -h --help --version',
    operands: '',
    examples: { readOnly: ['systemd-detect-virt'], notReadOnly: [] },
  },
  service: {
    summary: 'show or control services',
    class: 'execute',
    style: 'none',
    operands: 'value*',
    // Runs the script of the service, for any verb.
    does: 'change execute',
    examples: {
      readOnly: [],
      notReadOnly: ['service nginx restart', 'service nginx status', 'service ../../x start', 'service --status-all'],
    },
  },
  'rc-service': 'service',
  'invoke-rc.d': 'service',
  chkconfig: {
    summary: 'show or change services',
    class: 'list',
    flags: '--list --version',
    operands: 'value change*',
    options: { '--add': 'change', '--del': 'change', '--level': 'change' },
    does: 'change',
    variants: [
      { has: '--add --del --level', does: 'change' },
      { has: '--list --version', does: '' },
    ],
    examples: { readOnly: ['chkconfig --list'], notReadOnly: ['chkconfig nginx on'] },
  },
  'update-rc.d': {
    summary: 'change services',
    class: 'write',
    style: 'none',
    operands: 'value*',
    does: 'change',
    examples: { readOnly: [], notReadOnly: ['update-rc.d x defaults'] },
  },
  'rc-update': 'update-rc.d',
  'rc-status': {
    summary: 'show services',
    class: 'list',
    flags: '-a --all -l --list -s --servicelist -r',
    operands: 'value*',
    examples: { readOnly: ['rc-status', 'rc-status -a'], notReadOnly: [] },
  },
  supervisorctl: {
    summary: 'show or control processes',
    class: 'write',
    style: 'posix',
    options: { '-c --configuration': 'hook', '-s --serverurl': 'network' },
    subcommands: {
      ...named('status version pid avail', part('show processes', 'list', { style: 'none' })),
      ...named(
        'start stop restart signal reload update reread shutdown add remove clear fg tail maintail',
        part('control processes', 'write', { style: 'none', does: 'change' }),
      ),
    },
    examples: {
      readOnly: ['supervisorctl status'],
      notReadOnly: ['supervisorctl restart x', 'supervisorctl -c f status'],
    },
  },
  launchctl: {
    summary: 'show or control services',
    class: 'list',
    style: 'posix',
    subcommands: {
      ...named('list print print-disabled blame version', part('show services', 'list', { style: 'none' })),
      getenv: part('print a variable', 'read', { does: 'secret' }),
      ...named(
        'load unload start stop bootstrap bootout enable disable kickstart kill remove submit setenv ' +
          'unsetenv reboot limit config asuser bsexec',
        part('control services', 'execute', { style: 'none', does: 'change execute' }),
      ),
    },
    examples: {
      readOnly: ['launchctl list'],
      notReadOnly: ['launchctl load x.plist', 'launchctl submit -l x -- rm x', 'launchctl setenv a b'],
    },
  },
  shutdown: {
    summary: 'stop the machine',
    class: 'privilege',
    style: 'none',
    operands: 'value*',
    does: 'change privilege',
    examples: { readOnly: [], notReadOnly: ['shutdown -h now', 'shutdown -c'] },
  },
  reboot: 'shutdown',
  halt: 'shutdown',
  poweroff: 'shutdown',
  init: 'shutdown',
  telinit: 'shutdown',
  runlevel: {
    summary: 'show the run level',
    class: 'list',
    operands: '',
    examples: { readOnly: ['runlevel'], notReadOnly: [] },
  },
  hwclock: {
    summary: 'show or set the clock',
    class: 'list',
    flags: '-r --show -l --localtime -u --utc -v --verbose -V --version -h --help --get',
    values: '-f --rtc',
    options: {
      '-w --systohc': '+change',
      '-s --hctosys': '+change',
      '--set': '+change',
      '-a --adjust': '+change',
      '--systz': '+change',
      '--setepoch': '+change',
      '--param-set': 'change',
    },
    operands: '',
    examples: { readOnly: ['hwclock', 'hwclock -r'], notReadOnly: ['hwclock -w', 'hwclock --systohc'] },
  },
  logger: {
    summary: 'write to the system log',
    class: 'write',
    flags: '-i -s -e',
    values: '-p -t',
    options: { '-f --file': 'read', '-n --server': 'host' },
    operands: 'value*',
    does: 'change',
    examples: { readOnly: [], notReadOnly: ['logger x', 'logger -f f'] },
  },
  logrotate: {
    summary: 'rotate logs',
    class: 'list',
    flags: '-d --debug -f --force -v --verbose --usage --version',
    options: { '-s --state': 'write', '-m --mail': 'program', '-l --log': 'write' },
    operands: 'hook*',
    does: 'change execute',
    variants: [{ has: '--usage --version', does: '' }],
    examples: { readOnly: ['logrotate --version'], notReadOnly: ['logrotate f', 'logrotate -d f'] },
  },
};
