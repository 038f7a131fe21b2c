// Proof that a run touched nothing outside of its confinement: canary files that anybody may write, the repository,
// and the processes of the runner's pid namespace.

import { createHash } from 'node:crypto';
import {
  chmodSync,
  lstatSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const SKIPPED = new Set(['node_modules', '.git', 'dist', 'coverage', '.cache']);

/**
 * @param {string} folder
 * @param {Map<string, string>} [manifest]
 * @returns {Map<string, string>}
 */
function describeTree(folder, manifest = new Map()) {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (SKIPPED.has(entry.name)) continue;
    const path = join(folder, entry.name);
    if (entry.isDirectory()) {
      describeTree(path, manifest);
      continue;
    }
    const info = lstatSync(path, { bigint: true });
    const hash = entry.isFile() ? createHash('sha256').update(readFileSync(path)).digest('base64') : '';
    manifest.set(path, `${info.mode} ${info.uid} ${info.size} ${info.mtimeNs} ${hash}`);
  }
  return manifest;
}

/**
 * @param {Map<string, string>} before
 * @param {Map<string, string>} after
 */
function differences(before, after) {
  const paths = [...new Set([...before.keys(), ...after.keys()])];
  return paths.filter((path) => before.get(path) !== after.get(path));
}

/** @param {string} space inode of the pid namespace in which programs ran */
export function processesIn(space) {
  return readdirSync('/proc').filter((name) => {
    if (!/^\d+$/.test(name)) return false;
    try {
      return readlinkSync(`/proc/${name}/ns/pid`) === `pid:[${space}]`;
    } catch {
      return false;
    }
  });
}

/** @param {string} repository */
export function watchOutside(repository) {
  const canary = mkdtempSync(join(tmpdir(), 'hardshell-canary-'));
  chmodSync(canary, 0o777);
  for (const name of ['a', 'b.txt', 'f1', 'f2', 'lib.sh']) {
    writeFileSync(join(canary, name), `${name}\n`);
    chmodSync(join(canary, name), 0o666);
  }
  const canaryBefore = describeTree(canary);
  const repositoryBefore = describeTree(repository);
  return {
    canary,
    /** @param {string} space */
    check(space) {
      const touched = differences(canaryBefore, describeTree(canary));
      const changed = differences(repositoryBefore, describeTree(repository));
      const processes = processesIn(space);
      rmSync(canary, { recursive: true, force: true });
      return { untouched: touched.length + changed.length + processes.length === 0, touched, changed, processes };
    },
  };
}
