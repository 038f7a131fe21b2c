// First commands of a user: each is run by hardshell in the project and seen from outside. A problem is a text, or null.
// `refused`: hardshell ran nothing, as it must where there is no sandbox.

import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { PORT } from './project.js';

/** Far more than is needed: an emulated machine on a busy one is a hundred times slower. */
const TIMEOUT_MS = 600_000;

function hardshell({ project, node, bin }, ...argv) {
  const { status, stdout, stderr } = spawnSync(node, [bin, ...argv], {
    cwd: project,
    encoding: 'utf8',
    timeout: TIMEOUT_MS,
  });
  return { exitCode: status, stdout, text: `${stdout}${stderr}`.trim() };
}

/** What hardshell says if it runs nothing without a sandbox. */
export const REFUSED = 'refused';

function judge({ exitCode, text }, isGood) {
  if (exitCode !== 0 && text.includes('No sandbox on this machine')) return `${REFUSED}: no sandbox`;
  return isGood ? null : `exit code ${exitCode}: ${text.slice(0, 1500)}`;
}

function readResult(run) {
  try {
    return JSON.parse(run.stdout);
  } catch {
    return null;
  }
}

const connects = (result) => (result?.violations ?? []).filter(({ operation }) => operation === 'connect');

async function fetchServed(server) {
  while (server.exitCode === null && server.signalCode === null) {
    try {
      return await (await fetch(`http://127.0.0.1:${PORT}/`)).text();
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 500));
    }
  }
  return 'ended before it served';
}

export const COMMANDS = [
  {
    name: 'echo',
    perform: async (place) => {
      const run = hardshell(place, 'run', 'echo hello');
      return judge(run, run.exitCode === 0 && run.stdout === 'hello\n');
    },
  },
  {
    name: 'git commit',
    perform: async (place) => {
      const run = hardshell(place, 'run', '--yes', 'git add README.md && git commit -q -m first');
      const log = spawnSync('git', ['-C', place.project, 'log', '--format=%s'], { encoding: 'utf8' }).stdout;
      return judge(run, run.exitCode === 0 && log === 'first\n');
    },
  },
  {
    name: 'node',
    perform: async (place) => {
      const run = hardshell(place, 'run', '--yes', `node -e 'require("fs").writeFileSync("made", "x")'`);
      return judge(run, run.exitCode === 0 && existsSync(join(place.project, 'made')));
    },
  },
  {
    name: 'background task',
    perform: async (place) => {
      const started = hardshell(place, 'run', '--yes', '--background', '--json', 'sleep 1; echo done > task-done');
      const task = readResult(started)?.task;
      if (started.exitCode !== 0 || task === undefined) return judge(started, false);
      const waited = hardshell(place, 'tasks', 'wait', task);
      return judge(waited, waited.exitCode === 0 && existsSync(join(place.project, 'task-done')));
    },
  },
  {
    name: 'refused host',
    perform: async (place) => {
      const run = hardshell(place, 'run', '--yes', '--json', 'sh fetch.sh');
      const found = connects(readResult(run)).some(({ target }) => target === 'not-allowed.test:80');
      return judge(run, found);
    },
  },
  {
    name: 'published port',
    perform: async (place) => {
      const argv = ['run', '--yes', '--publish', String(PORT), '--timeout', '500', 'node server.js'];
      const server = spawn(place.node, [place.bin, ...argv], { cwd: place.project, stdio: ['ignore', 'pipe', 'pipe'] });
      let text = '';
      for (const stream of [server.stdout, server.stderr])
        stream.on('data', (data) => {
          text += data;
        });
      const ended = once(server, 'close');
      const served = await fetchServed(server);
      const [exitCode] = await ended;
      return judge({ exitCode, text }, served === 'served' && exitCode === 0);
    },
  },
];

function limitOf(result, name) {
  return (result?.limits ?? []).filter((limit) => limit.name === name).map(({ enforcement }) => enforcement);
}

/** Where cgroups are delegated: the kernel holds the limits. */
export const LIMIT_COMMANDS = [
  {
    name: 'memory limit',
    perform: async (place) => {
      const run = hardshell(place, 'run', '--yes', '--json', '--settings', 'limits.json', 'node memory.js');
      const result = readResult(run);
      const held = limitOf(result, 'memoryBytes').join();
      return judge(run, result?.status === 'limited' && held === 'kernel');
    },
  },
  {
    name: 'process limit',
    perform: async (place) => {
      const run = hardshell(place, 'run', '--yes', '--json', '--settings', 'limits.json', 'bash processes.sh');
      const result = readResult(run);
      const held = limitOf(result, 'processes').includes('kernel');
      return judge(run, result?.status === 'limited' && held);
    },
  },
];
