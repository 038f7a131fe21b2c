// constructs.json: family → construct → how it is treated → snippets. The table of docs/understanding.md and the programs
// of the fuzzer come from it, so neither has what the other lacks. In: random choices. Out: a snippet and its families.

// In a snippet, § and a character is a hole: N the variable or option of the row, = an assignment to it, U a use of it,
// a an attribute for it, T a text, X the same without quotes, B a prefix of a builtin, O what an option may change,
// e the rest of a command, V a use of x, ; a separator. What stands between two §q is put in quotes.

import { readFileSync } from 'node:fs';
import { singleQuote } from './quoting.js';

/**
 * @typedef {import('./random.js').Random} Random
 * @typedef {{ construct: string, treated: string, snippets: string[], names?: string[], builtin?: string, option?: 'set' | 'shopt' }} Row
 * @typedef {{ family: string, about: string, rows: Row[] }} Family
 */

/** @type {{ holes: Record<string, string[]>, families: Family[] }} */
const { holes: HOLES, families } = JSON.parse(readFileSync(new URL('./constructs.json', import.meta.url), 'utf8'));

export const FAMILIES = families;

/** @param {string} name */
function familyOf(name) {
  return /** @type {Family} */ (families.find(({ family }) => family === name));
}

const VARIABLES = familyOf('variables').rows.flatMap(({ names = [] }) => names);
const MAX_DEPTH = 3;

class Snippet {
  /**
   * @param {Random} random
   * @param {string} name
   */
  constructor(random, name) {
    this.random = random;
    this.name = name;
    this.depth = 0;
    /** @type {Set<string>} */
    this.families = new Set();
  }

  /** @param {string} family */
  fromFamily(family) {
    this.families.add(family);
    const row = this.random.pick(familyOf(family).rows.filter(({ snippets }) => snippets.length > 0));
    return this.expand(this.random.pick(row.snippets));
  }

  /** @param {string} template @returns {string} */
  expand(template) {
    this.depth++;
    const text = template
      .split('§q')
      .map((part, i) => {
        const filled = part.replaceAll(/§(.)/gu, (_, hole) => this.fill(hole));
        return i % 2 === 1 ? singleQuote(filled) : filled;
      })
      .join('');
    this.depth--;
    return text;
  }

  /** @param {string} hole @returns {string} */
  fill(hole) {
    const pick = (/** @type {string} */ list) => this.random.pick(/** @type {string[]} */ (HOLES[list]));
    switch (hole) {
      case 'N':
        return this.name;
      case '=':
        return this.depth > MAX_DEPTH ? `${this.name}=1` : this.fromFamily('assignments');
      case 'U':
        return this.depth > MAX_DEPTH ? 'c1' : this.fromFamily('uses');
      case 'a':
        return this.expand(pick('attributes'));
      case 'T':
        return pick('texts');
      case 'X':
      case 't':
        return pick('texts').replace(/^'(.*)'$/s, '$1');
      case 'B':
        return pick('prefixes');
      case 'V':
        return pick('values');
      case 'O':
        return pick('after options');
      case 'e':
        return pick('endings');
      case ';':
        return pick('separators');
      default:
        throw new Error(`constructs.json: §${hole} is not a hole`);
    }
  }
}

/**
 * @param {Random} random
 * @param {Family} family
 * @param {Row} row
 * @param {string} template
 */
export function expandSnippet(random, family, row, template) {
  const snippet = new Snippet(random, random.pick(row.names ?? VARIABLES));
  snippet.families.add(family.family);
  return { text: snippet.expand(template), families: snippet.families };
}

/**
 * @param {Random} random
 * @param {string | undefined} only the name of a family
 */
export function makeSnippet(random, only) {
  const family = only === undefined ? random.pick(families) : familyOf(only);
  const row = random.pick(family.rows.filter(({ snippets }) => snippets.length > 0));
  return expandSnippet(random, family, row, random.pick(row.snippets));
}
