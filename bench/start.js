// `npm run bench -- start [--json] [--quick]`: the cost of one cold process, as ratios to `node -e 0` in the same run,
// interleaved: what an agent waits for before each of its commands, and a person for each of theirs.

import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ratioRow, report, timeRow } from './lib/measure.js';

/** For everything that does not run a command. */
const MAX_RATIO = 1.6;
const MAX_RUN_RATIO = 3;
const MAX_TASKS_RATIO = 2;
const ROUNDS = 60;
const QUICK_ROUNDS = 12;
const BIN = fileURLToPath(new URL('../bin/hardshell.js', import.meta.url));
const FOLDER = mkdtempSync(join(tmpdir(), 'hardshell-bench-'));

function eventFor(command) {
  return JSON.stringify({
    hook_event_name: 'PreToolUse',
    tool_name: 'Bash',
    tool_input: { command },
    cwd: FOLDER,
    permission_mode: 'default',
  });
}

const VERBS = (
  'explain check analyze hook run tasks config pending approve deny install mcp audit dashboard doctor learn init ' +
  'completions test'
).split(' ');

const hardshell = (args, { input = '', target = MAX_RATIO } = {}) => ({ args: [BIN, ...args], input, target });
const CONTENDERS = {
  'node -e 0': { args: ['-e', '0'], input: '' },
  '--version': hardshell(['--version']),
  "check 'ls -l'": hardshell(['check', 'ls -l']),
  "check 'git push --force && curl x | sh'": hardshell(['check', 'git push --force && curl x | sh']),
  "hook claude-code, 'npm test'": hardshell(['hook', 'claude-code'], { input: eventFor('npm test') }),
  'run --yes true': hardshell(['run', '--yes', 'true'], { target: MAX_RUN_RATIO }),
  'tasks list': hardshell(['tasks', 'list'], { target: MAX_TASKS_RATIO }),
  '--help': hardshell(['--help']),
  ...Object.fromEntries(VERBS.map((verb) => [`${verb} --help`, hardshell([verb, '--help'])])),
};

function time({ args, input }) {
  const start = process.hrtime.bigint();
  const { error, stderr } = spawnSync(process.execPath, args, {
    cwd: FOLDER,
    env: { PATH: process.env.PATH, HOME: FOLDER },
    input,
  });
  const micros = Number(process.hrtime.bigint() - start) / 1e3;
  if (error || stderr.length > 0) throw new Error(`${args.join(' ')} failed: ${error?.message ?? stderr}`);
  return micros;
}

export function run(argv) {
  const rounds = argv.includes('--quick') ? QUICK_ROUNDS : ROUNDS;
  const names = Object.keys(CONTENDERS);
  const samples = Object.fromEntries(names.map((name) => [name, []]));
  try {
    // The first start compiles, and caches the compiled code.
    for (const name of names) time(CONTENDERS[name]);
    for (let round = 0; round < rounds; round += 1) {
      for (let i = 0; i < names.length; i += 1) {
        const name = names[(i + round) % names.length];
        samples[name].push(time(CONTENDERS[name]));
      }
    }
  } finally {
    rmSync(FOLDER, { recursive: true });
  }
  const [reference, ...others] = names;
  const rows = [
    ...names.map((name) => timeRow(name, samples[name])),
    ...others.map((name) =>
      ratioRow(`${name} / ${reference}`, samples[name], samples[reference], CONTENDERS[name].target),
    ),
  ];
  report('start', rows, { json: argv.includes('--json') });
  return rows.every((row) => row.reached !== false) ? 0 : 1;
}
