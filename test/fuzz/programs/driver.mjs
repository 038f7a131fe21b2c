// Runs inside the confinement, as its first process. Reads lines `{command}`, runs each in the folder, and answers with
// what changed in the folder, the home and the temporary folders. What was changed is put back from a copy.

import { spawnSync } from 'node:child_process';
import { cpSync, lstatSync, mkdirSync, readdirSync, readFileSync, readlinkSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

const WORK = '/mnt/w';
const COPY = '/mnt/copy';
const HOME = `${WORK}/home`;
const TEMPORARY = ['/tmp', '/var/tmp', '/dev/shm'];
const LIMIT_MS = 3000;
const RUN = 'ulimit -f 40960 -t 5 -c 0; eval "$1"';

/**
 * @param {string} folder
 * @param {Map<string, string>} [found]
 * @returns {Map<string, string>}
 */
function describeTree(folder, found = new Map()) {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    const { mode, size, mtimeMs } = lstatSync(path);
    if (entry.isDirectory()) {
      found.set(path, `folder ${mode}`);
      describeTree(path, found);
    } else if (entry.isSymbolicLink()) found.set(path, `link ${readlinkSync(path)}`);
    else found.set(path, `file ${mode} ${size} ${mtimeMs}`);
  }
  return found;
}

function describeAll() {
  const found = describeTree(WORK);
  for (const folder of TEMPORARY) describeTree(folder, found);
  return found;
}

function putBack() {
  for (const folder of [WORK, ...TEMPORARY]) {
    for (const name of readdirSync(folder)) rmSync(join(folder, name), { recursive: true, force: true });
  }
  for (const name of readdirSync(COPY)) {
    cpSync(join(COPY, name), join(WORK, name), { recursive: true, preserveTimestamps: true, verbatimSymlinks: true });
  }
  // New inodes: without this, the next git would refresh its index.
  spawnSync('git', ['status'], { cwd: WORK, env: { PATH: process.env.PATH } });
}

const setup = spawnSync('bash', ['-c', readFileSync(new URL('./folder.sh', import.meta.url), 'utf8')], {
  cwd: WORK,
  env: { PATH: process.env.PATH, HOME: HOME },
});
if (setup.status !== 0) throw new Error(String(setup.stderr));
mkdirSync(COPY, { recursive: true });
cpSync(WORK, COPY, { recursive: true, preserveTimestamps: true, verbatimSymlinks: true });
putBack();
let before = describeAll();
process.stdout.write(`${JSON.stringify({ isReady: true })}\n`);

for await (const line of createInterface({ input: process.stdin })) {
  const { command } = JSON.parse(line);
  const { error, status } = spawnSync('bash', ['-c', RUN, '_', command], {
    cwd: WORK,
    env: { PATH: process.env.PATH, HOME: HOME, LANG: 'C.UTF-8', TERM: 'dumb', USER: 'u' },
    stdio: ['ignore', 'ignore', 'ignore'],
    timeout: LIMIT_MS,
    killSignal: 'SIGKILL',
  });
  try {
    // What it left running: everything in here but this process and the first one.
    process.kill(-1, 'SIGKILL');
  } catch {}
  const after = describeAll();
  const changed = [...new Set([...before.keys(), ...after.keys()])].filter(
    (path) => before.get(path) !== after.get(path),
  );
  if (changed.length > 0) {
    putBack();
    before = describeAll();
  }
  process.stdout.write(`${JSON.stringify({ changed, status, isLate: error !== undefined })}\n`);
}
