// Each of the five documents, sentence by sentence: every sentence has a test that exists, and the documentation lists them.

import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { PROFILES } from '../../../src/core/profile-names.ts';
import { CLAUDE_CODE } from './claude-code.ts';
import { drawConformance, drawDifferences, readDifferences, writeDifferences } from './document.ts';
import { LAYERED } from './layered.ts';
import { MCP_GUIDE } from './mcp-guide.ts';
import { type Conformance, inFile, type Point, type Shown } from './point.ts';
import { PROPOSAL_0028 } from './proposal-0028.ts';
import { REQ } from './req.ts';

const ALL: readonly Conformance[] = [CLAUDE_CODE, REQ, LAYERED, PROPOSAL_0028, MCP_GUIDE];
const root = new URL('../../../', import.meta.url);
const at = (path: string) => new URL(path, root);

/** Names that tests of a file are given, as they are written; groups and tests that are switched off do not count. */
function testNames(text: string): ReadonlySet<string> {
  const names = new Set<string>();
  const tests = text.replaceAll(/^\s*describe\b.*$/gm, '');
  const quoted = String.raw`(['"\`])((?:\\.|(?!\1)[^\n])*)\1\s*,`;
  for (const pattern of [
    String.raw`\b(?:test|held)(?:\.(?:each|concurrent|sequential)\w*)*\(\s*`,
    String.raw`[)\]}]\s*\)\s*\(\s*|\)\(\s*`,
  ])
    for (const [, quote, name = ''] of tests.matchAll(new RegExp(`(?:${pattern})${quoted}`, 'g')))
      names.add(name.replaceAll(`\\${quote}`, quote as string));
  return names;
}

const texts = new Map<string, string>();

/** The text of a file, or of all files below a folder. */
function textOf(path: string): string {
  const known = texts.get(path);
  if (known !== undefined) return known;
  const files = path.endsWith('/')
    ? readdirSync(at(path), { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map(({ parentPath, name }) => `${parentPath}/${name}`)
    : [at(path)];
  const text = files.map((file) => readFileSync(file, 'utf8')).join('\n');
  texts.set(path, text);
  return text;
}

/** A row is a string of the source text, or a piece of it that is in brackets. */
function hasRow(text: string, row: string): boolean {
  if (/^[[{]/.test(row)) return text.includes(row);
  const escaped = JSON.stringify(row).slice(1, -1);
  const single = row.replaceAll('\\', '\\\\').replaceAll("'", "\\'").replaceAll('\n', '\\n');
  return [`"${escaped}"`, `'${single}'`, `\`${row}\``].some((each) => text.includes(each));
}

const PLACEHOLDER = /%[sdijo]|\$\w/;

function findTestFaults({ file, name, rows, rowsIn = file }: Shown): string[] {
  if (!existsSync(at(file))) return [`there is no file ${file}`];
  if (!testNames(textOf(file)).has(name)) return [`${file} has no test "${name}"`];
  if (PLACEHOLDER.test(name) !== rows.length > 0)
    return [`${file}, "${name}": rows are for a table, and a table needs one`];
  return rows.filter((row) => !hasRow(textOf(rowsIn), row)).map((row) => `${file}, "${name}" has no row ${row}`);
}

/** What is wrong with a point; none is the aim. */
function findFaults({ section, asks, shownBy, missing }: Point): string[] {
  const where = `${section}: ${asks}`;
  if (asks.trim() === '' || section.trim() === '') return [`${where}: says nothing`];
  if (missing !== undefined) return shownBy.length === 0 ? [] : [`${where}: is missing, and has a test`];
  if (shownBy.length === 0) return [`${where}: has no test`];
  return shownBy.flatMap(findTestFaults).map((fault) => `${where}: ${fault}`);
}

test('each profile has a file', () => {
  expect(ALL.map(({ profile }) => profile)).toEqual([...PROFILES]);
});

describe.each(ALL.map((each) => [each.profile, each] as const))('%s', (profile, conformance) => {
  test('every sentence has a test that exists', () => {
    expect(conformance.points.flatMap(findFaults)).toEqual([]);
  });

  test('no sentence is listed twice', () => {
    const sentences = conformance.points.map(({ section, asks }) => `${section}: ${asks}`);
    expect(sentences.filter((each, index) => sentences.indexOf(each) !== index)).toEqual([]);
  });

  test('docs/profiles.md shows what differs', () => {
    const path = at('docs/profiles.md');
    const list = drawDifferences(conformance);
    if (process.env.UPDATE_DOCS) writeFileSync(path, writeDifferences(readFileSync(path, 'utf8'), profile, list));
    expect(readDifferences(readFileSync(path, 'utf8'), profile)).toBe(list);
  });
});

test('docs/conformance.md shows every sentence and its tests', () => {
  const path = at('docs/conformance.md');
  if (process.env.UPDATE_DOCS) writeFileSync(path, drawConformance(ALL));
  expect(readFileSync(path, 'utf8')).toBe(drawConformance(ALL));
});

describe('what is wrong is found', () => {
  const own = (test: string | readonly string[], file = 'test/profiles/conformance/conformance.test.ts') =>
    inFile(file)(test as string);
  test.each<[string, Partial<Point>, RegExp]>([
    ['no test', { shownBy: [] }, /has no test$/],
    ['a file that does not exist', { shownBy: own('x', 'test/none.test.ts') }, /there is no file/],
    ['a test that does not exist', { shownBy: own('a test that was renamed') }, /has no test "a test that was/],
    ['a name that is only mentioned', { shownBy: own('no test') }, /has no test "no test"/],
    ['the name of a group', { shownBy: own('what is wrong is found') }, /has no test "what is wrong is found"/],
    ['a table without a row', { shownBy: own('%s') }, /a table needs one/],
    ['a row that does not exist', { shownBy: own(['%s', ['no', 'such'].join(' ')]) }, /has no row no such/],
    ['no sentence', { asks: ' ' }, /says nothing/],
    ['what is missing and has a test', { missing: 'all of it' }, /is missing, and has a test/],
  ])('%s', (_, wrong, fault) => {
    const point: Point = { section: 'S', asks: 'a', shownBy: own('each profile has a file') };
    expect(findFaults(point)).toEqual([]);
    expect(findFaults({ ...point, ...wrong })).toEqual([expect.stringMatching(fault)]);
  });
});
