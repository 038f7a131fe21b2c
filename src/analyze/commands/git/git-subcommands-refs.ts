// Git subcommands about branches, tags, notes and settings: rows of data.
// Listing and creating share a word (`git branch`, `git branch x`): a name that is not a pattern changes something.

import type { CommandFamily } from '../spec.ts';
import { helped, joined, named, sub } from '../tool-rows.ts';

const HELP = '-h --help';
const NOTE = {
  flags: '--allow-empty -f --force --separator --no-separator --stripspace --no-stripspace -e --edit',
  values: '-m --message -c --reedit-message -C --reuse-message',
  options: { '-F --file': 'read' },
  operands: 'value*',
  does: 'change execute',
} as const;

export const gitReferenceCommands: CommandFamily = {
  branch: sub('list or change branches', 'list', {
    flags: joined(
      '-v -vv --verbose --no-verbose -q --quiet -r --remotes -a --all -l --list --show-current -i --ignore-case --no-color',
      '--no-column --no-abbrev --omit-empty --contains --no-contains --merged --no-merged --no-track',
      `--recurse-submodules --create-reflog ${HELP}`,
    ),
    values: '--points-at',
    optional: '--color --abbrev --column -t --track',
    options: {
      '--format': 'value',
      '--sort': 'value',
      '-d --delete': '+change',
      '-D': '+change',
      '-m --move': '+change',
      '-M': '+change',
      '-c --copy': '+change',
      '-C': '+change',
      '-f --force': '+change',
      '-u --set-upstream-to': 'change',
      '--unset-upstream': '+change',
      '--edit-description': '+hook',
    },
    operands: 'change*',
    variants: [
      { has: '-d --delete -D -m --move -M -c --copy -C -f --force -u --set-upstream-to', operands: 'value*' },
      { has: '--unset-upstream --edit-description', operands: 'value*' },
      { has: '-l --list --show-current --contains --no-contains --merged --no-merged --points-at', operands: 'value*' },
      { has: HELP, operands: 'value*' },
    ],
    program: 'git-format',
    examples: {
      readOnly: [
        'git branch',
        'git branch -a',
        'git branch -r -v',
        'git branch -vv',
        'git branch --show-current',
        "git branch --list 'feature/*'",
        'git branch --contains abc1234',
        'git branch -a --merged main',
        "git branch --sort=-committerdate --format='%(refname:short)'",
      ],
      notReadOnly: [
        'git branch x',
        'git branch -v x',
        'git branch -d x',
        'git branch -D x',
        'git branch -m a b',
        'git branch -f x HEAD',
        'git branch -u origin/x',
        'git branch --edit-description',
        'git branch --sort=refname x',
        "git branch --format='%(signature)'",
      ],
    },
  }),
  tag: sub('list or change tags', 'list', {
    flags: joined(
      '-l --list -i --ignore-case --no-color --no-column --omit-empty --contains --no-contains --merged --no-merged',
      `--create-reflog --no-sign ${HELP}`,
    ),
    values: '--points-at --cleanup -m --message --trailer',
    optional: '-n --color --column',
    options: {
      '--format': 'value',
      '--sort': 'value',
      '-F --file': 'read',
      '-d --delete': '+change',
      '-a --annotate': '+change',
      '-f --force': '+change',
      '-v --verify': '+hook',
      '-s --sign': '+hook',
      '-e --edit': '+hook',
      '-u --local-user': 'hook',
    },
    operands: 'change*',
    variants: [
      { has: '-d --delete -v --verify', operands: 'value*' },
      {
        has: '-a --annotate -s --sign -u --local-user -f --force -m --message -F --file -e --edit',
        operands: 'change*',
      },
      { has: '-l --list -n --contains --no-contains --merged --no-merged --points-at', operands: 'value*' },
      { has: HELP, operands: 'value*' },
    ],
    program: 'git-format',
    examples: {
      readOnly: [
        'git tag',
        "git tag -l 'v*'",
        'git tag -n5',
        'git tag --sort=-v:refname',
        'git tag --contains HEAD',
        'git tag --points-at HEAD',
      ],
      notReadOnly: [
        'git tag v1',
        'git tag -a v1 -m x',
        'git tag -d v1',
        'git tag -v v1',
        'git tag -s v1',
        'git tag --sort=refname v1',
      ],
    },
  }),
  'symbolic-ref': sub('read or change a symbolic reference', 'read', {
    flags: `-q --quiet --short --recurse --no-recurse ${HELP}`,
    values: '-m',
    options: { '-d --delete': '+change' },
    operands: 'value change?',
    examples: {
      readOnly: ['git symbolic-ref --short HEAD', 'git symbolic-ref refs/remotes/origin/HEAD'],
      notReadOnly: ['git symbolic-ref HEAD refs/heads/x', 'git symbolic-ref -d X'],
    },
  }),
  'update-ref': helped('change a reference', 'write', {
    flags: '-d --no-deref -z --stdin --create-reflog --batch-updates',
    values: '-m',
    operands: 'value*',
    does: 'change',
    examples: { readOnly: [], notReadOnly: ['git update-ref -d refs/heads/x', 'git update-ref HEAD abc1234'] },
  }),
  replace: sub('list or change replaced objects', 'list', {
    flags: `-l --list --raw ${HELP}`,
    values: '--format',
    options: {
      '-d --delete': '+change',
      '-e --edit': '+hook',
      '-g --graft': '+change',
      '--convert-graft-file': '+change',
      '-f --force': '+change',
    },
    operands: 'change*',
    variants: [
      { has: '-d --delete -e --edit -g --graft --convert-graft-file -f --force', operands: 'value*' },
      { has: '-l --list', operands: 'value*' },
    ],
    examples: {
      readOnly: ['git replace', "git replace -l '*'"],
      notReadOnly: ['git replace a b', 'git replace -d a', 'git replace --edit a'],
    },
  }),
  notes: sub('handle notes on commits', 'list', {
    style: 'posix',
    flags: HELP,
    values: '--ref',
    examples: { readOnly: ['git notes', 'git notes list', 'git notes show HEAD'], notReadOnly: ['git notes add -m x'] },
    subcommands: {
      list: sub('list notes', 'list', { flags: HELP, operands: 'value*' }),
      show: sub('show notes', 'read', {
        flags: HELP,
        operands: 'value*',
        examples: { readOnly: ['git notes --ref=x show HEAD'], notReadOnly: [] },
      }),
      'get-ref': sub('show where notes are kept', 'read', { flags: HELP, operands: '' }),
      ...named('add append edit', helped('write a note', 'write', NOTE)),
      copy: helped('copy notes', 'write', {
        flags: '-f --force --stdin',
        values: '--for-rewrite',
        operands: 'value*',
        does: 'change',
      }),
      remove: helped('delete notes', 'delete', {
        flags: '--ignore-missing --stdin',
        operands: 'value*',
        does: 'change',
      }),
      merge: helped('merge notes', 'write', {
        flags: '-v --verbose -q --quiet --commit --abort',
        values: '-s --strategy',
        operands: 'value*',
        does: 'change',
      }),
      prune: helped('delete notes of missing commits', 'delete', {
        flags: '-n --dry-run -v --verbose',
        operands: '',
        does: 'change',
        variants: [{ has: '-n --dry-run', does: '', class: 'read' }],
        examples: { readOnly: ['git notes prune -n'], notReadOnly: ['git notes prune'] },
      }),
    },
  }),
  // After the first operand nothing is an option: `git config a.b --get` sets a.b to `--get`.
  config: sub('read or change settings', 'read', {
    style: 'posix',
    flags: joined(
      '--global --system --local --worktree --get --get-all --get-regexp --get-urlmatch --replace-all --add --unset',
      '--unset-all --rename-section --remove-section -l --list --fixed-value -e --edit --get-color --get-colorbool',
      '--bool --int --bool-or-int --bool-or-str --path --expiry-date --no-type -z --null --name-only --includes',
      '--no-includes --show-origin --no-show-origin --show-scope --no-show-scope --show-names --no-show-names --all',
      `--regexp --append ${HELP}`,
    ),
    values: '-f --file --blob -t --type --default --value --url --comment',
    operands: 'value*',
    program: 'git-config',
    examples: {
      readOnly: [
        'git config --list',
        'git config -l --show-origin',
        'git config user.name',
        'git config --get remote.origin.url',
        "git config --get-regexp '^alias'",
        'git config -f .gitmodules --get-regexp path',
        'git config get user.name',
        'git config list --global',
      ],
      notReadOnly: [
        'git config user.name x',
        'git config --global user.name x',
        'git config --unset user.name',
        'git config --add a.b c',
        'git config -e',
        'git config --edit --global',
        'git config set user.name x',
        'git config "$key" "$value"',
        'git config -f f a.b c',
        'git config a.b --get',
      ],
    },
  }),
};
