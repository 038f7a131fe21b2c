// Options that git's revision walker and diff machinery share (git-rev-list(1), git-diff(1)), as parts of a row.
// Arity matters: if only this table thought that an option takes `--output=f` as its value, it would hide a write.

import type { CommandSpec, OptionForm } from '../spec.ts';
import { joined } from '../tool-rows.ts';

const WALK_FLAGS = [
  '--merges --no-merges --first-parent --exclude-first-parent-only --not --all --reflog --alternate-refs',
  '--single-worktree --ignore-missing --stdin --cherry-mark --cherry-pick --left-only --right-only --cherry',
  '-g --walk-reflogs --merge --boundary --simplify-by-decoration --show-pulls --full-history --dense --sparse',
  '--simplify-merges --date-order --author-date-order --topo-order --reverse --do-walk --abbrev-commit',
  '--no-abbrev-commit --no-abbrev --oneline --no-notes --standard-notes --no-standard-notes --relative-date',
  '--parents --children --left-right --graph --no-graph --follow --no-follow --full-diff --log-size --all-match',
  '--invert-grep -i --regexp-ignore-case --basic-regexp -E --extended-regexp -F --fixed-strings -P --perl-regexp',
  '--remove-empty --no-min-parents --no-max-parents --bisect --no-expand-tabs -c --cc --dd -m -t -r --root',
  '--no-commit-id --always --combined-all-paths --no-diff-merges --no-show-signature --end-of-options -h --help',
].join(' ');

const WALK_VALUES = [
  '-n --max-count --skip --since --after --since-as-filter --until --before --max-age --min-age --author --committer',
  '--grep-reflog --grep --glob --exclude --exclude-hidden --encoding --date --default',
].join(' ');

// Written `--option=value` or alone: the next word is never their value.
const WALK_OPTIONAL = [
  '--min-parents --max-parents --branches --tags --remotes --ancestry-path --no-walk --expand-tabs --notes',
  '--show-notes --show-linear-break',
].join(' ');

const DIFF_FLAGS = [
  '-p -u --patch -s --no-patch --raw --patch-with-raw --patch-with-stat --numstat --shortstat --cumulative --summary',
  '--compact-summary --no-compact-summary -z --name-only --name-status --no-color --no-color-moved',
  '--no-color-moved-ws --check --full-index --no-full-index --binary --find-copies-harder --no-renames',
  '--rename-empty --no-rename-empty -D --irreversible-delete --minimal --no-minimal --patience --histogram',
  '--indent-heuristic --no-indent-heuristic --pickaxe-all --pickaxe-regex -R --no-relative -a --text --no-text',
  '--ignore-cr-at-eol --ignore-space-at-eol -b --ignore-space-change -w --ignore-all-space --ignore-blank-lines',
  '-W --function-context --no-function-context --exit-code --quiet --no-ext-diff --no-textconv --no-prefix',
  '--default-prefix --ita-invisible-in-index --ita-visible-in-index',
].join(' ');

const DIFF_VALUES = [
  '--output-indicator-new --output-indicator-old --output-indicator-context --anchored --diff-algorithm --stat-width',
  '--stat-name-width --stat-graph-width --stat-count --color-moved-ws --word-diff-regex --ws-error-highlight -l',
  '--diff-filter -S -G --find-object --skip-to --rotate-to -I --ignore-matching-lines --inter-hunk-context',
  '--src-prefix --dst-prefix --line-prefix',
].join(' ');

const DIFF_OPTIONAL = [
  '-U --unified --stat -X --dirstat --dirstat-by-file --submodule --color --color-moved --word-diff --color-words',
  '--abbrev -B --break-rewrites -M --find-renames -C --find-copies --relative --ignore-submodules',
].join(' ');

const EFFECTS: Readonly<Record<string, OptionForm>> = {
  '--pretty --format': 'value?',
  '--output': 'write',
  '-O': 'read',
  '--diff-merges': 'value',
  '--ext-diff': '+hook',
  '--textconv': '+hook',
  '--show-signature': '+hook',
  // Merges again to compare, with the merge drivers that attributes and configuration name.
  '--remerge-diff': '+hook',
};

/** Meanings specific to a command; they override the shared ones. */
export interface OwnOptions {
  readonly flags?: string;
  readonly values?: string;
  readonly optional?: string;
  readonly options?: Readonly<Record<string, OptionForm>>;
}

type HistoryParts = Pick<CommandSpec, 'style' | 'exactLong' | 'numeric' | 'flags' | 'values' | 'optional' | 'options'>;

export function historyOptions(own: OwnOptions = {}): HistoryParts {
  const taken = new Set(
    joined(own.flags, own.values, own.optional, ...Object.keys(own.options ?? {}))
      .split(' ')
      .filter(Boolean),
  );
  const rest = (list: string): string =>
    list
      .split(' ')
      .filter((name) => !taken.has(name))
      .join(' ');
  const shared = Object.entries(EFFECTS).filter(([names]) => !names.split(' ').some((name) => taken.has(name)));
  return {
    exactLong: true,
    numeric: true,
    flags: joined(own.flags, rest(WALK_FLAGS), rest(DIFF_FLAGS)),
    values: joined(own.values, rest(WALK_VALUES), rest(DIFF_VALUES)),
    optional: joined(own.optional, rest(WALK_OPTIONAL), rest(DIFF_OPTIONAL)),
    options: { ...Object.fromEntries(shared), ...own.options },
  };
}
