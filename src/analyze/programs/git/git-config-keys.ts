// Git's settings, from `-c key=value`, `clone -c` and `git config`: what each may run or contact (git-config(1)).
// Only settings listed as harmless keep a command read-only; one that is in no list counts as unknown.

import type { ExecuteKind, WordValue } from '../../../core/facts.ts';
import { type EffectSink, literal, literalWord } from '../program.ts';
import { afterHead, headOf } from '../words/wrapper-words.ts';
import { isFormatHarmless } from './git-history.ts';

/**
 * - `shell` its value is shell text that git runs; `program` a program; `hook` it opens another way to run code
 * - `pager` `editor` `helper` `monitor` as `shell`, but with values that disable it
 * - `switch` runs code unless it is false; `format` a format that may verify signatures
 * - `network` it selects the hosts that are contacted
 */
type Kind =
  | 'harmless'
  | 'shell'
  | 'program'
  | 'hook'
  | 'pager'
  | 'editor'
  | 'helper'
  | 'monitor'
  | 'switch'
  | 'format'
  | 'network'
  | 'alias';

// `*` stands for one subsection, which may itself contain dots; `name.**` for everything below.
const KEYS: Readonly<Record<Exclude<Kind, 'harmless'>, string>> = {
  shell: [
    'core.sshcommand core.alternaterefscommand diff.external diff.*.command diff.*.textconv',
    'filter.*.clean filter.*.smudge filter.*.process merge.*.driver mergetool.*.cmd difftool.*.cmd',
    'gpg.ssh.defaultkeycommand uploadpack.packobjectshook interactive.difffilter gc.recentobjectshook',
    'remote.*.uploadpack remote.*.receivepack browser.*.cmd man.*.cmd guitool.*.cmd trailer.*.command trailer.*.cmd',
    'tar.*.command imap.tunnel hook.*.command sendemail.sendmailcmd sendemail.tocmd sendemail.cccmd',
    'sendemail.headercmd sendemail.*.sendmailcmd sendemail.*.tocmd sendemail.*.cccmd sendemail.*.headercmd',
  ].join(' '),
  program: [
    'gpg.program gpg.*.program core.askpass core.gitproxy mergetool.*.path difftool.*.path browser.*.path man.*.path',
    'web.browser help.browser man.viewer instaweb.httpd instaweb.browser remote.*.vcs merge.tool merge.guitool',
    'diff.tool diff.guitool sendemail.smtpserver sendemail.*.smtpserver core.virtualfilesystem',
  ].join(' '),
  hook: [
    'core.hookspath init.templatedir include.path includeif.*.path protocol.allow protocol.*.allow submodule.*.update',
    'core.worktree core.attributesfile commit.template pull.twohead pull.octopus branch.*.mergeoptions sendemail.**',
    'lfs.** extensions.** receive.** uploadpack.** instaweb.** guitool.** hook.** safe.directory safe.barerepository',
  ].join(' '),
  pager: 'core.pager pager.*',
  editor: 'core.editor sequence.editor',
  helper: 'credential.helper credential.*.helper',
  monitor: 'core.fsmonitor',
  switch: 'commit.gpgsign tag.gpgsign tag.forcesignannotated push.gpgsign log.showsignature merge.verifysignatures',
  format: 'format.pretty pretty.*',
  network: [
    'http.proxy http.*.proxy remote.*.proxy url.*.insteadof url.*.pushinsteadof remote.*.url remote.*.pushurl',
    'submodule.*.url http.curloptresolve http.*.curloptresolve bundle.*.uri fetch.bundleuri remote.pushdefault',
    'branch.*.remote branch.*.pushremote http.sslverify http.*.sslverify http.extraheader http.*.extraheader',
  ].join(' '),
  alias: 'alias.**',
};

const HARMLESS = [
  'color.** column.** advice.** i18n.** grep.** status.** user.name user.email author.name author.email',
  'committer.name committer.email core.quotepath core.abbrev core.autocrlf core.eol core.safecrlf core.filemode',
  'core.ignorecase core.precomposeunicode core.longpaths core.commentchar core.commentstring core.whitespace',
  'core.preloadindex core.symlinks core.compression core.bigfilethreshold core.usereplacerefs core.checkstat',
  'core.trustctime core.warnambiguousrefs core.commitgraph core.multipackindex core.logallrefupdates core.notesref',
  'diff.algorithm diff.renames diff.renamelimit diff.noprefix diff.mnemonicprefix diff.colormoved diff.colormovedws',
  'diff.context diff.interhunkcontext diff.submodule diff.ignoresubmodules diff.indentheuristic diff.wordregex',
  'diff.wserrorhighlight diff.dirstat diff.statgraphwidth diff.statnamewidth diff.relative diff.suppressblankempty',
  'diff.autorefreshindex diff.srcprefix diff.dstprefix diff.*.xfuncname diff.*.binary diff.*.wordregex',
  'log.date log.decorate log.abbrevcommit log.follow log.showroot log.mailmap log.graphcolors',
  'log.initialdecorationset log.excludedecoration blame.date blame.coloring blame.showemail blame.showroot',
  'blame.blankboundary blame.markunblamablelines blame.markignoredlines branch.sort tag.sort versionsort.suffix',
  'branch.autosetupmerge branch.autosetuprebase branch.*.rebase branch.*.merge branch.*.description',
  'init.defaultbranch pull.rebase pull.ff push.default push.autosetupremote push.followtags push.useforceifincludes',
  'fetch.prune fetch.prunetags fetch.parallel fetch.output fetch.showforcedupdates fetch.writecommitgraph',
  'merge.conflictstyle merge.ff merge.renames merge.renamelimit merge.directoryrenames merge.log merge.stat',
  'merge.autostash merge.verbosity rebase.autostash rebase.autosquash rebase.stat rebase.updaterefs',
  'rebase.missingcommitscheck rerere.enabled rerere.autoupdate commit.verbose commit.status commit.cleanup',
  'gc.auto gc.autodetach gc.autopacklimit gc.pruneexpire maintenance.auto clean.requireforce stash.showpatch',
  'stash.showstat stash.showincludeuntracked checkout.defaultremote checkout.guess checkout.workers index.threads',
  'pack.threads pack.window pack.depth submodule.recurse submodule.fetchjobs http.version http.postbuffer',
  'http.lowspeedlimit http.lowspeedtime transfer.fsckobjects fetch.fsckobjects protocol.version',
  'credential.interactive credential.usehttppath worktree.guessremote user.signingkey',
].join(' ');

let kinds: Map<string, Kind> | null = null;

/** Built on the first setting: most commands have none. */
function kindsOfKeys(): ReadonlyMap<string, Kind> {
  if (kinds !== null) return kinds;
  kinds = new Map(HARMLESS.split(' ').map((key) => [key, 'harmless']));
  for (const [kind, keys] of Object.entries(KEYS)) for (const key of keys.split(' ')) kinds.set(key, kind as Kind);
  return kinds;
}

// Sections and variables ignore case; subsections do not, but no entry names one.
function kindOf(key: string): Kind | null {
  const lower = key.toLowerCase();
  const first = lower.indexOf('.');
  const last = lower.lastIndexOf('.');
  if (first <= 0 || last === lower.length - 1) return null;
  const section = lower.slice(0, first);
  const known = kindsOfKeys();
  const below = first === last ? null : known.get(`${section}.*.${lower.slice(last + 1)}`);
  return known.get(lower) ?? below ?? known.get(`${section}.*`) ?? known.get(`${section}.**`) ?? null;
}

const FALSE = /^(false|no|off|0|)$/i;
const TRUE = /^(true|yes|on|1)$/i;

export type Effect = 'harmless' | 'unknown' | 'network' | 'alias' | ExecuteKind;

/** What a setting may do; `value` is `null` if the key has no value, which means true. */
export function judgeSetting(key: string, value: WordValue | null): Effect {
  const kind = kindOf(key);
  const text = value === null ? 'true' : literal(value);
  switch (kind) {
    case null:
      return 'unknown';
    case 'pager':
      return text !== null && (FALSE.test(text) || TRUE.test(text) || text === 'cat') ? 'harmless' : 'shell';
    case 'editor':
      return text !== null && /^(true|:|cat|)$/.test(text) ? 'harmless' : 'shell';
    case 'helper':
      return text === '' ? 'harmless' : text?.startsWith('!') ? 'shell' : 'program';
    case 'monitor':
      return text !== null && FALSE.test(text) ? 'harmless' : 'shell';
    case 'switch':
      return text !== null && FALSE.test(text) ? 'harmless' : 'hook';
    case 'format':
      return isFormatHarmless(value) ? 'harmless' : 'hook';
    default:
      return kind;
  }
}

export interface Setting {
  readonly key: string;
  readonly value: WordValue | null;
}

/** `key=value` in one word; `null` if the key is unknown. */
export function readSetting(word: WordValue): Setting | null {
  const head = headOf(word);
  const equals = head.indexOf('=');
  if (equals >= 0) return { key: head.slice(0, equals), value: afterHead(word, equals + 1) };
  return word.kind === 'literal' ? { key: word.value, value: null } : null;
}

/** A setting that applies while the command runs. */
export function reportSetting(word: WordValue, sink: EffectSink, via: string): void {
  const setting = readSetting(word);
  if (setting === null) sink.unknown(`${via} with an unknown setting`);
  else applySetting(setting, sink, via);
}

export function applySetting({ key, value }: Setting, sink: EffectSink, via: string): void {
  const effect = judgeSetting(key, value);
  switch (effect) {
    case 'harmless':
      return;
    case 'unknown':
      sink.unknown(`${via} with the setting ${key}, whose effect is unknown`);
      return;
    case 'network':
      // Reading from a named host is harmless, but not if a setting redirects it.
      sink.network();
      sink.unknown(`${via} decides which host is contacted`);
      return;
    case 'alias':
      sink.executes('hook', value);
      return;
    case 'shell':
      sink.executes('shell', value);
      reportShellText(value, sink, via);
      return;
    default:
      sink.executes(effect, value);
  }
}

// The text is also parsed as shell code, so that rules see its content.
function reportShellText(value: WordValue | null, sink: EffectSink, via: string): void {
  const text = literal(value ?? undefined);
  if (text === null || value === null) return;
  const code = text.replace(/^!/, '');
  if (code !== '' && !TRUE.test(code)) sink.shell(literalWord(code, value), via, { shell: 'sh' });
}
