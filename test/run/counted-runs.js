// counted-runs.js CWD COUNT: a shell that has warmed up runs `true` COUNT times in the workspace sandbox. Two files that do not
// exist are looked up before and after it, so that a trace of the process shows where the runs begin and end.

import { existsSync } from 'node:fs';
import { createShell, profileOf } from '../../dist/host.js';

const [cwd, count] = process.argv.slice(2);
const shell = createShell({ ...profileOf(null).engine, recording: false });
const session = shell.session({ cwd });
const runs = async (times) => {
  for (let left = times; left > 0; left -= 1) {
    const { exitCode, enforcement } = await session.run('true');
    if (exitCode !== 0 || enforcement.tier !== 'namespaces') throw new Error(`not confined: ${enforcement.why}`);
  }
};
await runs(20);
existsSync('/counted-runs-begin');
await runs(Number(count));
existsSync('/counted-runs-end');
await shell.close();
