// git: its own options and the rows of its subcommands, which are in the folder of this name.
// Plain reading is read-only here; the decision checks whether the repository's configuration runs code.

import { gitLfs } from './git/git-lfs.ts';
import { gitHistoryCommands } from './git/git-subcommands-history.ts';
import { gitObjectCommands } from './git/git-subcommands-objects.ts';
import { gitReferenceCommands } from './git/git-subcommands-refs.ts';
import { gitRemoteCommands } from './git/git-subcommands-remotes.ts';
import { gitWorktreeCommands } from './git/git-subcommands-worktree.ts';
import type { CommandFamily } from './spec.ts';

export const git: CommandFamily = {
  git: {
    summary: 'version control',
    class: 'read',
    style: 'posix',
    exactLong: true,
    flags: [
      '-v --version -h --help --html-path --man-path --info-path -P --no-pager --no-replace-objects --no-lazy-fetch',
      '--no-optional-locks --no-advice --bare --literal-pathspecs --glob-pathspecs --noglob-pathspecs',
      '--icase-pathspecs',
    ].join(' '),
    values: '-c --config-env --git-dir --work-tree --namespace --super-prefix --attr-source',
    optional: '--list-cmds',
    options: {
      '-C': 'chdir',
      '-p --paginate': '+hook',
      '--exec-path': 'program?',
    },
    operands: 'unknown*',
    subcommands: {
      ...gitHistoryCommands,
      ...gitObjectCommands,
      ...gitReferenceCommands,
      ...gitRemoteCommands,
      ...gitWorktreeCommands,
      lfs: gitLfs,
    },
    program: 'git',
    examples: {
      readOnly: [
        'git --version',
        'git --no-pager log -3',
        'git -C /tmp status',
        'git -c color.ui=always diff',
        'git -c core.pager=cat log',
        'git -c core.fsmonitor=false status',
        'git --git-dir=.git log',
        'git log --help',
        'git --help log',
      ],
      notReadOnly: [
        'git -c core.fsmonitor=./x status',
        'git -c diff.external=./x diff',
        'git -c Core.SSHCommand=x ls-remote origin',
        "git -c alias.x='!id' x",
        'git -c core.pager=./x log',
        'git -c made.up=1 status',
        'git -c "$x" status',
        'git --config-env=core.editor=E status',
        'git --exec-path=/tmp/x status',
        'git --git-dir=/tmp/x status',
        'git -p log',
        'git nonsense',
        'git log --help -w',
        'git -h log --web',
      ],
    },
  },
};
