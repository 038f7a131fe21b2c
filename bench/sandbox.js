// `npm run bench -- sandbox`: a confined start beside a plain one, and work inside beside the same work outside.
// Tiers that this machine does not have, and peers that are not installed, are left out with a reason.

import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { diskFolders } from '../dist/confine/folders.js';
import { plan } from '../dist/confine/plan.js';
import { probeConfinement } from '../dist/confine/probe.js';
import { attemptConfinement } from '../dist/run/confinement-attempt.js';
import { ratioRow, report, timeRow } from './lib/measure.js';
import { measureNetwork } from './lib/proxied.js';
import { ENV, loadRow, startBash, takeTurns, withKeeper } from './lib/turns.js';

const OPENS = 50_000;
const TARGETS = { namespaces: 1.1, landlock: 0.85 };

function plainSpawn(program, argv) {
  return new Promise((resolve, reject) => {
    const child = spawn(program, argv, { cwd: '/', env: ENV, stdio: ['ignore', 'pipe', 'pipe'] });
    child.on('error', reject);
    child.on('close', resolve);
  });
}

function leaveOut(what, why) {
  process.stderr.write(`left out: ${what}: ${why}\n`);
}

/** Tier → a confinement with one writable folder and hidden files in the home folder. */
async function confinements(runner, folder) {
  const attempt = attemptConfinement(runner);
  const found = {};
  for (const tier of ['namespaces', 'landlock']) {
    const probe = await probeConfinement(attempt, { allowNamespaces: tier === 'namespaces' });
    const home = process.env.HOME ?? '/root';
    const policy = { name: 'workspace', writable: [folder], hidden: [join(home, '.ssh'), join(home, '.npmrc')] };
    const planned = plan(policy, probe, diskFolders);
    if (probe.tier === tier && planned.kind === 'confined') found[tier] = planned.spec;
    else leaveOut(tier, probe.why);
  }
  return found;
}

function bubblewrap() {
  const argv = [
    '--ro-bind',
    '/',
    '/',
    '--dev',
    '/dev',
    '--proc',
    '/proc',
    '--tmpfs',
    '/tmp',
    '--unshare-all',
    'bash',
    '-c',
    'true',
  ];
  const { status, error } = spawnSync('bwrap', argv, { env: ENV });
  if (status === 0) return { bubblewrap: () => plainSpawn('bwrap', argv) };
  leaveOut('bubblewrap', error?.code === 'ENOENT' ? 'it is not installed' : 'it does not run here');
  return {};
}

async function measureStarts(runner, specs, rounds) {
  const contenders = {
    'node spawn': () => plainSpawn('bash', ['-c', 'true']),
    keeper: () => startBash(runner, 'true').done,
    ...bubblewrap(),
  };
  for (const [tier, confinement] of Object.entries(specs))
    contenders[tier] = () => startBash(runner, 'true', { confinement }).done;
  const samples = await takeTurns(contenders, rounds);
  const rows = Object.entries(samples).map(([name, values]) => timeRow(`bash -c true: ${name}`, values));
  for (const tier of Object.keys(specs)) {
    rows.push(ratioRow(`${tier} / node spawn`, samples[tier], samples['node spawn'], TARGETS[tier]));
    rows.push({ ...ratioRow(`${tier} / keeper unconfined`, samples[tier], samples.keeper), target: undefined });
  }
  return rows;
}

async function measureWork(runner, specs, rounds, { name, command, cwd, target }) {
  const check = async (handle) => {
    const { exitCode } = await handle.done;
    if (exitCode !== 0) throw new Error(`${name} ended with ${exitCode}`);
  };
  const contenders = { outside: () => check(startBash(runner, command, { cwd })) };
  for (const [tier, confinement] of Object.entries(specs))
    contenders[tier] = () => check(startBash(runner, command, { cwd, confinement }));
  const samples = await takeTurns(contenders, rounds);
  return Object.keys(specs).map((tier) =>
    ratioRow(`${name}: ${tier} / outside`, samples[tier], samples.outside, target),
  );
}

/** @param {string[]} argv */
export async function run(argv) {
  const isQuick = argv.includes('--quick');
  const rows = await withKeeper(async ({ runner, folder }) => {
    execFileSync('git', ['init', '-q', folder]);
    for (let i = 0; i < 500; i += 1) writeFileSync(join(folder, `file-${i}`), `${i}\n`);
    const specs = await confinements(runner, folder);
    const loop = `for(let i=0;i<${OPENS};i++)fs.closeSync(fs.openSync("file-1"))`;
    const status = { name: 'git status', command: 'git status --porcelain > /dev/null', cwd: folder, target: 1.15 };
    const opens = { name: `${OPENS} opens`, command: `node -e '${loop}'`, cwd: folder, target: 1.5 };
    return [
      loadRow(),
      ...(await measureStarts(runner, specs, isQuick ? 30 : 300)),
      ...(await measureWork(runner, specs, isQuick ? 10 : 60, status)),
      ...(await measureWork(runner, specs, isQuick ? 3 : 10, opens)),
      ...(await measureNetwork(runner, specs, { rounds: isQuick ? 3 : 10, bulkBytes: (isQuick ? 256 : 1024) << 20 })),
    ];
  });
  report('sandbox', rows, { json: argv.includes('--json') });
}
