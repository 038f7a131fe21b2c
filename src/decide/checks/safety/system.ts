// The whole machine: power, all processes, scheduled commands.

import type { CommandFact } from '../../../core/facts.ts';
import { wordSet } from '../../../core/values/once.ts';
import type { Check } from '../../check.ts';
import { hasOption, isCall, knownWords, names, operandsOf } from './terms/words.ts';

const POWER_VERBS = wordSet(
  'reboot poweroff halt kexec suspend hibernate hybrid-sleep suspend-then-hibernate soft-reboot exit emergency rescue',
);
const SHUTDOWN_QUESTIONS = new Set(['-c', '--show', '--help', '--version', '-w', '--wtmp-only']);

export const SYSTEM_CHECKS: readonly Check[] = [
  {
    id: 'power-off',
    layer: 'safety',
    severity: 'critical',
    verdict: 'deny',
    message: 'This stops or restarts the machine, and everything that runs on it.',
    instead: null,
    names: names('shutdown reboot halt poweroff init telinit systemctl loginctl pm-suspend pm-hibernate'),
    inspect: (command) => (isPowerOff(command) ? { span: command.span } : null),
    examples: {
      matches: [
        ...[
          'shutdown -h now',
          'reboot',
          'sudo halt',
          '/sbin/poweroff',
          'init 0',
          'telinit 6',
          'systemctl reboot',
          'systemctl --force poweroff',
          'sudo systemctl -i halt',
        ],
        ...[
          "bash -c 'reboot'",
          'sleep 5; shutdown now',
          'true && reboot -f',
          'echo x | xargs reboot',
          'init 6',
          'nohup shutdown +1 &',
          're"boot"',
          'ssh h sudo reboot',
          'loginctl poweroff',
        ],
        ...['systemctl isolate rescue.target', 'timeout 5 env A=b reboot', 'systemctl start reboot.target'],
      ],
      passes: [
        'shutdown --help',
        'systemctl status x',
        'echo reboot',
        'last reboot',
        'init --help',
        'npm init',
        'git init',
        'man shutdown',
        'shutdown -c',
        'systemctl is-active x',
        'who -b',
      ],
    },
  },
  {
    id: 'kill-everything',
    layer: 'safety',
    severity: 'critical',
    verdict: 'deny',
    message: 'This signals every process of the user, or the first process of the system.',
    instead: 'Signal one process by its id: `kill 12345`.',
    names: names('kill pkill killall killall5'),
    inspect: (command) => (isKillEverything(command) ? { span: command.span } : null),
    examples: {
      matches: [
        ...[
          'kill -9 -1',
          'kill 1',
          'kill -- -1',
          'kill -TERM 1',
          'sudo kill -9 1',
          'kill -s KILL -1',
          "bash -c 'kill -9 -1'",
          'kill -KILL -- -1',
          'kill 500 1',
          '/bin/kill -9 -1',
        ],
        ...[
          'killall5',
          'pkill -9 -u root',
          'killall -u bob',
          'pkill .',
          "pkill -f '.*'",
          'kill -n 9 -1',
          'kill -9 -- -1',
          'timeout 5 kill -9 -1',
          'pkill -U 0',
          '/bin/kill -9 -1234',
          'env kill -TERM -1500',
          'timeout 5 kill -s KILL -17',
        ],
      ],
      passes: [
        'kill 1234',
        'kill -9 1234',
        'kill -1 1234',
        'kill -l',
        'kill %1',
        'kill -- -1234',
        'pkill node',
        'killall node',
        'kill -HUP 77',
        'kill -0 12',
        'kill "$PID"',
        'kill -s TERM 11',
        'kill -l 1',
        'kill -0 1',
        'kill -s 0 1',
        'kill -n 0 -1',
        'kill -9 -1234',
        '/bin/kill -9 -- -1234',
        '/bin/kill -1234 77',
      ],
    },
  },
  {
    id: 'persistence',
    layer: 'safety',
    severity: 'high',
    verdict: 'ask',
    message: 'This schedules a command to run later or repeatedly, after the session has ended.',
    instead: 'Run it now, or in the background in this session.',
    names: names('crontab at batch systemctl launchctl update-rc.d chkconfig rc-update loginctl systemd-run schtasks'),
    inspect: (command) => (isPersistence(command) ? { span: command.span } : null),
    examples: {
      matches: [
        ...[
          'crontab -e',
          'crontab a.txt',
          '(crontab -l; echo x) | crontab -',
          'at now',
          'systemctl enable x',
          'systemctl --user enable --now x',
          'sudo systemctl enable nginx',
          'echo ls | at 5pm',
        ],
        ...[
          "bash -c 'crontab a'",
          'launchctl load x.plist',
          'launchctl bootstrap gui/501 x.plist',
          'update-rc.d x defaults',
          'loginctl enable-linger u',
          'crontab -u bob a',
          'batch < a',
          'at -f a.sh noon',
        ],
        ...[
          'systemd-run --on-calendar=daily ls',
          'rc-update add x',
          'crontab < a',
          'crontab',
          'systemctl link /x/a.service',
        ],
      ],
      passes: [
        'crontab -l',
        'systemctl status x',
        'atq',
        'at -l',
        'systemctl list-timers',
        'launchctl list',
        'crontab -u bob -l',
        'echo crontab -e',
        'systemctl is-enabled x',
        'systemctl restart x',
      ],
    },
  },
];

function isPowerOff(command: CommandFact): boolean {
  const words = knownWords(command);
  switch (command.name) {
    case 'systemctl':
    case 'loginctl':
      return words.some(
        (word) =>
          POWER_VERBS.has(word) || /^(?:reboot|poweroff|halt|rescue|emergency|kexec|shutdown)\.target$/.test(word),
      );
    case 'init':
    case 'telinit':
      return words.some((word) => /^[016sS]$/.test(word));
    default:
      return !words.some((word) => SHUTDOWN_QUESTIONS.has(word));
  }
}

function isKillEverything(command: CommandFact): boolean {
  const words = knownWords(command);
  if (command.name === 'killall5') return true;
  if (command.name === 'pkill' || command.name === 'killall') {
    if (words.some((word, i) => /^(?:-[uU]|--user|--euid|--uid)$/.test(word) && i + 1 < words.length)) return true;
    return words.some((word) => !word.startsWith('-') && /^[.*^$?+]+$/.test(word));
  }
  if (words.some((word) => /^-[lL]$|^--(?:list|table)/.test(word))) return false;
  // Signal 0 only checks whether the process exists.
  const signal = /^(?:-[sn]|--signal)$/.test(words[0] ?? '') ? words[1] : words[0]?.replace(/^-(?:-signal=|[sn])?/, '');
  if (words[0]?.startsWith('-') && signal === '0') return false;
  // The first word that starts with a dash is the signal, unless `--`, `-s` or `-n` is given.
  let rest = words;
  if (/^(?:-[sn]|--signal)$/.test(words[0] ?? '')) rest = words.slice(2);
  else if (words[0] !== '--' && words[0]?.startsWith('-')) rest = words.slice(1);
  if (rest.some((word) => word === '1' || word === '-1' || word === '+1' || /^-?0+1$/.test(word))) return true;
  // procps 4.0 reads only the first digit of a group: -1234 becomes -1.
  const before = rest.includes('--') ? rest.slice(0, rest.indexOf('--')) : rest;
  return command.kind === 'program' && before.some((word) => /^-1\d+$/.test(word));
}

function isPersistence(command: CommandFact): boolean {
  const words = knownWords(command);
  switch (command.name) {
    case 'crontab':
      return !hasOption(command, '-l', '-r', '-V');
    case 'at':
      return !words.some((word) => ['-l', '-r', '-d', '-c', '-V', '-q'].includes(word));
    case 'batch':
      return true;
    case 'systemctl':
      return ['enable', 'reenable', 'link', 'preset', 'add-wants', 'edit', 'unmask'].some(
        (verb) => isCall(command, 'systemctl', verb) || words[0] === verb,
      );
    case 'launchctl':
      return ['load', 'bootstrap', 'submit', 'enable', 'setenv'].includes(words[0] ?? '');
    case 'systemd-run':
      return words.some((word) => word.startsWith('--on-') || word.startsWith('--timer'));
    case 'loginctl':
      return words.includes('enable-linger');
    case 'rc-update':
    case 'chkconfig':
      return words.includes('add') || words.includes('on');
    case 'schtasks':
      return words.some((word) => /^\/create$/i.test(word));
    default:
      return operandsOf(command).some((word) => word === 'defaults' || word === 'enable');
  }
}
