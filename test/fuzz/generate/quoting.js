// Ways to write one value: every kind of quoting that bash undoes. In: a value. Out: text that means it.

/** @typedef {import('./random.js').Random} Random */

/** @param {string} text */
export function singleQuote(text) {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** @param {string} text */
export function doubleQuote(text) {
  return `"${text.replace(/[\\"$`]/g, '\\$&')}"`;
}

/** @param {string} text */
export function backtickEscape(text) {
  return text.replace(/[\\$`]/g, '\\$&');
}

const NAMED = new Map([
  ['\n', '\\n'],
  ['\t', '\\t'],
  ['\x1b', '\\e'],
  ['\x07', '\\a'],
  ['\\', '\\\\'],
  ["'", "\\'"],
  ['"', '\\"'],
  ['?', '\\?'],
]);

/**
 * @param {Random} random
 * @param {string} character
 */
function ansiCharacter(random, character) {
  const code = /** @type {number} */ (character.codePointAt(0));
  if (code > 127) return random.chance(0.5) ? character : `\\u${code.toString(16).padStart(4, '0')}`;
  const named = NAMED.get(character);
  switch (random.int(6)) {
    case 0:
      return `\\x${code.toString(16).padStart(2, '0')}`;
    case 1:
      return `\\${code.toString(8).padStart(3, '0')}`;
    case 2:
      return `\\u${code.toString(16).padStart(4, '0')}`;
    case 3:
      return `\\U${code.toString(16).padStart(8, '0')}`;
    default:
      return named ?? character;
  }
}

/**
 * @param {Random} random
 * @param {string} text
 */
function ansiQuote(random, text) {
  const body = [...text].map((character) => ansiCharacter(random, character)).join('');
  // What stands after \0 is lost: bash keeps the text up to the first NUL.
  return `$'${body}${random.chance(0.05) ? '\\0z' : ''}'`;
}

/** @param {string} text */
function backslashed(text) {
  return [...text].map((character) => (character === '\n' ? "'\n'" : `\\${character}`)).join('');
}

/**
 * @param {Random} random
 * @param {string} text
 */
function quotePiece(random, text) {
  if (text === '') return random.pick(["''", '""', "$''"]);
  switch (random.int(6)) {
    case 0:
      return singleQuote(text);
    case 1:
      return doubleQuote(text);
    case 2:
      return ansiQuote(random, text);
    case 3:
      return backslashed(text);
    case 4:
      return /^[\w./=,:@+-]+$/.test(text) ? text : `$${doubleQuote(text)}`;
    default:
      return /^[\w./-]+$/.test(text) ? text : singleQuote(text);
  }
}

/**
 * One of the many spellings of a value, often in several pieces: `r''m`, `$'\x72'"m"`, `r\⏎m`.
 * @param {Random} random
 * @param {string} value
 */
export function disguise(random, value) {
  if (value === '') return quotePiece(random, '');
  let out = '';
  let rest = value;
  while (rest !== '') {
    const characters = [...rest];
    const size = random.chance(0.5) ? characters.length : 1 + random.int(characters.length);
    out += quotePiece(random, characters.slice(0, size).join(''));
    rest = characters.slice(size).join('');
    if (random.chance(0.08)) out += random.pick(["''", '""', '\\\n']);
  }
  return out;
}
