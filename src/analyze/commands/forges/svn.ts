// svn, Subversion: rows of data. Targets are paths or addresses; the analyzer distinguishes them.
// Settings on the command line name helper programs (diff-cmd, editor-cmd, tunnels), so they run code.

import type { CommandClass } from '../../../core/facts.ts';
import type { CommandSpec, OptionForm } from '../spec.ts';
import { joined, named, sub } from '../tool-rows.ts';

const GLOBAL_FLAGS =
  '--non-interactive --force-interactive --no-auth-cache --trust-server-cert --password-from-stdin -q --quiet -v --verbose';
const GLOBAL_VALUES = '--username --password --trust-server-cert-failures';
const EFFECTS: Readonly<Record<string, OptionForm>> = {
  '--config-dir': 'hook',
  '--config-option': 'hook',
  '--diff-cmd': 'program',
  '--diff3-cmd': 'program',
  '--editor-cmd': 'shell',
  '--targets': 'read',
  '-F --file': 'read',
};

interface Words {
  readonly flags?: string;
  readonly values?: string;
}

/** The working copy has the base version; other versions are on the server that it names. */
const LOCAL = 'local';
const OTHER_VERSIONS = ['-r --revision', '-c --change', '--old', '--new', '--revprop'];

function row(summary: string, kind: CommandClass, words: Words, does?: string): CommandSpec {
  const options = joined(words.flags, words.values).split(' ');
  const remote = OTHER_VERSIONS.filter((names) => options.includes(names.split(' ')[0] ?? '')).join(' ');
  return sub(summary, kind, {
    flags: joined(GLOBAL_FLAGS, '-h --help', words.flags),
    values: joined(GLOBAL_VALUES, words.values),
    options: EFFECTS,
    operands: 'value*',
    program: 'svn',
    ...(does === undefined || does === LOCAL ? {} : { does }),
    ...(does === LOCAL ? { variants: [{ has: remote, does: 'network' }] } : {}),
  });
}

const REVISION = '-r --revision --depth --changelist --cl';

export const svn: CommandSpec = {
  summary: 'version control with Subversion',
  class: 'read',
  style: 'posix',
  exactLong: true,
  flags: `--version -h --help ${GLOBAL_FLAGS}`,
  values: GLOBAL_VALUES,
  options: { '--config-dir': 'hook', '--config-option': 'hook' },
  examples: {
    readOnly: ['svn status', 'svn info', 'svn diff f', 'svn cat f', 'svn --version'],
    notReadOnly: [
      'svn commit -m x',
      'svn diff -r 1:2 f',
      'svn log -l 5',
      'svn cat https://svn.example.org/r/f',
      'svn cat f@HEAD',
      'svn status -u',
      'svn update',
      'svn diff --diff-cmd ./x',
      'svn log --config-option config:helpers:diff-cmd=./x --diff',
      'svn checkout https://svn.example.org/r',
      'svn ls svn+evil://h/x',
      'svn revert -R .',
      'svn propset svn:x y .',
    ],
  },
  subcommands: {
    status: sub('show the state of the working copy', 'read', {
      flags: joined(
        GLOBAL_FLAGS,
        '-h --help -u --show-updates -N --non-recursive --no-ignore --incremental --xml --ignore-externals',
      ),
      values: joined(GLOBAL_VALUES, REVISION),
      options: EFFECTS,
      operands: 'value*',
      variants: [{ has: '-u --show-updates', does: 'network' }],
      program: 'svn',
    }),
    stat: 'status',
    st: 'status',
    info: row(
      'show a target',
      'read',
      {
        flags: '-R --recursive --incremental --xml --no-newline --include-externals',
        values: `${REVISION} --show-item`,
      },
      LOCAL,
    ),
    diff: row(
      'show differences',
      'read',
      {
        flags:
          '-N --internal-diff --no-diff-added --no-diff-deleted --ignore-properties --properties-only --notice-ancestry --summarize --force --xml --git --patch-compatible --show-copies-as-adds',
        values: `${REVISION} -c --change --old --new -x --extensions`,
      },
      LOCAL,
    ),
    di: 'diff',
    log: row(
      'show revisions',
      'read',
      {
        flags:
          '-g --use-merge-history --stop-on-copy --incremental --xml --with-all-revprops --with-no-revprops --diff --internal-diff',
        values: `${REVISION} -c --change -l --limit --with-revprop -x --extensions --search --search-and`,
      },
      'network',
    ),
    cat: row('print files', 'read', { flags: '--ignore-keywords', values: '-r --revision' }, LOCAL),
    list: row(
      'list a folder',
      'list',
      { flags: '-R --recursive --incremental --xml --include-externals', values: `${REVISION} --search` },
      'network',
    ),
    ls: 'list',
    blame: row(
      'show who changed each line',
      'read',
      { flags: '-g --use-merge-history --incremental --xml --force', values: '-r --revision -x --extensions' },
      'network',
    ),
    praise: 'blame',
    annotate: 'blame',
    ann: 'blame',
    proplist: row(
      'list properties',
      'list',
      { flags: '-R --recursive --revprop --xml --show-inherited-props', values: REVISION },
      LOCAL,
    ),
    plist: 'proplist',
    pl: 'proplist',
    propget: row(
      'show a property',
      'read',
      { flags: '-R --recursive --revprop --strict --xml --show-inherited-props --no-newline', values: REVISION },
      LOCAL,
    ),
    pget: 'propget',
    pg: 'propget',
    mergeinfo: row(
      'show merged revisions',
      'read',
      { flags: '-R --recursive --log --incremental', values: `${REVISION} --show-revs` },
      'network',
    ),
    help: sub('show help', 'neutral', { flags: '-h --help --version -q --quiet -v --verbose', operands: 'value*' }),
    h: 'help',
    '?': 'help',
    ...named(
      'checkout co update up switch sw export import commit ci copy cp move mv rename ren mkdir delete del remove rm lock unlock merge relocate upgrade',
      row(
        'change a working copy or repository',
        'network',
        {
          flags:
            '--force --ignore-externals -N --parents --keep-local --no-unlock --no-ignore --auto-props --no-auto-props --record-only --dry-run --reintegrate --ignore-ancestry --include-externals',
          values: `${REVISION} -m --message -c --change --accept --set-depth --with-revprop --native-eol -x --extensions --encoding`,
        },
        'change network execute',
      ),
    ),
    ...named(
      'add revert resolve resolved cleanup changelist cl patch propset pset ps propdel pdel pd propedit pedit pe',
      row(
        'change a working copy',
        'write',
        {
          flags:
            '-R --recursive --force --remove-added --remove-unversioned --remove-ignored --no-ignore --auto-props --no-auto-props --parents --revprop --dry-run',
          values: `${REVISION} --accept --remove -m --message --strip --encoding`,
        },
        'change execute',
      ),
    ),
  },
};
