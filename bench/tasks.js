// `npm run bench -- tasks [--json] [--quick]`: the cost of listing finished background tasks, as ratios to one plain spawn
// (and one execa) of `true` measured in the same run, and whether ten times as many cost ten times as much.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { nameFiles } from '../dist/tasks/names.js';
import { listTasks } from '../dist/tasks/registry.js';
import { ratioRow, report, timeRow } from './lib/measure.js';
import { boundRow, ENV, EXECA, loadRow, startBash, takeTurns, withKeeper } from './lib/turns.js';

const MAX_SPAWN_RATIO = 20;
/** Ten times as many tasks may cost ten times as much, and a quarter more for noise. */
const MAX_GROWTH = 12.5;
const [FEW, MANY] = [1000, 10_000];

const COMMANDS = [
  'echo done',
  'seq 1000',
  'exit 3',
  'kill -TERM $$',
  'echo problem >&2; false',
  "printf '%s\\n' 'a longer command' 'with several' 'words and lines' | sort | uniq -c",
];

/** Runs one background task to its end; its supervisor writes its files. */
async function runTask(runner, folder, command, number) {
  const id = `bash-real${number}`;
  const { output, record } = nameFiles(folder, id);
  const fields = { id, command, description: null, cwd: '/', session: 'bench' };
  await startBash(runner, command, {
    background: true,
    spool: { path: output },
    record: { path: record, fields },
  }).done;
  return { id, text: readFileSync(record, 'utf8'), output };
}

/** Copies of real tasks under other ids: record, output and map. */
function fillFolder(parent, count, models) {
  const folder = join(parent, `tasks-${count}`);
  mkdirSync(folder, { mode: 0o700 });
  for (let i = 0; i < count; i += 1) {
    const { id, text, output } = models[i % models.length];
    const copy = `bash-${i.toString(36).padStart(6, '0')}`;
    const files = nameFiles(folder, copy);
    writeFileSync(files.record, text.replaceAll(id, copy), { mode: 0o600 });
    copyFileSync(output, files.output);
    copyFileSync(`${output}.map`, `${files.output}.map`);
  }
  return folder;
}

function listingOf(folder, count) {
  return async () => {
    const tasks = await listTasks(folder);
    const finished = tasks.filter(({ state }) => state === 'finished').length;
    if (finished !== count) throw new Error(`${finished} of ${count} finished tasks were listed`);
  };
}

async function benchListing({ runner, folder }, rounds) {
  const real = join(folder, 'real');
  mkdirSync(real, { mode: 0o700 });
  const models = await Promise.all(COMMANDS.map((command, i) => runTask(runner, real, command, i)));
  const samples = await takeTurns(
    {
      spawn: () => once(spawn('true', { env: ENV }), 'close'),
      execa: () => execa('true', EXECA),
      few: listingOf(fillFolder(folder, FEW, models), FEW),
      many: listingOf(fillFolder(folder, MANY, models), MANY),
    },
    rounds,
  );
  const growth = samples.many.map((value, round) => value / samples.few[round]);
  return [
    timeRow('spawn of true', samples.spawn),
    timeRow('execa of true', samples.execa),
    timeRow(`list of ${FEW} tasks`, samples.few),
    timeRow(`list of ${MANY} tasks`, samples.many),
    ratioRow(`list of ${FEW} tasks / spawn`, samples.few, samples.spawn, MAX_SPAWN_RATIO),
    ratioRow(`list of ${FEW} tasks / execa`, samples.few, samples.execa, MAX_SPAWN_RATIO),
    boundRow(`list of ${MANY} tasks / list of ${FEW}`, growth, 'x', MAX_GROWTH),
  ];
}

export async function run(argv) {
  const [json, quick] = [argv.includes('--json'), argv.includes('--quick')];
  const load = loadRow();
  const rows = await withKeeper((context) => benchListing(context, quick ? 7 : 30));
  report('tasks', [load, ...rows], { json });
}
