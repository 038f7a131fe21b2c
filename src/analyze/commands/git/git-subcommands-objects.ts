// Git subcommands about objects, the index and the repository itself: rows of data.
// Most only read; those that add objects or rewrite packs change the repository.

import type { CommandFamily } from '../spec.ts';
import { helped, joined, named, sub } from '../tool-rows.ts';
import { historyOptions } from './history-options.ts';

const HELP = '-h --help';

export const gitObjectCommands: CommandFamily = {
  'cat-file': sub('show objects', 'read', {
    flags: `-e -p -t -s --allow-unknown-type --use-mailmap --mailmap --no-mailmap -z -Z --batch-all-objects --buffer --no-buffer --follow-symlinks --unordered ${HELP}`,
    values: '--path',
    optional: '--batch --batch-check --batch-command',
    options: { '--textconv': '+hook', '--filters': '+hook' },
    operands: 'value*',
    examples: {
      readOnly: ['git cat-file -p HEAD', 'git cat-file -t abc1234', "git cat-file --batch-check='%(objectname)'"],
      notReadOnly: ['git cat-file --textconv HEAD:f', 'git cat-file --filters HEAD:f', 'git cat-file --text HEAD:f'],
    },
  }),
  'check-attr': sub('show attributes of paths', 'read', {
    flags: `-a --all --cached --stdin -z ${HELP}`,
    values: '--source',
    operands: 'value*',
    examples: { readOnly: ['git check-attr -a -- f'], notReadOnly: [] },
  }),
  'check-ignore': sub('tell whether paths are ignored', 'read', {
    flags: `-q --quiet -v --verbose --stdin -z -n --non-matching --no-index ${HELP}`,
    operands: 'value*',
    examples: { readOnly: ['git check-ignore -v node_modules'], notReadOnly: [] },
  }),
  'check-mailmap': sub('show canonical names', 'read', {
    flags: `--stdin ${HELP}`,
    options: { '--mailmap-file': 'read' },
    operands: 'value*',
    examples: { readOnly: ["git check-mailmap 'A <a@b>'"], notReadOnly: [] },
  }),
  'check-ref-format': sub('check a reference name', 'neutral', {
    flags: `--normalize --print --branch --allow-onelevel --no-allow-onelevel --refspec-pattern ${HELP}`,
    operands: 'value*',
    examples: { readOnly: ['git check-ref-format --branch x'], notReadOnly: [] },
  }),
  column: sub('lay text out in columns', 'neutral', {
    flags: HELP,
    values: '--command --raw-mode --width --indent --nl --padding',
    optional: '--mode',
    operands: '',
    examples: { readOnly: ['git column --mode=column'], notReadOnly: [] },
  }),
  'count-objects': sub('count objects', 'read', {
    flags: `-v --verbose -H --human-readable ${HELP}`,
    operands: '',
    examples: { readOnly: ['git count-objects -vH'], notReadOnly: [] },
  }),
  'for-each-ref': sub('list references', 'list', {
    flags: `-s --shell -p --perl --python --tcl --ignore-case --omit-empty --stdin --merged --no-merged --contains --no-contains ${HELP}`,
    values: '--count --points-at --exclude',
    optional: '--color',
    options: { '--format': 'value', '--sort': 'value' },
    operands: 'value*',
    program: 'git-format',
    examples: {
      readOnly: [
        "git for-each-ref --sort=-committerdate --format='%(refname:short)' refs/heads",
        'git for-each-ref --count=5',
      ],
      notReadOnly: ["git for-each-ref --format='%(signature:grade)'", 'git for-each-ref --format="$f"'],
    },
  }),
  fsck: sub('check the repository', 'read', {
    flags: joined(
      '-v --verbose --unreachable --dangling --no-dangling --tags --root --cache --reflogs --no-reflogs --full --no-full',
      `--connectivity-only --strict --progress --no-progress --name-objects --references --no-references ${HELP}`,
    ),
    options: { '--lost-found': '+change' },
    operands: 'value*',
    examples: {
      readOnly: ['git fsck', 'git fsck --full --unreachable'],
      notReadOnly: ['git fsck --lost-found', 'git fsck --lost'],
    },
  }),
  'fsck-objects': 'fsck',
  'get-tar-commit-id': sub('read the commit of an archive', 'read', {
    flags: HELP,
    operands: '',
    examples: { readOnly: ['git get-tar-commit-id'], notReadOnly: [] },
  }),
  'hash-object': sub('compute an object name', 'read', {
    flags: `--stdin --stdin-paths --no-filters --literally ${HELP}`,
    values: '-t --path',
    options: { '-w': '+change' },
    operands: 'read*',
    examples: { readOnly: ['git hash-object f'], notReadOnly: ['git hash-object -w f'] },
  }),
  help: sub('show help', 'read', {
    flags: joined(
      '-a --all -m --man -v --verbose --no-verbose -g --guides -c --config --user-interfaces --developer-interfaces',
      `--external-commands --no-external-commands --aliases --no-aliases ${HELP}`,
    ),
    options: { '-w --web': '+hook', '-i --info': '+hook' },
    operands: 'value*',
    examples: {
      readOnly: ['git help', 'git help log', 'git help -a'],
      notReadOnly: ['git help -w log', 'git help --web log'],
    },
  }),
  'ls-files': sub('list tracked files', 'list', {
    flags: joined(
      '-z -t -v -f -c --cached -d --deleted -m --modified -o --others -i --ignored -s --stage -k --killed --directory',
      '--eol --empty-directory --no-empty-directory -u --unmerged --resolve-undo --exclude-standard --full-name',
      `--recurse-submodules --error-unmatch --debug --deduplicate --sparse ${HELP}`,
    ),
    values: '-x --exclude --exclude-per-directory --with-tree --format',
    optional: '--abbrev',
    options: { '-X --exclude-from': 'read' },
    operands: 'value*',
    examples: {
      readOnly: ['git ls-files', "git ls-files -o --exclude-standard '*.ts'", 'git ls-files -s src'],
      notReadOnly: ['git ls-files --output=f'],
    },
  }),
  'ls-tree': sub('list a tree', 'list', {
    flags: `-d -r -t -z -l --long --name-only --name-status --object-only --full-name --full-tree ${HELP}`,
    values: '--format',
    optional: '--abbrev',
    operands: 'value*',
    examples: { readOnly: ['git ls-tree -r --name-only HEAD', 'git ls-tree HEAD src/'], notReadOnly: [] },
  }),
  'patch-id': sub('compute the identity of a patch', 'read', {
    flags: `--stable --unstable --verbatim ${HELP}`,
    operands: '',
    examples: { readOnly: ['git patch-id --stable'], notReadOnly: [] },
  }),
  'rev-parse': sub('resolve revisions and ask about the repository', 'read', {
    flags: joined(
      '--parseopt --sq-quote --keep-dashdash --stop-at-non-option --stuck-long --revs-only --no-revs --flags --no-flags',
      '--verify -q --quiet --sq --not --symbolic --symbolic-full-name --all --bisect --local-env-vars --git-dir',
      '--git-common-dir --show-toplevel --show-superproject-working-tree --shared-index-path --absolute-git-dir',
      '--is-inside-git-dir --is-inside-work-tree --is-bare-repository --is-shallow-repository --show-cdup',
      `--show-prefix --end-of-options ${HELP}`,
    ),
    values: '--default --prefix --resolve-git-dir --git-path',
    optional: joined(
      '--short --abbrev-ref --branches --tags --remotes --glob --exclude --exclude-hidden --disambiguate --path-format',
      '--show-object-format --show-ref-format --since --after --until --before',
    ),
    operands: 'value*',
    examples: {
      readOnly: ['git rev-parse --show-toplevel', 'git rev-parse --abbrev-ref HEAD', 'git rev-parse --short=8 "$x"'],
      notReadOnly: [],
    },
  }),
  'show-index': sub('list a pack index', 'read', {
    flags: HELP,
    values: '--object-format',
    operands: '',
    examples: { readOnly: ['git show-index'], notReadOnly: [] },
  }),
  'show-ref': sub('list references', 'list', {
    flags: `--tags --heads --branches --verify --exists --head -d --dereference -q --quiet ${HELP}`,
    optional: '-s --hash --abbrev --exclude-existing',
    operands: 'value*',
    examples: { readOnly: ['git show-ref --tags', 'git show-ref --verify refs/heads/main'], notReadOnly: [] },
  }),
  stripspace: sub('tidy blank lines', 'neutral', {
    flags: `-s --strip-comments -c --comment-lines ${HELP}`,
    operands: '',
    examples: { readOnly: ['git stripspace -s'], notReadOnly: [] },
  }),
  var: sub("show git's variables", 'read', {
    flags: `-l ${HELP}`,
    operands: 'value*',
    examples: { readOnly: ['git var GIT_EDITOR', 'git var -l'], notReadOnly: [] },
  }),
  version: sub('show the version', 'neutral', {
    flags: `--build-options ${HELP}`,
    operands: 'value*',
    examples: { readOnly: ['git version'], notReadOnly: [] },
  }),
  'verify-pack': sub('check packs', 'read', {
    flags: `-v --verbose -s --stat-only ${HELP}`,
    values: '--object-format',
    operands: 'read*',
    examples: { readOnly: ['git verify-pack -v .git/objects/pack/p.idx'], notReadOnly: [] },
  }),
  'verify-commit': helped('verify signatures with gpg', 'execute', {
    flags: '-v --verbose --raw',
    operands: 'value*',
    does: 'execute',
    examples: { readOnly: [], notReadOnly: ['git verify-commit HEAD'] },
  }),
  'verify-tag': helped('verify signatures with gpg', 'execute', {
    flags: '-v --verbose --raw',
    values: '--format',
    operands: 'value*',
    does: 'execute',
    examples: { readOnly: [], notReadOnly: ['git verify-tag v1'] },
  }),
  'fmt-merge-msg': sub('compose a merge message', 'read', {
    flags: `--no-log --no-summary ${HELP}`,
    values: '-m --message --into-name',
    optional: '--log --summary',
    options: { '-F --file': 'read' },
    operands: '',
    examples: { readOnly: ['git fmt-merge-msg -F .git/FETCH_HEAD'], notReadOnly: [] },
  }),
  'interpret-trailers': sub('add or read trailers of a message', 'read', {
    flags: `--in-place --trim-empty --only-trailers --only-input --unfold --parse --no-divider ${HELP}`,
    values: '--where --if-exists --if-missing --trailer',
    operands: 'read*',
    variants: [{ has: '--in-place', operands: 'edit*' }],
    examples: {
      readOnly: ['git interpret-trailers --parse msg'],
      notReadOnly: ["git interpret-trailers --in-place --trailer 'A: b' msg"],
    },
  }),
  'fast-export': sub('write the history as a stream', 'read', {
    ...historyOptions({
      flags: joined(
        '--fake-missing-tagger --full-tree --use-done-feature --no-data --anonymize --reference-excluded-parents',
        '--show-original-ids --mark-tags',
      ),
      values: '--progress --signed-tags --tag-of-filtered-object --reencode --refspec --anonymize-map',
      options: { '--export-marks': 'write', '--import-marks': 'read', '--import-marks-if-exists': 'read' },
    }),
    operands: 'value*',
    examples: { readOnly: ['git fast-export --all'], notReadOnly: ['git fast-export --export-marks=f --all'] },
  }),
  'merge-file': sub('merge three files', 'write', {
    flags: `-p --stdout --object-id --diff3 --zdiff3 --ours --theirs --union -q --quiet ${HELP}`,
    values: '--marker-size -L --diff-algorithm',
    operands: 'edit read read',
    variants: [{ has: '-p --stdout', operands: 'read read read', class: 'read' }],
    examples: { readOnly: ['git merge-file -p a base b'], notReadOnly: ['git merge-file a base b'] },
  }),
  'merge-tree': sub('merge without a work tree', 'write', {
    flags:
      '--write-tree --trivial-merge --messages --no-messages -z --name-only --allow-unrelated-histories --stdin --quiet',
    values: '--merge-base -X --strategy-option',
    operands: 'value*',
    does: 'change execute',
    examples: { readOnly: [], notReadOnly: ['git merge-tree --write-tree main HEAD'] },
  }),
  'merge-index': sub('run a merge program', 'execute', {
    style: 'posix',
    flags: '-o -q',
    operands: 'program value*',
    does: 'change',
    examples: { readOnly: [], notReadOnly: ['git merge-index git-merge-one-file -a'] },
  }),
  mailinfo: sub('split a mail into message and patch', 'write', {
    flags: '-k -b -u -n -m --message-id --scissors --no-scissors',
    values: '--encoding --quoted-cr',
    operands: 'write write',
    examples: { readOnly: [], notReadOnly: ['git mailinfo msg patch'] },
  }),
  mailsplit: sub('split a mailbox', 'write', {
    flags: '-b --keep-cr --mboxrd',
    values: '-d -f',
    options: { '-o': 'write/' },
    operands: 'read*',
    does: 'change',
    examples: { readOnly: [], notReadOnly: ['git mailsplit -oout mbox'] },
  }),
  'commit-graph': sub('handle the commit graph', 'read', {
    style: 'posix',
    flags: HELP,
    subcommands: {
      verify: sub('check the commit graph', 'read', {
        flags: `--shallow --progress --no-progress ${HELP}`,
        values: '--object-dir',
        operands: '',
        examples: { readOnly: ['git commit-graph verify'], notReadOnly: [] },
      }),
      write: sub('write the commit graph', 'write', {
        flags: '--reachable --stdin-packs --stdin-commits --append --changed-paths --progress --no-progress',
        values: '--max-commits --size-multiple --expire-time --max-new-filters',
        optional: '--split',
        options: { '--object-dir': 'write/' },
        operands: '',
        does: 'change',
        examples: { readOnly: [], notReadOnly: ['git commit-graph write --reachable'] },
      }),
    },
  }),
  'multi-pack-index': sub('handle the index over packs', 'read', {
    style: 'posix',
    flags: `--progress --no-progress ${HELP}`,
    values: '--object-dir',
    subcommands: {
      verify: sub('check the index over packs', 'read', {
        flags: `--progress --no-progress ${HELP}`,
        values: '--object-dir',
        operands: '',
        examples: { readOnly: ['git multi-pack-index verify'], notReadOnly: [] },
      }),
      ...named('write expire repack', sub('rewrite the index over packs', 'write', { operands: '', does: 'change' })),
    },
  }),
  gc: helped('tidy the repository', 'write', {
    flags:
      '-q --quiet --cruft --no-cruft --aggressive --auto --no-detach --detach --force --keep-largest-pack --no-prune',
    optional: '--prune',
    operands: '',
    does: 'change execute',
    examples: { readOnly: ['git gc --help'], notReadOnly: ['git gc', 'git gc --prune=now --aggressive'] },
  }),
  prune: helped('remove unreachable objects', 'delete', {
    flags: '-n --dry-run -v --verbose --progress --no-progress --exclude-promisor-objects',
    values: '--expire',
    operands: 'value*',
    does: 'change',
    variants: [{ has: '-n --dry-run', does: '', class: 'read' }],
    examples: { readOnly: ['git prune -n'], notReadOnly: ['git prune', 'git prune --expire now'] },
  }),
  repack: helped('rewrite packs', 'write', {
    flags: joined(
      '-a -A --cruft -d -f -F -n -q --quiet -l --local -b --write-bitmap-index -i --delta-islands -k --keep-unreachable',
      '--pack-kept-objects -m --write-midx',
    ),
    values: joined(
      '--cruft-expiration --unpack-unreachable --window --window-memory --depth --threads --max-pack-size --keep-pack',
      '-g --geometric',
    ),
    options: { '--expire-to': 'write' },
    operands: '',
    does: 'change',
    examples: { readOnly: [], notReadOnly: ['git repack -ad'] },
  }),
  'pack-refs': helped('pack references', 'write', {
    flags: '--all --no-all --prune --no-prune --auto',
    values: '--include --exclude',
    operands: '',
    does: 'change',
    examples: { readOnly: [], notReadOnly: ['git pack-refs --all'] },
  }),
  maintenance: sub('tidy repositories on a schedule', 'write', {
    style: 'posix',
    flags: HELP,
    subcommands: {
      run: helped('run maintenance tasks', 'write', {
        flags: '--auto --quiet --no-quiet --detach --no-detach',
        values: '--task --schedule',
        operands: '',
        does: 'change execute',
        examples: { readOnly: [], notReadOnly: ['git maintenance run --auto'] },
      }),
      ...named(
        'start stop',
        sub('schedule maintenance', 'execute', { values: '--scheduler', operands: '', does: 'change execute' }),
      ),
      ...named(
        'register unregister',
        sub('record a repository for maintenance', 'write', {
          flags: '-f --force',
          options: { '--config-file': 'edit' },
          operands: '',
          does: 'change',
        }),
      ),
    },
  }),
  'write-tree': sub('store the index as a tree', 'write', {
    flags: '--missing-ok',
    values: '--prefix',
    operands: '',
    does: 'change',
    examples: { readOnly: [], notReadOnly: ['git write-tree'] },
  }),
  'read-tree': sub('read a tree into the index', 'write', {
    flags: joined(
      '--empty -v --verbose -m --trivial --aggressive --reset -u -i -n --dry-run --no-sparse-checkout --debug-unpack -q',
      '--quiet --no-recurse-submodules',
    ),
    values: '--prefix --exclude-per-directory',
    optional: '--recurse-submodules',
    options: { '--index-output': 'write' },
    operands: 'value*',
    does: 'change',
    examples: { readOnly: [], notReadOnly: ['git read-tree -u HEAD'] },
  }),
  'commit-tree': sub('store a commit', 'write', {
    values: '-p -m',
    options: { '-F': 'read', '-S --gpg-sign': 'hook?' },
    operands: 'value*',
    does: 'change',
    examples: { readOnly: [], notReadOnly: ['git commit-tree -m x abc1234'] },
  }),
  'update-index': helped('change the index', 'write', {
    flags: joined(
      '-q --ignore-submodules --add --replace --remove --unmerged --refresh --really-refresh --assume-unchanged',
      '--no-assume-unchanged --skip-worktree --no-skip-worktree --ignore-skip-worktree-entries --info-only',
      '--force-remove -z --stdin --index-info --unresolve -g --again --ignore-missing --verbose --clear-resolve-undo',
      '--split-index --no-split-index --untracked-cache --no-untracked-cache --force-untracked-cache',
      '--force-write-index --fsmonitor --no-fsmonitor --fsmonitor-valid --no-fsmonitor-valid',
    ),
    values: '--cacheinfo --chmod --index-version',
    operands: 'value*',
    does: 'change',
    examples: {
      readOnly: ['git update-index --help'],
      notReadOnly: ['git update-index --assume-unchanged f', 'git update-index --refresh'],
    },
  }),
  'checkout-index': sub('copy files out of the index', 'write', {
    flags: '-a --all --ignore-skip-worktree-bits -f --force -q --quiet -n --no-create -u --index -z --stdin --temp',
    values: '--stage',
    options: { '--prefix': 'write/' },
    operands: 'write*',
    does: 'change',
    examples: { readOnly: [], notReadOnly: ['git checkout-index -a --prefix=out/'] },
  }),
  ...named(
    'mktag mktree index-pack unpack-objects unpack-file pack-objects pack-redundant prune-packed update-server-info fast-import replay merge-one-file merge-octopus merge-ours merge-recursive merge-resolve merge-subtree',
    sub('store or rewrite objects', 'write', { operands: 'value*', does: 'change execute' }),
  ),
  ...named(
    'bugreport diagnose',
    sub('collect diagnostics in a file', 'write', {
      values: '-s --suffix --mode',
      optional: '--diagnose',
      options: { '-o --output-directory': 'write/' },
      operands: '',
      does: 'change execute',
    }),
  ),
  hook: sub('run a hook of the repository', 'execute', {
    flags: '--ignore-missing',
    values: '--to-stdin',
    operands: 'value*',
    does: 'change execute',
    examples: { readOnly: [], notReadOnly: ['git hook run pre-commit'] },
  }),
  'for-each-repo': sub('run git in several repositories', 'execute', {
    flags: '--keep-going',
    values: '--config',
    operands: 'value*',
    does: 'change execute',
    examples: { readOnly: [], notReadOnly: ['git for-each-repo --config=x.y gc'] },
  }),
  credential: sub('hand out stored credentials', 'read', {
    operands: 'value*',
    does: 'secret execute change',
    examples: { readOnly: [], notReadOnly: ['git credential fill'] },
  }),
  ...named(
    'credential-cache credential-store credential-osxkeychain credential-manager credential-libsecret',
    sub('hand out stored credentials', 'read', {
      options: { '--file': 'edit', '--socket': 'value', '--timeout': 'value' },
      operands: 'value*',
      does: 'secret execute change',
    }),
  ),
};
