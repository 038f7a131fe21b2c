// Random bash programs from grammar/*.json: templates with a weight. In: random choices. Out: a program, and which
// templates it used. `wild` marks what an honest analysis can often not tell; most programs are made without it.

// In a template, § and a letter is a hole: l plain text, q text in some quoting, w word, W words, p parameter, d inside
// double quotes, { braces, ~ tilde, g glob, a arithmetic, v variable, o variable with a known text, O such a variable as
// a command, I and J variable with a number, V array, n number, k command name, f function name, c simple command,
// S statements, C condition, A assignment, b builtin, x wrapper, u file tool, i compound, y function, r redirects,
// t redirect target, h heredoc, Q statements in quotes, B statements for backticks.

import { readFileSync } from 'node:fs';
import { COMMANDS } from '../stubs.js';
import { backtickEscape, disguise, singleQuote } from './quoting.js';

/** @typedef {import('./random.js').Random} Random */
/** @typedef {{ template: string, parts: string[], weight: number, wild: boolean }} Rule */

const PLAIN = ['a', 'b', 'x', 'f1', 'd', '1', '-n', 'k', 'b.txt', '-a', 'c3', 'zz', '2', 'y', 'a.b', '--long'];
const NAMES = [...COMMANDS, ...COMMANDS, 'rm', 'cat'];
/** Variables that mean something to bash itself. */
const SPECIAL =
  'RANDOM SRANDOM HISTCMD OPTIND SECONDS LINENO BASHPID EPOCHSECONDS UID PS4 FUNCNEST REPLY OPTARG _ IFS PATH'.split(
    ' ',
  );
const MAX_DEPTH = 4;
const MAX_RULES = 120;

/** @param {[template: string, weight: number, mark?: 'wild'][]} rows */
function compile(rows) {
  const rules = rows.map(([template, weight, mark]) => {
    return { template, parts: template.split(/§(.)/su), weight, wild: mark === 'wild' };
  });
  return { wild: accumulate(rules), tame: accumulate(rules.filter((rule) => !rule.wild)) };
}

/** @param {Rule[]} rules */
function accumulate(rules) {
  let total = 0;
  const limits = rules.map((rule) => {
    total += rule.weight;
    return total;
  });
  return { rules, limits, total };
}

/** @param {string} name */
function load(name) {
  return JSON.parse(readFileSync(new URL(`./grammar/${name}.json`, import.meta.url), 'utf8'));
}

const { literals: LITERALS, ...WORDS } = load('words');
/** @type {Record<string, ReturnType<typeof compile>>} */
const TABLES = Object.fromEntries(
  Object.entries({ ...WORDS, ...load('commands'), ...load('compounds') }).map(([name, rows]) => [name, compile(rows)]),
);

/** What a hole becomes when the program is deep or long enough. */
const SHORT = new Map([...'wpd{~gL'].map((name) => [name, 'l']));
for (const name of 'bxuciysC') SHORT.set(name, 'K');
SHORT.set('a', 'n');

class Generator {
  /**
   * @param {Random} random
   * @param {boolean} wild
   */
  constructor(random, wild) {
    this.random = random;
    this.wild = wild;
    this.depth = 0;
    this.used = 0;
    /** @type {string[]} */
    this.bodies = [];
    /** @type {Set<string>} */
    this.constructs = new Set();
    /**
     * Swarm testing: some programs prefer a few rules of each table, so that rare ones meet each other.
     * @type {Map<string, Rule[]> | null}
     */
    this.theme = random.chance(0.25) ? new Map() : null;
    /** Variables that plain text was assigned to, and those that hold a number. */
    this.known = new Set();
    this.numbers = new Set();
  }

  /** @param {string} assignment */
  remember(assignment) {
    const [, name, value = ''] = /^(\w+)=(.*)$/s.exec(assignment) ?? [];
    if (name === undefined) return;
    this.known.delete(name);
    this.numbers.delete(name);
    if (/^[\w."' -]+$/.test(value)) this.known.add(name);
    if (/^\d$/.test(value)) this.numbers.add(name);
  }

  /** @param {string} name */
  choose(name) {
    const table = /** @type {ReturnType<typeof compile>} */ (TABLES[name])[this.wild ? 'wild' : 'tame'];
    const rule = this.preferred(name, table.rules) ?? this.weighted(table);
    this.constructs.add(`${name} ${rule.template}`);
    return rule;
  }

  /** @param {ReturnType<typeof accumulate>} table */
  weighted({ rules, limits, total }) {
    const at = (this.random.next() / 4294967296) * total;
    return /** @type {Rule} */ (rules[limits.findIndex((limit) => at < limit)]);
  }

  /**
   * @param {string} name
   * @param {Rule[]} rules
   */
  preferred(name, rules) {
    if (this.theme === null || this.random.chance(0.5)) return null;
    let favourites = this.theme.get(name);
    if (favourites === undefined) {
      favourites = [this.random.pick(rules), this.random.pick(rules), this.random.pick(rules)];
      this.theme.set(name, favourites);
    }
    return this.random.pick(favourites);
  }

  /** @param {string} name */
  expand(name) {
    this.depth++;
    this.used++;
    const { parts } = this.choose(name);
    /** @type {Record<string, string>} */
    const same = {};
    let out = /** @type {string} */ (parts[0]);
    for (let i = 1; i < parts.length; i += 2) {
      const hole = /** @type {string} */ (parts[i]);
      let text = same[hole];
      // Within one template a name is mostly the same thing: what is defined there is used there.
      if (text === undefined || this.random.chance(0.2)) text = this.hole(hole);
      if ('fvV'.includes(hole)) same[hole] = text;
      out += text + parts[i + 1];
    }
    this.depth--;
    if (name === 'A') this.remember(out);
    return out;
  }

  /** @param {string} name @returns {string} */
  hole(name) {
    const { random } = this;
    if (this.depth > MAX_DEPTH * 3 || this.used > MAX_RULES) name = SHORT.get(name) ?? name;
    switch (name) {
      case 'l':
        return random.pick(PLAIN);
      case 'q':
        return disguise(random, random.pick(LITERALS));
      case 'k':
        return random.chance(0.85) ? random.pick(NAMES) : disguise(random, random.pick(NAMES));
      case 'K':
        return `${random.pick(NAMES)} ${random.pick(PLAIN)}`;
      case 'v':
        if (random.chance(0.03)) return random.pick(SPECIAL);
        return random.pick(['x', 'x', 'x', 'y', 'y', 'v', 'w', 'z']);
      case 'V':
        return random.pick(['a', 'a', 'n']);
      case 'o':
        if (this.known.size > 0 && !random.chance(0.1)) return random.pick([...this.known]);
        return this.wild ? this.hole('v') : 'HOME';
      case 'O':
        if (this.known.size === 0) return this.hole('k');
        return random.pick([(name) => `$${name}`, (name) => `"$${name}"`])(random.pick([...this.known]));
      case 'I':
        if (this.numbers.size > 0 && !random.chance(0.1)) return random.pick([...this.numbers]);
        return this.wild ? this.hole('v') : this.hole('n');
      case 'J':
        return this.numbers.size > 0 ? random.pick([...this.numbers]) : 'i=1,i';
      case 'n':
        return String(random.int(4));
      case 'f':
        return random.pick(['f', 'f', 'f', 'g', 'c1', 'ls']);
      case 'W':
        return this.words();
      case 'r':
        return random.chance(0.85) ? this.expand('R') : this.expand('R') + this.expand('R');
      case 'S':
        return this.statements();
      case 'Q':
        return this.quoted();
      case 'B':
        return backtickEscape(this.statements());
      case 'h':
        return this.heredoc();
      default:
        return this.expand(name);
    }
  }

  words() {
    const count = this.random.pick([0, 1, 1, 1, 2, 2, 3]);
    return Array.from({ length: count }, () => this.hole('w')).join(' ');
  }

  /** @param {number} [count] */
  statements(count = this.random.pick([1, 1, 1, 2, 2, 3])) {
    const outer = this.bodies;
    let out = '';
    for (let i = 0; i < count; i++) {
      this.bodies = [];
      const statement = this.depth > MAX_DEPTH ? this.hole('c') : this.hole('s');
      const isLast = i === count - 1;
      out += statement;
      if (this.bodies.length > 0) out += `\n${this.bodies.join('')}`;
      else if (/(^|\s)#.*$|\\$/.test(statement)) out += '\n';
      else if (!isLast) out += /[;&]\s*$/.test(statement) ? ' ' : this.random.pick(['; ', '; ', '\n', ';']);
    }
    this.bodies = outer;
    // `{ …; }` and `then …; fi` put their own separator behind what ends a line already.
    return out.endsWith('\n') ? `${out}:` : out;
  }

  quoted() {
    const text = this.statements();
    return this.random.chance(0.8) ? singleQuote(text) : disguise(this.random, text);
  }

  heredoc() {
    const { random } = this;
    const [operator, end] = random.pick([
      ['<<EOF', 'EOF'],
      ['<<EOF', 'EOF'],
      ['<< EOF', 'EOF'],
      ["<<'EOF'", 'EOF'],
      ['<<"EOF"', 'EOF'],
      ['<<\\EOF', 'EOF'],
      ["<<E''OF", 'EOF'],
      ['<<-EOF', '\tEOF'],
      ["<<-'EOF'", 'EOF'],
      ['3<<EOF', 'EOF'],
      ['<<$x', '$x'],
      ['<<E"O F"', 'EO F'],
    ]);
    const lines = Array.from({ length: random.int(3) }, () => this.expand('L'));
    // One in thirty is never closed.
    this.bodies.push([...lines, random.chance(0.03) ? 'EOX' : end].map((line) => `${line}\n`).join(''));
    return /** @type {string} */ (operator);
  }
}

/**
 * @param {Random} random
 * @param {boolean} wild
 */
export function generate(random, wild) {
  const generator = new Generator(random, wild);
  // Something to expand: otherwise most variables of a short program are never set.
  const start = random.chance(0.7) ? `${prologue(generator)}; ` : '';
  const text = start + generator.statements(random.pick([1, 1, 2, 2, 3, 3, 4]));
  return { text, constructs: generator.constructs };
}

/** @param {Generator} generator */
function prologue(generator) {
  const { random } = generator;
  if (random.chance(0.15)) return `set -- ${generator.words()}`;
  if (random.chance(0.3)) {
    generator.remember('i=1');
    generator.remember('x=c1');
    return 'i=1; x=c1';
  }
  return Array.from({ length: 1 + random.int(2) }, () => generator.expand('A')).join(random.pick([' ', '; ']));
}
