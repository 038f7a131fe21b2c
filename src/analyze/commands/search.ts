// Programs that search text or files: rows of data, one per command.
// Analyzers handle the commands that they run on a match (`find -exec`, `fd -x`).

import type { CommandFamily } from './spec.ts';

export const search: CommandFamily = {
  grep: {
    summary: 'search text',
    class: 'search',
    numeric: true,
    flags:
      '-E --extended-regexp -F --fixed-strings --fixed-regexp -G --basic-regexp -P --perl-regexp -i -y --ignore-case --no-ignore-case -w --word-regexp -x --line-regexp -z --null-data -s --no-messages -v --invert-match -V --version --help -b --byte-offset -n --line-number --line-buffered -H --with-filename -h --no-filename -o --only-matching -q --quiet --silent -a --text -I -r --recursive -R --dereference-recursive -L --files-without-match -l --files-with-matches -c --count -T --initial-tab -Z --null --no-group-separator -U --binary -u --unix-byte-offsets -O -p -S',
    values:
      '-e --regexp -m --max-count --label --binary-files -d --directories -D --devices --include --exclude --exclude-dir -A --after-context -B --before-context -C --context --group-separator',
    optional: '--color --colour',
    options: { '-f --file': 'read', '--exclude-from': 'read' },
    operands: 'value read*',
    // The pattern is not an operand if an option provides it; `-d recurse` is the same as `-r`.
    variants: [
      { has: '-e --regexp -f --file', operands: 'read/*' },
      { has: '-r --recursive -R --dereference-recursive -d --directories', operands: 'value read/*' },
    ],
    examples: {
      readOnly: [
        'grep foo f',
        'grep -rn foo src',
        "grep -rn --include='*.ts' foo .",
        'grep -e a -e b f',
        'grep -f patterns f',
        'grep "$x" f',
        'grep -A3 -B 3 x f',
        'grep -5 x f',
        "grep -oP '(?<=a)b' f",
        'grep -q x f',
      ],
      notReadOnly: ['grep --output=x foo f', 'grep foo f > out'],
    },
  },
  egrep: 'grep',
  fgrep: 'grep',
  rgrep: 'grep',
  zgrep: 'grep',
  zegrep: 'grep',
  zfgrep: 'grep',
  bzgrep: 'grep',
  bzegrep: 'grep',
  bzfgrep: 'grep',
  xzgrep: 'grep',
  xzegrep: 'grep',
  xzfgrep: 'grep',
  lzgrep: 'grep',
  rg: {
    summary: 'search text below folders',
    class: 'search',
    exactLong: true,
    flags:
      '--auto-hybrid-regex --no-auto-hybrid-regex --binary --no-binary --block-buffered --no-block-buffered -b --byte-offset --no-byte-offset -s --case-sensitive --column --no-column --no-context-separator -c --count --count-matches --crlf --no-crlf --debug --no-encoding --files -l --files-with-matches --files-without-match -F --fixed-strings --no-fixed-strings -L --follow --no-follow --glob-case-insensitive --no-glob-case-insensitive --heading --no-heading -h --help -. --hidden --no-hidden -i --ignore-case --ignore --ignore-dot --ignore-exclude --ignore-files --ignore-global --ignore-messages --ignore-parent --ignore-vcs --ignore-file-case-insensitive --no-ignore-file-case-insensitive --include-zero --no-include-zero -v --invert-match --no-invert-match --json --no-json --line-buffered --no-line-buffered -n --line-number -x --line-regexp --max-columns-preview --no-max-columns-preview --messages --mmap --no-mmap -U --multiline --no-multiline --multiline-dotall --no-multiline-dotall --no-config -I --no-filename --no-ignore --no-ignore-dot --no-ignore-exclude --no-ignore-files --no-ignore-global --no-ignore-messages --no-ignore-parent --no-ignore-vcs -N --no-line-number --no-messages --no-pcre2-unicode --pcre2-unicode --no-require-git --require-git --no-unicode --unicode -0 --null --null-data --one-file-system --no-one-file-system -o --only-matching --passthru --passthrough -P --pcre2 --no-pcre2 --pcre2-version --no-pre -p --pretty -q --quiet -z --search-zip --no-search-zip -S --smart-case --sort-files --no-sort-files --stats --no-stats --stop-on-nonmatch -a --text --no-text --trace --trim --no-trim --type-list -u --unrestricted -V --version --vimgrep -H --with-filename -w --word-regexp',
    values:
      '-A --after-context -B --before-context -C --context --color --colors --context-separator --dfa-size-limit -E --encoding --engine --field-context-separator --field-match-separator --generate -g --glob --hyperlink-format --iglob -M --max-columns -m --max-count -d --max-depth --maxdepth --max-filesize --path-separator --pre-glob --regex-size-limit -e --regexp -r --replace --sort --sortr -j --threads -t --type -T --type-not --type-add --type-clear',
    options: {
      '-f --file': 'read',
      '--ignore-file': 'read',
      // Runs on every file that is searched.
      '--pre': 'program',
      '--hostname-bin': 'program',
    },
    operands: 'value read/*',
    variants: [
      { has: '-e --regexp -f --file --files', operands: 'read/*' },
      { has: '--type-list -V --version -h --help --pcre2-version --generate', operands: 'value*' },
    ],
    program: 'rg',
    examples: {
      readOnly: [
        'rg foo',
        'rg -n "a|b" src',
        'rg --files -g "*.ts"',
        'rg -e a -e b src',
        'rg -uu -tjs foo',
        "rg -l 'x' --glob '!dist'",
        'rg --type-list',
        'rg -A3 -B 3 foo -- src',
        'rg -r y x f',
      ],
      notReadOnly: [
        'rg --pre ./x foo',
        'rg --pre=./x foo',
        'rg --hostname-bin=./x --hyperlink-format=file foo',
        'rg "$x" src',
        'rg $x',
      ],
    },
  },
  ag: {
    summary: 'search text below folders',
    class: 'search',
    flags:
      '--ackmate --no-ackmate -c --count --color --no-color --nocolor --column --no-column --nocolumn --filename --no-filename --nofilename -H --heading --no-heading --noheading -l --files-with-matches -L --files-without-matches --files-without-match -0 --null --print0 --no-numbers --nonumbers --numbers -o --only-matching --print-all-files --passthrough --passthru --silent --stats --stats-only --vimgrep --group --no-group --nogroup --break --no-break --nobreak -a --all-types -D --debug -f --follow --no-follow --nofollow -F --fixed-strings -Q --literal --hidden -i --ignore-case -s --case-sensitive -S --smart-case --search-binary -t --all-text --one-device -u --unrestricted -U --skip-vcs-ignores -v --invert-match -w --word-regexp -z --search-zip --list-file-types --multiline --no-multiline --nomultiline -r --recurse -R -n --norecurse --no-recurse --mmap --nommap --affinity --no-affinity --noaffinity --print-long-lines --nopager --no-pager --help --version -V -h',
    values:
      '-A --after -B --before -C --context --depth -G --file-search-regex -g --ignore --ignore-dir -m --max-count -W --width --workers --color-line-number --color-match --color-path',
    options: { '-p --path-to-ignore': 'read', '--pager': 'shell' },
    operands: 'value read/*',
    variants: [{ has: '-g', operands: 'read/*' }],
    examples: {
      readOnly: ['ag foo', 'ag -l foo src', 'ag -g pattern src'],
      notReadOnly: ['ag --pager=./x foo', "ag --pager 'sh -c ./x' foo"],
    },
  },
  ack: {
    summary: 'search text below folders',
    class: 'search',
    exactLong: true,
    flags:
      '-c --count --color --nocolor --colour --nocolour --column --nocolumn --break --nobreak --group --nogroup --heading --noheading -h --no-filename -H --with-filename -i --ignore-case -I --no-ignore-case -S --smart-case --nosmart-case --no-smart-case -l --files-with-matches -L --files-without-matches -n --no-recurse --recurse -r -R -o -Q --literal -s -v --invert-match -w --word-regexp --passthru --passthrough --print0 --proximate --follow --nofollow --sort-files --nofilter --filter -f --show-types --help --help-types --help-colors --version --env --noenv --dump --noignore-dir --noignore-directory --nopager --underline --nounderline -1 -k --known-types --bar --cathy --thpppt',
    values:
      '-A --after-context -B --before-context --color-filename --color-match --color-colno --color-lineno -g -m --max-count --match --ignore-dir --ignore-directory --ignore-file --type -t -T --lines --range-start --range-end --not --and --or --type-add --type-set --type-del',
    optional: '-C --context',
    options: {
      '--pager': 'shell',
      '--files-from': 'read',
      '--ackrc': 'hook',
      // Old versions evaluate it as Perl.
      '--output': 'code',
      '--create-ackrc': '+unknown',
    },
    operands: 'value read/*',
    variants: [{ has: '-f -g --match', operands: 'read/*' }],
    examples: {
      readOnly: ['ack foo', 'ack -l foo src', 'ack -f src'],
      notReadOnly: ['ack --pager=./x foo', "ack --output='$&' foo", 'ack --ackrc=./x foo'],
    },
  },
  find: {
    summary: 'find files',
    class: 'search',
    style: 'none',
    operands: 'value*',
    program: 'find',
    examples: {
      readOnly: [
        'find',
        "find . -name '*.js' -not -path '*/node_modules/*'",
        'find src -type f -print0',
        'find . -type f -exec wc -l {} +',
        "find . \\( -name a -o -name b \\) -prune -o -type f -printf '%p\\n'",
        'find . -newer f -maxdepth 2',
        'find -L . -empty',
        "find . -name '*.ts' -exec grep -l foo {} \\;",
      ],
      notReadOnly: [
        'find . -delete',
        'find . -fprint out',
        "find . -fprintf out '%p'",
        'find . -fls out',
        'find . -exec rm {} +',
        'find . -execdir ./x \\;',
        'find . -ok rm {} \\;',
        "find . -exec sh -c 'cat {}' \\;",
        'find "$dir" -name x',
        'find . -frobnicate',
      ],
    },
  },
  gfind: 'find',
  fd: {
    summary: 'find files',
    class: 'search',
    style: 'none',
    operands: 'value*',
    program: 'fd',
    examples: {
      readOnly: ['fd foo', 'fd -e ts . src', 'fd -H -t f', 'fd -e ts -x wc -l', "fd -E node_modules '\\.js$'"],
      notReadOnly: ['fd -x rm', 'fd foo -X rm -rf', 'fd --exec sh -c ./x', 'fd -Hx ./x', 'fd --frobnicate'],
    },
  },
  fdfind: 'fd',
  locate: {
    summary: 'find files in an index',
    class: 'search',
    exactLong: true,
    flags:
      '-A --all -b --basename -c --count -e --existing -h --help -i --ignore-case -p --ignore-spaces -t --transliterate -H -L --follow -m --mmap -P --nofollow -0 --null -N --literal -S --statistics -q --quiet -r --regex -s --stdio -V --version -w --wholename -x',
    values: '-l -n --limit --regexp --regextype --max-database-age',
    options: { '-d --database': 'read' },
    operands: 'value*',
    examples: {
      readOnly: ['locate foo', 'locate -i -l 10 foo', 'locate -d db foo'],
      notReadOnly: ['locate --frobnicate'],
    },
  },
  mlocate: 'locate',
  plocate: 'locate',
  updatedb: {
    summary: 'renew the index of files',
    class: 'write',
    exactLong: true,
    flags: '-v --verbose --debug-pruning -h --help -V --version',
    values:
      '-l --require-visibility --add-prunefs --add-prunenames --add-prunepaths --add-single-prunepath --prune-bind-mounts --prunefs --prunenames --prunepaths',
    options: { '-U --database-root': 'read/', '-o --output': 'write' },
    operands: 'value*',
    does: 'change',
    variants: [{ has: '-h --help -V --version', does: '', class: 'read' }],
    examples: { readOnly: ['updatedb --version'], notReadOnly: ['updatedb', 'updatedb -o x'] },
  },
  fzf: {
    summary: 'choose lines by a fuzzy pattern',
    class: 'search',
    exactLong: true,
    flags:
      '-x --extended -e --exact --no-extended --no-exact -i --ignore-case --no-ignore-case --smart-case --literal --disabled --phony --no-sort --track --tac --read0 --sync --ansi -m --multi --no-multi --no-mouse --cycle --keep-right --no-hscroll --filepath-word --no-bold --no-unicode --black --reverse --border-label-pos -1 --select-1 -0 --exit-0 --print0 --print-query --no-clear --no-color --version -h --help',
    values:
      '-f --filter -q --query -n --nth --with-nth -d --delimiter --algo --scheme --tiebreak --tail --hscroll-off --scroll-off --jump-labels --layout --info --prompt --pointer --marker --header --header-lines --margin --padding --tabstop --color --expect --walker --walker-root --walker-skip --ellipsis --separator --border-label --style',
    optional: '--height --min-height --border --scrollbar',
    options: {
      // Lines of the input are inserted into its text.
      '--preview': 'program',
      '--preview-window': 'value',
      '--bind': 'unknown',
      '--execute --become --with-shell --tmux --popup': 'unknown',
      '--history': 'edit',
      '--listen --listen-unsafe': 'unknown?',
    },
    operands: 'value*',
    examples: {
      readOnly: ['fzf -f foo', 'fzf --filter=foo --no-sort'],
      notReadOnly: [
        "fzf --preview 'sh -c id'",
        "fzf --bind 'enter:execute(/bin/sh)'",
        "fzf --preview='cat {}'",
        'fzf --history=f',
      ],
    },
  },
};
