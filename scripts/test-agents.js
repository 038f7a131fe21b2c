// `npm run test:agents [-- AGENT… --write]`: real agents with hardshell's hook, against a model that follows a script.
// Packages are installed once, in pinned versions, below ~/.cache/hardshell-agents (HARDSHELL_AGENTS). Ends with 1 if
// something does not hold. `--write` updates the table in docs/agents.md. Not part of `npm test`.

import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { PROGRAMS } from './agents/programs.js';
import { COLUMNS, tryAgent } from './agents/scenarios.js';
import { ready, root } from './ready.js';

const DOCUMENT = join(root, 'docs/agents.md');
const CACHE = process.env.HARDSHELL_AGENTS ?? join(homedir(), '.cache/hardshell-agents');
const say = (text) => process.stderr.write(`hardshell: ${text}\n`);

/** Returns why it cannot be installed, or null. */
function installPackages(folder, packages) {
  const wanted = Object.entries(packages).map(([name, version]) => `${name}@${version}`);
  const mark = join(folder, 'installed');
  if (existsSync(mark) && readFileSync(mark, 'utf8') === wanted.join('\n')) return null;
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{"private": true}\n');
  // Some packages download their program by a script; this repository's own settings switch scripts off.
  const args = ['install', '--ignore-scripts=false', '--no-audit', '--no-fund', '--loglevel=error', ...wanted];
  const { status, stderr } = spawnSync('npm', args, { cwd: folder, encoding: 'utf8' });
  if (status !== 0) return stderr.trim().split('\n').at(0) ?? 'npm failed';
  writeFileSync(mark, wanted.join('\n'));
  return null;
}

const WORDS = new Map([
  [true, 'yes'],
  [false, '**no**'],
  [null, '–'],
]);

function rowOf({ title, packages }, outcome) {
  const [version] = Object.values(packages);
  return `| ${[`${title} ${version}`, ...COLUMNS.map((column) => WORDS.get(outcome[column]) ?? '?')].join(' | ')} |`;
}

/** Replaces the rows of the agents that were tried. */
function updateTable(text, rows) {
  const [before, table, after] = text.split(/<!-- agents tried -->\n|<!-- \/agents tried -->/);
  if (table === undefined || after === undefined) throw new Error(`${DOCUMENT} has no table`);
  const old = table.split('\n').filter((line) => /^\| .* [\d.]+ \|/.test(line));
  const titles = rows.map((row) => row.replace(/ [\d.]+ \|.*/, ' '));
  const kept = old.filter((line) => !titles.some((title) => line.startsWith(title)));
  const head = `| agent | ${COLUMNS.join(' | ')} |\n|${'---|'.repeat(COLUMNS.length + 1)}`;
  const day = new Date().toISOString().slice(0, 10);
  const lines = [...kept, ...rows].sort().join('\n');
  return `${before}<!-- agents tried -->\n${head}\n${lines}\n\nTried on ${day}.\n<!-- /agents tried -->${after}`;
}

const { values, positionals } = parseArgs({ allowPositionals: true, options: { write: { type: 'boolean' } } });
const unknown = positionals.find((name) => PROGRAMS[name] === undefined);
if (unknown !== undefined) {
  say(`no such agent: ${unknown}. There are ${Object.keys(PROGRAMS).join(', ')}.`);
  process.exit(2);
}
ready();
const rows = [];
let hasFailed = false;
for (const name of positionals.length === 0 ? Object.keys(PROGRAMS) : positionals) {
  const program = PROGRAMS[name];
  const folder = join(CACHE, name);
  const problem = installPackages(folder, program.packages);
  if (problem !== null) {
    say(`${program.title} is skipped: ${problem}`);
    continue;
  }
  const outcome = await tryAgent(name, program, folder, join(CACHE, 'places'));
  const row = rowOf(program, outcome);
  process.stdout.write(`${row}\n`);
  rows.push(row);
  if (Object.values(outcome).includes(false)) hasFailed = true;
}
if (values.write && rows.length > 0) writeFileSync(DOCUMENT, updateTable(readFileSync(DOCUMENT, 'utf8'), rows));
process.exitCode = hasFailed ? 1 : 0;
