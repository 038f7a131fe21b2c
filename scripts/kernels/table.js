// Outcomes of rows → the table of docs/sandbox.md, between two comments. Pure.

const START = '<!-- kernels: written by `npm run test:kernels -- --write` -->';
const END = '<!-- /kernels -->';
const HEAD = ['| kernel | Landlock | tier | held | missing | commands | attacks |', '|---|---|---|---|---|---|---|'];

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

export function writeTable(outcomes, { date, version }) {
  const rows = outcomes.map((outcome) => {
    const { release, what, landlockAbi, tier } = outcome;
    const cells = [
      what === '' ? release : `${release}, ${what}`,
      landlockAbi === 0 ? 'no' : String(landlockAbi ?? '?'),
      tier ?? '?',
      showGuarantees(outcome),
      showMissing(outcome),
      showCommands(outcome),
      showAttacks(outcome),
    ];
    return `| ${cells.join(' | ')} |`;
  });
  return [`Run on ${date} with hardshell ${version}.`, '', ...HEAD, ...rows].join('\n');
}

/** The document with this text between the comments. */
export function insertTable(document, table) {
  const [start, end] = [document.indexOf(START), document.indexOf(END)];
  if (start === -1 || end < start) throw new Error(`the document has no ${START} … ${END}`);
  return `${document.slice(0, start + START.length)}\n${table}\n${document.slice(end)}`;
}
