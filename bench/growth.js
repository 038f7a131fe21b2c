// `npm run bench -- growth [--json] [--quick] [--only NAME]`: what a run in the sandbox costs with much of one thing, as a
// ratio to an empty project measured in the same rounds. Also for the first run of a new shell.

import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { createShell, profileOf } from '../dist/host.js';
import { foregroundFolder, nameFiles } from '../dist/tasks/names.js';
import { ratioRow, report, timeRow } from './lib/measure.js';
import { loadRow, takeTurns } from './lib/turns.js';

const MAX_GROWTH = 3;
/** What was made a moment before a command is searched like its own files (native/touched.c). */
const SETTLING_MS = 11_000;

function makeFolders(parent, count, prefix) {
  const folders = Array.from({ length: count }, (_, i) => join(parent, `${prefix}-${i}`));
  for (const folder of folders) mkdirSync(folder, { recursive: true });
  return folders;
}

function makeFiles(parent, count) {
  const folders = makeFolders(parent, Math.ceil(count / 100), 'folder');
  for (let i = 0; i < count; i += 1) writeFileSync(join(folders[Math.floor(i / 100)], `file-${i}`), '');
}

function makeRepositories(parent, count) {
  const model = join(parent, 'repository-0');
  const { status } = spawnSync('git', ['init', '-q', model]);
  if (status !== 0) throw new Error('git init failed');
  for (let i = 1; i < count; i += 1) cpSync(model, join(parent, `repository-${i}`), { recursive: true });
}

/** Outputs that were kept, as a day of work leaves them. */
function makeOutputs(tasks, count) {
  const folder = foregroundFolder(tasks);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  for (let i = 0; i < count; i += 1)
    writeFileSync(nameFiles(folder, `bash-${i.toString(36).padStart(6, '0')}`).kept, 'output\n', { mode: 0o600 });
}

const rulesOf = (count) => Array.from({ length: count }, (_, i) => `Bash(program-${i} *)`);
const variablesOf = (count) =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [`KEPT_TOKEN_${i}`, `value-${i}`]));

/** In settings, `/x` is a path in their folder. */
const absolute = (paths) => paths.map((path) => `/${path}`);

/** Name → what it adds to an empty place: settings, variables, files. */
const CASES = {
  '1,000 roots': ({ cwd, folder }) => ({ settings: { roots: absolute([cwd, ...makeFolders(folder, 1000, 'root')]) } }),
  '1,000 hidden paths': ({ folder }) => ({
    settings: { sandbox: { filesystem: { denyRead: absolute(makeFolders(folder, 1000, 'hidden')) } } },
  }),
  '400 git repositories': ({ cwd }) => makeRepositories(cwd, 400),
  '10,000 tasks on disk': ({ tasks }) => makeOutputs(tasks, 10_000),
  '1,000 rules': () => ({ settings: { permissions: { allow: rulesOf(1000) } } }),
  '1,000 kept variables': () => {
    const env = variablesOf(1000);
    return { settings: { environment: { keep: Object.keys(env) } }, env };
  },
  '100,000 files': ({ cwd }) => makeFiles(cwd, 100_000),
};

function makePlace(base, name, fill) {
  const folder = join(base, name.replaceAll(/\W+/g, '-'));
  const place = { folder, cwd: join(folder, 'work'), tasks: join(folder, 'tasks') };
  mkdirSync(place.cwd, { recursive: true });
  mkdirSync(place.tasks, { mode: 0o700 });
  const { settings = {}, env = {} } = fill(place) ?? {};
  const settingsFile = join(folder, 'settings.json');
  writeFileSync(settingsFile, JSON.stringify(settings));
  const open = () =>
    createShell({
      ...profileOf(null).engine,
      recording: false,
      cwd: place.cwd,
      mode: 'accept-edits',
      tasksFolder: place.tasks,
      settingsFile,
      hostEnvironment: { ...process.env, ...env },
    });
  return { name, open };
}

async function runOne(shell, name, command) {
  const { exitCode, enforcement, status, verdict } = await shell.run(command);
  if (exitCode !== 0) throw new Error(`${name}: ${status}: ${JSON.stringify(verdict?.findings)}`);
  if (enforcement.tier === 'none') throw new Error(`${name}: not confined: ${enforcement.why}`);
}

async function benchRuns(places, rounds, command) {
  const shells = places.map(({ name, open }) => [name, open()]);
  try {
    const contenders = shells.map(([name, shell]) => [name, () => runOne(shell, name, command)]);
    return await takeTurns(Object.fromEntries(contenders), rounds, { warmUpRounds: 5 });
  } finally {
    await Promise.all(shells.map(([, shell]) => shell.close()));
  }
}

/** With the start of a keeper, as in a new process; without loading modules. */
async function benchFirst(places, rounds) {
  const contenders = places.map(({ name, open }) => [
    name,
    async () => {
      const shell = open();
      await runOne(shell, name, 'true');
      return () => shell.close();
    },
  ]);
  return takeTurns(Object.fromEntries(contenders), rounds, { warmUpRounds: 1 });
}

function rowsOf(title, { empty, ...others }) {
  return [
    timeRow(`${title}, empty`, empty),
    ...Object.entries(others).map(([name, samples]) =>
      ratioRow(`${title}, ${name} / empty`, samples, empty, MAX_GROWTH),
    ),
  ];
}

export async function run(argv) {
  const [json, quick] = [argv.includes('--json'), argv.includes('--quick')];
  const only = argv.includes('--only') ? argv[argv.indexOf('--only') + 1] : null;
  const load = loadRow();
  // Not below /tmp, which is another folder inside the sandbox.
  const base = mkdtempSync(join(homedir(), 'hardshell-growth-'));
  process.env.HOME = join(base, 'home');
  mkdirSync(process.env.HOME);
  try {
    const chosen = Object.entries(CASES).filter(([name]) => only === null || name.includes(only));
    const places = [['empty', () => {}], ...chosen].map(([name, fill]) => makePlace(base, name, fill));
    await new Promise((resolve) => setTimeout(resolve, SETTLING_MS));
    const rows = [
      ...rowsOf('true', await benchRuns(places, quick ? 10 : 60, 'true')),
      ...rowsOf('a command that writes', await benchRuns(places, quick ? 10 : 60, 'touch written')),
      ...rowsOf('the first run', await benchFirst(places, quick ? 3 : 10)),
    ];
    report('growth', [load, ...rows], { json });
  } finally {
    rmSync(base, { recursive: true, force: true });
  }
}
