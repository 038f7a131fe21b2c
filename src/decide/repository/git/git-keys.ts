// Settings of a repository that name a program or make git write files, which commands use them, and which values
// are known to be harmless. Verified with git 2.39. Where versions differ, a command counts as using them.

import type { CommandFact } from '../../../core/facts.ts';
import { once, wordSet } from '../../../core/values/once.ts';
import { mayBeAlias } from './git-builtins.ts';
import type { LocatedSetting } from './git-settings.ts';

/** When a program is started: by the action of the command, not by its name. */
export type Trigger =
  | 'index'
  | 'content'
  | 'diff'
  | 'signature'
  | 'network'
  | 'editor'
  | 'merge'
  | 'archive'
  | 'help'
  | 'interactive'
  | 'tool'
  | 'trailer'
  | 'submodule'
  | 'mail'
  | 'pager'
  | 'alias';

interface KeyRow {
  readonly key: RegExp;
  readonly triggers: readonly Trigger[];
  readonly isHarmless?: (value: string) => boolean;
}

const BOOLEAN = /^(?:true|false|yes|no|on|off|0|1|)$/i;
const KNOWN_FILTER =
  /^(?:git-lfs (?:clean -- %f|smudge (?:--skip )?-- %f|filter-process(?: --skip)?)|"?git-crypt"? (?:clean|smudge)|cat|nbstripout)?$/;
const KNOWN_DIFF = /^(?:"?git-crypt"? diff|cat)$/;
const GPG = /^(?:\/usr\/(?:local\/)?bin\/|\/opt\/homebrew\/bin\/)?(?:gpg2?|gpgsm|ssh-keygen)$/;
const EDITOR = /^(?:\/usr\/bin\/)?(?:vim?|nvim|nano|emacs(?:client)?|true|:|cat|code --wait)$/;
const SSH = /^ssh(?: -i (?:~\/)?[\w./-]+| -o (?:"?IdentitiesOnly=yes"?|IdentityAgent=none)| -[46aTqv])*$/;
const HELPER =
  /^(?:|store|cache(?: --timeout[= ]\d+)?|osxkeychain|manager(?:-core)?|libsecret|wincred|gnome-keyring|!(?:\/usr\/(?:local\/)?bin\/|\/opt\/homebrew\/bin\/)?gh auth git-credential)$/;
/** Pagers without the options that write files or run commands (`less -o`, `+!`). */
const PAGER =
  /^(?:|cat|(?:less|more|most|delta|bat|diff-so-fancy)(?: -[FRXSiMKQEern]+| --(?:color-only|paging=(?:never|always)|side-by-side|RAW-CONTROL-CHARS))*)$/;
const isPager = (value: string) => value.split('|').every((part) => PAGER.test(part.trim()));
const OFF = /^(?:false|no|off|0|)$/i;
/** `ext::sh -c …`, `fd::7`, any other remote program, or an address that is read as an option. */
const RUNS_TRANSPORT = /^(?:-|[a-z0-9+.-]+::)/i;
const isPlainAddress = (value: string) => !RUNS_TRANSPORT.test(value);

const rows = once((): readonly KeyRow[] => [
  { key: /^core\.fsmonitor$/, triggers: ['index'], isHarmless: (value) => BOOLEAN.test(value) },
  // It creates files next to the index, and deletes old ones.
  { key: /^core\.splitindex$/, triggers: ['index'], isHarmless: (value) => OFF.test(value) },
  // The output of `textconv` is stored as notes in the repository.
  { key: /^diff\..*\.cachetextconv$/s, triggers: ['diff'], isHarmless: (value) => OFF.test(value) },
  // On a terminal, all output of git goes through the pager; `pager.x` enables it for the command x.
  { key: /^core\.pager$/, triggers: ['pager'], isHarmless: isPager },
  { key: /^pager\..*$/s, triggers: ['pager'], isHarmless: (value) => BOOLEAN.test(value) || isPager(value) },
  // A missing command is replaced by one with a similar name, which may be an alias.
  {
    key: /^help\.autocorrect$/,
    triggers: ['alias'],
    isHarmless: (value) => /^(?:0|never|show|prompt)$/i.test(value) || OFF.test(value),
  },
  { key: /^filter\..*\.(?:clean|process)$/s, triggers: ['content'], isHarmless: (value) => KNOWN_FILTER.test(value) },
  {
    key: /^filter\..*\.smudge$/s,
    triggers: ['content', 'diff', 'archive'],
    isHarmless: (value) => KNOWN_FILTER.test(value),
  },
  {
    key: /^lfs\.(?:customtransfer\..*\.path|extension\..*\.(?:clean|smudge))$/s,
    triggers: ['content', 'diff', 'network'],
  },
  {
    key: /^diff\.external$|^diff\..*\.(?:command|textconv)$/s,
    triggers: ['diff'],
    isHarmless: (value) => KNOWN_DIFF.test(value),
  },
  {
    key: /^gpg\.(?:program|(?:.*\.)?program|ssh\.defaultkeycommand)$/s,
    triggers: ['signature'],
    isHarmless: (value) => GPG.test(value),
  },
  { key: /^core\.sshcommand$/, triggers: ['network'], isHarmless: (value) => SSH.test(value) },
  {
    key: /^core\.(?:gitproxy|askpass|alternaterefscommand)$/,
    triggers: ['network'],
    isHarmless: (value) => value === '',
  },
  { key: /^credential\.(?:.*\.)?helper$/s, triggers: ['network'], isHarmless: (value) => HELPER.test(value) },
  {
    key: /^protocol\.(?:ext\.)?allow$/,
    triggers: ['network'],
    isHarmless: (value) => value === 'never' || value === 'user',
  },
  { key: /^remote\..*\.(?:url|pushurl)$/s, triggers: ['network'], isHarmless: isPlainAddress },
  { key: /^remote\..*\.(?:uploadpack|receivepack|vcs)$/s, triggers: ['network'] },
  { key: /^branch\..*\.remote$/s, triggers: ['network'], isHarmless: isPlainAddress },
  { key: /^submodule\..*\.url$/s, triggers: ['network', 'submodule'], isHarmless: isPlainAddress },
  { key: /^submodule\..*\.update$/s, triggers: ['submodule'], isHarmless: (value) => !value.startsWith('!') },
  { key: /^core\.editor$|^sequence\.editor$/, triggers: ['editor'], isHarmless: (value) => EDITOR.test(value) },
  {
    key: /^merge\..*\.driver$/s,
    triggers: ['merge'],
    isHarmless: (value) => /^(?:true|git merge-file [-% \w]*)$/.test(value),
  },
  {
    key: /^tar\..*\.command$/s,
    triggers: ['archive'],
    isHarmless: (value) => /^(?:gzip|bzip2|xz|zstd)(?: -[\dcn]+)*$/.test(value),
  },
  { key: /^(?:man|browser)\..*\.(?:cmd|path)$/s, triggers: ['help'] },
  // They choose a browser, Emacs or another viewer, and the page that it opens.
  { key: /^(?:help\.browser|web\.browser|help\.htmlpath)$/, triggers: ['help'] },
  { key: /^(?:man\.viewer|help\.format)$/, triggers: ['help'], isHarmless: (value) => /^(?:man|info)$/.test(value) },
  // `log` and `diff` run git in folders that are submodules only in an old commit.
  { key: /^diff\.submodule$/, triggers: ['diff'], isHarmless: (value) => value === 'short' },
  {
    key: /^interactive\.difffilter$/,
    triggers: ['interactive'],
    isHarmless: (value) => /^(?:delta|diff-so-fancy)(?: --color-only)?$/.test(value),
  },
  { key: /^(?:difftool|mergetool|guitool)\..*\.(?:cmd|path)$/s, triggers: ['tool'] },
  { key: /^trailer\..*\.(?:command|cmd)$/s, triggers: ['trailer'] },
  {
    key: /^(?:sendemail\.(?:.*\.)?(?:smtpserver|tocmd|cccmd|headercmd|sendmailcmd)|imap\.tunnel)$/s,
    triggers: ['mail'],
  },
]);

/** `url.<base>.insteadOf`: the base is executed, so the subsection is the value. */
const INSTEAD_OF = /^(?:insteadof|pushinsteadof)$/;

export function keyOf({ section, subsection, name }: LocatedSetting): string {
  return subsection === null ? `${section}.${name}` : `${section}.${subsection}.${name}`;
}

/** What would start the program that a setting names; `[]` if it names none, or a harmless one. */
export function listTriggers(setting: LocatedSetting): readonly Trigger[] {
  if (setting.section === 'url' && INSTEAD_OF.test(setting.name))
    return RUNS_TRANSPORT.test(setting.subsection ?? '') ? ['network', 'submodule'] : [];
  const key = keyOf(setting);
  const row = rows().find((each) => each.key.test(key));
  // A name without a value means `true`.
  if (row === undefined || row.isHarmless?.(setting.value?.trim() ?? 'true') === true) return [];
  if (setting.value === null && !IS_SWITCH.test(key)) return [];
  return row.triggers;
}

const IS_SWITCH = /^(?:core\.splitindex|diff\..*\.cachetextconv)$/s;

const ALL: readonly Trigger[] = [
  'index',
  'content',
  'diff',
  'signature',
  'network',
  'editor',
  'merge',
  'archive',
  'help',
  'interactive',
  'tool',
  'trailer',
  'submodule',
  'mail',
  'pager',
  'alias',
];

/** They read names and objects only: no index, no files, no diffs. */
const QUIET =
  wordSet(`rev-parse branch remote config show-ref for-each-ref ls-tree rev-list merge-base name-rev version var count-objects
  symbolic-ref check-ref-format check-mailmap get-tar-commit-id verify-pack show-index bugreport`);
/** Those of them that print names and settings, and need no object. */
const NEEDS_NO_OBJECT = wordSet('remote config version var symbolic-ref check-ref-format show-index');
const BARE_WORD = /^(?:-.*|[\w./@-]+)$/;
const LISTS_NAMES = wordSet('-a --all -r --remotes -l --list --show-current --no-color');

const WORK_TREE: readonly Trigger[] = ['index', 'content'];
export const SHOWING: readonly Trigger[] = ['index', 'content', 'diff', 'signature'];

const bySubcommand = once(
  (): Readonly<Record<string, readonly Trigger[]>> => ({
    status: WORK_TREE,
    describe: WORK_TREE,
    'ls-files': WORK_TREE,
    'check-ignore': WORK_TREE,
    'check-attr': WORK_TREE,
    'update-index': WORK_TREE,
    'hash-object': WORK_TREE,
    clean: WORK_TREE,
    rm: WORK_TREE,
    mv: WORK_TREE,
    fsck: WORK_TREE,
    'sparse-checkout': WORK_TREE,
    add: [...WORK_TREE, 'interactive', 'diff', 'editor'],
    diff: SHOWING,
    log: SHOWING,
    show: SHOWING,
    reflog: SHOWING,
    shortlog: SHOWING,
    whatchanged: SHOWING,
    blame: SHOWING,
    annotate: SHOWING,
    grep: SHOWING,
    'cat-file': SHOWING,
    'diff-tree': SHOWING,
    'diff-index': SHOWING,
    'diff-files': SHOWING,
    'format-patch': SHOWING,
    'range-diff': SHOWING,
    'show-branch': SHOWING,
    cherry: SHOWING,
    'verify-commit': ['signature'],
    'verify-tag': ['signature'],
    tag: ['signature', 'editor'],
    notes: ['editor'],
    worktree: [...WORK_TREE],
    bisect: [...WORK_TREE, 'diff'],
    archive: ['archive', 'content', 'network'],
    help: ['help'],
    'ls-remote': ['network'],
    stash: [...SHOWING, 'merge', 'interactive'],
    submodule: [...WORK_TREE, 'network', 'submodule'],
    'merge-tree': ['merge', 'content'],
    'interpret-trailers': ['trailer'],
  }),
);

/** These connect to the remote only with some of their subcommands. */
const REMOTE_WORDS = new Set(['show', 'update', 'prune', 'add', 'set-head']);

/** Actions that a git command may trigger. An unknown subcommand may trigger all. */
export function triggersOfCommand({ invocation, argv }: CommandFact): ReadonlySet<Trigger> {
  const path = invocation?.path ?? ['git'];
  const operands = invocation?.operands ?? [null];
  const triggers = triggersOfWords(path, operands);
  // `git log --help`, `git --help log` and `git -h log` are `git help log`.
  const isHelp = argv.some((word) => word === null || word === '--help');
  const isHelpBefore = invocation?.leading.some(({ names }) => names.includes('-h') || names.includes('--help'));
  const mayHelp = path.length > 1 && (isHelp || isHelpBefore === true);
  const isUnpaged = invocation?.leading.some(({ names }) => names.includes('--no-pager') || names.includes('-P'));
  const pages = path.length > 1 && path[1] !== 'version' && isUnpaged !== true;
  return new Set<Trigger>([
    ...triggers,
    ...(mayHelp ? (['help'] as const) : []),
    ...(pages ? (['pager'] as const) : []),
    ...(mayBeAlias(path[1]) ? (['alias'] as const) : []),
  ]);
}

function triggersOfWords(path: readonly string[], operands: readonly (string | null)[]): readonly Trigger[] {
  const [, subcommand] = path;
  if (subcommand === undefined) return operands.length === 0 ? [] : ALL;
  const next = path[2] ?? operands[0];
  if (subcommand === 'remote' && next !== undefined && (next === null || REMOTE_WORDS.has(next))) return ['network'];
  if (subcommand === 'branch' && operands.length > 0) return ['editor'];
  if (subcommand === 'stash' && next === 'list') return SHOWING;
  if (subcommand === 'submodule' && next === 'status') return WORK_TREE;
  if (QUIET.has(subcommand)) return [];
  return Object.hasOwn(bySubcommand(), subcommand) ? (bySubcommand()[subcommand] ?? ALL) : ALL;
}

/** A command without actions may still need objects, which a partial clone fetches if they are missing. */
export function mayNeedObjects({ invocation, argv }: CommandFact): boolean {
  const subcommand = invocation?.path[1];
  if (subcommand === undefined || NEEDS_NO_OBJECT.has(subcommand)) return false;
  const rest = argv.slice(argv.indexOf(subcommand) + 1);
  // `HEAD` and `--show-toplevel` need none; `HEAD:f` and `main~2` do.
  if (subcommand === 'rev-parse') return !rest.every((word) => word !== null && BARE_WORD.test(word));
  if (subcommand === 'branch') return !rest.every((word) => word !== null && LISTS_NAMES.has(word));
  return subcommand !== 'show-ref' || rest.some((word) => word === null || /^-.*d/.test(word));
}

/** In a partial clone, anything that needs an object may fetch it from the remote. */
export function isPartialClone(settings: readonly LocatedSetting[]): boolean {
  return settings.some(
    ({ section, name, value }) =>
      (section === 'extensions' && name === 'partialclone') ||
      (section === 'remote' &&
        (name === 'partialclonefilter' || (name === 'promisor' && !/^(?:false|no|off|0)$/i.test(value ?? '')))),
  );
}
