// `npm run test:kernels [-- NAME… --list --write --quick --no-attacks]`: hardshell on real kernels of Debian, in QEMU, one after another.
// Each row runs the doctor, first commands and attacks. Ends with 1 if an attack worked, a command failed, or the doctor
// reports something else than what was found. `--write` updates the table in docs/sandbox.md; `--quick` leaves out
// the longest list of attacks, `--no-attacks` all of them.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import prepareTests from '../test/setup.js';
import { getBusybox, getKernel, listKernels, requirePrograms } from './kernels/archive.js';
import { findAccelerator, runGuest } from './kernels/guest.js';
import { judgeRow } from './kernels/outcome.js';
import { chooseRows, ROWS } from './kernels/rows.js';
import { updateTable, writeRow, writeTable } from './kernels/table.js';
import { Unavailable } from './kernels/unavailable.js';
import { root } from './ready.js';

const DOCUMENT = join(root, 'docs/sandbox.md');
/** Tests of attacks. The long ones try every row, as one user. */
const SHORT_ATTACKS = [
  'test/attacks/research-cases.test.ts',
  'test/attacks/own-sockets.test.ts',
  'test/native/landlock.test.js',
];
const LONG_ATTACKS = { user: 'test/attacks/rows-as-user.test.ts', root: 'test/attacks/rows-as-root.test.ts' };
/** Bubblewrap is not what this is about. */
const PATTERN = '^(?!.*by bubblewrap)';
const MINUTE_MS = 60_000;

const say = (text) => process.stderr.write(`hardshell: ${text}\n`);

function readOptions() {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      list: { type: 'boolean' },
      write: { type: 'boolean' },
      quick: { type: 'boolean' },
      'no-attacks': { type: 'boolean' },
    },
  });
  return { words: positionals, ...values };
}

function list(kernels) {
  for (const { series, release, version, suite } of kernels)
    process.stdout.write(`${[series.padEnd(6), release.padEnd(26), version.padEnd(20), suite].join(' ')}\n`);
  process.stdout.write(`\nrows: ${ROWS.map(({ name }) => name).join(', ')}\n`);
}

function showPart({ part, ...fields }) {
  const seconds = `${Math.round((fields.ms ?? 0) / 1000)} s`;
  if (part === 'message') say(`  ${fields.text}`);
  if (part === 'doctor') {
    const tier = fields.diagnosis?.checks.find(({ name }) => name === 'tier');
    say(`  doctor: ${[fields.diagnosis?.tier ?? 'failed', ...(tier?.details ?? []), seconds].join(', ')}`);
  }
  if (part === 'command') say(`  ${fields.name}: ${fields.problem ?? 'works'}, ${seconds}`);
  if (part === 'attacks') say(`  attacks: ${fields.tests?.length ?? 'not'} run, ${seconds}`);
}

function chooseAttacks({ as, tests = [] }, extent) {
  if (extent === 'none') return [];
  return [...SHORT_ATTACKS, ...tests, ...(extent === 'long' ? [LONG_ATTACKS[as]] : [])];
}

async function runRow(row, { extent, busybox }) {
  const kernel = getKernel(row.kernel, say);
  say(`${row.name}: ${row.kernel.release} (${findAccelerator()})`);
  const attacks = chooseAttacks(row, extent);
  const parts = [];
  const failure = await runGuest({
    kernel,
    busybox,
    row,
    work: { attacks, pattern: PATTERN, hasLimits: row.cgroup === 'delegated' },
    timeoutMs: (extent === 'long' ? 90 : 40) * MINUTE_MS,
    onPart: (part) => {
      parts.push(part);
      showPart(part);
    },
  });
  const outcome = judgeRow(row, parts, failure);
  for (const problem of outcome.problems) say(`${row.name}: PROBLEM: ${problem}`);
  return outcome;
}

async function main({ words, list: isList, write, quick, 'no-attacks': withoutAttacks }) {
  requirePrograms();
  const kernels = listKernels(say);
  if (isList) return list(kernels);
  const rows = chooseRows(words, kernels);
  const unknown = rows.filter(({ kernel }) => kernel === null).map(({ name }) => name);
  if (unknown.length > 0) throw new Unavailable(`No kernel or row is called ${unknown.join(', ')}: see --list.`);
  await prepareTests();
  const busybox = getBusybox();
  const date = new Date().toISOString().slice(0, 10);
  const extent = withoutAttacks ? 'none' : quick ? 'short' : 'long';
  const lines = [];
  for (const row of rows) {
    const outcome = await runRow(row, { extent, busybox });
    lines.push(writeRow(outcome, date));
    if (outcome.problems.length > 0) process.exitCode = 1;
    // After each row: all of them take hours.
    const names = ROWS.map(({ name }) => name);
    if (write) writeFileSync(DOCUMENT, updateTable(readFileSync(DOCUMENT, 'utf8'), lines, names));
  }
  process.stdout.write(`${writeTable(lines)}\n`);
}

try {
  await main(readOptions());
} catch (error) {
  if (!(error instanceof Unavailable) && !String(error.code).startsWith('ERR_PARSE_ARGS')) throw error;
  say(error.message);
  process.exitCode = 2;
}
