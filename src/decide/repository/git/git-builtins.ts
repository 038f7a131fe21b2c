// Names of git subcommands → whether an alias of the repository can use them.

import { wordSet } from '../../../core/values/once.ts';

/** Built-in commands of every git of recent years: an alias cannot use their names. */
const BUILT_IN =
  wordSet(`add am annotate apply archive bisect blame branch bugreport bundle cat-file check-attr check-ignore check-mailmap
  check-ref-format checkout checkout-index cherry cherry-pick clean clone column commit commit-graph commit-tree config
  count-objects credential credential-cache credential-store describe diff diff-files diff-index diff-tree difftool
  fast-export fast-import fetch fetch-pack fmt-merge-msg for-each-ref for-each-repo format-patch fsck fsck-objects gc
  get-tar-commit-id grep hash-object help index-pack init init-db interpret-trailers log ls-files ls-remote ls-tree mailinfo
  mailsplit maintenance merge merge-base merge-file merge-index merge-tree mktag mktree multi-pack-index mv name-rev notes
  pack-objects pack-refs patch-id prune prune-packed pull push range-diff read-tree rebase receive-pack reflog remote repack
  replace rerere reset restore rev-list rev-parse revert rm send-pack shortlog show show-branch show-index show-ref
  sparse-checkout stage stash status stripspace submodule switch symbolic-ref tag unpack-file unpack-objects update-index
  update-ref update-server-info upload-archive upload-pack var verify-commit verify-pack verify-tag version worktree
  write-tree`);

/** A program that may not be installed, or a command of a newer git: an alias of this name would run instead. */
export function mayBeAlias(subcommand: string | undefined): boolean {
  return subcommand !== undefined && !BUILT_IN.has(subcommand);
}
