// Other sandboxes, for comparison: installed into .cache if possible, tried once, and otherwise skipped with the reason.

import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const FOLDER = fileURLToPath(new URL('../../.cache/peers', import.meta.url));
const PATIENCE_MS = 120_000;
const MOST_MS = 2_000;

const PEERS = {
  'sandbox-runtime': { package: '@anthropic-ai/sandbox-runtime@0.0.83', program: 'srt', argv: ['true'] },
  landstrip: { package: '@landstrip/landstrip@0.18.38', program: 'landstrip', argv: ['--', 'bash', '-c', 'true'] },
};

/** The first meaningful line, without colors. */
function reasonOf({ error, stderr = '', stdout = '', status }) {
  const said = `${stderr}\n${stdout}`.replace(/\x1b\[[\d;]*m/g, '').split('\n');
  const line = said.find((each) => /error|require|unsupported|not found|cannot/i.test(each));
  return error?.message ?? line?.trim() ?? `it ended with ${status}`;
}

function run(program, argv, cwd) {
  return spawnSync(program, argv, { encoding: 'utf8', timeout: PATIENCE_MS, cwd });
}

/** Name → program and arguments of a sandboxed `true`; `leaveOut` is called for the others. */
export function findPeers(leaveOut) {
  const found = {};
  for (const [name, peer] of Object.entries(PEERS)) {
    // A folder for each: npm removes packages that it was not told to keep.
    const folder = join(FOLDER, name);
    // Some scan the whole folder that they start in.
    const cwd = join(folder, 'work');
    mkdirSync(cwd, { recursive: true });
    const flags = ['--no-audit', '--no-fund', '--no-save', '--ignore-scripts', '--prefix', folder];
    const installed = run('npm', ['install', ...flags, peer.package], folder);
    const program = join(folder, 'node_modules/.bin', peer.program);
    const began = performance.now();
    const tried = installed.status === 0 ? run(program, peer.argv, cwd) : installed;
    const tookMs = Math.round(performance.now() - began);
    if (tried.status !== 0) leaveOut(name, reasonOf(tried));
    else if (tookMs > MOST_MS) leaveOut(name, `it needs ${tookMs} ms for one command, which is too slow`);
    else found[name] = { program, argv: peer.argv, cwd };
  }
  return found;
}
