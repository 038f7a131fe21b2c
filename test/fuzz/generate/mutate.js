// Mutations: programs that no grammar writes. In: programs. Out: the same text with characters inserted, removed,
// doubled or swapped, spliced with another program, or carried as text through eval, bash -c, a heredoc, a function.

import { backtickEscape, doubleQuote, singleQuote } from './quoting.js';

/** @typedef {import('./random.js').Random} Random */

const PIECES = [
  ...'" \' ` \\ $ ( ) { } [ ] < > | & ; # ! * ? ~ = , .. $( $(( )) $\u007b << <( >( && || ;; (( [[ ]] $\' $" $x "$x" $\u007bx} $@'.split(
    ' ',
  ),
  ...'\'\' "" 2> >& &> <<< |& \u00a0 é ;c3 $(c5) `c6` {c7,a} () += [0]'.split(' '),
  ...[' ', '\n', '\t', '\r', '\\\n', ' x=c1 ', '# ', ' -- ', ' c2 ', ' a', '\nc4\n', ' <<E\n', '\nE\n', ' }', '{ '],
  ...[' do ', ' done', ' then ', ' fi', ' in '],
];

/**
 * @param {Random} random
 * @param {string} text
 */
function edit(random, text) {
  const at = random.int(text.length + 1);
  const size = 1 + random.int(random.chance(0.3) ? 8 : 2);
  switch (random.int(6)) {
    case 0:
      return text.slice(0, at) + text.slice(at + size);
    case 1:
      return text.slice(0, at) + text.slice(at, at + size) + text.slice(at);
    case 2:
      return text.slice(0, at) + (text[at + 1] ?? '') + (text[at] ?? '') + text.slice(at + 2);
    case 3: {
      const from = random.int(text.length + 1);
      return text.slice(0, at) + text.slice(from, from + size) + text.slice(at);
    }
    default:
      return text.slice(0, at) + random.pick(PIECES) + text.slice(at);
  }
}

/**
 * @param {Random} random
 * @param {string} text
 */
export function mutate(random, text) {
  let out = text;
  for (let count = 1 + random.int(3); count > 0; count--) out = edit(random, out);
  return out;
}

/**
 * @param {Random} random
 * @param {string} first
 * @param {string} second
 */
export function splice(random, first, second) {
  const cut = random.int(first.length + 1);
  switch (random.int(4)) {
    case 0:
      return first.slice(0, cut) + second.slice(random.int(second.length + 1));
    case 1:
      return first.slice(0, cut) + second + first.slice(cut);
    default:
      return first + random.pick(['; ', '\n', ' | ', ' && ', ' || ', ' & ', ' ', '; : ']) + second;
  }
}

/** @type {((text: string) => string)[]} */
const CARRIERS = [
  (text) => `eval ${singleQuote(text)}`,
  (text) => `eval ${doubleQuote(text)}`,
  (text) => `eval "${text}"`,
  (text) => `bash -c ${singleQuote(text)}`,
  (text) => `bash -c ${doubleQuote(text)} _ a b`,
  (text) => `sh -c ${singleQuote(text)}`,
  (text) => `bash <<'END'\n${text}\nEND\n`,
  (text) => `bash <<END\n${text}\nEND\n`,
  (text) => `bash <<< ${singleQuote(text)}`,
  (text) => `echo ${singleQuote(text)} | bash`,
  (text) => `trap ${singleQuote(text)} EXIT`,
  (text) => `x=${singleQuote(text)}; eval "$x"`,
  (text) => `env bash -c ${singleQuote(text)}`,
  (text) => `f() {\n${text}\n}; f a b`,
  (text) => `f() (\n${text}\n); f "a b"`,
  (text) => `(\n${text}\n)`,
  (text) => `{ ${text}\n}; c0 after`,
  (text) => `x=$(${text}\n); c0 "$x"`,
  (text) => `c0 "$(${text}\n)"`,
  (text) => `c0 \`${backtickEscape(text)}\``,
  (text) => `c0 "\`${backtickEscape(text).replaceAll('"', '\\"')}\`"`,
  (text) => `cat <(${text}\n)`,
  (text) => `cat <<END\n$(${text}\n)\nEND\n`,
  (text) => `if ${text}\nthen c0 yes; else c0 no; fi`,
  (text) => `for i in 1 2; do ${text}\ndone`,
  (text) => `while ${text}\ndo c0; break; done`,
  (text) => `case a in a) ${text}\n;; esac`,
  (text) => `{ ${text}\n} | c0; c1`,
  (text) => `c0 | { ${text}\n}; c1`,
  (text) => `${text} &\nwait; c0`,
  (text) => `cd d; ${text}\nc0`,
  (text) => `set -- a 'b c'; ${text}`,
  (text) => `shopt -s lastpipe; ${text}`,
  (text) => `set -e; ${text}`,
  (text) => `c0 || { ${text}\n}; c1 $x`,
  (text) => `c0 "\${u:-$(${text}\n)}"`,
  (text) => `coproc { ${text}\n}; wait`,
  (text) => `find a -exec sh -c ${singleQuote(text)} \\;`,
  (text) => `xargs -I{} bash -c ${singleQuote(text)} < a`,
];

/**
 * @param {Random} random
 * @param {string} text
 */
export function carry(random, text) {
  return random.pick(CARRIERS)(text);
}
