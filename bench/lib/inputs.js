// Inputs of the benchmarks: three everyday sizes, and inputs of 10,000 characters designed to be slow.

const LIMIT = 10_000;

const script = `#!/usr/bin/env bash
set -euo pipefail
cd "$(dirname "$0")/.."
NAME=service
VERSION="\${VERSION:-$(git describe --tags --always)}"
OUT=build/$NAME
LOG=$OUT/build.log

mkdir -p "$OUT" "$OUT/assets"
: > "$LOG"

log() { printf '[%s] %s\\n' "$NAME" "$*" >> "$LOG"; }

if [[ ! -f package.json ]]; then
  echo "not a project: no package.json in $PWD" >&2
  exit 1
fi

log "building $NAME $VERSION"
for target in linux darwin; do
  # The other platforms are built elsewhere, from the same sources and with the same flags.
  GOOS=$target GOARCH=amd64 go build -trimpath -ldflags "-s -w" -o "$OUT/$NAME-$target" ./cmd/server 2>> "$LOG"
done

find assets -type f \\( -name '*.css' -o -name '*.js' \\) -not -path '*/vendor/*' -print0 \\
  | xargs -0 -I{} cp {} "$OUT/assets/"

cat > "$OUT/manifest.json" <<EOF
{ "name": "$NAME", "version": "$VERSION", "built": "$(date -u +%FT%TZ)" }
EOF

count=$(find "$OUT" -type f | wc -l)
size=$(du -sh "$OUT" | cut -f1)
log "made $count files, $size in all"

case "\${1:-}" in
  --publish)
    tar -czf "$NAME-$VERSION.tar.gz" -C build "$NAME"
    sha256sum "$NAME-$VERSION.tar.gz" > "$NAME-$VERSION.sha256"
    curl -fsS -T "$NAME-$VERSION.tar.gz" "https://artifacts.example.com/$NAME/" || { log "upload failed"; exit 2; }
    ;;
  --clean) rm -rf "$OUT" ;;
  '') ;;
  *) echo "usage: $0 [--publish|--clean]" >&2; exit 64 ;;
esac

while read -r line; do
  key=\${line%%=*}
  value=\${line#*=}
  [ -n "$key" ] && echo "$key -> $value"
done < config/defaults.env

grep -rn 'TODO' src --include='*.go' | sort | uniq -c | sort -rn | head -20 > "$OUT/todo.txt" || true
awk -F, '{ total += $3 } END { print total }' data/*.csv >> "$LOG"
sed -e 's/@VERSION@/'"$VERSION"'/g' -e '/^#/d' templates/unit.service > "$OUT/$NAME.service"
jq -r '.dependencies | to_entries[] | select(.value | startswith("^")) | [.key, .value] | @tsv' package.json >> "$LOG"

# Everything but temporary files goes to the machine that serves it; old versions stay there until they are removed by hand.
rsync -a --exclude '*.tmp' --exclude node_modules --exclude '.git*' "$OUT/" "deploy@build.example.com:/srv/$NAME/"
log "done"
`;

/** Name → text. Sizes are those of the targets: about 20, 200 and 2,048 characters. */
export const everyday = {
  '20 characters': 'git status -s -- src',
  '200 characters':
    "find src -name '*.ts' -not -path '*/node_modules/*' -print0 | xargs -0 grep -n -E 'TODO|FIXME' 2>/dev/null " +
    "| sed 's/:.*TODO/: TODO/' | sort -t: -k1,1 -k2,2n | awk -F: '{ print $1 }' | uniq -c | head -n 20",
  '2 KB script': script,
};

function repeat(unit, tail = '') {
  const count = Math.floor((LIMIT - tail.length) / unit.length);
  return unit.repeat(count) + tail;
}

/** `open` repeated, something inside, `close` repeated: the deepest nesting that fits. */
function nest(open, inside, close, depth = Number.POSITIVE_INFINITY) {
  const count = Math.min(depth, Math.floor((LIMIT - inside.length) / (open.length + close.length)));
  return open.repeat(count) + inside + close.repeat(count);
}

function fill(lineOf) {
  let text = '';
  for (let i = 0; ; i += 1) {
    const next = text + lineOf(i);
    if (next.length > LIMIT) return text;
    text = next;
  }
}

/** As many whole units as fit between a head and a tail. */
function between(head, unit, tail = '') {
  return head + unit.repeat(Math.floor((LIMIT - head.length - tail.length) / unit.length)) + tail;
}

const sixteen = Array.from({ length: 16 }, (_, i) => `v${i}`).join(' ');
const loops = ['a', 'b', 'c', 'd'].map((name) => `for ${name} in ${sixteen}; do `).join('');
const ends = '; done'.repeat(4);

export const pathological = {
  'nested $(': nest('echo $(', 'x', ')'),
  'nested $( of depth 8': repeat(`${nest('echo $(', 'x', ')', 8)};`),
  'nested "$(': nest('echo "$(', 'x', ')"'),
  'nested "$( of depth 8': repeat(`${nest('echo "$(', 'x', ')"', 8)};`),
  'open $(': repeat('$('),
  'open "$(': repeat('"$('),
  'open parameter expansions': repeat('$' + '{a:-'),
  'nested parameter expansions': nest('$' + '{a:-', 'x', '}'),
  'open `': repeat('`'),
  'escaped backticks': repeat('echo `echo \\`x\\``;'),
  'open {a,': repeat('{a,'),
  'nested {a,': nest('{a,', 'b', '}'),
  '{1..9} in a row': repeat('{1..9}'),
  '{a,b} in a row': between('echo ', '{a,b}'),
  'open ((': repeat('(('),
  'nested $((': nest('$((', '1', '))'),
  'nested (': nest('(', 'x', ')'),
  'open <(': repeat('<('),
  'nested <(': nest('cat <(', 'x', ')'),
  'nested if': nest('if a; then ', 'b', '; fi'),
  'nested case': nest('case a in b) ', 'c', ';; esac'),
  'nested while': nest('while a; do ', 'b', '; done'),
  'functions in functions': nest('f() { ', 'x', '; }'),
  'functions that call each other twice': `${fill((i) => `f${i}() { f${i + 1}; f${i + 1}; }; `)}f0`,
  'many pipes': repeat('a|', 'a'),
  'many commands': repeat('a b;', 'a'),
  'many different commands': fill((i) => `c${i} x${i};`),
  'many cat': repeat('cat a | ', 'cat'),
  '2,000 brace groups': repeat('{ :;}'),
  'groups after each other': repeat('{ a; };', 'a'),
  'here-documents on one line': `${between('cat ', '<<A ', '\n').slice(0, 8_999)}\n${'x\nA\n'.repeat(200)}`,
  'here-documents after each other': repeat('cat <<A\n$(x)\nA\n'),
  'unterminated here-document': between('cat <<A\n', '$x `y` '),
  'chain of assignments': fill((i) => `a${i}=$a${i - 1}$a${i - 1};`),
  'doubling assignments': between('a=xxxxxxxx;', 'a=$a$a;', 'echo $a'),
  'array elements': between('a=(', '"$x" ', ')'),
  'four nested loops of 16': `${loops}echo $a$b$c$d${ends}`,
  'four nested loops of 16 with assignments': `${loops}x=$x$a$b; y=$x$y; $a $y${ends}`,
  'four nested loops of 16, full': between(loops, 'echo $a$b$c$d;', `:${ends}`),
  'loop over 4,000 words': between('for i in ', 'w ', '; do for j in 1 2 3 4; do x "$i$j"; done; done'),
  'cd in branches': repeat('if a; then cd b; else cd c; fi;'),
  'assignments in branches': fill((i) => `if a; then v${i}=1; else v${i}=2; fi;`),
  'long sed script': between("sed '", 's/a/b/;', "' f"),
  'open sed groups': between("sed '", '/a/{', "' f"),
  'long awk program': between("awk '", '{print $1}', "' f"),
  'nested awk parentheses': `awk 'BEGIN { x = ${nest('(', '1', ')').slice(100, -100)} }' f`,
  'long find expression': between('find . ', '-name a -o ', '-name b'),
  'find with many -exec': between('find . ', '-exec ls {} ; '.replace(';', '\\;'), '-print'),
  'eval of eval': repeat('eval ', 'ls'),
  'wrappers of wrappers': repeat('env ', 'ls'),
  'sudo env nice timeout': repeat('sudo env nice timeout 5 ', 'ls'),
  'xargs of xargs': repeat('xargs ', 'ls'),
  'one long word': repeat('a'),
  'quoted pieces of one word': repeat("'a'"),
  'many words': repeat('a '),
  backslashes: repeat('\\'),
  'continued lines': repeat('a\\\n'),
  'many redirects': between('cat ', '>a '),
  'many globs': between('ls ', '*a?[b-c] '),
  'open brackets': between('ls ', '['),
  'extended globs': nest('@(a|', 'b', ')'),
  'nested tests': `[[ ${nest('( ', 'a', ' )').slice(100, -100)} ]]`,
  'dots in a path': between('cat ', '../'),
  'dollar names': between('echo ', '$a'),
  'arithmetic operators': between('echo $((', '1+', '1))'),
  'arithmetic parentheses': `echo $((${nest('(', '1', ')').slice(100, -100)}))`,
  'nested subscripts': nest('a[', '1', ']'),
  'many options': between('ls ', '--all '),
  'bundled options': between('ls -', 'a'),
  'git options': between('git ', '-c a.b=c ', 'status'),
};
