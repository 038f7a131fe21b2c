// The table of constructs: every snippet is sound under real bash, it has all that the installed bash has, and the
// document shows it.

import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { afterAll, describe, expect, test } from 'vitest';
import { analyze } from '../../src/analyze/analyze.ts';
import { judge } from './campaign.js';
import { writeConstructs } from './constructs-document.js';
import { expandSnippet, FAMILIES } from './generate/constructs.js';
import { isAllowed } from './generate/programs.js';
import { Random } from './generate/random.js';
import { OracleUnavailable, openOracle } from './oracle.js';

const MANUAL = '/usr/share/man/man1/bash.1.gz';

/** @param {string} name */
function rowsOf(name) {
  return FAMILIES.find(({ family }) => family === name)?.rows ?? [];
}

/** @param {string} script */
function askBash(script) {
  return execFileSync('bash', ['--norc', '-c', script], { encoding: 'utf8' }).trim().split('\n');
}

/** The letters of `declare [-aAf] [-p name]`; `[-N]` is a number. @param {string} synopsis */
function lettersOf(synopsis) {
  return [...synopsis.replaceAll(/[[ ]-N(?: \||\])/g, '').matchAll(/[[|( ]-([A-Za-z]+)\b/g)].flatMap(
    ([, letters = '']) => [...letters],
  );
}

test('every builtin of this bash, with every option, is in the table', () => {
  const known = new Map(rowsOf('builtins').map((row) => [row.builtin, row.snippets]));
  const builtins = askBash('compgen -b');
  expect(builtins.filter((name) => !known.has(name))).toEqual([]);
  const missing = builtins.flatMap((name) => {
    const snippets = known.get(name) ?? [];
    if (snippets.length === 0) return [];
    const [synopsis = ''] = askBash(`help -s -- '${name}'`);
    const given = snippets.map((snippet) => snippet.match(/\s[-+][A-Za-z@]+/g)?.join('') ?? '').join('');
    return lettersOf(synopsis)
      .filter((letter) => !given.includes(letter))
      .map((letter) => `${name} -${letter}`);
  });
  expect(missing).toEqual([]);
});

test('every option of set and shopt of this bash is in the table', () => {
  const known = (/** @type {string} */ kind) =>
    rowsOf('options').flatMap(({ names = [], option }) => (option === kind ? names : []));
  const missing = (/** @type {string} */ script, /** @type {string} */ kind) =>
    askBash(script)
      .map((line) => line.split(/\s/)[0])
      .filter((name) => !known(kind).includes(name ?? ''));
  expect(missing('set -o', 'set')).toEqual([]);
  expect(missing('shopt', 'shopt')).toEqual([]);
});

test('every shell variable of the manual is in the table', (context) => {
  if (!existsSync(MANUAL)) return context.skip('the manual of bash is not installed');
  const manual = gunzipSync(readFileSync(MANUAL)).toString('latin1');
  const part = manual.slice(manual.indexOf('.SS Shell Variables'), manual.indexOf('.SS Arrays'));
  const variables = [...part.matchAll(/^\.(?:TP|TP \d+)\n\.B (\w+)$/gm)].map(([, name]) => name);
  const known = new Set(rowsOf('variables').flatMap(({ names = [] }) => names));
  expect(variables.length).toBeGreaterThan(80);
  expect(variables.filter((name) => !known.has(name ?? ''))).toEqual([]);
});

test('docs/understanding.md has the table', () => {
  const path = new URL('../../docs/understanding.md', import.meta.url);
  const document = readFileSync(path, 'utf8');
  const written = writeConstructs(document);
  if (process.env.UPDATE_DOCS) writeFileSync(path, written);
  else expect(document).toBe(written);
});

/** @type {import('./oracle.js').Oracle | null} */
let opened = null;
let reason = '';
try {
  opened = await openOracle();
} catch (error) {
  if (!(error instanceof OracleUnavailable)) throw error;
  reason = error.message;
}

if (opened === null) {
  test('the snippets are sound', (context) => context.skip(`programs cannot be confined here: ${reason}`));
}

describe.runIf(opened !== null)('constructs against real bash', () => {
  const oracle = /** @type {import('./oracle.js').Oracle} */ (opened);
  afterAll(() => oracle?.close());

  test.each(FAMILIES)(
    'each snippet of $family is sound',
    async (family) => {
      const random = new Random(20261);
      const wrong = [];
      let tried = 0;
      for (const row of family.rows) {
        for (const template of row.snippets) {
          const { text } = expandSnippet(random, family, row, template);
          if (!isAllowed(text)) continue;
          tried++;
          const { failures } = await judge(analyze, oracle, { text, shell: 'bash' });
          if (failures.length > 0) wrong.push({ text, failures });
        }
      }
      expect(wrong).toEqual([]);
      expect(tried).toBeGreaterThan(family.rows.length);
    },
    240_000,
  );
});
