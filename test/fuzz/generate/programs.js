// Where programs come from: the table of constructs, grammar, known traps, and mutations of all. In: a seed. Out: one program for the oracle.
// Refuses what must not even be tried confined: absolute paths, kill, ulimit.

import { readFileSync } from 'node:fs';
import { makeSnippet } from './constructs.js';
import { generate } from './generator.js';
import { carry, mutate, splice } from './mutate.js';
import { Random } from './random.js';

/** @typedef {{ text: string, shell: 'bash' | 'sh', origin: string, constructs: Set<string>, families: Set<string> }} Program */

/** @type {string[]} */
export const TRAPS = JSON.parse(readFileSync(new URL('./traps.json', import.meta.url), 'utf8'));

const ABSOLUTE = /(?:^|[\s"'`=<>(){}|&;:,$!\\])\/(?!dev\/(?:null|stdin|stdout|stderr|fd\/)\b)(?!\*|\/|[#%])/;
const FORBIDDEN = /\b(?:kill|ulimit|suspend)\b/;

/** @param {string} text */
export function isAllowed(text) {
  return text.length <= 4000 && !text.includes('\0') && !FORBIDDEN.test(text) && !ABSOLUTE.test(text);
}

/** Readable names for the tables of the grammar. */
const GRAMMAR_FAMILIES = new Map([
  ['w', 'words'],
  ['p', 'parameters'],
  ['a', 'arithmetic'],
  ['R', 'redirects'],
  ['L', 'here-documents'],
  ['i', 'compounds'],
  ['y', 'functions'],
  ['x', 'wrappers'],
  ['u', 'file tools'],
]);

/**
 * @param {number} seed
 * @param {string} [family] only snippets of this family, alone and carried
 * @returns {Program}
 */
export function makeProgram(seed, family) {
  const random = new Random(seed);
  const constructs = new Set();
  const families = new Set();
  const sources = {
    grammar() {
      const made = generate(random, random.chance(0.12));
      for (const construct of made.constructs) {
        constructs.add(construct);
        const name = GRAMMAR_FAMILIES.get(construct.slice(0, construct.indexOf(' ')));
        if (name !== undefined) families.add(`grammar: ${name}`);
      }
      return made.text;
    },
    trap() {
      families.add('traps');
      return random.pick(TRAPS);
    },
    snippet() {
      const made = makeSnippet(random, family);
      for (const name of made.families) families.add(name);
      return made.text;
    },
  };
  const shell = random.chance(0.06) ? 'sh' : 'bash';
  for (;;) {
    constructs.clear();
    families.clear();
    const at = family === undefined ? random.int(100) : random.int(32);
    const [origin, text] = at < 32 ? composeSnippets(random, at, sources) : compose(random, at, sources);
    if (isAllowed(text)) return { text, shell, origin, constructs, families };
  }
}

/**
 * @typedef {Record<'grammar' | 'trap' | 'snippet', () => string>} Sources
 * @param {Random} random
 * @param {number} at
 * @param {Sources} sources
 * @returns {[origin: string, text: string]}
 */
function composeSnippets(random, at, { grammar, snippet }) {
  if (at < 14) return ['snippet', snippet()];
  if (at < 20) return ['snippets', `${snippet()}${random.pick(['\n', '; ', '\n'])}${snippet()}`];
  if (at < 25) return ['carried snippet', carry(random, snippet())];
  if (at < 27) return ['mutated snippet', mutate(random, snippet())];
  if (at < 30) return ['snippet and grammar', `${snippet()}\n${grammar()}`];
  return ['carried and joined snippets', `${carry(random, snippet())}\n${snippet()}`];
}

/**
 * @param {Random} random
 * @param {number} at
 * @param {Sources} sources
 * @returns {[origin: string, text: string]}
 */
function compose(random, at, { grammar, trap }) {
  if (at < 67) return ['grammar', grammar()];
  if (at < 71) return ['trap', trap()];
  if (at < 75) return ['traps', `${trap()}${random.pick(['\n', '; ', '\n'])}${trap()}`];
  if (at < 79) return ['trap and grammar', splice(random, trap(), grammar())];
  if (at < 83) return ['carried trap', carry(random, trap())];
  if (at < 88) return ['carried grammar', carry(random, grammar())];
  if (at < 90) return ['carried twice', carry(random, carry(random, trap()))];
  if (at < 94) return ['mutated trap', mutate(random, trap())];
  if (at < 98) return ['mutated grammar', mutate(random, grammar())];
  return ['mutated carried', mutate(random, carry(random, trap()))];
}
