// Where programs come from: grammar, known traps, and mutations of both. In: a seed. Out: one program for the oracle.
// Refuses what must not even be tried confined: absolute paths, kill, ulimit.

import { readFileSync } from 'node:fs';
import { generate } from './generator.js';
import { carry, mutate, splice } from './mutate.js';
import { Random } from './random.js';

/** @typedef {{ text: string, shell: 'bash' | 'sh', origin: string, constructs: Set<string> }} Program */

/** @type {string[]} */
export const TRAPS = JSON.parse(readFileSync(new URL('./traps.json', import.meta.url), 'utf8'));

const ABSOLUTE = /(?:^|[\s"'`=<>(){}|&;:,$!\\])\/(?!dev\/(?:null|stdin|stdout|stderr|fd\/)\b)(?!\*|\/|[#%])/;
const FORBIDDEN = /\b(?:kill|ulimit|suspend)\b/;

/** @param {string} text */
export function isAllowed(text) {
  return text.length <= 4000 && !text.includes('\0') && !FORBIDDEN.test(text) && !ABSOLUTE.test(text);
}

/**
 * @param {number} seed
 * @returns {Program}
 */
export function makeProgram(seed) {
  const random = new Random(seed);
  const constructs = new Set();
  const grammar = () => {
    const made = generate(random, random.chance(0.12));
    for (const construct of made.constructs) constructs.add(construct);
    return made.text;
  };
  const trap = () => random.pick(TRAPS);
  const shell = random.chance(0.06) ? 'sh' : 'bash';
  for (;;) {
    constructs.clear();
    const [origin, text] = compose(random, grammar, trap);
    if (isAllowed(text)) return { text, shell, origin, constructs };
  }
}

/**
 * @param {Random} random
 * @param {() => string} grammar
 * @param {() => string} trap
 * @returns {[origin: string, text: string]}
 */
function compose(random, grammar, trap) {
  const at = random.int(100);
  if (at < 55) return ['grammar', grammar()];
  if (at < 61) return ['trap', trap()];
  if (at < 67) return ['traps', `${trap()}${random.pick(['\n', '; ', '\n'])}${trap()}`];
  if (at < 72) return ['trap and grammar', splice(random, trap(), grammar())];
  if (at < 78) return ['carried trap', carry(random, trap())];
  if (at < 84) return ['carried grammar', carry(random, grammar())];
  if (at < 86) return ['carried twice', carry(random, carry(random, trap()))];
  if (at < 92) return ['mutated trap', mutate(random, trap())];
  if (at < 97) return ['mutated grammar', mutate(random, grammar())];
  return ['mutated carried', mutate(random, carry(random, trap()))];
}
