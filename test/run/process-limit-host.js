// process-limit-host.js: as a user without privileges and without a cgroup, starts one process with 300 threads, with a limit
// of 2 processes (128 with threads) and of 20 (1,280); prints how each ended. libuv aborts if it gets no thread.

import { locateKeeper } from '../../dist/run/keeper/binary.js';
import { KeeperRunner } from '../../dist/run/keeper/runner.js';

const paths = [{ kind: 'device', path: '/dev/null' }];
const confinement = { tier: 'namespaces', reads: 'all', network: 'host', unixSockets: 'any', optional: [], paths };
const runner = new KeeperRunner(locateKeeper().path);

async function run(processes) {
  const handle = runner.start({
    program: process.execPath,
    argv: ['node', '-e', 'require("node:fs").stat("/", () => {})'],
    cwd: '/',
    env: { PATH: '/usr/bin:/bin', UV_THREADPOOL_SIZE: '300' },
    timeoutMs: 30_000,
    limits: { processes },
    confinement,
  });
  const { hasProcessLimit } = await handle.started;
  const { cause, exitCode, signal } = await handle.done;
  return { hasProcessLimit, cause, exitCode, signal };
}

console.log(JSON.stringify([await run(2), await run(20)]));
await runner.close();
