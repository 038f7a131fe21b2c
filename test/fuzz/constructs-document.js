// constructs.json → the tables of docs/understanding.md. UPDATE_DOCS=1 writes them; otherwise a test compares.

import { FAMILIES } from './generate/constructs.js';

const BEGIN = '<!-- Written by UPDATE_DOCS=1 npm test -- test/fuzz/constructs.test.js; do not edit. -->';
const END = '<!-- End of the written part. -->';

/** @param {import('./generate/constructs.js').Row} row */
function drawRow({ construct, treated, names }) {
  const text = names === undefined ? construct : names.map((name) => `\`${name}\``).join(' ');
  return `| ${text.replaceAll('|', '\\|')} | ${treated.replaceAll('|', '\\|')} |`;
}

/** @param {import('./generate/constructs.js').Family} family */
function drawFamily({ family, about, rows }) {
  return [
    `#### ${family[0]?.toUpperCase()}${family.slice(1)}`,
    '',
    about,
    '',
    '| construct | assumption |',
    '|---|---|',
  ].concat(rows.map(drawRow));
}

/** @param {string} document */
export function writeConstructs(document) {
  const start = document.indexOf(BEGIN);
  const end = document.indexOf(END);
  if (start === -1 || end < start) throw new Error('docs/understanding.md has no place for the tables of constructs');
  const tables = FAMILIES.flatMap((family) => ['', ...drawFamily(family)]).join('\n');
  return `${document.slice(0, start)}${BEGIN}\n${tables}\n\n${document.slice(end)}`;
}
