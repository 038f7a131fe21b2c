// Conformance → docs/conformance.md, and the lists of docs/profiles.md between their marks: the text around them is written by
// hand.

import type { Conformance, Point, Shown } from './point.ts';

const HOW = 'written by UPDATE_DOCS=1 npm test -- test/profiles/conformance';
const begin = (name: string) => `<!-- ${name} differs: ${HOW} -->`;
const end = (name: string) => `<!-- end of ${name} -->`;

/** The text between the marks of a profile; `null` if it has none. */
export function readDifferences(text: string, name: string): string | null {
  const [from, to] = [text.indexOf(begin(name)), text.indexOf(end(name))];
  return from === -1 || to === -1 ? null : text.slice(from + begin(name).length, to);
}

export function writeDifferences(text: string, name: string, list: string): string {
  const before = readDifferences(text, name);
  return before === null ? text : text.replace(begin(name) + before + end(name), () => begin(name) + list + end(name));
}

export function drawDifferences({ points }: Conformance): string {
  const rows = points
    .filter(({ differs, missing }) => differs !== undefined || missing !== undefined)
    .map((point) => {
      const how = point.missing === undefined ? (point.differs ?? '') : `**Missing:** ${point.missing}`;
      return `| ${cell(point.section)} | ${drawSentence(point)} | ${cell(how)} |`;
    });
  const table = ['| section | the document asks | hardshell |', '|---|---|---|', ...rows];
  return ['', '', ...(rows.length === 0 ? ['Nothing.'] : table), '', ''].join('\n');
}

export function drawConformance(all: readonly Conformance[]): string {
  const head = [
    '# What the documents ask for',
    '',
    `<!-- ${HOW[0]?.toUpperCase()}${HOW.slice(1)}; do not edit. -->`,
    '',
    'Each sentence of the five documents behind the [profiles](profiles.md) that asks for something, in its own words, with the tests that show it; of a table of tests, the rows are in brackets. Files without a folder are in `test/profiles/`. A test fails if a sentence has neither a test nor a word about what is missing, or names a test or a row that does not exist. What differs, and why, is in [profiles](profiles.md#what-differs-from-the-documents).',
  ];
  return `${[...head, ...all.flatMap(drawTable)].join('\n')}\n`;
}

function drawTable({ profile, document, points }: Conformance): readonly string[] {
  const rows = points.map((point) => `| ${cell(point.section)} | ${drawSentence(point)} | ${drawTests(point)} |`);
  return [
    '',
    `## ${profile}`,
    '',
    `${document}: ${points.length} sentences.`,
    '',
    '| section | the document asks | shown by |',
    '|---|---|---|',
    ...rows,
  ];
}

function drawSentence({ asks, means }: Point): string {
  return `${code(asks)}${means === undefined ? '' : ` ${cell(means)}`}`;
}

function drawTests({ shownBy, missing }: Point): string {
  if (missing !== undefined) return `**Missing:** ${cell(missing)}`;
  const files = [...new Set(shownBy.map(({ file }) => file))];
  return files
    .map((file) => {
      const tests = shownBy.filter((each) => each.file === file).map(drawTest);
      return `${file.replace(/^test\/profiles\//, '')}: ${tests.join(', ')}`;
    })
    .join('; ');
}

function drawTest({ name, rows }: Shown): string {
  return rows.length === 0 ? code(name) : `${code(name)} (${rows.map(code).join(', ')})`;
}

/** As code, with as many backticks as it needs. */
function code(text: string): string {
  const shown = cell(text.replace(/\s+/g, ' ').trim());
  return shown.includes('`') ? `\`\` ${shown} \`\`` : `\`${shown}\``;
}

const cell = (text: string) => text.replaceAll('|', '\\|');
