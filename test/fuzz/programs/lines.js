// Command lines from the rows of the command tables: options × operands × order. In: rows and random choices.
// Out: lines that `analyze` calls read-only; the oracle then sees whether that is true.

/**
 * @typedef {import('../generate/random.js').Random} Random
 * @typedef {import('../../../src/analyze/commands/spec.ts').CommandSpec} CommandSpec
 * @typedef {{ name: string, spec: CommandSpec, options: string[], words: string[], ownState: boolean }} Row
 * @typedef {{ program: string, row: string, command: string, ownState: boolean }} Line
 */

/** Files of the folder in which lines run; see folder.js. */
const OPERANDS =
  `a.txt b.txt sub sub/c.txt data.json data.csv page.1 a.tar a.tar.gz a.zip a.gz code.c code.o script.sh crlf.txt
  link.txt db.sqlite . .. *.txt - HEAD main patch.diff key.pem Makefile package.json nowhere`.split(/\s+/);
const VALUES = [
  '1',
  '2',
  'a',
  'x',
  '%s',
  ',',
  '.',
  'json',
  'text',
  '0',
  'a.txt',
  'sub',
  'HEAD',
  'always',
  'none',
  '1,2',
  '-1',
  'utf-8',
];
const PLAIN_WORD = /^[\w@%+=:,./-]+$/;

/** @param {string | undefined} text */
function split(text) {
  return text?.split(/\s+/).filter((word) => word !== '') ?? [];
}

/**
 * @param {string} name
 * @param {CommandSpec} spec
 * @param {boolean} ownState
 * @returns {Row[]}
 */
function rowsOf(name, spec, ownState) {
  const options = [
    ...split(spec.flags),
    ...split(spec.values).map((option) => `${option} §`),
    ...split(spec.optional),
    ...Object.entries(spec.options ?? {}).flatMap(([names, form]) =>
      split(names).map((option) => (/^\+|\?$/.test(form) ? option : `${option} §`)),
    ),
    '--help',
    '--version',
  ];
  const examples = [...spec.examples.readOnly, ...spec.examples.notReadOnly];
  const words = examples.flatMap((example) =>
    split(example)
      .filter((word) => PLAIN_WORD.test(word))
      .slice(1),
  );
  const own = { name, spec, options, words: [...new Set(words)], ownState };
  const inner = Object.entries(spec.subcommands ?? {}).flatMap(([sub, row]) =>
    typeof row === 'string' ? [] : rowsOf(`${name} ${sub}`, row, ownState),
  );
  return [own, ...inner];
}

/**
 * Every row of the programs that are installed and not only builtins.
 * @param {ReadonlyMap<string, CommandSpec>} commands
 * @param {(name: string) => boolean} isInstalled
 */
export function installedRows(commands, isInstalled) {
  return [...commands]
    .filter(([name, spec]) => spec.shellOnly !== true && /^[\w.+-]+$/.test(name) && isInstalled(name))
    .flatMap(([name, spec]) => rowsOf(name, spec, spec.ownState === true));
}

/**
 * @param {Random} random
 * @param {Row} row
 * @returns {string}
 */
function makeLine(random, row) {
  if (random.chance(0.1)) {
    const examples = row.spec.examples.readOnly;
    if (examples.length > 0) return random.pick(examples);
  }
  /** @type {string[]} */
  const parts = [];
  const option = () => {
    const value = random.chance(0.6) ? random.pick(VALUES) : random.pick(OPERANDS);
    const text = random.pick(row.options);
    return text.startsWith('--') && random.chance(0.5) ? text.replace(' §', `=${value}`) : text.replace('§', value);
  };
  for (let count = random.pick([0, 1, 1, 2, 2, 3]); count > 0; count--) parts.push(option());
  for (let count = random.pick([0, 1, 1, 1, 2]); count > 0; count--) parts.push(random.pick(OPERANDS));
  if (row.words.length > 0) {
    for (let count = random.pick([0, 0, 1, 1, 2, 3]); count > 0; count--) parts.push(random.pick(row.words));
  }
  if (random.chance(0.05)) parts.push('--');
  for (let i = parts.length - 1; i > 0; i--) {
    const at = random.int(i + 1);
    [parts[i], parts[at]] = [/** @type {string} */ (parts[at]), /** @type {string} */ (parts[i])];
  }
  return [row.name, ...parts].join(' ');
}

/**
 * Endless: each call gives a line of the next row that is called read-only, or `null` if none was found soon.
 * @param {Random} random
 * @param {readonly Row[]} rows
 * @param {(command: string) => boolean} isReadOnly
 */
export function* readOnlyLines(random, rows, isReadOnly) {
  /** @type {Map<string, Row[]>} */
  const byProgram = new Map();
  for (const row of rows) {
    const program = /** @type {string} */ (row.name.split(' ')[0]);
    byProgram.set(program, [...(byProgram.get(program) ?? []), row]);
  }
  const programs = [...byProgram.values()];
  for (;;) {
    // A program with many subcommands is not more important than the others.
    const row = random.pick(random.pick(programs));
    for (let tries = 0; tries < 8; tries++) {
      const command = makeLine(random, row);
      if (!isReadOnly(command)) continue;
      const program = /** @type {string} */ (row.name.split(' ')[0]);
      /** @type {Line} */
      const line = { program, row: row.name, command, ownState: row.ownState };
      yield line;
      break;
    }
  }
}
