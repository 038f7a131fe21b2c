// Every row of docs/THREAT_MODEL.md names a test file and a test in it, each of the 29 known escapes is there, and each
// guarantee is said for each tier.

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { GUARANTEES } from '../../src/core/confinement.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const TEXT = readFileSync(join(ROOT, 'docs/THREAT_MODEL.md'), 'utf8');

interface Table {
  readonly heads: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

const cellsOf = (line: string) =>
  line
    .slice(1, -1)
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim());

function readTables(text: string): Table[] {
  return [...text.matchAll(/(?:^\|.*\|\n)+/gm)].map(([block]) => {
    const [heads = [], , ...rows] = block.trimEnd().split('\n').map(cellsOf);
    return { heads, rows };
  });
}

/** What is wrong with the last cell of a row: `file` · name of the test. */
function findProblem(row: readonly string[]): string | null {
  const [, file, name] = /^`([^`]+)` · (.+)$/.exec(row.at(-1) ?? '') ?? [];
  if (file === undefined || name === undefined) return `no test is named: ${row.join(' | ')}`;
  if (!/^(?:test|src)\/.*(?:\.test\.[tj]s|-rows\.ts|-contract\.ts|\.json)$/.test(file)) return `${file} holds no tests`;
  if (!existsSync(join(ROOT, file))) return `${file} does not exist`;
  const isThere = readFileSync(join(ROOT, file), 'utf8').includes(name);
  return isThere ? null : `${file} has no "${name}"`;
}

const tables = readTables(TEXT);
const tested = tables.filter(({ heads }) => heads.at(-1) === 'test');

describe('docs/THREAT_MODEL.md', () => {
  test('every threat has a test that exists', () => {
    expect(tested.length).toBeGreaterThanOrEqual(4);
    expect(tested.flatMap(({ rows }) => rows.flatMap((row) => findProblem(row) ?? []))).toEqual([]);
  });

  test('each of the 29 known escapes has a row, in order', () => {
    const numbered = tables.find(({ heads }) => heads[0] === '#');
    expect(numbered?.rows.map(([number]) => Number(number))).toEqual(Array.from({ length: 29 }, (_, i) => i + 1));
  });

  test('every guarantee is said for every tier', () => {
    const tiers = tables.find(({ heads }) => heads[0] === 'guarantee');
    expect(tiers?.heads).toEqual(['guarantee', 'namespaces', 'landlock', 'bubblewrap', 'none']);
    expect(tiers?.rows.map(([guarantee]) => guarantee)).toEqual(GUARANTEES.map((guarantee) => `\`${guarantee}\``));
  });

  test.each([
    ['a row without a test', '| a | b |', /no test is named/],
    ['a file that is gone', '| a | `test/gone.test.ts` · x |', /does not exist/],
    ['a test that is gone', '| a | `test/architecture.test.ts` · no such name |', /has no "no such name"/],
    ['a file that holds no tests', '| a | `src/index.ts` · x |', /holds no tests/],
  ])('the check sees %s', (_, line, problem) => {
    expect(findProblem(cellsOf(line))).toMatch(problem);
  });
});

test('install scripts are off, and what is installed is locked', () => {
  expect(readFileSync(join(ROOT, '.npmrc'), 'utf8')).toMatch(/^ignore-scripts=true$/m);
  const read = (name: string) => JSON.parse(readFileSync(join(ROOT, name), 'utf8'));
  const { dependencies, devDependencies } = read('package.json') as Record<string, Record<string, string>>;
  for (const version of Object.values({ ...dependencies, ...devDependencies }))
    expect(version).toMatch(/^\d+\.\d+\.\d+$/);
  // Those of other platforms are known by their version alone: they are not installed here.
  type Locked = { readonly integrity?: string; readonly optional?: boolean };
  const packages = Object.entries(read('package-lock.json').packages as Record<string, Locked>);
  const open = packages.filter(
    ([path, { integrity, optional }]) => path !== '' && !optional && integrity === undefined,
  );
  expect(open).toEqual([]);
});

test('the compile cache is next to the code', () => {
  const text = readFileSync(join(ROOT, 'bin/hardshell.js'), 'utf8');
  const folders = [...text.matchAll(/(\S*)\.cache\//g)].map(([, before]) => before);
  expect(folders.length).toBeGreaterThanOrEqual(1);
  for (const before of folders) expect(before).toMatch(/`\$\{ROOT\}\/$/);
  expect(text).not.toMatch(/tmpdir|NODE_COMPILE_CACHE/);
});
