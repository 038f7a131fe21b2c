// The settings of one repository → whether any of them could run a program, for any git command.
// Accepts what git itself writes into new repositories and common settings for names and display; rejects everything else.

import { resolve } from 'node:path';
import { type GitSetting, parseGitConfig } from './git/git-config.ts';
import { keyOf, listTriggers } from './git/git-keys.ts';
import { isInertAddress } from './git/inert-address.ts';

/**
 * `section.key`, or `section.*.key` with a subsection; a final `*` stands for every key. The same as in native/git-inert.c:
 * test/native/inert.test.ts compares both.
 */
export const INERT_KEYS: readonly string[] = `
  core.repositoryformatversion core.filemode core.bare core.logallrefupdates core.ignorecase
  core.precomposeunicode core.symlinks core.autocrlf core.eol core.safecrlf core.abbrev core.quotepath
  core.sparsecheckout core.sparsecheckoutcone core.longpaths core.untrackedcache core.commitgraph
  core.multipackindex core.preloadindex core.splitindex core.sharedrepository core.hidedotfiles core.whitespace
  core.compression core.worktree extensions.objectformat extensions.partialclone extensions.refstorage
  extensions.compatobjectformat extensions.worktreeconfig extensions.relativeworktrees extensions.preciousobjects
  remote.*.url remote.*.pushurl remote.*.fetch remote.*.push remote.*.tagopt remote.*.prune remote.*.prunetags
  remote.*.mirror remote.*.promisor remote.*.partialclonefilter remote.*.gh-resolved remote.*.skipdefaultupdate
  remote.*.skipfetchall remote.*.followremotehead remote.pushdefault branch.*.remote branch.*.merge
  branch.*.rebase branch.*.pushremote branch.*.description branch.*.vscode-merge-base branch.*.gh-merge-base
  branch.autosetupmerge branch.autosetuprebase branch.sort submodule.*.url submodule.*.active submodule.*.branch
  submodule.*.ignore submodule.*.fetchrecursesubmodules submodule.*.update submodule.*.path submodule.*.shallow
  submodule.active submodule.recurse submodule.fetchjobs user.name user.email user.signingkey user.useconfigonly author.name author.email
  committer.name committer.email init.defaultbranch commit.gpgsign commit.verbose commit.cleanup tag.gpgsign
  tag.sort tag.forcesignannotated advice.* color.* color.*.* column.* index.* status.* rerere.* fetch.prune
  fetch.prunetags fetch.parallel fetch.recursesubmodules fetch.writecommitgraph fetch.all pull.rebase pull.ff
  push.default push.autosetupremote push.followtags push.recursesubmodules gc.auto gc.autodetach gc.pruneexpire
  gc.reflogexpire gc.worktreepruneexpire pack.threads pack.windowmemory pack.usebitmaps rebase.autosquash
  rebase.autostash rebase.updaterefs rebase.missingcommitscheck rebase.abbreviatecommands merge.conflictstyle
  merge.ff merge.renames merge.log merge.autostash merge.stat diff.algorithm diff.renames diff.colormoved
  diff.noprefix diff.mnemonicprefix diff.context log.date log.decorate log.abbrevcommit log.follow
  log.showsignature apply.whitespace lfs.repositoryformatversion lfs.*.access feature.manyfiles
  transfer.fsckobjects receive.denycurrentbranch receive.denynonfastforwards
`
  .trim()
  .split(/\s+/);

/** Worktrees of a repository read other settings files, which are not checked here. */
const REFUSED = new Set(['extensions.worktreeconfig']);
const UPDATES = new Set(['checkout', 'rebase', 'merge', 'none']);
const ADDRESSES = new Set([
  'remote.*.url',
  'remote.*.pushurl',
  'remote.pushdefault',
  'submodule.*.url',
  'branch.*.remote',
  'branch.*.pushremote',
]);

/** @param git the folder of the repository */
export function isInertConfig(text: string, git: string): boolean {
  const settings = parseGitConfig(text);
  return settings?.every((setting) => isInert(setting, git)) ?? false;
}

function isInert(setting: GitSetting, git: string): boolean {
  const { section, subsection, name, value } = setting;
  const key = keyOf({ section, subsection: subsection === null ? null : '*', name, value, line: 0, file: '' });
  if (!isKnown(key) || REFUSED.has(key) || listTriggers({ ...setting, file: '' }).length > 0) return false;
  const text = value ?? '';
  if (key === 'core.worktree') return isOwnWorktree(text, git);
  if (key === 'submodule.*.update') return UPDATES.has(text);
  return !ADDRESSES.has(key) || (!/["#;]/.test(text) && isInertAddress(text));
}

function isKnown(key: string): boolean {
  const section = key.slice(0, key.lastIndexOf('.'));
  return INERT_KEYS.includes(key) || INERT_KEYS.includes(`${section}.*`);
}

/** For a submodule: back to its folder in the same project. */
function isOwnWorktree(value: string, git: string): boolean {
  const at = git.indexOf('/.git/modules/');
  if (at <= 0 || value === '' || value.startsWith('/') || /["#;]/.test(value)) return false;
  const top = git.slice(0, at);
  const place = resolve(git, value);
  return place.startsWith(`${top}/`) && !place.startsWith(`${top}/.git`);
}
