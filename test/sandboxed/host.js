// host.js VERB JSON: another process that uses the public API, for what one process cannot try on itself: to die, to have
// another TMPDIR, home or file system. `run` prints a JSON line with its results; `start` does so too, and then stays.

import { createShell } from '../../dist/index.js';

const [verb, text] = process.argv.slice(2);
const { shell: options, cwd, commands } = JSON.parse(text);
const shell = createShell(options);
const results = [];
for (const command of commands) {
  const result = verb === 'start' ? await shell.start(command, { cwd }) : await shell.run(command, { cwd });
  const { task, status, exitCode, output, failure, violations, enforcement } = result;
  results.push({ task, status, exitCode, output, failure, violations, tier: enforcement.tier });
}
process.stdout.write(`${JSON.stringify(results)}\n`);
if (verb === 'start') setInterval(() => {}, 1000);
else await shell.close();
