// Protections and traces: firewalls, mandatory access control, logs, history, stored credentials, hooks.

import type { CommandFact } from '../../../core/facts.ts';
import type { Check } from '../../check.ts';
import { hasOption, isCall, knownWords, names, operandsOf } from './terms/words.ts';

const GUARDS =
  /^(?:firewalld|ufw|iptables|nftables|auditd|apparmor|selinux.*|fail2ban|clamav.*|falcon-sensor|crowdstrike|osqueryd|rsyslog|syslog.*|systemd-journald|sysmon|wazuh-agent|snort|suricata)(?:\.service)?$/;

export const SECURITY_OFF_CHECKS: readonly Check[] = [
  {
    id: 'security-off',
    layer: 'safety',
    severity: 'high',
    verdict: 'deny',
    message: 'This disables a protection of the machine: the firewall, access control or the audit log.',
    instead: 'Open only what is needed, for example one port: `ufw allow 8080`.',
    names: names(
      'setenforce ufw iptables ip6tables nft systemctl service aa-teardown aa-disable aa-complain auditctl spctl csrutil firewall-cmd pfctl netsh sysctl',
    ),
    inspect: (command) => (isSecurityOff(command) ? { span: command.span } : null),
    examples: {
      matches: [
        ...[
          'setenforce 0',
          'sudo setenforce Permissive',
          'ufw disable',
          'ufw --force reset',
          'iptables -F',
          'sudo iptables --flush',
          'ip6tables -F INPUT',
          'systemctl stop firewalld',
          'nft flush ruleset',
        ],
        ...[
          'systemctl disable --now auditd',
          "bash -c 'systemctl stop apparmor'",
          'service ufw stop',
          'iptables -P INPUT ACCEPT',
          'systemctl mask fail2ban',
          'aa-teardown',
          'auditctl -e 0',
          'auditctl -D',
        ],
        ...[
          'spctl --master-disable',
          'csrutil disable',
          'pfctl -d',
          'timeout 5 ufw disable',
          'sysctl -w kernel.randomize_va_space=0',
          'iptables -X',
          'systemctl kill auditd.service',
        ],
      ],
      passes: [
        'setenforce 1',
        'ufw status',
        'iptables -L',
        'systemctl status firewalld',
        'systemctl stop nginx',
        'nft list ruleset',
        'ufw allow 80',
        'service nginx stop',
        'getenforce',
        'echo ufw disable',
        'sysctl -a',
        'systemctl restart auditd',
      ],
    },
  },
  {
    id: 'trace-removal',
    layer: 'safety',
    severity: 'high',
    verdict: 'ask',
    message: 'This deletes or stops the log of commands on this machine.',
    instead: null,
    inspect: (command) => (isTraceRemoval(command) ? { span: command.span } : null),
    examples: {
      matches: [
        ...[
          'history -c',
          'unset HISTFILE',
          'rm ~/.bash_history',
          'rm -f ~/.zsh_history',
          'export HISTFILE=/dev/null',
          'set +o history',
          'history -d 5',
          '> ~/.bash_history',
          'shred -u ~/.bash_history',
        ],
        ...[
          "bash -c 'history -c'",
          'cat /dev/null > ~/.bash_history',
          'history -cw',
          'ln -sf /dev/null ~/.bash_history',
          'HISTFILE=/dev/null bash',
          'export HISTSIZE=0',
          'truncate -s 0 /var/log/auth.log',
          'journalctl --vacuum-time=1s',
        ],
        ...[
          'rm -f /var/log/syslog',
          'echo > /var/log/auth.log',
          'journalctl --rotate --vacuum-size=1K',
          'rm ~/.python_history',
        ],
      ],
      passes: [
        'history',
        'history 10',
        'cat ~/.bash_history',
        'echo $HISTFILE',
        'set -o pipefail',
        'unset FOO',
        'rm history.txt',
        'git log --history',
        'journalctl -u x',
        'tail /var/log/syslog',
        'echo x >> log',
        'export A=1',
      ],
    },
  },
  {
    id: 'git-global-code',
    layer: 'safety',
    severity: 'high',
    verdict: 'ask',
    message:
      'This git setting makes git run other programs, or stores passwords in plain text, in this and later commands.',
    instead: 'Set it for one command only: `git -c key=value …`.',
    names: ['git'],
    inspect: (command) => (isCodeSetting(command) ? { span: command.span } : null),
    examples: {
      matches: [
        ...[
          'git config --global core.hooksPath x',
          'git config core.hooksPath .hooks',
          'git config --global credential.helper store',
          'git config core.sshCommand "ssh -i x"',
          'git config alias.x "!sh"',
        ],
        ...[
          'git config --system core.pager ./x',
          'sudo git config --global core.fsmonitor ./x',
          "bash -c 'git config core.editor ./x'",
          'git -C x config diff.external ./y',
          'git config set core.hooksPath x',
        ],
        ...[
          'git config --global filter.x.clean ./y',
          'git config CORE.HOOKSPATH x',
          'git config --add core.hooksPath x',
          'git config --global url."https://x/".insteadOf https://github.com/',
          'git config http.sslVerify false',
        ],
      ],
      passes: [
        ...[
          'git config user.name x',
          'git config --get core.hooksPath',
          'git config core.hooksPath',
          'git config --unset core.hooksPath',
          'git config --list',
          'git config pull.rebase true',
          'git config alias.st status',
        ],
        ...[
          'git config --global init.defaultBranch main',
          'git commit -m core.hooksPath',
          'git config get core.hooksPath',
          'git config http.sslVerify true',
        ],
      ],
    },
  },
];

function isSecurityOff(command: CommandFact): boolean {
  const words = knownWords(command);
  switch (command.name) {
    case 'setenforce':
      return /^(?:0|permissive)$/i.test(words[0] ?? '');
    case 'ufw':
      return words.includes('disable') || words.includes('reset');
    case 'iptables':
    case 'ip6tables':
      return (
        hasOption(command, '-F', '--flush', '-X', '--delete-chain') ||
        words.some((word) => /^-[FX]/.test(word)) ||
        isOpenPolicy(words)
      );
    case 'nft':
      return words.includes('flush') || (words.includes('delete') && words.includes('table'));
    case 'systemctl':
      return (
        isStopping(words) &&
        operandsOf(command)
          .concat(words)
          .some((word) => GUARDS.test(word))
      );
    case 'service':
      return words.includes('stop') && words.some((word) => GUARDS.test(word));
    case 'auditctl':
      return (
        words.some((word) => word === '-D' || word === '-e0') ||
        words.some((word, i) => word === '-e' && words[i + 1] === '0')
      );
    case 'spctl':
      return words.some((word) => word.endsWith('-disable'));
    case 'csrutil':
      return words.includes('disable');
    case 'pfctl':
      return words.some((word) => /^-[a-zA-Z]*[dF]/.test(word));
    case 'firewall-cmd':
      return words.some((word) => /^--panic-off$|^--set-default-zone=trusted$/.test(word));
    case 'netsh':
      return words.includes('off') || words.includes('disable');
    case 'sysctl':
      return words.some((word) =>
        /^kernel\.(?:randomize_va_space|yama\.ptrace_scope|kptr_restrict|dmesg_restrict)=0$/.test(word),
      );
    default:
      return true;
  }
}

const isStopping = (words: readonly string[]) => words.some((word) => /^(?:stop|disable|mask|kill)$/.test(word));

const isOpenPolicy = (words: readonly string[]) =>
  words.some((word, i) => /^(?:-P|--policy)$/.test(word) && words[i + 2] === 'ACCEPT');

const HISTORY_FILE = /\/\.(?:bash|zsh|sh|python|mysql|psql|node_repl|fish)_history$|\/\.zhistory$|\/fish_history$/;
const LOG_FILE = /^\/var\/log\/(?:auth\.log|syslog|secure|messages|audit\/audit\.log|wtmp|btmp|lastlog|kern\.log)$/;
const HISTORY_VARIABLE = /^HIST(?:FILE|SIZE|FILESIZE|IGNORE|CONTROL)\b/;

const KEEPS_TRACE = new Set(['history', 'unset', 'export', 'declare', 'typeset', 'set', 'journalctl']);

function isTraceRemoval(command: CommandFact): boolean {
  const { writes, deletes } = command.effects;
  if (deletes.some(({ path }) => path !== null && isTrace(path))) return true;
  if (
    writes.some(({ path }) => path !== null && isTrace(path)) &&
    !command.redirects.some(({ kind }) => kind === 'append')
  )
    return true;
  if (command.assignments.some(({ name, value }) => name === 'HISTFILE' && (value === '' || value === '/dev/null')))
    return true;
  if (command.name === null || !KEEPS_TRACE.has(command.name)) return false;
  const words = knownWords(command);
  switch (command.name) {
    case 'history':
      return words.some((word) => /^-[a-z]*[cd]/.test(word));
    case 'unset':
      return words.some((word) => HISTORY_VARIABLE.test(word));
    case 'export':
    case 'declare':
    case 'typeset':
      return command.words.some((word) =>
        HISTORY_VARIABLE.test(word.kind === 'dynamic' ? word.head : word.kind === 'literal' ? word.value : ''),
      );
    case 'set':
      return words.some((word, i) => word === '+o' && words[i + 1] === 'history');
    case 'journalctl':
      return words.some((word) => word.startsWith('--vacuum-'));
    default:
      return false;
  }
}

const isTrace = (path: string) => HISTORY_FILE.test(path) || LOG_FILE.test(path);

const CODE_KEYS =
  /^(?:core\.(?:hookspath|sshcommand|fsmonitor|pager|editor|gitproxy|askpass|alternaterefscommand|worktree)|credential\..*|diff\.external|diff\..*\.(?:command|textconv)|merge\..*\.driver|filter\..*\.(?:clean|smudge|process)|pager\..*|sequence\.editor|gpg\.(?:.*\.)?program|include\.path|includeif\..*|url\..*\.(?:pushinsteadof|insteadof)|init\.templatedir|protocol\..*|safe\.directory|uploadpack\..*|remote\..*\.(?:uploadpack|receivepack|proxy|vcs))$/;

function isCodeSetting(command: CommandFact): boolean {
  if (!isCall(command, 'git', 'config')) return false;
  const operands = operandsOf(command).filter((word) => word !== 'set');
  const [key, value] = operands;
  if (key === undefined || value === undefined || key === 'get' || key === 'unset' || key === 'list') return false;
  if (hasOption(command, '--get', '--get-all', '--get-regexp', '--unset', '--unset-all', '-l', '--list')) return false;
  const name = key.toLowerCase();
  if (name.startsWith('alias.')) return value.startsWith('!');
  if (name === 'http.sslverify') return /^(?:false|0|no|off)$/i.test(value);
  return CODE_KEYS.test(name);
}
