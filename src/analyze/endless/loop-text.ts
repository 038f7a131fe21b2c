// The text of a script → whether it may have a loop that must be followed through the tree. False positives are fine, false
// negatives are not: most scripts have loops over words or lines, which end, and following them costs a quarter of the time.

/** Keywords cannot be quoted, so the text shows them. The last ones are long sequences in braces, and several of them. */
const KEYWORDS =
  /\b(?:while|until|select|coproc|for)\b|\{-?\d+\.\.-?\d{7}|\{-?\d{7}\d*\.\.|(?:\{[^{}\s]*(?:,|\.\.)[^{}\s]*\}[^{}\s]*){2}/g;
/** Text allowed before a keyword: otherwise bash reads it as an ordinary word. */
const BEFORE = '\n;&|(){}!`';
const WORD_BEFORE = /\b(?:do|then|else|elif|if|while|until|time|coproc)$/;
/** Text after a keyword of a construct that ends with its words or its input. */
const ENDS: Readonly<Record<string, RegExp>> = {
  while: /^\s+(?:IFS=\S*\s+)?read\s/,
  for: /^(?!\s*\(\()/,
  select: /^(?!\s)/,
};

/** A loop that may never end. */
function mayNotEnd(text: string): boolean {
  for (const { 0: word, index } of text.matchAll(KEYWORDS)) {
    const end = index + word.length;
    if (word.startsWith('{')) return true;
    if (ENDS[word]?.test(text.slice(end, end + 80)) !== true && isAtCommand(text, index)) return true;
  }
  return false;
}

function isAtCommand(text: string, index: number): boolean {
  let at = index - 1;
  while (text[at] === ' ' || text[at] === '\t') at -= 1;
  return at < 0 || BEFORE.includes(text[at] as string) || WORD_BEFORE.test(text.slice(Math.max(0, at - 7), at + 1));
}

const LOOP = /\b(?:while|for)\b/;
const SOME_LOOP = /while|until|for|select|coproc|\.\.|\},?\{|\}[^\s{}]*\{/;
/** Something may run in the background: a `&` that is not part of `&&`, `&>` or `>&`. */
const BACKGROUND = /(?:^|[^&<>|])&(?![&>])/;
/** Then `while read` does not end with its input. */
const OWN_READ = /\bread\s*\(|\bfunction\s+read\b|\balias\b/;

/** Most scripts have loops over words or lines, which end with them; those are not walked. */
export function hasLoopToFollow(source: string): boolean {
  if (!SOME_LOOP.test(source) && !source.includes('\\\n')) return false;
  // Bash joins lines that end in a backslash before it looks for keywords, so a keyword may be split across lines.
  const text = source.replaceAll('\\\n', '');
  if (mayNotEnd(text)) return true;
  return LOOP.test(text) && (BACKGROUND.test(text) || OWN_READ.test(text));
}
