// Deleted and emptied files, stopped processes and services.

import type { CommandFact } from '../../../core/facts.ts';
import type { Check } from '../../check.ts';
import { hasOption, knownWords, names, operandsOf } from '../safety/terms/words.ts';
import { warning } from './warning.ts';

export const FILE_AND_PROCESS_WARNINGS: readonly Check[] = [
  warning('recursive-deletion', ['rm'], (c) => hasOption(c, '-r', '-R', '--recursive'), {
    severity: 'medium',
    message: 'This deletes whole folders without asking again.',
    instead: 'Look first: `ls`, or `git clean -n`.',
    examples: {
      matches: [
        'rm -rf build',
        'rm -r x',
        'rm -fR x',
        'sudo rm --recursive x',
        'find . -name x -exec rm -rf {} +',
        "bash -c 'rm -rf x'",
        'rm x -rf',
        'echo x | xargs rm -r',
        'rm --recurs x',
        'timeout 5 rm -rf -- x',
      ],
      passes: ['rm a.txt', 'rm -f a', 'rmdir x', 'echo rm -rf', 'rm -- -rf', 'ls -R'],
    },
  }),
  warning('emptied-file', names('truncate shred'), isEmptying, {
    severity: 'medium',
    message: 'This empties or overwrites a file permanently.',
    instead: 'Keep a copy first: `cp FILE FILE.bak`.',
    examples: {
      matches: [
        'truncate -s 0 a.log',
        'truncate --size=0 a',
        'shred a',
        'shred -u key',
        'sudo truncate -s0 a',
        "bash -c 'shred a'",
      ],
      passes: ['truncate -s 10M img', 'truncate -s +1K a', 'shred --help', 'echo truncate', 'ls -s'],
    },
  }),
  warning('process-signal', names('kill pkill killall xkill taskkill'), isSignal, {
    severity: 'low',
    message: 'This stops or signals running processes.',
    instead: 'Check which processes they are: `ps -p PID`, or `pgrep -a NAME`.',
    examples: {
      matches: [
        'kill 1234',
        'kill -9 1234',
        'pkill -f node',
        'killall node',
        'sudo kill 5',
        'pgrep x | xargs kill',
        "bash -c 'kill $PID'",
        'kill %1',
        'kill -s TERM 5',
      ],
      passes: ['kill -l', 'kill -0 1234', 'pgrep node', 'ps aux', 'echo kill', 'kill -s 0 12'],
    },
  }),
  warning('service-stop', names('systemctl service launchctl'), isServiceStop, {
    severity: 'medium',
    message: 'This stops a service or prevents it from starting.',
    instead: null,
    examples: {
      matches: [
        'systemctl stop x',
        'sudo systemctl disable x',
        'systemctl --user mask x',
        'service nginx stop',
        'systemctl restart x',
        'launchctl unload x',
        "bash -c 'systemctl stop x'",
      ],
      passes: [
        'systemctl status x',
        'systemctl list-units',
        'service nginx status',
        'launchctl list',
        'systemctl cat x',
        'echo systemctl stop',
      ],
    },
  }),
  {
    id: 'schedule-removal',
    layer: 'warnings',
    severity: 'high',
    verdict: 'allow',
    message: 'This removes all scheduled commands of the user.',
    instead: 'Keep a copy first: `crontab -l > crontab.bak`.',
    names: names('crontab at atrm'),
    inspect(command) {
      const { name, span } = command;
      if (name === 'crontab') return hasOption(command, '-r') ? { span } : null;
      return name === 'atrm' || hasOption(command, '-d', '-r') ? { span, ...JOB_REMOVAL } : null;
    },
    examples: {
      matches: [
        'crontab -r',
        'crontab -u bob -r',
        'sudo crontab -r',
        "bash -c 'crontab -r'",
        'atrm 3',
        'at -d 3',
        'crontab -l && crontab -r',
      ],
      passes: ['crontab -l', 'crontab -e', 'at -l', 'atq', 'echo crontab -r'],
    },
  },
];

const JOB_REMOVAL = {
  message: 'This removes scheduled jobs: their commands will not run.',
  instead: 'Look first: `atq` lists the jobs, `at -c JOB` shows one.',
};

function isEmptying(command: CommandFact): boolean {
  const words = knownWords(command);
  if (command.name === 'shred') return operandsOf(command).length > 0 && !words.includes('--help');
  return words.some(
    (word, i) => /^(?:-s0+|--size=0+)$/.test(word) || (/^(?:-s|--size)$/.test(word) && /^0+$/.test(words[i + 1] ?? '')),
  );
}

function isSignal(command: CommandFact): boolean {
  const words = knownWords(command);
  if (words.some((word) => /^-[lL0]$|^--(?:list|table|help|version)/.test(word))) return false;
  return !words.some((word, i) => word === '-s' && words[i + 1] === '0');
}

function isServiceStop(command: CommandFact): boolean {
  const words = knownWords(command);
  const verbs = /^(?:stop|disable|mask|kill|restart|try-restart|isolate|unload|bootout|remove)$/;
  if (command.name === 'service') return verbs.test(words.at(-1) ?? '');
  return verbs.test(words.find((word) => !word.startsWith('-')) ?? '');
}
