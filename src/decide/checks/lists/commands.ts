// Lists of commands: the blacklist, and the allowlist.

import type { CommandFact, Facts, Span } from '../../../core/facts.ts';
import type { Check, Hit, Subject } from '../../check.ts';
import { MCP_GUIDE_BLACKLIST } from './mcp-guide-lists.ts';

const GUIDE = { blacklist: MCP_GUIDE_BLACKLIST };
const guided = (command: string) => ({ command, policy: GUIDE });
const listing = (entry: string, command: string) => ({
  command,
  policy: { blacklist: { commands: [entry], directories: [] } },
});
const only = (command: string, ...allowedCommands: string[]) => ({ command, policy: { allowedCommands } });

export const COMMAND_LIST_CHECKS: readonly Check[] = [
  {
    id: 'blacklisted-command',
    layer: 'lists',
    severity: 'high',
    verdict: 'deny',
    message: 'The command is blacklisted.',
    instead: null,
    inspectWhole: blacklistHits,
    examples: {
      matches: [
        ...[
          'reboot',
          '/sbin/reboot',
          'sudo apt install x',
          'mkfs.ext4 /dev/sda',
          'dd if=a of=b',
          'env A=b timeout 5 ip addr',
          "bash -c 'mount a b'",
          'ls | xargs passwd',
          'r""eboot',
          '$X; reboot',
        ].map(guided),
        ...[
          'eval "$X"; ip a',
          'echo $(ip a)',
          'find . -exec dd if={} \\;',
          'true && { iptables -L; }',
          'busybox ifconfig',
          'DD if=a',
          '\\dpkg -l',
          'ssh h reboot',
          'if true; then yum update; fi',
          'eval "dd $X"',
        ].map(guided),
        { command: 'rm -rf / --no-preserve-root', policy: { blacklist: { commands: ['rm -rf /'], directories: [] } } },
        {
          command: 'sudo dd if=/dev/zero of=x',
          policy: { blacklist: { commands: ['dd if=/dev/zero'], directories: [] } },
        },
        ...[
          listing('/usr/bin/wc', 'wc -l a'),
          listing('/usr/bin/wc', '/usr/bin/wc a'),
          listing('./bl.sh', './bl.sh'),
          listing('./bl.sh', 'bl.sh --all'),
          listing('./bl.sh', 'bash bl.sh'),
          listing('./bl.sh', '. ./bl.sh'),
          listing('/usr/bin/git push', 'git push origin'),
          listing('/sbin/mkfs', 'mkfs.ext4 a'),
        ],
        { command: ': () { : | : & }; :', policy: { blacklist: { commands: [':(){:|:&};:'], directories: [] } } },
      ],
      passes: [
        'reboot',
        ...[
          'ls',
          'echo reboot',
          'npm init',
          'git init',
          'apt-get update',
          './init.sh',
          'cat format.js',
          'rm a',
          'grep ip a',
          'node format.js',
          'ipython',
          'git commit -m "mount x"',
        ].map(guided),
        ...[
          listing('/usr/bin/wc', 'cat wc'),
          listing('/usr/bin/git push', 'git status'),
          listing('./bl.sh', 'cat bl.sh'),
          listing('wc', 'bash wc'),
        ],
        { command: 'rm -rf build', policy: { blacklist: { commands: ['rm -rf /'], directories: [] } } },
      ],
    },
  },
  {
    id: 'not-in-allowlist',
    layer: 'lists',
    severity: 'high',
    verdict: 'deny',
    message: 'Only commands on the allowlist may run, and this one is not on it.',
    instead: null,
    inspectWhole: allowlistHits,
    examples: {
      matches: [
        ...[
          only('rm x', 'ls'),
          only('ls | wc', 'ls'),
          only('sudo ls', 'ls'),
          only('ls', 'cat'),
          only("bash -c 'rm x'", 'bash'),
          only('$X', 'ls'),
          only('ls; eval "$X"', 'ls', 'eval'),
          only('./ls', 'ls'),
        ],
        ...[
          only('ls $(rm x)', 'ls'),
          only('/tmp/ls', 'ls'),
          only('xargs rm', 'xargs'),
          only('ls'),
          only('export A=b', 'ls'),
          only('echo hi', 'ls'),
          only('ls && "$Y"', 'ls'),
          only('ls (', 'ls'),
        ],
      ],
      passes: [
        'rm x',
        ...[
          only('ls -la', 'ls'),
          only('/bin/ls', 'ls'),
          only('cd x && ls', 'ls'),
          only('ls | wc -l', 'ls', 'wc'),
          only('true', 'ls'),
          only('[ -f a ] && ls', 'ls'),
          only('/opt/tool x', '/opt/tool'),
          only("bash -c 'ls'", 'bash', 'ls'),
        ],
        only('f() { ls; }; f', 'ls'),
      ],
    },
  },
];

function blacklistHits({ facts, policy }: Subject): readonly Hit[] {
  const { commands } = policy.blacklist;
  if (commands.length === 0) return [];
  const entries = commands.map(entryOf);
  const single = new Set(entries.flatMap(({ words }) => (words.length === 1 ? words : [])));
  const longer = entries.filter(({ words }) => words.length > 1);
  const asWritten = (name: string | undefined) =>
    name === undefined ? undefined : entries.find(({ words }) => words.length === 1 && words[0] === name)?.text;
  const hits: Hit[] = [];
  for (const command of facts.commands) {
    const name = command.name?.toLowerCase() ?? null;
    if (name === null) continue;
    const listed =
      asWritten(listedName(name, single)) ??
      longer.find((entry) => startsWithWords(command, name, entry.words))?.text ??
      entries.find((entry) => entry.isPath && runsScript(command, entry.words))?.text;
    if (listed !== undefined) hits.push(listedHit(listed, command.span));
  }
  const compact = entries.find(
    ({ text, isShape }) => isShape && compactText(facts.command).includes(compactText(text)),
  );
  if (compact !== undefined) hits.push(listedHit(compact.text, null));
  if (facts.status === 'cannot-tell' && hits.length === 0) {
    // Something may run that is not in the facts, so a listed name in a possible command position is enough.
    const [word] = wordsInCommandPosition(facts).flatMap((candidate) => asWritten(listedName(candidate, single)) ?? []);
    if (word !== undefined) hits.push(listedHit(word, null));
  }
  return hits;
}

const listedHit = (listed: string, span: Span | null): Hit => ({
  span,
  entry: listed,
  message: `The command is blacklisted: ${listed}.`,
});

/** A path counts for the program of its name: it can be started in other ways than by that path. */
function entryOf(text: string) {
  const [program = '', ...rest] = text.toLowerCase().split(/\s+/).filter(Boolean);
  const isPath = program.includes('/') && !program.endsWith('/');
  const name = isPath ? baseName(program) : program;
  return { text, words: [name, ...rest], isPath, isShape: /[|&;(){}]/.test(text) };
}

/** `bash ./bl.sh` runs `bl.sh`. */
function runsScript({ effects }: CommandFact, [name, ...rest]: readonly string[]): boolean {
  if (rest.length > 0) return false;
  return effects.executes.some(
    ({ kind, text }) => kind === 'file' && text !== null && baseName(text.toLowerCase()) === name,
  );
}

const baseName = (path: string) => path.slice(path.lastIndexOf('/') + 1);

const compactText = (text: string) => text.replace(/\s+/g, '');

/** `mkfs.ext4` is mkfs, `format.com` is format; `init.sh` is a script. */
function listedName(name: string, listed: ReadonlySet<string>): string | undefined {
  if (listed.has(name)) return name;
  const dot = name.indexOf('.');
  if (dot <= 0) return undefined;
  const stem = name.slice(0, dot);
  return listed.has(stem) && (stem === 'mkfs' || /\.(?:exe|com|bat|cmd)$/.test(name)) ? stem : undefined;
}

function startsWithWords(command: CommandFact, name: string, words: readonly string[]): boolean {
  return words.every((word, i) => (i === 0 ? name === word : command.argv[i]?.toLowerCase() === word));
}

const OPENERS = new Set([
  'sudo',
  'doas',
  'env',
  'exec',
  'command',
  'builtin',
  'nohup',
  'time',
  'then',
  'do',
  'else',
  '!',
  'eval',
  'xargs',
  'if',
  'while',
  'until',
  'elif',
  '{',
]);

function wordsInCommandPosition({ command }: Facts): readonly string[] {
  const found: string[] = [];
  let isOpen = true;
  for (const [token] of command.matchAll(/[;&|(){}`"'\n]|[^\s;&|(){}`"']+/g)) {
    if (/^[;&|({`"'\n]$/.test(token)) isOpen = true;
    else if (isOpen && !/^[A-Za-z_]\w*=/.test(token)) {
      const word = token.replace(/\\/g, '').toLowerCase();
      found.push(baseName(word));
      isOpen = OPENERS.has(word);
    }
  }
  return found;
}

/** These do nothing that a list of programs could be meant for. */
const HARMLESS = new Set(['cd', ':', 'true', 'false', '[', 'test']);
const PROGRAM_FOLDER = /^(?:\/usr(?:\/local)?)?\/s?bin\/[^/]+$|^\/opt\/homebrew\/bin\/[^/]+$/;

function allowlistHits({ facts, policy }: Subject): readonly Hit[] {
  if (policy.allowedCommands === null) return [];
  const allowed = new Set(policy.allowedCommands);
  const hits: Hit[] = [];
  if (facts.status === 'cannot-tell')
    hits.push({ span: null, message: 'Only commands on the allowlist may run, and it is unknown what this runs.' });
  for (const command of facts.commands) {
    if (command.kind === 'function' || command.kind === 'redirect') continue;
    if (isAllowed(command, allowed)) continue;
    hits.push({
      span: command.span,
      message: `Only commands on the allowlist may run, and ${command.name ?? 'an unknown name'} is not on it.`,
      ...(allowed.size === 0 ? {} : { instead: `These may run: ${[...allowed].slice(0, 20).join(', ')}.` }),
    });
  }
  return hits;
}

function isAllowed({ name, argv, kind }: CommandFact, allowed: ReadonlySet<string>): boolean {
  const called = argv[0];
  if (name === null || typeof called !== 'string') return false;
  if (allowed.has(called)) return true;
  // A name in the list is a system program, not any file with that name.
  if (called.includes('/') && !PROGRAM_FOLDER.test(called)) return false;
  return allowed.has(name) || (HARMLESS.has(name) && (kind === 'builtin' || !called.includes('/')));
}
