// `npm run bench -- sandbox`: a confined start compared with a plain one, and work inside compared with the same work outside.
// Tiers that this machine does not have, and peers that are not installed, are skipped with a reason.

import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { diskFolders } from '../dist/confine/folders.js';
import { findKernelSupport } from '../dist/confine/kernel-support.js';
import { plan } from '../dist/confine/plan.js';
import { attemptConfinement } from '../dist/run/confinement-attempt.js';
import { locateKeeper } from '../dist/run/keeper/binary.js';
import { KeeperRunner } from '../dist/run/keeper/runner.js';
import { ratioRow, report, timeRow } from './lib/measure.js';
import { findPeers } from './lib/peers.js';
import { measureNetwork, measureRefusal } from './lib/proxied.js';
import { ENV, loadRow, startBash, takeTurns, withKeeper } from './lib/turns.js';

const OPENS = 50_000;
/** Relative to Node's own spawn. No part of a Landlock confinement is made ahead unless a shell waits in it. */
const STARTS = { world: 0.75, namespaces: 1.1 };
const BARE = { world: 1.0, landlock: 0.85 };
const POOL = { world: 0.4, namespaces: 0.4, landlock: 0.4 };

function plainSpawn(program, argv, cwd = '/') {
  return new Promise((resolve, reject) => {
    const child = spawn(program, argv, { cwd, env: ENV, stdio: ['ignore', 'pipe', 'pipe'] });
    child.on('error', reject);
    child.on('close', resolve);
  });
}

function leaveOut(what, why) {
  process.stderr.write(`left out: ${what}: ${why}\n`);
}

/** Tier → a confinement with one writable folder and hidden files in the home folder. `world`: in a world that exists. */
async function confinements(runner, folder) {
  const attempt = attemptConfinement(runner);
  const found = {};
  for (const tier of ['namespaces', 'landlock']) {
    const probe = await findKernelSupport(attempt, { allowNamespaces: tier === 'namespaces' });
    const home = process.env.HOME ?? '/root';
    const policy = { name: 'workspace', writable: [folder], hidden: [join(home, '.ssh'), join(home, '.npmrc')] };
    const planned = plan(policy, probe, diskFolders);
    if (probe.tier !== tier || planned.kind !== 'confined') leaveOut(tier, probe.why);
    else if (tier === 'landlock') found[tier] = { confinement: planned.spec };
    else {
      found.world = {
        confinement: { ...planned.spec, isShared: true },
        world: join(folder, 'world.sock'),
        room: 'bench',
      };
      found[tier] = { confinement: planned.spec };
    }
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

function peers() {
  const found = Object.entries(findPeers(leaveOut));
  return Object.fromEntries(
    found.map(([name, { program, argv, cwd }]) => [name, () => plainSpawn(program, argv, cwd)]),
  );
}

// A runner for each contender, as each session has one: what is prepared ahead is for the next command.
async function withRunners(names, pool, work) {
  const { program: path } = locateKeeper();
  const runners = Object.fromEntries(names.map((name) => [name, new KeeperRunner(path, { pool })]));
  try {
    return await work(runners);
  } finally {
    await Promise.all(Object.values(runners).map((runner) => runner.close()));
  }
}

/** `ready`: what waits. A shell waits only if it is named by its path, as the library does; without a pool nothing waits. */
function measureStarts(specs, rounds, { ready, pool, program, targets }) {
  const names = ['keeper', ...Object.keys(specs)];
  return withRunners(names, pool, async (runners) => {
    const contenders = {
      'node spawn': () => plainSpawn('bash', ['-c', 'true']),
      ...(pool > 0 ? {} : { ...bubblewrap(), ...peers() }),
    };
    for (const name of names) {
      const more = { program, ...specs[name] };
      contenders[name] = () => startBash(runners[name], 'true', more).done;
    }
    const samples = await takeTurns(contenders, rounds);
    const title = `bash -c true, ${ready}`;
    const rows = Object.entries(samples).map(([name, values]) => timeRow(`${title}: ${name}`, values));
    for (const tier of Object.keys(specs)) {
      const target = targets?.[tier];
      const row = ratioRow(`${title}: ${tier} / node spawn`, samples[tier], samples['node spawn'], target);
      rows.push(target === undefined ? { ...row, target: undefined } : row);
      rows.push({ ...ratioRow(`${title}: ${tier} / keeper`, samples[tier], samples.keeper), target: undefined });
    }
    return rows;
  });
}

function measureWork(specs, rounds, { name, command, cwd, target }) {
  const check = async (handle) => {
    const { exitCode } = await handle.done;
    if (exitCode !== 0) throw new Error(`${name} ended with ${exitCode}`);
  };
  const all = { outside: undefined, ...specs };
  return withRunners(Object.keys(all), 2, async (runners) => {
    const contenders = {};
    for (const [tier, spec] of Object.entries(all)) {
      const more = { program: '/bin/bash', cwd, ...spec };
      contenders[tier] = () => check(startBash(runners[tier], command, more));
    }
    const samples = await takeTurns(contenders, rounds);
    return Object.keys(specs).map((tier) =>
      ratioRow(`${name}: ${tier} / outside`, samples[tier], samples.outside, target),
    );
  });
}

/** @param {string[]} argv */
export async function run(argv) {
  const isQuick = argv.includes('--quick');
  const rows = await withKeeper(async ({ runner, folder }) => {
    execFileSync('git', ['init', '-q', folder]);
    for (let i = 0; i < 500; i += 1) writeFileSync(join(folder, `file-${i}`), `${i}\n`);
    const specs = await confinements(runner, folder);
    const rounds = isQuick ? 30 : 300;
    const loop = `for(let i=0;i<${OPENS};i++)fs.closeSync(fs.openSync("file-1"))`;
    const status = { name: 'git status', command: 'git status --porcelain > /dev/null', cwd: folder, target: 1.15 };
    const opens = { name: `${OPENS} opens`, command: `node -e '${loop}'`, cwd: folder, target: 1.5 };
    return [
      loadRow(),
      ...(await measureStarts(specs, rounds, { ready: 'nothing is ready', pool: 0, program: 'bash', targets: BARE })),
      ...(await measureStarts(specs, rounds, { ready: 'no shell waits', pool: 2, program: 'bash', targets: STARTS })),
      ...(await measureStarts(specs, rounds, { ready: 'a shell waits', pool: 2, program: '/bin/bash', targets: POOL })),
      ...(await measureWork(specs, isQuick ? 10 : 60, status)),
      ...(await measureWork(specs, isQuick ? 3 : 10, opens)),
      ...(await measureRefusal(runner, specs, { rounds: isQuick ? 2 : 10, cwd: folder })),
      ...(await measureNetwork(runner, specs, { rounds: isQuick ? 3 : 10, bulkBytes: (isQuick ? 256 : 1024) << 20 })),
    ];
  });
  report('sandbox', rows, { json: argv.includes('--json') });
}
