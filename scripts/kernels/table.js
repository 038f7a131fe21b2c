// Outcomes of rows → the table of docs/sandbox.md, between two comments. Pure.

const START = '<!-- kernels: written by `npm run test:kernels -- --write` -->';
const END = '<!-- /kernels -->';
const HEAD = [
  '| row | kernel | Landlock | tier | held | missing | commands | attacks | run on |',
  '|---|---|---|---|---|---|---|---|---|',
];

function showGuarantees({ tier, held, notProven, guarantees }) {
  if (tier === 'none') return 'none';
  return `${held} of ${guarantees}${notProven.length === 0 ? '' : `; not proven: ${notProven.join(', ')}`}`;
}

function showMissing({ tier, missing }) {
  if (tier === 'none') return 'all';
  return missing.length === 0 ? '–' : missing.map((name) => `\`${name}\``).join(', ');
}

function showCommands({ tier, commands: { worked, all } }) {
  return tier === 'none' ? 'refused' : `${worked} of ${all} work`;
}

function showAttacks({ attacks }) {
  if (attacks === null) return 'not tried';
  return `${attacks.tried - attacks.failed} of ${attacks.tried} stopped`;
}

/** One line of the table. */
export function writeRow(outcome, date) {
  const { name, release, what, landlockAbi, tier } = outcome;
  const cells = [
    name,
    what === '' ? release : `${release}, ${what}`,
    landlockAbi === 0 ? 'no' : String(landlockAbi ?? '?'),
    tier ?? '?',
    showGuarantees(outcome),
    showMissing(outcome),
    showCommands(outcome),
    showAttacks(outcome),
    date,
  ];
  return `| ${cells.join(' | ')} |`;
}

export function writeTable(lines) {
  return [...HEAD, ...lines].join('\n');
}

const nameOf = (line) => line.split(' | ', 1)[0].slice(2);

/** The document with these lines in its table; lines of other rows stay. `names`: all rows, in their order. */
export function updateTable(document, lines, names) {
  const [start, end] = [document.indexOf(START), document.indexOf(END)];
  if (start === -1 || end < start) throw new Error(`the document has no ${START} … ${END}`);
  const present = document
    .slice(start, end)
    .split('\n')
    .filter((line) => line.startsWith('| '));
  const known = new Map([...present, ...lines].map((line) => [nameOf(line), line]));
  const table = writeTable(names.flatMap((name) => known.get(name) ?? []));
  return `${document.slice(0, start + START.length)}\n${table}\n${document.slice(end)}`;
}
