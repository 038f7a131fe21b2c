// host.js VERB JSON: another process that uses the public API, for what one process cannot try on itself: to die, to have
// another TMPDIR, home or file system. `run` prints a JSON line with its results; `start` does so too, and then stays.

import { createShell, DEFAULT_POLICY } from '../../dist/host.js';

const [verb, text] = process.argv.slice(2);
const { shell: options, cwd, commands } = JSON.parse(text);
const shell = createShell({ recording: false, ...options });
const results = [];
for (const entry of commands) {
  const { command, ...more } = typeof entry === 'string' ? { command: entry } : entry;
  const policy = more.policy === undefined ? {} : { policy: { ...DEFAULT_POLICY, ...more.policy } };
  const request = { cwd, ...more, ...policy };
  const result = await (verb === 'start' ? shell.start(command, request) : shell.run(command, request));
  const { task, status, exitCode, output, failure, violations, enforcement } = result;
  results.push({ task, status, exitCode, output, failure, violations, tier: enforcement.tier });
}
process.stdout.write(`${JSON.stringify(results)}\n`);
if (verb === 'start') setInterval(() => {}, 1000);
else await shell.close();
