// Files that run code, grant access or contain rules, if something writes to them. Data only.
// `deny`: never edited by accident; `ask`: people edit them, but programs run them as code.

import { once } from '../../../core/values/once.ts';
import { createPathTable, type NamedPath } from './path-table.ts';

export interface Protection {
  readonly verdict: 'ask' | 'deny';
  readonly why: string;
}

function rows(verdict: Protection['verdict'], why: string, globs: string): NamedPath<Protection>[] {
  return globs
    .split(/\s+/)
    .filter((glob) => glob !== '')
    .map((glob) => ({ glob, value: { verdict, why } }));
}

const protectedPaths = once((): readonly NamedPath<Protection>[] => [
  ...rows(
    'deny',
    'git runs the programs that it names',
    `.git/hooks/** .git/config .git/config.worktree .git/info/attributes .git/commondir
    .git/modules/**/config .git/modules/**/config.worktree .git/modules/**/hooks/** .git/modules/**/info/attributes
    .git/worktrees/*/config.worktree .git/worktrees/*/commondir .git/worktrees/*/gitdir
    ~/.gitconfig ~/.config/git/** /etc/gitconfig ~/.gitattributes`,
  ),
  ...rows('deny', 'lazygit runs the programs that it names', '.lazygit.yml .git/lazygit.yml'),
  ...rows('ask', 'it tells git which repository this is, and its settings', '.git .gitmodules'),
  ...rows('ask', 'its scripts run as git hooks', '.husky/** .githooks/** lefthook.yml .pre-commit-config.yaml'),
  ...rows(
    'deny',
    'every new shell runs it',
    `.bashrc .bash_profile .bash_login .bash_aliases .bash_logout ~/.profile .zshrc .zshenv .zprofile .zlogin .zlogout
    .kshrc .mkshrc .cshrc .tcshrc ~/.login ~/.config/fish/** /etc/profile /etc/profile.d/** /etc/bash.bashrc /etc/bashrc
    /etc/zsh/** /etc/zshrc /etc/zshenv /etc/zprofile /etc/fish/** /etc/environment ~/.pam_environment ~/.config/environment.d/**`,
  ),
  ...rows(
    'ask',
    'every shell or editor session reads it',
    '~/.inputrc ~/.vimrc ~/.config/nvim/** ~/.emacs ~/.tmux.conf',
  ),
  ...rows('deny', 'it controls who can log in, and where keys are sent', '.ssh/** /etc/ssh/**'),
  ...rows(
    'deny',
    'it contains keys and credentials',
    `.gnupg/** ~/.netrc ~/.aws/** ~/.kube/** ~/.docker/config.json ~/.azure/** ~/.config/gcloud/** ~/.git-credentials
    ~/.config/gh/** ~/.password-store/** /run/secrets/**`,
  ),
  ...rows(
    'ask',
    'it tells package managers where packages come from, and what to run',
    `~/.npmrc ~/.yarnrc ~/.yarnrc.yml ~/.pypirc ~/.pip/pip.conf ~/.config/pip/pip.conf ~/.config/pnpm/rc ~/.cargo/config
    ~/.cargo/config.toml ~/.cargo/env ~/.gradle/init.gradle ~/.gradle/init.d/** ~/.m2/settings.xml ~/.gemrc`,
  ),
  ...rows(
    'deny',
    'the system runs it automatically, later',
    `/etc/crontab /etc/cron.*/** /etc/cron.d/** /var/spool/cron/** /etc/anacrontab /etc/systemd/** /usr/lib/systemd/**
    /lib/systemd/** ~/.config/systemd/** ~/.local/share/systemd/** ~/.config/autostart/** /etc/xdg/autostart/** /etc/init.d/**
    /etc/rc.local ~/Library/LaunchAgents/** /Library/LaunchAgents/** /Library/LaunchDaemons/** ~/.xinitrc ~/.xprofile
    ~/.xsession /etc/ld.so.preload /etc/ld.so.conf /etc/ld.so.conf.d/**`,
  ),
  ...rows(
    'deny',
    'it controls permissions on this system',
    '/etc/passwd /etc/shadow /etc/group /etc/gshadow /etc/sudoers /etc/sudoers.d/** /etc/pam.d/** /etc/hosts.allow',
  ),
  ...rows(
    'deny',
    'it controls what hardshell allows',
    `.hardshell/** .hardshell.json .hardshell.jsonc ~/.config/hardshell/** /etc/hardshell/** /tmp/hardshell-[0-9]*/** /var/tmp/hardshell-[0-9]*/**
    /run/user/*/hardshell/** /run/user/*/hardshell-[0-9]*/**`,
  ),
  ...rows(
    'deny',
    'it controls what another agent may run',
    `.claude/settings.json .claude/settings.local.json .claude/hooks/** ~/.claude/** ~/.claude.json .mcp.json .cursor/mcp.json
    ~/.cursor/** .codex/** .gemini/settings.json ~/.gemini/** .qwen/settings.json ~/.qwen/**`,
  ),
  ...rows(
    'ask',
    'agents read it as instructions or settings',
    '.claude/** .cursor/** .gemini/** .qwen/** .windsurf/**',
  ),
  ...rows(
    'ask',
    'an editor runs the programs that it names when the folder is opened',
    '.vscode/settings.json .vscode/tasks.json .vscode/launch.json .vscode/mcp.json .idea/** *.code-workspace .devcontainer/**',
  ),
  ...rows('ask', 'direnv runs it when a shell enters the folder', '.envrc'),
]);

export const protectedGlobs = () => protectedPaths().map(({ glob }) => glob);
export const protectedTable = once(() => createPathTable(protectedPaths()));
