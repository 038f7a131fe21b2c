// Programs whose output can only be numbers or hashes, by name or by name and subcommand: rows of data.
// Anything that a row does not allow means that the output is any text. Error messages do not count: they go to stderr.

/**
 * - `count` digits and blanks, as `wc -l` prints them
 * - `number` the same with signs and points
 * - `hash` names of commits and other objects: never starts with `-`
 * - `same` the input, or a part of it
 */
export type OutputForm = 'count' | 'number' | 'hash' | 'same';

export interface OutputRow {
  readonly form: OutputForm;
  /** Options of which one is required, and those that are allowed. */
  readonly needs?: string;
  readonly allows?: string;
  /** The allowed values of options. */
  readonly values?: Readonly<Record<string, RegExp>>;
  /** How many operands are allowed, and their form; operands of `-e` and the like count as one. */
  readonly operands?: readonly [least: number, most: number];
  readonly looksLike?: RegExp;
}

const DATE_PART = '%[-_0]?[sYmdHMSjuwygGVUC]';
const SEARCH_COUNT: OutputRow = {
  form: 'count',
  needs: '-c --count',
  allows: '-c --count -i -v -w -x -E -F -P -G -s -a --ignore-case --invert-match --word-regexp',
  operands: [1, 2],
};
const REVISION = /^(?!-)[\w./@^~{}-]+$/;

export const OUTPUT_ROWS: Readonly<Record<string, OutputRow>> = {
  wc: { form: 'count', allows: '-l -c -m -w -L --lines --bytes --chars --words --max-line-length', operands: [0, 0] },
  nproc: { form: 'count', allows: '--all --ignore', operands: [0, 0] },
  date: {
    form: 'count',
    allows: '-u --utc -d --date -r --reference',
    operands: [1, 1],
    looksLike: new RegExp(`^\\+${DATE_PART}(?:[ :./]?${DATE_PART})*$`),
  },
  id: { form: 'count', needs: '-u -g --user --group', allows: '-u -g -r --user --group --real', operands: [0, 1] },
  grep: SEARCH_COUNT,
  egrep: SEARCH_COUNT,
  fgrep: SEARCH_COUNT,
  pgrep: { form: 'count', needs: '-c --count', allows: '-c --count -f -x -u -l --full --exact', operands: [0, 1] },
  stat: {
    form: 'number',
    needs: '-c --format',
    allows: '-c --format -L --dereference',
    values: { '-c': /^%[sYXZugaihbBo]$/ },
    operands: [1, 1],
  },
  seq: { form: 'count', allows: '-w --equal-width', operands: [1, 3], looksLike: /^\d+$/ },
  tput: { form: 'number', operands: [1, 1], looksLike: /^(?:cols|lines|colors)$/ },
  'git rev-list': { form: 'count', needs: '--count', allows: '*', operands: [0, 99] },
  'git rev-parse': { form: 'hash', allows: '--verify -q --quiet --short', operands: [1, 1], looksLike: REVISION },
  'git merge-base': { form: 'hash', allows: '-a --all --octopus', operands: [1, 9], looksLike: REVISION },
  head: { form: 'same', allows: '-n --lines -NUMBER -c --bytes', operands: [0, 0] },
  tail: { form: 'same', allows: '-n --lines -NUMBER -c --bytes', operands: [0, 0] },
  sort: { form: 'same', allows: '-n -r -u -g --numeric-sort --reverse --unique', operands: [0, 0] },
  uniq: { form: 'same', operands: [0, 0] },
  tac: { form: 'same', operands: [0, 0] },
  cat: { form: 'same', operands: [0, 0] },
  tr: { form: 'same', needs: '-d --delete', allows: '-d --delete', operands: [1, 1] },
  xargs: { form: 'same', operands: [0, 0] },
};
