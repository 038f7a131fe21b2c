// Each of the five documents, sentence by sentence: every sentence has a test that exists, and the documentation lists them.

import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { PROFILES } from '../../../src/core/profile-names.ts';
import { CLAUDE_CODE } from './claude-code.ts';
import { drawConformance, drawDifferences, readDifferences, writeDifferences } from './document.ts';
import { LAYERED } from './layered.ts';
import { MCP_GUIDE } from './mcp-guide.ts';
import type { Conformance, Point } from './point.ts';
import { PROPOSAL_0028 } from './proposal-0028.ts';
import { REQ } from './req.ts';

const ALL: readonly Conformance[] = [CLAUDE_CODE, REQ, LAYERED, PROPOSAL_0028, MCP_GUIDE];
const root = new URL('../../../', import.meta.url);
const at = (path: string) => new URL(path, root);

/** Names that tests of a file are given, as they are written; tests that are switched off do not count. */
function testNames(text: string): ReadonlySet<string> {
  const names = new Set<string>();
  const quoted = String.raw`(['"\`])((?:\\.|(?!\1)[^\n])*)\1\s*,`;
  for (const pattern of [
    String.raw`\b(?:test|held)(?:\.(?:each|concurrent|sequential)\w*)*\(\s*`,
    String.raw`[)\]}]\s*\)\s*\(\s*|\)\(\s*`,
  ])
    for (const [, quote, name = ''] of text.matchAll(new RegExp(`(?:${pattern})${quoted}`, 'g')))
      names.add(name.replaceAll(`\\${quote}`, quote as string));
  return names;
}

const known = new Map<string, ReadonlySet<string>>();

/** What is wrong with a point; none is the aim. */
function findFaults({ section, asks, shownBy, missing }: Point): string[] {
  const where = `${section}: ${asks}`;
  if (asks.trim() === '' || section.trim() === '') return [`${where}: says nothing`];
  if (missing !== undefined) return shownBy.length === 0 ? [] : [`${where}: is missing, and has a test`];
  if (shownBy.length === 0) return [`${where}: has no test`];
  return shownBy.flatMap(([file, name]) => {
    if (!existsSync(at(file))) return [`${where}: there is no file ${file}`];
    if (!known.has(file)) known.set(file, testNames(readFileSync(at(file), 'utf8')));
    return known.get(file)?.has(name) === true ? [] : [`${where}: ${file} has no test "${name}"`];
  });
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
  const FILE = 'test/profiles/conformance/conformance.test.ts';
  test.each<[string, Partial<Point>, RegExp]>([
    ['no test', { shownBy: [] }, /has no test$/],
    ['a file that does not exist', { shownBy: [['test/none.test.ts', 'x']] }, /there is no file/],
    ['a test that does not exist', { shownBy: [[FILE, 'a test that was renamed']] }, /has no test "a test that was/],
    ['a name that is only mentioned', { shownBy: [[FILE, 'no test']] }, /has no test "no test"/],
    ['no sentence', { asks: ' ' }, /says nothing/],
    ['what is missing and has a test', { missing: 'all of it' }, /is missing, and has a test/],
  ])('%s', (_, wrong, fault) => {
    const point: Point = { section: 'S', asks: 'a', shownBy: [[FILE, 'each profile has a file']] };
    expect(findFaults(point)).toEqual([]);
    expect(findFaults({ ...point, ...wrong })).toEqual([expect.stringMatching(fault)]);
  });
});
