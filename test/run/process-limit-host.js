// process-limit-host.js: as a user without privileges, runs 40 processes with a limit of 10 and no cgroup, and prints what
// was seen of them.

import { locateKeeper } from '../../dist/run/keeper/binary.js';
import { KeeperRunner } from '../../dist/run/keeper/runner.js';

const paths = [{ kind: 'device', path: '/dev/null' }];
const confinement = { tier: 'namespaces', reads: 'all', network: 'host', unixSockets: 'any', optional: [], paths };
const argv = ['bash', '-c', 'for i in {1..40}; do sleep 0.2 & done; wait'];
const runner = new KeeperRunner(locateKeeper().path);
const handle = runner.start({
  program: '/bin/bash',
  argv,
  cwd: '/',
  env: { PATH: '/usr/bin:/bin' },
  timeoutMs: 30_000,
  limits: { processes: 10 },
  confinement,
});
const { hasProcessLimit } = await handle.started;
const { cause, peakProcesses, output } = await handle.done;
const text = (await output.read(0, output.totalBytes)).toString();
console.log(JSON.stringify({ hasProcessLimit, cause, peakProcesses, isRefused: text.includes('fork') }));
await runner.close();
