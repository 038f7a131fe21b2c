// `npm run bench -- corpus [--data DIR] [--json]`: real command lines, one per line in *.txt files that are not part of the project.
// Looks for crashes and slow commands, and reports how often the answer is "cannot tell", and why.

import { readdirSync, readFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { analyze } from '../dist/host.js';
import { quantile, report } from './lib/measure.js';

const DEFAULT_DATA = fileURLToPath(new URL('../../shared/data', import.meta.url));
const SLOW_US = 50_000;
const options = { cwd: '/w', shell: 'bash', variables: { HOME: '/home/u' } };

function readCorpus(folder) {
  try {
    return readdirSync(folder)
      .filter((name) => name.endsWith('.txt'))
      .map((name) => [basename(name, '.txt'), readFileSync(join(folder, name), 'utf8').split('\n').filter(Boolean)]);
  } catch {
    return [];
  }
}

function analyzeAll(commands) {
  const seen = { times: [], crashes: [], slow: [], cannotTell: [], readOnly: 0, reasons: new Map(), slowest: ['', 0] };
  // Once unmeasured: this measures the cost of a command, not of compiling our own code.
  for (const command of commands.slice(0, 500)) tryAnalyze(command);
  for (const command of commands) {
    const start = process.hrtime.bigint();
    const facts = tryAnalyze(command);
    const us = Number(process.hrtime.bigint() - start) / 1e3;
    seen.times.push(us);
    if (us > SLOW_US) seen.slow.push(command);
    if (us > seen.slowest[1]) seen.slowest = [command, us];
    if (facts instanceof Error) seen.crashes.push(`${command}\n    ${facts.stack}`);
    else if (facts.status === 'cannot-tell') {
      seen.cannotTell.push(command);
      for (const id of new Set(facts.reasons.map((reason) => reason.id)))
        seen.reasons.set(id, [...(seen.reasons.get(id) ?? []), command]);
    } else if (facts.readOnly) seen.readOnly += 1;
  }
  return seen;
}

function tryAnalyze(command) {
  try {
    return analyze(command, options);
  } catch (error) {
    return error;
  }
}

function tell(name, seen, { examples }) {
  const { length } = seen.times;
  const share = (count) => `${count} (${((100 * count) / length).toFixed(2)} %)`;
  const write = (line) => process.stdout.write(`${line}\n`);
  write(`${name}: ${length} commands`);
  write(`  crashes       ${seen.crashes.length}`);
  for (const crash of seen.crashes.slice(0, 5)) write(`    ${crash}`);
  write(`  over 50 ms    ${seen.slow.length}`);
  write(`  slowest       ${seen.slowest[1].toFixed(0)} us: ${seen.slowest[0].slice(0, 100)}`);
  write(`  read-only     ${share(seen.readOnly)}`);
  write(`  cannot tell   ${share(seen.cannotTell.length)}`);
  for (const [id, commands] of [...seen.reasons].sort((a, b) => b[1].length - a[1].length)) {
    write(`    ${id.padEnd(22)} ${share(commands.length)}`);
    for (const command of commands.slice(0, examples)) write(`      ${command.slice(0, 160)}`);
  }
}

export async function run(argv) {
  const json = argv.includes('--json');
  const folder = argv.includes('--data') ? resolve(argv[argv.indexOf('--data') + 1] ?? '') : DEFAULT_DATA;
  const examples = argv.includes('--examples') ? Number(argv[argv.indexOf('--examples') + 1]) : 0;
  const corpus = readCorpus(folder);
  if (corpus.length === 0) {
    process.stderr.write(
      `hardshell: no *.txt files in ${folder}. Name a folder of command lines: npm run bench -- corpus --data DIR\n`,
    );
    return 2;
  }
  const results = corpus.map(([name, commands]) => [name, analyzeAll(commands)]);
  if (!json) for (const [name, seen] of results) tell(name, seen, { examples });
  const rows = results.flatMap(([name, seen]) => [
    { case: `${name}: one command`, median: quantile(seen.times, 0.5), p95: quantile(seen.times, 0.95), unit: 'us' },
    percent(`${name}: cannot tell`, seen.cannotTell.length, seen.times.length),
    percent(`${name}: crashes`, seen.crashes.length, seen.times.length),
    percent(`${name}: over 50 ms`, seen.slow.length, seen.times.length),
  ]);
  if (json) report('corpus', rows, { json });
  return results.some(([, seen]) => seen.crashes.length + seen.slow.length > 0) ? 1 : 0;
}

function percent(name, count, total) {
  const value = (100 * count) / total;
  return { case: name, median: value, p95: value, unit: '%' };
}
