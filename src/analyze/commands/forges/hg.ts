// hg, Mercurial: rows of data. Its global options can be anywhere, so each row has them.
// `--config` can define aliases, hooks and extensions: the analyzer accepts only harmless settings.

import type { CommandClass } from '../../../core/facts.ts';
import type { CommandSpec, OptionForm } from '../spec.ts';
import { joined, named, sub } from '../tool-rows.ts';

const FLAGS = '-y --noninteractive -q --quiet -v --verbose --debug --traceback --time --hidden -h --help --version';
const VALUES = '--config --encoding --encodingmode --color --pager';
const EFFECTS: Readonly<Record<string, OptionForm>> = {
  '-R --repository': 'read',
  '--cwd': 'chdir',
  '--debugger': '+hook',
  '--profile': '+hook',
};
const PATTERNS = '-I --include -X --exclude';
const DIFF_FLAGS =
  '-a --text -g --git --binary --nodates --noprefix -p --show-function --reverse -w --ignore-all-space -b --ignore-space-change -B --ignore-blank-lines -Z --ignore-space-at-eol --stat -S --subrepos';
const OUTPUT = '-T --template --style';

interface Words {
  readonly flags?: string;
  readonly values?: string;
  readonly options?: Readonly<Record<string, OptionForm>>;
  readonly operands?: string;
}

function row(summary: string, kind: CommandClass, words: Words = {}, does?: string): CommandSpec {
  return sub(summary, kind, {
    flags: joined(FLAGS, words.flags),
    values: joined(VALUES, words.values),
    options: { ...EFFECTS, ...words.options },
    operands: words.operands ?? 'value*',
    program: 'hg',
    ...(does === undefined ? {} : { does }),
  });
}

export const hg: CommandSpec = {
  summary: 'version control with Mercurial',
  class: 'read',
  style: 'posix',
  exactLong: true,
  flags: FLAGS,
  values: VALUES,
  options: EFFECTS,
  program: 'hg',
  examples: {
    readOnly: [
      'hg status',
      'hg log -l 5 -p',
      'hg diff -r .^',
      'hg branch',
      'hg --version',
      'hg id',
      'hg cat -r tip f',
      'hg --config ui.color=never status',
    ],
    notReadOnly: [
      'hg commit -m x',
      'hg pull',
      'hg update',
      'hg branch x',
      'hg cat -o f g',
      "hg --config 'alias.x=!id' x",
      'hg status --config extensions.e=./e.py',
      "hg log --config 'hooks.pre-log=id'",
      'hg log --debugger',
      'hg bookmark x',
      'hg config --edit',
      'hg incoming --ssh ./x',
    ],
  },
  subcommands: {
    status: row('show the state of the working copy', 'read', {
      flags:
        '-A --all -m --modified -a --added -r --removed -d --deleted -c --clean -u --unknown -i --ignored -n --no-status -t --terse -C --copies -0 --print0 -S --subrepos',
      values: `--rev --change ${PATTERNS} ${OUTPUT}`,
    }),
    st: 'status',
    log: row('show commits', 'read', {
      flags:
        '-f --follow --follow-first -C --copies --removed -m --only-merges -M --no-merges -p --patch -g --git --stat -G --graph -S --subrepos',
      values: `-d --date -k --keyword -r --rev --from --to -u --user -b --branch --only-branch -P --prune -l --limit -L --line-range --bookmark ${OUTPUT} ${PATTERNS}`,
    }),
    history: 'log',
    diff: row('show differences', 'read', {
      flags: DIFF_FLAGS,
      values: `-r --rev --from --to -c --change -U --unified --root ${PATTERNS}`,
    }),
    cat: row('print files', 'read', {
      flags: '--decode',
      values: `-r --rev ${PATTERNS} ${OUTPUT}`,
      options: { '-o --output': 'write' },
    }),
    annotate: row('show who changed each line', 'read', {
      flags:
        '-f --file -a --text -u --user -d --date -n --number -c --changeset -l --line-number -w -b -B -Z --no-follow',
      values: `-r --rev --skip ${PATTERNS} ${OUTPUT}`,
    }),
    blame: 'annotate',
    grep: row('search history', 'search', {
      flags:
        '-0 --print0 --all --diff -a --text -f --follow -i --ignore-case -l --files-with-matches -n --line-number -u --user -d --date',
      values: `-r --rev ${PATTERNS} ${OUTPUT}`,
    }),
    ...named(
      'files manifest locate heads tip parents branches tags',
      row('list parts of the repository', 'list', {
        flags: '-0 --print0 -S --subrepos --all -f --fullpath -t --topo -a --active -c --closed',
        values: `-r --rev ${PATTERNS} ${OUTPUT}`,
      }),
    ),
    ...named(
      'root paths version help',
      row('show information', 'read', { flags: '-e --extension -c --command -k --keyword', values: OUTPUT }),
    ),
    identify: row('show the current commit', 'read', {
      flags: '-n --num -i --id -b --branch -t --tags -B --bookmarks --insecure',
      values: `-r --rev ${OUTPUT}`,
      options: { '-e --ssh': 'shell', '--remotecmd': 'shell' },
      operands: 'network?',
    }),
    id: 'identify',
    summary: row('summarise the state', 'read', { options: { '--remote': '+network' } }),
    branch: row('show or set the branch', 'read', {
      options: { '-f --force': '+change', '-C --clean': '+change', '-r --rev': 'change' },
      operands: 'change*',
    }),
    bookmark: row('list or change bookmarks', 'list', {
      flags: '-l --list',
      values: OUTPUT,
      options: {
        '-f --force': '+change',
        '-d --delete': '+change',
        '-m --rename': 'change',
        '-i --inactive': '+change',
        '-r --rev': 'change',
      },
      operands: 'change*',
    }),
    bookmarks: 'bookmark',
    config: row('show settings', 'read', {
      flags: '-u --untrusted --exp-all-known --source',
      values: OUTPUT,
      options: {
        '-e --edit': '+hook',
        '-l --local': '+hook',
        '-g --global': '+hook',
        '--shared': '+hook',
        '--non-shared': '+hook',
      },
    }),
    showconfig: 'config',
    ...named(
      'incoming in outgoing out',
      row(
        'compare with another repository',
        'network',
        {
          flags:
            '-f --force -n --newest-first -p --patch -g --git --stat -G --graph -M --no-merges -B --bookmarks --insecure -S --subrepos',
          values: `-r --rev -b --branch -l --limit ${OUTPUT}`,
          options: { '--bundle': 'write', '-e --ssh': 'shell', '--remotecmd': 'shell' },
        },
        'network',
      ),
    ),
    ...named(
      'clone pull push update up checkout co merge commit ci add addremove remove rm forget copy cp move mv rename revert backout graft rebase import export archive bundle unbundle tag init serve strip shelve unshelve resolve bisect phase purge rollback recover verify histedit amend uncommit fold split',
      row('change a repository or working copy', 'write', {}, 'change network execute'),
    ),
  },
};
