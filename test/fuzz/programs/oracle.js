// Runs command lines confined and tells what files they changed: no network, own process ids, a read-only root, private
// folders in memory, limits and a time bound. Refuses to run anything without bubblewrap.

import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { OracleUnavailable } from '../oracle.js';

/**
 * @typedef {{ changed: string[], status: number | null, isLate: boolean }} Change
 * @typedef {{ run(command: string): Promise<Change>, close(): Promise<void> }} ProgramOracle
 */

const HERE = fileURLToPath(new URL('.', import.meta.url));
const SCRATCH = ['/tmp', '/var/tmp', '/run', '/root', '/home', '/mnt'];
export const WORK_FOLDER = '/mnt/w';
/** The home of the programs, where some write state of their own. */
export const HOME_FOLDER = '/mnt/w/home';

/** @param {string} name */
export function isInstalled(name) {
  return (process.env.PATH ?? '').split(delimiter).some((folder) => folder !== '' && existsSync(join(folder, name)));
}

function confinement() {
  return [
    ...['--unshare-all', '--unshare-user', '--uid', '65534', '--gid', '65534', '--die-with-parent', '--new-session'],
    ...['--cap-drop', 'ALL', '--ro-bind', '/', '/', '--dev', '/dev', '--proc', '/proc', '--clearenv'],
    ...['--setenv', 'PATH', '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'],
    ...SCRATCH.filter((folder) => existsSync(folder)).flatMap((folder) => ['--tmpfs', folder]),
    // Sockets of the machine are hidden, and nothing is written where only root writes.
    ...['--remount-ro', '/run'],
    ...['--dir', '/mnt/w', '--dir', '/mnt/copy', '--ro-bind', HERE, '/mnt/driver', '--chdir', '/mnt/w'],
  ];
}

/** @returns {Promise<ProgramOracle>} */
export async function openProgramOracle() {
  if (process.platform !== 'linux' || !isInstalled('bwrap'))
    throw new OracleUnavailable('it needs Linux and bubblewrap');
  const child = spawn('bwrap', [...confinement(), process.execPath, '/mnt/driver/driver.mjs'], {
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  let complaint = '';
  child.stderr.on('data', (chunk) => {
    complaint += chunk;
  });
  child.stdin.on('error', () => {});
  const ended = new Promise((resolve) => child.once('close', resolve));
  const answers = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const next = async () => {
    const { value, done } = await answers.next();
    if (done) throw new OracleUnavailable(complaint.trim() || 'the confined driver ended');
    return JSON.parse(value);
  };
  await next();
  return {
    async run(command) {
      child.stdin.write(`${JSON.stringify({ command })}\n`);
      return await next();
    },
    async close() {
      child.stdin.end();
      await ended;
    },
  };
}
