// What is tried with each agent, by its own shell tool with hardshell's hook, and how it is judged.

import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { root } from '../ready.js';
import { startModel } from './model.js';

const BIN = join(root, 'bin/hardshell.js');
const AGENT_MS = 300_000;
/** How long `slow` sleeps before it leaves its second file. */
const SLOW_SECONDS = 15;

/** Column → whether it holds: true, false, or null if the tool has no such field. */
export const COLUMNS = [
  ...['confined', 'denied', 'asked', 'long output', 'time limit', 'background', 'other folder'],
  ...['cancelled', 'broken hook', '--undo'],
];

const SCRIPTS = {
  write: 'touch inside; touch ../outside; echo wrote; exit 3',
  long: 'seq -f line-%g 1 20000',
  slow: `touch "$1-began"; sleep ${SLOW_SECONDS}; touch "$1-ended"`,
};

/** Homes are not below /tmp: Codex refuses that. */
function makePlace(base, name) {
  const place = join(base, name);
  rmSync(place, { recursive: true, force: true });
  const [home, project, other] = ['home', 'project', 'other'].map((each) => join(place, each));
  for (const folder of [join(home, '.config/hardshell'), project, other]) mkdirSync(folder, { recursive: true });
  for (const [script, text] of Object.entries(SCRIPTS)) {
    writeFileSync(join(project, script), `#!/bin/sh\n${text}\n`);
    chmodSync(join(project, script), 0o755);
  }
  writeFileSync(join(project, 'Makefile'), 'deploy:\n\ttouch deployed\n');
  const permissions = {
    allow: Object.keys(SCRIPTS).map((script) => `Bash(./${script}:*)`),
    deny: ['Bash(make deploy)'],
  };
  mkdirSync(join(project, '.hardshell'));
  writeFileSync(join(project, '.hardshell/settings.json'), JSON.stringify({ permissions }));
  writeFileSync(join(home, '.config/hardshell/settings.json'), JSON.stringify({ trustedFolders: [`/${project}`] }));
  return { home, project, other, has: (path) => existsSync(join(project, path)) };
}

function install({ home, project }, agent, ...more) {
  const env = { PATH: process.env.PATH, HOME: home };
  return spawnSync(process.execPath, [BIN, 'install', agent, '--yes', ...more], {
    cwd: project,
    env,
    encoding: 'utf8',
  });
}

/** Starts the agent against a model that makes these calls; returns what the tool answered to each. */
async function converse(program, folder, { home, project }, calls, onStart = () => {}) {
  const steps = [...calls.map((call) => ({ input: program.call(call) })), { text: 'finished' }];
  const model = await startModel(program.tool, steps);
  const { argv, env } = program.start(folder, model.port);
  const [file, ...args] = argv;
  const child = spawn(file, args, {
    cwd: project,
    env: { PATH: process.env.PATH, HOME: home, TERM: 'dumb', LANG: 'C.UTF-8', ...env },
    stdio: 'ignore',
    detached: true,
  });
  const limit = setTimeout(() => endGroup(child), AGENT_MS);
  const ended = new Promise((resolve) => child.once('exit', resolve));
  await onStart(child);
  await ended;
  clearTimeout(limit);
  model.close();
  return [...model.results];
}

function endGroup({ pid }) {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {}
}

async function waitFor(isTrue, seconds) {
  for (let i = 0; i < seconds * 4 && !isTrue(); i += 1) await sleep(250);
  return isTrue();
}

/** @returns column → outcome */
export async function tryAgent(name, program, folder, base) {
  const place = makePlace(base, name);
  const { has: can } = program;
  const { stdout, stderr, status } = install(place, name);
  if (status !== 0) throw new Error(`install failed: ${stdout}${stderr}`);
  program.prepare?.(place.home);

  const calls = [
    { column: 'confined', command: './write' },
    { column: 'denied', command: 'make deploy' },
    { column: 'asked', command: 'npm install left-pad' },
    { column: 'long output', command: './long' },
    ...(can.limit ? [{ column: 'time limit', command: './slow limit', limit: 4_000 }] : []),
    ...(can.background ? [{ column: 'background', command: './slow background', background: true }] : []),
    ...(can.folder ? [{ column: 'other folder', command: 'make deploy', folder: place.other }] : []),
  ];
  const answers = await converse(program, folder, place, calls);
  const said = (column) => answers[calls.findIndex((call) => call.column === column)] ?? '';
  const isBlocked = (column) => said(column).includes('hardshell blocked this command') && !place.has('deployed');
  const outcome = {
    confined: place.has('inside') && !place.has('../outside') && /wrote/.test(said('confined')),
    denied: isBlocked('denied'),
    asked: isBlocked('asked') && !place.has('node_modules'),
    // Agents show the beginning or the end.
    'long output': /line-(?:1|20000)\b/.test(said('long output')),
    'time limit': can.limit ? said('time limit') !== '' : null,
    background: can.background ? place.has('background-began') && said('background') !== '' : null,
    'other folder': can.folder ? isBlocked('other folder') : null,
  };

  outcome.cancelled = can.cancel ? await isCancelled(program, folder, place) : null;

  rmSync(join(place.project, 'inside'), { force: true });
  breakHook(place.home);
  const broken = await converse(program, folder, place, [{ command: './write' }]);
  outcome['broken hook'] = broken.length > 0 && !place.has('inside');

  install(place, name, '--undo');
  outcome['--undo'] = !settingsIn(place.home).some((file) => /hook [a-z-]+ --confine/.test(readFileSync(file, 'utf8')));
  return outcome;
}

async function isCancelled(program, folder, place) {
  await converse(program, folder, place, [{ command: './slow cancel' }], async (child) => {
    const began = await waitFor(() => place.has('cancel-began'), AGENT_MS / 1_000);
    if (began) child.kill('SIGINT');
    if (began && !(await waitFor(() => child.exitCode !== null || child.signalCode !== null, 10)))
      child.kill('SIGTERM');
  });
  await sleep((SLOW_SECONDS + 2) * 1_000);
  return place.has('cancel-began') && !place.has('cancel-ended');
}

function settingsIn(home) {
  const names = ['.claude/settings.json', '.codex/hooks.json', '.gemini/settings.json', '.qwen/settings.json'];
  const plugins = join(home, '.config/opencode/plugin');
  const own = existsSync(plugins) ? readdirSync(plugins).map((name) => join(plugins, name)) : [];
  return [...names.map((name) => join(home, name)), ...own].filter((file) => existsSync(file));
}

/** As if hardshell had been moved. */
function breakHook(home) {
  for (const file of settingsIn(home))
    writeFileSync(file, readFileSync(file, 'utf8').replaceAll(BIN, '/nowhere/bin/hardshell.js'));
}
