// Git subcommands that show history, differences and matches: rows of data.
// They read the repository and the work tree; the decision checks what its configuration runs.

import type { CommandFamily } from '../spec.ts';
import { sub } from '../tool-rows.ts';
import { historyOptions } from './history-options.ts';

const LOG = {
  flags: '-q --quiet --source --use-mailmap --no-use-mailmap --mailmap --no-mailmap --clear-decorations --no-decorate',
  values: '--decorate-refs --decorate-refs-exclude -L',
  optional: '--decorate',
};

const BLAME = {
  numeric: true as const,
  flags: [
    '--incremental -b --root --show-stats --progress --no-progress --score-debug -f --show-name -n --show-number -p',
    '--porcelain --line-porcelain -c -t -l -s -e --show-email -w --color-lines --no-color-lines --color-by-age',
    '--no-color-by-age --minimal --first-parent --reverse --no-merges --no-textconv --no-ext-diff --end-of-options',
    '-h --help',
  ].join(' '),
  values: '-L --ignore-rev --since --until --after --before --date --encoding --diff-algorithm',
  optional: '-C -M --abbrev',
  options: {
    '-S': 'read',
    '--contents': 'read',
    '--ignore-revs-file': 'read',
    '--output': 'write',
    '--ext-diff': '+hook',
    '--textconv': '+hook',
  },
  operands: 'value*',
  program: 'git-diff',
} as const;

const COMPARES = historyOptions({ flags: '--cached --merge-base -q -v --base --ours --theirs' });

export const gitHistoryCommands: CommandFamily = {
  log: sub('show commits', 'read', {
    ...historyOptions(LOG),
    operands: 'value*',
    program: 'git-history',
    examples: {
      readOnly: [
        'git log',
        'git log --oneline -20',
        'git log -n 5 --stat --graph --all',
        'git log -p --follow -- src/a.ts',
        "git log -S'needle' --since='2 weeks ago' --author=me",
        "git log --format='%h %an %s' main..HEAD",
        'git log -L 10,20:src/a.ts',
        'git log --diff-filter=D --name-only --no-merges',
      ],
      notReadOnly: [
        'git log -p --output=f',
        'git log --output f',
        'git log --ext-diff -p',
        'git log --show-signature',
        "git log --format='%G? %h'",
        'git log --remerge-diff',
        'git log --diff-merges=remerge',
        'git log --min-parents --output=f',
      ],
    },
  }),
  show: sub('show commits and objects', 'read', {
    ...historyOptions(LOG),
    operands: 'value*',
    program: 'git-history',
    examples: {
      readOnly: ['git show', 'git show HEAD:f', 'git show --stat HEAD~2', 'git show --name-only --format= abc1234'],
      notReadOnly: ['git show --output=f', 'git show --textconv HEAD:f', 'git show --ext-diff'],
    },
  }),
  whatchanged: sub('show commits with their files', 'read', {
    ...historyOptions({ ...LOG, flags: `${LOG.flags} --i-still-use-this` }),
    operands: 'value*',
    program: 'git-history',
    examples: { readOnly: ['git whatchanged -3'], notReadOnly: ['git whatchanged --output=f'] },
  }),
  shortlog: sub('summarise commits by author', 'read', {
    ...historyOptions({
      flags: '-c --committer -n --numbered -s --summary -e --email',
      values: '--group',
      optional: '-w',
    }),
    operands: 'value*',
    program: 'git-history',
    examples: { readOnly: ['git shortlog -sne', 'git shortlog -sn v1..v2'], notReadOnly: ['git shortlog --output=f'] },
  }),
  reflog: sub('show where branches have been', 'read', {
    ...historyOptions({ ...LOG, flags: `${LOG.flags} --rewrite --updateref --stale-fix --dry-run --verbose` }),
    operands: 'value*',
    program: 'git-reflog',
    examples: {
      readOnly: ['git reflog', 'git reflog -5', 'git reflog show main', 'git reflog exists refs/heads/main'],
      notReadOnly: ['git reflog expire --all', 'git reflog delete HEAD@{1}', 'git reflog "$x"'],
    },
  }),
  'rev-list': sub('list commits', 'read', {
    ...historyOptions({
      flags: [
        '--count --objects --objects-edge --objects-edge-aggressive --indexed-objects --unpacked --object-names',
        '--no-object-names --filter-provided-objects --filter-print-omitted --no-filter --exclude-promisor-objects',
        '--use-bitmap-index --test-bitmap --header --commit-header --no-commit-header --timestamp --in-commit-order',
        '--bisect-vars --bisect-all --quiet -v',
      ].join(' '),
      optional: '--progress --filter --missing --disk-usage',
    }),
    operands: 'value*',
    program: 'git-history',
    examples: {
      readOnly: [
        'git rev-list --count HEAD',
        'git rev-list --max-parents=0 HEAD',
        'git rev-list --left-right --count a...b',
      ],
      notReadOnly: ['git rev-list --output=f HEAD'],
    },
  }),
  diff: sub('show differences', 'read', {
    ...historyOptions({ flags: '--cached --staged --merge-base --no-index --base --ours --theirs -q' }),
    operands: 'value*',
    program: 'git-diff',
    examples: {
      readOnly: [
        'git diff',
        'git diff --stat HEAD~1',
        'git diff --cached -- src',
        'git diff main...HEAD --name-only',
        'git diff -w -U10 a.ts',
        'git diff --no-index a b',
        'git diff --word-diff=color',
      ],
      notReadOnly: [
        'git diff --output=f',
        'git diff --outpu=f',
        'git diff --ext-diff',
        'git diff --textconv',
        'git diff -U --output=f',
      ],
    },
  }),
  'diff-files': sub('compare the work tree with the index', 'read', {
    ...COMPARES,
    operands: 'value*',
    program: 'git-diff',
    examples: { readOnly: ['git diff-files --name-status'], notReadOnly: ['git diff-files -p --output=f'] },
  }),
  'diff-index': sub('compare a tree with the index', 'read', {
    ...COMPARES,
    operands: 'value*',
    program: 'git-diff',
    examples: { readOnly: ['git diff-index --quiet HEAD --'], notReadOnly: ['git diff-index HEAD --output=f'] },
  }),
  'diff-tree': sub('compare two trees', 'read', {
    ...COMPARES,
    operands: 'value*',
    program: 'git-diff',
    examples: {
      readOnly: ['git diff-tree --no-commit-id --name-only -r HEAD'],
      notReadOnly: ['git diff-tree -p HEAD --output=f', 'git diff-tree -p --ext-diff HEAD'],
    },
  }),
  difftool: sub('show differences in another program', 'execute', {
    ...historyOptions({
      flags: [
        '-g --gui --no-gui -d --dir-diff -y --no-prompt --prompt --symlinks --no-symlinks --tool-help',
        '--trust-exit-code --no-trust-exit-code --no-index --cached --staged -h --help',
      ].join(' '),
      values: '-t --tool',
      options: { '-x --extcmd': 'shell' },
    }),
    operands: 'value*',
    does: 'execute',
    variants: [{ has: '-h --help --tool-help', operands: 'value*', does: '', class: 'read' }],
    program: 'git-diff',
    examples: {
      readOnly: [],
      notReadOnly: ['git difftool', "git difftool -y -x 'rm -rf' HEAD", 'git difftool --tool=vimdiff'],
    },
  }),
  'range-diff': sub('compare two series of commits', 'read', {
    ...historyOptions({ flags: '--no-dual-color --dual-color', values: '--creation-factor' }),
    operands: 'value*',
    program: 'git-history',
    examples: { readOnly: ['git range-diff main a b'], notReadOnly: ['git range-diff --output=f main a b'] },
  }),
  blame: sub('show who changed each line', 'read', {
    ...BLAME,
    examples: {
      readOnly: ['git blame f', 'git blame -L 10,20 -- f', 'git blame -w -C HEAD~3 f', 'git blame --contents g f'],
      notReadOnly: ['git blame --output=x f', 'git blame --textconv f'],
    },
  }),
  annotate: 'blame',
  pickaxe: 'blame',
  grep: sub('search tracked files', 'search', {
    numeric: true,
    flags: [
      '--cached --no-index --index --untracked --no-untracked --exclude-standard --no-exclude-standard',
      '--recurse-submodules --no-recurse-submodules -v --invert-match --no-invert-match -i --ignore-case',
      '--no-ignore-case -w --word-regexp -a --text -I --no-textconv -r --recursive --no-recursive -E',
      '--extended-regexp -G --basic-regexp -F --fixed-strings -P --perl-regexp -n --line-number --no-line-number',
      '--column --no-column -h -H --full-name -l --files-with-matches --name-only -L --files-without-match -z --null',
      '-o --only-matching -c --count --no-color --break --heading -p --show-function -W --function-context --and --or',
      '--not -q --quiet --all-match --ext-grep --help',
    ].join(' '),
    values: '--max-depth -C --context -B --before-context -A --after-context --threads -e -m --max-count',
    optional: '--color',
    options: { '-f': 'read', '-O --open-files-in-pager': 'value?', '--textconv': '+hook' },
    operands: 'value*',
    program: 'git-grep',
    examples: {
      readOnly: [
        'git grep foo',
        'git grep -n -i "a b" -- src',
        'git grep -e a --and -e b HEAD~1',
        'git grep -f pats',
        'git grep -3 x',
      ],
      notReadOnly: [
        'git grep -O x',
        'git grep -Osh x',
        'git grep --open-files-in-pager=sh x',
        'git grep --textconv x',
        'git grep -nOsh x',
      ],
    },
  }),
  cherry: sub('find commits that are not upstream', 'read', {
    flags: '-v --verbose -h --help',
    optional: '--abbrev',
    operands: 'value*',
    examples: { readOnly: ['git cherry -v main'], notReadOnly: [] },
  }),
  describe: sub('name a commit by its tag', 'read', {
    flags: '--contains --debug --all --tags --long --first-parent --exact-match --always -h --help',
    values: '--candidates --match --exclude',
    optional: '--abbrev --dirty --broken',
    operands: 'value*',
    examples: { readOnly: ['git describe --tags --always --dirty', 'git describe --abbrev=0'], notReadOnly: [] },
  }),
  'merge-base': sub('find a common ancestor', 'read', {
    flags: '-a --all --octopus --independent --is-ancestor --fork-point -h --help',
    operands: 'value*',
    examples: { readOnly: ['git merge-base main HEAD', 'git merge-base --is-ancestor a b'], notReadOnly: [] },
  }),
  'name-rev': sub('name commits', 'read', {
    flags: '--name-only --tags --all --stdin --annotate-stdin --undefined --no-undefined --always -h --help',
    values: '--refs --exclude',
    operands: 'value*',
    examples: { readOnly: ['git name-rev HEAD'], notReadOnly: [] },
  }),
  'show-branch': sub('show branches and their commits', 'read', {
    flags: [
      '-a --all -r --remotes --list --no-name --current --sha1-name --merge-base --independent --topo-order --topics',
      '--sparse --date-order --no-color -h --help',
    ].join(' '),
    optional: '--color --more -g --reflog',
    operands: 'value*',
    examples: { readOnly: ['git show-branch --all'], notReadOnly: [] },
  }),
  'format-patch': sub('write commits as patches', 'read', {
    ...historyOptions({
      flags: [
        '-n --numbered -N --no-numbered -s --signoff --no-signoff --stdout --cover-letter --no-cover-letter',
        '--numbered-files --rfc -k --keep-subject --no-binary --zero-commit --ignore-if-in-upstream -p --no-stat -q',
        '--quiet --progress --no-progress --force-in-body-from --no-attach --no-thread --no-signature --no-base',
        '--no-from --always',
      ].join(' '),
      values: [
        '--suffix --start-number -v --reroll-count --filename-max-length --cover-from-description --subject-prefix',
        '--add-header --to --cc --in-reply-to --signature --base --interdiff --range-diff --creation-factor',
      ].join(' '),
      optional: '--from --attach --inline --thread',
      options: { '-o --output-directory': 'write/', '--signature-file': 'read' },
    }),
    operands: 'value*',
    program: 'git-format-patch',
    examples: {
      readOnly: ['git format-patch --stdout main..HEAD', 'git format-patch -1 --stdout'],
      notReadOnly: ['git format-patch -1', 'git format-patch -o out main', 'git format-patch -1 --output=f'],
    },
  }),
};
