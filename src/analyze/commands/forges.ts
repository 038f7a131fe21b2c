// Forges and version control besides git: rows of data; the larger ones are in the folder of this name.
// Programs with a full-screen interface (tig, lazygit) can run anything from there.

import { gh } from './forges/gh.ts';
import { glab } from './forges/glab.ts';
import { hg } from './forges/hg.ts';
import { svn } from './forges/svn.ts';
import { gitLfs } from './git/git-lfs.ts';
import type { CommandFamily } from './spec.ts';
import { helped, joined, named, sub } from './tool-rows.ts';

export const forges: CommandFamily = {
  gh,
  glab,
  svn,
  hg,
  'git-lfs': {
    ...gitLfs,
    examples: { readOnly: ['git-lfs ls-files', 'git-lfs env'], notReadOnly: ['git-lfs pull', 'git-lfs install'] },
  },
  hub: {
    summary: 'git with GitHub',
    class: 'read',
    style: 'none',
    operands: 'value*',
    program: 'hub',
    examples: {
      readOnly: ['hub status', 'hub log -3', 'hub --version'],
      notReadOnly: [
        'hub push',
        'hub pr list',
        'hub pull-request -m x',
        'hub log --output=f',
        'hub browse',
        'hub api x',
        'hub clone a/b',
        'hub -c core.fsmonitor=./x status',
      ],
    },
  },
  tig: helped('browse a repository', 'execute', {
    operands: 'value*',
    does: 'execute',
    flags: '-v --version',
    variants: [{ has: '-v --version', does: '', class: 'neutral' }],
    examples: { readOnly: ['tig --version', 'tig --help'], notReadOnly: ['tig', 'tig log', 'tig blame f'] },
  }),
  lazygit: helped('work with git on a screen', 'execute', {
    operands: 'value*',
    does: 'change execute',
    flags: '-v --version',
    variants: [{ has: '-v --version', does: '', class: 'neutral' }],
    examples: { readOnly: ['lazygit --version'], notReadOnly: ['lazygit'] },
  }),
  'pre-commit': {
    summary: 'run checks before commits',
    class: 'execute',
    style: 'posix',
    exactLong: true,
    flags: '-h --help -V --version',
    alone: 'change network execute',
    variants: [{ has: '-h --help -V --version', does: '', class: 'neutral' }],
    examples: {
      readOnly: ['pre-commit --version', 'pre-commit validate-config', 'pre-commit sample-config'],
      notReadOnly: ['pre-commit', 'pre-commit run --all-files', 'pre-commit install', 'pre-commit autoupdate'],
    },
    subcommands: {
      ...named(
        'validate-config validate-manifest',
        sub('check configuration', 'read', { flags: '-h --help', values: '--color', operands: 'read*' }),
      ),
      'sample-config': sub('print a configuration', 'neutral', { flags: '-h --help', values: '--color', operands: '' }),
      help: sub('show help', 'neutral', { operands: 'value*' }),
      ...named(
        'run try-repo install install-hooks uninstall autoupdate clean gc init-templatedir migrate-config hook-impl',
        helped('install or run checks', 'execute', {
          flags:
            '-a --all-files -v --verbose --show-diff-on-failure -f --overwrite --install-hooks --allow-missing-config --bleeding-edge --freeze',
          values: '-t --hook-type --hook-stage --from-ref --to-ref --source --origin -s -o --repo -j --jobs --color',
          options: { '-c --config': 'file' },
          operands: 'value*',
          does: 'change network execute',
        }),
      ),
    },
  },
  delta: {
    summary: 'colour differences',
    class: 'read',
    exactLong: true,
    flags: joined(
      '-n --line-numbers -s --side-by-side --dark --light --navigate --no-gitconfig --raw --color-only --diff-highlight',
      '--diff-so-fancy --keep-plus-minus-markers --hyperlinks --relative-paths --show-config --show-syntax-themes',
      '--list-languages --list-syntax-themes --show-colors --show-themes --parse-ansi -V --version -h --help',
    ),
    values: joined(
      '-w --width --syntax-theme --theme --tabs --features --wrap-max-lines --max-line-length --max-line-distance',
      '--file-style --hunk-header-style --commit-style --minus-style --plus-style --zero-style --true-color',
      '--default-language --detect-dark-light',
    ),
    options: {
      '--paging': 'value',
      '--pager': 'shell',
      '--config': 'hook',
      '-@ --diff-args': 'unknown',
      '--generate-completion': 'value',
    },
    operands: 'read*',
    program: 'delta',
    examples: {
      readOnly: ['delta a b', 'delta --side-by-side', 'delta --paging=never --line-numbers'],
      notReadOnly: [
        "delta --pager='touch x'",
        'delta --paging=always',
        "delta -@ '--output=f' a b",
        'delta --config f',
      ],
    },
  },
};
