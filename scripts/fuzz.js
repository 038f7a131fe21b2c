// npm run fuzz -- --seconds N [--count N] [--seed S] [--json] [--replay FILE] [--family NAME]
// Soundness fuzzing of `analyze` against real bash. Exit code 1: an unsound prediction, or something outside was touched.
// Exit code 2: it cannot run confined here, so it does not run.
// npm run fuzz -- programs [--count N] [--seconds N] [--seed S] [--program NAME]: command lines that are called read-only, run confined;
// exit code 1: one of them changed a file.

import { spawnSync } from 'node:child_process';
import { appendFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { explainFailure, judge, runCampaign } from '../test/fuzz/campaign.js';
import { describe } from '../test/fuzz/check.js';
import { FAMILIES } from '../test/fuzz/generate/constructs.js';
import { Random } from '../test/fuzz/generate/random.js';
import { OracleUnavailable, openOracle } from '../test/fuzz/oracle.js';
import { watchOutside } from '../test/fuzz/outside.js';
import { runPrograms } from '../test/fuzz/programs/campaign.js';
import { openProgramOracle } from '../test/fuzz/programs/oracle.js';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
/** Every unsound program, as it was generated and as it was made small: `--replay` takes the file. */
const SAVED = `${ROOT}.cache/fuzz/unsound.jsonl`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seconds: { type: 'string' },
    count: { type: 'string' },
    seed: { type: 'string' },
    findings: { type: 'string', default: '20' },
    json: { type: 'boolean', default: false },
    replay: { type: 'string' },
    family: { type: 'string' },
    program: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});

/** @param {string} name @param {string | undefined} text */
function positive(name, text) {
  if (text === undefined) return undefined;
  const value = Number(text);
  if (Number.isFinite(value) && value >= 0) return value;
  process.stderr.write(`fuzz: --${name} needs a number, not "${text}"\n`);
  process.exit(64);
}

function build() {
  const script = `${ROOT}scripts/build.js`;
  const [program, args] = existsSync(script) ? [process.execPath, [script]] : ['npx', ['tsc', '-p', 'tsconfig.json']];
  const { status } = spawnSync(program, args, { cwd: ROOT, stdio: ['ignore', 2, 2] });
  if (status !== 0) process.exit(status ?? 1);
}

/** @param {import('../test/fuzz/campaign.js').Finding} finding */
function printFinding(finding) {
  process.stderr.write(
    `\nUNSOUND (${finding.kind}, ${finding.shell}, program seed ${finding.seed})\n  program:   ${JSON.stringify(finding.command)}\n` +
      `  happened:  ${finding.detail}\n  ran:       ${finding.ran.join(' | ') || 'nothing'}\n  predicted: ${finding.predicted}\n`,
  );
}

/** @param {import('../test/fuzz/campaign.js').Unsound | import('../test/fuzz/campaign.js').Finding} unsound */
function save(unsound) {
  mkdirSync(dirname(SAVED), { recursive: true });
  appendFileSync(SAVED, `${JSON.stringify(unsound)}\n`);
}

/** @param {import('../test/fuzz/campaign.js').Unsound} unsound */
function noteUnsound(unsound) {
  save(unsound);
  const { kind, shell, seed, command, detail } = unsound;
  process.stderr.write(`unsound (${kind}, ${shell}, program seed ${seed}): ${JSON.stringify(command)}: ${detail}\n`);
}

/**
 * @param {import('../test/fuzz/campaign.js').Analyze} analyze
 * @param {import('../test/fuzz/oracle.js').Oracle} oracle
 * @param {string} file a JSON list or lines of `{command, shell?}`, or the text of one program
 */
async function replay(analyze, oracle, file) {
  const text = readFileSync(file, 'utf8');
  const rows = readPrograms(file, text);
  let unsound = 0;
  for (const { command, shell = 'bash' } of rows) {
    const subject = { text: command, shell };
    const { facts, observation, failures } = await judge(analyze, oracle, subject);
    process.stdout.write(
      `${failures.length > 0 ? 'UNSOUND' : 'sound  '} ${facts?.status ?? 'crash'} ${JSON.stringify(command)} ran ${observation.executions.map(describe).join(' | ')}\n`,
    );
    if (failures[0]) {
      unsound++;
      printFinding(await explainFailure(analyze, oracle, subject, failures[0].kind));
    }
  }
  return unsound;
}

/** @param {string} file @param {string} text @returns {{ command: string, shell?: 'bash' | 'sh' }[]} */
function readPrograms(file, text) {
  if (file.endsWith('.json')) return JSON.parse(text);
  if (!file.endsWith('.jsonl')) return [{ command: text }];
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
}

async function main() {
  if (values.help) {
    process.stdout.write(
      `${readFileSync(fileURLToPath(import.meta.url), 'utf8')
        .split('\n')
        .slice(0, 5)
        .join('\n')}\n`,
    );
    return 0;
  }
  const seconds = positive('seconds', values.seconds);
  const count = positive('count', values.count);
  if (values.family !== undefined && !FAMILIES.some(({ family }) => family === values.family)) {
    process.stderr.write(`fuzz: --family is one of: ${FAMILIES.map(({ family }) => family).join(', ')}\n`);
    return 64;
  }
  const seed = positive('seed', values.seed) ?? Date.now() % 1_000_000_000;
  if (positionals.length > 0 && positionals.join(' ') !== 'programs') {
    process.stderr.write(`fuzz: "${positionals.join(' ')}" is not known; it is \`programs\` or nothing\n`);
    return 64;
  }
  build();
  if (positionals.length > 0) return await fuzzPrograms(seed, count, seconds);
  const { analyze } = await import('../dist/analyze/analyze.js');
  const oracle = await openOracle();
  const outside = watchOutside(ROOT);
  if (values.replay !== undefined) {
    const unsound = await replay(analyze, oracle, values.replay);
    await oracle.close();
    return unsound > 0 ? 1 : 0;
  }
  const { figures, findings } = await runCampaign({
    analyze,
    oracle,
    seed,
    ...(seconds === undefined && count === undefined ? { seconds: 60 } : {}),
    ...(seconds === undefined ? {} : { seconds }),
    ...(count === undefined ? {} : { count }),
    ...(values.family === undefined ? {} : { family: values.family }),
    maxFindings: positive('findings', values.findings) ?? 20,
    onUnsound: noteUnsound,
    onFinding: (finding) => {
      save(finding);
      printFinding(finding);
    },
    onProgress: (now) => {
      const { programs, unsound, cannotTellRate, programsPerSecond } = now.summary();
      process.stderr.write(
        `${programs} programs, ${unsound} unsound, cannot tell ${(cannotTellRate * 100).toFixed(1)} %, ${programsPerSecond}/s\n`,
      );
    },
  });
  const { space } = oracle;
  await oracle.close();
  const proof = outside.check(space);
  return report(figures.summary(), findings, proof);
}

/**
 * @param {number} seed
 * @param {number | undefined} count
 * @param {number | undefined} seconds
 */
async function fuzzPrograms(seed, count, seconds) {
  const { analyze } = await import('../dist/analyze/analyze.js');
  const { allCommands } = await import('../dist/analyze/commands/table.js');
  const oracle = await openProgramOracle();
  const { findings, ...figures } = await runPrograms({
    analyze,
    commands: allCommands(),
    oracle,
    random: new Random(seed),
    count: count ?? (seconds === undefined ? 500 : Number.POSITIVE_INFINITY),
    ...(seconds === undefined ? {} : { seconds }),
    ...(values.program === undefined ? {} : { only: values.program }),
    onFinding: ({ command, changed }) => process.stderr.write(`CHANGED ${command}: ${changed.join(' ')}\n`),
    onProgress: (lines) => process.stderr.write(`${lines} command lines\n`),
  });
  await oracle.close();
  for (const [name, value] of Object.entries({ ...figures, changed: findings.length, seed })) {
    process.stdout.write(`${name.padEnd(18)} ${value}\n`);
  }
  if (values.json)
    process.stdout.write(
      `${JSON.stringify({ schemaVersion: 1, name: 'fuzz programs', ...figures, seed, findings })}\n`,
    );
  return findings.length > 0 ? 1 : 0;
}

/** @param {Record<string, number>} counts */
function listCounts(counts) {
  const sorted = Object.entries(counts).sort((a, b) => b[1] - a[1]);
  return sorted.map(([name, times]) => `${name} ${times}`).join(', ') || '-';
}

/**
 * @param {ReturnType<import('../test/fuzz/campaign.js').Figures['summary']>} summary
 * @param {import('../test/fuzz/campaign.js').Finding[]} findings
 * @param {ReturnType<ReturnType<typeof watchOutside>['check']>} proof
 */
function report(summary, findings, proof) {
  const { reasons, families, ...figures } = summary;
  for (const [name, value] of Object.entries(figures)) process.stdout.write(`${name.padEnd(18)} ${value}\n`);
  process.stdout.write(`cannot tell because ${listCounts(reasons)}\n`);
  process.stdout.write(`programs with ${listCounts(families)}\n`);
  process.stdout.write(`outside untouched: ${proof.untouched ? 'yes' : 'NO'}\n`);
  for (const path of [...proof.touched, ...proof.changed]) process.stdout.write(`  changed in the meantime: ${path}\n`);
  for (const id of proof.processes) process.stdout.write(`  process left: ${id}\n`);
  if (values.json)
    process.stdout.write(
      `${JSON.stringify({ schemaVersion: 1, name: 'fuzz', ...summary, outsideUntouched: proof.untouched, findings })}\n`,
    );
  return summary.unsound > 0 || !proof.untouched ? 1 : 0;
}

try {
  process.exitCode = await main();
} catch (error) {
  if (!(error instanceof OracleUnavailable)) throw error;
  process.stderr.write(`fuzz: not run, because programs cannot be confined here: ${error.message}\n`);
  process.exitCode = 2;
}
