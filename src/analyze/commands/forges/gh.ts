// gh, the GitHub CLI: rows of data. Read requests are `fetch`; everything else changes remote state.
// `--web` starts a browser set by the environment; jq expressions are checked for the environment.

import type { CommandClass } from '../../../core/facts.ts';
import type { CommandSpec, OptionForm } from '../spec.ts';
import { joined, named, sub } from '../tool-rows.ts';

interface Words {
  readonly flags?: string;
  readonly values?: string;
  readonly optional?: string;
  readonly options?: Readonly<Record<string, OptionForm>>;
  readonly operands?: string;
  readonly examples?: CommandSpec['examples'];
}

const WEB = { '-w --web': '+hook' } as const;
const BODY = { '-F --body-file': 'read', '-e --editor': '+hook', '-w --web': '+hook' } as const;

function asks(summary: string, kind: CommandClass, words: Words = {}): CommandSpec {
  return sub(summary, kind, {
    operands: 'value*',
    ...words,
    flags: joined(words.flags, '--help'),
    values: joined(words.values, '--json -R --repo'),
    options: { '-q --jq': 'value', '--template': 'value', ...words.options },
    does: 'fetch',
    program: 'gh-json',
  });
}

function changes(summary: string, words: Words = {}, does = 'change network'): CommandSpec {
  return sub(summary, 'network', {
    operands: 'value*',
    ...words,
    flags: joined(words.flags, '--help'),
    values: joined(words.values, '-R --repo'),
    does,
    variants: [{ has: '--help', does: '', operands: 'value*', class: 'neutral' }],
  });
}

function group(
  summary: string,
  subcommands: Readonly<Record<string, CommandSpec | string>>,
  examples?: CommandSpec['examples'],
): CommandSpec {
  return sub(summary, 'read', {
    style: 'posix',
    flags: '--help',
    values: '-R --repo',
    subcommands,
    ...(examples ? { examples } : {}),
  });
}

const SEARCH_VALUES = [
  '-L --limit --sort --order --match --owner --language --visibility --extension --filename --size --author',
  '--author-date --author-email --author-name --committer --committer-date --committer-email --committer-name --hash',
  '--merge --parent --tree --app --assignee --closed --commenter --comments --created --interactions --involves --label',
  '--mentions --milestone --project --reactions --state --team-mentions --updated -B --base --checks -H --head --merged-at',
  '--review --review-requested --reviewed-by --followers --forks --good-first-issues --help-wanted-issues --include-forks',
  '--license --number-topics --stars --topic',
].join(' ');

const EDIT_VALUES = [
  '-t --title -b --body -l --label -a --assignee -m --milestone -p --project --add-label --remove-label --add-assignee',
  '--remove-assignee --add-project --remove-project --add-reviewer --remove-reviewer',
].join(' ');

export const gh: CommandSpec = {
  summary: 'work with GitHub',
  class: 'read',
  style: 'posix',
  exactLong: true,
  flags: '--version --help -h',
  examples: {
    readOnly: [
      'gh pr view 12 --json title',
      'gh pr list --state all -L 5',
      'gh issue view 3 --comments',
      'gh run view 1 --log-failed',
      'gh api repos/a/b/pulls',
      'gh --version',
      'gh auth status',
      'gh search code foo --owner a',
    ],
    notReadOnly: [
      'gh pr merge 12',
      'gh pr create --fill',
      'gh issue comment 3 -b x',
      'gh api -X DELETE repos/a/b',
      'gh api repos/a/b/issues -f title=x',
      'gh repo delete a/b',
      'gh auth token',
      "gh alias set x '!id'",
      'gh extension install a/b',
      'gh codespace ssh',
      'gh pr view 12 --web',
      'gh some-extension',
    ],
  },
  subcommands: {
    pr: group('work with pull requests', {
      list: asks('list pull requests', 'list', {
        flags: '-d --draft',
        values: '-a --assignee --app -A --author -B --base -H --head -l --label -L --limit -S --search -s --state -t',
        options: WEB,
      }),
      ls: 'list',
      view: asks('show a pull request', 'read', { flags: '-c --comments', values: '-t', options: WEB }),
      status: asks('show pull requests that concern you', 'read', { flags: '-c --conflict-status', values: '-t' }),
      checks: asks('show checks of a pull request', 'read', {
        flags: '--fail-fast --required --watch',
        values: '-i --interval -t',
        options: WEB,
        examples: { readOnly: ['gh pr checks 12 --watch'], notReadOnly: ['gh pr checks -w'] },
      }),
      diff: asks('show changes of a pull request', 'read', {
        flags: '--name-only --patch',
        values: '--color -e --exclude',
        options: WEB,
        examples: { readOnly: ['gh pr diff 12', 'gh pr diff --name-only'], notReadOnly: ['gh pr diff --web 12'] },
      }),
      create: changes(
        'open a pull request',
        {
          flags: '-d --draft --dry-run -f --fill --fill-first --fill-verbose --no-maintainer-edit',
          values:
            '-t --title -b --body -l --label -a --assignee -m --milestone -p --project -B --base -H --head -r --reviewer --recover -T --template',
          options: BODY,
        },
        'change network execute',
      ),
      new: 'create',
      edit: changes('change a pull request', {
        flags: '--remove-milestone',
        values: `${EDIT_VALUES} -B --base`,
        options: { '-F --body-file': 'read' },
      }),
      comment: changes('comment on a pull request', {
        flags: '--edit-last --create-if-none --delete-last --yes',
        values: '-b --body',
        options: BODY,
        examples: { readOnly: ['gh pr comment --help'], notReadOnly: ['gh pr comment 1 -b x', 'gh pr comment 1 -F f'] },
      }),
      review: changes('review a pull request', {
        flags: '-a --approve -c --comment -r --request-changes',
        values: '-b --body',
        options: { '-F --body-file': 'read' },
      }),
      merge: changes(
        'merge a pull request',
        {
          flags: '--admin --auto -d --delete-branch --disable-auto -m --merge -r --rebase -s --squash',
          values: '-b --body -t --subject --match-head-commit -A --author-email',
          options: { '-F --body-file': 'read' },
        },
        'change network execute',
      ),
      checkout: changes(
        'check out a pull request',
        { flags: '--detach -f --force --recurse-submodules', values: '-b --branch' },
        'change network execute',
      ),
      co: 'checkout',
      ...named(
        'close reopen ready lock unlock update-branch revert',
        changes('change the state of a pull request', {
          flags: '-d --delete-branch --undo --rebase --draft',
          values: '-c --comment -r --reason -b --body -t --title',
          options: { '-F --body-file': 'read' },
        }),
      ),
    }),
    issue: group('work with issues', {
      list: asks('list issues', 'list', {
        values:
          '-a --assignee --app -A --author -l --label -L --limit -m --milestone --mention -S --search -s --state -t',
        options: WEB,
      }),
      ls: 'list',
      view: asks('show an issue', 'read', { flags: '-c --comments', values: '-t', options: WEB }),
      status: asks('show issues that concern you', 'read', { values: '-t' }),
      create: changes(
        'open an issue',
        {
          values: '-t --title -b --body -l --label -a --assignee -m --milestone -p --project --recover -T --template',
          options: BODY,
        },
        'change network execute',
      ),
      new: 'create',
      edit: changes('change an issue', {
        flags: '--remove-milestone',
        values: EDIT_VALUES,
        options: { '-F --body-file': 'read' },
      }),
      comment: changes('comment on an issue', {
        flags: '--edit-last --create-if-none --delete-last --yes',
        values: '-b --body',
        options: BODY,
      }),
      develop: changes(
        'make a branch for an issue',
        {
          flags: '-l --list -c --checkout',
          values: '-n --name -b --base --branch-repo',
        },
        'change network execute',
      ),
      ...named(
        'close reopen delete lock unlock pin unpin transfer',
        changes('change the state of an issue', { flags: '--yes', values: '-c --comment -r --reason' }),
      ),
    }),
    repo: group('work with repositories', {
      view: asks('show a repository', 'read', { values: '-b --branch -t', options: WEB }),
      list: asks('list repositories', 'list', {
        flags: '--archived --no-archived --fork --source',
        values: '-l --language -L --limit --topic --visibility -t',
      }),
      ls: 'list',
      clone: changes(
        'copy a repository',
        { values: '-u --upstream-remote-name', operands: 'value write/? unknown*' },
        'change network execute',
      ),
      create: changes(
        'make a repository',
        {
          flags:
            '--add-readme -c --clone --disable-issues --disable-wiki --include-all-branches --internal --private --public --push',
          values:
            '-d --description -g --gitignore -h --homepage -l --license -r --remote -s --source -t --team -p --template',
        },
        'change network execute',
      ),
      new: 'create',
      fork: changes(
        'fork a repository',
        { flags: '--clone --default-branch-only --remote', values: '--fork-name --org --remote-name' },
        'change network execute',
      ),
      'set-default': changes('choose the repository to ask', { flags: '-u --unset -v --view' }),
      'deploy-key': group('work with deploy keys', {
        list: asks('list deploy keys', 'list', { values: '-t' }),
        ...named(
          'add delete',
          changes('change deploy keys', { flags: '-w --allow-write', values: '-t --title', operands: 'read' }),
        ),
      }),
      ...named(
        'delete edit rename archive unarchive sync',
        changes('change a repository', {
          flags: '-y --yes --force',
          values:
            '-d --description -h --homepage --visibility --default-branch --add-topic --remove-topic -b --branch -s --source',
        }),
      ),
    }),
    run: group('work with workflow runs', {
      list: asks('list runs', 'list', {
        flags: '-a --all',
        values: '-b --branch -c --commit --created -e --event -L --limit -s --status -u --user -w --workflow -t',
      }),
      ls: 'list',
      view: asks('show a run', 'read', {
        flags: '--exit-status --log --log-failed -v --verbose',
        values: '-a --attempt -j --job -t',
        options: WEB,
      }),
      watch: asks('follow a run', 'read', { flags: '--compact --exit-status', values: '-i --interval' }),
      download: sub('download artifacts', 'network', {
        flags: '--help',
        values: '-n --name -p --pattern -R --repo',
        options: { '-D --dir': 'write/' },
        operands: 'value*',
        does: 'change network',
        examples: { readOnly: [], notReadOnly: ['gh run download 1 -D out'] },
      }),
      ...named('cancel rerun delete', changes('change a run', { flags: '-d --debug --failed', values: '-j --job' })),
    }),
    workflow: group('work with workflows', {
      list: asks('list workflows', 'list', { flags: '-a --all', values: '-L --limit -t' }),
      ls: 'list',
      view: asks('show a workflow', 'read', { flags: '-y --yaml', values: '-r --ref', options: WEB }),
      ...named(
        'run enable disable',
        changes('start or change a workflow', {
          flags: '--json',
          values: '-r --ref -f --raw-field -F --field',
        }),
      ),
    }),
    release: group('work with releases', {
      list: asks('list releases', 'list', {
        flags: '--exclude-drafts --exclude-pre-releases',
        values: '-L --limit -O --order -t',
      }),
      ls: 'list',
      view: asks('show a release', 'read', { values: '-t', options: WEB }),
      download: sub('download files of a release', 'network', {
        flags: '--clobber --skip-existing --help',
        values: '-p --pattern -A --archive -R --repo',
        options: { '-D --dir': 'write/', '-O --output': 'write' },
        operands: 'value*',
        does: 'change network',
        examples: { readOnly: [], notReadOnly: ['gh release download v1 -p x', 'gh release download v1 -O f'] },
      }),
      create: changes('publish a release', {
        flags:
          '-d --draft -p --prerelease --generate-notes --latest --notes-from-tag --verify-tag --fail-on-no-commits',
        values: '-t --title -n --notes --notes-start-tag --target --discussion-category',
        options: { '-F --notes-file': 'read' },
        operands: 'value read*',
      }),
      new: 'create',
      upload: changes('add files to a release', { flags: '--clobber', operands: 'value read*' }),
      ...named(
        'edit delete delete-asset',
        changes('change a release', {
          flags: '-d --draft -p --prerelease --latest --verify-tag -y --yes --cleanup-tag',
          values: '-t --title -n --notes --tag --target --discussion-category',
          options: { '-F --notes-file': 'read' },
        }),
      ),
    }),
    api: sub('call the GitHub API', 'network', {
      flags: '-i --include --paginate --silent --slurp --verbose --help',
      values: '-H --header -p --preview',
      options: {
        '-q --jq': 'value',
        '-t --template': 'value',
        '--hostname': 'host',
        '-X --method': 'value',
        '-f --raw-field': 'value',
        '-F --field': 'value',
        '--input': 'read',
        // Answers are stored in a file of the user's cache.
        '--cache': 'change',
      },
      operands: 'value*',
      does: 'fetch',
      program: 'gh-api',
      examples: {
        readOnly: [
          'gh api user',
          "gh api repos/a/b/pulls --jq '.[].title'",
          'gh api -X GET search/issues -f q=x',
          'gh api --method=GET repos/a/b',
          "gh api graphql -f query='query { viewer { login } }'",
          "gh api graphql -F owner=a -f query='{ viewer { login } }'",
        ],
        notReadOnly: [
          'gh api repos/a/b/issues -f title=x',
          'gh api repos/a/b/issues -F n=1',
          'gh api -X POST x',
          'gh api -XDELETE repos/a/b',
          'gh api x --input f',
          'gh api -X "$M" x',
          "gh api graphql -f query='mutation { x }'",
          'gh api graphql -F query=@f',
          'gh api user --jq env',
          "gh api user --jq '$ENV.HOME'",
        ],
      },
    }),
    auth: group('handle authentication', {
      status: asks('show who is logged in', 'read', {
        flags: '-a --active',
        values: '-h --hostname',
        options: { '-t --show-token': '+secret' },
        examples: { readOnly: ['gh auth status'], notReadOnly: ['gh auth status -t', 'gh auth status --show-token'] },
      }),
      token: sub('print the token', 'read', {
        values: '-h --hostname -u --user',
        operands: '',
        does: 'secret',
        examples: { readOnly: [], notReadOnly: ['gh auth token'] },
      }),
      ...named(
        'login logout refresh switch setup-git git-credential',
        changes(
          'change the login',
          {
            flags: '-w --web --with-token --insecure-storage --skip-ssh-key -c --clipboard -f --force --reset-scopes',
            values: '-h --hostname -s --scopes -p --git-protocol -u --user -r --remove-scopes',
          },
          'change network execute secret',
        ),
      ),
    }),
    gist: group('work with gists', {
      list: asks('list gists', 'list', { flags: '--public --secret --include-content', values: '-L --limit --filter' }),
      ls: 'list',
      view: asks('show a gist', 'read', { flags: '--files -r --raw', values: '-f --filename', options: WEB }),
      create: changes('publish a gist', {
        flags: '-p --public',
        values: '-d --desc -f --filename',
        options: WEB,
        operands: 'read*',
      }),
      new: 'create',
      clone: changes('copy a gist', { operands: 'value write/? unknown*' }, 'change network execute'),
      ...named(
        'edit delete rename',
        changes(
          'change a gist',
          {
            flags: '--yes',
            values: '-d --desc -f --filename -r --remove',
            options: { '-a --add': 'read' },
            operands: 'value read*',
          },
          'change network execute',
        ),
      ),
    }),
    label: group('work with labels', {
      list: asks('list labels', 'list', { values: '-L --limit --order --sort -S --search', options: WEB }),
      ls: 'list',
      ...named(
        'create edit delete clone',
        changes('change labels', { flags: '-f --force --yes', values: '-c --color -d --description -n --name' }),
      ),
    }),
    search: group('search GitHub', {
      ...named(
        'code commits issues prs repos',
        asks('search GitHub', 'search', {
          flags:
            '--archived --locked --include-prs --no-assignee --no-label --no-milestone --no-project --draft --merged',
          values: SEARCH_VALUES,
          options: WEB,
          examples: {
            readOnly: ['gh search prs --state=open --author=me', "gh search code 'x y' --language=go -L 5"],
            notReadOnly: ['gh search repos x --web'],
          },
        }),
      ),
    }),
    secret: group('work with secrets', {
      list: asks('list names of secrets', 'list', { flags: '-u --user', values: '-a --app -e --env -o --org' }),
      ls: 'list',
      ...named(
        'set delete remove',
        changes('change secrets', {
          flags: '-u --user --no-store --no-repos-selected',
          values: '-a --app -b --body -e --env -o --org -r --repos -v --visibility',
          options: { '-f --env-file': 'read' },
        }),
      ),
    }),
    variable: group('work with variables', {
      list: asks('list variables', 'list', { values: '-e --env -o --org' }),
      ls: 'list',
      get: asks('show a variable', 'read', { values: '-e --env -o --org' }),
      ...named(
        'set delete remove',
        changes('change variables', {
          values: '-b --body -e --env -o --org -r --repos -v --visibility',
          options: { '-f --env-file': 'read' },
        }),
      ),
    }),
    cache: group('work with caches of workflows', {
      list: asks('list caches', 'list', { values: '-k --key -L --limit -O --order -r --ref -S --sort -t' }),
      ls: 'list',
      delete: changes('delete caches', { flags: '-a --all --succeed-on-no-caches', values: '-r --ref' }),
    }),
    project: group('work with projects', {
      ...named(
        'list ls view item-list field-list',
        asks('show projects', 'read', {
          flags: '--closed',
          values: '--owner -L --limit --format',
          options: WEB,
        }),
      ),
      ...named(
        'create edit delete close copy link unlink mark-template item-add item-create item-edit item-delete item-archive field-create field-delete',
        changes('change projects', {
          flags: '--undo --clear --drafts',
          values:
            '--owner --title --body --url --id --project-id --field-id --text --number --date --single-select-option-id --format --name --data-type',
        }),
      ),
    }),
    ruleset: group('look at rules', {
      ...named(
        'list ls view check',
        asks('show rules', 'read', {
          flags: '-p --parents --default',
          values: '-o --org -L --limit',
          options: WEB,
        }),
      ),
    }),
    org: group('work with organizations', {
      ...named('list ls', asks('list organizations', 'list', { values: '-L --limit' })),
    }),
    'ssh-key': group('work with SSH keys', {
      ...named('list ls', asks('list keys', 'list')),
      ...named(
        'add delete',
        changes('change keys', { flags: '-y --yes', values: '-t --title --type', operands: 'read*' }),
      ),
    }),
    'gpg-key': group('work with GPG keys', {
      ...named('list ls', asks('list keys', 'list')),
      ...named('add delete', changes('change keys', { flags: '-y --yes', values: '-t --title', operands: 'read*' })),
    }),
    status: asks('show what concerns you', 'read', { values: '-e --exclude -o --org' }),
    browse: sub('open a page in the browser', 'execute', {
      flags: '-n --no-browser -c -s --settings -w --wiki -p --projects -r --releases -a --actions --blame --help',
      values: '-b --branch -R --repo',
      optional: '--commit',
      operands: 'value*',
      does: 'execute',
      variants: [{ has: '-n --no-browser --help', does: 'fetch', class: 'read' }],
      examples: { readOnly: ['gh browse -n'], notReadOnly: ['gh browse', 'gh browse src/a.ts'] },
    }),
    config: group('handle settings', {
      get: sub('show a setting', 'read', {
        values: '-h --host',
        operands: 'value*',
        program: 'gh-config',
        examples: { readOnly: ['gh config get editor'], notReadOnly: ['gh config get oauth_token -h github.com'] },
      }),
      ...named('list ls', sub('list settings', 'list', { values: '-h --host', operands: '' })),
      ...named(
        'set clear-cache',
        sub('change a setting', 'write', { values: '-h --host', operands: 'value*', does: 'change' }),
      ),
    }),
    alias: group('handle aliases', {
      ...named('list ls', sub('list aliases', 'list', { operands: '' })),
      set: sub('define an alias', 'write', { flags: '-s --shell --clobber', operands: 'value hook', does: 'change' }),
      ...named(
        'delete import',
        sub('change aliases', 'write', { flags: '--all --clobber', operands: 'value*', does: 'change' }),
      ),
    }),
    extension: group('handle extensions', {
      ...named(
        'list ls search',
        asks('list extensions', 'list', {
          flags: '--installed',
          values: '-L --limit --license --order --owner --sort',
          options: WEB,
        }),
      ),
      ...named(
        'install upgrade remove create exec browse',
        changes(
          'install, run or remove extensions',
          {
            flags: '--all --dry-run --force --debug -s --single-column',
            values: '--pin --precompiled',
          },
          'change network execute',
        ),
      ),
    }),
    ext: 'extension',
    codespace: group('work with codespaces', {
      ...named(
        'list ls view logs',
        asks('show codespaces', 'read', {
          flags: '-f --follow',
          values: '-c --codespace -L --limit -o --org -u --user --repo-owner',
          options: WEB,
        }),
      ),
      ...named(
        'create delete stop edit rebuild ssh code cp jupyter ports',
        changes('run or change codespaces', {}, 'change network execute'),
      ),
    }),
    cs: 'codespace',
    attestation: group('work with attestations', {
      ...named('verify download trusted-root', changes('fetch and verify attestations')),
    }),
    at: 'attestation',
    completion: sub('print completions', 'neutral', { flags: '--help', values: '-s --shell', operands: '' }),
    version: sub('show the version', 'neutral', { flags: '--help', operands: '' }),
    help: sub('show help', 'neutral', { flags: '--help', operands: 'value*' }),
  },
};
