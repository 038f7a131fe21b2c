// `npm run bench -- analyze [--json] [--quick]`: the cost of understanding a command, as ratios measured in one run:
// against the parser alone, against web-tree-sitter's parse alone, and, for the worst inputs, against starting a shell.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { forEachChild, parse } from 'unbash';
import { Language, Parser } from 'web-tree-sitter';
import { analyze } from '../dist/host.js';
import { everyday, pathological } from './lib/inputs.js';
import { interleave, quantile, ratioRow, report, timeRow } from './lib/measure.js';

const MAX_PARSER_RATIO = 8;
const MAX_TREE_SITTER_RATIO = 0.5;
const MAX_SPAWN_RATIO = 25;
const SHOWN_WORST = 5;
const options = { cwd: '/w', shell: 'bash', variables: { HOME: '/home/u' } };

function visit(node) {
  forEachChild(node, visit);
}

async function createTreeSitter() {
  await Parser.init();
  const parser = new Parser();
  const grammar = createRequire(import.meta.url).resolve('tree-sitter-bash/tree-sitter-bash.wasm');
  parser.setLanguage(await Language.load(grammar));
  return parser;
}

async function benchEveryday(rounds) {
  const treeSitter = await createTreeSitter();
  return Object.entries(everyday).flatMap(([name, text]) => {
    const contenders = {
      analyze: () => analyze(text, options),
      unbash: () => visit(parse(text)),
      'tree-sitter': () => treeSitter.parse(text).delete(),
    };
    const samples = interleave(contenders, rounds);
    return [
      timeRow(`${name}: analyze`, samples.analyze),
      timeRow(`${name}: unbash, parse and walk`, samples.unbash),
      timeRow(`${name}: web-tree-sitter, parse alone`, samples['tree-sitter']),
      ratioRow(`${name}: analyze / unbash`, samples.analyze, samples.unbash, MAX_PARSER_RATIO),
      ratioRow(`${name}: analyze / web-tree-sitter`, samples.analyze, samples['tree-sitter'], MAX_TREE_SITTER_RATIO),
    ];
  });
}

async function timeSpawn() {
  const start = process.hrtime.bigint();
  await once(spawn('bash', ['-c', 'true']), 'close');
  return Number(process.hrtime.bigint() - start) / 1e3;
}

function timeAnalyze(name) {
  const start = process.hrtime.bigint();
  try {
    analyze(pathological[name], options);
  } catch (cause) {
    throw new Error(`analyze threw for the input "${name}", which must never happen: ${cause.message}`, { cause });
  }
  return Number(process.hrtime.bigint() - start) / 1e3;
}

async function benchPathological(rounds) {
  const names = Object.keys(pathological);
  const samples = Object.fromEntries(names.map((name) => [name, []]));
  const spawns = [];
  for (let round = -2; round < rounds; round += 1) {
    const spawned = await timeSpawn();
    const times = names.map(timeAnalyze);
    if (round < 0) continue;
    spawns.push(spawned);
    names.forEach((name, i) => {
      samples[name].push(times[i]);
    });
  }
  const worst = names.sort((a, b) => quantile(samples[b], 0.5) - quantile(samples[a], 0.5));
  return [
    timeRow('spawn of bash -c true', spawns),
    ...worst.slice(0, SHOWN_WORST).map((name) => timeRow(`10,000 characters, ${name}`, samples[name])),
    ratioRow(
      `worst of ${names.length} slow inputs / spawn of bash -c true`,
      samples[worst[0]],
      spawns,
      MAX_SPAWN_RATIO,
    ),
  ];
}

export async function run(argv) {
  const [json, quick] = [argv.includes('--json'), argv.includes('--quick')];
  const rows = [...(await benchEveryday(quick ? 100 : 600)), ...(await benchPathological(quick ? 12 : 60))];
  report('analyze', rows, { json });
}
