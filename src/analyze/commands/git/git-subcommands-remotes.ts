// Git subcommands that connect to other repositories: rows of data; analyzers parse the addresses.
// An address can name a program (`ext::`), and so can the options that choose the remote command.

import type { CommandFamily } from '../spec.ts';
import { helped, joined, named, sub } from '../tool-rows.ts';
import { historyOptions } from './history-options.ts';

const HELP = '-h --help';
const FETCH_FLAGS = [
  '-v --verbose -q --quiet --all --no-all --set-upstream -a --append --atomic --no-atomic -f --force -m --multiple -t',
  '--tags --no-tags -n --prefetch -p --prune --no-prune -P --prune-tags --no-prune-tags --dry-run --write-fetch-head',
  '--no-write-fetch-head -k --keep -u --update-head-ok --progress --no-progress --unshallow --refetch --update-shallow',
  '-4 --ipv4 -6 --ipv6 --negotiate-only --auto-maintenance --no-auto-maintenance --auto-gc --no-auto-gc --porcelain',
  '--show-forced-updates --no-show-forced-updates --write-commit-graph --no-write-commit-graph --stdin',
  '--no-recurse-submodules',
].join(' ');
const FETCH_VALUES = [
  '-j --jobs --depth --shallow-since --shallow-exclude --deepen --refmap -o --server-option --negotiation-tip --filter',
].join(' ');

export const gitRemoteCommands: CommandFamily = {
  clone: helped('copy a repository', 'write', {
    flags: joined(
      '-v --verbose -q --quiet --progress --no-progress --reject-shallow --no-reject-shallow -n --no-checkout --checkout',
      '--bare --mirror -l --local --no-local --hardlinks --no-hardlinks -s --shared --dissociate --single-branch',
      '--no-single-branch --tags --no-tags --shallow-submodules --no-shallow-submodules -4 --ipv4 -6 --ipv6',
      '--also-filter-submodules --remote-submodules --no-remote-submodules --sparse',
    ),
    values:
      '-j --jobs -o --origin -b --branch --revision --depth --shallow-since --shallow-exclude --server-option --filter --ref-format',
    optional: '--recurse-submodules --recursive',
    options: {
      '-c --config': 'value',
      '-u --upload-pack': 'shell',
      '--template': 'hook',
      '--reference': 'read',
      '--reference-if-able': 'read',
      '--separate-git-dir': 'write/',
      '--bundle-uri': 'url',
    },
    operands: 'value*',
    does: 'change',
    program: 'git-clone',
    examples: {
      readOnly: ['git clone --help'],
      notReadOnly: [
        'git clone https://github.com/a/b',
        "git clone 'ext::sh -c id' x",
        'git clone -u ./evil x y',
        'git clone --template=t x',
        'git clone -c core.fsmonitor=x https://h/x',
      ],
    },
  }),
  fetch: helped('get commits from another repository', 'network', {
    flags: FETCH_FLAGS,
    values: FETCH_VALUES,
    optional: '--recurse-submodules',
    options: { '--upload-pack': 'shell' },
    operands: 'value*',
    does: 'change',
    program: 'git-repository',
    examples: {
      readOnly: [],
      notReadOnly: ['git fetch', 'git fetch --all', 'git fetch --upload-pack=./x o', 'git fetch --dry-run'],
    },
  }),
  pull: helped('get and merge commits', 'network', {
    flags: joined(
      FETCH_FLAGS,
      '--stat --no-stat --squash --no-squash --commit --no-commit --edit --no-edit --ff --no-ff --ff-only --verify',
      '--no-verify --verify-signatures --no-verify-signatures --autostash --no-autostash --allow-unrelated-histories',
      '--no-rebase --no-log --no-signoff --no-gpg-sign --compact-summary',
    ),
    values: `--cleanup -s --strategy -X --strategy-option ${FETCH_VALUES.replace('-j --jobs ', '')}`,
    optional: '--recurse-submodules -r --rebase --log --signoff -j --jobs',
    options: { '--upload-pack': 'shell', '-S --gpg-sign': 'hook?' },
    operands: 'value*',
    does: 'change execute',
    program: 'git-repository',
    examples: { readOnly: [], notReadOnly: ['git pull', 'git pull --rebase origin main', 'git pull --ff-only'] },
  }),
  push: helped('send commits to another repository', 'network', {
    flags: joined(
      '-v --verbose -q --quiet --all --branches --mirror -d --delete --tags -n --dry-run --porcelain -f --force --no-force',
      '--force-if-includes --no-force-if-includes --no-force-with-lease --thin --no-thin -u --set-upstream --progress',
      '--no-progress --prune --verify --no-verify --follow-tags --no-follow-tags --atomic --no-atomic --no-signed -4 --ipv4',
      '-6 --ipv6 --no-recurse-submodules',
    ),
    values: '--repo --recurse-submodules -o --push-option',
    optional: '--force-with-lease --signed',
    options: { '--receive-pack --exec': 'shell' },
    operands: 'value*',
    does: 'change execute',
    // A dry run still connects to the remote and runs pre-push (githooks(5)).
    variants: [{ has: '-n --dry-run', does: 'execute' }],
    program: 'git-repository',
    examples: {
      readOnly: ['git push --help'],
      notReadOnly: [
        'git push',
        'git push -f origin main',
        'git push --dry-run',
        "git push --exec='touch x' o",
        'git push https://h/x HEAD',
      ],
    },
  }),
  'ls-remote': sub('list references of another repository', 'network', {
    flags: '-q --quiet -t --tags -h --heads -b --branches --refs --get-url --exit-code --symref --help',
    values: '--sort -o --server-option',
    options: { '--upload-pack --exec': 'shell' },
    operands: 'value*',
    does: 'network',
    variants: [{ has: '--get-url --help', does: '', class: 'read' }],
    program: 'git-ls-remote',
    examples: {
      readOnly: ['git ls-remote --get-url'],
      notReadOnly: [
        'git ls-remote --heads origin',
        'git ls-remote https://github.com/a/b',
        "git ls-remote --upload-pack='touch x' .",
        "git ls-remote 'ext::sh -c id'",
        'git ls-remote --upload=x .',
        'git ls-remote "$u"',
      ],
    },
  }),
  remote: sub('handle remotes', 'list', {
    style: 'posix',
    flags: `-v --verbose ${HELP}`,
    examples: {
      readOnly: ['git remote', 'git remote -v', 'git remote get-url origin'],
      notReadOnly: [
        'git remote add o https://h/x',
        'git remote remove o',
        'git remote update',
        'git remote prune origin',
      ],
    },
    subcommands: {
      show: sub('show a remote', 'network', {
        flags: `-n ${HELP}`,
        operands: 'value*',
        does: 'network',
        alone: '',
        variants: [{ has: `-n ${HELP}`, does: '', class: 'read' }],
        examples: {
          readOnly: ['git remote show', 'git remote show -n origin'],
          notReadOnly: ['git remote show origin'],
        },
      }),
      'get-url': sub('show the address of a remote', 'read', { flags: `--push --all ${HELP}`, operands: 'value*' }),
      add: helped('add a remote', 'write', {
        flags: '-f --fetch --tags --no-tags',
        values: '-t --track -m --master',
        optional: '--mirror',
        operands: 'value*',
        does: 'change',
        program: 'git-remote-url',
        examples: { readOnly: [], notReadOnly: ['git remote add origin git@github.com:a/b.git'] },
      }),
      'set-url': helped('change the address of a remote', 'write', {
        flags: '--push --add --delete',
        operands: 'value*',
        does: 'change',
        program: 'git-remote-url',
      }),
      ...named(
        'rename remove rm set-branches',
        helped('change a remote', 'write', {
          flags: '--add --progress --no-progress',
          operands: 'value*',
          does: 'change',
        }),
      ),
      'set-head': helped('set the default branch of a remote', 'write', {
        flags: '-a --auto -d --delete',
        operands: 'value*',
        does: 'change network',
      }),
      update: helped('fetch from remotes', 'network', {
        flags: '-p --prune',
        operands: 'value*',
        does: 'change network',
      }),
      prune: helped('forget branches that are gone', 'network', {
        flags: '-n --dry-run',
        operands: 'value*',
        does: 'change network',
        variants: [{ has: '-n --dry-run', does: 'network' }],
        examples: {
          readOnly: ['git remote prune -h'],
          notReadOnly: ['git remote prune origin', 'git remote prune -n origin'],
        },
      }),
    },
  }),
  submodule: sub('handle submodules', 'read', {
    style: 'posix',
    flags: '-q --quiet --cached',
    examples: {
      readOnly: ['git submodule', 'git submodule status', 'git submodule status --recursive'],
      notReadOnly: ['git submodule update --init', "git submodule foreach 'rm f'", 'git submodule add https://h/x'],
    },
    subcommands: {
      status: sub('show submodules', 'read', { flags: '-q --quiet --cached --recursive', operands: 'value*' }),
      summary: sub('show commits of submodules', 'read', {
        flags: '-q --quiet --cached --files --for-status',
        values: '-n --summary-limit',
        operands: 'value*',
      }),
      foreach: sub('run a command in each submodule', 'execute', {
        style: 'posix',
        flags: '-q --quiet --recursive',
        operands: 'value*',
        program: 'git-submodule-foreach',
        examples: {
          readOnly: ["git submodule foreach 'git status'"],
          notReadOnly: ['git submodule foreach rm -rf x', "git submodule foreach 'touch x'"],
        },
      }),
      add: sub('add a submodule', 'write', {
        flags: '-f --force -q --quiet --progress --dissociate',
        values: '-b --branch --name --depth --ref-format',
        options: { '--reference': 'read' },
        operands: 'value*',
        does: 'change execute',
        program: 'git-submodule-add',
      }),
      update: sub('check out submodules', 'network', {
        flags: joined(
          '-q --quiet --init -i --remote -N --no-fetch -f --force --checkout -m --merge -r --rebase --recommend-shallow',
          '--no-recommend-shallow --recursive --single-branch --no-single-branch --dissociate --require-init --progress',
        ),
        values: '-j --jobs --depth --filter',
        options: { '--reference': 'read' },
        operands: 'value*',
        does: 'change network execute',
      }),
      'set-url': sub('change the address of a submodule', 'write', {
        flags: '-q --quiet',
        operands: 'value*',
        does: 'change',
        program: 'git-remote-url',
      }),
      ...named(
        'init deinit sync set-branch absorbgitdirs',
        sub('change the records of submodules', 'write', {
          flags: '-q --quiet -f --force --all --recursive -d --default',
          values: '-b --branch',
          operands: 'value*',
          does: 'change',
        }),
      ),
    },
  }),
  archive: sub('pack a tree into an archive', 'read', {
    numeric: true,
    flags: `--worktree-attributes -v --verbose -l --list ${HELP}`,
    values: '--format --prefix --add-virtual-file --remote',
    options: { '-o --output': 'write', '--add-file': 'read', '--exec': 'shell' },
    operands: 'value*',
    program: 'git-archive',
    examples: {
      readOnly: ['git archive HEAD', 'git archive --format=zip HEAD src', 'git archive --list'],
      notReadOnly: [
        'git archive -o f.zip HEAD',
        'git archive --output=f HEAD',
        "git archive --exec='touch x' --remote=. HEAD",
        'git archive --remote=git@h:x HEAD',
      ],
    },
  }),
  bundle: sub('pack history into a file', 'read', {
    style: 'posix',
    flags: HELP,
    examples: { readOnly: ['git bundle verify f'], notReadOnly: ['git bundle create f HEAD', 'git bundle unbundle f'] },
    subcommands: {
      create: sub('write a bundle', 'write', {
        ...historyOptions({
          flags: '-q --quiet --progress --all-progress --all-progress-implied',
          values: '--version',
        }),
        operands: 'write value*',
        does: 'change',
      }),
      verify: sub('check a bundle', 'read', { flags: `-q --quiet ${HELP}`, operands: 'read' }),
      'list-heads': sub('list the references of a bundle', 'read', { flags: HELP, operands: 'read value*' }),
      unbundle: sub('add the objects of a bundle', 'write', {
        flags: '--progress',
        operands: 'read value*',
        does: 'change',
      }),
    },
  }),
  init: helped('make a repository', 'write', {
    flags: '--bare -q --quiet',
    values: '-b --initial-branch --object-format --ref-format',
    optional: '--shared',
    options: { '--template': 'hook', '--separate-git-dir': 'write/' },
    operands: 'write/?',
    does: 'change',
    examples: { readOnly: [], notReadOnly: ['git init', 'git init -b main x', 'git init --template=t'] },
  }),
  'init-db': 'init',
  'request-pull': sub('compose a pull request', 'network', {
    flags: '-p',
    operands: 'value*',
    does: 'network',
    program: 'git-remote-url',
    examples: { readOnly: [], notReadOnly: ['git request-pull v1 https://h/x'] },
  }),
  'send-email': sub('mail patches', 'execute', {
    flags: '--annotate --no-annotate --dry-run --quiet --force --compose --no-validate --validate --no-thread --thread',
    values: '--to --cc --bcc --from --subject --in-reply-to --reply-to --confirm --suppress-cc --identity',
    options: {
      '--smtp-server': 'program',
      '--sendmail-cmd': 'shell',
      '--to-cmd': 'shell',
      '--cc-cmd': 'shell',
      '--header-cmd': 'shell',
    },
    operands: 'value*',
    does: 'change network execute',
    examples: { readOnly: [], notReadOnly: ['git send-email --to=a@b p.patch', "git send-email --cc-cmd='sh x' p"] },
  }),
  instaweb: sub('serve the repository in a browser', 'execute', {
    flags: '-l --local --stop --start --restart',
    values: '-p --port -m --module-path',
    options: { '-d --httpd': 'shell', '-b --browser': 'program' },
    operands: '',
    does: 'change network execute',
    examples: { readOnly: [], notReadOnly: ['git instaweb', 'git instaweb --httpd=./x'] },
  }),
  ...named(
    'daemon http-backend http-fetch http-push imap-send fetch-pack send-pack upload-pack receive-pack upload-archive shell remote-ext remote-fd remote-http remote-https svn p4 cvsimport cvsexportcommit cvsserver archimport',
    sub('talk to another repository', 'network', { operands: 'value*', does: 'change network execute' }),
  ),
};
