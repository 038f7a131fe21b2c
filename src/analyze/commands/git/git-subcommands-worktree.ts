// Git subcommands about the work tree, the index and commits: rows of data.
// `execute` stands for hooks, filters and editors set by the repository and its configuration.

import type { CommandFamily } from '../spec.ts';
import { helped, joined, named, sub } from '../tool-rows.ts';
import { historyOptions } from './history-options.ts';

const HELP = '-h --help';
const FROM_FILE = { '--pathspec-from-file': 'read' } as const;
const SIGN = { '-S --gpg-sign': 'hook?' } as const;
const SEQUENCE = '--quit --continue --abort --skip';
const STASH_FLAGS = [
  '-k --keep-index --no-keep-index -S --staged -p --patch -q --quiet -u --include-untracked --no-include-untracked -a',
  '--all --pathspec-file-nul',
].join(' ');

export const gitWorktreeCommands: CommandFamily = {
  status: sub('show the state of the work tree', 'read', {
    flags: joined(
      '-v --verbose -s --short -b --branch --no-branch --show-stash --no-show-stash --ahead-behind --no-ahead-behind',
      `--long -z --null --no-renames --renames --no-column ${HELP}`,
    ),
    optional: '--porcelain -u --untracked-files --ignored --ignore-submodules --column -M --find-renames',
    operands: 'value*',
    examples: {
      readOnly: ['git status', 'git status -sb', 'git status --porcelain=v2 -uno', 'git status --short -- src'],
      notReadOnly: ['git status --output=f'],
    },
  }),
  add: helped('put changes into the index', 'write', {
    flags: joined(
      '-n --dry-run -v --verbose -i --interactive -p --patch -f --force -u --update --renormalize -N --intent-to-add -A',
      '--all --no-all --ignore-removal --no-ignore-removal --refresh --ignore-errors --ignore-missing --sparse',
      '--pathspec-file-nul --no-warn-embedded-repo',
    ),
    values: '--chmod',
    options: { '-e --edit': '+hook', ...FROM_FILE },
    operands: 'value*',
    does: 'change',
    variants: [{ has: '-n --dry-run', does: '', class: 'read' }],
    program: 'git-add',
    examples: {
      readOnly: ['git add -n .', 'git add --help'],
      notReadOnly: ['git add .', 'git add -A', 'git add -p f', 'git add -e'],
    },
  }),
  stage: 'add',
  rm: helped('delete tracked files', 'delete', {
    flags: '-n --dry-run -q --quiet --cached -f --force -r --ignore-unmatch --sparse --pathspec-file-nul',
    options: FROM_FILE,
    operands: 'value*',
    does: 'change',
    variants: [{ has: '-n --dry-run', does: '', class: 'read' }],
    program: 'git-rm',
    examples: { readOnly: ['git rm -n f'], notReadOnly: ['git rm f', 'git rm -r --cached d'] },
  }),
  mv: helped('move tracked files', 'write', {
    flags: '-v --verbose -n --dry-run -f --force -k --sparse',
    operands: 'move+ write',
    does: 'change',
    variants: [{ has: '-n --dry-run', does: '', operands: 'value*', class: 'read' }],
    examples: { readOnly: ['git mv -n a b'], notReadOnly: ['git mv a b'] },
  }),
  clean: helped('delete untracked files', 'delete', {
    flags: '-q --quiet -n --dry-run -f --force -i --interactive -d -x -X',
    values: '-e --exclude',
    operands: 'value*',
    does: 'change',
    variants: [{ has: '-n --dry-run', does: '', class: 'read' }],
    program: 'git-clean',
    examples: {
      readOnly: ['git clean -n', 'git clean -ndx', 'git clean --dry-run -d'],
      notReadOnly: ['git clean -fdx', 'git clean'],
    },
  }),
  restore: helped('restore files', 'write', {
    flags: joined(
      '-S --staged -W --worktree --ignore-unmerged --overlay --no-overlay -q --quiet --progress --no-progress -m --merge',
      '-2 --ours -3 --theirs -p --patch --ignore-skip-worktree-bits --pathspec-file-nul --no-recurse-submodules',
    ),
    values: '-s --source --conflict',
    optional: '--recurse-submodules',
    options: FROM_FILE,
    operands: 'value*',
    does: 'change',
    program: 'git-restore',
    examples: {
      readOnly: ['git restore -h'],
      notReadOnly: ['git restore f', 'git restore --staged f', 'git restore -s HEAD~1 .'],
    },
  }),
  checkout: helped('switch branches or restore files', 'write', {
    flags: joined(
      '-l --guess --no-guess --overlay --no-overlay -q --quiet --progress --no-progress -m --merge -d --detach -f --force',
      '--overwrite-ignore --no-overwrite-ignore --ignore-other-worktrees -2 --ours -3 --theirs -p --patch --no-track',
      '--ignore-skip-worktree-bits --pathspec-file-nul --no-recurse-submodules',
    ),
    values: '-b -B --conflict --orphan',
    optional: '--recurse-submodules -t --track',
    options: FROM_FILE,
    operands: 'value*',
    does: 'change execute',
    program: 'git-checkout',
    examples: {
      readOnly: ['git checkout --help'],
      notReadOnly: ['git checkout main', 'git checkout -b x', 'git checkout -- f'],
    },
  }),
  switch: helped('switch branches', 'write', {
    flags: joined(
      '--guess --no-guess --discard-changes -q --quiet --progress --no-progress -m --merge -d --detach -f --force --no-track',
      '--overwrite-ignore --no-overwrite-ignore --ignore-other-worktrees --no-recurse-submodules',
    ),
    values: '-c --create -C --force-create --conflict --orphan',
    optional: '--recurse-submodules -t --track',
    operands: 'value*',
    does: 'change execute',
    examples: { readOnly: [], notReadOnly: ['git switch main', 'git switch -c x'] },
  }),
  reset: helped('move the branch or unstage files', 'write', {
    flags: joined(
      '-q --quiet --no-quiet --refresh --no-refresh --mixed --soft --hard --merge --keep -p --patch -N --intent-to-add',
      '--pathspec-file-nul --no-recurse-submodules',
    ),
    optional: '--recurse-submodules',
    options: FROM_FILE,
    operands: 'value*',
    does: 'change',
    examples: { readOnly: ['git reset --help'], notReadOnly: ['git reset --hard HEAD~1', 'git reset f', 'git reset'] },
  }),
  stash: sub('put changes aside', 'write', {
    style: 'posix',
    flags: STASH_FLAGS,
    values: '-m --message',
    options: FROM_FILE,
    alone: 'change execute',
    examples: {
      readOnly: ['git stash list', 'git stash show -p'],
      notReadOnly: ['git stash', 'git stash -u', 'git stash -m x', 'git stash pop'],
    },
    subcommands: {
      list: sub('list stashes', 'list', {
        ...historyOptions({ flags: '-q --source', optional: '--decorate' }),
        operands: 'value*',
        program: 'git-history',
        examples: { readOnly: ['git stash list --oneline'], notReadOnly: ['git stash list -p --output=f'] },
      }),
      show: sub('show a stash', 'read', {
        ...historyOptions({ flags: '-u --include-untracked --no-include-untracked --only-untracked' }),
        operands: 'value*',
        program: 'git-history',
        examples: {
          readOnly: ['git stash show', 'git stash show -p stash@{1}', 'git stash show --stat 0'],
          notReadOnly: ['git stash show -p --output=f', 'git stash show --ext-diff'],
        },
      }),
      push: helped('put changes aside', 'write', {
        flags: STASH_FLAGS,
        values: '-m --message',
        options: FROM_FILE,
        operands: 'value*',
        does: 'change execute',
        examples: { readOnly: [], notReadOnly: ['git stash push -m wip -- src'] },
      }),
      save: helped('put changes aside', 'write', { flags: STASH_FLAGS, operands: 'value*', does: 'change execute' }),
      ...named(
        'pop apply',
        helped('bring changes back', 'write', {
          flags: '-q --quiet --index --no-index',
          operands: 'value*',
          does: 'change execute',
        }),
      ),
      ...named(
        'drop clear',
        helped('delete stashes', 'delete', { flags: '-q --quiet', operands: 'value*', does: 'change' }),
      ),
      ...named(
        'branch create store export import',
        helped('make a branch or an object of a stash', 'write', {
          flags: '-q --quiet --print',
          values: '-m --message --to-ref',
          operands: 'value*',
          does: 'change execute',
        }),
      ),
    },
  }),
  apply: helped('apply a patch', 'write', {
    flags: joined(
      '--no-add --add --stat --numstat --summary --check --index -N --intent-to-add --cached --unsafe-paths --apply',
      '--no-apply -3 --3way -z --ignore-space-change --ignore-whitespace -R --reverse --unidiff-zero --reject',
      '--allow-overlap -v --verbose -q --quiet --inaccurate-eof --recount --allow-empty --allow-binary-replacement',
      '--binary --ours --theirs --union',
    ),
    values: '--exclude --include -p -C --whitespace --directory',
    options: { '--build-fake-ancestor': 'write' },
    operands: 'read*',
    does: 'change',
    variants: [
      { has: '--apply', does: 'change' },
      { has: '--check --stat --numstat --summary', does: '', class: 'read' },
    ],
    examples: {
      readOnly: ['git apply --check p.patch', 'git apply --stat p.patch', 'git apply --numstat --summary < p'],
      notReadOnly: [
        'git apply p.patch',
        'git apply --stat --apply p.patch',
        'git apply -R --directory=x p',
        'git apply --index p',
      ],
    },
  }),
  am: helped('apply mailed patches as commits', 'write', {
    flags: joined(
      `-i --interactive -3 --3way --no-3way -q --quiet -s --signoff -u --utf8 --no-utf8 -k --keep --keep-non-patch -m`,
      `--message-id --no-message-id --keep-cr --no-keep-cr -c --scissors --no-scissors --ignore-space-change -r`,
      `--ignore-whitespace --reject --resolved --allow-empty --committer-date-is-author-date --ignore-date -n --no-verify`,
      `--rerere-autoupdate --no-rerere-autoupdate --retry ${SEQUENCE}`,
    ),
    values: '--quoted-cr --whitespace --directory --exclude --include -C -p --patch-format --resolvemsg --empty',
    optional: '--show-current-patch',
    options: SIGN,
    operands: 'read*',
    does: 'change execute',
    variants: [{ has: '--show-current-patch', does: '', class: 'read' }],
    examples: { readOnly: ['git am --show-current-patch'], notReadOnly: ['git am p.mbox', 'git am --abort'] },
  }),
  commit: helped('record a commit', 'write', {
    flags: joined(
      '-q --quiet -v --verbose --no-verbose --reset-author -s --signoff --no-signoff -e --edit --no-edit --status',
      '--no-status -a --all -i --include --interactive -p --patch -o --only -n --no-verify --verify --dry-run --short',
      '--branch --ahead-behind --no-ahead-behind --porcelain --long -z --null --amend --no-post-rewrite --allow-empty',
      '--allow-empty-message --pathspec-file-nul --no-gpg-sign',
    ),
    values: joined(
      '--author --date -m --message -c --reedit-message -C --reuse-message --fixup --squash --trailer --cleanup',
    ),
    optional: '-u --untracked-files',
    options: { '-F --file': 'read', '-t --template': 'read', ...FROM_FILE, ...SIGN },
    operands: 'value*',
    does: 'change execute',
    program: 'git-add',
    examples: {
      readOnly: ['git commit --help'],
      notReadOnly: ['git commit -m x', 'git commit --amend --no-edit', 'git commit -F msg', 'git commit --dry-run'],
    },
  }),
  merge: helped('join histories', 'write', {
    flags: joined(
      '-n --stat --no-stat --summary --no-summary --compact-summary --squash --no-squash --commit --no-commit -e --edit',
      '--no-edit --ff --no-ff --ff-only --rerere-autoupdate --no-rerere-autoupdate --verify-signatures',
      '--no-verify-signatures -v --verbose -q --quiet --abort --quit --continue --allow-unrelated-histories --progress',
      '--no-progress --autostash --no-autostash --overwrite-ignore --no-overwrite-ignore --signoff --no-signoff --verify',
      '--no-verify --no-log --no-gpg-sign',
    ),
    values: '--cleanup -s --strategy -X --strategy-option -m --message --into-name',
    optional: '--log',
    options: { '-F --file': 'read', ...SIGN },
    operands: 'value*',
    does: 'change execute',
    examples: {
      readOnly: ['git merge -h'],
      notReadOnly: ['git merge main', 'git merge --abort', 'git merge --no-ff x'],
    },
  }),
  rebase: helped('replay commits', 'write', {
    flags: joined(
      '--keep-base --no-keep-base --verify --no-verify -q --quiet -v --verbose -n --no-stat --stat --signoff',
      '--committer-date-is-author-date --reset-author-date --ignore-date --ignore-whitespace -f --force-rebase --no-ff',
      '--ff --edit-todo --show-current-patch --apply -m --merge -i --interactive -p --rerere-autoupdate',
      '--no-rerere-autoupdate --autosquash --no-autosquash --update-refs --no-update-refs --autostash --no-autostash',
      '--fork-point --no-fork-point --root --reschedule-failed-exec --no-reschedule-failed-exec',
      `--reapply-cherry-picks --no-reapply-cherry-picks --no-rebase-merges --no-gpg-sign -k --keep-empty ${SEQUENCE}`,
    ),
    values: '--onto -C --whitespace --empty -s --strategy -X --strategy-option --trailer',
    optional: '-r --rebase-merges',
    options: { '-x --exec': 'shell', ...SIGN },
    operands: 'value*',
    does: 'change execute',
    variants: [{ has: '--show-current-patch', does: '', class: 'read' }],
    examples: {
      readOnly: ['git rebase --show-current-patch', 'git rebase --help'],
      notReadOnly: ['git rebase main', 'git rebase -i HEAD~3', "git rebase -x 'rm f' main", 'git rebase --continue'],
    },
  }),
  'cherry-pick': helped('copy commits', 'write', {
    flags: joined(
      '-n --no-commit -e --edit --no-edit -s --signoff --rerere-autoupdate --no-rerere-autoupdate -x -r --ff',
      `--allow-empty --allow-empty-message --keep-redundant-commits --no-gpg-sign ${SEQUENCE}`,
    ),
    values: '--cleanup -m --mainline --strategy -X --strategy-option --empty',
    options: SIGN,
    operands: 'value*',
    does: 'change execute',
    examples: { readOnly: [], notReadOnly: ['git cherry-pick abc1234', 'git cherry-pick --abort'] },
  }),
  revert: helped('undo commits', 'write', {
    flags: joined(
      '-n --no-commit -e --edit --no-edit -s --signoff --rerere-autoupdate --no-rerere-autoupdate --reference',
      `--no-gpg-sign ${SEQUENCE}`,
    ),
    values: '--cleanup -m --mainline --strategy -X --strategy-option',
    options: SIGN,
    operands: 'value*',
    does: 'change execute',
    examples: { readOnly: [], notReadOnly: ['git revert HEAD', 'git revert --no-edit HEAD'] },
  }),
  bisect: sub('find the commit that broke something', 'read', {
    style: 'posix',
    flags: '--help',
    examples: { readOnly: ['git bisect log'], notReadOnly: ['git bisect run make test', 'git bisect start'] },
    subcommands: {
      log: sub('show the steps of a bisection', 'read', {
        operands: '',
        examples: { readOnly: ['git bisect log'], notReadOnly: [] },
      }),
      terms: sub('show the terms of a bisection', 'read', {
        flags: '--term-good --term-old --term-bad --term-new',
        operands: '',
        examples: { readOnly: ['git bisect terms'], notReadOnly: [] },
      }),
      help: sub('show help', 'read', { operands: '', examples: { readOnly: ['git bisect help'], notReadOnly: [] } }),
      run: sub('run a command on each step', 'execute', {
        style: 'posix',
        operands: 'command*',
        does: 'change execute',
        examples: { readOnly: [], notReadOnly: ['git bisect run ./test.sh', 'git bisect run true'] },
      }),
      replay: sub('repeat a bisection', 'write', { operands: 'read', does: 'change execute' }),
      ...named(
        'start bad good new old skip next reset',
        sub('mark commits and check out the next one', 'write', {
          flags: '--no-checkout --first-parent',
          values: '--term-new --term-bad --term-old --term-good',
          operands: 'value*',
          does: 'change execute',
        }),
      ),
      ...named(
        'view visualize',
        sub('show a bisection in another program', 'execute', {
          ...historyOptions(),
          operands: 'value*',
          does: 'execute',
        }),
      ),
    },
  }),
  // Even the subcommands that only show create the folder `rr-cache`.
  rerere: sub('reuse resolutions of conflicts', 'write', {
    style: 'posix',
    flags: `--rerere-autoupdate --no-rerere-autoupdate ${HELP}`,
    alone: 'change',
    examples: { readOnly: [], notReadOnly: ['git rerere', 'git rerere clear', 'git rerere status'] },
    subcommands: {
      ...named(
        'status diff remaining',
        sub('show recorded conflicts, and create a folder for them', 'write', { operands: 'value*', does: 'change' }),
      ),
      ...named('clear forget gc', sub('delete recorded resolutions', 'delete', { operands: 'value*', does: 'change' })),
    },
  }),
  'sparse-checkout': sub('choose the files of the work tree', 'write', {
    style: 'posix',
    flags: HELP,
    examples: { readOnly: ['git sparse-checkout list'], notReadOnly: ['git sparse-checkout set src'] },
    subcommands: {
      list: sub('list the chosen files', 'list', { operands: '' }),
      'check-rules': sub('check paths against the rules', 'read', {
        flags: '-z --cone --no-cone',
        options: { '--rules-file': 'read' },
        operands: '',
      }),
      ...named(
        'init set add reapply disable clean',
        helped('change the chosen files', 'write', {
          flags: '--cone --no-cone --sparse-index --no-sparse-index --skip-checks --stdin -f --force -n --dry-run',
          operands: 'value*',
          does: 'change',
        }),
      ),
    },
  }),
  worktree: sub('handle work trees', 'write', {
    style: 'posix',
    flags: HELP,
    examples: { readOnly: ['git worktree list'], notReadOnly: ['git worktree add ../x', 'git worktree remove ../x'] },
    subcommands: {
      list: sub('list work trees', 'list', {
        flags: `--porcelain -v --verbose -z ${HELP}`,
        values: '--expire',
        operands: '',
        examples: { readOnly: ['git worktree list --porcelain'], notReadOnly: [] },
      }),
      add: helped('make a work tree', 'write', {
        flags: joined(
          '-f --force -d --detach --checkout --no-checkout --lock -q --quiet --track --no-track --guess-remote',
          '--no-guess-remote --orphan --relative-paths --no-relative-paths',
        ),
        values: '-b -B --reason',
        operands: 'write/ value?',
        does: 'change execute',
        examples: { readOnly: [], notReadOnly: ['git worktree add -b x ../x main'] },
      }),
      remove: helped('delete a work tree', 'delete', { flags: '-f --force', operands: 'delete/', does: 'change' }),
      move: helped('move a work tree', 'write', { flags: '-f --force', operands: 'move write/', does: 'change' }),
      prune: helped('forget work trees that are gone', 'write', {
        flags: '-n --dry-run -v --verbose',
        values: '--expire',
        operands: '',
        does: 'change',
        variants: [{ has: '-n --dry-run', does: '', class: 'read' }],
        examples: { readOnly: ['git worktree prune -n'], notReadOnly: ['git worktree prune'] },
      }),
      ...named(
        'lock unlock repair',
        helped('change the records of work trees', 'write', { values: '--reason', operands: 'value*', does: 'change' }),
      ),
    },
  }),
  'filter-branch': sub('rewrite history with commands', 'execute', {
    flags: '-f --force --all --branches --tags --not',
    values: '--original --state-branch --subdirectory-filter',
    options: {
      '--setup': 'shell',
      '--env-filter': 'shell',
      '--tree-filter': 'shell',
      '--index-filter': 'shell',
      '--parent-filter': 'shell',
      '--msg-filter': 'shell',
      '--commit-filter': 'shell',
      '--tag-name-filter': 'shell',
      '-d': 'write/',
    },
    operands: 'value*',
    does: 'change execute',
    examples: { readOnly: [], notReadOnly: ["git filter-branch --tree-filter 'rm -f x' -- --all"] },
  }),
  mergetool: sub('resolve conflicts in another program', 'execute', {
    flags: '-y --no-prompt --prompt -g --gui --no-gui --tool-help',
    values: '-t --tool',
    options: { '-O': 'read' },
    operands: 'edit*',
    does: 'change execute',
    examples: { readOnly: [], notReadOnly: ['git mergetool', 'git mergetool --tool=vimdiff f'] },
  }),
  ...named(
    'gui citool gitk filter-repo quiltimport subtree flow absorb',
    sub('change the repository with another program', 'execute', { operands: 'value*', does: 'change execute' }),
  ),
};
