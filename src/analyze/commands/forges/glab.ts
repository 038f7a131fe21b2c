// glab, the GitLab CLI: rows of data for its main groups.
// Read requests are `fetch`; CI variables and tokens are secrets.

import type { CommandClass } from '../../../core/facts.ts';
import type { CommandSpec, OptionForm } from '../spec.ts';
import { joined, named, sub } from '../tool-rows.ts';

interface Words {
  readonly flags?: string;
  readonly values?: string;
  readonly options?: Readonly<Record<string, OptionForm>>;
  readonly operands?: string;
  readonly examples?: CommandSpec['examples'];
}

const WEB = { '-w --web': '+hook' } as const;
const LIST = {
  flags: '-A --all -c --closed -M --merged -d --draft --not-draft -m --mine',
  values: [
    '-a --assignee --author -l --label --not-label --not-author --not-assignee --milestone --search --in -s --source-branch',
    '-t --target-branch -r --reviewer -P --per-page -p --page -F --output -g --group -o --order --sort --state --epic',
    '--iteration --iid --output-format',
  ].join(' '),
} as const;

function asks(summary: string, kind: CommandClass, words: Words = {}): CommandSpec {
  return sub(summary, kind, {
    operands: 'value*',
    ...words,
    flags: joined(words.flags, '--help -h'),
    values: joined(words.values, '-R --repo'),
    does: 'fetch',
    program: 'gh-json',
  });
}

function changes(summary: string, words: Words = {}, does = 'change network execute'): CommandSpec {
  return sub(summary, 'network', {
    operands: 'value*',
    ...words,
    flags: joined(words.flags, '--help -h'),
    values: joined(words.values, '-R --repo'),
    does,
    variants: [{ has: '--help -h', does: '', operands: 'value*', class: 'neutral' }],
  });
}

function group(summary: string, subcommands: Readonly<Record<string, CommandSpec | string>>): CommandSpec {
  return sub(summary, 'read', { style: 'posix', flags: '--help -h', values: '-R --repo', subcommands });
}

const VIEW = {
  flags: '-c --comments -s --system-logs',
  values: '-F --output -P --per-page -p --page',
  options: WEB,
} as const;

export const glab: CommandSpec = {
  summary: 'work with GitLab',
  class: 'read',
  style: 'posix',
  exactLong: true,
  flags: '--version -v --help -h',
  values: '-R --repo',
  examples: {
    readOnly: [
      'glab mr list',
      'glab mr view 3 --comments',
      'glab issue list --label=bug',
      'glab ci status',
      'glab api projects/1',
      'glab mr diff 3',
    ],
    notReadOnly: [
      'glab mr merge 3',
      'glab mr create --fill',
      'glab issue note 3 -m x',
      'glab api -X POST projects/1/issues',
      'glab api projects/1/issues -f title=x',
      'glab auth status -t',
      'glab variable get TOKEN',
      "glab alias set x '!id'",
      'glab mr view 3 -w',
      'glab ci run',
    ],
  },
  subcommands: {
    mr: group('work with merge requests', {
      ...named('list ls', asks('list merge requests', 'list', LIST)),
      ...named('view show', asks('show a merge request', 'read', VIEW)),
      diff: asks('show changes of a merge request', 'read', { flags: '--raw', values: '--color' }),
      ...named('issues approvers', asks('show what belongs to a merge request', 'read')),
      ...named(
        'create new update merge close reopen delete note approve revoke rebase checkout subscribe unsubscribe todo for',
        changes('change a merge request', {
          flags: '-f --fill --draft -y --yes -s --squash --remove-source-branch --rebase --auto-merge',
          values:
            '-t --title -d --description -m --message -a --assignee -l --label -b --target-branch --source-branch -r --reviewer --sha',
        }),
      ),
    }),
    issue: group('work with issues', {
      ...named('list ls', asks('list issues', 'list', LIST)),
      ...named('view show', asks('show an issue', 'read', VIEW)),
      ...named(
        'create new update close reopen delete note subscribe unsubscribe board',
        changes('change an issue', {
          flags: '-y --yes -c --confidential',
          values: '-t --title -d --description -m --message -a --assignee -l --label --milestone',
        }),
      ),
    }),
    repo: group('work with repositories', {
      ...named(
        'view contributors search list',
        asks('show repositories', 'read', {
          flags: '-m --mine -a --all',
          values: '-b --branch -F --output -s --search -P --per-page -p --page -o --order',
          options: WEB,
        }),
      ),
      ...named(
        'clone create fork delete archive transfer mirror update members',
        changes('change or copy repositories'),
      ),
    }),
    ci: group('work with pipelines', {
      ...named(
        'list ls get lint',
        asks('show pipelines', 'read', {
          flags: '--with-job-details --dry-run --include-jobs',
          values:
            '-s --status --source -b --branch -p --pipeline-id -P --per-page -o --orderBy --sort -F --output --ref',
        }),
      ),
      status: asks('show the state of a pipeline', 'read', { flags: '-l --live --compact', values: '-b --branch' }),
      trace: asks('show the log of a job', 'read', { values: '-b --branch -p --pipeline-id' }),
      ...named(
        'run run-trig retry cancel delete trigger view artifact config',
        changes('run or change pipelines', {
          values: '-b --branch --variables --variables-from --variables-env --variables-file',
        }),
      ),
    }),
    pipeline: 'ci',
    pipe: 'ci',
    release: group('work with releases', {
      ...named(
        'list ls view',
        asks('show releases', 'read', { values: '-P --per-page -p --page -t --tag', options: WEB }),
      ),
      ...named('create upload download delete', changes('change or download releases')),
    }),
    label: group('work with labels', {
      ...named(
        'list ls get',
        asks('list labels', 'list', { values: '-P --per-page -p --page -F --output -g --group' }),
      ),
      ...named('create edit delete', changes('change labels')),
    }),
    variable: group('work with CI variables', {
      ...named(
        'list ls get export',
        sub('print CI variables', 'read', {
          values: '-R --repo -g --group -s --scope -F --output -P --per-page -p --page',
          operands: 'value*',
          does: 'secret network',
        }),
      ),
      ...named('set update delete', changes('change CI variables')),
    }),
    api: sub('call the GitLab API', 'network', {
      flags: '-i --include --paginate --silent --help -h',
      values: '-H --header -F --field -f --raw-field -X --method --output',
      options: { '--hostname': 'host', '--input': 'read' },
      operands: 'value*',
      does: 'fetch',
      program: 'gh-api',
      examples: { readOnly: ['glab api projects/1/issues'], notReadOnly: ['glab api -X DELETE projects/1'] },
    }),
    auth: group('handle authentication', {
      status: asks('show who is logged in', 'read', {
        flags: '-a --all',
        values: '--hostname',
        options: { '-t --show-token': '+secret' },
      }),
      ...named('login logout git-credential configure-docker docker-helper dpop-gen', changes('change the login')),
    }),
    config: group('handle settings', {
      get: sub('show a setting', 'read', {
        flags: '-g --global',
        values: '-h --host',
        operands: 'value*',
        program: 'gh-config',
      }),
      ...named(
        'set edit',
        sub('change a setting', 'write', {
          flags: '-g --global -l --local',
          values: '-h --host',
          operands: 'value*',
          does: 'change execute',
        }),
      ),
    }),
    alias: group('handle aliases', {
      list: sub('list aliases', 'list', { operands: '' }),
      set: sub('define an alias', 'write', { flags: '-s --shell', operands: 'value hook', does: 'change' }),
      delete: sub('delete an alias', 'write', { operands: 'value', does: 'change' }),
    }),
    user: group('show activity', {
      events: asks('show activity', 'read', { flags: '-a --all', values: '-P --per-page -p --page' }),
    }),
    version: sub('show the version', 'neutral', { flags: '--help -h', operands: '' }),
    completion: sub('print completions', 'neutral', { flags: '--no-desc', values: '-s --shell', operands: '' }),
    help: sub('show help', 'neutral', { operands: 'value*' }),
    ...named(
      'snippet schedule ssh-key gpg-key deploy-key token cluster incident milestone iteration job duo ask securefile changelog stack check-update opentofu runner-controller work-items',
      changes('use other parts of GitLab'),
    ),
  },
};
