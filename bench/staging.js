// `npm run bench -- staging [--json] [--quick]`: what it costs that the changes of a command are staged and land, as ratios to the
// same command run directly in the same rounds; and what landing and undo cost for each file.

import { spawn, spawnSync } from 'node:child_process';
import { appendFileSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { locateKeeper } from '../dist/run/keeper/binary.js';
import { stagesFolder } from '../dist/stage/store.js';
import { ratioRow, report, timeRow } from './lib/measure.js';
import {
  makeArchive,
  makeC,
  makeFiles,
  makePackages,
  makeRepository,
  makeTypeScript,
  openProject,
  peakMegabytes,
  runIn,
  TSC,
} from './lib/staged.js';
import { boundRow, loadRow, takeTurns } from './lib/turns.js';

const NOTHING = 'sh ./nothing.sh';
const makeNothing = (cwd) => writeFileSync(join(cwd, 'nothing.sh'), 'exit 0\n');
const READ_ALL = 'sh ./read.sh';
const TREE_FILES = 10_000;
const CHANGED_FILES = 2000;
const MAX_LAYER_US = 700;
const MAX_FIRST_TOUCH_US = 15;
const MAX_LANDED_US = 60;
const MAX_TREE_LANDS_MS = 100;
const MAX_TREE_UNDONE_MS = 20;
const MAX_MEMORY_RATIO = 1.2;

/** Name → a command, its project, what is removed again after each run, and how many times longer it may take. */
const COMMANDS = {
  'known to change nothing (ls)': { command: 'ls', make: makeNothing, target: 1.1, isBrief: true },
  'writes nothing': { command: NOTHING, make: makeNothing, target: 1.3, isBrief: true },
  tsc: { command: TSC, make: makeTypeScript, made: ['out'], target: 1.1 },
  'gcc, 6 files': { command: 'gcc -O1 -w -c *.c', make: makeC, madeBy: /\.o$/, target: 1.1 },
  'npm ci, 5,500 files': {
    command: 'npm ci --offline --no-audit --no-fund --ignore-scripts',
    make: makePackages,
    made: ['node_modules'],
    target: 1.3,
  },
  'tar xf, 5,000 files': {
    command: 'tar xf tree.tar',
    make: (cwd) => makeArchive(cwd, 5000),
    made: ['tree'],
    target: 1.3,
  },
  'git commit, 2,000 files': {
    command: 'git commit -q -a -m change',
    make: makeRepository,
    change: (cwd, round) => appendFileSync(join(cwd, 'folder-0/file-7'), `${round}\n`),
    target: 2.5,
  },
};

function forget(changes) {
  if (changes !== null) rmSync(join(stagesFolder(), changes.id), { recursive: true });
}

async function benchCommand(base, name, { command, make, made = [], madeBy, change, target, isBrief }, rounds) {
  const projects = {};
  for (const way of ['off', 'apply']) projects[way] = openProject(base, `${name} ${way}`, make);
  let round = 0;
  const contender = (staging) => {
    const project = projects[staging];
    return async () => {
      const { changes } = await runIn(project, command, staging);
      return () => cleanUp(project, changes);
    };
  };
  const cleanUp = (project, changes) => {
    forget(changes);
    for (const path of made) rmSync(join(project.cwd, path), { recursive: true, force: true });
    if (madeBy !== undefined) rmMatching(project.cwd, madeBy);
    change?.(project.cwd, round++);
  };
  try {
    for (const { cwd } of Object.values(projects)) change?.(cwd, round++);
    const samples = await takeTurns(
      { off: contender('off'), apply: contender('apply') },
      isBrief ? 4 * rounds : rounds,
    );
    return [
      timeRow(`${name}: direct`, samples.off),
      timeRow(`${name}: staged`, samples.apply),
      ratioRow(`${name}: staged / direct`, samples.apply, samples.off, target),
    ];
  } finally {
    for (const { close } of Object.values(projects)) await close();
  }
}

function rmMatching(folder, pattern) {
  for (const name of readdirSync(folder)) if (pattern.test(name)) rmSync(join(folder, name));
}

/** One file that is read for the first time in a new layer, and the layer itself. */
async function benchLayer(base, rounds) {
  const make = (cwd) => {
    makeNothing(cwd);
    makeFiles(join(cwd, 'tree'), TREE_FILES);
    writeFileSync(join(cwd, 'read.sh'), 'cat tree/*/* > /dev/null\n');
  };
  const project = openProject(base, 'layer', make);
  const contender = (command, staging) => async () => {
    const { changes } = await runIn(project, command, staging);
    return () => forget(changes);
  };
  try {
    const samples = await takeTurns(
      {
        nothing: contender(NOTHING, 'off'),
        layer: contender(NOTHING, 'apply'),
        read: contender(READ_ALL, 'off'),
        touched: contender(READ_ALL, 'apply'),
      },
      2 * rounds,
    );
    const more = (a, b, count) => a.map((value, round) => (value - b[round]) / count);
    const files = more(more(samples.touched, samples.read, 1), more(samples.layer, samples.nothing, 1), TREE_FILES);
    return [
      boundRow(
        'a layer that nothing is written to, more than without',
        more(samples.layer, samples.nothing, 1),
        'us',
        MAX_LAYER_US,
      ),
      boundRow('a file that is read for the first time, more than without', files, 'us', MAX_FIRST_TOUCH_US),
    ];
  } finally {
    await project.close();
  }
}

/** Microseconds of processor time: a landing waits for nothing but the disk, and other programs do not count. */
function timeVerb(verb, id) {
  const script = 'TIMEFORMAT="time %3U %3S"; time "$@"';
  const argv = ['--norc', '-c', script, 'bash', locateKeeper().path, 'stage', verb, join(stagesFolder(), id)];
  const { status, stderr } = spawnSync('bash', argv, { encoding: 'utf8', env: { LC_ALL: 'C' } });
  const [, user, system] = /time ([\d.]+) ([\d.]+)/.exec(stderr) ?? [];
  if (status !== 0 || user === undefined) throw new Error(`${verb}: ${stderr}`);
  return (Number(user) + Number(system)) * 1e6;
}

/** Runs a command whose changes are held, then lets them land, undoes them and lets them land again. */
async function benchVerbs(base, name, { command, make }, rounds) {
  const project = openProject(base, name, make);
  const samples = { apply: [], undo: [], redo: [] };
  try {
    for (let round = 0; round < rounds; round += 1) {
      const { changes } = await runIn(project, command, 'review');
      for (const verb of Object.keys(samples)) samples[verb].push(timeVerb(verb, changes.id));
      timeVerb('undo', changes.id);
      forget(changes);
    }
    return samples;
  } finally {
    await project.close();
  }
}

const milliseconds = (samples) => samples.map((value) => value / 1000);
const perFile = (samples, small, count) => samples.map((value, round) => (value - small[round]) / count);

async function benchLanding(base, rounds) {
  const make = (cwd) => makeFiles(join(cwd, 'tree'), TREE_FILES);
  const makeChanged = (cwd) => makeFiles(join(cwd, 'tree'), CHANGED_FILES);
  const one = await benchVerbs(base, 'one', { command: 'echo x >> tree/folder-0/file-0', make: makeChanged }, rounds);
  const created = await benchVerbs(base, 'new', { command: 'cp -r tree other', make }, rounds);
  const deleted = await benchVerbs(base, 'deleted', { command: 'rm -r tree', make }, rounds);
  const append = 'for f in tree/*/*; do echo x >> $f; done';
  const changed = await benchVerbs(base, 'changed', { command: append, make: makeChanged }, rounds);
  const rows = [];
  for (const [name, samples] of [
    ['a new tree of 10,000 files', created],
    ['a deleted tree of 10,000 files', deleted],
  ])
    rows.push(
      boundRow(`${name} lands, processor time`, milliseconds(samples.apply), 'ms', MAX_TREE_LANDS_MS),
      boundRow(`${name} is undone, processor time`, milliseconds(samples.undo), 'ms', MAX_TREE_UNDONE_MS),
    );
  return [
    ...rows,
    boundRow(
      'a changed file lands, processor time',
      perFile(changed.apply, one.apply, CHANGED_FILES),
      'us',
      MAX_LANDED_US,
    ),
    boundRow(
      'a changed file is undone, processor time',
      perFile(changed.undo, one.undo, CHANGED_FILES),
      'us',
      MAX_LANDED_US,
    ),
    boundRow(
      'a changed file lands again, processor time',
      perFile(changed.redo, one.redo, CHANGED_FILES),
      'us',
      MAX_LANDED_US,
    ),
  ];
}

/** The memory of a landing, with few and with many bytes that differ only in the last one. */
async function benchMemory(base, megabytes) {
  const peaks = [];
  for (const size of [1, megabytes]) {
    const project = openProject(base, `memory ${size}`, (cwd) =>
      writeFileSync(join(cwd, 'f'), Buffer.alloc(size << 20, 1)),
    );
    try {
      const { changes } = await runIn(project, 'printf x | dd of=f bs=1 conv=notrunc 2> /dev/null', 'review');
      peaks.push(
        await peakMegabytes(spawn(locateKeeper().program, ['stage', 'apply', join(stagesFolder(), changes.id)])),
      );
      forget(changes);
    } finally {
      await project.close();
    }
  }
  return boundRow(`memory of a landing of ${megabytes} MB / of 1 MB`, [peaks[1] / peaks[0]], 'x', MAX_MEMORY_RATIO);
}

export async function run(argv) {
  const [json, quick] = [argv.includes('--json'), argv.includes('--quick')];
  const only = argv.includes('--only') ? argv[argv.indexOf('--only') + 1] : '';
  // Renames need one file system, and in a sandbox temporary folders are new.
  const base = mkdtempSync(join(homedir(), 'hardshell-bench-'));
  process.env.HARDSHELL_STATE_DIR = join(base, 'state');
  const rows = [loadRow()];
  try {
    for (const [name, command] of Object.entries(COMMANDS))
      if (name.includes(only)) rows.push(...(await benchCommand(base, name, command, quick ? 5 : 20)));
    if ('layer'.includes(only)) rows.push(...(await benchLayer(base, quick ? 5 : 20)));
    if ('landing'.includes(only)) rows.push(...(await benchLanding(base, quick ? 3 : 20)));
    if ('memory'.includes(only)) rows.push(await benchMemory(base, quick ? 128 : 1024));
    report('staging', rows, { json });
  } finally {
    rmSync(base, { recursive: true, force: true });
  }
}
