// Git commands in a repository whose configuration or hooks would run programs, or write unrequested files.

import type { CommandFact } from '../../../core/facts.ts';
import type { CommandCheck, Hit } from '../../check.ts';
import { gitFindings, neutralisingEnvironment } from './git-findings.ts';
import { GIT_USERS } from './git-uses.ts';

const P = '/home/u/project';

/** The files of a repository with this configuration. */
function repository(config: string, more: Readonly<Record<string, string>> = {}, at = `${P}/.git`) {
  const base = {
    [`${at}/HEAD`]: 'ref: refs/heads/main\n',
    [`${at}/config`]: config,
    [`${at}/objects/info/x`]: '',
    [`${at}/refs/heads/main`]: '',
  };
  return { ...base, ...more };
}

/** An index with one entry, a submodule. */
function indexOf(path: string): string {
  const number = (value: number) => String.fromCharCode(0, 0, value >> 8, value & 255);
  const zeros = (count: number) => '\0'.repeat(count);
  const entry = `${zeros(24)}${number(0o160000)}${zeros(12 + 20 + 1)}${String.fromCharCode(path.length)}${path}`;
  return `DIRC${number(2)}${number(1)}${entry}${zeros(8 - (entry.length % 8))}${zeros(20)}`;
}

const SUBMODULE = { [`${P}/.git/index`]: indexOf('sub') };
const MONITOR = repository('[core]\n\tfsmonitor = ./evil.sh\n');

export const gitConfigExecutes: CommandCheck = {
  id: 'git-config-executes',
  layer: 'repository',
  severity: 'high',
  verdict: 'ask',
  names: GIT_USERS,
  message: 'The configuration of this repository makes this git command run a program or write files.',
  instead: 'Check the setting first, and remove it with `git config --unset` if it is not yours.',
  examples: {
    matches: [
      { command: 'git status', files: MONITOR },
      { command: 'cd src && git diff --stat', files: MONITOR },
      { command: 'git -C .. status', cwd: `${P}/src`, files: MONITOR },
      { command: 'git --git-dir=x/.git status', files: repository('[core] fsmonitor = "./e"', {}, `${P}/x/.git`) },
      { command: 'timeout 5 git status', files: MONITOR },
      { command: 'git diff', files: repository('[diff "x"]\n textconv = ./e') },
      { command: 'git log -p', files: repository('[diff]\n external = ./e') },
      { command: 'git status', files: repository('[filter "x"]\n clean = ./e') },
      { command: 'git status', files: repository('', { [`${P}/.git/hooks/post-index-change`]: '#!/bin/sh\n' }) },
      { command: 'git status', files: repository('[core]\nhooksPath = h', { [`${P}/h/post-index-change`]: 'x' }) },
      { command: 'git status', files: repository('[include]\npath = ../x', { [`${P}/x`]: '[core]\nfsmonitor=./e' }) },
      { command: 'git status', files: repository('[core\n') },
      { command: 'git fetch', files: repository('[remote "o"]\n url = ext::sh -c id') },
      { command: 'git ls-remote', files: repository('[core]\n sshCommand = ./e') },
      { command: 'git show', files: repository('[remote "o"]\n promisor = true\n uploadpack = ./e') },
      { command: 'git ls-tree HEAD', files: repository('[remote "o"]\n promisor = true\n uploadpack = ./e') },
      { command: 'git rev-parse HEAD:a', files: repository('[remote "o"]\n promisor = true\n uploadpack = ./e') },
      { command: 'git log --help', files: repository('[man "e"]\n cmd = ./e') },
      { command: 'git --help log', files: repository('[man "e"]\n cmd = ./e') },
      { command: 'git branch --help', files: repository('[browser "e"]\n cmd = ./e') },
      { command: 'git status', files: repository('[core]\nhooksPath = ~daemon/../tmp/h') },
      { command: 'git status', files: repository('[core]\nhooksPath = %(prefix)/h') },
      { command: 'git log -p --submodule=diff', files: repository('') },
      { command: 'git status', files: repository('', { [`${P}/.git/index`]: 'DIRC' }) },
      { command: 'hub status', files: MONITOR },
      { command: 'go list ./...', files: MONITOR },
      { command: 'go -C src list', files: MONITOR },
      { command: 'gh pr view', files: MONITOR },
      { command: 'git-lfs ls-files', files: MONITOR },
      { command: 'delta a b', files: MONITOR },
      {
        command: 'git status',
        files: repository('', { ...SUBMODULE, ...repository('[core]\nfsmonitor = ./e', {}, `${P}/sub/.git`) }),
      },
      {
        command: 'git diff',
        files: repository('', {
          ...SUBMODULE,
          [`${P}/sub/.git`]: 'gitdir: /elsewhere\n',
          '/elsewhere/hooks/post-index-change': 'x',
        }),
      },
      { command: 'git lg', files: repository('[alias]\n lg = !./e') },
      { command: 'git status', files: repository('[core]\n pager = ./e') },
      { command: 'git branch && git rev-parse HEAD', files: repository('[pager]\n branch = ./e') },
      { command: 'git log', files: repository('[core]\n pager = less -o /tmp/x') },
      { command: 'git show', files: repository('[diff "x"]\n textconv = cat\n cachetextconv = true') },
      { command: 'git diff', files: repository('[diff "x"]\n textconv = cat\n cachetextconv') },
      { command: 'git status', files: repository('[core]\n splitIndex = true') },
      { command: 'git lfs ls-files', files: repository('[alias]\n lfs = !./e') },
      { command: 'git lfs version', files: repository('[alias]\n lfs = log --output=x') },
      { command: 'git lfs status', files: repository('[help]\n autocorrect = immediate') },
      { command: 'git commit -m x', files: repository('[gpg]\n program = ./e') },
      { command: 'cd "$X" && git status' },
      { command: 'git status', files: repository('[core]\nfsmonitor = ./e', {}, P) },
      {
        command: 'git status',
        files: {
          [`${P}/.git`]: 'gitdir: ../main/.git/worktrees/w\n',
          ...repository('', { '/home/u/main/.git/worktrees/w/commondir': '../..' }, '/home/u/main/.git'),
          '/home/u/main/.git/worktrees/w/HEAD': 'ref: refs/heads/w',
          '/home/u/main/.git/worktrees/w/config.worktree': '[core]\nfsmonitor = ./e',
        },
      },
      {
        command: 'git status',
        files: repository('', {
          [`${P}/.git/modules/a/HEAD`]: '',
          [`${P}/.git/modules/a/config`]: '[core]\nfsmonitor=./e',
        }),
      },
    ],
    passes: [
      { command: 'git status' },
      { command: 'git status && git log -p', files: repository('[core]\n\tbare = false\n\tfsmonitor = true\n') },
      { command: 'git rev-parse HEAD && git branch && git remote -v', files: MONITOR },
      { command: 'git --version', files: MONITOR },
      { command: 'go version && gh --version', files: MONITOR },
      { command: 'git status', files: repository('', { ...SUBMODULE, ...repository('', {}, `${P}/sub/.git`) }) },
      { command: 'git ls-tree HEAD', files: repository('[remote "o"]\n promisor = true\n url = https://x.example/y') },
      { command: 'git log --help', files: repository('') },
      { command: 'git status', files: MONITOR, context: { probe: null } },
      { command: 'ssh host git status', files: MONITOR },
      {
        command: 'git status && git diff',
        files: repository(
          '[filter "lfs"]\nclean = git-lfs clean -- %f\nsmudge = git-lfs smudge -- %f\nprocess = git-lfs filter-process\nrequired = true',
        ),
      },
      {
        command: 'git status',
        files: repository('[core]\nhooksPath = .husky/_', { [`${P}/.husky/_/pre-commit`]: 'x' }),
      },
      { command: 'git log -3', files: repository('[alias]\n log = !./e') },
      { command: 'git fetch', files: repository('[remote "o"]\n url = git@example.com:a/b.git') },
      { command: 'git status', files: repository('[core]\n pager = less -FRX\n editor = ./e\n[pager]\n diff = false') },
      { command: 'git --no-pager log', files: repository('[core]\n pager = ./e') },
      { command: 'git lfs ls-files', files: repository('[alias]\n lg = !./e\n[help]\n autocorrect = 0') },
      { command: 'git status', files: repository('[help]\n autocorrect = immediate\n[core]\n splitIndex = false') },
    ],
  },
  inspect(command, subject) {
    const isNeutral = neutralisingEnvironment(subject) !== null;
    return gitFindings(command, subject).map(({ what, isExpected }): Hit => {
      const text = `In this repository, \`${nameOf(command)}\` depends on ${what}`;
      if (isExpected)
        return { span: command.span, verdict: 'allow', severity: 'low', message: `${text}, which it runs.` };
      if (isNeutral)
        return {
          span: command.span,
          verdict: 'allow',
          severity: 'low',
          message: `${text}; it is disabled for this run.`,
        };
      return { span: command.span, message: `${text}, which may run a program or write files.` };
    });
  },
};

function nameOf({ name, invocation }: CommandFact): string {
  return [name, invocation?.path[1]].filter(Boolean).join(' ');
}
